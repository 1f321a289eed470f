"""Reads BBQ's numbers from a metric file."""

from collections.abc import Iterable, Sequence
from typing import Literal

from evenhand.contract.bbq import CATEGORIES
from evenhand.contract.report import GroupValue, Metric, Report
from evenhand.scorer.report.reading import ModelResult

Direction = Literal["towards", "against", "none", "unknown"]
"""The direction of a bias: in agreement with the stereotype, or against it."""

_QUESTION_ONLY = "qonly"
"""How the name of a reader or prompt style without the context ends."""


def find_metric(report: Report, base: str, mean: str) -> Metric | None:
    """Return a metric, e.g. ``bbq.accuracy_cost`` as ``macro``, or None."""
    return next((metric for metric in report.metrics if metric.id == f"{base}.{mean}"), None)


def headline(report: Report, base: str) -> Metric | None:
    """Return the macro mean, or where that is null the value over all rows, which may be known."""
    macro, pooled = (find_metric(report, base, mean) for mean in ("macro", "pooled"))
    if macro is None or (macro.value is None and pooled is not None and pooled.value is not None):
        return pooled
    return macro


def group_values(report: Report, base: str, dimension: str) -> dict[str, GroupValue]:
    """Return a metric's value over all rows of each group; empty where there are no groups."""
    metric = find_metric(report, base, "pooled")
    return {} if metric is None else metric.by.get(dimension, {})


def group_names(results: Sequence[ModelResult], bases: Iterable[str], dimension: str) -> list[str]:
    """Return the groups of a dimension that any file has, in the paper's order of categories.

    The metric JSON sorts its keys; groups outside the paper's categories come last, by name.
    """
    names = {name for result in results for base in bases
             for name in group_values(result.report, base, dimension)}  # fmt: skip
    places = {name: place for place, name in enumerate(CATEGORIES)}
    return sorted(names, key=lambda name: (places.get(name.split("/")[0], len(places)), name))


def differs(value: GroupValue, report: Report) -> bool:
    """Return whether a group differs from 0 after Holm's correction at the report's level."""
    return value.p_holm is not None and value.p_holm < 1 - report.level


def bias_direction(metric: Metric | None) -> Direction:
    """Return the direction of a bias score, as far as its interval determines it."""
    if metric is None or metric.value is None or metric.interval is None:
        return "unknown"
    if metric.interval.low > 0:
        return "towards"
    return "against" if metric.interval.high < 0 else "none"


def is_question_only(result: ModelResult) -> bool:
    """Return whether the answers were given without the context."""
    return result.is_baseline or any(
        record.reader.endswith(f":{_QUESTION_ONLY}")
        or str((record.decoding or {}).get("style", "")).endswith(_QUESTION_ONLY)
        for record in result.report.predictions
    )
