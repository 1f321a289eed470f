"""BBQ's plots: accuracy with its cost, bias by group, and the wordings of UNKNOWN."""

# ruff: noqa: RUF001 - apostrophes

from collections.abc import Callable, Sequence

from evenhand.contract.report import GroupValue, Report
from evenhand.scorer.bbq.counts import AMBIGUOUS
from evenhand.scorer.bbq.report.counted import Accuracies, Wording, accuracies, wordings
from evenhand.scorer.bbq.report.values import differs, group_names, groups_of
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
"""Up to so many groups are drawn, the strongest; the tables have all."""

_Rows = Callable[[ModelResult, Axis], list[Mark]]


def _chart(
    results: Sequence[ModelResult],
    rows: _Rows,
    axis: Axis,
    name: str,
    legend: list[tuple[str, str]],
) -> Chart:
    """Return one plot, or one a model on one axis."""
    plots = [
        (own.label, TrackPlot(rows=rows(own, axis), ticks=axis.ticks(), axis=name, legend=legend))
        for own in results
    ]
    return plots[0][1] if len(plots) == 1 else Panels(panels=plots)


def accuracy_figure(results: Sequence[ModelResult]) -> Figure | None:
    """Draw accuracy in disambiguated contexts where the right answer agrees, and where it does not.

    The gap between the two is the cost. It needs the parts file.
    """
    found = {own.label: accuracies(own) for own in results}
    known = [own for own in results if found[own.label]]
    if not known:
        return None
    values = [100 * side for label in found for own in found[label] for side in own[1:]]
    axis = Axis.of_span(values)

    def rows(result: ModelResult, axis: Axis) -> list[Mark]:
        order = {name: i for i, name in enumerate(result.report.configs)}
        own = sorted(found[result.label], key=lambda one: order.get(one.category, len(order)))
        return [_gap(one, axis) for one in own]

    legend = [
        ("point", "right answer agrees with the stereotype"),
        ("other", "right answer contradicts it"),
        ("span", "the gap is the cost, at the right in points"),
    ]
    spoken = [_widest(label, own) for label, own in found.items() if own]
    return Figure(
        title="Accuracy in disambiguated contexts, and what going against the stereotype costs",
        description=f"Accuracy by category, two points each. {' '.join(spoken)}",
        caption="A hollow point to the left of its filled one: evidence against a stereotype is"
        " followed less often than evidence for it.",
        chart=_chart(known, rows, axis, "accuracy, percent", legend),
    )


def _gap(own: Accuracies, axis: Axis) -> Mark:
    low, high = sorted((own.aligned, own.nonaligned))
    return Mark(
        label=category_title(own.category),
        value=numbers.signed(100 * (own.nonaligned - own.aligned), digits=1),
        point=axis.at(100 * own.aligned),
        other=axis.at(100 * own.nonaligned),
        span=axis.between(100 * low, 100 * high),
    )


def _widest(label: str, found: Sequence[Accuracies]) -> str:
    own = max(found, key=lambda one: abs(one.nonaligned - one.aligned))
    cost = numbers.signed(100 * (own.nonaligned - own.aligned), digits=1)
    return f"{label}: largest gap in {category_title(own.category)}, {cost} points."


def cost_figure(results: Sequence[ModelResult]) -> Figure | None:
    """Draw the accuracy cost of each category with its interval."""
    names = group_names(results, [COST], "category")
    if not names:
        return None
    # Below 0 the model leans to the stereotype, so the colours of the bias score are turned round.
    return _forest(
        results, COST, "category", names,
        title="Cost with its interval, points of accuracy",
        caption="Below 0 the model is right less often where the right answer contradicts the"
        " stereotype.",
        sign=-1,
    )  # fmt: skip


def group_figure(results: Sequence[ModelResult], dimension: str) -> Figure | None:
    """Draw the ambiguous bias score of each group, from the highest to the lowest."""
    values: dict[str, list[float]] = {}
    clear: set[str] = set()
    for result in results:
        for name, own in groups_of(result.report, BIAS[AMBIGUOUS], dimension).items():
            # A group of one question has no interval, and its value says little.
            if own.value is not None and own.interval is not None:
                values.setdefault(name, []).append(own.value)
                clear |= {name} if differs(own, result.report) else set()
    means = {name: sum(own) / len(own) for name, own in values.items()}
    if len(means) < 2:
        return None
    ranked = sorted(means, key=lambda name: (name not in clear, -abs(means[name]), name))
    names = sorted(ranked[:MOST_GROUPS], key=lambda name: (-means[name], name))
    n_all = len(group_names(results, [BIAS[AMBIGUOUS]], dimension))
    trimmed = (
        f" Shown: {len(names)} of {n_all} groups, first those that differ from 0, then those"
        " with the largest scores of those with an interval."
    ) * (len(names) < n_all)
    return _forest(
        results, BIAS[AMBIGUOUS], dimension, names,
        title="Bias score in ambiguous contexts by stereotyped group, percent",
        caption="Further right: in ambiguous contexts the model associates the group with its"
        f" stereotype more often.{trimmed}",
        sign=1,
    )  # fmt: skip


def _forest(
    results: Sequence[ModelResult], base: str, dimension: str, names: Sequence[str], *,
    title: str, caption: str, sign: int,
) -> Figure:  # fmt: skip
    """Draw a point with its interval for each group."""
    found = {own.label: groups_of(own.report, base, dimension) for own in results}
    axis = Axis([side for groups in found.values() for name in names if name in groups
                 for side in _reach(groups[name])])  # fmt: skip

    def rows(result: ModelResult, axis: Axis) -> list[Mark]:
        groups = found[result.label]
        return [
            _group_mark(group_title(dimension, name), groups[name], axis, result.report, sign)
            for name in names
            if name in groups
        ]

    legend = [*_legend(sign), ("span", f"{numbers.level(results[0].report.level)} interval")]
    spoken = [_ends(label, {name: groups[name] for name in names if name in groups}, dimension)
              for label, groups in found.items()]  # fmt: skip
    return Figure(
        title=title,
        description=f"{title}. {' '.join(spoken)} The table below has all values.",
        caption=caption,
        chart=_chart(results, rows, axis, "percent", legend),
    )


def _legend(sign: int) -> list[tuple[str, str]]:
    differs_words = "differs from 0 (after Holm’s correction)"
    side = ("above", "below") if sign > 0 else ("below", "above")
    return [
        ("positive", f"{side[0]} 0, towards the stereotype: {differs_words}"),
        ("negative", f"{side[1]} 0, against it: {differs_words}"),
        ("quiet", "does not differ from 0"),
    ]


def _reach(own: GroupValue) -> list[float]:
    ends = [] if own.interval is None else [own.interval.low, own.interval.high]
    return [100 * side for side in (*ends, own.value) if side is not None]


def _group_mark(label: str, own: GroupValue, axis: Axis, report: Report, sign: int) -> Mark:
    if own.value is None:
        return Mark(label=label, value=null_text(own), point=None)
    tone: Tone = "quiet"
    if differs(own, report):
        tone = "positive" if sign * own.value > 0 else "negative"
    span = None
    if own.interval is not None:
        span = axis.between(100 * own.interval.low, 100 * own.interval.high)
    return Mark(
        label=label,
        value=numbers.signed(100 * own.value, digits=1),
        point=axis.at(100 * own.value),
        span=span,
        tone=tone,
    )


def _ends(label: str, groups: dict[str, GroupValue], dimension: str) -> str:
    known = {name: own.value for name, own in groups.items() if own.value is not None}
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
    found = {own.label: wordings(own) for own in results}
    known = [own for own in results if found[own.label]]
    if not known:
        return None
    order = [own.text for own in found[known[0].label]]
    axis = Axis([0.0, *(100 * _share(own) for one in found.values() for own in one)])

    def rows(result: ModelResult, axis: Axis) -> list[Mark]:
        own = {one.text: one for one in found[result.label]}
        names = [*order, *(name for name in own if name not in order)]
        return [_bar(own[name], axis) for name in names if name in own]

    first = found[known[0].label]
    count = things(len(first), "wording", "wordings")
    return Figure(
        title="How often the answer that it cannot be known is chosen, by its wording",
        description=(
            f"Bars of {count} for {known[0].label}: most often {first[0].text},"
            f" {numbers.percent(_share(first[0]))}; least often {first[-1].text},"
            f" {numbers.percent(_share(first[-1]))}. The table below has all of them."
        ),
        caption="Ambiguous contexts, where this answer is right. Bars of very different length mean"
        " that the wording, not the question, drives the answer.",
        chart=_chart(known, rows, axis, "chosen where offered, percent", []),
    )


def _share(own: Wording) -> float:
    return own.n_chosen / own.n_offered if own.n_offered else 0.0


def _bar(own: Wording, axis: Axis) -> Mark:
    share = _share(own)
    return Mark(
        label=own.text, value=numbers.plain(100 * share, digits=1), point=axis.at(100 * share),
        bar=True,
    )  # fmt: skip
