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

from evenhand.scorer.inference.clusters import Floats
from evenhand.scorer.inference.estimates import ZERO_ERROR, Ends, Estimate


class DistanceGap(NamedTuple):
    """How much farther from the best value model A is than model B."""

    a: Estimate
    """Values of A less their best, shape [K]."""
    b: Estimate
    """Values of B less their best, over the same clusters."""
    freedom: float
    """Degrees of freedom."""

    def interval(self, level: float) -> Ends:
        """Return the interval of |a| - |b|, which always holds it; below 0 A is the nearer.

        >>> clusters = np.zeros(2, dtype=int)
        >>> near, far = (
        ...     Estimate(np.array([v]), np.full((1, 2, 1), 0.0), clusters) for v in (0.1, -0.4)
        ... )
        >>> [end.round(3).tolist() for end in DistanceGap(near, far, 1).interval(0.95)]
        [[-0.3], [-0.3]]
        """
        t = special.stdtrit(self.freedom, (1 + level) / 2)
        low = self._least(self.a.value, self.b.value, t)
        return Ends(low, -self._least(self.b.value, self.a.value, t))

    def p_value(self) -> Floats:
        """Return the two-sided p-value that both are equally far; NaN where it cannot be told.

        It is at most alpha if and only if the interval of 1 - alpha excludes 0.
        """
        a_is_farther = self._tail(self.a.value, self.b.value)
        b_is_farther = self._tail(self.b.value, self.a.value)
        return np.asarray(np.minimum(1.0, 2 * np.minimum(a_is_farther, b_is_farther)))

    def _least(self, first: Floats, second: Floats, t: float) -> Floats:
        """Return the lower bound of |first| - |second|."""
        sign = np.sign(first)
        minus, plus = self._errors()
        return np.asarray(
            np.minimum(
                sign * (first - second) - t * minus,
                sign * (first + second) - t * plus,
            )
        )

    def _tail(self, first: Floats, second: Floats) -> Floats:
        """Return the one-sided p-value that |first| is no larger than |second|."""
        sign = np.sign(first)
        terms = zip((sign * (first - second), sign * (first + second)), self._errors(), strict=True)
        tails = [self._tail_of(term, error) for term, error in terms]
        # A term that is above 0 for sure leaves the decision to the other one.
        return np.asarray(np.fmax(*tails))

    def _tail_of(self, term: Floats, error: Floats) -> Floats:
        is_sure = error < ZERO_ERROR
        tail = special.stdtr(self.freedom, -term / np.where(is_sure, 1.0, error))
        return np.where(is_sure, np.where(term < ZERO_ERROR, 1.0, np.nan), tail)

    def _errors(self) -> tuple[Floats, Floats]:
        return (self.a - self.b).standard_error, (self.a + self.b).standard_error
