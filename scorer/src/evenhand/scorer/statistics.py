"""Intervals, p-values and null references over clusters, from additive sufficient statistics.

Everything here sees a metric as an *estimator*: a function of cluster weights, shape [R, G], that
returns R values (each a number or an array). Weights of one give the estimate, weights with one 0
the jackknife, multinomial weights the bootstrap; so score, interval and test are one code.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evenhand.contract import DataRefused

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Estimator = Callable[[Floats], Floats]

FEW_CLUSTERS = 30
"""Below this the percentile bootstrap covers too little (79 to 93 % instead of 95 %)."""

NO_VERDICT_CLUSTERS = 5
"""Up to here two of the 2^G sign patterns (all kept, all reversed) are over 5 % of them."""

_CHUNK_VALUES = 4_000_000
"""Numbers that one chunk of an estimator may make: 32 MB."""

_MANY_CLUSTERS = 2_000
"""Beyond these a draw for each cluster is slower than drawing clusters one by one."""

_ZERO_ERROR = 1e-13
"""A standard error below this is rounding: all clusters say the same."""
_ZERO_WIDTH = 1e-12
"""An interval narrower than this is rounding likewise."""


class Sampling(NamedTuple):
    """How resampling is done; it stands in every interval."""

    seed: int = 0
    resamples: int = 10_000
    level: float = 0.95
    bootstrap: str = "percentile"
    """``percentile`` or ``bca`` (bias-corrected and accelerated)."""


BOOTSTRAPS = ("percentile", "bca")
DEFAULT_SAMPLING = Sampling()


def check_sampling(sampling: Sampling) -> None:
    """Refuse settings that make no interval."""
    if not 0 < sampling.level < 1:
        raise DataRefused(f"level is {sampling.level}; it must lie between 0 and 1, e.g. 0.95.")
    if sampling.resamples < 1:
        raise DataRefused(f"resamples is {sampling.resamples}; it must be at least 1.")
    if sampling.seed < 0:
        raise DataRefused(f"seed is {sampling.seed}; it must not be negative.")
    if sampling.bootstrap not in BOOTSTRAPS:
        raise DataRefused(
            f"bootstrap is {sampling.bootstrap}; it must be one of {', '.join(BOOTSTRAPS)}."
        )


class Bounds(NamedTuple):
    """An interval for each of the estimator's values, NaN where there is none."""

    low: Floats
    high: Floats
    method: str
    n_resamples: int
    few_clusters: bool
    is_flat: NDArray[np.bool_]
    """Where it would have no width, and so there is none."""
    all_agree: NDArray[np.bool_]
    """Where it has none because no draw of clusters moves the value."""


class NullMoments(NamedTuple):
    """Where an index would lie if nothing were there."""

    mean: float
    quantile_95: float
    n_draws: int


def weighted(estimator: Estimator, weights: Floats, *, width: int) -> Floats:
    """Apply an estimator in chunks of rows, so that memory does not grow with their number.

    Args:
        estimator: function of weights [R, G].
        weights: shape [R, G].
        width: numbers that the estimator holds for one row of weights.
    """
    rows = max(1, _CHUNK_VALUES // max(1, width))
    parts = [estimator(weights[i : i + rows]) for i in range(0, len(weights), rows)]
    return np.concatenate(parts)


def usable_strata(strata: Integers) -> Integers:
    """Return the strata, or one stratum for all where one of them has a single cluster.

    A stratum of one cluster cannot say how much clusters differ; left alone it would count as
    perfectly sure.

    >>> usable_strata(np.array([0, 0, 1])).tolist()
    [0, 0, 0]
    """
    _, sizes = np.unique(strata, return_counts=True)
    return np.zeros_like(strata) if (sizes < 2).any() else strata


def jackknife_standard_error(estimator: Estimator, strata: Integers, *, width: int) -> Floats:
    r"""Return the standard error by leaving out one cluster at a time, within strata.

    .. math:: SE^2 = \sum_h \frac{G_h - 1}{G_h} \sum_{i \in h} (\theta_{(hi)} - \bar\theta_{(h)})^2

    Args:
        estimator: function of weights [R, G].
        strata: code of each cluster's stratum, shape [G].
        width: see :func:`weighted`.

    Returns:
        The standard error of each value; NaN with fewer than two clusters.

    >>> values = np.array([1.0, 2.0, 3.0])
    >>> mean = lambda w: (w @ values) / w.sum(axis=1)
    >>> round(float(jackknife_standard_error(mean, np.zeros(3, int), width=3)), 4)
    0.5774
    """
    strata = usable_strata(strata)
    n_clusters = len(strata)
    left_out = weighted(estimator, 1.0 - np.eye(n_clusters), width=width)
    if n_clusters < 2:
        return np.full(left_out.shape[1:], np.nan)[()]
    variance = np.zeros(left_out.shape[1:])
    for stratum in np.unique(strata):
        values = left_out[strata == stratum]
        share = (len(values) - 1) / len(values)
        variance += share * ((values - values.mean(axis=0)) ** 2).sum(axis=0)
    return np.sqrt(variance)


def degrees_of_freedom(strata: Integers) -> int:
    """Return clusters less strata, after :func:`usable_strata`.

    >>> degrees_of_freedom(np.array([0, 0, 0, 1, 1]))
    3
    """
    return len(strata) - len(np.unique(usable_strata(strata)))


def interval(
    estimator: Estimator,
    strata: Integers,
    *,
    sampling: Sampling,
    limits: tuple[float, float],
    width: int,
) -> Bounds | None:
    """Return a confidence interval over clusters, or None where fewer than two are there.

    Under :data:`FEW_CLUSTERS` clusters it is studentised (estimate +- t * jackknife standard
    error), from there on the bootstrap within strata that ``sampling`` asks for; all are cut at
    ``limits``, the metric's range.
    """
    n_clusters = len(strata)
    if n_clusters < 2:
        return None
    few = n_clusters < FEW_CLUSTERS
    is_moved: Floats | bool = False
    if few:
        estimate = estimator(np.ones((1, n_clusters)))[0]
        # The jackknife has no error either where leaving out any one moves an index alike.
        left_out = weighted(estimator, 1.0 - np.eye(n_clusters), width=width)
        is_moved = np.abs(left_out - estimate).max(axis=0) > _ZERO_WIDTH
        error = jackknife_standard_error(estimator, strata, width=width)
        half = special.stdtrit(degrees_of_freedom(strata), (1 + sampling.level) / 2) * error
        low, high = estimate - half, estimate + half
    else:
        drawn = _bootstrap(estimator, strata, sampling, width)
        tails = np.array([(1 - sampling.level) / 2, (1 + sampling.level) / 2])
        if sampling.bootstrap == "bca":
            low, high = _bca(estimator, strata, drawn, tails, width)
        else:
            low, high = np.quantile(drawn, tails, axis=0)
    is_flat = np.asarray(high - low < _ZERO_WIDTH)
    return Bounds(
        low=np.where(is_flat, np.nan, np.clip(low, *limits)),
        high=np.where(is_flat, np.nan, np.clip(high, *limits)),
        method="studentised_jackknife" if few else f"{sampling.bootstrap}_bootstrap",
        n_resamples=0 if few else sampling.resamples,
        few_clusters=few,
        is_flat=is_flat,
        all_agree=is_flat & ~np.asarray(is_moved),
    )


def _bootstrap(estimator: Estimator, strata: Integers, sampling: Sampling, width: int) -> Floats:
    rows = max(1, _CHUNK_VALUES // max(width, len(strata)))
    parts = [estimator(chunk) for chunk in bootstrap_weights(strata, sampling, rows=rows)]
    return np.concatenate(parts)


def _bca(
    estimator: Estimator, strata: Integers, drawn: Floats, tails: Floats, width: int
) -> tuple[Floats, Floats]:
    r"""Return the bias-corrected and accelerated bounds of each value.

    .. math::
        z_0 = \Phi^{-1}(P(\theta^* < \hat\theta)),\quad
        a = \frac{\sum_i L_i^3}{6 (\sum_i L_i^2)^{3/2}},\quad
        \alpha' = \Phi\left(z_0 + \frac{z_0 + z_\alpha}{1 - a (z_0 + z_\alpha)}\right)

    with :math:`L_i` the jackknife's influence of a cluster within its stratum; a resample equal to
    the estimate counts half. Where all resamples agree the bounds are the estimate.

    Source: Efron 1987, "Better Bootstrap Confidence Intervals".
    """
    shape = drawn.shape[1:]
    estimate = np.reshape(estimator(np.ones((1, len(strata))))[0], -1)
    flat = drawn.reshape(len(drawn), -1)
    below = (flat < estimate).mean(axis=0) + (flat == estimate).mean(axis=0) / 2
    # A share of 0 or 1 would be an infinite correction: half a resample is the least that is seen.
    z0 = special.ndtri(np.clip(below, 0.5 / len(flat), 1 - 0.5 / len(flat)))
    acceleration = _acceleration(estimator, strata, width).reshape(-1)
    shifted = z0 + special.ndtri(tails)[:, None]
    shares = special.ndtr(z0 + shifted / (1 - acceleration * shifted))
    bounds = np.stack(
        [np.quantile(flat[:, i], shares[:, i]) if not np.isnan(estimate[i]) else (np.nan, np.nan)
         for i in range(flat.shape[1])], axis=1
    )  # fmt: skip
    return bounds[0].reshape(shape), bounds[1].reshape(shape)


def _acceleration(estimator: Estimator, strata: Integers, width: int) -> Floats:
    """Return the skewness of the clusters' influence, a sixth of it; 0 where there is none."""
    strata = usable_strata(strata)
    left_out = weighted(estimator, 1.0 - np.eye(len(strata)), width=width)
    influence = np.zeros_like(left_out)
    for stratum in np.unique(strata):
        values = left_out[strata == stratum]
        influence[strata == stratum] = (values.mean(axis=0) - values) * (1 - 1 / len(values))
    scale = (influence**2).sum(axis=0) ** 1.5
    skew = np.zeros_like(scale)
    np.divide((influence**3).sum(axis=0), 6 * scale, out=skew, where=scale > _ZERO_ERROR**3)
    return np.asarray(skew)


def bootstrap_weights(strata: Integers, sampling: Sampling, *, rows: int) -> Iterator[Floats]:
    """Yield how often each cluster is drawn, in chunks of at most ``rows`` resamples.

    Clusters are drawn with replacement within their stratum, so every stratum keeps its number.
    """
    generator = np.random.default_rng(sampling.seed)
    members = [np.flatnonzero(strata == stratum) for stratum in np.unique(strata)]
    for start in range(0, sampling.resamples, rows):
        n_rows = min(rows, sampling.resamples - start)
        weights = np.zeros((n_rows, len(strata)))
        for places in members:
            weights[:, places] = _draws(generator, len(places), n_rows)
        yield weights


def _draws(generator: np.random.Generator, n: int, n_rows: int) -> Integers:
    """Return how often each of n clusters is drawn in n draws, shape [n_rows, n]."""
    if n <= _MANY_CLUSTERS:
        return generator.multinomial(n, [1 / n] * n, n_rows)
    drawn = generator.integers(0, n, (n_rows, n)) + np.arange(n_rows)[:, None] * n
    return np.bincount(drawn.ravel(), minlength=n_rows * n).reshape(n_rows, n)


def two_sided_p(estimate: Floats, error: Floats, freedom: int) -> Floats:
    """Return the p-value of a t statistic that the value is 0; NaN where it cannot be had.

    Where all clusters say the same there is no error to divide by: 1 for an estimate of 0, else
    NaN.

    >>> two_sided_p(np.array([0.0, 2.0]), np.array([1.0, 1.0]), 3).round(4).tolist()
    [1.0, 0.1393]
    """
    estimate, error = np.asarray(estimate), np.asarray(error)
    is_rounding = error < _ZERO_ERROR
    statistic = np.abs(estimate) / np.where(is_rounding, 1.0, error)
    p_value = np.minimum(1.0, 2 * special.stdtr(max(freedom, 1), -statistic))
    p_value = np.where(is_rounding & (np.abs(estimate) >= _ZERO_ERROR), np.nan, p_value)
    return np.where(np.isnan(error) | (freedom < 1), np.nan, p_value)


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


def sign_patterns(n_clusters: int, sampling: Sampling) -> Floats:
    """Return patterns of +1 and -1, shape [R, G]: all of them where they are few, else drawn.

    >>> sign_patterns(2, Sampling()).tolist()
    [[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]]
    """
    if n_clusters < 63 and 2**n_clusters <= sampling.resamples:
        bits = np.arange(2**n_clusters)[:, None] >> np.arange(n_clusters) & 1
    else:
        generator = np.random.default_rng(sampling.seed)
        bits = generator.integers(0, 2, (sampling.resamples, n_clusters))
    return np.asarray(1.0 - 2.0 * bits, dtype=np.float64)


def sign_flip_null(
    estimator: Estimator, n_clusters: int, *, sampling: Sampling, width: int
) -> NullMoments | None:
    """Return where an index would lie if each cluster's preferences could as well be reversed.

    Args:
        estimator: function of signs [R, G] to R values of the index.
        n_clusters: number of clusters; fewer than two give None, for one alone has no other to
            disagree with.
        sampling: seed and number of draws.
        width: see :func:`weighted`.
    """
    if n_clusters < 2:
        return None
    values = weighted(estimator, sign_patterns(n_clusters, sampling), width=width)
    return NullMoments(float(values.mean()), float(np.quantile(values, 0.95)), len(values))


def random_pairing_moments(values: Floats) -> tuple[float, float]:
    r"""Return mean and variance of the sum of |u - v| over a random perfect matching of values.

    .. math::
        E[W] = \frac{S_1}{N-1},\qquad
        Var[W] = \frac{(N-2) S_2 - \sum_i e_i^2}{(N-1)(N-3)} - \frac{2(N-2) S_1^2}{N(N-1)^2(N-3)}

    with :math:`S_1, S_2` the sums of :math:`|v_i-v_j|` and its square over all pairs, and
    :math:`e_i` the row sum :math:`\sum_j |v_i - v_j|` less its mean. It follows from a pair's
    probability 1/(N-1) and that of two disjoint pairs, 1/((N-1)(N-3)); written with :math:`e_i`
    so that nothing large cancels. Sorting and prefix sums make it O(N log N).

    Args:
        values: an even number of values, shape [N].

    >>> random_pairing_moments(np.array([0.0, 0.0, 1.0, 1.0]))
    (1.3333333333333333, 0.8888888888888888)
    """
    n = len(values)
    if n < 4:
        return (float(np.abs(np.diff(values)).sum()), 0.0)
    v = np.sort(values - values.mean())
    below = np.concatenate([[0.0], np.cumsum(v)[:-1]])
    rank = np.arange(n)
    # sum_j |v_i - v_j| of sorted values: i values lie below and n - 1 - i above.
    rows = (2 * rank - n) * v - 2 * below + v.sum()
    mean_row = rows.mean()
    s1 = n * mean_row / 2
    s2 = n * (v @ v) - v.sum() ** 2
    e2 = ((rows - mean_row) ** 2).sum()
    variance = ((n - 2) * s2 - e2) / ((n - 1) * (n - 3))
    variance -= 2 * (n - 2) * s1**2 / (n * (n - 1) ** 2 * (n - 3))
    return float(s1 / (n - 1)), max(0.0, float(variance))


def random_pairing_null(pools: Iterator[Floats]) -> NullMoments | None:
    """Return where a mean difference would lie if partners within a pool were exchangeable.

    Args:
        pools: one array of an even number of values for each stratum.
    """
    total, variance, n_pairs = 0.0, 0.0, 0
    # Sorting millions of scores holds no lock of the interpreter's; the order of sums is kept.
    with ThreadPoolExecutor(2) as workers:
        for n, mean, spread in workers.map(_sized_moments, pools):
            total, variance, n_pairs = total + mean, variance + spread, n_pairs + n // 2
    if n_pairs == 0:
        return None
    mean = total / n_pairs
    upper = mean + float(special.ndtri(0.95)) * variance**0.5 / n_pairs
    return NullMoments(mean, upper, 0)


def _sized_moments(pool: Floats) -> tuple[int, float, float]:
    return len(pool), *random_pairing_moments(pool)
