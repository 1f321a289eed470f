"""Text tables with our columns: read as specified, else as detected.

A spreadsheet may save the columns with semicolons, decimal commas or in another encoding: what is
detected is reported, and what cannot be told for certain is refused.
"""

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from evenhand.contract import DataRefused
from evenhand.scorer.faults import excerpt
from evenhand.scorer.readers.decimal_signs import with_points
from evenhand.scorer.readers.streams import check_lines, whole
from evenhand.scorer.readers.table_text import DELIMITERS, LONGEST_FIELD, read_text_table

ID = "id"
"""The column that every table of ours has."""
SEPARATORS = {".csv": ",", ".tsv": "\t"}
"""The delimiter of a table, by its suffix."""


@dataclass(frozen=True, slots=True)
class PlainTable:
    """A table of text, with how it was read."""

    texts: pl.DataFrame
    """Every value as text, numbers with a decimal point; an empty cell is null."""
    notes: list[str] = field(default_factory=list)


def read_plain_table(path: Path, suffix: str, is_number: Callable[[str], bool]) -> PlainTable:
    """Read a table with a line of column names.

    Args:
        path: the file.
        suffix: ``.csv`` or ``.tsv``, which implies the delimiter.
        is_number: whether the column of a name holds numbers.

    Raises:
        DataRefused: no table, or its encoding or delimiter cannot be told.
    """
    content, separator = whole(path), SEPARATORS[suffix]
    check_lines(path, content)
    if _is_as_named(content, separator):
        texts, notes = _read(path, content, separator), list[str]()
    else:
        del content  # it is as large as what is read next
        table = read_text_table(path)
        texts, notes = table.columns(path, _names(path, table.names)), table.notes
    numbers = [name for name in texts.columns if is_number(name)]
    texts, has_comma = with_points(texts, numbers)
    if has_comma:
        few = excerpt(", ".join(numbers))
        notes.append(f"{path.name}: the comma in {few} is a decimal comma.")
    return PlainTable(texts, notes)


def _is_as_named(content: bytes, separator: str) -> bool:
    """Say whether the text is UTF-8 and its first line has our column, with our delimiter."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    csv.field_size_limit(LONGEST_FIELD)
    end = content.find(b"\n")
    first = content[: end if end >= 0 else len(content)].decode()
    try:
        names = next(csv.reader(io.StringIO(first, newline=""), delimiter=separator), [])
    except csv.Error:
        return False
    # One name alone, or none, is the same table with any delimiter.
    return ID in names or not any(mark in first for mark in DELIMITERS)


def _names(path: Path, names: list[str]) -> list[str]:
    """Return the names of the columns that have one: spreadsheets add empty ones at the end."""
    filled = [name for name in names if name]
    for name in filled:
        if filled.count(name) > 1:
            raise DataRefused(f"{path} has the column {excerpt(name)} twice; keep one of them.")
    return filled


def _read(path: Path, content: bytes, separator: str) -> pl.DataFrame:
    try:
        return pl.read_csv(content, separator=separator, infer_schema=False, raise_if_empty=False)
    except pl.exceptions.PolarsError as error:
        reason = excerpt(str(error).split("\n", 1)[0])
        raise DataRefused(f"{path} cannot be read as a table: {reason}.") from error
