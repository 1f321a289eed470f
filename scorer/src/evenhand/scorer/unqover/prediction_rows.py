"""UnQover's rows of two scores, and the check of the scores."""

from collections.abc import Sequence

import polars as pl

from evenhand.contract.unqover import ITEM_COLUMNS, MASKED_ITEM_COLUMNS
from evenhand.scorer.faults import FaultList
from evenhand.scorer.readers.prediction_format import FileRows, quoted_places, rows_with_id

SCORES = ("score_x1", "score_x2")
COLUMNS = ("id", *SCORES)
"""Columns of a predictions row; the contract's ``Prediction``."""
SCHEMA = {"id": pl.String, "score_x1": pl.Float64, "score_x2": pl.Float64}

QUESTION_COLUMNS = tuple(
    name for name in dict.fromkeys((*ITEM_COLUMNS, *MASKED_ITEM_COLUMNS)) if name not in COLUMNS
)
"""Columns of the dataset that are allowed beside the scores, as in a filled-in blank file."""

IN_RANGE = "A score is a probability: a number from 0 to 1."
NUMBER = "A score must be a number: not text, true, false or null."


def check_scores(
    rows: pl.DataFrame,
    *,
    texts: pl.DataFrame | None = None,
    first_row: int = 1,
    notes: Sequence[str] = (),
) -> FileRows:
    """Report scores that are not numbers from 0 to 1, which become NaN, and invalid ids.

    Args:
        rows: ``id`` and two Float64 scores, null for a value that is not a number.
        texts: the scores as written in the file, for quoting; None to quote the numbers.
        first_row: number of the first row as shown to the user.
        notes: how the file was read.
    """
    faults = FaultList()
    for name in SCORES:
        values = rows[name]
        quoted = values if texts is None else texts[name]
        is_bad = ~(values.is_between(0, 1).fill_null(value=False))
        is_missing, is_nan = values.is_null(), values.is_nan().fill_null(value=False)
        is_infinite = values.is_infinite().fill_null(value=False)
        is_outside = is_bad & ~is_missing & ~is_nan & ~is_infinite
        for kind, which, remedy in (
            (f"values of {name} that are not numbers", is_missing, NUMBER),
            (f"values of {name} that are NaN or infinite", is_nan | is_infinite, IN_RANGE),
            (f"values of {name} out of range", is_outside, IN_RANGE),
        ):
            places = quoted_places(which, quoted, first_row)
            faults.add_many(kind, remedy, places, int(which.sum()))
        if is_bad.any():
            blanked = pl.when(pl.lit(is_bad)).then(float("nan")).otherwise(pl.col(name))
            rows = rows.with_columns(blanked.alias(name))
    rows = rows_with_id(rows, faults, first_row=first_row)
    return FileRows(rows, faults=faults.to_list(), notes=list(notes))
