"""The answer to each item: which of the three it is, or why none was matched."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenhand.scorer.bbq.answers import MISSING, TIE, Choice, Options, match_choice
from evenhand.scorer.bbq.predictions import SCHEMA
from evenhand.scorer.faults import FaultList
from evenhand.scorer.matching import IS_ANSWERED, one_row_each

Codes = NDArray[np.int8]

NONE = -1
OPTION_COLUMNS = ("ans0", "ans1", "ans2", "answer_text", "unknown")
"""The columns of an item that name its answers."""


@dataclass(frozen=True, slots=True)
class Choices:
    """The answer that was given to each item, in the items' order."""

    index: Codes
    """0, 1 or 2; :data:`NONE` where the row is unscored; shape [N]."""
    why: list[str | None]
    """Why a row is unscored; None where it is scored."""
    text: list[str | None]
    """The text that the model wrote, None where there is none."""


def find_choices(items: pl.DataFrame, predictions: pl.DataFrame, faults: FaultList) -> Choices:
    """Find the answer to each item.

    Args:
        items: ``id`` and :data:`OPTION_COLUMNS`, in any row order.
        predictions: the columns of ``predictions.SCHEMA``, in any row order.
        faults: collects duplicate, unknown and missing ids.
    """
    answers = one_row_each(items["id"], predictions.select(list(SCHEMA)), faults)
    rows = pl.concat([items.select(OPTION_COLUMNS), answers], how="horizontal")
    choices = [_choice(row) for row in rows.iter_rows(named=True)]
    index = [NONE if choice.index is None else choice.index for choice in choices]
    return Choices(
        np.array(index, dtype=np.int8),
        [choice.why for choice in choices],
        answers["answer"].to_list(),
    )


def join_choices(choices: Iterable[Choices]) -> Choices:
    """Join the answers of several categories.

    >>> one = Choices(np.array([2], dtype=np.int8), [None], ["B"])
    >>> join_choices([one, one]).text
    ['B', 'B']
    """
    parts = list(choices)
    return Choices(
        np.concatenate([part.index for part in parts]),
        [why for part in parts for why in part.why],
        [text for part in parts for text in part.text],
    )


def _choice(row: dict[str, Any]) -> Choice:
    """Return the answer of one row, from the field that is filled."""
    if not row[IS_ANSWERED]:
        return Choice(None, MISSING)
    if row["why_unscored"]:
        return Choice(None, row["why_unscored"])
    if row["label"] is not None:
        return Choice(row["label"])
    if row["answer"] is not None:
        answers = (row["ans0"], row["ans1"], row["ans2"])
        first, second, third = row["answer_text"]
        return match_choice(row["answer"], Options(answers, (first, second, third), row["unknown"]))
    return best_scored([row[f"score{place}"] for place in range(3)])


def best_scored(scores: list[float]) -> Choice:
    """Return the answer with the largest score; a tie for it is unscored.

    >>> best_scored([-1.0, -0.5, -3.0]), best_scored([0.4, 0.4, 0.2])
    (Choice(index=1, why=None), Choice(index=None, why='tied scores'))
    """
    best = max(scores)
    return Choice(scores.index(best)) if scores.count(best) == 1 else Choice(None, TIE)
