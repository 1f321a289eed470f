"""A dataset folder of rows made by hand."""

from pathlib import Path
from typing import Any

import polars as pl

from evenhand.contract import CONTRACT_VERSION
from evenhand.contract.dataset import (
    FileEntry,
    Licence,
    Manifest,
    SplitEntry,
    combined_content_digest,
    sealed,
)
from evenhand.contract.files import canonical_json, sha256_of_file
from evenhand.scorer.datasets import content_digest

Rows = list[dict[str, Any]]


def write_folder(
    folder: Path,
    stem: str,
    configs: dict[str, Rows],
    kinds: dict[str, Any],
    provenance: dict[str, Any] | None = None,
) -> str:
    """Write a dataset of one split with its manifest and return its content digest."""
    files, splits = [], {}
    for config, rows in configs.items():
        path = folder / config / "test-00000-of-00001.parquet"
        path.parent.mkdir(parents=True)
        pl.DataFrame(rows, schema_overrides=kinds, infer_schema_length=None).write_parquet(path)
        own = SplitEntry(
            rows=len(rows), examples=len(rows) // 4, content_digest=content_digest([path])
        )
        splits[config] = {"test": own}
        files.append(
            FileEntry(
                path=path.relative_to(folder).as_posix(),
                sha256=sha256_of_file(path),
                bytes=path.stat().st_size,
            )
        )
    manifest = Manifest(
        stem=stem,
        version="1.0.0",
        contract_version=CONTRACT_VERSION,
        generator_version="0",
        seed=0,
        protocol=None,
        licence=Licence(id="cc-by-4.0", name="CC BY 4.0", link="LICENSE"),
        content_warning="none",
        configs=splits,
        files=files,
        provenance=provenance or {},
        content_digest=combined_content_digest(splits),
    )
    (folder / "evenhand.json").write_bytes(canonical_json(sealed(manifest)))
    return manifest.content_digest
