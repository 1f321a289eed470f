"""JSON lines in Evenhand's format: by typed chunks, then line by line where a chunk has a fault."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from evenhand.contract.predictions import Header
from evenhand.scorer.faults import FaultList
from evenhand.scorer.readers.headers import parse_header
from evenhand.scorer.readers.json_text import ESCAPED_ASCII, ONCE, KeyTwice
from evenhand.scorer.readers.prediction_format import PredictionFormat
from evenhand.scorer.readers.streams import check_rows, chunks_of_lines

CHUNK_BYTES = 8 << 20

_FULL_LINE = re.compile(rb"\S[^\n]*")
_LINE = "Each line must be one JSON object in UTF-8 (JSON has no NaN)."


def read_json_rows(
    path: Path, rows_format: PredictionFormat[Any], faults: FaultList
) -> tuple[pl.DataFrame, Header | None]:
    """Return the rows of JSON lines, and the header if the first line is one.

    Raises:
        DataRefused: the file cannot be read, its header is faulty, or it has too many rows.
    """
    reading, header, frames, number = _Reading(path, rows_format, faults), None, [], 1
    is_start = True
    for chunk in chunks_of_lines(path, CHUNK_BYTES):
        lines, first = chunk, number
        number += chunk.count(b"\n")
        if not chunk.strip():
            continue
        if is_start:
            n_blank = chunk.count(b"\n", 0, len(chunk) - len(chunk.lstrip()))
            line, _, rest = chunk.lstrip().partition(b"\n")
            header, is_start = parse_header(path, line), False
            if header is not None:
                lines, first = rest, first + n_blank + 1
        frames.append(reading.rows(lines, first))
        faults.refuse_a_million(path)
    return pl.concat(frames, how="diagonal") if frames else rows_format.frame([]), header


class _Reading:
    """Reads the chunks of one file."""

    def __init__(self, path: Path, rows_format: PredictionFormat[Any], faults: FaultList) -> None:
        self._path, self._format, self._faults = path, rows_format, faults
        self._n_rows = 0

    def rows(self, chunk: bytes, first_line: int) -> pl.DataFrame:
        """Return the rows of a chunk, given the number of its first line."""
        rows = self._at_once(chunk)
        if rows is None:
            return self._format.frame(list(self._line_by_line(chunk, first_line)))
        self._count(len(rows))
        return rows

    def _count(self, n: int) -> None:
        self._n_rows += n
        if self._format.most_rows is not None:
            check_rows(self._path, self._n_rows, self._format.most_rows)

    def _at_once(self, chunk: bytes) -> pl.DataFrame | None:
        """Read a chunk, or return None where it may hold a fault."""
        try:
            records = self._format.decoder.decode_lines(chunk)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
        is_plain = _has_a_line_a_row(chunk, len(records)) and not ESCAPED_ASCII.search(chunk)
        if not is_plain or not self._format.has_keys_once(chunk, records):
            return None
        rows = self._format.frame(records)
        return rows if self._format.is_sound(rows) else None

    def _line_by_line(self, chunk: bytes, first_line: int) -> Iterator[Any]:
        for number, line in enumerate(chunk.split(b"\n"), first_line):
            if not line.strip():
                continue
            self._count(1)
            record = self._parsed(line, f"row {number}")
            if record is not None:
                yield record

    def _parsed(self, line: bytes, place: str) -> Any | None:
        """Return the record of a line; None and a fault where it is wrong."""
        try:
            line.decode()
            return self._format.parse(line, place, self._faults)
        except UnicodeDecodeError:
            self._faults.add("lines that are not UTF-8", "Save the file as UTF-8.", place)
        except KeyTwice as twice:
            self._faults.add("rows with a field twice", ONCE, f"{place}: {twice}")
        except (msgspec.DecodeError, ValueError, RecursionError):
            self._faults.add("lines that are not JSON (or cut off)", _LINE, place)
        return None


def _has_a_line_a_row(chunk: bytes, n_rows: int) -> bool:
    """Say whether every row is one line: the decoder goes by values and ignores line ends."""
    if chunk.count(b"\n{") + chunk.startswith(b"{") != n_rows:
        return False
    n_lines = chunk.count(b"\n") + (not chunk.endswith(b"\n"))
    return n_lines == n_rows or len(_FULL_LINE.findall(chunk)) == n_rows
