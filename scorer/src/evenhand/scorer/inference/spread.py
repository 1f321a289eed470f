"""The spread of a value over subjects, of which the noise of each subject's value is a part."""

from typing import NamedTuple

import numpy as np
from scipy import special

from evenhand.scorer.inference.clusters import Floats

METHOD = "noise_corrected_spread"


class Spread(NamedTuple):
    """A standard deviation over subjects."""

    value: float
    """Of the values as they were measured."""
    debiased: float
    """With the noise of the values taken off; 0 where the noise explains all of it."""
    low: float
    high: float
    """The interval, which holds both."""


def spread(values: Floats, left_out: Floats, *, freedom: float, level: float) -> Spread:
    r"""Return the standard deviation over subjects, less what the noise of their values adds.

    .. math::
        \hat\sigma^2 = s^2 - \frac{1}{X} \sum_x V(r_x - \bar r),\qquad
        CI = \left[\hat\sigma^2 - t\,SE,\; s^2 + t\,SE\right]^{1/2}

    Symbols:
        values: r, of X subjects; shape [X].
        left_out: the same without one of G clusters each; shape [G, X].
        freedom: degrees of freedom of t.
        level: 1 - alpha.
        s: plug-in standard deviation; V the jackknife variance of a subject's difference from the
            mean of all; SE the jackknife's, of the squared s.

    Range:
        Not negative. Nearly unbiased for values that are means; for absolute values it errs
        downwards, as noise shrinks differences between values near 0.

    Ties and empties:
        NaN where a value is.

    Source:
        Derivation in ``docs/statistics.md``.

    >>> steady = spread(np.array([0.0, 1.0]), np.array([[0.0, 1.0]] * 2), freedom=1, level=0.95)
    >>> steady
    Spread(value=0.5, debiased=0.5, low=0.5, high=0.5)
    """
    share = 1 - 1 / len(left_out)
    centred = left_out - left_out.mean(axis=1, keepdims=True)
    noise = float((share * ((centred - centred.mean(axis=0)) ** 2).sum(axis=0)).mean())
    square = float(values.var())
    squares = left_out.var(axis=1)
    error = float(np.sqrt(share * ((squares - squares.mean()) ** 2).sum()))
    t = float(special.stdtrit(freedom, (1 + level) / 2))
    debiased = max(0.0, square - noise)
    ends = (max(0.0, square - noise - t * error), square + t * error)
    return Spread(*(float(np.sqrt(part)) for part in (square, debiased, *ends)))
