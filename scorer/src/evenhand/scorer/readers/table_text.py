"""Tables as text, written by anything: encoding, delimiter and names of columns are detected.

What is detected is reported; what cannot be told for certain is refused.
"""

import codecs
import csv
import io
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import polars as pl

from evenhand.contract import DataRefused
from evenhand.scorer.faults import excerpt
from evenhand.scorer.readers.streams import BOM, check_lines, whole

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}

_UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_WINDOWS = "cp1252"
_SAMPLE_ROWS = 20
_SAMPLE_CHARACTERS = 1 << 20
LONGEST_FIELD = 1 << 22
MAX_TABLE_BYTES = 256 << 20
"""A table is in memory several times while its form is detected."""
FIRST_ROW = 2
"""Line 1 holds the names of the columns."""

_MARK = 20
"""How many characters are searched for a spreadsheet's mark of the delimiter (``sep=;``)."""


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table of text, with how it was read."""

    content: str
    delimiter: str
    names: list[str]
    notes: list[str]

    def columns(self, path: Path, names: list[str]) -> pl.DataFrame:
        """Read some columns, every value as text; an empty cell is null.

        Raises:
            DataRefused: a row has more fields than there are columns.
        """
        wanted = [place for place, name in enumerate(self.names) if name in names]
        try:
            table = pl.read_csv(
                self.content.encode(),
                separator=self.delimiter,
                columns=wanted,
                infer_schema=False,
                raise_if_empty=False,
            )
        except pl.exceptions.PolarsError as error:
            raise DataRefused(
                f"{path} cannot be read as a table: {_reason(self, error)}."
            ) from error
        table.columns = [self.names[place] for place in wanted]
        return table.select(names)


def read_text_table(path: Path) -> TextTable:
    """Detect how a table is written.

    Raises:
        DataRefused: no text, no table, or an ambiguous encoding or delimiter.
    """
    raw = whole(path, limit=MAX_TABLE_BYTES)
    check_lines(path, raw)
    content, notes = _text(path, raw)
    del raw  # it is as large as the text
    if content[:_MARK].lower().startswith("sep="):
        line = excerpt(content[:_MARK].splitlines()[0])
        raise DataRefused(
            f"{path}, line 1 ({line}) is a spreadsheet's mark of the delimiter and no line of"
            " names; delete it."
        )
    delimiter = _delimiter(path, content)
    if delimiter != _expectation(path):
        notes.append(f"{path.name}: columns are separated by a {DELIMITERS[delimiter]}.")
    rows = csv.reader(io.StringIO(content, newline=""), delimiter=delimiter)
    names = [name.strip() for name in next(rows)]
    return TextTable(content, delimiter, names, notes)


def _expectation(path: Path) -> str:
    return "\t" if ".tsv" in path.suffixes else ","


def _text(path: Path, content: bytes) -> tuple[str, list[str]]:
    """Decode by the byte order mark, else as UTF-8, else as Windows text, which is noted."""
    for mark, encoding in _UTF16.items():
        if content.startswith(mark):
            try:
                text = content[len(mark) :].decode(encoding)
            except UnicodeDecodeError as error:
                raise DataRefused(f"{path} is cut off: it begins as UTF-16 text.") from error
            if "\0" in text:
                raise DataRefused(
                    f"{path} begins as UTF-16 text and holds NUL characters, as UTF-32 does; save"
                    " the file as UTF-8."
                )
            return text, [f"{path.name}: read as UTF-16."]
    if b"\0" in content:
        raise DataRefused(f"{path} holds NUL bytes: it is no text, or UTF-16 without its mark.")
    try:
        return content.removeprefix(BOM).decode(), []
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        try:
            text = content.decode(_WINDOWS)
        except UnicodeDecodeError:
            raise DataRefused(
                f"{path}, line {line}: is neither UTF-8 nor Windows-1252; save the file as UTF-8."
            ) from error
    return text, [f"{path.name}: line {line} is not UTF-8; the file is read as Windows-1252."]


def _delimiter(path: Path, content: str) -> str:
    """Return the delimiter that yields rows of one length; more columns win, a tie is refused."""
    csv.field_size_limit(LONGEST_FIELD)
    lengths = {mark: _lengths(content, mark) for mark in DELIMITERS}
    columns = {mark: counts[0] for mark, counts in lengths.items() if counts and counts[0] > 1}
    even = {mark: n for mark, n in columns.items() if set(lengths[mark]) == {n}}
    if not columns:
        raise DataRefused(
            f"{path} is no table: its first line has no {', '.join(DELIMITERS.values())} between"
            " names of columns."
        )
    best = max((even or columns).values())
    winners = [mark for mark, n in (even or columns).items() if n == best]
    if len(winners) > 1:
        names = " and ".join(DELIMITERS[mark] for mark in winners)
        raise DataRefused(f"{path}: {names} separate equally many columns; keep one of them.")
    if not even:
        number, n = next((i, n) for i, n in enumerate(lengths[winners[0]], 1) if n != best)
        raise DataRefused(
            f"{path}, row {number} has {n} fields, but the line of names has {best}; quote texts"
            f" that hold a {DELIMITERS[winners[0]]}."
        )
    return winners[0]


def _lengths(content: str, mark: str) -> list[int]:
    """Return how many fields each of the first rows has; empty where quotes do not close."""
    rows = csv.reader(io.StringIO(content[:_SAMPLE_CHARACTERS], newline=""), delimiter=mark)
    try:
        lengths = [len(row) for row in islice(rows, _SAMPLE_ROWS + 1)]
    except csv.Error:
        return []
    if len(content) > _SAMPLE_CHARACTERS and 1 < len(lengths) <= _SAMPLE_ROWS:
        lengths.pop()  # the sample ends inside a row
    return [n for n in lengths if n]


def _reason(table: TextTable, error: Exception) -> str:
    """Name the first row that has another number of fields."""
    rows = csv.reader(io.StringIO(table.content, newline=""), delimiter=table.delimiter)
    try:
        for number, row in enumerate(rows, 1):
            if row and len(row) != len(table.names):
                return f"row {number} has {len(row)} fields, the names are {len(table.names)}"
    except csv.Error as fault:
        return str(fault)
    return excerpt(str(error))
