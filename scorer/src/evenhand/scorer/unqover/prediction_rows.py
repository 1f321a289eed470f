"""What a reader hands on: rows of scores, the header, the file's digest, and all faults."""

from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from evenhand.contract import DataRefused
from evenhand.contract.predictions import Header
from evenhand.contract.unqover import ITEM_COLUMNS, MASKED_ITEM_COLUMNS
from evenhand.scorer.faults import FIRST, Fault, FaultList, shown

SCORES = ("score_x1", "score_x2")
COLUMNS = ("id", *SCORES)
"""Columns of a predictions row; the contract's ``Prediction``."""

QUESTION_COLUMNS = tuple(
    name for name in dict.fromkeys((*ITEM_COLUMNS, *MASKED_ITEM_COLUMNS)) if name not in COLUMNS
)
"""Columns of the dataset that may stand beside the scores, as in a file that was filled in."""

IN_RANGE = "A score is a probability: a number from 0 to 1."
NUMBER = "A score must be a number: not text, true, false or null."
TEXT = "An id must be text that is not empty."
NO_MORE = f"A row has the columns {', '.join(COLUMNS)} and no others but the dataset's own."


@dataclass(frozen=True, slots=True)
class PredictionRows:
    """One predictions file as read."""

    rows: pl.DataFrame
    """``id``, ``score_x1``, ``score_x2``; NaN where a score was refused."""
    header: Header | None = None
    faults: list[Fault] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What a person has to know about how the file was read."""


def check_columns(path: Path, columns: list[str]) -> None:
    """Refuse a table that lacks a column or has one too many."""
    unknown = [name for name in columns if name not in {*COLUMNS, *QUESTION_COLUMNS}]
    missing = [name for name in COLUMNS if name not in columns]
    if missing:
        raise DataRefused(
            f"{path} lacks the column {', '.join(missing)} (it has {shown(', '.join(columns))});"
            f" a row has the columns {', '.join(COLUMNS)}."
        )
    if unknown:
        raise DataRefused(f"{path} has the unknown column {shown(', '.join(unknown))}. {NO_MORE}")


def checked(
    rows: pl.DataFrame, *, texts: pl.DataFrame | None = None, first_row: int = 1
) -> PredictionRows:
    """Find scores that are no number from 0 to 1, and ids that are none, and blank them.

    Args:
        rows: ``id`` and two Float64 scores, null where a value is no number.
        texts: the same scores as they stood in the file, to quote them; else the numbers.
        first_row: number of the first row for a reader of the file.
    """
    faults = FaultList()
    is_nameless = rows["id"].is_null() | (rows["id"].str.len_bytes() == 0)
    faults.add_many("rows without an id", TEXT, *_places(is_nameless, rows["id"], first_row))
    for name in SCORES:
        values = rows[name]
        quoted = values if texts is None else texts[name]
        is_bad = ~(values.is_between(0, 1).fill_null(value=False))
        is_missing, is_nan = values.is_null(), values.is_nan().fill_null(value=False)
        is_infinite = values.is_infinite().fill_null(value=False)
        is_outside = is_bad & ~is_missing & ~is_nan & ~is_infinite
        for kind, which, remedy in (
            (f"values of {name} that are no number", is_missing, NUMBER),
            (f"values of {name} that are NaN or infinite", is_nan | is_infinite, IN_RANGE),
            (f"values of {name} out of range", is_outside, IN_RANGE),
        ):
            faults.add_many(kind, remedy, *_places(which, quoted, first_row))
        if is_bad.any():
            rows = rows.with_columns(
                pl.when(pl.lit(is_bad)).then(float("nan")).otherwise(pl.col(name)).alias(name)
            )
    return PredictionRows(rows.filter(~is_nameless), faults=faults.listed())


def _places(which: pl.Series, values: pl.Series, first_row: int) -> tuple[list[str], int]:
    """Name the first few rows with what stands there, and count all."""
    rows = which.arg_true().head(FIRST).to_list()
    return [f"row {row + first_row}: {values[row]!r}" for row in rows], int(which.sum())
