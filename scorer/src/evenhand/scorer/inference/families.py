"""Corrections for many tests: Holm, Benjamini and Hochberg, and step-down max-T by sign flips."""

import numpy as np

from evenhand.scorer.inference.clusters import Floats
from evenhand.scorer.inference.resampling import Sampling

_BLOCK_VALUES = 2_000_000
"""Numbers of one block of flipped statistics: 16 MB."""

_ROUNDING = 1e-9


def holm(p_values: Floats) -> Floats:
    """Correct a family of p-values by Holm's method; NaN stays NaN and is no member.

    >>> holm(np.array([0.01, 0.04, 0.03])).round(4).tolist()
    [0.03, 0.06, 0.06]
    """
    adjusted = np.full(len(p_values), np.nan)
    known = np.flatnonzero(~np.isnan(p_values))
    order = known[np.argsort(p_values[known], kind="stable")]
    factors = np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(p_values[order] * factors))
    return adjusted


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


def step_down_max_t(statistics: Floats, contributions: Floats, sampling: Sampling) -> Floats:
    r"""Correct a family of t statistics for their number, with their dependence.

    A cluster's contribution is its influence and an equal share of the value, so contributions add
    up to the value. Under no effect each could as well have the other sign, for all members of the
    family at once. Flips keep the sum of squares Q, so the flipped statistic is a function of the
    flipped sum S:

    .. math::
        t^{*2} = \frac{S^2}{(Q - S^2 / G)\, G / (G - 1)},\qquad
        p_{(j)} = \max_{i \le j} P\Big(\max_{l \ge i} |t^*_{(l)}| \ge |t_{(i)}|\Big)

    Args:
        statistics: value over standard error, shape [K]; NaN is no member and stays NaN.
        contributions: of each cluster to each member, NaN where it says nothing of it; shape
            [G, K].
        sampling: seed and number of patterns; all are tried where they are few.

    Returns:
        Corrected p-values, shape [K]: at least :func:`least_p_value`, whatever K is.

    Source:
        Westfall and Young's step-down method as in Romano and Wolf,
        https://studylib.net/doc/8263682/; for flips of contributions see ``docs/statistics.md``.

    >>> step_down_max_t(np.array([np.inf]), np.array([[1.0], [1.0], [1.0]]), Sampling()).tolist()
    [0.25]
    """
    adjusted = np.full(len(statistics), np.nan)
    known = np.flatnonzero(~np.isnan(statistics))
    if not len(known):
        return adjusted
    order = known[np.argsort(-np.abs(statistics[known]), kind="stable")]
    observed = np.abs(statistics[order])
    patterns = _patterns(len(contributions), sampling)
    reached = _n_reached(observed, contributions[:, order], patterns)
    # What was observed is one more pattern: that without a flip, which is not among these.
    adjusted[order] = np.maximum.accumulate((reached + 1) / (len(patterns) + 1))
    return adjusted


def _n_reached(observed: Floats, contributions: Floats, patterns: Floats) -> Floats:
    """Return in how many patterns the largest of a member and those below it is as large."""
    rows = max(1, _BLOCK_VALUES // max(1, len(observed)))
    reached = np.zeros(len(observed))
    for start in range(0, len(patterns), rows):
        flipped = _flipped_statistics(contributions, patterns[start : start + rows])
        largest = np.maximum.accumulate(flipped[:, ::-1], axis=1)[:, ::-1]
        reached += (largest >= observed * (1 - _ROUNDING)).sum(axis=0)
    return reached


def _flipped_statistics(contributions: Floats, patterns: Floats) -> Floats:
    n = np.maximum((~np.isnan(contributions)).sum(axis=0), 2)
    known = np.nan_to_num(contributions)
    squares = (known**2).sum(axis=0)
    scaled = (patterns @ (known / np.where(squares > 0, np.sqrt(squares), 1.0))) ** 2
    return np.asarray(np.sqrt(scaled / np.maximum((1 - scaled / n) * n / (n - 1), 1e-300)))


def _is_exact(n_clusters: int, sampling: Sampling) -> bool:
    return n_clusters < 63 and 2 ** (n_clusters - 1) <= sampling.resamples


def _patterns(n_clusters: int, sampling: Sampling) -> Floats:
    """Return signs [R, G]: all but that without a flip, or drawn ones.

    All reversed is the same |t|, so half of the patterns are all of them.
    """
    if _is_exact(n_clusters, sampling):
        bits = np.arange(1, 2 ** (n_clusters - 1))[:, None] >> np.arange(n_clusters) & 1
    else:
        generator = np.random.default_rng(sampling.seed)
        bits = generator.integers(0, 2, (sampling.resamples, n_clusters))
    return np.asarray(1.0 - 2.0 * bits, dtype=np.float64)


def least_p_value(n_clusters: int, sampling: Sampling) -> float:
    """Return the least p-value that :func:`step_down_max_t` can give.

    >>> least_p_value(5, Sampling()), least_p_value(6, Sampling())
    (0.0625, 0.03125)
    """
    if _is_exact(n_clusters, sampling):
        return float(2.0 ** (1 - n_clusters))
    return 1 / (sampling.resamples + 1)
