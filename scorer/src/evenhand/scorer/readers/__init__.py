"""Predictions files, ours and other people's, as rows of scores.

``evenhand`` reads our own files; every other reader has the name of the format it reads.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from evenhand.contract import DataRefused
from evenhand.scorer.readers.streams import kind_of
from evenhand.scorer.unqover import json_lines, score_tables
from evenhand.scorer.unqover.prediction_rows import PredictionRows

OURS, UNQOVER = "evenhand", "unqover"
READERS = (OURS, UNQOVER)

_BY_KIND: dict[str, Callable[[Path], PredictionRows]] = {
    ".jsonl": json_lines.read,
    ".ndjson": json_lines.read,
    ".csv": lambda path: score_tables.read_csv(path, ","),
    ".tsv": lambda path: score_tables.read_csv(path, "\t"),
    ".parquet": score_tables.read_parquet,
}


def read_predictions(path: Path) -> PredictionRows:
    """Read a predictions file of ours, by the suffix of its name.

    Raises:
        DataRefused: the file cannot be read at all; faults of rows are in the result.
    """
    kind = kind_of(path)
    if kind in _BY_KIND:
        return _BY_KIND[kind](path)
    hint = " The original's output.json needs `--reader unqover`." if kind == ".json" else ""
    raise DataRefused(
        f"{path}: the name must end in {', '.join(_BY_KIND)} (each also with .gz or .zst but for"
        f" .parquet).{hint}"
    )


def is_offered(reader: str, offered: Sequence[str]) -> bool:
    """Say whether a reader is one of those that a benchmark offers.

    >>> offered = ("evenhand", "lm-eval[:FILTER]")
    >>> [is_offered(name, offered) for name in ("lm-eval", "lm-eval:none", "evenhand:x")]
    [True, True, False]
    """
    for entry in offered:
        name, bracket, _ = entry.partition("[")
        if reader == name or (bracket and reader.startswith(f"{name}:") and reader[-1] != ":"):
            return True
    return False
