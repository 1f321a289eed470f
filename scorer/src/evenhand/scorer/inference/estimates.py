"""Values with the influence of each cluster on them: intervals and tests that cannot disagree.

The influence is how far a cluster moves a value. Influences add and subtract as the values do, so
the standard error of a difference of two models on the same clusters is that of the paired
difference, with nothing to be said about it.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import special

from evenhand.scorer.inference.clusters import Estimator, Floats, Integers, usable_strata
from evenhand.scorer.inference.resampling import weighted

ZERO_ERROR = 1e-13
"""A standard error below this is rounding: all clusters say the same."""


@dataclass(frozen=True, slots=True)
class Estimate:
    r"""K values over G clusters, with the influence of each cluster.

    .. math::
        SE^2 = \frac{1}{P} \sum_p \sum_h \frac{G_h}{G_h - 1}
            \sum_{i \in h} (\psi_{pi} - \bar\psi_{ph})^2

    Squares are averaged over the P splits of a cross-fitted value, not the influences: where there
    is no effect these point anywhere, and their mean vanishes while the error does not.
    """

    value: Floats
    """Shape [K]."""
    influence: Floats
    r"""The :math:`\psi`, shape [P, G, K]; P is 1 where nothing is split."""
    strata: Integers
    """Code of each cluster's stratum; shape [G]."""

    def __add__(self, other: "Estimate") -> "Estimate":
        """Return the sum, over the same clusters."""
        return Estimate(self.value + other.value, self.influence + other.influence, self.strata)

    def __sub__(self, other: "Estimate") -> "Estimate":
        """Return the paired difference, over the same clusters."""
        return Estimate(self.value - other.value, self.influence - other.influence, self.strata)

    def __mul__(self, scale: float) -> "Estimate":
        """Return the values in another unit."""
        return Estimate(self.value * scale, self.influence * scale, self.strata)

    @property
    def standard_error(self) -> Floats:
        """Standard errors, shape [K]; NaN with fewer than two clusters.

        >>> pair = Estimate(np.array([1.0]), np.array([[[0.5], [-0.5]]]), np.zeros(2, dtype=int))
        >>> pair.standard_error.tolist()
        [1.0]
        """
        if len(self.strata) < 2:
            return np.full(self.value.shape, np.nan)
        variance = np.zeros((len(self.influence), len(self.value)))
        for code in np.unique(self.strata):
            within = self.influence[:, self.strata == code]
            n = within.shape[1]
            centred = within - within.mean(axis=1, keepdims=True)
            variance += n / (n - 1) * (centred**2).sum(axis=1)
        return np.asarray(np.sqrt(variance.mean(axis=0)))


def jackknife(estimator: Estimator, strata: Integers, *, width: int) -> Estimate:
    r"""Return the plug-in values of an estimator with each cluster's jackknife influence.

    .. math:: \psi_i = \frac{G_h - 1}{G_h} (\bar\theta_{(h)} - \theta_{(hi)})

    with :math:`\theta_{(hi)}` the value without cluster i of stratum h, whose mean over the stratum
    is :math:`\bar\theta_{(h)}`. Of a mean the standard error is s / sqrt(G).

    Args:
        estimator: from weights [R, G] to values [R] or [R, K].
        strata: shape [G].
        width: see :func:`~evenhand.scorer.inference.resampling.weighted`.

    >>> values = np.array([1.0, 2.0, 3.0])
    >>> mean = jackknife(lambda w: (w @ values) / w.sum(axis=1), np.zeros(3, int), width=3)
    >>> mean.value.tolist(), mean.standard_error.round(4).tolist()
    ([2.0], [0.5774])
    """
    strata = usable_strata(strata)
    n = len(strata)
    value = np.reshape(estimator(np.ones((1, n)))[0], -1)
    left_out = weighted(estimator, leave_one_out_weights(strata), width=width)
    left_out = left_out.reshape(n, len(value))
    return Estimate(value, leave_one_out_influence(left_out, strata)[None], strata)


def leave_one_out_weights(strata: Integers) -> Floats:
    """Return weights [G, G], each row without one cluster, which the others of its stratum replace.

    So a stratum keeps its weight, as it would in another sample of the same design.

    >>> leave_one_out_weights(np.array([0, 0, 1, 1])).tolist()[0]
    [0.0, 2.0, 1.0, 1.0]
    """
    is_same = strata[:, None] == strata
    sizes = is_same.sum(axis=1)
    raised = sizes / np.maximum(sizes - 1, 1)
    weights = np.where(is_same, raised[:, None], 1.0)
    np.fill_diagonal(weights, 0.0)
    return np.asarray(weights)


def leave_one_out_influence(left_out: Floats, strata: Integers) -> Floats:
    """Return the influence [G, K] from values without one cluster each, [G, K]."""
    influence = np.zeros_like(left_out)
    for code in np.unique(strata):
        within = left_out[strata == code]
        share = 1 - 1 / len(within)
        influence[strata == code] = share * (within.mean(axis=0) - within)
    return influence


class Ends(NamedTuple):
    """Lower and upper ends of intervals."""

    low: Floats
    high: Floats


@dataclass(frozen=True, slots=True)
class Bracket:
    r"""A pair of estimates whose expectations enclose the truth.

    .. math::
        E[low] \le \theta \le E[high],\qquad
        CI = [low - t\,SE(low),\; high + t\,SE(high)]

    Of a mean both are the same estimate, and the interval is the usual one. The test inverts the
    interval, so its p-value is at most alpha if and only if the interval of 1 - alpha excludes
    the tested value.
    """

    low: Estimate
    high: Estimate

    def __sub__(self, other: "Bracket") -> "Bracket":
        """Return the bracket of the paired difference."""
        return Bracket(self.low - other.high, self.high - other.low)

    def __mul__(self, scale: float) -> "Bracket":
        """Return the bracket in another unit; ``scale`` is positive."""
        return Bracket(self.low * scale, self.high * scale)

    def interval(self, freedom: float, level: float) -> Ends:
        """Return [low - t SE(low), high + t SE(high)] of each value.

        Args:
            freedom: degrees of freedom of Student's t.
            level: 1 - alpha.

        >>> two = Estimate(np.array([2.0]), np.array([[[0.5], [-0.5]]]), np.zeros(2, dtype=int))
        >>> [end.round(3).tolist() for end in unbiased(two).interval(1, 0.5)]
        [[1.0], [3.0]]
        """
        t = special.stdtrit(freedom, (1 + level) / 2)
        return Ends(
            self.low.value - t * self.low.standard_error,
            self.high.value + t * self.high.standard_error,
        )

    def p_value(self, freedom: float, at: float = 0.0) -> Floats:
        """Return the two-sided p-value that the truth is ``at``.

        Where all clusters agree there is no error to divide by: 1 where the bracket holds ``at``,
        else NaN, for how improbable the difference is cannot be told.

        >>> one = Estimate(np.array([1.0]), np.array([[[0.5], [-0.5]]]), np.zeros(2, dtype=int))
        >>> unbiased(one).p_value(1).round(3).tolist(), unbiased(one).p_value(1, at=1).tolist()
        ([0.5], [1.0])
        """
        above = _tail(self.low.value - at, self.low.standard_error, freedom)
        below = _tail(at - self.high.value, self.high.standard_error, freedom)
        return np.asarray(np.minimum(1.0, 2 * np.minimum(above, below)))


def unbiased(estimate: Estimate) -> Bracket:
    """Return the bracket of a mean or ratio, whose bias is far below its error."""
    return Bracket(estimate, estimate)


def _tail(distance: Floats, error: Floats, freedom: float) -> Floats:
    """Return P(T > distance / error); 1 without an error for a distance of 0 or less, else NaN."""
    is_sure = error < ZERO_ERROR
    tail = special.stdtr(freedom, -distance / np.where(is_sure, 1.0, error))
    return np.where(is_sure, np.where(distance < ZERO_ERROR, 1.0, np.nan), tail)
