"""Counts of many units merged into one order, through files, so that memory does not grow.

All streams are in the order of the alphabet until the last step sorts them by count.
"""

import heapq
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby, islice
from operator import attrgetter
from pathlib import Path
from typing import TypeVar

import msgspec

from evenhand.generator.bvf.contexts import Context

FILES_AT_ONCE = 64
"""Files that are open at the same time."""

RUN_CONTEXTS = 50_000
"""Contexts that are sorted in memory at once."""

_Item = TypeVar("_Item")
_ALPHABET = attrgetter("context")


def by_count(context: Context) -> tuple[int, str]:
    """Return the key of a contexts file: falling count, then the alphabet."""
    return -context.count, context.context


def merge(streams: list[Callable[[], Iterable[Context]]], folder: Path) -> Iterator[Context]:
    """Yield each context of many sorted streams once, with its counts added up.

    Args:
        streams: open a stream each, in the order of the corpus: the first example stays.
        folder: where files in between are written; the caller takes it away.
    """
    level = 0
    while len(streams) > FILES_AT_ONCE:
        groups = list(_groups(streams, FILES_AT_ONCE))
        streams = [
            _read_file(_added_up(group), folder / f"merged-{level}-{number:06d}.jsonl")
            for number, group in enumerate(groups)
        ]
        level += 1
    return _added_up(streams)


def sorted_by_count(contexts: Iterable[Context], folder: Path) -> Iterator[Context]:
    """Yield contexts by falling count, then in the order of the alphabet."""
    runs: list[Callable[[], Iterable[Context]]] = []
    for number, run in enumerate(_groups(contexts, RUN_CONTEXTS)):
        runs.append(_read_file(sorted(run, key=by_count), folder / f"run-{number:06d}.jsonl"))
    level = 0
    while len(runs) > FILES_AT_ONCE:
        groups = list(_groups(runs, FILES_AT_ONCE))
        runs = [
            _read_file(_in_order(group), folder / f"runs-{level}-{number:06d}.jsonl")
            for number, group in enumerate(groups)
        ]
        level += 1
    return _in_order(runs)


def spill(contexts: Iterable[Context], path: Path) -> int:
    """Write contexts to a file in between, one a line, and return how many."""
    encoder = msgspec.json.Encoder()
    n_contexts = 0
    with path.open("wb") as stream:
        for context in contexts:
            stream.write(encoder.encode(context) + b"\n")
            n_contexts += 1
    return n_contexts


def read_spilled(path: Path) -> Iterator[Context]:
    """Read a file that :func:`spill` wrote."""
    decoder = msgspec.json.Decoder(Context)
    with path.open("rb") as stream:
        for line in stream:
            yield decoder.decode(line)


def _read_file(contexts: Iterable[Context], path: Path) -> Callable[[], Iterable[Context]]:
    spill(contexts, path)
    return lambda: read_spilled(path)


def _added_up(streams: Iterable[Callable[[], Iterable[Context]]]) -> Iterator[Context]:
    # heapq.merge is stable: of equal contexts that of the earliest stream comes first.
    opened: list[Iterable[Context]] = [stream() for stream in streams]
    for _, group in groupby(heapq.merge(*opened, key=_ALPHABET), key=_ALPHABET):
        first, *others = group
        count = first.count + sum(context.count for context in others)
        yield msgspec.structs.replace(first, count=count)


def _in_order(runs: Iterable[Callable[[], Iterable[Context]]]) -> Iterator[Context]:
    opened: list[Iterable[Context]] = [run() for run in runs]
    return heapq.merge(*opened, key=by_count)


def _groups(items: Iterable[_Item], size: int) -> Iterator[list[_Item]]:
    iterator = iter(items)
    while group := list(islice(iterator, size)):
        yield group
