"""Texts with a gap, ``[Y]``, at which words are read."""

from typing import NamedTuple

import numpy as np
import polars as pl

from evenhand.contract.errors import DataRefused
from evenhand.scorer.runtime.batching import Ints
from evenhand.scorer.runtime.scheduler import Advance, Rows, distinct

GAP = "[Y]"


class Gaps(NamedTuple):
    """M distinct texts with a gap, of N rows."""

    texts: list[str]
    """Shape [M]."""
    rows: Rows
    """The text of each row, [N]."""


class Reading(NamedTuple):
    """How words are read."""

    chain: bool
    """Whether words of several tokens are read."""
    budget: int
    """Tokens of a batch, padding included."""
    advance: Advance
    """Called with the number of rows just finished."""


def distinct_gaps(ids: pl.Series, texts: pl.Series) -> Gaps:
    """Return the distinct texts of rows.

    Raises:
        DataRefused: a text has no gap, or several.
    """
    wrong = (texts.str.count_matches(GAP, literal=True) != 1).arg_true()
    if len(wrong):
        raise DataRefused(f"Row {ids[int(wrong[0])]}: its text must contain {GAP} exactly once.")
    names, numbers = distinct(texts)
    return Gaps(names, Rows(ids, numbers))


def space_before(text: str) -> str:
    """Return the white space between the text before a gap and the gap.

    >>> space_before("He said that [Y]"), space_before('"[Y]')
    (' ', '')
    """
    left = text.partition(GAP)[0]
    return left[len(left.rstrip()) :]


def select_rows(gaps: Gaps, is_wanted: list[bool]) -> tuple[Ints, Gaps]:
    """Return the rows whose text is wanted, and the gaps of these rows alone."""
    rows = np.flatnonzero(np.array(is_wanted)[gaps.rows.inputs])
    numbers, inputs = np.unique(gaps.rows.inputs[rows], return_inverse=True)
    return rows, Gaps([gaps.texts[i] for i in numbers], Rows(gaps.rows.ids.gather(rows), inputs))
