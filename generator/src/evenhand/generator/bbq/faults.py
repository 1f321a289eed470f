"""Known faults of the released data, counted on import and kept as they are.

Source: the issues of nyu-mll/BBQ and a count over the released files.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from evenhand.generator.bbq.rows import UNKNOWN, Row

_A_BEFORE_VOWEL = re.compile(r"\b[Aa] (?!uni|use|usu|eu|one\b|once\b|uti|u[.\s])[aeiou]\w", re.I)
_AN_BEFORE_CONSONANT = re.compile(r"\b[Aa]n (?:uni(?!n)|use|usu|eu|one\b|once\b|uti|[b-df-gj-np-tv-z][a-z])")
_A_BEFORE_NUMBER = re.compile(r"\b[Aa] (?:8\d?|11|18)(?!\d)")


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


def faults_of(category: str, rows: list[Row], ids: list[str]) -> list[Fault]:
    """Count the known faults of one category's rows; those that no row has are left out."""
    found = []
    for name, has_it in _CHECKS.items():
        places = [place for place, row in enumerate(rows) if has_it(row)]
        if places:
            found.append(_fault(category, name, places, ids))
    repeated = _repeated(rows)
    if repeated:
        found.append(_fault(category, "the same row again under another id", repeated, ids))
    return found


def _fault(category: str, name: str, places: list[int], ids: list[str]) -> Fault:
    return Fault(config=category, fault=name, rows=len(places), first=ids[places[0]])


def _texts(row: Row) -> str:
    return "\n".join((row.context, row.question, *row.answers, *row.answer_text))


def _label_contradicts(row: Row) -> bool:
    return (row.label == row.unknown) != (row.context_condition == "ambig")


def _lacks_info(row: Row) -> bool:
    return any(not group.strip() for group in row.answer_group) or not any(
        group.strip().casefold() == UNKNOWN for group in row.answer_group
    )


_CHECKS: dict[str, Callable[[Row], bool]] = {
    "`monther` for mother": lambda row: "monther" in _texts(row),
    "a stray `{` or `}`": lambda row: "{" in _texts(row) or "}" in _texts(row),
    "`a` before a vowel": lambda row: bool(_A_BEFORE_VOWEL.search(_texts(row))),
    "`an` before a consonant's sound (an unicorn)": lambda row: bool(
        _AN_BEFORE_CONSONANT.search(_texts(row))
    ),
    "`a` before a number spoken with a vowel (a 18-year-old)": lambda row: bool(
        _A_BEFORE_NUMBER.search(_texts(row))
    ),
    "an answer without a group": _lacks_info,
    "no stereotyped group": lambda row: not row.stereotyped_groups,
    "a label that contradicts the context's condition": _label_contradicts,
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
