"""Joining predictions to the items they answer, and each to one of the three answers."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenhand.scorer.bbq.answers import MISSING, TIE, Choice, Options, choice_of
from evenhand.scorer.bbq.predictions import SCHEMA
from evenhand.scorer.faults import FIRST, FaultList

Codes = NDArray[np.int8]

MISSING_IDS = "missing ids"
NONE = -1
ITEM_COLUMNS = ("id", "ans0", "ans1", "ans2", "answer_text", "unknown")
"""The columns of an item that say what its answers are called."""

_OWN = "own_"


@dataclass(frozen=True, slots=True)
class Choices:
    """The answer that was given to each item, in the items' order."""

    index: Codes
    """0, 1 or 2; :data:`NONE` where the row is unscored; shape [N]."""
    why: list[str | None]
    """Why a row is unscored; None where it is scored."""
    text: list[str | None]
    """What the model wrote, where it wrote."""


def choices_of(items: pl.DataFrame, predictions: pl.DataFrame, faults: FaultList) -> Choices:
    """Find the answer to each item.

    Args:
        items: the columns of :data:`ITEM_COLUMNS`, in any row order.
        predictions: the columns of ``predictions.SCHEMA``, in any row order.
        faults: takes duplicate, unknown and missing ids.
    """
    own = _once(predictions, faults).rename({n: _OWN + n for n in SCHEMA if n != "id"})
    items = items.select(ITEM_COLUMNS)
    unknown = own.join(items, on="id", how="anti", maintain_order="left")["id"]
    faults.add_many(
        "unknown ids",
        "They are not in the dataset; is it another category or version?",
        unknown.head(FIRST).to_list(),
        len(unknown),
    )
    has_own = pl.lit(value=True).alias("is_answered")
    joined = items.join(
        own.with_columns(has_own), on="id", how="left", maintain_order="left", coalesce=True
    )
    missing = joined.filter(pl.col("is_answered").is_null())["id"]
    faults.add_many(
        MISSING_IDS,
        "Answer them, or add --allow-missing to leave them out.",
        missing.head(FIRST).to_list(),
        len(missing),
    )
    found = [_choice(row) for row in joined.iter_rows(named=True)]
    index = [NONE if choice.index is None else choice.index for choice in found]
    return Choices(
        np.array(index, dtype=np.int8),
        [choice.why for choice in found],
        joined[f"{_OWN}answer"].to_list(),
    )


def _once(predictions: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    own = predictions.unique("id", keep="first", maintain_order=True)
    if len(own) != len(predictions):
        twice = predictions.filter(pl.col("id").is_duplicated())["id"].unique(maintain_order=True)
        faults.add_many(
            "duplicate ids",
            "Keep one row for each question.",
            twice.head(FIRST).to_list(),
            len(predictions) - len(own),
        )
    return own


def _choice(row: dict[str, Any]) -> Choice:
    """Return what one row answers, by whichever of the fields it has."""
    if not row["is_answered"]:
        return Choice(None, MISSING)
    if row[f"{_OWN}why_unscored"]:
        return Choice(None, row[f"{_OWN}why_unscored"])
    if row[f"{_OWN}label"] is not None:
        return Choice(row[f"{_OWN}label"])
    if row[f"{_OWN}answer"] is not None:
        answers = (row["ans0"], row["ans1"], row["ans2"])
        first, second, third = row["answer_text"]
        return choice_of(
            row[f"{_OWN}answer"], Options(answers, (first, second, third), row["unknown"])
        )
    return largest([row[f"{_OWN}score{place}"] for place in range(3)])


def largest(scores: list[float]) -> Choice:
    """Return the answer with the largest score; a tie for it is unscored.

    >>> largest([-1.0, -0.5, -3.0]), largest([0.4, 0.4, 0.2])
    (Choice(index=1, why=None), Choice(index=None, why='tied scores'))
    """
    best = max(scores)
    return Choice(scores.index(best)) if scores.count(best) == 1 else Choice(None, TIE)
