"""How numbers are written and where they lie on an axis."""

import math
from collections.abc import Callable, Sequence

from evenhand.contract.report import AGREEMENT, Interval, NullReference
from evenhand.scorer.report.blocks import Tick

MINUS = "\N{MINUS SIGN}"
NO_BREAK = "\N{NO-BREAK SPACE}"
_DIGITS = 4
_MARGIN = 0.03
"""Share of an axis that is left free beyond the outermost value."""


def plain(value: float, *, digits: int = _DIGITS) -> str:
    """Write a number with a true minus sign and no negative zero.

    >>> plain(-0.00001), plain(0.25)
    ('0.0000', '0.2500')
    """
    text = f"{abs(value):.{digits}f}"
    is_zero = float(text) == 0
    return text if value >= 0 or is_zero else MINUS + text


def signed(value: float, *, digits: int = _DIGITS) -> str:
    """Write a number with its sign.

    >>> signed(0.5, digits=2), signed(0.0, digits=1)
    ('+0.50', '0.0')
    """
    text = plain(value, digits=digits)
    return f"+{text}" if value > 0 and float(text) != 0 else text


def percent(value: float) -> str:
    r"""Write a fraction as percent.

    >>> percent(0.314)
    '31.4\xa0%'
    """
    return f"{plain(100 * value, digits=1)}{NO_BREAK}%"


def signed_percent(value: float) -> str:
    r"""Write a fraction as percent with its sign.

    >>> signed_percent(0.314)
    '+31.4\xa0%'
    """
    return f"{signed(100 * value, digits=1)}{NO_BREAK}%"


def level(value: float) -> str:
    r"""Write the level of an interval.

    >>> level(0.95)
    '95\xa0%'
    """
    return f"{100 * value:g}{NO_BREAK}%"


def count(value: int) -> str:
    """Write an integer with separated thousands (a thin space would break copying)."""
    return f"{value:,}"


def interval(value: Interval | None, *, write: Callable[[float], str]) -> str:
    """Write an interval with ``write``.

    A dagger marks few clusters, a double dagger clusters that all agree.
    """
    if value is None:
        return "none"
    dagger = f"{NO_BREAK}†" if value.few_clusters else ""
    dagger = f"{NO_BREAK}‡" if value.method == AGREEMENT else dagger
    return f"{write(value.low)} to {write(value.high)}{dagger}"


def p_value(value: float | None) -> str:
    """Write a p-value; an undefined one is not written as 1.

    >>> p_value(0.00001), p_value(None)
    ('< 0.0001', 'none')
    """
    if value is None:
        return "none"
    return "< 0.0001" if value < 0.0001 else plain(value)


def null_reference(value: NullReference | None) -> str:
    """Write the 95th percentile of a null distribution."""
    return "none" if value is None else plain(value.quantile_95)


class Axis:
    """A linear axis over the given values and 0, with ticks at round numbers.

    >>> axis = Axis([0.0, 0.1])
    >>> [(tick.label, tick.at) for tick in axis.ticks()]
    [('0', 0.0), ('0.05', 48.54), ('0.1', 97.09)]
    """

    def __init__(self, values: Sequence[float], *, about: int = 4) -> None:
        low, high = min([0.0, *values]), max([0.0, *values])
        margin = _MARGIN * (high - low or 1.0)
        self._low = low - margin if low < 0 else low
        self._high = high + margin if high > 0 else high
        if self._low == self._high:
            self._high = 1.0
        self._step = _round_step((self._high - self._low) / about)

    @classmethod
    def of_span(cls, values: Sequence[float], *, about: int = 4) -> "Axis":
        """Return an axis over the given values alone, which need not reach 0.

        >>> [tick.label for tick in Axis.of_span([85.0, 97.0]).ticks()]
        ['85', '90', '95']
        """
        axis = cls(values, about=about)
        low, high = min(values), max(values)
        margin = _MARGIN * ((high - low) or 1.0)
        axis._low, axis._high = low - margin, high + margin
        axis._step = _round_step((axis._high - axis._low) / about)
        return axis

    @classmethod
    def of_ranks(cls, n: int) -> "Axis":
        """Return the axis of ranks 1 to n, with half a rank to spare at either end."""
        axis = cls([float(n)], about=6)
        axis._low, axis._high = 0.5, n + 0.5
        axis._step = max(1.0, axis._step)
        return axis

    def at(self, value: float) -> float:
        """Return a value's position in percent, kept inside the axis."""
        share = (value - self._low) / (self._high - self._low)
        return round(100 * min(max(share, 0.0), 1.0), 2)

    def between(self, low: float, high: float) -> tuple[float, float]:
        """Return the positions of a span's two ends."""
        return self.at(low), self.at(high)

    def ticks(self) -> list[Tick]:
        """Return the ticks from low to high."""
        # Some slack, so that a tick on the very end of the axis is not lost to rounding.
        first = math.ceil(self._low / self._step - 1e-9)
        last = math.floor(self._high / self._step + 1e-9)
        return [
            Tick(at=self.at(i * self._step), label=_tick_label(i * self._step), is_zero=i == 0)
            for i in range(first, last + 1)
        ]


def _tick_label(value: float) -> str:
    text = f"{abs(value):.6f}".rstrip("0").rstrip(".")
    return text if value >= 0 or text == "0" else MINUS + text


def _round_step(rough: float) -> float:
    """Return the least of 1, 2, 2.5, 5 times a power of ten that is not below ``rough``."""
    if not math.isfinite(rough) or rough <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(rough))
    return next(m * power for m in (1.0, 2.0, 2.5, 5.0, 10.0) if m * power >= rough * (1 - 1e-9))
