"""Known faults of the released data, counted on import and kept as they are.

Source: the issues of nyu-mll/BBQ and a count over the released files.
"""

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass

from evenhand.generator.bbq.rows import Row

_SPOKEN_WITH_CONSONANT = r"(?:uni(?!n)|use|usu|uti|eu|one\b|once\b|u\b)"
MONTHER = "`monther` for mother"
STRAY_BRACE = "a stray `{` or `}`"
A_BEFORE_VOWEL = "`a` before a vowel"
AN_BEFORE_CONSONANT = "`an` before a consonant's sound (an unicorn)"
NO_ANSWER_GROUP = "an answer without a group"
NO_STEREOTYPED_GROUP = "no stereotyped group"
SAME_ANSWERS = "two answers in the same words"
CONTRADICTING_LABEL = "a label that contradicts the context's condition"
REPEATED_ROW = "the same row again under another id"

_IN_TEXT = {
    MONTHER: re.compile("monther"),
    STRAY_BRACE: re.compile("[{}]"),
    A_BEFORE_VOWEL: re.compile(rf"\ba (?!{_SPOKEN_WITH_CONSONANT})[aeiou]\w", re.IGNORECASE),
    AN_BEFORE_CONSONANT: re.compile(
        rf"\ban (?:{_SPOKEN_WITH_CONSONANT}|[b-df-gj-np-tv-z][a-z])", re.IGNORECASE
    ),
    "`a` before a number spoken with a vowel (a 18-year-old)": re.compile(
        r"\ba (?:8\d?|11|18)(?!\d)", re.IGNORECASE
    ),
}
"""Name of a fault -> what shows it in a text."""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One kind of fault in one category."""

    config: str
    fault: str
    rows: int
    first: str
    """The id of the first row that has it."""

    def sentence(self) -> str:
        """Return one line for a report."""
        rows = "row" if self.rows == 1 else "rows"
        return f"{self.config}: {self.fault}, {self.rows:,} {rows} (first: {self.first})"


def find_faults(category: str, rows: list[Row], ids: list[str]) -> list[Fault]:
    """Count the known faults of one category's rows; those that no row has are left out."""
    places: dict[str, list[int]] = {name: [] for name in (*_IN_TEXT, *_IN_FIELDS, REPEATED_ROW)}
    for place, row in enumerate(rows):
        for name in _row_faults(row):
            places[name].append(place)
    places[REPEATED_ROW] = _repeated(rows)
    return [
        Fault(config=category, fault=name, rows=len(faulty), first=ids[faulty[0]])
        for name, faulty in places.items()
        if faulty
    ]


def _row_faults(row: Row) -> set[str]:
    texts = (row.context, row.question, *row.answers, *row.answer_text)
    in_fields = (name for name, has_it in _IN_FIELDS.items() if has_it(row))
    return set().union(*map(_text_faults, texts), in_fields)


@functools.cache
def _text_faults(text: str) -> frozenset[str]:
    return frozenset(name for name, pattern in _IN_TEXT.items() if pattern.search(text))


def _label_contradicts(row: Row) -> bool:
    return (row.label == row.unknown) != (row.context_condition == "ambig")


def _lacks_info(row: Row) -> bool:
    return any(not group.strip() for group in row.answer_group)


def _repeats_an_answer(row: Row) -> bool:
    return len({answer.strip().casefold() for answer in row.answers}) < len(row.answers)


_IN_FIELDS: dict[str, Callable[[Row], bool]] = {
    NO_ANSWER_GROUP: _lacks_info,
    NO_STEREOTYPED_GROUP: lambda row: not row.stereotyped_groups,
    SAME_ANSWERS: _repeats_an_answer,
    CONTRADICTING_LABEL: _label_contradicts,
}


def _repeated(rows: list[Row]) -> list[int]:
    """Return the rows that repeat an earlier one in everything but the id."""
    seen: set[tuple[object, ...]] = set()
    places = []
    for place, row in enumerate(rows):
        content = (
            *(row.question_index, row.question_polarity, row.context_condition, row.context),
            *(row.question, row.answers, row.answer_text, row.answer_group, row.label),
            *(row.subcategory, row.stereotyped_groups, row.version, row.source),
        )
        if content in seen:
            places.append(place)
        seen.add(content)
    return places
