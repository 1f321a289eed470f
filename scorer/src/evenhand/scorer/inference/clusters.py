"""What is true of clusters whatever is measured on them: strata, effective number, degrees."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]
Estimator = Callable[[Floats], Floats]
"""From weights of the clusters, [R, G], to R values, [R] or [R, K]."""

FEW_CLUSTERS = 30
"""Below this effective number an interval is flagged: how far it can be trusted depends on the
shape of the clusters' distribution, which so few do not show."""

NO_VERDICT_CLUSTERS = 5
"""Up to here two of the 2^G sign patterns (all kept, all reversed) are over 5 % of them."""


def usable_strata(strata: Integers) -> Integers:
    """Return the strata, or one stratum for all where one of them has a single cluster.

    A stratum of one cluster cannot say how much clusters differ; left alone it would count as
    perfectly sure.

    >>> usable_strata(np.array([0, 0, 1])).tolist()
    [0, 0, 0]
    """
    _, sizes = np.unique(strata, return_counts=True)
    return np.zeros_like(strata) if (sizes < 2).any() else strata


def effective_number(weights: Floats) -> float:
    r"""Return how many clusters of equal weight would say as much as these.

    .. math:: G_{\mathrm{eff}} = \frac{(\sum_i w_i)^2}{\sum_i w_i^2}

    Symbols:
        weights: w, each cluster's share in the value, not negative; shape [G].
        returns: from 1 to G; G for equal weights, 1 for a single weight above 0.

    Ties and empties:
        0 where no weight is above 0.

    Source:
        Kish's formula, e.g.
        https://wiki.q-researchsoftware.com/wiki/Kish%27s_Effective_Sample_Size_Formula

    >>> effective_number(np.array([1.0, 1.0, 1.0])), effective_number(np.array([2.0, 1.0, 1.0]))
    (3.0, 2.6666666666666665)
    """
    squares = float((weights**2).sum())
    return float(weights.sum()) ** 2 / squares if squares else 0.0


def degrees_of_freedom(strata: Integers) -> int:
    """Return clusters less strata, after :func:`usable_strata`.

    >>> degrees_of_freedom(np.array([0, 0, 0, 1, 1]))
    3
    """
    return len(strata) - len(np.unique(usable_strata(strata)))


def effective_degrees(weights: Floats, strata: Integers) -> float:
    """Return the effective number of clusters less strata, at least 1.

    With few large clusters among many small ones G - 1 degrees of freedom promise too much: the
    standard error is then that of the few.

    >>> effective_degrees(np.array([2.0, 1.0, 1.0]), np.zeros(3, dtype=int))
    1.6666666666666665
    """
    n_strata = len(np.unique(usable_strata(strata)))
    return max(1.0, effective_number(weights) - n_strata)
