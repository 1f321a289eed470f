"""Small sets of BVF made by hand: items, predictions, dataset folders."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from evenhand.contract import CONTRACT_VERSION
from evenhand.contract.dataset import (
    FileEntry,
    Licence,
    Manifest,
    SplitEntry,
    combined_content_digest,
    read_manifest,
    sealed,
)
from evenhand.contract.files import canonical_json, sha256_of_file
from evenhand.scorer.bvf.results import ITEM_KINDS
from evenhand.scorer.datasets import Dataset, content_digest

Rows = list[dict[str, Any]]

WORDS = {
    2: {"male": ["he", "man"], "female": ["she", "woman"]},
    3: {"a": ["an"], "b": ["bee"], "c": ["sea"]},
    4: {name: [name] for name in "abcd"},
    5: {name: [name] for name in "vwxyz"},
}
SUBJECTS = ("accountant", "baker", "cook", "nurse", "pilot")


def _items(
    weights: Sequence[float] = (0.5, 0.3, 0.2),
    subjects: Sequence[str] = SUBJECTS[:2],
    *,
    topic: str = "gender",
    subject_weights: Sequence[float] | None = None,
    orders: Sequence[str] = ("last",),
) -> Rows:
    """Return one row for each context, subject and order."""
    shares = subject_weights or [1 / len(subjects)] * len(subjects)
    rows: Rows = []
    for order in orders:
        for context, weight in enumerate(weights):
            for x, share in zip(subjects, shares, strict=True):
                end = "-in" if order == "inside" else ""
                rows.append(
                    {
                        "id": f"{topic}-c{context:05d}-{x}{end}",
                        "topic": topic,
                        "context": f"The [X] did {context:05d} and [Y]",
                        "weight": weight,
                        "x": x,
                        "weight_x": share,
                        "order": order,
                        "text": f"The {x} did {context:05d} and [Y]",
                    }
                )
    return rows


def _predicted(items: Rows, p: Any, classes: Sequence[str] = ("male", "female")) -> Rows:
    """Return predictions of items from probabilities [X, C, Y]."""
    values = np.asarray(p).transpose(1, 0, 2).reshape(-1, len(classes))
    return [
        {"id": row["id"], "p": dict(zip(classes, probabilities, strict=True))}
        for row, probabilities in zip(items, values.tolist(), strict=True)
    ]


@pytest.fixture
def bvf_items() -> Callable[..., Rows]:
    """Make the items of one topic."""
    return _items


@pytest.fixture
def predicted() -> Callable[..., Rows]:
    """Make predictions from probabilities [X, C, Y]."""
    return _predicted


@pytest.fixture
def topics_of_size() -> Callable[..., dict[str, Any]]:
    """Make a topic of so many classes, under the name of a config."""

    def make(n: int = 2, name: str = "gender", **fields: Any) -> dict[str, Any]:
        return {name: {"classes": WORDS[n]} | fields}

    return make


@pytest.fixture
def write_bvf(tmp_path: Path) -> Callable[..., Dataset]:
    """Write items as a dataset folder with its manifest, and open it."""

    def write(
        configs: dict[str, Rows], topics: dict[str, Any] | None = None, name: str = "bvf"
    ) -> Dataset:
        folder = tmp_path / name
        files, splits = [], {}
        for config, rows in configs.items():
            path = folder / config / "test-00000-of-00001.parquet"
            path.parent.mkdir(parents=True)
            pl.DataFrame(rows, schema_overrides=ITEM_KINDS).write_parquet(path)
            splits[config] = {
                "test": SplitEntry(
                    rows=len(rows), examples=len(rows), content_digest=content_digest([path])
                )
            }
            files.append(
                FileEntry(
                    path=path.relative_to(folder).as_posix(),
                    sha256=sha256_of_file(path),
                    bytes=path.stat().st_size,
                )
            )
        manifest = Manifest(
            stem="bvf",
            version="1.0.0",
            contract_version=CONTRACT_VERSION,
            generator_version="0",
            seed=0,
            protocol=None,
            licence=Licence(id="apache-2.0", name="Apache-2.0", link="LICENSE"),
            content_warning="none",
            configs=splits,
            files=files,
            provenance={
                "topics": topics or {config_name: {"classes": WORDS[2]} for config_name in configs}
            },
            content_digest=combined_content_digest(splits),
        )
        (folder / "evenhand.json").write_bytes(canonical_json(sealed(manifest)))
        return Dataset(folder, read_manifest(folder))

    return write


@pytest.fixture
def dataset(bvf_items: Callable[..., Rows], write_bvf: Callable[..., Dataset]) -> Dataset:
    """A dataset of forty contexts and three subjects."""
    items = bvf_items([1 / 40] * 40, ("accountant", "cook", "nurse"))
    return write_bvf({"gender": items})


@pytest.fixture
def rows(dataset: Dataset, predicted: Callable[..., Rows]) -> Rows:
    """Pseudo-random predictions for all of them, which lean to one class."""
    items = dataset.scan("gender").collect().to_dicts()
    p = np.random.default_rng(0).uniform(0.3, 1.0, (3, 40))
    return predicted(items, np.stack([p, 1 - p], axis=-1))
