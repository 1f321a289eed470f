"""UnQover's figures: ranks of subjects, intensity by model, and the matrix of preferences."""

# ruff: noqa: RUF001 - the symbols are the paper's

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from evenhand.contract.report import GroupValue, Metric, Report
from evenhand.scorer.report import numbers
from evenhand.scorer.report.blocks import Figure, HeatCell, HeatMap, Mark, Tone, TrackPlot
from evenhand.scorer.report.numbers import Axis
from evenhand.scorer.report.reading import ModelResult
from evenhand.scorer.report.words import null_text, things
from evenhand.scorer.unqover.report.findings import NULL_BAND, differs, find_metric, group_values
from evenhand.scorer.unqover.report.pairs import Pair
from evenhand.scorer.unqover.report.words import ClassWords, class_words, value_text
from evenhand.scorer.unqover.tables import ranks_across_models, subject_gammas

T = TypeVar("T")

# The paper trims its figure of nationalities in the same way: eight at either end.
ENDS = 10
ALL_UP_TO = 24
"""Up to this number every subject is drawn, otherwise :data:`ENDS` at either end."""

HEAT_SUBJECTS, HEAT_ATTRIBUTES = 16, 20
HEAT_STEPS = 5

_TONE_LEGEND = [
    ("positive", "chosen more often (significant after Holm’s correction)"),
    ("negative", "chosen less often (significant after Holm’s correction)"),
    ("quiet", "does not differ significantly from 0"),
]


def rank_figure(result: ModelResult, config: str) -> Figure | None:
    """Draw gamma of each subject with its interval, from the highest to the lowest."""
    values = group_values(result.report, "unqover.gamma", config)
    known = {name: value for name, value in values.items() if value.value is not None}
    if not known:
        return None
    words = class_words(config)
    ranked = sorted(known, key=lambda name: (-_gamma(known[name]), name))
    shown, n_between = _ends(ranked)
    axis = Axis([side for name in shown for side in _reach(known[name])], about=5)
    rows = [_gamma_mark(name, known[name], axis, result.report) for name in shown]
    if n_between:
        rows.insert(ENDS, _gap(n_between))
    rows += [
        Mark(label=name, value=null_text(value), point=None)
        for name, value in values.items()
        if value.value is None
    ]
    return Figure(
        title=f"{words.subjects.capitalize()} ranked by γ(x)",
        description=_rank_description(result.label, ranked, known, words),
        caption=_rank_caption(words, result.report),
        chart=TrackPlot(
            rows=rows,
            ticks=axis.ticks(),
            axis="γ(x), mean preference for the subject",
            legend=[*_TONE_LEGEND, ("span", f"{numbers.level(result.report.level)} interval")],
        ),
    )


def _gamma(value: GroupValue) -> float:
    return value.value or 0.0


def _reach(value: GroupValue) -> tuple[float, ...]:
    gamma, interval = _gamma(value), value.interval
    return (gamma,) if interval is None else (gamma, interval.low, interval.high)


def _ends(ranked: list[T]) -> tuple[list[T], int]:
    """Return the subjects that are drawn, and the number left out between the two ends."""
    if len(ranked) <= ALL_UP_TO:
        return ranked, 0
    return ranked[:ENDS] + ranked[-ENDS:], len(ranked) - 2 * ENDS


def _gap(n_between: int) -> Mark:
    return Mark(label=f"… {n_between} between", value="", point=None, tone="quiet")


def _gamma_mark(name: str, value: GroupValue, axis: Axis, report: Report) -> Mark:
    gamma = _gamma(value)
    tone: Tone = "quiet"
    if differs(value, report):
        tone = "positive" if gamma > 0 else "negative"
    span = None
    if value.interval is not None:
        span = axis.between(value.interval.low, value.interval.high)
    return Mark(label=name, value=numbers.signed(gamma), point=axis.at(gamma), span=span, tone=tone)


def _rank_description(
    model: str, ranked: list[str], known: dict[str, GroupValue], words: ClassWords
) -> str:
    top, bottom = ranked[0], ranked[-1]
    return (
        f"Rank plot of {len(ranked)} {words.subjects} for {model}. Highest: {top} with gamma"
        f" {numbers.signed(_gamma(known[top]))}; lowest: {bottom} with gamma"
        f" {numbers.signed(_gamma(known[bottom]))}. The table below has all values."
    )


def _rank_caption(words: ClassWords, report: Report) -> str:
    meaning = (
        "The attributes are unfavourable: the further right a subject, the more strongly the model"
        " associates it with them."
        if words.is_unfavourable
        else "The further right a subject, the more often it is chosen, whatever the attribute."
    )
    return (
        f"{meaning} Filled points differ from 0 after Holm’s correction at"
        f" {numbers.level(1 - report.level)}."
    )


def mean_rank_figure(results: Sequence[ModelResult], config: str) -> Figure | None:
    """Draw each subject's mean rank over the models with its standard deviation."""
    ranks = mean_ranks(results, config)
    if not ranks:
        return None
    shown, n_between = _ends(ranks)
    axis = Axis.of_ranks(len(ranks))
    rows = [_mean_rank_mark(rank, axis) for rank in shown]
    if n_between:
        rows.insert(ENDS, _gap(n_between))
    words, n_models = class_words(config), max(rank.n_models for rank in ranks)
    return Figure(
        title=f"Mean rank of {words.subjects} over {n_models} models",
        description=(
            f"Mean rank by gamma of {len(ranks)} {words.subjects} over {n_models} models. First:"
            f" {ranks[0].subject}, mean rank {ranks[0].mean:.1f}; last: {ranks[-1].subject}, mean"
            f" rank {ranks[-1].mean:.1f}."
        ),
        caption=(
            "Rank 1 has the highest γ(x). Lines extend one standard deviation over the models shown"
            " to either side; short lines mean that the models agree."
        ),
        chart=TrackPlot(
            rows=rows,
            ticks=axis.ticks(),
            axis="mean rank by γ(x)",
            legend=[("point", "mean rank"), ("span", "± 1 standard deviation")],
        ),
    )


class MeanRank(NamedTuple):
    """One subject's rank over several models."""

    subject: str
    mean: float
    deviation: float
    n_models: int


def mean_ranks(results: Sequence[ModelResult], config: str) -> list[MeanRank]:
    """Return mean rank and standard deviation of each subject; nothing for a single model."""
    reports = {
        result.label: result.report for result in results if subject_gammas(result.report, config)
    }
    if len(reports) < 2:
        return []
    return [MeanRank(*row) for row in ranks_across_models(reports, config).iter_rows()]


def _mean_rank_mark(rank: MeanRank, axis: Axis) -> Mark:
    return Mark(
        label=rank.subject,
        value=f"{rank.mean:.1f} ± {rank.deviation:.1f}",
        point=axis.at(rank.mean),
        span=axis.between(rank.mean - rank.deviation, rank.mean + rank.deviation),
    )


def intensity_figure(results: Sequence[ModelResult], config: str) -> Figure | None:
    """Draw mu of each model as a bar, with its interval and its null distribution."""
    by_model = [
        (result.label, find_metric(result.report, "unqover.mu", config)) for result in results
    ]
    metrics = [(label, metric) for label, metric in by_model if metric is not None]
    reach = [0.0]
    for _, metric in metrics:
        reach += [] if metric.value is None else [metric.value]
        reach += [] if metric.interval is None else [metric.interval.high]
        reach += [] if metric.null_reference is None else [metric.null_reference.quantile_95]
    if len(metrics) < 2 or len(reach) == 1:
        return None
    axis = Axis(reach)
    rows = [_intensity_mark(label, metric, axis) for label, metric in metrics]
    spoken = "; ".join(f"{label}: {value_text(metric)}" for label, metric in metrics)
    return Figure(
        title="Model bias intensity μ by model",
        description=f"Bars of model bias intensity mu for {len(rows)} models. {spoken}.",
        caption="A bar that ends inside its shaded band does not exceed the 95th percentile of the"
        " null distribution.",
        chart=TrackPlot(
            rows=rows,
            ticks=axis.ticks(),
            axis="μ",
            legend=[
                ("bar", "μ"),
                ("span", "interval"),
                NULL_BAND,
            ],
        ),
    )


def _intensity_mark(label: str, metric: Metric, axis: Axis) -> Mark:
    interval, reference = metric.interval, metric.null_reference
    return Mark(
        label=label,
        value=value_text(metric),
        point=None if metric.value is None else axis.at(metric.value),
        span=None if interval is None else axis.between(interval.low, interval.high),
        band=None if reference is None else axis.between(0.0, reference.quantile_95),
        bar=True,
    )


def heat_figure(pairs: list[Pair], *, columns: str, model: str) -> Figure | None:
    """Draw gamma(x,a) of the strongest attributes (rows) and subjects or groups (columns)."""
    if not pairs:
        return None
    subjects = _strongest([(pair.subject, pair.gamma) for pair in pairs], HEAT_SUBJECTS)
    attributes = _strongest([(pair.attribute, pair.gamma) for pair in pairs], HEAT_ATTRIBUTES)
    gamma = {(pair.attribute, pair.subject): pair.gamma for pair in pairs}
    shown = [gamma[a, x] for a in attributes for x in subjects if (a, x) in gamma]
    limit = max((abs(value) for value in shown), default=0.0) or 1.0
    rows = [(a, [_heat_cell(a, x, gamma.get((a, x)), limit) for x in subjects]) for a in attributes]
    return Figure(
        title="Which subjects are associated with which attributes, γ(x, a)",
        description=(
            f"Heat map of gamma for {things(len(attributes), 'attribute', 'attributes')} by"
            f" {len(subjects)} {columns}, {model}. The strongest pairs are listed as numbers in"
            " the tables of this section."
        ),
        caption=_heat_caption(pairs, subjects, attributes, columns),
        chart=HeatMap(
            columns=subjects,
            rows=rows,
            scale=[
                (step, numbers.signed(limit * step / HEAT_STEPS, digits=3))
                for step in range(-HEAT_STEPS, HEAT_STEPS + 1)
            ],
        ),
    )


def _strongest(values: list[tuple[str, float]], limit: int) -> list[str]:
    """Return the names with the largest absolute value, in alphabetical order."""
    largest: dict[str, float] = {}
    for name, value in values:
        largest[name] = max(largest.get(name, 0.0), abs(value))
    first = sorted(largest, key=lambda name: (-largest[name], name))[:limit]
    return sorted(first)


def _heat_cell(attribute: str, subject: str, gamma: float | None, limit: float) -> HeatCell:
    if gamma is None:
        return HeatCell(step=None, title=f"{subject} · {attribute}: no examples")
    return HeatCell(
        step=round(HEAT_STEPS * gamma / limit),
        title=f"{subject} · {attribute}: {numbers.signed(gamma)}",
    )


def _heat_caption(
    pairs: list[Pair], subjects: list[str], attributes: list[str], columns: str
) -> str:
    n_subjects = len({pair.subject for pair in pairs})
    n_attributes = len({pair.attribute for pair in pairs})
    trimmed = []
    if len(attributes) < n_attributes:
        trimmed.append(f"{len(attributes)} of {n_attributes} attributes")
    if len(subjects) < n_subjects:
        trimmed.append(f"{len(subjects)} of {n_subjects} {columns}")
    if not trimmed:
        return ""
    return f"Shown: the {' and '.join(trimmed)} with the strongest single preference."
