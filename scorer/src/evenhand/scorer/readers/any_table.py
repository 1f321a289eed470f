"""Tables of answers in no agreed format: CSV in the wild, Parquet, or flat JSON lines.

Delimiter, encoding, decimal comma and the columns are detected and reported; ids that a spreadsheet
changed are repaired where only one question can be meant, and else named by row and column.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from evenhand.contract import DataRefused, WrongUse
from evenhand.scorer.faults import FaultList, excerpt
from evenhand.scorer.readers.column_names import Columns, guess_columns
from evenhand.scorer.readers.foreign import ForeignFile
from evenhand.scorer.readers.json_text import objects_of_lines
from evenhand.scorer.readers.parquet import read_rows, read_schema
from evenhand.scorer.readers.reader import ANSWERS, JSON_LINES, Form, Mark, Reader
from evenhand.scorer.readers.streams import MAX_ANSWERS, check_rows, file_kind
from evenhand.scorer.readers.table_rows import TableRows
from evenhand.scorer.readers.table_text import FIRST_ROW, read_text_table

NAME = "table"

_ASK = (
    "Name the answer's column with `--reader table:COLUMN`, or give `id` and one of `label`,"
    " `answer`, `scores`."
)
_NAMED_COLUMNS = 20
"""How many column names of a wide table a refusal lists."""


def read(path: Path, choice: str | None = None) -> ForeignFile:
    """Read a table of answers.

    Args:
        path: CSV with any of four delimiters, Parquet or JSON lines.
        choice: the column that holds the model's answer; needed where several may.

    Raises:
        DataRefused: no table, or its columns do not identify question and answer.
        WrongUse: the chosen column is not there.
    """
    faults = FaultList()
    columns, texts, notes = _table(path, choice, faults)
    if texts.is_empty() and not faults.to_list():
        raise DataRefused(f"{path} holds no rows; it must hold one row for each question.")
    check_rows(path, len(texts), MAX_ANSWERS)
    is_text = file_kind(path) != ".parquet" and file_kind(path) not in JSON_LINES
    reading = TableRows(columns, texts, first_row=FIRST_ROW if is_text else 1, faults=faults)
    file = ForeignFile(list(reading.answers()))
    said = [f"{columns.sentence()}.", *reading.notes()]
    file.notes = [*notes, *(f"{path.name}: {note}" for note in said)]
    file.faults = faults.to_list()
    return file


def choose_columns(path: Path, names: Sequence[str], choice: str | None = None) -> Columns:
    """Determine the role of each column, or refuse the table.

    Raises:
        DataRefused: the names do not identify question and answer.
        WrongUse: the chosen column is not there.
    """
    columns = guess_columns(names, choice)
    if columns.wrong is None:
        return columns
    more = f" and {len(names) - _NAMED_COLUMNS:,} more" if len(names) > _NAMED_COLUMNS else ""
    there = f"{', '.join(excerpt(name, 40) for name in names[:_NAMED_COLUMNS])}{more}"
    if choice is not None and choice not in names:
        raise WrongUse(f"{path}: there is no column {choice}; there are {there}.")
    raise DataRefused(f"{path}: {columns.wrong}; it has {there}. {_ASK}")


def _table(
    path: Path, choice: str | None, faults: FaultList
) -> tuple[Columns, pl.DataFrame, list[str]]:
    """Return the columns' roles, the columns that are read as text, and what was detected."""
    kind = file_kind(path)
    if kind == ".parquet":
        return *_parquet(path, choice), []
    if kind in JSON_LINES:
        return *_json_lines(path, choice, faults), []
    text = read_text_table(path)
    columns = choose_columns(path, text.names, choice)
    return columns, text.columns(path, columns.used()), text.notes


def _parquet(path: Path, choice: str | None) -> tuple[Columns, pl.DataFrame]:
    columns = choose_columns(path, read_schema(path).names(), choice)
    rows = read_rows(path, columns.used(), limit=MAX_ANSWERS)
    return columns, pl.DataFrame([_as_text(series) for series in rows.iter_columns()])


def _as_text(series: pl.Series) -> pl.Series:
    if series.dtype.is_nested():
        values = series.to_list()
        return pl.Series(series.name, [_plain(value) for value in values], pl.String)
    return series.cast(pl.String)


def _json_lines(path: Path, choice: str | None, faults: FaultList) -> tuple[Columns, pl.DataFrame]:
    rows = [row for _, row in objects_of_lines(path, faults)]
    columns = choose_columns(path, [*dict.fromkeys(name for row in rows for name in row)], choice)
    texts = {
        name: pl.Series(name, [_plain(row.get(name)) for row in rows], pl.String)
        for name in columns.used()
    }
    return columns, pl.DataFrame(texts)


def _plain(value: Any) -> str | None:
    """Return a value as the text of a cell; None for objects and booleans."""
    if isinstance(value, list):
        return json.dumps(value)
    is_plain = isinstance(value, str | int | float) and not isinstance(value, bool)
    return str(value) if is_plain else None


READER = Reader(
    name=NAME,
    help="any table of answers: CSV in the wild, Parquet, or flat JSON lines",
    choice="[:COLUMN]",
    choice_help="the column of the model's answer, or scores for three columns of numbers",
    yields=ANSWERS,
    read=read,
    marks=(
        Mark(
            why="a table with {names}",
            forms=(Form.OBJECT, Form.TABLE, Form.PARQUET),
            suffixes=JSON_LINES,
        ),
        Mark(why="text in UTF-16", forms=(Form.UTF16,)),
    ),
    is_fallback=True,
)
