"""BBQ's plots: accuracy with its cost, bias by group, and the wordings of UNKNOWN."""

# ruff: noqa: RUF001 - apostrophes

from collections.abc import Callable, Sequence

from evenhand.contract.report import GroupValue, Report
from evenhand.scorer.bbq.counts import AMBIGUOUS
from evenhand.scorer.bbq.report.counted import Accuracies, Wording, accuracies, wordings
from evenhand.scorer.bbq.report.values import differs, group_names, group_values
from evenhand.scorer.bbq.report.words import (
    BIAS,
    COST,
    category_title,
    group_title,
)
from evenhand.scorer.report import numbers
from evenhand.scorer.report.blocks import Chart, Figure, Mark, Panels, Tone, TrackPlot
from evenhand.scorer.report.numbers import Axis
from evenhand.scorer.report.reading import ModelResult
from evenhand.scorer.report.words import null_text, things

MOST_GROUPS = 24
"""The most groups that are drawn, those with the strongest scores; the tables list all."""

_Rows = Callable[[ModelResult, Axis], list[Mark]]


def _chart(
    results: Sequence[ModelResult],
    rows: _Rows,
    axis: Axis,
    name: str,
    legend: list[tuple[str, str]],
) -> Chart:
    """Return one plot, or one panel per model on a shared axis."""
    plots = [
        (
            result.label,
            TrackPlot(rows=rows(result, axis), ticks=axis.ticks(), axis=name, legend=legend),
        )
        for result in results
    ]
    return plots[0][1] if len(plots) == 1 else Panels(panels=plots)


def accuracy_figure(results: Sequence[ModelResult]) -> Figure | None:
    """Draw accuracy where the right answer agrees with the stereotype and where it contradicts it.

    The gap between the two, in disambiguated contexts, is the cost. It needs the parts file.
    """
    by_model = {result.label: accuracies(result) for result in results}
    known = [result for result in results if by_model[result.label]]
    if not known:
        return None
    pairs = [pair for categories in by_model.values() for pair in categories]
    values = [100 * share for pair in pairs for share in (pair.aligned, pair.nonaligned)]
    axis = Axis.of_span(values)

    def rows(result: ModelResult, axis: Axis) -> list[Mark]:
        order = {name: i for i, name in enumerate(result.report.configs)}
        categories = sorted(
            by_model[result.label], key=lambda pair: order.get(pair.category, len(order))
        )
        return [_gap(pair, axis) for pair in categories]

    legend = [
        ("point", "right answer agrees with the stereotype"),
        ("other", "right answer contradicts it"),
        ("span", "the gap is the cost, in percentage points on the right"),
    ]
    spoken = [_widest(label, categories) for label, categories in by_model.items() if categories]
    return Figure(
        title="Accuracy in disambiguated contexts by agreement with the stereotype",
        description=f"Accuracy by category, two points each. {' '.join(spoken)}",
        caption="Where the hollow point lies to the left of the filled one, the model follows"
        " evidence against a stereotype less often than evidence for it.",
        chart=_chart(known, rows, axis, "accuracy, percent", legend),
    )


def _gap(accuracy: Accuracies, axis: Axis) -> Mark:
    low, high = sorted((accuracy.aligned, accuracy.nonaligned))
    return Mark(
        label=category_title(accuracy.category),
        value=numbers.signed(100 * (accuracy.nonaligned - accuracy.aligned), digits=1),
        point=axis.at(100 * accuracy.aligned),
        other=axis.at(100 * accuracy.nonaligned),
        span=axis.between(100 * low, 100 * high),
    )


def _widest(label: str, by_category: Sequence[Accuracies]) -> str:
    widest = max(by_category, key=lambda category: abs(category.nonaligned - category.aligned))
    cost = numbers.signed(100 * (widest.nonaligned - widest.aligned), digits=1)
    return f"{label}: largest gap in {category_title(widest.category)}, {cost} points."


def cost_figure(results: Sequence[ModelResult]) -> Figure | None:
    """Draw the accuracy cost of each category with its interval."""
    names = group_names(results, [COST], "category")
    if not names:
        return None
    # A cost below 0 is a bias towards the stereotype, so its colours are those of a bias score
    # above 0.
    return _forest(
        results, COST, "category", names,
        title="Accuracy cost of bias nonalignment, percentage points",
        caption="Below 0 the model is right less often where the right answer contradicts the"
        " stereotype.",
        sign=-1,
    )  # fmt: skip


def group_figure(results: Sequence[ModelResult], dimension: str) -> Figure | None:
    """Draw the ambiguous bias score of each group, from the highest to the lowest."""
    values: dict[str, list[float]] = {}
    significant: set[str] = set()
    for result in results:
        for name, score in group_values(result.report, BIAS[AMBIGUOUS], dimension).items():
            # A group of one question has no interval, and its value says little.
            if score.value is not None and score.interval is not None:
                values.setdefault(name, []).append(score.value)
                significant |= {name} if differs(score, result.report) else set()
    means = {name: sum(scores) / len(scores) for name, scores in values.items()}
    if len(means) < 2:
        return None
    ranked = sorted(means, key=lambda name: (name not in significant, -abs(means[name]), name))
    names = sorted(ranked[:MOST_GROUPS], key=lambda name: (-means[name], name))
    n_all = len(group_names(results, [BIAS[AMBIGUOUS]], dimension))
    trimmed = (
        f" Shown: {len(names)} of {n_all} groups: those that differ from 0, then those with the"
        " largest scores. Groups without an interval are left out."
    ) * (len(names) < n_all)
    return _forest(
        results, BIAS[AMBIGUOUS], dimension, names,
        title="Bias score in ambiguous contexts by stereotyped group, percent",
        caption="The further right a group, the more often the model associates it with its"
        f" stereotype in ambiguous contexts.{trimmed}",
        sign=1,
    )  # fmt: skip


def _forest(
    results: Sequence[ModelResult], base: str, dimension: str, names: Sequence[str], *,
    title: str, caption: str, sign: int,
) -> Figure:  # fmt: skip
    """Draw a point with its interval for each group."""
    by_model = {result.label: group_values(result.report, base, dimension) for result in results}
    axis = Axis([side for groups in by_model.values() for name in names if name in groups
                 for side in _reach(groups[name])])  # fmt: skip

    def rows(result: ModelResult, axis: Axis) -> list[Mark]:
        groups = by_model[result.label]
        return [
            _group_mark(group_title(dimension, name), groups[name], axis, result.report, sign)
            for name in names
            if name in groups
        ]

    legend = [*_legend(sign), ("span", f"{numbers.level(results[0].report.level)} interval")]
    spoken = [_ends(label, {name: groups[name] for name in names if name in groups}, dimension)
              for label, groups in by_model.items()]  # fmt: skip
    return Figure(
        title=title,
        description=f"{title}. {' '.join(spoken)} The table below has all values.",
        caption=caption,
        chart=_chart(results, rows, axis, "percent", legend),
    )


def _legend(sign: int) -> list[tuple[str, str]]:
    differs_words = "significant after Holm’s correction"
    side = ("above", "below") if sign > 0 else ("below", "above")
    return [
        ("positive", f"{side[0]} 0: bias towards the stereotype, {differs_words}"),
        ("negative", f"{side[1]} 0: bias against it, {differs_words}"),
        ("quiet", "does not differ significantly from 0"),
    ]


def _reach(number: GroupValue) -> list[float]:
    ends = [] if number.interval is None else [number.interval.low, number.interval.high]
    return [100 * side for side in (*ends, number.value) if side is not None]


def _group_mark(label: str, number: GroupValue, axis: Axis, report: Report, sign: int) -> Mark:
    if number.value is None:
        return Mark(label=label, value=null_text(number), point=None)
    tone: Tone = "quiet"
    if differs(number, report):
        tone = "positive" if sign * number.value > 0 else "negative"
    span = None
    if number.interval is not None:
        span = axis.between(100 * number.interval.low, 100 * number.interval.high)
    return Mark(
        label=label,
        value=numbers.signed(100 * number.value, digits=1),
        point=axis.at(100 * number.value),
        span=span,
        tone=tone,
    )


def _ends(label: str, groups: dict[str, GroupValue], dimension: str) -> str:
    known = {name: number.value for name, number in groups.items() if number.value is not None}
    if not known:
        return f"{label}: no value."
    top, bottom = max(known, key=known.__getitem__), min(known, key=known.__getitem__)
    return (
        f"{label}: highest {group_title(dimension, top)},"
        f" {numbers.signed(100 * known[top], digits=1)}; lowest {group_title(dimension, bottom)},"
        f" {numbers.signed(100 * known[bottom], digits=1)}."
    )


def wording_figure(results: Sequence[ModelResult]) -> Figure | None:
    """Draw how often each wording of UNKNOWN is chosen where it is right."""
    by_model = {result.label: wordings(result) for result in results}
    known = [result for result in results if by_model[result.label]]
    if not known:
        return None
    order = [wording.text for wording in by_model[known[0].label]]
    shares = [_share(wording) for listed in by_model.values() for wording in listed]
    axis = Axis([0.0, *(100 * share for share in shares)])

    def rows(result: ModelResult, axis: Axis) -> list[Mark]:
        by_text = {wording.text: wording for wording in by_model[result.label]}
        texts = [*order, *(text for text in by_text if text not in order)]
        return [_bar(by_text[text], axis) for text in texts if text in by_text]

    first = by_model[known[0].label]
    count = things(len(first), "wording", "wordings")
    return Figure(
        title="How often the UNKNOWN answer is chosen, by its wording",
        description=(
            f"Bars of {count} for {known[0].label}: most often {first[0].text},"
            f" {numbers.percent(_share(first[0]))}; least often {first[-1].text},"
            f" {numbers.percent(_share(first[-1]))}. The table below has all of them."
        ),
        caption="Ambiguous contexts, where this answer is right. Bars of very different lengths"
        " suggest that the wording, not the question, decides the answer.",
        chart=_chart(known, rows, axis, "chosen where offered, percent", []),
    )


def _share(wording: Wording) -> float:
    return wording.n_chosen / wording.n_offered if wording.n_offered else 0.0


def _bar(wording: Wording, axis: Axis) -> Mark:
    share = _share(wording)
    return Mark(
        label=wording.text, value=numbers.plain(100 * share, digits=1), point=axis.at(100 * share),
        bar=True,
    )  # fmt: skip
