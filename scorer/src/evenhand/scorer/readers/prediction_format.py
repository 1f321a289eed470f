"""What a benchmark declares of its predictions, and the checks that follow from it.

A benchmark says which record of the contract a row is, which columns may stand beside it, and how
records become rows; the general reader (``prediction_files``) does the rest.
"""

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import msgspec
import polars as pl

from evenhand.contract import DataRefused
from evenhand.contract.predictions import Header
from evenhand.scorer.faults import FIRST, Fault, FaultList, excerpt, what_stands
from evenhand.scorer.readers.json_text import ESCAPED_ASCII, once_loads

NO_PREDICTION = "rows that are no prediction"
NO_ID = "rows without an id"
ID_REMEDY = "An id must be text that is not empty."

_NAMED_COLUMNS = 12

Record = TypeVar("Record", bound=msgspec.Struct)


@dataclass(frozen=True, slots=True)
class FileRows:
    """One file of predictions as rows by id."""

    rows: pl.DataFrame
    header: Header | None = None
    faults: list[Fault] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Notes for the user on how the file was read."""


ToRows = Callable[[Path, Any], FileRows]
"""Turns what a reader yields from a file into rows."""


class PredictionFormat(ABC, Generic[Record]):
    """A benchmark's declaration of its predictions, for the general reader."""

    record: ClassVar[type[msgspec.Struct]]
    """The contract's ``Prediction``."""
    columns_beside: ClassVar[tuple[str, ...]] = ()
    """Columns of the dataset that may accompany it; nothing is read from them."""
    shape: ClassVar[str]
    """What a row holds, in a sentence."""
    most_rows: ClassVar[int | None] = None
    """The most rows of a file; None for no limit."""
    json_hint: ClassVar[str] = ""
    """Which reader takes a ``.json`` file, in a sentence."""

    @abstractmethod
    def frame(self, records: Sequence[Record]) -> pl.DataFrame:
        """Return records as rows."""

    @abstractmethod
    def table(self, path: Path, suffix: str) -> FileRows:
        """Return the rows of CSV, TSV or Parquet."""

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns of the record."""
        return tuple(entry.encode_name for entry in msgspec.structs.fields(self.record))

    @cached_property
    def required_columns(self) -> tuple[str, ...]:
        """The required columns."""
        entries = msgspec.structs.fields(self.record)
        return tuple(entry.encode_name for entry in entries if entry.required)

    def is_column(self, name: str) -> bool:
        """Say whether a table may have a column of this name."""
        return name in self.columns or name in self.columns_beside

    def parse(self, line: bytes, place: str, faults: FaultList) -> Record | None:
        """Read one line of JSON; None and a fault where it is wrong.

        Raises:
            ValueError: no JSON.
            KeyTwice: a field occurs twice.
        """
        try:
            record: Record = self.decoder.decode(line)
        except msgspec.ValidationError as error:
            # Of two values the decoder quotes the last. A line that is broken further on is no
            # JSON, but the fault that the decoder reported before that says more.
            with contextlib.suppress(ValueError, RecursionError):
                once_loads(line.decode())
            said = what_stands(_decode(line), error)
            faults.add(NO_PREDICTION, self.shape, f"{place}: {said}")
            return None
        if ESCAPED_ASCII.search(line) or not self.has_keys_once(line, [record]):
            once_loads(line.decode())
        return record if self.accepts(record, place, faults) else None

    def accepts(self, record: Record, place: str, faults: FaultList) -> bool:
        """Check what the types of the fields do not imply; what is wrong is a fault."""
        if not getattr(record, "id", None):
            faults.add(NO_ID, ID_REMEDY, place)
            return False
        return True

    def is_sound(self, rows: pl.DataFrame) -> bool:
        """Say whether :meth:`accepts` would take each of the rows, all at once."""
        return not (rows["id"] == "").any()

    def has_keys_once(self, content: bytes, records: Sequence[Record]) -> bool:
        """Say whether no field can occur twice in a row: a decoder takes the last one.

        Fields that are null, and texts that are the name of one, can make this False for many rows;
        then they are looked at one by one.
        """
        for name in self.columns:
            count = content.count(b'"%s"' % name.encode())
            if count > 1 and count != self._n_values(records, name):
                return False
        return True

    def _n_values(self, records: Sequence[Record], name: str) -> int:
        if name in self.required_columns:
            return len(records)
        return sum(getattr(record, name) is not None for record in records)

    @cached_property
    def decoder(self) -> "msgspec.json.Decoder[Any]":
        """The decoder of a row, in which columns of the dataset may still stand."""
        filled_in = msgspec.defstruct(
            "FilledIn",
            [(name, Any, None) for name in self.columns_beside],
            bases=(self.record,),
            kw_only=True,
            frozen=True,
            forbid_unknown_fields=True,
        )
        return msgspec.json.Decoder(filled_in)


def check_columns(name: str, columns: Sequence[str], rows_format: PredictionFormat[Any]) -> None:
    """Refuse a table that lacks a column, has an unknown one, or one twice.

    Args:
        name: of the file or table.
        columns: those that it has.
        rows_format: declares required and permitted columns.
    """
    if not any(column.strip() for column in columns):
        raise DataRefused(f"{name} is empty; it must hold one row for each question.")
    missing = [column for column in rows_format.required_columns if column not in columns]
    unknown = [column for column in columns if not rows_format.is_column(column)]
    if missing or unknown:
        wrong = (
            f"lacks the column {', '.join(missing)}"
            if missing
            else f"has the unknown column {excerpt(', '.join(unknown))}"
        )
        more = ", ..." if len(columns) > _NAMED_COLUMNS else ""
        few = excerpt(", ".join(columns[:_NAMED_COLUMNS]) + more)
        raise DataRefused(f"{name} {wrong} (it has {few}). {rows_format.shape}")
    for column in columns:
        if list(columns).count(column) > 1:
            raise DataRefused(f"{name} has the column {column} twice; keep one of them.")


def rows_with_id(rows: pl.DataFrame, faults: FaultList, *, first_row: int = 1) -> pl.DataFrame:
    """Return the rows of a table that have an id, and count the others.

    Args:
        rows: with a text column ``id``.
        faults: takes the others.
        first_row: number of the first row, as a user counts them in the file.
    """
    is_nameless = rows["id"].is_null() | (rows["id"].str.len_bytes() == 0)
    places = quoted_places(is_nameless, rows["id"], first_row)
    faults.add_many(NO_ID, ID_REMEDY, places, int(is_nameless.sum()))
    return rows.filter(~is_nameless)


def quoted_places(is_faulty: pl.Series, values: pl.Series, first_row: int) -> Iterator[str]:
    """Yield the first few faulty rows of a table by number, each with the value that it has."""
    for row in is_faulty.arg_true().head(FIRST):
        yield f"row {row + first_row}: {values[row]!r}"


def _decode(line: bytes) -> Any:
    """Return what a line holds, or None where it is broken after a fault."""
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
