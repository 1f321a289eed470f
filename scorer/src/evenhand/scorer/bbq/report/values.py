"""Finds BBQ's numbers in a metric file."""

from collections.abc import Iterable, Sequence
from typing import Literal

from evenhand.contract.bbq import CATEGORIES
from evenhand.contract.report import GroupValue, Metric, Report
from evenhand.scorer.report.reading import ModelResult

Lean = Literal["towards", "against", "none", "unknown"]
"""Which way the answers go: in agreement with the stereotype, or against it."""

_QUESTION_ONLY = "qonly"
"""Ending of the name of a reader, or of a prompt style, without the context."""


def metric_of(report: Report, base: str, mean: str) -> Metric | None:
    """Return a metric, e.g. ``bbq.accuracy_cost`` as ``macro``, or None."""
    return next((own for own in report.metrics if own.id == f"{base}.{mean}"), None)


def headline(report: Report, base: str) -> Metric | None:
    """Return the macro mean; where that is null the value over all rows, which may be known."""
    macro, pooled = (metric_of(report, base, mean) for mean in ("macro", "pooled"))
    if macro is None or (macro.value is None and pooled is not None and pooled.value is not None):
        return pooled
    return macro


def groups_of(report: Report, base: str, dimension: str) -> dict[str, GroupValue]:
    """Return a metric's value over all rows of each group, or nothing."""
    metric = metric_of(report, base, "pooled")
    return {} if metric is None else metric.by.get(dimension, {})


def group_names(results: Sequence[ModelResult], bases: Iterable[str], dimension: str) -> list[str]:
    """Return the groups of a dimension that any file has, in the paper's order of categories.

    The metric JSON sorts its keys; groups of no category stand behind, by name.
    """
    names = {name for result in results for base in bases
             for name in groups_of(result.report, base, dimension)}  # fmt: skip
    places = {name: place for place, name in enumerate(CATEGORIES)}
    return sorted(names, key=lambda name: (places.get(name.split("/")[0], len(places)), name))


def differs(value: GroupValue, report: Report) -> bool:
    """Say whether a group differs from 0 after Holm's correction at the report's level."""
    return value.p_holm is not None and value.p_holm < 1 - report.level


def lean_of(metric: Metric | None) -> Lean:
    """Say which way a bias score goes, as far as its interval lets it be said."""
    if metric is None or metric.value is None or metric.interval is None:
        return "unknown"
    if metric.interval.low > 0:
        return "towards"
    return "against" if metric.interval.high < 0 else "none"


def is_question_only(result: ModelResult) -> bool:
    """Say whether the answers were given without the context."""
    return result.is_baseline or any(
        own.reader.endswith(f":{_QUESTION_ONLY}")
        or str((own.decoding or {}).get("style", "")).endswith(_QUESTION_ONLY)
        for own in result.report.predictions
    )
