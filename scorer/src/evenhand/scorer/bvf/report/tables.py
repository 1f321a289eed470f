"""BVF's tables in the report: metrics, subjects, distributions, regressions."""

# ruff: noqa: RUF001 - true minus signs and apostrophes

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

from evenhand.contract.report import GroupValue, Metric
from evenhand.scorer.bvf import specs
from evenhand.scorer.bvf.report.cells import Quartiles
from evenhand.scorer.bvf.report.drilldown import Texts
from evenhand.scorer.bvf.report.findings import EXACT, distribution_statistics
from evenhand.scorer.bvf.report.values import Association, TopicResult, differs, exceeds_chance
from evenhand.scorer.bvf.report.words import (
    FACTORS,
    REGRESSION,
    RISKS,
    UNNORMALISED,
    R,
    interval_text,
    is_signed,
    metric_words,
    topic_words,
    value_text,
)
from evenhand.scorer.bvf.specs import SYMBOLS, BvfMetric, Direction, Risk, Summary
from evenhand.scorer.report import numbers
from evenhand.scorer.report.blocks import MARKED, Cell, Column, Table, Tone
from evenhand.scorer.report.words import (
    NO_INTERVAL,
    interval_cell,
    interval_notes,
    null_text,
)

ABOVE_CHANCE = f"{MARKED} above the 95th percentile of its null distribution."
HOLM = f"{MARKED} differs from 0 after Holm’s correction over the table."
SAME = "With two classes, normalisation leaves the risks of Equations 1 and 2 unchanged."
REGRESSIONS = "Weighted least squares of each risk on one fact"
ENDS = 5
"""Number of the most and of the least stereotyped subjects shown above the whole table."""

# Bias and Volatility (2024), table 1, without its three reference models.
ORIENTATION = (
    "For orientation: the paper’s twelve models have R from 0.3049 (BERT) to 0.8703 (T5) on gender"
    " (its Table 1); it uses other contexts, so the numbers are not directly comparable."
)


def number_columns(names: Iterable[str]) -> list[Column]:
    """Return numeric columns with these labels."""
    return [Column(label=name, is_number=True) for name in names]


def overview_table(topics: Sequence[tuple[str, list[TopicResult]]], labels: Sequence[str]) -> Table:
    """Return the risk and its parts for each topic, one column for each model."""
    rows = []
    for config, results in topics:
        by_label = {result.label: result for result in results}
        for metric_id in RISKS.values():
            metrics = [
                by_label[label].metric(metric_id) if label in by_label else None for label in labels
            ]
            if any(metrics):
                words = metric_words(metric_id)
                name = Cell(text=topic_words(config).title, note=f"{words.label} {words.symbol}")
                rows.append([name, *map(_risk_cell, metrics)])
    return Table(
        caption="Side by side",
        columns=[Column(label="Topic"), *number_columns(labels)],
        rows=rows,
        footnotes=[ABOVE_CHANCE],
    )


def _risk_cell(metric: Metric | None) -> Cell:
    if metric is None:
        return Cell(text="not scored", tone="reason")
    return value_cell(metric.id, metric, tone="positive" if exceeds_chance(metric) else "plain")


def value_cell(
    metric_id: str, estimate: Metric | GroupValue | None, *, tone: Tone = "plain"
) -> Cell:
    """Return a value with its interval below; null is written as its reason, never as 0."""
    if estimate is None:
        return Cell(text="none", tone="reason")
    if estimate.value is None:
        return Cell(text=null_text(estimate), tone="reason")
    return Cell(
        text=value_text(metric_id, estimate),
        sort=estimate.value,
        note=interval_text(metric_id, estimate) or NO_INTERVAL,
        hint=estimate.why_no_interval,
        tone=tone,
    )


def metric_ids(results: Sequence[TopicResult], *, is_beyond: bool) -> list[str]:
    """Return the metrics of a topic that are a single number, in the order of the report.

    Distributions and regressions have their own tables.
    """
    reported = {
        metric.id: None
        for result in results
        for metric in result.report.metrics
        if metric.config == result.config and (metric.shelf == "beyond") == is_beyond
    }
    names = [name for result in results for name in result.classes]
    has_larger = max(result.largest for result in results) > 1
    declared = [
        spec.id_for(variant)
        for spec in specs.METRICS
        if _is_listed(spec, has_larger=has_larger)
        for variant in (names if isinstance(spec, Direction) else [""])
    ]
    return [metric_id for metric_id in dict.fromkeys(declared) if metric_id in reported]


def _is_listed(spec: BvfMetric, *, has_larger: bool) -> bool:
    """Say whether a metric is listed in the table of metrics.

    Args:
        spec: the metric.
        has_larger: whether stereotypes can exceed 1, so that normalisation changes the value.
    """
    if isinstance(spec, Risk):
        return spec.is_normalised or has_larger
    return isinstance(spec, Direction) or (isinstance(spec, Summary) and not spec.is_spread)


def metrics_table(results: Sequence[TopicResult], *, is_beyond: bool = False) -> Table | None:
    """Return the metrics of one topic; side by side for several models."""
    ids = metric_ids(results, is_beyond=is_beyond)
    if not ids:
        return None
    first = results[0]
    several = len(results) > 1
    metrics = [result.metric(name) for result in results for name in ids]
    columns = [result.label for result in results] if several else [
        "Value", "Interval", "Null, 95th percentile", "Scored", "Left out"
    ]  # fmt: skip
    write = _model_cells if several else _detail_cells
    is_same = first.largest == 1 and first.metric(R + UNNORMALISED) is not None
    is_usual = first.config == "gender" and all(
        result.report.protocol == "paper" for result in results
    )
    return Table(
        caption=first.words.title,
        columns=[Column(label="Metric"), *number_columns(columns)],
        rows=[[_name_cell(name), *write(results, name)] for name in ids],
        footnotes=[
            ABOVE_CHANCE,
            *([SAME] if is_same and not is_beyond else []),
            *interval_notes(metric for metric in metrics if metric is not None),
            *([ORIENTATION] if is_usual and not is_beyond else []),
        ],
    )


def _name_cell(metric_id: str) -> Cell:
    words = metric_words(metric_id)
    name = words.label[:1].upper() + words.label[1:]
    return Cell(text=f"{name} {words.symbol}".strip(), note=words.reading or None)


def _model_cells(results: Sequence[TopicResult], name: str) -> list[Cell]:
    return [_risk_cell(result.metric(name)) for result in results]


def _detail_cells(results: Sequence[TopicResult], name: str) -> list[Cell]:
    metric = results[0].metric(name)
    assert metric is not None
    reference = metric.null_reference
    chance = "none"
    if reference is not None:
        top = numbers.plain(reference.quantile_95)
        chance = "0" if reference.method == EXACT else top
    value = _risk_cell(metric)
    write = numbers.signed if is_signed(name) else numbers.plain
    return [
        Cell(text=value.text, sort=value.sort, tone=value.tone),
        interval_cell(metric, write=write),
        Cell(text=chance, sort=None if reference is None else reference.quantile_95),
        Cell(text=numbers.count(metric.n_scored), sort=metric.n_scored),
        Cell(text=numbers.count(metric.n_unscored), sort=metric.n_unscored),
    ]


def order_table(result: TopicResult) -> Table | None:
    """Return the risks by position of the slot; None if there is only one position."""
    metrics = {risk: result.metric(metric_id) for risk, metric_id in RISKS.items()}
    by = {
        risk: metric.by.get("order", {}) for risk, metric in metrics.items() if metric is not None
    }
    names = list(dict.fromkeys(name for groups in by.values() for name in groups))
    if not names:
        return None
    words = {"last": "slot at the end", "inside": "slot inside the text"}
    return Table(
        caption="By position of the slot",
        columns=[
            Column(label="Position"),
            *number_columns(metric_words(RISKS[risk]).symbol for risk in by),
        ],
        rows=[
            [
                Cell(text=words.get(name, name)),
                *(value_cell(RISKS[risk], groups.get(name)) for risk, groups in by.items()),
            ]
            for name in names
        ],
        footnotes=interval_notes(metric for groups in by.values() for metric in groups.values()),
    )


def subject_table(result: TopicResult, texts: Texts, names: Sequence[str], caption: str) -> Table:
    """Return the risks of some subjects, with their associated classes and texts."""
    groups = {
        risk: metric.by.get("subject", {})
        for risk, metric_id in RISKS.items()
        if (metric := result.metric(metric_id)) is not None
    }
    rows = []
    for name in names:
        cells = [
            value_cell(RISKS[risk], by_subject.get(name)) for risk, by_subject in groups.items()
        ]
        drill = dataclasses.replace(
            cells[0], tone="plain", examples=texts.example_set(subject=name)
        )
        n = groups["r"][name].n_scored
        association = _association_cell(result.associations.get(name))
        rows.append([Cell(text=name), drill, *cells[1:], association, Cell(text=f"{n:,}", sort=n)])
    title = result.nouns.one.capitalize()
    symbols = [SYMBOLS[risk] for risk in groups]
    note = f"Intervals are over contexts; preferences range from −1 to {result.largest:g}. {HOLM}"
    return Table(
        caption=caption,
        columns=[Column(label=title), *number_columns([*symbols, "Most associated with", "Texts"])],
        rows=rows,
        footnotes=[
            note,
            *interval_notes(
                groups[risk][name] for risk in groups for name in names if name in groups[risk]
            ),
        ],
    )


def _association_cell(association: Association | None) -> Cell:
    if association is None:
        return Cell(text="none", tone="quiet")
    tone: Tone = "positive" if association.is_significant else "plain"
    return Cell(
        text=association.name,
        sort=association.value,
        note=numbers.signed(association.value, digits=3),
        tone=tone,
    )


def quartile_table(result: TopicResult, name: str, quartiles: Mapping[str, Quartiles]) -> Table:
    """Return the quartiles over contexts of the stereotypes for a class, by subject."""
    title = result.nouns.one.capitalize()
    columns = ["Mean", "Minimum", "Lower quartile", "Median", "Upper quartile", "Maximum"]
    return Table(
        caption=f"Preference for {name} over contexts, by {result.nouns.one}",
        columns=[Column(label=title), *number_columns(columns)],
        rows=[
            [
                Cell(text=subject),
                *(Cell(text=numbers.signed(value, digits=3), sort=value) for value in box),
            ]
            for subject, box in sorted(quartiles.items(), key=lambda pair: (-pair[1].mean, pair[0]))
        ],
        footnotes=["Contexts are weighted."],
    )


_STATISTICS = {
    "mean": "Mean", "sd": "Standard deviation", "skewness": "Skewness",
    "excess_kurtosis": "Excess kurtosis", "shapiro_w": "Shapiro–Wilk W",
    "shapiro_p": "Shapiro–Wilk p", "median": "Median", "q95": "95th percentile",
    "max": "Maximum",
}  # fmt: skip


def spread_table(result: TopicResult) -> Table | None:
    """Return the distribution of each risk over subjects, one column for each risk."""
    statistics = {risk: distribution_statistics(result, risk) for risk in RISKS}
    names = [name for name in _STATISTICS if any(name in one for one in statistics.values())]
    if not names:
        return None
    return Table(
        caption=f"Distribution of the risks over {result.nouns.many}",
        columns=[Column(label="Statistic"), *number_columns(SYMBOLS[risk] for risk in statistics)],
        rows=[
            [
                Cell(text=_STATISTICS[name]),
                *(_statistic_cell(name, one) for one in statistics.values()),
            ]
            for name in names
        ],
        footnotes=[
            "Skewness and excess kurtosis are 0 for a normal distribution, above 0 for fat tails."
        ],
    )


def _statistic_cell(name: str, statistics: Mapping[str, GroupValue]) -> Cell:
    statistic = statistics.get(name)
    if statistic is None or statistic.value is None:
        return Cell(text="none")
    text = (
        numbers.p_value(statistic.value) if name == "shapiro_p" else numbers.plain(statistic.value)
    )
    return Cell(text=text, sort=statistic.value)


def regression_table(result: TopicResult) -> Table | None:
    """Return the regression of each risk on each fact: coefficient, standard error, test, fit."""
    rows = []
    for factor in FACTORS:
        metric = result.metric(REGRESSION + factor)
        for risk, fit in ({} if metric is None else metric.by).items():
            rows.append(_fit_row(result, factor, risk, fit))
    if not rows:
        return None
    note = (
        "Coefficient: change of the risk for an increase of the fact by 1 (of its natural"
        f" logarithm where marked). n: {result.nouns.many} for which both the fact and the number"
        f" employed, which is the weight, are known. {MARKED} differs from 0 after Holm’s"
        " correction over the facts."
    )
    columns = ["Coefficient", "SE", "t", "p", "p (Holm)", "R²", "n"]
    return Table(
        caption=REGRESSIONS,
        columns=[Column(label="Fact"), Column(label="Risk"), *number_columns(columns)],
        rows=rows,
        footnotes=[note],
    )


def _fit_row(
    result: TopicResult, factor: str, risk: str, fit: Mapping[str, GroupValue]
) -> list[Cell]:
    words, slope = FACTORS[factor], fit.get("coefficient")
    name = Cell(text=words.name, note="natural logarithm" if words.is_log else None)
    row = [name, Cell(text=SYMBOLS.get(risk, risk))]
    if slope is None or slope.value is None:
        why = "no coefficient" if slope is None else null_text(slope)
        return [*row, Cell(text=why, tone="reason"), *(Cell(text="none") for _ in range(6))]
    tone: Tone = "plain"
    if differs(slope, result.report):
        tone = "positive" if slope.value > 0 else "negative"
    values = {key: estimate.value for key, estimate in fit.items() if estimate.value is not None}
    return [
        *row,
        Cell(text=numbers.signed(slope.value), sort=slope.value, tone=tone),
        _number_cell(values.get("standard_error")),
        _number_cell(values.get("t"), digits=2),
        Cell(text=numbers.p_value(slope.p_value), sort=slope.p_value),
        Cell(text=numbers.p_value(slope.p_holm), sort=slope.p_holm),
        _number_cell(values.get("r_squared"), digits=3),
        _number_cell(values.get("n", slope.n_scored), digits=0),
    ]


def _number_cell(value: float | None, *, digits: int = 4) -> Cell:
    if value is None:
        return Cell(text="none")
    return Cell(text=numbers.plain(value, digits=digits), sort=value)
