"""Bootstrap and jackknife intervals of any estimator; what they rest on is in ``inference``.

Everything here sees a metric as an *estimator*: a function of cluster weights, shape [R, G], that
returns R values (each a number or an array). Weights of one give the estimate, weights with one 0
the jackknife, multinomial weights the bootstrap; so score, interval and test are one code.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evenhand.scorer.inference.clusters import (
    FEW_CLUSTERS,
    NO_VERDICT_CLUSTERS,
    Estimator,
    Floats,
    Integers,
    degrees_of_freedom,
    usable_strata,
)
from evenhand.scorer.inference.families import holm
from evenhand.scorer.inference.nulls import (
    NullMoments,
    random_pairing_moments,
    random_pairing_null,
    sign_flip_null,
)
from evenhand.scorer.inference.resampling import (
    BOOTSTRAPS,
    CHUNK_VALUES,
    DEFAULT_SAMPLING,
    Sampling,
    bootstrap_weights,
    check_sampling,
    sign_patterns,
    weighted,
)

__all__ = [
    "BOOTSTRAPS",
    "DEFAULT_SAMPLING",
    "FEW_CLUSTERS",
    "NO_VERDICT_CLUSTERS",
    "Bounds",
    "Estimator",
    "NullMoments",
    "Sampling",
    "bootstrap_weights",
    "check_sampling",
    "degrees_of_freedom",
    "holm",
    "interval",
    "jackknife_standard_error",
    "random_pairing_moments",
    "random_pairing_null",
    "sign_flip_null",
    "sign_patterns",
    "two_sided_p",
    "usable_strata",
    "weighted",
]

_ZERO_ERROR = 1e-13
"""A standard error below this is rounding: all clusters say the same."""
_ZERO_WIDTH = 1e-12
"""An interval narrower than this is rounding likewise."""


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
    rows = max(1, CHUNK_VALUES // max(width, len(strata)))
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
