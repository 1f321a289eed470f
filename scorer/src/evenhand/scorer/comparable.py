"""One number of one model as a function of its clusters, read back from ``NAME.parts.parquet``."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenhand.contract.report import Report
from evenhand.scorer.benchmark import benchmark
from evenhand.scorer.inference.estimates import Bracket
from evenhand.scorer.statistics import Estimator

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]


class Key(NamedTuple):
    """Which number it is."""

    config: str
    metric: str
    dimension: str | None = None
    """``None`` for the metric itself, else what its groups are, e.g. ``category``."""
    group: str | None = None


class Errors(NamedTuple):
    """How much questions that the sample lacks may move a difference of bounded values."""

    wrong: Floats
    """Wrong answers of each cluster, or those that count in the value; shape [G]."""
    rows: Floats
    """Answers of each cluster; shape [G]."""
    n_shares: int
    """By how many shares of errors the value moves where all errors of a cluster are one way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparable:
    """One metric of one model, which can be estimated under any cluster weights."""

    key: Key
    limits: tuple[float, float]
    best: float | None
    clusters: tuple[str, ...]
    """Names of G clusters, in a fixed order."""
    strata: Integers
    """Code of each cluster's stratum, ascending; shape [G]."""
    sums: Floats
    """Sufficient statistics of each cluster; shape [G, ...]."""
    is_used: Flags
    """Which clusters the metric is defined on; shape [G]."""
    value: Callable[[Floats, Floats, Integers], Floats]
    """From weights [R, N], sums [N, ...] and strata [N] of any N clusters to values [R]."""
    weights: Floats
    """Share of each cluster in the value, in any unit; shape [G]."""
    bracket: Callable[[Floats, Integers, int], Bracket] | None = None
    """Of an index that is no mean: from sums [N, ...], strata [N] and seed to what encloses it."""
    errors: Errors | None = None
    """Of a bounded value."""
    guard: Key | None = None
    """What a model must not be significantly worse at where it is called better here."""
    null_95: float | None = None
    """95th percentile of its null distribution; None where it has none."""

    @property
    def width(self) -> int:
        """Numbers that one row of weights makes: sums of one cluster, and a weight a cluster."""
        return int(np.prod(self.sums.shape[1:])) * len(np.unique(self.strata)) + len(self.strata)

    def estimator(self, used: Flags) -> Estimator:
        """Return the metric as a function of the used clusters' weights, [R, U] to [R]."""

        def estimate(weights: Floats) -> Floats:
            whole = np.zeros((len(weights), len(used)))
            whole[:, used] = weights
            return self.value(whole, self.sums, self.strata)

        return estimate


class Comparing(Protocol):
    """``evenhand.scorer.<stem>.comparable``."""

    def comparables(self, parts: pl.DataFrame, report: Report) -> Sequence[Comparable]:
        """Return every number of a report that can be compared, groups included."""


def build_comparables(parts: pl.DataFrame, report: Report) -> dict[Key, Comparable]:
    """Return the comparable numbers of a metric file and its parts, by key."""
    comparing = cast("Comparing", benchmark(report.dataset.stem).part("comparable"))
    nulls = {
        Key(metric.config, metric.id): metric.null_reference.quantile_95
        for metric in report.metrics
        if metric.null_reference is not None
    }
    numbers = comparing.comparables(parts, report)
    return {number.key: replace(number, null_95=nulls.get(number.key)) for number in numbers}
