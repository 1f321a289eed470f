"""Predictions of BVF in our own format, as one flat table: a column for each class or word.

JSONL with ``p`` or ``word_p`` as an object; Parquet with them as structs or as columns ``p:male``,
``word_p:he``; CSV and TSV with such columns. ``answer`` and ``sample`` are columns in all.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from evenhand.contract import DataRefused
from evenhand.contract.bvf import PREDICTION_COLUMNS, Prediction
from evenhand.contract.predictions import Header
from evenhand.scorer.bvf import blank
from evenhand.scorer.faults import FIRST, Fault, FaultList, shown
from evenhand.scorer.readers.headers import read_sidecar
from evenhand.scorer.readers.parquet import rows_of
from evenhand.scorer.readers.plain_tables import OwnTable, read_own_table
from evenhand.scorer.readers.streams import kind_of
from evenhand.scorer.unqover.prediction_rows import TEXT

KINDS = (".jsonl", ".ndjson", ".csv", ".tsv", ".parquet")
PLAIN = {"id": pl.String, "answer": pl.String, "sample": pl.Int64}
SHOWN = tuple(name for name in blank.SHOWN if name != "id")
"""Columns of a blank file that may stand beside the answer; nothing is read from them."""
P, WORD_P = "p:", "word_p:"
"""What stands before the name of a class, and of a word, in the name of a column."""

SHAPE = (
    "A row has an id and one of p (class -> probability), word_p (word -> probability) and answer"
    " (a word); in a table they are columns such as p:male, word_p:he and answer."
)


@dataclass(frozen=True, slots=True)
class ProbabilityRows:
    """One predictions file as read."""

    rows: pl.DataFrame
    """``id``, ``answer``, ``sample`` and Float64 columns ``p:CLASS`` and ``word_p:WORD``."""
    header: Header | None = None
    faults: list[Fault] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What a person has to know about how the file was read."""


def read_probabilities(path: Path) -> ProbabilityRows:
    """Read a predictions file of ours, by the suffix of its name.

    Raises:
        DataRefused: the file cannot be read at all; faults of rows are in the result.
    """
    kind, faults = kind_of(path), FaultList()
    if kind not in KINDS:
        hint = " The original's JSON needs `--reader bvf-table`." if kind == ".json" else ""
        raise DataRefused(
            f"{path}: the name must end in {', '.join(KINDS)} (each also with .gz or .zst but for"
            f" .parquet).{hint}"
        )
    header = read_sidecar(path)
    if kind in {".jsonl", ".ndjson"}:
        # It makes rows of the records with this module's own functions.
        from evenhand.scorer.bvf.json_rows import read_lines

        rows, own = read_lines(path, faults)
        rows = with_ids(rows, faults)
        header = own or header
        notes = []
    else:
        table = _read_table(path, kind)
        rows, notes = flat(str(path), table.texts, faults), table.notes
    if rows.is_empty() and not faults.listed():
        raise DataRefused(f"{path} holds no rows; it must hold one row for each text.")
    return ProbabilityRows(rows, header, faults.listed(), notes)


def flat(name: str, rows: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Return a table with a column for each class and word, and nothing but numbers in them.

    Args:
        name: of the file or table, for refusals.
        rows: ``id`` and what else a prediction has.
        faults: takes values that are no numbers, and rows without an id.

    Raises:
        DataRefused: a column is unknown or of a wrong type.
    """
    for column in ("p", "word_p"):
        if column in rows.columns:
            rows = _unnested(name, rows, column)
    _check_columns(name, rows.columns)
    if set(SHOWN) & set(rows.columns) and "answer" in rows.columns:
        # Of a blank file that came back, an empty cell is a text to which the model said nothing.
        rows = rows.with_columns(pl.col("answer").cast(pl.String).fill_null("")).drop(SHOWN)
    numbers = [own for own in rows.columns if _is_number(own)]
    for column in numbers:
        if rows[column].dtype == pl.Null or rows[column].dtype.is_numeric():
            continue
        if rows[column].dtype != pl.String:
            raise DataRefused(f"{name}: the column {column} must hold numbers from 0 to 1.")
        _check_numbers(rows, column, faults)
    rows = _with_samples(rows, faults)
    plain = {own: kind for own, kind in PLAIN.items() if own in rows.columns}
    found = rows.select(
        *(pl.col(own).cast(kind, strict=False) for own, kind in plain.items()),
        *(pl.lit(None, kind).alias(own) for own, kind in PLAIN.items() if own not in plain),
        *(_trimmed(rows, column).cast(pl.Float64, strict=False) for column in numbers),
    )
    return with_ids(found, faults)


def frame_of_rows(rows: Sequence[Prediction]) -> pl.DataFrame:
    """Return prediction records as a flat table."""
    columns: dict[str, list[Any]] = {
        "id": [row.id for row in rows],
        "answer": [_answer_of(row) for row in rows],
        "sample": [row.sample for row in rows],
    }
    schema: dict[str, Any] = dict(PLAIN)
    groups: tuple[tuple[str, Callable[[Prediction], dict[str, float] | None]], ...] = (
        (P, lambda row: row.p),
        (WORD_P, lambda row: row.word_p),
    )
    for prefix, values_of in groups:
        values = [values_of(row) or {} for row in rows]
        for name in dict.fromkeys(key for own in values for key in own):
            columns[prefix + name] = [own.get(name) for own in values]
            schema[prefix + name] = pl.Float64
    return pl.DataFrame(columns, schema=schema)


def _answer_of(row: Prediction) -> str | None:
    """Return the answer; in a row that still shows its text, none is one that says nothing."""
    is_blank = getattr(row, "text", None) is not None and row.p is None and row.word_p is None
    return "" if is_blank and row.answer is None else row.answer


def _unnested(name: str, rows: pl.DataFrame, column: str) -> pl.DataFrame:
    kind = rows[column].dtype
    if kind == pl.Null:
        return rows.drop(column)
    if not isinstance(kind, pl.Struct):
        raise DataRefused(
            f"{name}: the column {column} is {kind}; write one column for each"
            f" {'class, e.g. p:male' if column == 'p' else 'word, e.g. word_p:he'}."
        )
    fields = rows[column].struct.unnest()
    return rows.drop(column).hstack(fields.rename(lambda own: f"{column}:{own}"))


def _check_columns(name: str, columns: Sequence[str]) -> None:
    known = {*SHOWN, *(own for own in PREDICTION_COLUMNS if own not in {"p", "word_p"})}
    unknown = [own for own in columns if own not in known and not own.startswith((P, WORD_P))]
    if unknown or "id" not in columns:
        first = shown(", ".join(unknown))
        wrong = f"has the unknown column {first}" if unknown else "lacks the column id"
        few = shown(", ".join(columns[:12]) + (", ..." if len(columns) > 12 else ""))
        raise DataRefused(f"{name} {wrong} (it has {few}). {SHAPE}")


def _check_numbers(rows: pl.DataFrame, column: str, faults: FaultList) -> None:
    texts = rows[column].str.strip_chars()
    is_bad = texts.cast(pl.Float64, strict=False).is_null() & texts.is_not_null() & (texts != "")
    places = [f"{rows['id'][at]}: {column} {texts[at]!r}" for at in is_bad.arg_true().head(FIRST)]
    remedy = "A probability must be a number: not text, true or false."
    faults.add_many("values that are no number", remedy, places, int(is_bad.sum()))


def _with_samples(rows: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Return samples as whole numbers; what is none is a fault and never left out in silence."""
    if "sample" not in rows.columns:
        return rows
    given = rows["sample"]
    texts = given.cast(pl.String, strict=False).str.strip_chars().str.strip_suffix(".0")
    numbers = texts.cast(pl.Int64, strict=False)
    is_bad = numbers.is_null() & texts.is_not_null() & (texts != "")
    is_bad |= pl.Series([given.dtype == pl.Boolean]).new_from_index(0, len(rows))
    places = [f"row {at + 1}: {given[at]!r}" for at in is_bad.arg_true().head(FIRST)]
    remedy = "A sample is the number of one of several answers."
    faults.add_many("samples that are no whole number", remedy, places, int(is_bad.sum()))
    return rows.with_columns(numbers.alias("sample"))


def _trimmed(rows: pl.DataFrame, column: str) -> pl.Expr:
    own = pl.col(column)
    return own.str.strip_chars() if rows[column].dtype == pl.String else own


def with_ids(rows: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Return the rows that have an id, and count the others."""
    is_nameless = rows["id"].is_null() | (rows["id"].str.len_bytes() == 0)
    places = [f"row {at + 1}" for at in is_nameless.arg_true().head(FIRST)]
    faults.add_many("rows without an id", TEXT, places, int(is_nameless.sum()))
    return rows.filter(~is_nameless)


def _read_table(path: Path, kind: str) -> OwnTable:
    if kind == ".parquet":
        return OwnTable(rows_of(path))
    return read_own_table(path, "\t" if kind == ".tsv" else ",", _is_number)


def _is_number(column: str) -> bool:
    return column.startswith((P, WORD_P))
