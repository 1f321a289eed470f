"""Rows that ask for one of several options: the distinct pairs of a text and an option."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from evenhand.scorer.runtime.batching import Ints
from evenhand.scorer.runtime.scheduler import Rows, distinct


@dataclass(frozen=True, eq=False)
class Prompts:
    """One text and K options for each of N rows."""

    ids: pl.Series
    """Shape [N]."""
    texts: pl.Series
    """What stands before an option, or beside it; shape [N]."""
    options: pl.DataFrame
    """A column for each option; shape [N, K]."""


class Pairs(NamedTuple):
    """M distinct pairs of a text and an option."""

    texts: list[str]
    options: list[str]
    text_numbers: Ints
    """The text of each pair, shape [M], in ascending order."""
    option_numbers: Ints
    """The option of each pair, shape [M]."""
    rows: Rows
    """The pair of each row and option, shape [N, K]."""

    def option_rows(self) -> Rows:
        """Return the option alone of each row and option, shape [N, K]."""
        return Rows(self.rows.ids, self.option_numbers[self.rows.inputs])


def distinct_pairs(prompts: Prompts) -> Pairs:
    """Find the distinct pairs of the rows.

    >>> options = pl.DataFrame({"0": ["x", "y"], "1": ["y", "x"], "2": ["z", "z"]})
    >>> pairs = distinct_pairs(Prompts(pl.Series(["r0", "r1"]), pl.Series(["a", "a"]), options))
    >>> pairs.texts, pairs.options, pairs.rows.inputs.tolist()
    (['a'], ['x', 'y', 'z'], [[0, 1, 2], [1, 0, 2]])
    """
    n_options = prompts.options.width
    texts, text_numbers = distinct(prompts.texts)
    columns = [prompts.options[name].rename("option") for name in prompts.options.columns]
    options, option_numbers = distinct(pl.concat(columns))
    pairs, which = np.unique(
        np.tile(text_numbers, n_options) * len(options) + option_numbers, return_inverse=True
    )
    inputs = which.reshape(n_options, len(prompts.ids)).T
    return Pairs(
        texts, options, pairs // len(options), pairs % len(options), Rows(prompts.ids, inputs)
    )
