"""Wording that all benchmarks' reports share."""

from collections.abc import Callable, Iterable

from evenhand.contract.report import AGREEMENT, GroupValue, Interval, Metric
from evenhand.scorer.report import numbers
from evenhand.scorer.report.blocks import Cell

CONTENT_WARNING = (
    "This report quotes sentences that associate groups of people with offensive or harmful"
    " stereotypes, in order to detect such associations in language models. No number here says"
    " anything about the people who are named."
)

FEW_CLUSTERS = (
    "† Fewer than 30 clusters: the interval is studentised and may cover less than its level."
)

AGREES = (
    "‡ All clusters agree, so resampling shows no variation: the interval is a bound that follows"
    " from the number of clusters."
)
NO_INTERVAL = "no interval"
_REASONS = 3
"""How many reasons a footnote gives; each is also a hint in the place of its interval."""


def interval_notes(values: Iterable[Metric | GroupValue]) -> list[str]:
    """Return the footnotes that the intervals of a table need."""
    listed = list(values)
    intervals = [value.interval for value in listed if value.interval is not None]
    reasons = dict.fromkeys(
        value.why_no_interval
        for value in listed
        if value.value is not None and value.interval is None and value.why_no_interval
    )
    notes = [FEW_CLUSTERS] if any(_is_few(value) for value in intervals) else []
    notes += [AGREES] if any(value.method == AGREEMENT for value in intervals) else []
    if reasons:
        more = " ..." if len(reasons) > _REASONS else ""
        notes.append(f"No interval: {' '.join(list(reasons)[:_REASONS])}{more}")
    return notes


def _is_few(interval: Interval) -> bool:
    return interval.few_clusters and interval.method != AGREEMENT


def interval_cell(number: Metric | GroupValue, *, write: Callable[[float], str]) -> Cell:
    """Return the cell of an interval; where there is none, its reason is a hint."""
    if number.interval is None:
        return Cell(text="none", hint=number.why_no_interval)
    return Cell(text=numbers.interval(number.interval, write=write), sort=number.interval.low)


def things(count: int, one: str, many: str) -> str:
    """Write a count with its noun.

    >>> things(1, "subject", "subjects")
    '1 subject'
    """
    return f"{numbers.count(count)} {one if count == 1 else many}"


def null_text(value: Metric | GroupValue) -> str:
    """Write a null with its reason, never as 0."""
    return f"null: {value.why_null or 'no reason given'}"
