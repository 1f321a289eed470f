"""What a simulated design is, and how often intervals hold the truth and tests reject."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np

LEVEL, ALPHA = 0.95, 0.05


class Drawn(NamedTuple):
    """One metric of one data set."""

    value: float
    low: float
    high: float


class Design(NamedTuple):
    """A population with a known truth."""

    effect: str
    """``none``, ``weak`` or ``strong``."""
    truth: Mapping[str, float]
    """Metric -> its value in the population."""
    draw: Callable[[np.random.Generator, int], Mapping[str, Drawn | None]]
    """From random numbers and a number of clusters to the metrics; None where there is no
    interval."""


class Test(NamedTuple):
    """Something that should be rejected as often as alpha, or as often as possible."""

    __test__ = False  # pytest takes it for a class of tests

    name: str
    is_null: bool
    """Whether nothing is there to be rejected."""
    rejects: Callable[[np.random.Generator, int], bool]


class Coverage(NamedTuple):
    """How the intervals of one metric did."""

    share: float
    """Of intervals that hold the truth."""
    width: float
    """Mean width."""
    without: float
    """Share of data sets that had no interval."""
    outside: int
    """How many intervals did not hold the value beside them."""


def coverage(design: Design, n_clusters: int, n: int, seed: int = 0) -> dict[str, Coverage]:
    """Draw n data sets and return how the intervals of each metric did."""
    generator = np.random.default_rng([seed, n_clusters])
    drawn = [design.draw(generator, n_clusters) for _ in range(n)]
    return {
        metric: _coverage([data[metric] for data in drawn], truth)
        for metric, truth in design.truth.items()
    }


def _coverage(drawn: list[Drawn | None], truth: float) -> Coverage:
    known = [one for one in drawn if one is not None]
    if not known:
        return Coverage(np.nan, np.nan, 1.0, 0)
    value, low, high = np.array(known).T
    tiny = 1e-9
    return Coverage(
        share=float(((low - tiny <= truth) & (truth <= high + tiny)).mean()),
        width=float((high - low).mean()),
        without=1 - len(known) / len(drawn),
        outside=int(((value < low - tiny) | (value > high + tiny)).sum()),
    )


def rejections(test: Test, n_clusters: int, n: int, seed: int = 0) -> float:
    """Return in which share of n data sets the test rejects."""
    generator = np.random.default_rng([seed, n_clusters])
    return float(np.mean([test.rejects(generator, n_clusters) for _ in range(n)]))


def worker(job: tuple[str, object, int, int]) -> tuple[str, object]:
    """Run one cell of a table, in a process of its own."""
    name, subject, n_clusters, n = job
    run = partial(coverage if isinstance(subject, Design) else rejections, subject)
    return name, run(n_clusters, n)  # type: ignore[operator]
