"""What is dealt evenly over the examples of a category: answer orders and UNKNOWN wordings.

What was dealt before does not depend on what is dealt later, so a question that is added behind the
others changes none of their rows.
"""

import hashlib
from collections.abc import Iterator, Sequence

import numpy as np

STEREOTYPED, OTHER, UNKNOWN = 0, 1, 2
"""The three roles of answers."""

Order = tuple[int, int, int]
"""The role at each of the three places."""

_SQUARES: tuple[tuple[Order, ...], ...] = (
    ((0, 1, 2), (1, 2, 0), (2, 0, 1)),
    ((0, 2, 1), (2, 1, 0), (1, 0, 2)),
)
"""All six orders as two Latin squares: in each, every role stands once at every place."""


def answer_orders(rng: np.random.Generator) -> Iterator[Order]:
    """Deal the six orders, one Latin square after the other, without end.

    So each role has stood at each place equally often after every third order, and never differs
    by more than one in between.
    """
    while True:
        for square in rng.permutation(len(_SQUARES)):
            for place in rng.permutation(3):
                yield _SQUARES[square][place]


def deal(wordings: Sequence[str], rng: np.random.Generator) -> Iterator[str]:
    """Deal all wordings in a new order each time, without end."""
    while True:
        for place in rng.permutation(len(wordings)):
            yield wordings[place]


def random_generator(seed: int, *names: str) -> np.random.Generator:
    """Return the random numbers of one purpose; other purposes do not move them."""
    digest = hashlib.sha256("/".join((str(seed), *names)).encode()).digest()
    return np.random.default_rng(int.from_bytes(digest))
