"""What a reader declares: its name, how its files are recognised, what they yield.

A new format is one module of this package with a ``READER``; the registry discovers it. A format
that only one benchmark has is declared the same way in the benchmark's folder.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from evenhand.scorer.faults import excerpt

OURS = "evenhand"
"""Name of the reader of Evenhand's format, which every benchmark declares."""

ROWS = "rows"
"""Yield of a benchmark's readers: its rows by id (``prediction_format.FileRows``)."""
ANSWERS = "answers"
"""Yield of general readers: answers in a file's words (``foreign.ForeignFile``)."""
PROMPTS = "prompts"
"""Yield of files that hold prompts alone (id -> prompt); they are given with answers."""

JSON_LINES = (".jsonl", ".ndjson")
PREDICTION_SUFFIXES = (*JSON_LINES, ".csv", ".tsv", ".parquet")
"""Suffixes of Evenhand's format; all but the last may be compressed."""

_NAMED_COLUMNS = 6
_LONGEST_NAME = 40


class Form(Enum):
    """The form of a file, as its first bytes show."""

    OBJECT = "JSON lines, or one JSON object"
    ARRAY = "one JSON array"
    TABLE = "a line of column names with a delimiter"
    UTF16 = "text in UTF-16"
    PARQUET = "Parquet"
    ZIP = "a zip archive"


@dataclass(frozen=True, slots=True)
class FirstRecord:
    """What the beginning of a file shows."""

    form: Form
    names: tuple[str, ...]
    """Keys of the first object, names of columns, or members of an archive."""
    suffix: str
    """E.g. ``.csv``, without a suffix of compression."""
    inner_names: tuple[str, ...] = ()
    """Keys of the first object inside the first one."""
    is_as_named: bool = True
    """True if a table is UTF-8 with the delimiter that its suffix promises."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Mark:
    """A mark by which a format is recognised; every condition that is set must hold."""

    why: str
    """What was seen, in a clause; ``{names}`` stands for the first names of the record."""
    forms: tuple[Form, ...] = (Form.OBJECT,)
    names: frozenset[str] = frozenset()
    """Names that must all be there."""
    only: frozenset[str] | None = None
    """Names that must be the only ones."""
    inner_names: frozenset[str] = frozenset()
    pattern: str | None = None
    """Regular expression that the beginning of one name matches."""
    suffixes: tuple[str, ...] = ()
    """Suffixes that an object's file must have; empty for any."""
    is_as_named: bool = False
    """True if a table written otherwise than its suffix says is another format."""

    def matches(self, record: FirstRecord) -> bool:
        """Say whether a record has this mark."""
        names = set(record.names)
        has_suffix = record.form is not Form.OBJECT or record.suffix in self.suffixes
        return (
            record.form in self.forms
            and self.names <= names
            and (self.only is None or names <= self.only)
            and self.inner_names <= set(record.inner_names)
            and (self.pattern is None or any(re.match(self.pattern, name) for name in names))
            and (not self.suffixes or has_suffix)
            and (record.is_as_named or not self.is_as_named)
        )

    def weight(self) -> int:
        """Return how specific the mark is: of two that match, the more specific one counts."""
        return len(self.names) + len(self.inner_names) + (self.pattern is not None)

    def clause(self, record: FirstRecord) -> str:
        """Return what was seen in a record."""
        named = [name for name in record.names if name]
        few = ", ".join(excerpt(name, _LONGEST_NAME) for name in named[:_NAMED_COLUMNS])
        more = ", ..." if len(named) > _NAMED_COLUMNS else ""
        return self.why.replace("{names}", few + more)


@dataclass(frozen=True, kw_only=True, slots=True)
class NoAnswers:
    """A file of the same tool that holds no answers, e.g. averages."""

    mark: Mark
    sentence: str
    """Sentence that says what the file is and which one to give; ``{path}`` is its path."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reader:
    """One format that predictions come in."""

    name: str
    """As ``--reader`` takes it."""
    help: str
    """Which files these are, in a clause."""
    yields: str
    """What :attr:`read` yields: :data:`ANSWERS`, :data:`ROWS`, :data:`PROMPTS`, or a kind
    that one benchmark alone takes."""
    read: Callable[[Path, str | None], Any]
    """Reads a file, given the ``CHOICE`` of ``--reader NAME:CHOICE``."""
    marks: tuple[Mark, ...] = ()
    """How a file is recognised; empty where it has to be named."""
    choice: str = ""
    """The choice after the name, as ``--help`` shows it, e.g. ``[:TRIAL]``."""
    choices: tuple[str, ...] = ()
    """The runs that every file holds, of which one must be chosen; empty where there is one."""
    choice_help: str = ""
    """What the choice selects, in a clause."""
    no_answers: tuple[NoAnswers, ...] = ()
    """Files that are easily taken for those of the format, and are refused."""
    takes_prompts: bool = False
    """True if files of :data:`PROMPTS` may be given with the answers."""
    folder_pattern: str | None = None
    """The files for which a folder stands, e.g. ``*.json``; None where a folder is refused."""
    is_fallback: bool = False
    """True if its marks fit nearly any file, so that a benchmark without it passes it over."""

    def spellings(self) -> tuple[str, ...]:
        """Return the values of ``--reader`` that name it.

        >>> lists = Reader(name="x", help="", yields=ROWS, read=lambda *_: None, choices=("a", "b"))
        >>> lists.spellings()
        ('x:a', 'x:b')
        """
        runs = tuple(f"{self.name}:{run}" for run in self.choices)
        return runs or (f"{self.name}{self.choice}",)

    def takes(self, spelling: str) -> bool:
        """Say whether this value of ``--reader`` names it.

        >>> one = Reader(name="x", help="", yields=ROWS, read=lambda *_: None, choice="[:N]")
        >>> [one.takes(spelling) for spelling in ("x", "x:1", "x:", "xy")]
        [True, True, False, False]
        """
        name, colon, choice = spelling.partition(":")
        if name != self.name:
            return False
        if self.choices:
            return choice in self.choices
        return not colon or bool(self.choice and choice)
