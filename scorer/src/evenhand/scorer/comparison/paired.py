"""Differences of two models on the same clusters, with interval, test and what could be seen."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evenhand.scorer import statistics
from evenhand.scorer.comparable import Comparable, Key
from evenhand.scorer.statistics import Bounds, Estimator, Sampling

Floats = NDArray[np.float64]

POWER = 0.8
"""With which the smallest detectable difference would be found."""

_ROUNDING = 1e-12


class Difference(NamedTuple):
    """One metric of two models; ``None`` where it cannot be had."""

    key: Key
    model_a: str
    model_b: str
    value_a: float | None
    value_b: float | None
    difference: float | None
    """B less A."""
    bounds: Bounds | None
    p_value: float | None
    """Two-sided, by swapping whole clusters between the models."""
    detectable: float | None
    """Smallest true difference that a test at this level finds with a power of 0.8."""
    n_clusters: int


def differences(
    models: Sequence[tuple[str, dict[Key, Comparable]]], keys: Sequence[Key], sampling: Sampling
) -> list[Difference]:
    """Compare every two models by every key that both have."""
    return [
        difference(key, (name_a, own_a[key]), (name_b, own_b[key]), sampling)
        for key in keys
        for (name_a, own_a), (name_b, own_b) in _pairs(models)
        if key in own_a and key in own_b
    ]


def _pairs(
    models: Sequence[tuple[str, dict[Key, Comparable]]],
) -> Iterator[tuple[tuple[str, dict[Key, Comparable]], tuple[str, dict[Key, Comparable]]]]:
    for place, first in enumerate(models):
        for second in models[place + 1 :]:
            yield first, second


def difference(
    key: Key, a: tuple[str, Comparable], b: tuple[str, Comparable], sampling: Sampling
) -> Difference:
    r"""Test whether a metric of model B differs from that of model A.

    Both are weighted by the same draw of clusters, so what makes a cluster hard for both cancels.

    .. math:: d = \theta_B - \theta_A,\qquad d^* = \theta_B(w) - \theta_A(w)

    The p-value is the share of patterns of swapped clusters whose difference is at least as large;
    all patterns are tried where they are few. With ``n`` clusters it cannot be below
    :math:`2 / 2^n`.
    """
    one, two = aligned(a[1], b[1])
    used = one.is_used | two.is_used
    estimator = _difference_of(one.estimator(used), two.estimator(used))
    n_clusters = int(used.sum())
    every = np.ones((1, n_clusters))
    value_a, value_b = (
        _number_or_none(side.estimator(used)(every)[0]) if n_clusters else None
        for side in (one, two)
    )
    if value_a is None or value_b is None:
        return Difference(key, a[0], b[0], value_a, value_b, None, None, None, None, n_clusters)
    low, high = one.limits
    strata = statistics.usable_strata(one.strata[used])
    bounds = statistics.interval(
        estimator,
        strata,
        sampling=sampling,
        limits=(low - high, high - low),
        width=2 * one.width,
    )
    error = statistics.jackknife_standard_error(estimator, strata, width=2 * one.width)
    return Difference(
        key=key,
        model_a=a[0],
        model_b=b[0],
        value_a=value_a,
        value_b=value_b,
        difference=value_b - value_a,
        bounds=None if bounds is None or np.isnan(bounds.low + bounds.high) else bounds,
        p_value=swap_p_value(one, two, sampling),
        detectable=detectable_difference(
            float(error), statistics.degrees_of_freedom(strata), sampling.level
        ),
        n_clusters=n_clusters,
    )


def aligned(a: Comparable, b: Comparable) -> tuple[Comparable, Comparable]:
    """Return both over the union of their clusters, in one order, zeros where one has none."""
    if a.clusters == b.clusters:
        return a, b
    strata = dict(zip((*a.clusters, *b.clusters), (*a.strata, *b.strata), strict=True))
    names = tuple(sorted(strata, key=lambda name: (strata[name], len(name), name)))
    return _spread(a, names, strata), _spread(b, names, strata)


def _spread(
    comparable: Comparable, names: tuple[str, ...], strata: dict[str, np.int64]
) -> Comparable:
    place = {name: at for at, name in enumerate(names)}
    at = np.array([place[name] for name in comparable.clusters], dtype=np.int64)
    sums = np.zeros((len(names), *comparable.sums.shape[1:]))
    is_used = np.zeros(len(names), dtype=np.bool_)
    sums[at], is_used[at] = comparable.sums, comparable.is_used
    return Comparable(
        key=comparable.key,
        limits=comparable.limits,
        best=comparable.best,
        clusters=names,
        strata=np.array([strata[name] for name in names], dtype=np.int64),
        sums=sums,
        is_used=is_used,
        value=comparable.value,
    )


def _difference_of(one: Estimator, two: Estimator) -> Estimator:
    return lambda weights: two(weights) - one(weights)


def swap_p_value(a: Comparable, b: Comparable, sampling: Sampling) -> float | None:
    """Return the two-sided p-value that the models could be exchanged cluster by cluster.

    Args:
        a: one model.
        b: the other, over the same clusters.
        sampling: seed and number of drawn patterns; all are used where they are fewer.

    Returns:
        The share of patterns with a difference at least as far from 0; drawn patterns count the
        observed one too. None with fewer than two clusters, or where a pattern is undefined.
    """
    used = a.is_used | b.is_used
    n = int(used.sum())
    if n < 2:
        return None
    order = np.argsort(np.concatenate([a.strata, b.strata]), kind="stable")
    sums = np.concatenate([a.sums, b.sums])[order]
    strata = np.concatenate([a.strata, b.strata])[order]

    def swapped(signs: Floats) -> Floats:
        is_kept = np.ones((len(signs), len(used)))
        is_kept[:, used] = signs > 0
        sides = [np.concatenate([is_kept, 1 - is_kept], axis=1)[:, order],
                 np.concatenate([1 - is_kept, is_kept], axis=1)[:, order]]  # fmt: skip
        first, second = (a.value(weights, sums, strata) for weights in sides)
        return np.asarray(second - first)

    patterns = statistics.sign_patterns(n, sampling)
    observed = abs(float(swapped(np.ones((1, n)))[0]))
    drawn = np.abs(statistics.weighted(swapped, patterns, width=4 * a.width))
    if np.isnan(observed) or np.isnan(drawn).any():
        return None
    n_reached = int((drawn >= observed - _ROUNDING).sum())
    is_exact = n < 63 and len(patterns) == 2**n
    return n_reached / len(drawn) if is_exact else (n_reached + 1) / (len(drawn) + 1)


def detectable_difference(error: float, freedom: int, level: float) -> float | None:
    r"""Return the smallest true difference that would be found with a power of 0.8.

    .. math:: \Delta = (t_{1 - \alpha / 2, f} + t_{0.8, f})\, SE

    Args:
        error: standard error of the paired difference.
        freedom: degrees of freedom f.
        level: 1 - alpha.

    >>> round(detectable_difference(0.1, 10**9, 0.95), 3)
    0.28
    """
    if np.isnan(error) or freedom < 1:
        return None
    quantiles = special.stdtrit(freedom, np.array([(1 + level) / 2, POWER]))
    return float(quantiles.sum() * error)


def benjamini_hochberg(p_values: Floats) -> Floats:
    """Correct a family of p-values for the share of false discoveries; NaN is no member.

    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03])).round(4).tolist()
    [0.03, 0.04, 0.04]
    """
    from scipy.stats import false_discovery_control

    adjusted = np.full(len(p_values), np.nan)
    known = ~np.isnan(p_values)
    if known.any():
        adjusted[known] = false_discovery_control(p_values[known], method="bh")
    return adjusted


def _number_or_none(value: np.float64) -> float | None:
    return None if np.isnan(value) else float(value)
