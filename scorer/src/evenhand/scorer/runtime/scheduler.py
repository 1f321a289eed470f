"""The one way from rows to a model and back, which every task takes.

A task declares what it reads and no more:

- ``inputs``: what the model is run on, of one of three kinds, each of which knows how it is cut
  into batches: ``EncoderInputs``, ``PrefixInputs`` (causal LMs; what texts have in common is run
  once) and ``DecoderInputs`` (encoder-decoders; each prompt is encoded once).
- ``rows``: which input, or which inputs, each row is read off.
- ``read``: the value of each input, from what the model gave for a batch.
- ``pick``, where rows that share an input ask it for different things: a row's part of that value.

Everything else is done here. Inputs that are the same are run once, and inputs that no row asks
for are not run. Batches follow from the inputs alone: neither time nor chance nor the order of the
calls changes them, so the same rows give the same bits.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenhand.contract.errors import DataRefused
from evenhand.scorer.runtime.batching import Floats, Ints
from evenhand.scorer.runtime.session import ExportedModel

Advance = Callable[[int], None]
"""Is called with the number of rows that were just done."""


class Batch(NamedTuple):
    """The outputs of one run of the model."""

    inputs: Ints
    """Numbers of the inputs that it completes."""
    outputs: list[NDArray[Any]]
    """Arrays whose first axis goes by these inputs."""
    share: float
    """Share of all work that is done with it, 1 for the last one."""


class Inputs(Protocol):
    """M model inputs of one kind, numbered from 0."""

    @property
    def lengths(self) -> Ints:
        """Tokens of each, which the model's limit is compared with; int64 [M]."""

    def identities(self) -> Ints:
        """Return a number for each input, equal where two are the same; int64 [M]."""

    def run(self, model: ExportedModel, numbers: Ints, *, budget: int) -> Iterator[Batch]:
        """Run the inputs of these numbers, all distinct, in batches of ``budget`` tokens."""


class Rows(NamedTuple):
    """N rows, and the inputs that each is read off."""

    ids: pl.Series
    """Names of the rows, for the sentence of a refusal; shape [N]."""
    inputs: Ints
    """Numbers of inputs: [N], or [N, K] where a row is read off K of them, e.g. its options."""

    def name(self, place: int) -> str:
        """Return the id of the row that has a place among the inputs of all rows, laid flat."""
        return str(self.ids[place * len(self.ids) // self.inputs.size])


def distinct(texts: pl.Series) -> tuple[list[str], Ints]:
    """Return the distinct texts, sorted, and for each row the number of its text.

    >>> texts, numbers = distinct(pl.Series(["b", "a", "b"]))
    >>> texts, numbers.tolist()
    (['a', 'b'], [1, 0, 1])
    """
    numbers: Ints = texts.rank("dense").to_numpy().astype(np.int64) - 1
    return texts.unique().sort().to_list(), numbers


def number_distinct(keys: Iterable[Hashable]) -> Ints:
    """Number keys in the order in which they first occur.

    >>> number_distinct("abca").tolist()
    [0, 1, 2, 0]
    """
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)


def first_output(batch: Batch) -> Floats:
    """Return the model's first output as it is."""
    values: Floats = batch.outputs[0].astype(np.float64)
    return values


def answers(
    model: ExportedModel,
    inputs: Inputs,
    rows: Rows,
    *,
    read: Callable[[Batch], Floats] = first_output,
    pick: Callable[[Floats, Ints], Floats] | None = None,
    budget: int,
    advance: Advance,
) -> Floats:
    """Return the model's answer to each row, float64, in the rows' order.

    Args:
        model: the opened model.
        inputs: what it is run on.
        rows: which inputs answer which row.
        read: returns the value of each input of a batch, [batch, ...].
        pick: takes the values of some rows' inputs, and the numbers of these rows, and returns
            each row's part of its value; None where that is the whole.
        budget: tokens of a batch, padding included.
        advance: is called with the number of rows that were just done.

    Returns:
        [N, ...] or [N, K, ...]: a value for every entry of ``rows.inputs``.

    Raises:
        DataRefused: a row's input is longer than the model reads, or its value is NaN or infinite.
    """
    refuse_long(rows, inputs.lengths, model)
    asked = _Asked(rows, inputs.identities())
    progress = _Progress(len(rows.ids), advance)
    values: Floats | None = None
    for batch in inputs.run(model, asked.numbers, budget=budget):
        if len(batch.inputs):
            given = read(batch)
            counts, places = asked.places(batch.inputs)
            _refuse_not_finite(given, counts, places, rows, model)
            given = np.repeat(given, counts, axis=0)
            given = given if pick is None else pick(given, places)
            if values is None:
                values = np.empty((rows.inputs.size, *given.shape[1:]))
            values[places] = given
        progress.reach(batch.share)
    if values is None:
        return np.empty(rows.inputs.shape)
    return values.reshape(*rows.inputs.shape, *values.shape[1:])


class _Asked:
    """The inputs that rows ask for, each of them once, and the places that ask for each."""

    def __init__(self, rows: Rows, identities: Ints) -> None:
        _, first, which = np.unique(identities, return_index=True, return_inverse=True)
        numbers = first[which][rows.inputs.ravel()].astype(np.int64)
        self.numbers, self._counts = np.unique(numbers, return_counts=True)
        self._order = np.argsort(numbers, kind="stable")
        self._starts = np.cumsum(self._counts) - self._counts

    def places(self, inputs: Ints) -> tuple[Ints, Ints]:
        """Return how many places ask for each input, and these places, input by input."""
        known = np.searchsorted(self.numbers, inputs)
        counts = self._counts[known]
        shift = self._starts[known] - (np.cumsum(counts) - counts)
        return counts, self._order[np.repeat(shift, counts) + np.arange(counts.sum())]


class _Progress:
    """Turns progress of the work into finished rows."""

    def __init__(self, n_rows: int, advance: Advance) -> None:
        self._n_rows, self._advance, self._told = n_rows, advance, 0

    def reach(self, share: float) -> None:
        """Report rows in proportion to the work; all of them when it is done."""
        n_done = int(self._n_rows * share)
        self._advance(n_done - self._told)
        self._told = n_done


def share_progress(advance: Advance, n_passes: int) -> Advance:
    """Return the ``advance`` of each of several passes over the same rows; a row counts once.

    >>> told = []
    >>> advance = share_progress(told.append, 2)
    >>> for rows in (3, 3):
    ...     advance(rows)
    >>> told
    [1, 2]
    """
    counted = 0

    def advance_part(n_rows: int) -> None:
        nonlocal counted
        before, counted = counted, counted + n_rows
        advance(counted // n_passes - before // n_passes)

    return advance_part


def refuse_long(rows: Rows, lengths: Ints, model: ExportedModel) -> None:
    """Refuse rows that are longer than the model reads, naming the longest.

    Args:
        rows: which inputs answer which row.
        lengths: tokens of each input.
        model: whose limit counts.
    """
    asked = lengths[rows.inputs.ravel()]
    if len(asked) and asked.max() > model.card.max_length:
        raise DataRefused(
            f"Row {rows.name(int(asked.argmax()))} has {asked.max()} tokens, but the model reads"
            f" {model.card.max_length}; nothing is truncated, so use a model that reads more."
        )


def _refuse_not_finite(
    values: Floats, counts: Ints, places: Ints, rows: Rows, model: ExportedModel
) -> None:
    """Refuse NaN and infinity, naming the first row whose value is one."""
    is_broken = ~np.isfinite(values).reshape(len(values), -1).all(axis=1)
    if is_broken.any():
        place = places[int(counts[: int(is_broken.argmax())].sum())]
        raise DataRefused(
            f"Row {rows.name(int(place))}: {model.card.name} in {model.card.precision} yields NaN"
            " or infinity; export it in another precision, or use another model."
        )
