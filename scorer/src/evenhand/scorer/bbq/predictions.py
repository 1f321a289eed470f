"""Predictions of BBQ in our own format: a label, a text or three scores for each question.

JSONL, CSV, TSV or Parquet. In a table, ``scores`` is a list or its JSON.
"""

import csv
import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from evenhand.contract import DataRefused
from evenhand.contract.bbq import PREDICTION_COLUMNS, Prediction
from evenhand.contract.predictions import Header
from evenhand.scorer.faults import Fault, FaultList, shown, what_stands
from evenhand.scorer.readers.headers import header_of, read_sidecar
from evenhand.scorer.readers.json_text import ONCE, KeyTwice, once_loads
from evenhand.scorer.readers.parquet import rows_of, schema_of
from evenhand.scorer.readers.streams import (
    MAX_ANSWERS,
    check_rows,
    kind_of,
    lines_of,
    text_lines_of,
)
from evenhand.scorer.readers.table_text import LONGEST_FIELD
from evenhand.scorer.unqover.prediction_rows import TEXT

KINDS = (".jsonl", ".ndjson", ".csv", ".tsv", ".parquet")
SCHEMA = {
    "id": pl.String,
    "label": pl.Int64,
    "answer": pl.String,
    "score0": pl.Float64,
    "score1": pl.Float64,
    "score2": pl.Float64,
    "why_unscored": pl.String,
}
"""Columns of rows as read; one of label, answer, the scores and why_unscored is not null."""

_ANSWER_FIELDS = ("label", "answer", "scores")
_SHAPE = (
    "A row has an id and one of label (0, 1 or 2), answer (text) and scores (three finite numbers)."
)
_KEY = re.compile(rb'"\s*:')
_Place = tuple[str, Any]
"""Where a row stands, and its fields."""


@dataclass(frozen=True, slots=True)
class AnswerRows:
    """One predictions file as read."""

    rows: pl.DataFrame
    """The columns of :data:`SCHEMA`."""
    header: Header | None = None
    faults: list[Fault] = field(default_factory=list)


def read_answers(path: Path) -> AnswerRows:
    """Read a predictions file of ours, by the suffix of its name.

    Raises:
        DataRefused: the file cannot be read at all; faults of rows are in the result.
    """
    kind, faults, header = kind_of(path), FaultList(), read_sidecar(path)
    if kind not in KINDS:
        raise DataRefused(
            f"{path}: the name must end in {', '.join(KINDS)} (each also with .gz or .zst but for"
            " .parquet)."
        )
    if kind in {".jsonl", ".ndjson"}:
        lines = lines_of(path)
        first = next(lines, (1, b""))
        found = header_of(path, first[1])
        rows = _json_rows(path, lines if found else chain([first], lines), faults)
        header = found or header
    elif kind == ".parquet":
        rows = _parquet_rows(path)
    else:
        rows = _text_rows(path, "\t" if kind == ".tsv" else ",")
    frame = frame_of_answers(checked_rows(rows, faults))
    if frame.is_empty() and not faults.listed():
        raise DataRefused(f"{path} holds no rows; it must hold one row for each question.")
    return AnswerRows(frame, header, faults.listed())


def checked_rows(rows: Iterator[_Place], faults: FaultList) -> list[Prediction]:
    """Return the rows that are predictions, and name the others."""
    found: list[Prediction] = []
    for number, (place, row) in enumerate(rows):
        if number >= MAX_ANSWERS:
            raise DataRefused(
                f"There are more than {MAX_ANSWERS:,} rows; give one row for each question."
            )
        prediction = _checked(place, row, faults)
        if prediction:
            found.append(prediction)
    return found


def frame_of_answers(predictions: Sequence[Prediction]) -> pl.DataFrame:
    """Return predictions as the columns of :data:`SCHEMA`."""
    scores = [row.scores or (None, None, None) for row in predictions]
    columns: dict[str, list[Any]] = {
        "id": [row.id for row in predictions],
        "label": [row.label for row in predictions],
        "answer": [row.answer for row in predictions],
        **{f"score{i}": [own[i] for own in scores] for i in range(3)},
        "why_unscored": [None] * len(predictions),
    }
    return pl.DataFrame(columns, schema=SCHEMA)


def _checked(place: str, row: Any, faults: FaultList) -> Prediction | None:
    try:
        found = msgspec.convert(row, Prediction)
    except msgspec.ValidationError as error:
        faults.add("rows that are no prediction", _SHAPE, f"{place}: {what_stands(row, error)}")
        return None
    given = [name for name in _ANSWER_FIELDS if getattr(found, name) is not None]
    if not found.id:
        faults.add("rows without an id", TEXT, place)
    elif len(given) != 1:
        said = "none of them" if not given else " and ".join(given)
        faults.add("rows without exactly one answer", _SHAPE, f"{place}: {said}")
    elif found.scores and not all(map(math.isfinite, found.scores)):
        faults.add("scores that are NaN or infinite", _SHAPE, f"{place}: {found.scores}")
    else:
        return found
    return None


def _json_rows(
    path: Path, lines: Iterable[tuple[int, bytes]], faults: FaultList
) -> Iterator[_Place]:
    decoder = msgspec.json.Decoder()
    for count, (number, line) in enumerate(lines, 1):
        check_rows(path, count, MAX_ANSWERS)
        try:
            row = decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            remedy = "Each line must be one JSON object in UTF-8 (JSON has no NaN)."
            faults.add("lines that are not JSON (or cut off)", remedy, f"row {number}")
            continue
        if isinstance(row, dict) and len(_KEY.findall(line)) > len(row) and (twice := _twice(line)):
            faults.add("rows with a field twice", ONCE, f"row {number}: {twice}")
        else:
            yield f"row {number}", row


def _twice(line: bytes) -> str | None:
    """Return a field that stands twice in a row."""
    try:
        once_loads(line.decode())
    except KeyTwice as twice:
        return str(twice)
    except (ValueError, RecursionError):
        return None
    return None


def _text_rows(path: Path, separator: str) -> Iterator[_Place]:
    """Yield the rows of CSV or TSV; an empty cell is no value, but an answer may be empty."""
    csv.field_size_limit(LONGEST_FIELD)
    lines = text_lines_of(path)
    table = csv.DictReader(lines, delimiter=separator, restkey="", strict=True)
    try:
        names = list(table.fieldnames or [])
        _check_columns(path, names)
        is_answer_alone = not {"label", "scores"} & set(names)
        for number, cells in enumerate(table, 2):
            row = {name: value_of_cell(name, cell) for name, cell in cells.items() if cell}
            if is_answer_alone:
                row.setdefault("answer", "")
            yield f"row {number}", row
    except csv.Error as error:
        raise DataRefused(
            f"{path}, line {table.line_num} is no row of a table: {error}."
        ) from error


def value_of_cell(name: str, cell: str) -> Any:
    """Return a cell as what its column holds, or as it is where it is something else."""
    if name in {"label", "scores"}:
        try:
            return json.loads(cell)
        except (ValueError, RecursionError):
            return cell
    return cell


def _parquet_rows(path: Path) -> Iterator[_Place]:
    _check_columns(path, schema_of(path).names())
    rows = rows_of(path, limit=MAX_ANSWERS)
    for number, row in enumerate(rows.iter_rows(named=True), 1):
        yield f"row {number}", {name: value for name, value in row.items() if value is not None}


def _check_columns(path: Path, names: Sequence[str]) -> None:
    if not any(name.strip() for name in names):
        raise DataRefused(f"{path} is empty; it must hold one row for each question.")
    unknown = [name for name in names if name not in PREDICTION_COLUMNS]
    if unknown or "id" not in names:
        first = shown(", ".join(unknown))
        wrong = f"has the unknown column {first}" if unknown else "lacks the column id"
        raise DataRefused(f"{path} {wrong} (it has {shown(', '.join(names))}). {_SHAPE}")
    if len(set(names)) != len(names):
        twice = next(name for name in names if list(names).count(name) > 1)
        raise DataRefused(f"{path} has the column {twice} twice; keep one of them.")
