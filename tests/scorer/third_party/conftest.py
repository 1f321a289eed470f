"""Real files of other tools, and the datasets that their rows are of."""

import contextlib
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pytest

from evenhand.contract.cli import main
from evenhand.scorer.bbq.reading import READERS, read_files
from evenhand.scorer.bbq.scoring import match_config
from evenhand.scorer.datasets import Dataset, open_dataset
from evenhand.scorer.readers.recognise import reader_for


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


def _imported(source: Path, folder: Path) -> Dataset:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        assert main(["import", "bbq", "--from", str(source), "--out", str(folder)]) == 0
    return open_dataset(str(folder))


@pytest.fixture(scope="session")
def few_rows(third_party: Path, tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """Import the 62 rows that most files answer."""
    return _imported(third_party / "data", tmp_path_factory.mktemp("few") / "bbq")


@pytest.fixture(scope="session")
def religion(conformance: Path, tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """Import Age and Religion whole."""
    return _imported(conformance / "bbq/data", tmp_path_factory.mktemp("whole") / "bbq")


@pytest.fixture
def read() -> Callable[..., Read]:
    """Read files as the commands do, by the reader that is recognised or one that is named."""

    def read(dataset: Dataset, *paths: Path, reader: str = "auto") -> Read:
        own = reader_for(paths, READERS).reader if reader == "auto" else reader
        inputs = read_files(paths, own, dataset)
        choice, why, label = dict[str, int](), dict[str, str](), dict[str, int]()
        faults = list(inputs.faults)
        for config in dataset.manifest.configs:
            items, found, more = match_config(dataset, inputs.rows, config)
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
