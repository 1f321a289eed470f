"""The story of any metric file: all its numbers in tables, and no claim beyond them."""

from collections.abc import Sequence

from evenhand.contract.report import GroupValue, Metric
from evenhand.scorer.report import numbers
from evenhand.scorer.report.benchmarks import BENCHMARKS
from evenhand.scorer.report.blocks import (
    Block,
    Cell,
    Column,
    Details,
    Finding,
    Section,
    Story,
    Table,
)
from evenhand.scorer.report.reading import ModelResult
from evenhand.scorer.report.words import (
    CONTENT_WARNING,
    interval_cell,
    interval_notes,
    null_text,
    things,
)


def story(results: Sequence[ModelResult]) -> Story:
    """Show all that the metric files of one benchmark hold."""
    title = BENCHMARKS[results[0].report.dataset.stem].title
    sections = [Section(title="Metrics", blocks=[metrics_table(results, title)])]
    groups = [block for result in results for block in _group_tables(result, results)]
    if groups:
        sections.append(Section(title="By group", blocks=groups))
    return Story(
        benchmark=title,
        question=f"What was measured on {title}",
        content_warning=CONTENT_WARNING,
        findings=[_finding(result, title) for result in results],
        sections=sections,
    )


def _finding(result: ModelResult, title: str) -> Finding:
    metrics = result.report.metrics
    n_null = sum(metric.value is None for metric in metrics)
    support = [
        f"{things(len(metrics), 'metric was', 'metrics were')} computed; the tables have all."
    ]
    support += [f"{n_null} of them are null, each with its reason."] if n_null else []
    return Finding(
        model=result.label,
        config=title,
        evidence="unknown",
        verdict="The numbers stand below; this version draws no conclusion from them.",
        support=support,
        figure=None,
    )


def metrics_table(results: Sequence[ModelResult], caption: str) -> Table:
    """Return the metrics of all files, one row a number."""
    entries = [(own.label, metric) for own in results for metric in own.report.metrics]
    has_models = len(results) > 1
    labels = ["Metric", "Config", *(["Model"] if has_models else [])]
    counted = ["Value", "Interval", "Best", "Scored", "Left out"]
    return Table(
        caption=caption,
        columns=[
            *(Column(label=name) for name in labels),
            *(Column(label=name, is_number=True) for name in counted),
        ],
        rows=[_metric_row(label, metric, has_models=has_models) for label, metric in entries],
        footnotes=interval_notes(metric for _, metric in entries),
    )


def _metric_row(label: str, metric: Metric, *, has_models: bool) -> list[Cell]:
    best = "none" if metric.best is None else f"{metric.best:g}"
    return [
        Cell(text=metric.id, note=metric.unit),
        Cell(text=metric.config),
        *([Cell(text=label)] if has_models else []),
        *_value_cells(metric),
        Cell(text=best, sort=metric.best),
        Cell(text=numbers.count(metric.n_scored), sort=metric.n_scored),
        Cell(text=numbers.count(metric.n_unscored), sort=metric.n_unscored),
    ]


def _value_cells(own: Metric | GroupValue) -> list[Cell]:
    if own.value is None:
        return [Cell(text=null_text(own), tone="reason"), Cell(text="none")]
    return [
        Cell(text=numbers.plain(own.value), sort=own.value),
        interval_cell(own, write=numbers.plain),
    ]


def _group_tables(result: ModelResult, results: Sequence[ModelResult]) -> list[Block]:
    named = f", {result.label}" if len(results) > 1 else ""
    tables = [
        _group_table(metric, dimension, f"{metric.id} ({metric.config}) by {dimension}{named}")
        for metric in result.report.metrics
        for dimension in metric.by
    ]
    return [Details(summary=table.caption, blocks=[table]) for table in tables]


def _group_table(metric: Metric, dimension: str, caption: str) -> Table:
    members = metric.by[dimension]
    columns = ["Value", "Interval", "p (Holm)", "Scored"]
    return Table(
        caption=caption,
        columns=[
            Column(label=dimension.replace("_", " ").capitalize()),
            *(Column(label=name, is_number=True) for name in columns),
        ],
        rows=[
            [
                Cell(text=name),
                *_value_cells(own),
                Cell(text=numbers.p_value(own.p_holm), sort=own.p_holm),
                Cell(text=numbers.count(own.n_scored), sort=own.n_scored),
            ]
            for name, own in members.items()
        ],
        footnotes=interval_notes(members.values()),
    )
