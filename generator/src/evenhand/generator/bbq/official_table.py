"""Reads the CSV files of the official templates: by header, every cell with its row and column."""

import csv
import difflib
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evenhand.contract.errors import DataRefused

MAX_BYTES = 10 << 20
MAX_ROWS = 2000
MAX_CELL_CHARACTERS = 4096


@dataclass(frozen=True, kw_only=True)
class Record:
    """One row of a table."""

    path: Path
    row: int
    """As a spreadsheet counts: the header is row 1."""
    cells: Mapping[str, str]

    def cell(self, column: str) -> str:
        """Return a cell's text; empty where the file has no such column."""
        return self.cells.get(column, "")

    def needed(self, column: str) -> str:
        """Return a cell's text.

        Raises:
            DataRefused: it is blank.
        """
        text = self.cell(column)
        if not text.strip():
            raise self.refusal(column, "is empty")
        return text

    def refusal(self, column: str, what: str) -> DataRefused:
        """Return the error that names file, row and column."""
        return DataRefused(f"{self.path}: row {self.row}, column {column}: {what}.")


def read_table(path: Path, needed: tuple[str, ...]) -> list[Record]:
    """Read a table whose columns stand in any order.

    Args:
        path: a CSV file in UTF-8, with or without a byte order mark.
        needed: columns that must be there.

    Raises:
        DataRefused: the file is no such table; the sentence names file, row and column.
    """
    lines = _lines(path)
    header = [name.strip() for name in lines[0]]
    _check_header(path, header, needed)
    records = []
    for row, cells in enumerate(lines[1:], start=2):
        if len(cells) > len(header):
            raise DataRefused(
                f"{path}: row {row} has {len(cells)} cells and the header {len(header)}; put a text"
                " that holds a comma between quotes."
            )
        records.append(_record(path, row, header, cells))
    return records


def _record(path: Path, row: int, header: list[str], cells: list[str]) -> Record:
    record = Record(path=path, row=row, cells=dict(zip(header, cells, strict=False)))
    for column, text in record.cells.items():
        if len(text) > MAX_CELL_CHARACTERS:
            raise record.refusal(
                column, f"has {len(text):,} characters; {MAX_CELL_CHARACTERS:,} are allowed"
            )
    return record


def _lines(path: Path) -> list[list[str]]:
    text = _text(path)
    try:
        lines = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        raise DataRefused(
            f"{path} cannot be read as CSV ({error}); a quote may be open."
        ) from error
    if len(lines) < 2:
        raise DataRefused(f"{path} is empty; a header and at least one row were expected.")
    if len(lines) > MAX_ROWS:
        raise DataRefused(f"{path} has {len(lines):,} rows; {MAX_ROWS:,} are allowed.")
    return lines


def _text(path: Path) -> str:
    if path.stat().st_size > MAX_BYTES:
        raise DataRefused(
            f"{path} has more than {MAX_BYTES:,} bytes; it is not a table of templates."
        )
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataRefused(f"{path} is not UTF-8 text; save it as CSV in UTF-8.") from error
    if "\0" in text:
        raise DataRefused(f"{path} holds a zero byte; it is not text.")
    return text.replace("\r\n", "\n")


def _check_header(path: Path, header: list[str], needed: tuple[str, ...]) -> None:
    twice = next((name for name in header if name and header.count(name) > 1), None)
    if twice:
        raise DataRefused(f"{path}: the header names the column {twice} twice.")
    for name in needed:
        if name not in header:
            near = difflib.get_close_matches(name, header, n=1, cutoff=0.8)
            hint = f"is `{near[0]}` meant?" if near else f"there are {', '.join(header)}."
            raise DataRefused(f"{path}: the column {name} is missing; {hint}")
