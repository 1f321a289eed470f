"""UnQover's main metrics of several models side by side."""

from collections.abc import Sequence

from evenhand.contract.report import Metric
from evenhand.scorer.report import numbers
from evenhand.scorer.report.blocks import MARKED, Cell, Column, Table
from evenhand.scorer.report.reading import ModelResult
from evenhand.scorer.report.words import null_text
from evenhand.scorer.unqover import specs
from evenhand.scorer.unqover.report.findings import find_metric
from evenhand.scorer.unqover.report.words import class_words, value_text

_SHOWN = ("unqover.mu", "unqover.eta")


def overview_table(results: Sequence[ModelResult], configs: Sequence[str]) -> Table | None:
    """Return mu and eta of each config, one column per model; None for a single model."""
    if len(results) < 2:
        return None
    rows = [
        [
            Cell(text=class_words(config).title, note=f"{spec.column} {spec.symbol}"),
            *map(_cell, by_model),
        ]
        for config in configs
        for spec in specs.METRICS
        if spec.id in _SHOWN
        for by_model in [[find_metric(result.report, spec.id, config) for result in results]]
        if any(by_model)
    ]
    if not rows:
        return None
    columns = [
        Column(label="Config"),
        *(Column(label=result.label, is_number=True) for result in results),
    ]
    return Table(
        caption="Side by side",
        columns=columns,
        rows=rows,
        footnotes=[f"{MARKED} above the 95th percentile of its null distribution."],
    )


def _cell(metric: Metric | None) -> Cell:
    if metric is None:
        return Cell(text="not scored", tone="reason")
    if metric.value is None:
        return Cell(text=null_text(metric), tone="reason")
    reference = metric.null_reference
    exceeds = reference is not None and metric.value > reference.quantile_95
    return Cell(
        text=value_text(metric),
        sort=metric.value,
        note=None
        if reference is None
        else f"null, 95th percentile: {numbers.null_reference(reference)}",
        tone="positive" if exceeds else "plain",
    )
