"""Which benchmark, dataset and reader a command works with; ``auto`` says what it took and why."""

import contextlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from evenhand.contract import STEMS, DataRefused
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
    from evenhand.scorer.readers.registry import chosen_reader

    is_stem = name in STEMS and not (Path(name) / "evenhand.json").is_file()
    dataset = None if is_stem else open_dataset(name)
    declared = benchmark(name if dataset is None else dataset.manifest.stem)
    if reader == AUTO:
        reader = _detect_reader(declared, paths)
    else:
        chosen_reader(declared, reader)
    return Chosen(declared, dataset, reader)


def _detect_reader(declared: Benchmark, paths: Sequence[Path]) -> str:
    from evenhand.scorer.readers.recognise import reader_for

    recognised = reader_for(paths, declared)
    if recognised.reader != OURS:
        print(printable(f"reader: {recognised.reader} ({recognised.why})"), file=sys.stderr)
    return recognised.reader


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
    from evenhand.scorer.readers.recognise import recognise
    from evenhand.scorer.readers.registry import known_readers, offered_readers

    try:
        recognised = recognise(paths[0], known_readers(chosen.benchmark))
    except DataRefused:
        return ""
    if recognised is None or recognised.reader in {OURS, chosen.reader.partition(":")[0]}:
        return ""
    for reader in offered_readers(chosen.benchmark):
        if reader.name == recognised.reader:
            names = " or ".join(reader.spellings() if reader.choices else (reader.name,))
            return f"It looks like {reader.name} ({recognised.why}): `--reader {names}`."
    return ""
