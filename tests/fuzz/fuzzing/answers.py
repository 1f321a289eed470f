"""What an answer may mean: a row as any tool wrote it, texts, and scores."""

import math
import re
from typing import Any, NamedTuple

from fuzzing.reading import Unreadable

UNKNOWN = ("Not known", "Can't be determined", "Unknown", "Not enough info")
NO_ANSWER = ("No idea at all", "", "It depends.")
"""Texts that name nobody and are no wording of UNKNOWN."""


class Said(NamedTuple):
    """One row, whatever tool wrote it."""

    key: tuple[Any, Any] | None = None
    """Category and number."""
    id: Any = None
    context: str | None = None
    question: str | None = None
    prompt: str | None = None
    options: list[Any] | None = None
    text: str | None = None
    letter: str | None = None
    scores: list[float] | None = None
    label: Any = None
    is_failed: bool = False


def plain(text: str) -> str:
    """Return a text without case, edges and double spaces."""
    return " ".join(text.split()).strip(" .,;:!\"'`*_{}").casefold()


def of_scores(values: Any) -> frozenset[int | None]:
    """Return the place of the largest of three numbers, none where two are."""
    is_three = isinstance(values, list) and len(values) == 3
    if not is_three or not all(type(v) in {int, float} and math.isfinite(v) for v in values):
        raise Unreadable(f"scores {values!r}")
    best = max(values)
    return frozenset({values.index(best) if values.count(best) == 1 else None})


def of_text(text: str, options: list[str], unknown: int) -> frozenset[int | None]:
    """Return which options a text may mean.

    >>> options = ["The old man", "The boy", "Not known"]
    >>> sorted(of_text("the boy.", options, 2)), sorted(of_text("(C)", options, 2))
    ([1], [2])
    """
    own = plain(text)
    known = {plain(option): place for place, option in enumerate(options)}
    known |= {plain(wording): unknown for wording in UNKNOWN}
    if own in known:
        return frozenset({known[own]})
    if match := re.fullmatch(r"\(?([a-cA-C])\)?", text.strip()):
        return frozenset({"abc".index(match[1].lower())})
    if text in NO_ANSWER or not own:
        return frozenset({None})
    return frozenset({None, 0, 1, 2})
