"""The distinct questions among rows: identical text and option are one input, and run once."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenhand.contract.errors import DataRefused
from evenhand.scorer.runtime.batching import Ints
from evenhand.scorer.runtime.prompts import Prompts
from evenhand.scorer.runtime.session import ExportedModel

Floats = NDArray[np.float64]


class Cases(NamedTuple):
    """M distinct pairs of a text and an option, of N rows with three options each."""

    texts: list[str]
    options: list[str]
    text_of: Ints
    """The text of each pair, shape [M]; it never falls."""
    option_of: Ints
    """The option of each pair, shape [M]."""
    rows: Ints
    """A row that asks each pair, shape [M]."""
    pair_of: Ints
    """The pair of each row and option, shape [N, 3]."""


def cases_of(prompts: Prompts) -> Cases:
    """Find what is asked.

    >>> texts, options = pl.Series(["a", "a"]), ["x", "y"]
    >>> three = pl.DataFrame({"option0": options, "option1": ["y", "x"], "option2": ["z", "z"]})
    >>> found = cases_of(Prompts(pl.Series(["r0", "r1"]), texts, three))
    >>> found.texts, found.options, found.pair_of.tolist()
    (['a'], ['x', 'y', 'z'], [[0, 1, 2], [1, 0, 2]])
    """
    n = len(prompts.texts)
    options = pl.concat(
        [prompts.options[name].rename("option") for name in prompts.options.columns]
    )
    text_of = np.tile(_codes(prompts.texts), 3)
    option_of = _codes(options)
    n_options = int(option_of.max()) + 1
    distinct, first, pair_of = np.unique(
        text_of * n_options + option_of, return_index=True, return_inverse=True
    )
    return Cases(
        texts=prompts.texts.unique().sort().to_list(),
        options=options.unique().sort().to_list(),
        text_of=distinct // n_options,
        option_of=distinct % n_options,
        rows=(first % n).astype(np.int64),
        pair_of=pair_of.reshape(3, n).T,
    )


def _codes(column: pl.Series) -> Ints:
    """Return the place of each text among the sorted distinct ones."""
    codes: Ints = column.rank("dense").to_numpy().astype(np.int64) - 1
    return codes


class Counter:
    """Says of how many rows the work is done, when it goes by pairs."""

    def __init__(self, n_pairs: int, n_rows: int, advance: Callable[[int], None]) -> None:
        self._total, self._rows, self._advance = n_pairs, n_rows, advance
        self._done = self._said = 0

    def done(self, n_pairs: int) -> None:
        """Count some pairs; rows are counted in proportion, and all are when all pairs are."""
        self._done += n_pairs
        rows = self._rows * self._done // self._total
        self._advance(rows - self._said)
        self._said = rows


def pad_of(model: ExportedModel) -> int:
    """Return the id that fills short rows.

    Raises:
        DataRefused: the tokenizer has none.
    """
    if model.card.pad is None:
        raise DataRefused(
            f"{model.folder}: the tokenizer has no pad token, which rows of different lengths need;"
            " give it one and export the model again."
        )
    return model.card.pad.id


def refuse_not_finite(
    values: NDArray[np.floating], ids: pl.Series, rows: Ints, model: ExportedModel
) -> None:
    """Refuse what is no number, naming the first row.

    Args:
        values: what the model gave, shape [n] or [n, ...].
        ids: of all rows.
        rows: the row that each value is of, shape [n].
        model: for its name.
    """
    is_broken = ~np.isfinite(values).reshape(len(values), -1).all(axis=1)
    if is_broken.any():
        row = ids[int(rows[int(is_broken.argmax())])]
        raise DataRefused(
            f"Row {row}: {model.card.name} in {model.card.precision} gives what is no number;"
            " export it in another precision, or take another model."
        )
