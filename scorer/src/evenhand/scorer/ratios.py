"""Division in formulas: undefined is NaN, without a warning."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def ratio(total: Floats, n: Floats) -> Floats:
    """Divide, with NaN and no warning where there is nothing to divide by.

    >>> ratio(np.array([1.0, 0.0]), np.array([2.0, 0.0])).tolist()
    [0.5, nan]
    """
    dividend, divisor = np.broadcast_arrays(np.asarray(total, dtype=np.float64), n)
    quotient: NDArray[Any] = np.full(dividend.shape, np.nan)
    np.divide(dividend, divisor, out=quotient, where=divisor != 0)
    return np.asarray(quotient)[()]
