"""BVF's scatter plots: bias against volatility with their distributions, risks against facts."""

# ruff: noqa: RUF001 - true minus signs and apostrophes

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from evenhand.scorer.bvf.report.findings import distribution_statistics
from evenhand.scorer.bvf.report.values import TopicResult
from evenhand.scorer.bvf.report.words import FACTORS, REGRESSION
from evenhand.scorer.bvf.specs import SYMBOLS
from evenhand.scorer.report import numbers
from evenhand.scorer.report.blocks import Dot, Figure, Margin, Panels, Scatter, Tick, Tone
from evenhand.scorer.report.numbers import Axis

MOST_DOTS = 400
"""Largest number of subjects drawn, the strongest first; the table has all."""
_NAMED = 6
"""Largest number of points with a name at the high end of either axis."""
_LETTER, _LETTER_IN_PANEL, _LINE, _GAP = 1.4, 2.7, 2.8, 1.2
"""Width of a letter, half the height of a line, and distance from point to name, in percent."""
_LEAST_BAR, _BAR_GAP = 2.0, 0.3
"""Smallest bar, in percent of the highest, so that one subject is visible; gap between bars."""
_CURVE_POINTS = 81
_BINS = (8, 24)


def risk_figure(results: Sequence[TopicResult]) -> Figure | None:
    """Draw each subject's bias against its volatility, with the distributions of both."""
    drawable = [result for result in results if len(result.ranking) > 1 and _has_parts(result)]
    if not drawable:
        return None
    reach = {
        risk: [v for result in drawable for v in result.values(risk).values()] for risk in SYMBOLS
    }
    axes = _Axes(Axis(reach["r_b"]), Axis(reach["r_v"]))
    letter = _LETTER if len(drawable) == 1 else _LETTER_IN_PANEL
    plots = [(result.label, _risk_scatter(result, axes, letter)) for result in drawable]
    nouns = drawable[0].nouns
    return Figure(
        title=f"Bias against volatility, one point for each {nouns.one}",
        description=" ".join(_risk_description(result) for result in drawable),
        caption=(
            "Further right, a stereotype lasts over contexts; further up, it varies with them; the"
            f" two axes have different scales. Bars: number of {nouns.many}. Curves: the normal"
            " distribution of the same mean and standard deviation; bars far beyond its end"
            f" indicate a fat tail.{_trim_note(drawable)}"
        ),
        chart=plots[0][1] if len(plots) == 1 else Panels(panels=list(plots)),
    )


def _has_parts(result: TopicResult) -> bool:
    """Say whether every subject with a risk has a bias and a volatility."""
    parts = [result.values(risk) for risk in ("r_b", "r_v")]
    return all(set(values) >= set(result.ranking) for values in parts)


class _Axes(NamedTuple):
    x: Axis
    y: Axis


def _trim_note(results: Sequence[TopicResult]) -> str:
    n = max(len(result.ranking) for result in results)
    return f" Shown: the {MOST_DOTS} of {n} with the highest r." if n > MOST_DOTS else ""


def _risk_description(result: TopicResult) -> str:
    bias, volatility = result.values("r_b"), result.values("r_v")
    biased, volatile = (
        max(values, key=lambda name: (values[name], name)) for values in (bias, volatility)
    )
    return (
        f"Scatter plot of {len(result.ranking)} {result.nouns.many} for {result.label}. Largest"
        f" bias: {biased}, {numbers.plain(bias[biased])}; largest volatility: {volatile},"
        f" {numbers.plain(volatility[volatile])}. The table below has all values."
    )


def _risk_scatter(result: TopicResult, axes: _Axes, letter: float) -> Scatter:
    bias, volatility = result.values("r_b"), result.values("r_v")
    places = {
        name: (axes.x.at(bias[name]), axes.y.at(volatility[name]))
        for name in result.ranking[:MOST_DOTS]
    }
    name_sides = place_names(places, letter)
    return Scatter(
        dots=[
            Dot(x=x, y=y, title=_dot_title(result, name), tone=subject_tone(result, name),
                name=name if name in name_sides else None, is_name_left=name_sides.get(name, False))
            for name, (x, y) in places.items()
        ],
        x_ticks=axes.x.ticks(),
        y_ticks=axes.y.ticks(),
        x_axis="bias risk rᵇ",
        y_axis="volatility risk rᵛ",
        legend=[*association_legend(result), ("curve", "normal distribution")],
        top=_margin(result, "r_b", axes.x),
        side=_margin(result, "r_v", axes.y),
    )  # fmt: skip


def subject_tone(result: TopicResult, name: str) -> Tone:
    """Return the colour of a subject: the class of its significant association, of two."""
    association = result.associations.get(name)
    if association is None or not association.is_significant:
        return "quiet"
    if not result.is_two_sided:
        return "plain"
    return "positive" if association.name == result.classes[0] else "negative"


def association_legend(result: TopicResult) -> list[tuple[str, str]]:
    """Return the legend of the colours."""
    if not result.classes:
        return []
    none = ("quiet", "no significant association")
    if not result.is_two_sided:
        return [("plain", "associated with a class (after Holm’s correction)"), none]
    first, second = result.classes
    return [
        ("positive", f"associated with {first} (after Holm’s correction)"),
        ("negative", f"associated with {second} (after Holm’s correction)"),
        none,
    ]


def _dot_title(result: TopicResult, name: str) -> str:
    association = result.associations.get(name)
    to = (
        f", associated with {association.name} ({numbers.signed(association.value, digits=2)})"
        if association
        else ""
    )
    parts = [
        f"{SYMBOLS[risk]} {numbers.plain(result.values(risk)[name])}" for risk in ("r_b", "r_v")
    ]
    return f"{name}: {', '.join(parts)}{to}"


def place_names(
    places: Mapping[str, tuple[float, float]], letter: float = _LETTER
) -> dict[str, bool]:
    """Return the points to name, and whether the name goes to the left of the point.

    They are the points at the high ends of the axes; a name that would cover a point or another
    name is left out.

    >>> place_names({"a": (10.0, 90.0), "b": (99.0, 50.0)})
    {'a': False, 'b': True}
    """
    by_x, by_y = (
        sorted(places, key=lambda name: (-places[name][axis], name))[:_NAMED] for axis in (0, 1)
    )
    taken: list[_Box] = []
    sides: dict[str, bool] = {}
    for name in dict.fromkeys(name for pair in zip(by_y, by_x, strict=True) for name in pair):
        others = [place for other, place in places.items() if other != name]
        for is_left in (False, True):
            box = _name_box(places[name], letter * len(name), is_left=is_left)
            if box.is_free(others, taken):
                taken.append(box)
                sides[name] = is_left
                break
    return sides


class _Box(NamedTuple):
    """Position of a name, in percent of the plot."""

    left: float
    right: float
    y: float

    def is_free(self, points: Sequence[tuple[float, float]], names: Sequence["_Box"]) -> bool:
        """Say whether the name is inside the plot and covers no point and no other name."""
        return (
            self.left >= 0
            and self.right <= 100
            and not any(self.left < x < self.right and abs(y - self.y) < _LINE for x, y in points)
            and not any(
                self.left < other.right
                and other.left < self.right
                and abs(other.y - self.y) < 2 * _LINE
                for other in names
            )
        )


def _name_box(place: tuple[float, float], width: float, *, is_left: bool) -> _Box:
    x, y = place
    return _Box(x - _GAP - width, x - _GAP, y) if is_left else _Box(x + _GAP, x + _GAP + width, y)


def _margin(result: TopicResult, risk: str, axis: Axis) -> Margin | None:
    """Return the histogram of a risk along its axis, with the normal fit."""
    places = np.array([axis.at(value) for value in result.values(risk).values()])
    n_bins = int(np.clip(round(2 * math.sqrt(len(places))), *_BINS))
    counts, edges = np.histogram(places, bins=n_bins, range=(0.0, 100.0))
    width = 100 / n_bins
    statistics = distribution_statistics(result, risk)
    mean, sd = (statistics[name].value if name in statistics else None for name in ("mean", "sd"))
    heights = np.zeros(_CURVE_POINTS)
    at = np.linspace(0.0, 100.0, _CURVE_POINTS)
    if mean is not None and sd and axis.at(mean + sd) > axis.at(mean):
        scale = axis.at(mean + sd) - axis.at(mean)
        z = (at - axis.at(mean)) / scale
        heights = len(places) * width / (scale * math.sqrt(2 * math.pi)) * np.exp(-(z**2) / 2)
    top = max(float(counts.max()), float(heights.max()), 1.0)
    curve = zip(at.tolist(), (100 * heights / top).round(2).tolist(), strict=True)
    return Margin(
        bars=[
            (
                round(float(start) + _BAR_GAP / 2, 2),
                round(width - _BAR_GAP, 2),
                round(max(100 * int(count) / top, _LEAST_BAR), 2),
            )
            for start, count in zip(edges, counts, strict=False)
            if count
        ],
        curve=list(curve) if heights.any() else [],
    )


def fact_figure(result: TopicResult, factor: str) -> Figure | None:
    """Draw the risk of each subject against a fact, with the fitted line.

    The area of a point is its weight, the number of people. The figure needs the parts file.
    """
    rows = _fact_rows(result, factor)
    risks = result.values("r")
    points = [(name, x, weight, risks[name]) for name, x, weight in rows if name in risks]
    if len(points) < 3:
        return None
    words = FACTORS[factor]
    x_axis = Axis.of_span([x for _, x, _, _ in points], about=5)
    y_axis = Axis([risk for *_, risk in points])
    heaviest = max(weight for _, _, weight, _ in points)
    places = {name: (x_axis.at(x), y_axis.at(risk)) for name, x, _, risk in points}
    name_sides = place_names(places)
    many = result.nouns.many
    return Figure(
        title=f"Risk and {words.name}",
        description=f"Scatter plot of {len(points)} {many} for {result.label}: risk r against"
        f" {words.name}, with the fitted line. The table has the coefficient.",
        caption="The area of a point is its weight in the fit: the number of people employed."
        f"{' The axis is logarithmic.' if words.is_log else ''}",
        chart=Scatter(
            dots=[
                Dot(x=places[name][0], y=places[name][1], radius=_radius(weight / heaviest),
                    title=f"{name}: r {numbers.plain(risk)}", tone=subject_tone(result, name),
                    name=name if name in name_sides else None,
                    is_name_left=name_sides.get(name, False))
                for name, _, weight, risk in sorted(points, key=lambda one: -one[2])
            ],
            x_ticks=_log_ticks(x_axis, points) if words.is_log else x_axis.ticks(),
            y_ticks=y_axis.ticks(),
            x_axis=words.name,
            y_axis="risk r",
            legend=[*association_legend(result), ("fit", "weighted least squares")],
            line=_fit_line(result, factor, points, x_axis, y_axis),
        ),
    )  # fmt: skip


def _radius(share: float) -> float:
    return round(2.5 + 9.5 * math.sqrt(share), 2)


def _fact_rows(result: TopicResult, factor: str) -> list[tuple[str, float, float]]:
    parts = result.run.parts
    if parts is None or not {"table", "config", "factor", "subject", "x", "weight"} <= set(
        parts.columns
    ):
        return []
    rows = parts.filter(
        (pl.col("table") == "factors")
        & (pl.col("config") == result.config)
        & (pl.col("factor") == factor)
    ).select("subject", *(pl.col(name).cast(pl.Float64, strict=False) for name in ("x", "weight")))
    return [row for row in rows.drop_nulls().iter_rows() if row[2] > 0 and math.isfinite(row[1])]


_Point = tuple[str, float, float, float]


def _fit_line(
    result: TopicResult, factor: str, points: Sequence[_Point], x_axis: Axis, y_axis: Axis
) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """Return both ends of the fitted line, through the weighted means."""
    metric = result.metric(REGRESSION + factor)
    slope = None if metric is None else metric.by.get("r", {}).get("coefficient")
    if slope is None or slope.value is None:
        return None
    x, weights, r = (np.array([point[i] for point in points]) for i in (1, 2, 3))
    middle = float(np.average(x, weights=weights)), float(np.average(r, weights=weights))
    first, last = (
        (x_axis.at(at), y_axis.at(middle[1] + slope.value * (at - middle[0])))
        for at in (float(x.min()), float(x.max()))
    )
    return first, last


def _log_ticks(axis: Axis, points: Sequence[_Point]) -> list[Tick]:
    """Return ticks at 1, 2 and 5 times powers of ten, of an axis of natural logarithms."""
    low, high = (side(point[1] for point in points) for side in (min, max))
    powers = range(math.floor(low / math.log(10)), math.ceil(high / math.log(10)) + 1)
    values = [m * 10.0**power for power in powers for m in (1, 2, 5)]
    return [
        Tick(at=axis.at(math.log(value)), label=f"{value:,.0f}" if value >= 1 else f"{value:g}")
        for value in values
        if low <= math.log(value) <= high
    ]
