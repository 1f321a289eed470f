"""How numbers are written and where they lie on an axis."""

import math

from evenhand.contract.report import Interval, NullReference
from evenhand.scorer.report.blocks import Tick

MINUS = "\N{MINUS SIGN}"
_DIGITS = 4


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
    """Write a fraction as percent.

    >>> percent(0.314)
    '31.4 %'
    """
    return f"{plain(100 * value, digits=1)} %"


def count(value: int) -> str:
    """Write a whole number with thousands apart (a thin space would break copying)."""
    return f"{value:,}"


def interval(value: Interval | None, *, is_signed: bool = False) -> str:
    """Write an interval; a dagger says that it rests on few clusters."""
    if value is None:
        return "none"
    write = signed if is_signed else plain
    dagger = " †" if value.few_clusters else ""
    return f"{write(value.low)} to {write(value.high)}{dagger}"


def null_reference(value: NullReference | None) -> str:
    """Write where the number would lie if nothing were there."""
    return "none" if value is None else f"below {plain(value.quantile_95)}"


class Axis:
    """A linear axis that covers the given values with round ticks.

    >>> axis = Axis([0.0, 0.09])
    >>> [tick.label for tick in axis.ticks()], axis.at(0.05)
    (['0', '0.05', '0.1'], 50.0)
    """

    def __init__(self, values: list[float], *, about: int = 4, includes_zero: bool = True) -> None:
        shown = [*values, 0.0] if includes_zero or not values else values
        low, high = min(shown), max(shown)
        self._step = _round_step((high - low) / about)
        self._first = math.floor(low / self._step + 1e-9)
        self._last = max(math.ceil(high / self._step - 1e-9), self._first + 1)

    def at(self, value: float) -> float:
        """Return a value's position in percent, kept inside the axis."""
        share = (value / self._step - self._first) / (self._last - self._first)
        return round(100 * min(max(share, 0.0), 1.0), 2)

    def between(self, low: float, high: float) -> tuple[float, float]:
        """Return the positions of a span's two ends."""
        return self.at(low), self.at(high)

    def ticks(self) -> list[Tick]:
        """Return the ticks from low to high."""
        steps = range(self._first, self._last + 1)
        return [
            Tick(at=self.at(i * self._step), label=self._label(i * self._step), is_zero=i == 0)
            for i in steps
        ]

    def _label(self, value: float) -> str:
        text = f"{abs(value):.6f}".rstrip("0").rstrip(".")
        return text if value >= 0 or text == "0" else MINUS + text


def _round_step(rough: float) -> float:
    """Return the least of 1, 2, 2.5, 5 times a power of ten that is not below ``rough``."""
    if not math.isfinite(rough) or rough <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(rough))
    return next(m * power for m in (1.0, 2.0, 2.5, 5.0, 10.0) if m * power >= rough * (1 - 1e-9))
