"""BVF's plots with labelled rows: preferences over contexts, and models side by side."""

# ruff: noqa: RUF001 - true minus signs and apostrophes

from collections.abc import Mapping, Sequence

import numpy as np

from evenhand.contract.report import Metric
from evenhand.scorer.bvf.report.cells import Quartiles, read_quartiles
from evenhand.scorer.bvf.report.findings import BY_CHANCE, axis_values
from evenhand.scorer.bvf.report.scatter import association_legend, subject_tone
from evenhand.scorer.bvf.report.values import TopicResult, differs
from evenhand.scorer.bvf.report.words import R_B, R_V, metric_words, value_text
from evenhand.scorer.report import numbers
from evenhand.scorer.report.blocks import Figure, Mark, Matrix, MatrixCell, MatrixRow, Panels
from evenhand.scorer.report.blocks import TrackPlot as Track
from evenhand.scorer.report.numbers import Axis

ENDS, ALL_UP_TO = 10, 24
"""Subjects drawn at either end, and the number up to which all are drawn."""
HEAT_STEPS = 5
PARTS_BY_MODEL = "Bias and volatility by model"
_BOX_LEGEND = [
    ("box", "middle half of the contexts, median"),
    ("span", "minimum to maximum"),
    ("mean", "mean, at the right as a number"),
]


def preference_figure(results: Sequence[TopicResult]) -> Figure | None:
    """Draw the preferences for a class over contexts as one box plot for each subject.

    With two classes one is enough, since the other mirrors it. The figure needs the parts file.
    """
    boxes = {result.label: _boxes(result) for result in results}
    drawable = [result for result in results if boxes[result.label]]
    if not drawable:
        return None
    names, n_between = _select_subjects(drawable, boxes)
    shown = [
        boxes[result.label][name]
        for result in drawable
        for name in names
        if name in boxes[result.label]
    ]
    axis = Axis([side for box in shown for side in (box.least, box.greatest)], about=5)
    first = drawable[0]
    of = first.classes[0] if first.is_two_sided else "the preferred class"
    plots = [
        (
            result.label,
            Track(
                rows=_preference_rows(result, boxes[result.label], names, n_between, axis),
                ticks=axis.ticks(),
                axis=f"preference for {of}",
                legend=[
                    *((f"of-{name}", text) for name, text in association_legend(result)),
                    *_BOX_LEGEND,
                ],
            ),
        )
        for result in drawable
    ]
    return Figure(
        title=f"Preference for {of} over contexts, by {first.nouns.one}",
        description=" ".join(
            _preference_description(result, boxes[result.label], of) for result in drawable
        ),
        caption=_preference_caption(first),
        chart=plots[0][1] if len(plots) == 1 else Panels(panels=list(plots)),
    )


def _boxes(result: TopicResult) -> dict[str, Quartiles]:
    """Return each subject's box: for the first of two classes, else for the preferred class."""
    if not result.classes:
        return {}
    if result.is_two_sided:
        return read_quartiles(result, result.classes[0])
    by_class = {name: read_quartiles(result, name) for name in result.classes}
    return {
        subject: by_class[association.name][subject]
        for subject, association in result.associations.items()
        if subject in by_class[association.name]
    }


def _select_subjects(
    results: Sequence[TopicResult], boxes: Mapping[str, Mapping[str, Quartiles]]
) -> tuple[list[str], int]:
    """Return the subjects by their mean over the models, and the number omitted in between."""
    values: dict[str, list[float]] = {}
    for result in results:
        for name, box in boxes[result.label].items():
            values.setdefault(name, []).append(box.mean)
    ranked = sorted(values, key=lambda name: (-float(np.mean(values[name])), name))
    if len(ranked) <= ALL_UP_TO:
        return ranked, 0
    return [*ranked[:ENDS], *ranked[-ENDS:]], len(ranked) - 2 * ENDS


def _preference_rows(
    result: TopicResult,
    boxes: Mapping[str, Quartiles],
    names: Sequence[str],
    n_between: int,
    axis: Axis,
) -> list[Mark]:
    rows = [_box_mark(result, name, boxes[name], axis) for name in names if name in boxes]
    if n_between:
        gap = Mark(label=f"… {n_between} between", value="", point=None, tone="quiet")
        rows.insert(sum(name in boxes for name in names[:ENDS]), gap)
    return rows


def _box_mark(result: TopicResult, name: str, box: Quartiles, axis: Axis) -> Mark:
    association = result.associations.get(name)
    label = name if result.is_two_sided or association is None else f"{name} · {association.name}"
    return Mark(
        label=label,
        value=numbers.signed(box.mean, digits=2),
        point=axis.at(box.mean),
        box=(axis.at(box.lower), axis.at(box.median), axis.at(box.upper)),
        span=axis.between(box.least, box.greatest),
        tone=subject_tone(result, name),
    )


def _preference_description(result: TopicResult, boxes: Mapping[str, Quartiles], of: str) -> str:
    top, bottom = (side(boxes, key=lambda name: (boxes[name].mean, name)) for side in (max, min))
    return (
        f"Box plots of {len(boxes)} {result.nouns.many} for {result.label}, preference for {of}."
        f" Highest: {top}, mean {numbers.signed(boxes[top].mean, digits=2)}; lowest: {bottom},"
        f" mean {numbers.signed(boxes[bottom].mean, digits=2)}."
    )


def _preference_caption(result: TopicResult) -> str:
    sides = (
        f"Right of 0: {result.classes[0]}; left: {result.classes[1]}."
        if result.is_two_sided
        else "0 is the preference of an unbiased model."
    )
    return (
        f"{sides} Contexts are weighted. Where a box crosses 0, the preference changes direction"
        " with the context."
    )


def part_figure(results: Sequence[TopicResult]) -> Figure | None:
    """Draw bias and volatility of each model as bars, each on its own axis."""
    plots = [
        (f"{words.label[:1].upper()}{words.label[1:]} {words.symbol}", _part_plot(metrics))
        for metric_id in (R_B, R_V)
        for words in [metric_words(metric_id)]
        for metrics in [_metrics_by_label(results, metric_id)]
        if len(metrics) > 1
    ]
    if len(plots) < 2:
        return None
    values = "; ".join(f"{result.label}: {_part_values(result)}" for result in results)
    return Figure(
        title=PARTS_BY_MODEL,
        description=f"Bars of bias risk and volatility risk for {len(results)} runs. {values}.",
        caption="Each part has its own axis; their sum is R.",
        chart=Panels(panels=list(plots)),
    )


def _part_values(result: TopicResult) -> str:
    parts = [result.metric(metric_id) for metric_id in (R_B, R_V)]
    return ", ".join(value_text(part.id, part) for part in parts if part is not None)


def _metrics_by_label(results: Sequence[TopicResult], metric_id: str) -> dict[str, Metric]:
    metrics = {result.label: result.metric(metric_id) for result in results}
    return {label: metric for label, metric in metrics.items() if metric is not None}


def _part_plot(metrics: Mapping[str, Metric]) -> Track:
    axis = Axis([0.0, *(side for metric in metrics.values() for side in axis_values(metric))])
    return Track(
        rows=[_part_mark(label, metric, axis) for label, metric in metrics.items()],
        ticks=axis.ticks(),
        axis="risk",
        legend=[("span", "interval"), BY_CHANCE],
    )


def _part_mark(label: str, metric: Metric, axis: Axis) -> Mark:
    interval, reference = metric.interval, metric.null_reference
    return Mark(
        label=label,
        value=value_text(metric.id, metric),
        point=None if metric.value is None else axis.at(metric.value),
        span=None if interval is None else axis.between(interval.low, interval.high),
        band=axis.between(0.0, reference.quantile_95)
        if reference is not None and reference.quantile_95 > 0
        else None,
        bar=True,
    )


def spread_figure(results: Sequence[TopicResult]) -> Figure | None:
    """Draw each model's preferences over subjects as a box plot, for two classes.

    Source of the figure: the paper's figure 5.
    """
    drawable = [result for result in results if result.is_two_sided and len(result.ranking) > 1]
    if len(drawable) < 2:
        return None
    name, other = drawable[0].classes
    boxes = {result.label: _subject_box(result, name) for result in drawable}
    axis = Axis([side for box in boxes.values() for side in (box.least, box.greatest)])
    medians = "; ".join(f"{label} {numbers.signed(box.median)}" for label, box in boxes.items())
    many = drawable[0].nouns.many
    return Figure(
        title=f"Which class {many} are associated with, by model",
        description=f"Box plots of the mean preference for {name} over {many}. Medians: {medians}.",
        caption=f"One box for each model, over its {many}. Right of 0: {name}; left: {other}.",
        chart=Track(
            rows=[
                Mark(
                    label=label,
                    value=numbers.signed(box.mean, digits=2),
                    point=axis.at(box.mean),
                    box=(axis.at(box.lower), axis.at(box.median), axis.at(box.upper)),
                    span=axis.between(box.least, box.greatest),
                )
                for label, box in boxes.items()
            ],
            ticks=axis.ticks(),
            axis=f"mean preference for {name}",
            legend=[
                ("box", f"middle half of the {many}, median"),
                ("span", "minimum to maximum"),
                ("mean", "mean, at the right as a number"),
            ],
        ),
    )


def _subject_box(result: TopicResult, name: str) -> Quartiles:
    by = result.directions[name].by.get("subject", {})
    values = np.array([estimate.value for estimate in by.values() if estimate.value is not None])
    least, lower, median, upper, greatest = np.quantile(values, [0, 0.25, 0.5, 0.75, 1]).tolist()
    return Quartiles(float(values.mean()), least, lower, median, upper, greatest)


def class_figure(result: TopicResult) -> Figure | None:
    """Draw the preferences of each subject as a matrix, for three or more classes."""
    if len(result.classes) < 3 or not result.ranking:
        return None
    names = result.ranking[:ALL_UP_TO]
    preferences = {(name, y): result.preference(y, name) for name in names for y in result.classes}
    limit = max((abs(one.value) for one in preferences.values() if one and one.value is not None),
                default=0.0) or 1.0  # fmt: skip

    def cell(name: str, of: str) -> MatrixCell:
        one, title = preferences[name, of], f"{name}, {of}"
        if one is None or one.value is None:
            return MatrixCell(text="–", step=None, title=f"{title}: no value")
        return MatrixCell(
            text=numbers.signed(one.value, digits=2),
            step=round(HEAT_STEPS * one.value / limit),
            title=f"{title}: {numbers.signed(one.value)}",
            is_strong=differs(one, result.report),
        )

    n = len(result.ranking)
    trim_note = f" Shown: the {len(names)} of {n} with the highest risk." if len(names) < n else ""
    return Figure(
        title=f"Preference for each class, by {result.nouns.one}",
        description=f"Matrix of mean preferences of {len(names)} {result.nouns.many} for"
        f" {len(result.classes)} classes, {result.label}.",
        caption=f"Orange: more probable than under an unbiased model; blue: less.{trim_note}",
        chart=Matrix(
            corner=result.nouns.one.capitalize(),
            groups=[("", result.classes)],
            rows=[
                MatrixRow(label=name, cells=[cell(name, of) for of in result.classes])
                for name in names
            ],
            scale=[
                (step, numbers.signed(limit * step / HEAT_STEPS, digits=1))
                for step in range(-HEAT_STEPS, HEAT_STEPS + 1)
            ],
            legend="differs from 0 (after Holm’s correction).",
        ),
    )
