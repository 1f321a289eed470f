"""Real files of other tools, and the datasets that their rows are of."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

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
from evenhand.scorer.bbq import BENCHMARK
from evenhand.scorer.bbq.read import read_files
from evenhand.scorer.bbq.results import ITEM_KINDS
from evenhand.scorer.bbq.scoring import BbqScoring
from evenhand.scorer.datasets import Dataset, content_digest
from evenhand.scorer.readers.recognise import reader_for
from evenhand.scorer.scoring import match_config


class Read(NamedTuple):
    """What came of a file: by id the answer, and why there is none."""

    choice: dict[str, int]
    why: dict[str, str]
    label: dict[str, int]
    """The right answer of each question that the file answers."""
    faults: list[Any]
    notes: list[str]

    def n_right(self) -> int:
        """Count the right answers."""
        return sum(self.label[own] == choice for own, choice in self.choice.items())


@pytest.fixture(scope="session")
def third_party(conformance: Path) -> Path:
    """Return the folder of other tools' files."""
    return conformance / "third_party"


def _item(raw: dict[str, Any]) -> dict[str, Any]:
    """Make an item of an official row, with the target that its groups or names give."""
    pairs = [raw["answer_info"][f"ans{place}"] for place in range(3)]
    unknown = next(place for place, pair in enumerate(pairs) if pair[1] == "unknown")
    people = [place for place in range(3) if place != unknown]
    metadata = raw["additional_metadata"]
    names = {group.casefold() for group in metadata["stereotyped_groups"]}
    own = [place for place in people if {text.casefold() for text in pairs[place]} & names]
    target = own[0] if len(own) == 1 else None
    if target is not None and raw["question_polarity"] == "nonneg":
        target = next(place for place in people if place != target)
    return {
        **{name: raw[name] for name in ITEM_KINDS if name in raw},
        **{name: raw[name] for name in ("context", "question", "example_id")},
        "id": f"{raw['category']}-{raw['example_id']:05d}",
        "answer_text": [pair[0] for pair in pairs],
        "answer_group": [pair[1] for pair in pairs],
        "unknown": unknown,
        "target": target,
        "label_type": "label",
        "subcategory": metadata["subcategory"],
        "stereotyped_groups": metadata["stereotyped_groups"],
    }


def _dataset(paths: Iterable[Path], folder: Path) -> Dataset:
    """Write official rows as a dataset folder with its manifest."""
    configs: dict[str, list[dict[str, Any]]] = {}
    for path in paths:
        for line in path.read_text(encoding="utf-8").splitlines():
            item = _item(json.loads(line))
            configs.setdefault(item["category"], []).append(item)
    splits, files = {}, []
    for config, rows in sorted(configs.items()):
        path = folder / config / "test-00000-of-00001.parquet"
        path.parent.mkdir(parents=True)
        pl.DataFrame(rows, schema_overrides=ITEM_KINDS).write_parquet(path)
        digest = content_digest([path])
        splits[config] = {"test": SplitEntry(rows=len(rows), examples=0, content_digest=digest)}
        name = path.relative_to(folder).as_posix()
        files.append(FileEntry(path=name, sha256=sha256_of_file(path), bytes=path.stat().st_size))
    manifest = Manifest(
        stem="bbq",
        version="1.0.0",
        contract_version=CONTRACT_VERSION,
        generator_version="0",
        seed=0,
        protocol=None,
        licence=Licence(id="cc-by-4.0", name="CC BY 4.0", link="LICENSE"),
        content_warning="none",
        configs=splits,
        files=files,
        provenance={},
        content_digest=combined_content_digest(splits),
    )
    (folder / "evenhand.json").write_bytes(canonical_json(sealed(manifest)))
    return Dataset(folder, read_manifest(folder))


@pytest.fixture(scope="session")
def few_rows(third_party: Path, tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """Return the 62 rows that most files answer."""
    return _dataset([third_party / "data/bbq_rows.jsonl"], tmp_path_factory.mktemp("few"))


@pytest.fixture(scope="session")
def religion(conformance: Path, tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """Return Age and Religion whole."""
    paths = (conformance / f"bbq/data/{name}.jsonl" for name in ("Age", "Religion"))
    return _dataset(paths, tmp_path_factory.mktemp("whole"))


@pytest.fixture
def read() -> Callable[..., Read]:
    """Read files as the commands do, by the reader that is recognised or one that is named."""

    def read(dataset: Dataset, *paths: Path, reader: str = "auto") -> Read:
        own = reader_for(paths, BENCHMARK).reader if reader == "auto" else reader
        inputs = read_files(paths, own, dataset)
        choice, why, label = dict[str, int](), dict[str, str](), dict[str, int]()
        faults = list(inputs.faults)
        for config in dataset.manifest.configs:
            (_, items, found), more = match_config(BbqScoring(), dataset, inputs.rows, config)
            faults += [fault for fault in more if not fault.kind.startswith("missing")]
            for identity, right, index, reason in zip(
                items["id"], items["label"], found.index.tolist(), found.why, strict=True
            ):
                if reason is None:
                    choice[identity] = index
                elif reason != "no prediction":
                    why[identity] = reason
                if reason != "no prediction":
                    label[identity] = right
        assert pl.Series(list(choice.values()), dtype=pl.Int64).is_between(0, 2).all()
        return Read(choice, why, label, faults, inputs.notes)

    return read
