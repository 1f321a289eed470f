"""Which benchmark, dataset and reader a command works with; ``auto`` says what it took and why."""

import contextlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from evenhand.contract import STEMS, DataRefused, WrongUse
from evenhand.contract.tables import printable
from evenhand.scorer.benchmark import Benchmark, benchmark

if TYPE_CHECKING:
    from evenhand.scorer.datasets import Dataset

AUTO, OURS = "auto", "evenhand"


class Chosen(NamedTuple):
    """What a command works with."""

    benchmark: Benchmark
    dataset: "Dataset | None"
    """None where a benchmark's name stands in its place."""
    reader: str


def choose(name: str, reader: str, paths: Sequence[Path]) -> Chosen:
    """Open what was named, and find the reader.

    Args:
        name: a dataset folder, or a benchmark whose files describe themselves.
        reader: what ``--reader`` says.
        paths: the files to read.

    Raises:
        WrongUse: the benchmark has no such reader.
        DataRefused: the dataset cannot be opened, or the files have no one format.
    """
    from evenhand.scorer.datasets import open_dataset
    from evenhand.scorer.readers import is_offered

    is_stem = name in STEMS and not (Path(name) / "evenhand.json").is_file()
    dataset = None if is_stem else open_dataset(name)
    declared = benchmark(name if dataset is None else dataset.manifest.stem)
    if reader == AUTO:
        reader = _told(declared.readers, paths)
    elif not is_offered(reader, declared.readers):
        raise WrongUse(
            f"There is no --reader {reader}; there are: {AUTO}, {', '.join(declared.readers)}."
        )
    return Chosen(declared, dataset, reader)


def _told(offered: Sequence[str], paths: Sequence[Path]) -> str:
    from evenhand.scorer.readers.recognise import reader_for

    found = reader_for(paths, offered)
    if found.reader != OURS:
        print(printable(f"reader: {found.reader} ({found.why})"), file=sys.stderr)
    return found.reader


@contextlib.contextmanager
def hinting(chosen: Chosen, paths: Sequence[Path]) -> Iterator[None]:
    """Add to a refusal which reader the files seem to need, where it is another one."""
    try:
        yield
    except DataRefused as refused:
        if (hint := _hint(chosen, paths)) and hint not in str(refused):
            raise DataRefused(f"{refused} {hint}") from refused
        raise


def _hint(chosen: Chosen, paths: Sequence[Path]) -> str:
    from evenhand.scorer.readers import is_offered
    from evenhand.scorer.readers.recognise import recognise

    try:
        found = recognise(paths[0])
    except DataRefused:
        return ""
    if found is None or found.reader in {OURS, chosen.reader.partition(":")[0]}:
        return ""
    if not is_offered(found.reader, chosen.benchmark.readers):
        return ""
    return f"It looks like {found.reader} ({found.why}): `--reader {found.reader}`."
