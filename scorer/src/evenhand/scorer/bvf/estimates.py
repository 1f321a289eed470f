"""All values of a topic in one array, estimated together, with intervals and p-values."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenhand.scorer import statistics
from evenhand.scorer.bvf.brackets import context_weights
from evenhand.scorer.bvf.regressions import Points
from evenhand.scorer.bvf.specs import Summary
from evenhand.scorer.bvf.sums import WEIGHT, Sums
from evenhand.scorer.inference.clusters import effective_number
from evenhand.scorer.statistics import Sampling

Floats = NDArray[np.float64]

_CHUNK_VALUES = 4_000_000


class Layout(NamedTuple):
    """Positions of a topic's values in the array."""

    n_subjects: int
    n_classes: int
    factors: tuple[str, ...]
    summaries: tuple[tuple[Summary, str], ...] = ()
    """Summaries of a risk over the subjects, each with the variable part of its id."""

    def overall(self, risk: int) -> int:
        """Return the index of R, R^b or R^v."""
        return risk

    def subjects(self, risk: int) -> slice:
        """Return the indices of r, r^b or r^v."""
        start = 3 + risk * self.n_subjects
        return slice(start, start + self.n_subjects)

    def direction(self, code: int) -> int:
        """Return the index of a class's mean stereotype over subjects."""
        return 3 + 3 * self.n_subjects + code

    def directions(self, code: int) -> slice:
        """Return the indices of a class's mean stereotype of each subject."""
        start = 3 + 3 * self.n_subjects + self.n_classes
        return slice(start + code, start + self.n_subjects * self.n_classes, self.n_classes)

    def summary(self, spec: Summary, variant: str) -> int:
        """Return the index of one of the summaries."""
        return self._start_of_summaries() + self.summaries.index((spec, variant))

    def _start_of_summaries(self) -> int:
        return 3 + (3 + self.n_classes) * self.n_subjects + self.n_classes

    def slope(self, factor: int, risk: int) -> int:
        """Return the index of a regression's coefficient."""
        return self._start_of_summaries() + len(self.summaries) + 3 * factor + risk


def layout_values(values: Floats, layout: Layout, points: Mapping[str, Points]) -> Floats:
    """Return all values of a topic, [R, K], in the order of its layout.

    Args:
        values: from :meth:`Sums.all_values`, [R, ...].
        layout: positions of the values.
        points: of the regressions.
    """
    risks = [values[:, layout.subjects(risk)] for risk in range(3)]
    summaries = [spec.value(risks[spec.parts[variant]]) for spec, variant in layout.summaries]
    slopes = [
        risk[:, points[name].subjects] @ points[name].slope_weights
        for name in layout.factors
        for risk in risks
    ]
    columns = [column[:, None] for column in (*summaries, *slopes)]
    return np.concatenate([values, *columns], axis=1)


class Estimates(NamedTuple):
    """Values of a topic with their uncertainty; shape [K] each."""

    value: Floats
    low: Floats
    high: Floats
    p_value: Floats
    bounds: statistics.Bounds | None
    n_clusters: int
    n_effective: float
    """Contexts of equal weight that would say as much."""


def estimate_values(
    sums: Sums, layout: Layout, points: Mapping[str, Points], sampling: Sampling
) -> Estimates:
    """Estimate all values, with intervals and tests over the contexts that have scored rows."""
    is_used = sums.values[..., WEIGHT].sum(axis=1) > 0
    used = Sums(sums.values[is_used], sums.subject_weights, sums.strength, sums.largest)

    def estimator(weights: Floats) -> Floats:
        return layout_values(used.all_values(weights), layout, points)

    n, n_effective = int(is_used.sum()), effective_number(context_weights(used))
    value = estimator(np.ones((1, n)))[0]
    unknown = np.full(len(value), np.nan)
    strata = np.zeros(n, dtype=np.int64)
    bounds = statistics.interval(
        estimator, strata, sampling=sampling, limits=(-np.inf, np.inf), width=used.width
    )
    if bounds is None:
        return Estimates(value, unknown, unknown, unknown, None, n, n_effective)
    error = jackknife_error(used, layout, points)
    p_value = statistics.two_sided_p(value, error, statistics.degrees_of_freedom(strata))
    return Estimates(value, bounds.low, bounds.high, p_value, bounds, n, n_effective)


def jackknife_error(sums: Sums, layout: Layout, points: Mapping[str, Points]) -> Floats:
    """Return the jackknife standard error of every value, leaving out one context at a time.

    It equals ``statistics.jackknife_standard_error`` for one stratum; because sums are additive,
    each context is subtracted from the total, which avoids a matrix of contexts by contexts.
    """
    n = len(sums.values)
    rows = max(1, _CHUNK_VALUES // sums.width)
    parts = [
        layout_values(sums.leave_one_out_values(slice(start, start + rows)), layout, points)
        for start in range(0, n, rows)
    ]
    left_out = np.concatenate(parts)
    return np.asarray(np.sqrt((n - 1) / n * ((left_out - left_out.mean(axis=0)) ** 2).sum(axis=0)))
