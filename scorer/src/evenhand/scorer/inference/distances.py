r"""Which of two signed values is nearer to the best one: |a - best| against |b - best|.

A preference of +.2 is no worse than one of -.2, so the test of a difference of signed values does
not say which model is better. With a and b already less their best values and s the sign of a,

.. math:: |a| - |b| = \min(s\,a - s\,b,\; s\,a + s\,b)

so |a| > |b| holds if both terms are above 0. A bound of each term is one of the minimum: the test
is an intersection-union test, at most as sure as either.
"""

from typing import NamedTuple

import numpy as np
from scipy import special

from evenhand.scorer.inference.estimates import ZERO_ERROR, Estimate


class DistanceGap(NamedTuple):
    """How much farther from the best value model A is than model B."""

    a: float
    """Value of A less its best value."""
    b: float
    """Value of B less its best value."""
    error_of_difference: float
    """Standard error of a - b."""
    error_of_sum: float
    """Standard error of a + b."""
    freedom: float
    """Degrees of freedom of both."""

    @property
    def value(self) -> float:
        """|a| - |b|; below 0 A is the nearer."""
        return abs(self.a) - abs(self.b)

    def interval(self, level: float) -> tuple[float, float]:
        """Return the ends of the interval of |a| - |b|, which always holds it.

        >>> low, high = DistanceGap(0.1, -0.4, 0.1, 0.1, 10).interval(0.95)
        >>> round(low, 3), round(high, 3)
        (-0.523, -0.077)
        """
        t = float(special.stdtrit(self.freedom, (1 + level) / 2))
        return self._least(self.a, self.b, t), -self._least(self.b, self.a, t)

    def p_value(self) -> float | None:
        """Return the two-sided p-value that both are equally far; None where it cannot be told.

        It is at most alpha if and only if the interval of 1 - alpha excludes 0.

        >>> DistanceGap(0.2, -0.2, 0.05, 0.05, 10).p_value()
        1.0
        """
        p_value = 2 * np.minimum(self._tail(self.a, self.b), self._tail(self.b, self.a))
        return None if np.isnan(p_value) else float(min(1.0, p_value))

    def _least(self, first: float, second: float, t: float) -> float:
        """Return the lower bound of |first| - |second|."""
        sign = 1.0 if first > 0 else -1.0
        return float(
            min(
                sign * (first - second) - t * self.error_of_difference,
                sign * (first + second) - t * self.error_of_sum,
            )
        )

    def _tail(self, first: float, second: float) -> float:
        """Return the one-sided p-value that |first| is no larger than |second|; NaN if it is sure.

        Without an error a term above 0 is sure, and leaves the decision to the other one.
        """
        sign = 1.0 if first > 0 else -1.0
        terms = (
            (sign * (first - second), self.error_of_difference),
            (sign * (first + second), self.error_of_sum),
        )
        tails = [self._tail_of(term, error) for term, error in terms]
        return float(np.fmax(tails[0], tails[1]))

    def _tail_of(self, term: float, error: float) -> float:
        if error < ZERO_ERROR:
            return 1.0 if term < ZERO_ERROR else float("nan")
        return float(special.stdtr(self.freedom, -term / error))


def distance_gap(a: Estimate, b: Estimate, freedom: float) -> DistanceGap:
    """Return the gap of two single values, already less their best, over the same clusters."""
    return DistanceGap(
        float(a.value[0]),
        float(b.value[0]),
        float((a - b).standard_error[0]),
        float((a + b).standard_error[0]),
        freedom,
    )
