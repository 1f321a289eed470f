"""A small dataset folder with a manifest, made by hand."""

from pathlib import Path

import pytest

from evenhand.contract import CONTRACT_VERSION
from evenhand.contract.dataset import (
    MANIFEST_NAME,
    FileEntry,
    Licence,
    Manifest,
    SplitEntry,
    combined_content_digest,
    sealed,
)
from evenhand.contract.files import canonical_json, sha256_of_file

CONTENTS = {
    "README.md": b"# A card\n",
    "statistics.json": b'{"rows": 2}\n',
    "religion/test-00000-of-00001.parquet": b"PAR1 not really PAR1",
}


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """Return a folder whose manifest tells the truth."""
    folder = tmp_path / "unqover" / "1.0.0"
    for name, content in CONTENTS.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    configs = {"religion": {"test": SplitEntry(rows=4, examples=1, content_digest="ab" * 32)}}
    manifest = Manifest(
        stem="unqover",
        version="1.0.0",
        contract_version=CONTRACT_VERSION,
        generator_version="0.1.0",
        seed=0,
        protocol=None,
        licence=Licence(id="apache-2.0", name="Apache License 2.0", link="LICENSE"),
        content_warning="Quotes stereotypes.",
        configs=configs,
        files=[
            FileEntry(path=name, sha256=sha256_of_file(folder / name), bytes=len(content))
            for name, content in sorted(CONTENTS.items())
        ],
        provenance={},
        content_digest=combined_content_digest(configs),
    )
    (folder / MANIFEST_NAME).write_bytes(canonical_json(sealed(manifest)))
    return folder
