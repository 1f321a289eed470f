"""What stands in the cells of the official templates: slots, lists of words, lists of groups.

Source of the syntax: the CSV files of nyu-mll/BBQ, ``templates/``.
"""

import ast
import json
import re
from collections.abc import Mapping
from typing import Any

from evenhand.generator.bbq.official_table import Record

PERSON_SLOTS: Mapping[str, int] = {
    **dict.fromkeys(("NAME1", "GEN1", "OCC1"), 0),
    **dict.fromkeys(("NAME2", "GEN2", "OCC2"), 1),
}
"""Slot -> which of the two persons it speaks of."""
WORD_SLOTS = ("WORD1", "WORD2")
SECOND_SLOTS = ("GEN1", "GEN2", "OCC1", "OCC2")
"""Gender or occupation; in the intersectional templates only."""

MAX_WORDS = 64
"""Words in one list; the release has at most some ten."""
MAX_WORD_CHARACTERS = 120

_SLOT = re.compile(r"\{\{(" + "|".join((*PERSON_SLOTS, *WORD_SLOTS)) + r")\}\}")
_OPENED = re.compile(r"\{\{.{0,20}|\}\}|\{%.{0,20}|%\}|\{#.{0,20}|#\}", re.DOTALL)
"""What Jinja would take for its own, or a slot that is none."""
_BRACE = re.compile(r"[{}]")
_LIST = re.compile(
    r"(?:\{\{)?(?P<slot>[A-Z]+[12])(?:\}\})?\s*:\s*\[(?P<words>[^\[\]]*)\]", re.DOTALL
)


def slot_names(text: str) -> list[str]:
    """Return the slots of a text, in its order.

    >>> slot_names("The {{NAME2}} {{WORD1}}")
    ['NAME2', 'WORD1']
    """
    return _SLOT.findall(text)


def jinja_text(record: Record, column: str) -> str:
    """Turn a cell into Jinja: slots become variables, all else stays text.

    A single brace is text; one stands in the release.

    Raises:
        DataRefused: the cell holds a statement, a comment, or a slot that there is not.
    """
    text = record.needed(column)
    parts, end = [], 0
    for slot in _SLOT.finditer(text):
        parts += [
            _literal(record, column, text[end : slot.start()]),
            f"{{{{ {slot[1].lower()} }}}}",
        ]
        end = slot.end()
    return "".join([*parts, _literal(record, column, text[end:])])


def _literal(record: Record, column: str, text: str) -> str:
    opened = _OPENED.search(text)
    if opened:
        names = ", ".join(f"{{{{{name}}}}}" for name in (*PERSON_SLOTS, *WORD_SLOTS))
        raise record.refusal(
            column, f"holds `{opened[0]}`, which is no slot; the slots are {names}"
        )
    return _BRACE.sub(lambda brace: f'{{{{ "{brace[0]}" }}}}', text)


def word_lists(record: Record, column: str, slots: tuple[str, str]) -> dict[str, tuple[str, ...]]:
    """Read lists like ``WORD1: [gym, Y]; WORD2: [sports]``.

    Args:
        record: the row.
        column: where the lists stand; a blank cell has none.
        slots: the two slots that may have a list.

    Raises:
        DataRefused: the lists cannot be read, or a list is empty or too long.
    """
    text = record.cell(column).strip().rstrip(";")
    lists: dict[str, tuple[str, ...]] = {}
    # The original takes a cell of one character for a blank one.
    for part in text.split(";") if len(text) > 1 else ():
        match = _LIST.fullmatch(part.strip())
        if not match or match["slot"] not in slots or match["slot"] in lists:
            expected = f"{slots[0]}: [first, second]; {slots[1]}: [third]"
            raise record.refusal(column, f"holds `{part.strip()[:60]}`; `{expected}` was expected")
        lists[match["slot"]] = _words(record, column, match["words"])
    return lists


def _words(record: Record, column: str, text: str) -> tuple[str, ...]:
    words = tuple(" ".join(word.split("\n")).strip() for word in text.split(","))
    for word in words:
        if not word:
            raise record.refusal(column, f"the list `[{text[:60]}]` has a place without a word")
        if len(word) > MAX_WORD_CHARACTERS:
            raise record.refusal(
                column,
                f"a word has {len(word)} characters; {MAX_WORD_CHARACTERS} are allowed",
            )
    if len(words) > MAX_WORDS:
        raise record.refusal(column, f"a list has {len(words)} words; {MAX_WORDS} are allowed")
    return words


def text_list(record: Record, column: str) -> tuple[str, ...]:
    """Read a list like ``["Muslim", "Mormon"]``; a blank cell is an empty list.

    Raises:
        DataRefused: the cell is no list of texts.
    """
    return tuple(_checked_text(record, column, one) for one in literal_list(record, column))


def literal_list(record: Record, column: str) -> list[Any]:
    """Read a list as JSON or as Python prints it; a blank cell is an empty list."""
    text = record.cell(column).strip()
    if not text:
        return []
    for read in (json.loads, ast.literal_eval):
        try:
            value = read(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
        return _checked_list(record, column, value)
    raise record.refusal(column, f'is `{text[:60]}`; a list like ["old", "nonOld"] was expected')


def _checked_list(record: Record, column: str, value: Any) -> list[Any]:
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list | tuple):
        raise record.refusal(column, f"is `{str(value)[:60]}`; a list of texts was expected")
    if len(value) > MAX_WORDS:
        raise record.refusal(column, f"a list has {len(value)} members; {MAX_WORDS} are allowed")
    return list(value)


def _checked_text(record: Record, column: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > MAX_WORD_CHARACTERS:
        raise record.refusal(
            column,
            f"holds {str(value)[:60]!r}; texts of at most {MAX_WORD_CHARACTERS} characters"
            " were expected",
        )
    return value.strip()


def either_list(record: Record, column: str) -> list[tuple[str, ...]]:
    """Read ``["man", "woman"]`` or ``[["cook", "guard"], ["judge"]]``: the words of two kinds."""
    return [
        tuple(_checked_text(record, column, word) for word in one)
        if isinstance(one, list | tuple)
        else (_checked_text(record, column, one),)
        for one in literal_list(record, column)
    ]
