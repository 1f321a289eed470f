"""Cuts inputs of different lengths into padded batches by a budget of tokens."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def batches(lengths: Ints, *, budget: int) -> Iterator[Ints]:
    """Yield the numbers of the inputs of each batch; inputs of similar length share a batch.

    A batch holds as many inputs as fit in ``budget`` tokens when all are padded to the longest of
    them, and at least one. The cut depends on the lengths alone, so a second run is the same.

    >>> [list(map(int, numbers)) for numbers in batches(np.array([3, 9, 4, 3]), budget=9)]
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


def pad_sequences(sequences: list[Ints], *, fill: int) -> tuple[Ints, Ints]:
    """Return the sequences as one array [batch, longest], and the mask of real tokens.

    >>> ids, mask = pad_sequences([np.array([5, 6]), np.array([7])], fill=0)
    >>> ids.tolist(), mask.tolist()
    ([[5, 6], [7, 0]], [[1, 1], [1, 0]])
    """
    lengths = np.array([len(sequence) for sequence in sequences])
    is_real = np.arange(lengths.max())[None, :] < lengths[:, None]
    ids = np.full(is_real.shape, fill, dtype=np.int64)
    ids[is_real] = np.concatenate(sequences)
    return ids, is_real.astype(np.int64)
