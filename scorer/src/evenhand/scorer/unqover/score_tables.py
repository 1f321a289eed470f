"""Our predictions as CSV, TSV or Parquet."""

from pathlib import Path

import polars as pl

from evenhand.contract import DataRefused
from evenhand.scorer.readers.headers import read_sidecar
from evenhand.scorer.readers.parquet import rows_of, schema_of
from evenhand.scorer.readers.plain_tables import read_own_table
from evenhand.scorer.unqover.prediction_rows import (
    COLUMNS,
    SCORES,
    PredictionRows,
    check_columns,
    checked,
)

FIRST_CSV_ROW = 2
"""Line 1 of a CSV holds the names of the columns."""


def read_csv(path: Path, separator: str) -> PredictionRows:
    """Read CSV or TSV with a line of column names; every value is text until it is checked.

    A table that is written otherwise is read as ``own_tables`` finds it to be.
    """
    table = read_own_table(path, separator, SCORES.__contains__)
    texts = table.texts
    check_columns(path, texts.columns)
    if texts.is_empty():
        raise DataRefused(f"{path} holds no rows; it must hold one row for each question.")
    rows = texts.select(
        "id", *(pl.col(name).str.strip_chars().cast(pl.Float64, strict=False) for name in SCORES)
    )
    found = checked(rows, texts=texts, first_row=FIRST_CSV_ROW)
    return PredictionRows(found.rows, read_sidecar(path), found.faults, table.notes)


def read_parquet(path: Path) -> PredictionRows:
    """Read Parquet with a text column ``id`` and two columns of numbers."""
    schema = schema_of(path)
    check_columns(path, list(schema))
    _check_types(path, schema)
    rows = rows_of(path, COLUMNS)
    if rows.is_empty():
        raise DataRefused(f"{path} holds no rows; it must hold one row for each question.")
    rows = rows.select(pl.col("id").cast(pl.String), *(pl.col(n).cast(pl.Float64) for n in SCORES))
    found = checked(rows)
    return PredictionRows(found.rows, read_sidecar(path), found.faults)


def _check_types(path: Path, schema: pl.Schema) -> None:
    if not isinstance(schema["id"], pl.String | pl.Categorical | pl.Enum):
        raise DataRefused(f"{path}: the column id is {schema['id']}; it must be text.")
    for name in SCORES:
        if not schema[name].is_numeric():
            raise DataRefused(
                f"{path}: the column {name} is {schema[name]}; it must be a number from 0 to 1."
            )
