"""UnQover's tables in the report: metrics, subjects, ranks and pairs."""

# ruff: noqa: RUF001 - the symbols are the paper's

from collections.abc import Sequence

import polars as pl

from evenhand.contract.report import GroupValue, Metric
from evenhand.scorer.report import numbers
from evenhand.scorer.report.blocks import Cell, Column, Table, Tone
from evenhand.scorer.report.reading import ModelResult
from evenhand.scorer.report.words import interval_cell, interval_notes, null_text
from evenhand.scorer.specs import metric_words
from evenhand.scorer.unqover import specs
from evenhand.scorer.unqover.report.drilldown import PairExamples
from evenhand.scorer.unqover.report.figures import mean_ranks
from evenhand.scorer.unqover.report.findings import differs, group_values
from evenhand.scorer.unqover.report.pairs import Pair
from evenhand.scorer.unqover.report.words import (
    class_words,
    interval_writer,
    value_text,
)

SHARED = "Attributes among a subject’s {k} strongest in two or more models"
"""Caption of the table of shared attributes."""


def metrics_table(results: Sequence[ModelResult], config: str, *, shelf: str) -> Table | None:
    """Return a config's metrics of one shelf (``paper`` or ``beyond``); None if there are none."""
    entries = [
        (result.label, metric)
        for result in results
        for metric in result.report.metrics
        if metric.config == config and metric.shelf == shelf and not _is_by_subject(metric)
    ]
    if not entries:
        return None
    order = list(dict.fromkeys(metric.id for _, metric in entries))
    entries.sort(key=lambda entry: order.index(entry[1].id))
    has_models = len(results) > 1
    columns = [
        Column(label="Metric"),
        *([Column(label="Model")] if has_models else []),
        Column(label="Value", is_number=True),
        Column(label="Interval", is_number=True),
        Column(label="Null, 95th percentile", is_number=True),
        Column(label="Scored", is_number=True),
        Column(label="Left out", is_number=True),
    ]
    return Table(
        caption=class_words(config).title,
        columns=columns,
        rows=[_metric_row(label, metric, has_models=has_models) for label, metric in entries],
        footnotes=_footnotes([metric for _, metric in entries]),
    )


def _is_by_subject(metric: Metric) -> bool:
    """Return whether a metric only has values by subject, which have a separate table."""
    return metric.value is None and "subject" in metric.by


def _metric_row(label: str, metric: Metric, *, has_models: bool) -> list[Cell]:
    words = metric_words(specs.METRICS, metric.id)
    reference = metric.null_reference
    return [
        # With several models the reading would be repeated for each of them.
        Cell(
            text=f"{words.symbol or metric.id} · {words.label}",
            note=metric.id if has_models else words.reading or metric.id,
        ),
        *([Cell(text=label)] if has_models else []),
        Cell(
            text=value_text(metric),
            sort=metric.value,
            note=_beside(metric),
            tone="reason" if metric.value is None else "plain",
        ),
        interval_cell(metric, write=interval_writer(metric.id)),
        Cell(
            text=numbers.null_reference(reference),
            sort=None if reference is None else reference.quantile_95,
        ),
        Cell(text=numbers.count(metric.n_scored), sort=metric.n_scored),
        Cell(text=numbers.count(metric.n_unscored), sort=metric.n_unscored),
    ]


def _beside(metric: Metric) -> str | None:
    """Write the share of ties, which are counted apart from flipped decisions."""
    tied = metric.by.get("decision", {}).get("tied")
    return None if tied is None or tied.value is None else f"tied: {numbers.percent(tied.value)}"


def _footnotes(metrics: list[Metric]) -> list[str]:
    notes = interval_notes(metrics)
    if any(metric.null_reference for metric in metrics):
        notes.append(
            "Null, 95th percentile: that of the null distribution (no preference); see Methods."
        )
    return notes


def subject_table(result: ModelResult, config: str, *, by: str = "subject") -> Table | None:
    """Return gamma and eta of each subject or group with interval and corrected p-value."""
    values = group_values(result.report, "unqover.gamma", config, by=by)
    if not values:
        return None
    etas = group_values(result.report, "unqover.eta_subject", config, by=by)
    ranked = sorted(
        values, key=lambda name: (values[name].value is None, -_or_0(values[name]), name)
    )
    rows = [_subject_row(name, values[name], etas.get(name), result) for name in ranked]
    name = class_words(config).subjects if by == "subject" else "groups"
    return Table(
        caption=f"All {name}",
        columns=[
            Column(label=by.capitalize()),
            Column(label="γ(x)", is_number=True),
            Column(label="Interval", is_number=True),
            Column(label="p (Holm)", is_number=True),
            Column(label="η(x)", is_number=True),
            Column(label="Examples", is_number=True),
        ],
        rows=rows,
        footnotes=interval_notes(values.values()),
    )


def _or_0(value: GroupValue) -> float:
    return value.value or 0.0


def _subject_row(
    name: str, gamma: GroupValue, eta: GroupValue | None, result: ModelResult
) -> list[Cell]:
    tone: Tone = "quiet"
    if differs(gamma, result.report):
        tone = "positive" if _or_0(gamma) > 0 else "negative"
    return [
        Cell(text=name),
        _signed_cell(gamma, tone),
        interval_cell(gamma, write=numbers.signed),
        Cell(text=numbers.p_value(gamma.p_holm), sort=gamma.p_holm),
        _signed_cell(eta, "plain"),
        Cell(text=numbers.count(gamma.n_scored), sort=gamma.n_scored),
    ]


def _signed_cell(value: GroupValue | None, tone: Tone) -> Cell:
    if value is None:
        return Cell(text="none", tone="reason")
    if value.value is None:
        return Cell(text=null_text(value), tone="reason")
    return Cell(text=numbers.signed(value.value), sort=value.value, tone=tone)


def pair_table(
    pairs: list[Pair], examples: PairExamples | None, *, caption: str, by: str = "subject"
) -> Table:
    """Return subject-attribute pairs with gamma, the examples behind it, and eta."""
    return Table(
        caption=caption,
        columns=[
            Column(label=by.capitalize()),
            Column(label="Attribute"),
            Column(label="γ(x, a)", is_number=True),
            Column(label="η(x, a)", is_number=True),
            Column(label="Examples", is_number=True),
        ],
        rows=[
            [
                Cell(text=pair.subject),
                Cell(text=pair.attribute),
                Cell(
                    text=numbers.signed(pair.gamma),
                    sort=pair.gamma,
                    examples=None if examples is None else examples.of(pair),
                ),
                Cell(text=numbers.signed(pair.eta), sort=pair.eta),
                Cell(text=numbers.count(pair.n), sort=pair.n),
            ]
            for pair in pairs
        ],
    )


def rank_table(results: Sequence[ModelResult], config: str) -> Table | None:
    """Return mean rank and standard deviation of each subject over the models."""
    ranks = mean_ranks(results, config)
    if not ranks:
        return None
    return Table(
        caption=f"Mean rank of {class_words(config).subjects} by γ(x)",
        columns=[
            Column(label="Subject"),
            Column(label="Mean rank", is_number=True),
            Column(label="Standard deviation", is_number=True),
            Column(label="Models", is_number=True),
        ],
        rows=[
            [
                Cell(text=rank.subject),
                Cell(text=numbers.plain(rank.mean, digits=2), sort=rank.mean),
                Cell(text=numbers.plain(rank.deviation, digits=2), sort=rank.deviation),
                Cell(text=numbers.count(rank.n_models), sort=rank.n_models),
            ]
            for rank in ranks
        ],
    )


def shared_table(shared: pl.DataFrame, *, k: int) -> Table | None:
    """Return the attributes that are among a subject's ``k`` strongest in several models.

    Args:
        shared: ``subject, attribute, n_models, mean_gamma``.
        k: the number of attributes that count for each subject and model.
    """
    if shared.is_empty():
        return None
    columns = ("subject", "attribute", "n_models", "mean_gamma")
    return Table(
        caption=SHARED.format(k=k),
        columns=[
            Column(label="Subject"),
            Column(label="Attribute"),
            Column(label="Models", is_number=True),
            Column(label="Mean γ(x, a)", is_number=True),
        ],
        rows=[
            [
                Cell(text=subject),
                Cell(text=attribute),
                Cell(text=numbers.count(n_models), sort=n_models),
                Cell(text=numbers.signed(gamma), sort=gamma),
            ]
            for subject, attribute, n_models, gamma in shared.select(columns).iter_rows()
        ],
    )
