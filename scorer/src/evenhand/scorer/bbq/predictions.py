"""BBQ predictions in Evenhand's format: a label, a text or three scores for each question.

In a table, ``scores`` is a list or its JSON.
"""

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from evenhand.contract import DataRefused
from evenhand.contract.bbq import Prediction
from evenhand.scorer.faults import FaultList, what_stands
from evenhand.scorer.readers import prediction_files
from evenhand.scorer.readers.parquet import read_rows, read_schema
from evenhand.scorer.readers.prediction_files import prediction_reader
from evenhand.scorer.readers.prediction_format import (
    NO_PREDICTION,
    FileRows,
    PredictionFormat,
    check_columns,
)
from evenhand.scorer.readers.streams import MAX_ANSWERS
from evenhand.scorer.readers.strict_tables import StrictTable
from evenhand.scorer.readers.table_text import FIRST_ROW

SCHEMA = {
    "id": pl.String,
    "label": pl.Int64,
    "answer": pl.String,
    "score0": pl.Float64,
    "score1": pl.Float64,
    "score2": pl.Float64,
    "why_unscored": pl.String,
}
"""Columns of rows as read; exactly one of label, answer, the scores and why_unscored is filled."""

NOT_ONE_ANSWER = "rows without exactly one answer"
NOT_FINITE = "scores that are NaN or infinite"

_SCORES = ("score0", "score1", "score2")
_ANSWER_FIELDS = ("label", "answer", "scores")
_NUMBERED_ROW = tuple[str, Any]
"""A row's place in the file, and its fields."""


class _Answers(PredictionFormat[Prediction]):
    """The format: exactly one of a label, a text and three scores in each row."""

    record = Prediction
    shape = (
        "A row has an id and one of label (0, 1 or 2), answer (text) and scores (three finite"
        " numbers)."
    )
    most_rows = MAX_ANSWERS

    def frame(self, records: Sequence[Prediction]) -> pl.DataFrame:
        """Return records as the columns of :data:`SCHEMA`."""
        scores = [record.scores or (None, None, None) for record in records]
        columns: dict[str, list[Any]] = {
            "id": [record.id for record in records],
            "label": [record.label for record in records],
            "answer": [record.answer for record in records],
            **{name: [row[place] for row in scores] for place, name in enumerate(_SCORES)},
            "why_unscored": [None] * len(records),
        }
        return pl.DataFrame(columns, schema=SCHEMA)

    def accepts(self, record: Prediction, place: str, faults: FaultList) -> bool:
        """Check that a row has an id and exactly one answer, of finite numbers."""
        given = [name for name in _ANSWER_FIELDS if getattr(record, name) is not None]
        if not super().accepts(record, place, faults):
            return False
        if len(given) != 1:
            detail = "none of them" if not given else " and ".join(given)
            faults.add(NOT_ONE_ANSWER, self.shape, f"{place}: {detail}")
            return False
        if record.scores and not all(map(math.isfinite, record.scores)):
            detail = f"{place}: {record.scores}"
            faults.add(NOT_FINITE, self.shape, detail)
            return False
        return True

    def is_sound(self, rows: pl.DataFrame) -> bool:
        """Return whether :meth:`accepts` would accept every row, without going through them."""
        answers = pl.sum_horizontal(pl.col("label", "answer", "score0").is_not_null())
        is_finite = pl.all_horizontal(pl.col(*_SCORES).is_finite().fill_null(value=True))
        is_whole = rows.select(((pl.col("id") != "") & (answers == 1) & is_finite).all())
        return bool(is_whole.item())

    def table(self, path: Path, suffix: str) -> FileRows:
        """Return the rows of a table, read one by one so that each fault names its row."""
        faults = FaultList()
        rows = self._parquet(path) if suffix == ".parquet" else self._text(path, suffix)
        frame = answers_frame(accepted_rows(rows, faults))
        return FileRows(frame, faults=faults.to_list())

    def _text(self, path: Path, suffix: str) -> Iterator[_NUMBERED_ROW]:
        """Yield the rows of CSV or TSV; empty cells have no value, but an answer may be empty."""
        table = StrictTable(path, suffix)
        check_columns(str(path), table.names, self)
        has_answers_alone = not {"label", "scores"} & set(table.names)
        for number, cells in enumerate(table.rows(), FIRST_ROW):
            row = {name: cell_value(name, cell) for name, cell in cells.items() if cell}
            if has_answers_alone:
                row.setdefault("answer", "")
            yield f"row {number}", row

    def _parquet(self, path: Path) -> Iterator[_NUMBERED_ROW]:
        check_columns(str(path), read_schema(path).names(), self)
        rows = read_rows(path, limit=MAX_ANSWERS)
        for number, row in enumerate(rows.iter_rows(named=True), 1):
            yield f"row {number}", {name: value for name, value in row.items() if value is not None}


FORMAT = _Answers()
READER = prediction_reader(FORMAT)


def read_predictions(path: Path) -> FileRows:
    """Read a predictions file in Evenhand's format; its suffix says how.

    Raises:
        DataRefused: the file cannot be read at all; faults of rows are in the result.
    """
    return prediction_files.read_predictions(path, FORMAT)


def accepted_rows(rows: Iterable[_NUMBERED_ROW], faults: FaultList) -> list[Prediction]:
    """Return the rows that are valid predictions, and add the others to the faults."""
    records: list[Prediction] = []
    for number, (place, row) in enumerate(rows):
        if number >= MAX_ANSWERS:
            raise DataRefused(
                f"There are more than {MAX_ANSWERS:,} rows; give one row per question."
            )
        try:
            record = msgspec.convert(row, Prediction)
        except msgspec.ValidationError as error:
            faults.add(NO_PREDICTION, FORMAT.shape, f"{place}: {what_stands(row, error)}")
            continue
        if FORMAT.accepts(record, place, faults):
            records.append(record)
    return records


def answers_frame(predictions: Sequence[Prediction]) -> pl.DataFrame:
    """Return predictions as the columns of :data:`SCHEMA`."""
    return FORMAT.frame(predictions)


def cell_value(name: str, cell: str) -> Any:
    """Return a cell's value in its column's type, or its text if it has another type."""
    if name in {"label", "scores"}:
        try:
            return json.loads(cell)
        except (ValueError, RecursionError):
            return cell
    return cell
