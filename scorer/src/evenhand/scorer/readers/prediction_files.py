"""Predictions files in Evenhand's format: JSON lines, CSV, TSV and Parquet, with their header.

Suffixes, headers, damaged lines and unknown columns are handled alike for all benchmarks; a
``PredictionFormat`` declares what a row holds.
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from evenhand.contract import DataRefused
from evenhand.contract.predictions import HEADER_KEY
from evenhand.scorer.faults import FaultList
from evenhand.scorer.readers.headers import read_sidecar
from evenhand.scorer.readers.json_rows import read_json_rows
from evenhand.scorer.readers.prediction_format import FileRows, PredictionFormat
from evenhand.scorer.readers.reader import (
    JSON_LINES,
    OURS,
    PREDICTION_SUFFIXES,
    ROWS,
    Form,
    Mark,
    Reader,
)
from evenhand.scorer.readers.streams import file_kind


def prediction_reader(rows_format: PredictionFormat[Any]) -> Reader:
    """Declare the reader of a benchmark's rows in Evenhand's format."""
    columns = frozenset(rows_format.columns)
    filled_in = columns | frozenset(rows_format.columns_beside)
    return Reader(
        name=OURS,
        help="Evenhand's format: JSON lines, CSV, TSV (.gz, .zst) or Parquet, one row per question",
        yields=ROWS,
        marks=(
            Mark(why="a header of ours", names=frozenset({HEADER_KEY})),
            _mark_of_rows({"id"}, columns),
            _mark_of_rows(rows_format.required_columns, filled_in),
        ),
        read=lambda path, _choice: read_predictions(path, rows_format),
    )


def _mark_of_rows(required: Iterable[str], only: frozenset[str]) -> Mark:
    return Mark(
        why="rows with {names}",
        forms=(Form.OBJECT, Form.TABLE, Form.PARQUET),
        names=frozenset(required),
        only=only,
        suffixes=JSON_LINES,
        is_as_named=True,
    )


def read_predictions(path: Path, rows_format: PredictionFormat[Any]) -> FileRows:
    """Read a predictions file in Evenhand's format, by the suffix of its name.

    Raises:
        DataRefused: the file cannot be read at all; faults of rows are in the result.
    """
    suffix = file_kind(path)
    if suffix not in PREDICTION_SUFFIXES:
        hint = f" {rows_format.json_hint}" if suffix == ".json" and rows_format.json_hint else ""
        raise DataRefused(
            f"{path}: the name must end in {', '.join(PREDICTION_SUFFIXES)} (each also with .gz or"
            f" .zst but for .parquet).{hint}"
        )
    header = read_sidecar(path)
    if suffix in JSON_LINES:
        faults = FaultList()
        rows, first_line = read_json_rows(path, rows_format, faults)
        file = FileRows(rows, first_line or header, faults.to_list())
    else:
        file = replace(rows_format.table(path, suffix), header=header)
    if file.rows.is_empty() and not file.faults:
        raise DataRefused(f"{path} holds no rows; it must hold one row for each question.")
    return file
