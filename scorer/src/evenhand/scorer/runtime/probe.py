"""The random inputs on which an exported model is compared with torch."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

PROBE_LENGTHS = (4, 9, 23, 64)
"""Tokens of the inputs, as far as the model reads that many."""
PROBE_SEED = 0

Arrays = dict[str, NDArray[np.int64]]


class Vocabulary(NamedTuple):
    """What the probe needs of a vocabulary."""

    size: int
    pad: int | None
    cls: int | None
    sep: int | None


def probe_batch(lengths: list[int], names: list[str], vocabulary: Vocabulary) -> Arrays:
    """Draw random rows of the given lengths and pad them to the longest; seeded.

    Returns the inputs that are named, each int64 [batch, longest], ``mask_positions`` [batch].
    """
    random = np.random.default_rng(PROBE_SEED)
    shape = (len(lengths), max(lengths))
    pad = vocabulary.pad or 0
    ids = random.integers(0, vocabulary.size, shape)
    # Some families count positions from the pad token on, so it may not stand inside a text.
    ids[ids == pad] = (pad + 1) % vocabulary.size
    columns = np.arange(shape[1])[None, :]
    ends = np.array(lengths)[:, None]
    if vocabulary.cls is not None and vocabulary.sep is not None:
        ids[:, 0] = vocabulary.cls
        ids[columns == ends - 1] = vocabulary.sep
    is_real = columns < ends
    arrays = {
        "input_ids": np.where(is_real, ids, pad),
        "attention_mask": is_real.astype(np.int64),
        "token_type_ids": ((columns >= ends // 2) & is_real).astype(np.int64),
        "mask_positions": (np.array(lengths) // 2).astype(np.int64),
    }
    return {name: arrays[name] for name in names}
