"""Predictions of BVF in our own format, as one flat table: a column for each class or word.

JSONL with ``p`` or ``word_p`` as an object; Parquet with them as structs or as columns ``p:male``,
``word_p:he``; CSV and TSV with such columns. ``answer`` and ``sample`` are columns in all.
"""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from evenhand.contract import DataRefused
from evenhand.contract.bvf import Prediction
from evenhand.scorer.bvf import blank
from evenhand.scorer.faults import FIRST, FaultList
from evenhand.scorer.readers.parquet import read_rows
from evenhand.scorer.readers.plain_tables import PlainTable, read_plain_table
from evenhand.scorer.readers.prediction_files import prediction_reader
from evenhand.scorer.readers.prediction_format import (
    FileRows,
    PredictionFormat,
    check_columns,
    quoted_places,
    rows_with_id,
)

PLAIN = {"id": pl.String, "answer": pl.String, "sample": pl.Int64}
SHOWN = tuple(name for name in blank.SHOWN if name != "id")
"""Columns of a blank file that may accompany the answer; they are ignored."""
P, WORD_P = "p:", "word_p:"
"""Prefixes of the columns of classes and of words."""

SHAPE = (
    "A row has an id and one of p (class -> probability), word_p (word -> probability) and answer"
    " (a word); in a table these are columns such as p:male, word_p:he and answer."
)
NOT_NUMBERS = "values that are not numbers"
NOT_INTEGERS = "samples that are not integers"
"""Kinds of faults."""

_KEY = re.compile(rb'"\s*:')


class _Probabilities(PredictionFormat[Prediction]):
    """Rows with probabilities by class or by word, or with an answer."""

    record = Prediction
    columns_beside = SHOWN
    shape = SHAPE
    json_hint = "The original's JSON needs `--reader bvf-table`."

    def frame(self, records: Sequence[Prediction]) -> pl.DataFrame:
        """Return records as a flat table: ``id``, ``answer``, ``sample`` and Float64 columns."""
        columns: dict[str, list[Any]] = {
            "id": [record.id for record in records],
            "answer": [_answer(record) for record in records],
            "sample": [record.sample for record in records],
        }
        schema: dict[str, Any] = dict(PLAIN)
        groups: tuple[tuple[str, Callable[[Prediction], dict[str, float] | None]], ...] = (
            (P, lambda record: record.p),
            (WORD_P, lambda record: record.word_p),
        )
        for prefix, probabilities in groups:
            values = [probabilities(record) or {} for record in records]
            for name in dict.fromkeys(key for row in values for key in row):
                columns[prefix + name] = [row.get(name) for row in values]
                schema[prefix + name] = pl.Float64
        return pl.DataFrame(columns, schema=schema)

    def has_keys_once(self, content: bytes, records: Sequence[Prediction]) -> bool:
        """Compare the number of keys: those inside ``p`` and ``word_p`` have no fixed names."""
        return len(_KEY.findall(content)) == sum(map(_n_keys, records))

    def is_column(self, name: str) -> bool:
        """Say whether a table may have a column of this name."""
        is_plain = name in PLAIN or name in self.columns_beside
        return is_plain or _is_probability(name)

    def table(self, path: Path, suffix: str) -> FileRows:
        """Return the rows of a table."""
        faults = FaultList()
        if suffix == ".parquet":
            table = PlainTable(read_rows(path))
        else:
            table = read_plain_table(path, suffix, _is_probability)
        rows = flatten_table(str(path), table.texts, faults)
        return FileRows(rows, faults=faults.to_list(), notes=table.notes)


FORMAT = _Probabilities()
READER = prediction_reader(FORMAT)


def flatten_table(name: str, rows: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Return a table with a numeric column for each class and each word.

    Args:
        name: of the file or table, for refusals.
        rows: ``id`` and the other fields of a prediction.
        faults: collects values that are not numbers, and rows without an id.

    Raises:
        DataRefused: a column is unknown or has the wrong type.
    """
    for column in ("p", "word_p"):
        if column in rows.columns:
            rows = _unnest(name, rows, column)
    check_columns(name, rows.columns, FORMAT)
    if set(SHOWN) & set(rows.columns) and "answer" in rows.columns:
        # In a filled-in blank file, an empty cell means that the model gave no answer.
        rows = rows.with_columns(pl.col("answer").cast(pl.String).fill_null("")).drop(SHOWN)
    numbers = [column for column in rows.columns if _is_probability(column)]
    for column in numbers:
        if rows[column].dtype == pl.Null or rows[column].dtype.is_numeric():
            continue
        if rows[column].dtype != pl.String:
            raise DataRefused(f"{name}: the column {column} must contain numbers from 0 to 1.")
        _check_numbers(rows, column, faults)
    rows = _with_samples(rows, faults)
    plain = {column: kind for column, kind in PLAIN.items() if column in rows.columns}
    typed = rows.select(
        *(pl.col(column).cast(kind, strict=False) for column, kind in plain.items()),
        *(pl.lit(None, kind).alias(name) for name, kind in PLAIN.items() if name not in plain),
        *(_trim(rows, column).cast(pl.Float64, strict=False) for column in numbers),
    )
    return rows_with_id(typed, faults)


def _n_keys(record: Prediction) -> int:
    """Return how many keys the JSON of a row has, fields that are null not counted."""
    inner = (len(group) + 1 for group in (record.p, record.word_p) if group is not None)
    beside = sum(getattr(record, name) is not None for name in SHOWN)
    return 1 + sum(inner) + (record.answer is not None) + (record.sample is not None) + beside


def _answer(record: Prediction) -> str | None:
    """Return the answer; in a row of a blank file, a missing answer is an empty one."""
    is_blank = getattr(record, "text", None) is not None
    is_blank = is_blank and record.p is None and record.word_p is None
    return "" if is_blank and record.answer is None else record.answer


def _unnest(name: str, rows: pl.DataFrame, column: str) -> pl.DataFrame:
    kind = rows[column].dtype
    if kind == pl.Null:
        return rows.drop(column)
    if not isinstance(kind, pl.Struct):
        raise DataRefused(
            f"{name}: the column {column} is {kind}; write one column for each"
            f" {'class, e.g. p:male' if column == 'p' else 'word, e.g. word_p:he'}."
        )
    fields = rows[column].struct.unnest()
    return rows.drop(column).hstack(fields.rename(lambda field: f"{column}:{field}"))


def _check_numbers(rows: pl.DataFrame, column: str, faults: FaultList) -> None:
    texts = rows[column].str.strip_chars()
    is_bad = texts.cast(pl.Float64, strict=False).is_null() & texts.is_not_null() & (texts != "")
    places = [f"{rows['id'][at]}: {column} {texts[at]!r}" for at in is_bad.arg_true().head(FIRST)]
    remedy = "A probability must be a number, not text, true or false."
    faults.add_many(NOT_NUMBERS, remedy, places, int(is_bad.sum()))


def _with_samples(rows: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Return samples as integers; any other value is a fault, never silently dropped."""
    if "sample" not in rows.columns:
        return rows
    samples = rows["sample"]
    texts = samples.cast(pl.String, strict=False).str.strip_chars().str.strip_suffix(".0")
    numbers = texts.cast(pl.Int64, strict=False)
    is_bad = numbers.is_null() & texts.is_not_null() & (texts != "")
    is_bad |= pl.Series([samples.dtype == pl.Boolean]).new_from_index(0, len(rows))
    remedy = "Number several answers to a text 0, 1, 2, ... in the field sample."
    places = quoted_places(is_bad, samples, 1)
    faults.add_many(NOT_INTEGERS, remedy, places, int(is_bad.sum()))
    return rows.with_columns(numbers.alias("sample"))


def _trim(rows: pl.DataFrame, column: str) -> pl.Expr:
    values = pl.col(column)
    return values.str.strip_chars() if rows[column].dtype == pl.String else values


def _is_probability(column: str) -> bool:
    return column.startswith((P, WORD_P))
