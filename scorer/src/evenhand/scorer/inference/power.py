"""What a design can detect: the smallest effect that a test finds, and how surely it finds one."""

import numpy as np
from scipy import special

from evenhand.scorer.inference.clusters import Floats

POWER = 0.8
"""With which the smallest detectable effect is found."""


def detectable_effect(error: float, freedom: float, level: float, *, gap: float = 0.0) -> float:
    r"""Return the smallest true effect that would be found with a power of 0.8.

    .. math:: \Delta = (t_{1 - \alpha / 2, f} + t_{0.8, f})\, SE + g

    Symbols:
        error: SE, of the effect's lower end.
        freedom: degrees of freedom f, above 0.
        level: 1 - alpha.
        gap: g, how far the ends of the bracket are apart; 0 for means.

    Range:
        Above 0. Its power by the noncentral t is .791 at f = 4 and .799 from f = 9 on.

    Ties and empties:
        NaN where SE is NaN.

    Source:
        Derivation in ``docs/statistics.md``.

    >>> round(detectable_effect(0.1, 10**9, 0.95), 3)
    0.28
    """
    quantiles = special.stdtrit(freedom, np.array([(1 + level) / 2, POWER]))
    return float(quantiles.sum() * error + gap)


def power_of(effect: float, error: float, freedom: float, level: float) -> float:
    """Return how often a t test finds an effect, by the noncentral t distribution.

    >>> round(power_of(0.28, 0.1, 10**6, 0.95), 2), round(power_of(0.0, 0.1, 5, 0.95), 2)
    (0.8, 0.05)
    """
    t, noncentrality = special.stdtrit(freedom, (1 + level) / 2), abs(effect) / error
    above = 1 - special.nctdtr(freedom, noncentrality, t)
    return float(above + special.nctdtr(freedom, noncentrality, -t))


def error_of_share(share: float, n_clusters: int, rows: float, correlation: float) -> float:
    r"""Return the standard error of a share that a design will have.

    .. math:: SE^2 = \frac{q (1 - q)}{G m} (1 + (m - 1) \rho)

    Symbols:
        share: q, as expected.
        n_clusters: G.
        rows: m, of each cluster.
        correlation: rho, of answers within a cluster; the bracket is the design effect.

    >>> round(error_of_share(0.5, 25, 4, 0.0), 3), round(error_of_share(0.5, 25, 4, 1.0), 3)
    (0.05, 0.1)
    """
    design_effect = 1 + (rows - 1) * correlation
    return float((share * (1 - share) * design_effect / (n_clusters * rows)) ** 0.5)


def intraclass_correlation(successes: Floats, rows: Floats) -> float:
    r"""Return how alike answers within a cluster are, from counts, by the analysis of variance.

    .. math:: \hat\rho = \frac{B - W}{B + (m_0 - 1) W}

    with B and W the mean squares between and within clusters, and :math:`m_0` the mean number of
    rows corrected for its spread. 1 where clusters are all one way, about 0 where they say nothing.

    Args:
        successes: of each cluster; shape [G].
        rows: of each cluster, above 0; shape [G].

    >>> intraclass_correlation(np.array([4.0, 0.0, 4.0]), np.array([4.0, 4.0, 4.0]))
    1.0
    """
    total, n = float(rows.sum()), len(rows)
    mean = float(successes.sum()) / total
    between = float((rows * (successes / rows - mean) ** 2).sum()) / (n - 1)
    within = float((successes * (1 - successes / rows)).sum()) / (total - n)
    mean_rows = (total - float((rows**2).sum()) / total) / (n - 1)
    spread = between + (mean_rows - 1) * within
    return (between - within) / spread if spread else 0.0
