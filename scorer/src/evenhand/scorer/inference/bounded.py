"""Intervals and tests of shares and of differences of shares, which cannot leave their range.

Near a bound of its range a share has a skewed distribution, and the clusters that would say
otherwise are seldom in the sample: `value +- t SE` covers as little as 70 % there.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from evenhand.scorer.inference.clusters import Flags, Floats, Integers, effective_number
from evenhand.scorer.inference.estimates import ZERO_ERROR, Estimate

METHOD = "guarded_wilson"

_UNSEEN_CLUSTERS = 2.0
"""How many clusters that the sample lacks are allowed for, each of them all one way."""

_TAIL = 1.0
"""A variance has 2 G / (kurtosis - 1) degrees of freedom; the sample's kurtosis is too small, so 1
stands in place of 2."""

_LEAST_DEGREES = 2.0


@dataclass(frozen=True)
class GuardedError:
    r"""The standard error of one value over clusters, and how much is known of it.

    .. math::
        SE^2 = \sum_h V_h,\qquad
        V_h = \frac{G_h}{G_h - 1} \sum_{i \in h} (\psi_i - \bar\psi_h)^2
            + \frac{2 c_h^2 u_h}{(G_{\mathrm{eff},h} + 1)^2}

        f_h = \max\left(2, \min\left(G_{\mathrm{eff},h} - 1,
            \frac{G_h}{\kappa_h - 1}\right)\right),\qquad
        f = \frac{(\sum_h V_h)^2}{\sum_h V_h^2 / f_h}

    Symbols:
        psi: jackknife influence of the clusters of stratum h.
        c: share of a stratum in the value; 1 where there is one stratum.
        u: mean square by which a cluster that the sample lacks may differ; two are allowed for.
        kappa: kurtosis of the influence: where few clusters make most of the error, another sample
            without them would show next to none.

    Source:
        Derivation and measured coverage in ``docs/statistics.md``.
    """

    influence: Floats
    """Shape [G]."""
    weights: Floats
    """Share of each cluster in the value, in any unit; shape [G]."""
    strata: Integers
    """Code of each cluster's stratum, each of at least two clusters; shape [G]."""
    unseen: Floats
    """The u of each stratum, in the order of the codes; shape [H]."""

    @cached_property
    def effective_number(self) -> float:
        """How many clusters of equal weight would say as much."""
        return effective_number(self.weights)

    @cached_property
    def standard_error(self) -> float:
        """In the unit of the value, with what unseen clusters may add."""
        return float(sum(variance for variance, _ in self._by_stratum) ** 0.5)

    @cached_property
    def freedom(self) -> float:
        """Degrees of freedom of the standard error, by Satterthwaite over the strata."""
        total = sum(variance for variance, _ in self._by_stratum)
        squares = sum(variance**2 / freedom for variance, freedom in self._by_stratum)
        return float(total**2 / squares) if squares > 0 else max(1.0, self.effective_number - 1)

    @cached_property
    def _by_stratum(self) -> list[tuple[float, float]]:
        """What each stratum adds to the squared error, and the degrees of freedom of that."""
        strata = zip(np.unique(self.strata), self.unseen, strict=True)
        return [self._variance(self.strata == code, float(unseen)) for code, unseen in strata]

    def _variance(self, is_member: Flags, unseen: float) -> tuple[float, float]:
        influence, weights = self.influence[is_member], self.weights[is_member]
        n, effective = len(influence), effective_number(weights)
        squares = (influence - influence.mean()) ** 2
        total = float(squares.sum())
        kurtosis = n * float(((squares / total) ** 2).sum()) if total > 0 else 1.0
        by_tail = _TAIL * n / (kurtosis - 1) if kurtosis > 1 else np.inf
        whole = float(self.weights.sum())
        share = float(weights.sum()) / whole if whole else 0.0
        return (
            n / (n - 1) * total + _UNSEEN_CLUSTERS * share**2 * unseen / (effective + 1) ** 2,
            max(_LEAST_DEGREES, min(effective - 1, by_tail)),
        )


@dataclass(frozen=True)
class GuardedWilson:
    r"""Interval and test of one bounded value, which never leave its range.

    Wilson's score interval of :math:`q = (v - low) / (high - low)` on the effective number of
    independent answers, with Student's t of a :class:`GuardedError`:

    .. math::
        n = \frac{q (1 - q)}{SE_q^2},\qquad
        \frac{q + \frac{t^2}{2 n} \pm t \sqrt{\frac{q (1 - q)}{n} + \frac{t^2}{4 n^2}}}
            {1 + \frac{t^2}{n}}

    Range:
        Within the limits; the interval always holds the value. The p-value is at most alpha if and
        only if the interval of 1 - alpha excludes the tested value.

    Ties and empties:
        Where all clusters agree, or the value is at a limit: :func:`agreement_bound`.

    Source:
        Derivation and the comparison with other intervals in ``docs/statistics.md``; Wilson's
        interval with an effective sample size is recommended for clustered samples in
        https://pmc.ncbi.nlm.nih.gov/articles/PMC6690503.

    >>> clusters = np.array([0.0, 1.0, 1.0, 1.0])
    >>> influence = (clusters - clusters.mean()) / 4
    >>> error = GuardedError(influence, np.ones(4), np.zeros(4, dtype=int), np.array([0.0]))
    >>> mean = GuardedWilson(0.75, error, (0.0, 1.0))
    >>> [round(end, 3) for end in mean.interval(0.95)], round(mean.p_value(0.5), 3)
    ([0.131, 0.984], 0.45)
    """

    value: float
    """v, within the limits."""
    error: GuardedError
    limits: tuple[float, float]
    """The least and the greatest value that there can be."""

    @cached_property
    def is_unanimous(self) -> bool:
        """Whether there is no error to speak of, so that agreement alone bounds the value."""
        return self.error.standard_error < ZERO_ERROR or not 0 < self._share < 1

    def interval(self, level: float) -> tuple[float, float]:
        """Return the ends of the interval; ``level`` is 1 - alpha."""
        if self.is_unanimous:
            n = self.error.effective_number
            return agreement_bound(self.value, n, level=level, limits=self.limits)
        low, high = self.limits
        q, t = self._share, float(special.stdtrit(self.error.freedom, (1 + level) / 2))
        a = (t * self.error.standard_error / (high - low)) ** 2 / (q * (1 - q))  # t^2 / n
        centre = (q + a / 2) / (1 + a)
        half = (a * q * (1 - q) + a**2 / 4) ** 0.5 / (1 + a)
        ends = (max(0.0, centre - half), min(1.0, centre + half))
        # Where the error is near 0, rounding alone could leave the value outside.
        return (
            min(self.value, low + (high - low) * ends[0]),
            max(self.value, low + (high - low) * ends[1]),
        )

    def p_value(self, at: float) -> float:
        """Return the two-sided p-value that the truth is ``at``, a value inside the limits."""
        low, high = self.limits
        if self.is_unanimous:
            distance = _relative_distance(self.value, at, self.limits)
            return float(min(1.0, 2 * (1 - distance) ** self.error.effective_number))
        null, q = (at - low) / (high - low), self._share
        # A score test has the error that the value would have if the null value were the truth.
        error = self.error.standard_error * (null * (1 - null) / (q * (1 - q))) ** 0.5
        return float(2 * special.stdtr(self.error.freedom, -abs(self.value - at) / error))

    @property
    def _share(self) -> float:
        low, high = self.limits
        return (self.value - low) / (high - low)


@dataclass(frozen=True)
class GuardedDifference:
    """Interval and test of a difference of two bounded values: D +- t SE, cut at its limits.

    Near 0 a difference is not skewed as a share near its limit is, so the interval is Student's;
    the guards of the error stand.

    >>> differences = np.array([0.1, 0.3])
    >>> error = GuardedError((differences - 0.2) / 2, np.ones(2), np.zeros(2, int), np.array([0.0]))
    >>> low, high = GuardedDifference(0.2, error, (-1.0, 1.0)).interval(0.8)
    >>> round(low, 3), round(high, 3)
    (0.011, 0.389)
    """

    value: float
    """D."""
    error: GuardedError
    limits: tuple[float, float]

    def interval(self, level: float) -> tuple[float, float] | None:
        """Return the ends of the interval; None where all clusters agree on the difference."""
        if self.error.standard_error < ZERO_ERROR:
            return None
        half = float(special.stdtrit(self.error.freedom, (1 + level) / 2))
        half *= self.error.standard_error
        return max(self.limits[0], self.value - half), min(self.limits[1], self.value + half)

    def p_value(self) -> float | None:
        """Return the two-sided p-value that there is no difference.

        1 for a difference of 0 without an error; None for another one, of which it cannot be told
        how improbable it is.
        """
        if self.error.standard_error < ZERO_ERROR:
            return 1.0 if abs(self.value) < ZERO_ERROR else None
        statistic = abs(self.value) / self.error.standard_error
        return float(min(1.0, 2 * special.stdtr(self.error.freedom, -statistic)))


def guarded_mean(
    estimate: Estimate, place: int, weights: Floats, limits: tuple[float, float]
) -> GuardedWilson:
    """Return the interval of a bounded mean whose clusters are never all one way.

    Args:
        estimate: of K values by jackknife.
        place: of the value among them.
        weights: of the clusters; shape [G].
        limits: of the mean.
    """
    none = np.zeros(len(np.unique(estimate.strata)))
    error = GuardedError(estimate.influence[0, :, place], weights, estimate.strata, none)
    return GuardedWilson(float(estimate.value[place]), error, limits)


def unseen_of_share(shares: Floats) -> Floats:
    """Return the u of shares q: an unseen cluster whose rows are all alike differs by q or 1 - q.

    >>> unseen_of_share(np.array([0.5, 1.0])).tolist()
    [0.25, 0.0]
    """
    return np.asarray(shares * (1 - shares))


def unseen_of_errors(errors: Floats, rows: Floats, strata: Integers) -> Floats:
    r"""Return the u of values that errors alone move, for each stratum, shape [H].

    .. math:: u_h = \frac{\sum_{i \in h} n_i (e_i / n_i)^2}{\sum_{i \in h} n_i}

    Symbols:
        errors: e, wrong answers of each cluster, or those in which two models differ; shape [G].
        rows: n, answers of each cluster; shape [G].

    >>> unseen_of_errors(np.array([1.0, 0.0]), np.array([2.0, 2.0]), np.zeros(2, int)).tolist()
    [0.125]
    """
    squares = np.zeros(len(rows))
    np.divide(errors**2, rows, out=squares, where=rows > 0)
    means = []
    for code in np.unique(strata):
        is_member = strata == code
        total = float(rows[is_member].sum())
        means.append(float(squares[is_member].sum()) / total if total else 0.0)
    return np.array(means)


def agreement_bound(
    value: float, n_clusters: float, *, level: float, limits: tuple[float, float]
) -> tuple[float, float]:
    r"""Return how far a mean may be from a value on which all clusters agree.

    Where none of G clusters says anything else, the share p of clusters that would has the
    Clopper-Pearson bound of no success in G trials; what these say lies within the limits.

    .. math:: p = 1 - (\alpha / 2)^{1/G},\qquad v - p (v - low) \le \theta \le v + p (high - v)

    It holds whatever the distribution, for means to which clusters contribute alike; with the
    effective number in place of G where they do not.

    Args:
        value: v.
        n_clusters: G.
        level: 1 - alpha.
        limits: the least and the greatest value that a cluster may have.

    Source: Clopper and Pearson 1934, Biometrika 26, 404-413, for p (the case of no success as in
    https://rdrr.io/cran/GenBinomApps/man/clopper.pearson.ci.html); from p to a mean is ours.

    >>> ends = agreement_bound(-1.0, 12, level=0.95, limits=(-1.0, 1.0))
    >>> [round(end, 4) for end in ends]
    [-1.0, -0.4707]
    """
    share = 1 - ((1 - level) / 2) ** (1 / n_clusters)
    low, high = limits
    return value - share * (value - low), value + share * (high - value)


def _relative_distance(value: float, at: float, limits: tuple[float, float]) -> float:
    """Return how far a value is from another, of the way to the limit in that direction."""
    farthest = limits[0] if at < value else limits[1]
    return (at - value) / (farthest - value) if at != value else 0.0
