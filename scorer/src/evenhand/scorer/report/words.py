"""Words that every benchmark's part of the report uses."""

from evenhand.contract.report import GroupValue, Metric
from evenhand.scorer.report import numbers

CONTENT_WARNING = (
    "This report quotes sentences that tie groups of people to offensive or harmful stereotypes."
    " They are there to find such ties in language models. No number here says anything about the"
    " people who are named."
)

FEW_CLUSTERS = (
    "† Fewer than 30 clusters: the interval is studentised and is less sure than its level says."
)


def things(count: int, one: str, many: str) -> str:
    """Write a count with its noun.

    >>> things(1, "subject", "subjects")
    '1 subject'
    """
    return f"{numbers.count(count)} {one if count == 1 else many}"


def null_text(value: Metric | GroupValue) -> str:
    """Write a null with its reason, never as 0."""
    return f"null: {value.why_null or 'no reason given'}"
