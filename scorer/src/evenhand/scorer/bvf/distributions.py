"""How risks are distributed over subjects: bias near-normal, volatility with fat tails.

Source: paper, section 4.5 (figure 10) and appendix C.3.
"""

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Floats = NDArray[np.float64]

QUANTILES = {"q05": 0.05, "q25": 0.25, "median": 0.5, "q75": 0.75, "q95": 0.95, "q99": 0.99}
FEWEST = 3
"""Shapiro and Wilk's test needs three values."""


def spread(risk: Floats) -> dict[str, float]:
    """Return statistics of a risk's distribution over subjects.

    Args:
        risk: of X subjects, NaN where it is unknown; shape [X].

    Returns:
        ``mean`` and ``sd`` (of the maximum-likelihood normal fit), ``shapiro_w`` and ``shapiro_p``
        (the null hypothesis is a normal distribution), ``skewness`` and ``excess_kurtosis`` (0 for
        a normal distribution, above 0 for fat tails), quantiles and ``max``; statistics that are
        undefined are left out.

    >>> {
    ...     name: round(value, 3)
    ...     for name, value in spread(np.array([0.0, 0.1, 0.2])).items()
    ...     if name in {"mean", "sd", "shapiro_w"}
    ... }
    {'mean': 0.1, 'sd': 0.082, 'shapiro_w': 1.0}
    """
    known = risk[~np.isnan(risk)]
    if not len(known):
        return {}
    statistics = {"mean": float(known.mean()), "sd": float(known.std())}
    # The shape of equal values would be decided by rounding errors.
    if len(known) >= FEWEST and np.ptp(known) > 1e-12:
        shapiro = stats.shapiro(known)
        statistics |= {"shapiro_w": float(shapiro.statistic), "shapiro_p": float(shapiro.pvalue)}
        statistics |= {
            "skewness": float(stats.skew(known)),
            "excess_kurtosis": float(stats.kurtosis(known)),
        }
    statistics |= {name: float(np.quantile(known, q)) for name, q in QUANTILES.items()}
    return statistics | {"max": float(known.max())}
