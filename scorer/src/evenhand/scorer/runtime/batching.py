"""Cuts rows of different lengths into padded batches by a budget of tokens."""

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenhand.contract.errors import DataRefused

Ints = NDArray[np.int64]


def batches(lengths: Ints, *, budget: int) -> Iterator[Ints]:
    """Yield the row numbers of each batch, rows of like length together.

    A batch holds as many rows as fit in ``budget`` tokens when all are padded to the longest of
    them, and at least one. The cut depends on the lengths alone, so a second run is the same.

    >>> [list(map(int, rows)) for rows in batches(np.array([3, 9, 4, 3]), budget=9)]
    [[0, 3], [2], [1]]
    """
    order = np.argsort(lengths, kind="stable")
    start = 0
    while start < len(order):
        end = start + 1
        while end < len(order) and (end - start + 1) * lengths[order[end]] <= budget:
            end += 1
        yield order[start:end]
        start = end


def members(codes: Ints) -> tuple[Ints, list[Ints]]:
    """Return the distinct codes, and for each of them the rows that have it.

    >>> distinct, rows = members(np.array([7, 3, 7]))
    >>> distinct.tolist(), [r.tolist() for r in rows]
    ([3, 7], [[1], [0, 2]])
    """
    distinct, counts = np.unique(codes, return_counts=True)
    order = np.argsort(codes, kind="stable")
    return distinct, np.split(order, np.cumsum(counts)[:-1])


def padded(rows: list[Ints], *, fill: int) -> tuple[Ints, Ints]:
    """Return the rows as one array [batch, longest], and the mask of what is real.

    >>> ids, mask = padded([np.array([5, 6]), np.array([7])], fill=0)
    >>> ids.tolist(), mask.tolist()
    ([[5, 6], [7, 0]], [[1, 1], [1, 0]])
    """
    lengths = np.array([len(row) for row in rows])
    is_real = np.arange(lengths.max())[None, :] < lengths[:, None]
    ids = np.full(is_real.shape, fill, dtype=np.int64)
    ids[is_real] = np.concatenate(rows)
    return ids, is_real.astype(np.int64)


def refuse_long(ids: pl.Series, lengths: Ints, rows: Sequence[int], *, limit: int) -> None:
    """Refuse inputs that are longer than the model reads, naming the longest.

    ``rows`` holds for each input the number of a row that it stands for.
    """
    worst = int(lengths.argmax())
    if lengths[worst] > limit:
        raise DataRefused(
            f"Row {ids[int(rows[worst])]} is {lengths[worst]} tokens, but the model reads {limit};"
            " nothing is cut off in silence, so take a model that reads more."
        )
