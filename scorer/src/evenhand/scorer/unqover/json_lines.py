"""Our predictions as JSON lines: typed and in chunks, then line by line where a chunk fails."""

import math
import re
from collections.abc import Callable, Iterator
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any, cast

import msgspec
import numpy as np
import polars as pl

from evenhand.contract import DataRefused
from evenhand.contract.unqover import Prediction
from evenhand.scorer.faults import FaultList
from evenhand.scorer.readers.headers import header_of, read_sidecar
from evenhand.scorer.readers.json_text import ESCAPED_ASCII, ONCE, KeyTwice, once_loads
from evenhand.scorer.readers.streams import chunks_of_lines
from evenhand.scorer.unqover.prediction_rows import (
    COLUMNS,
    IN_RANGE,
    NO_MORE,
    NUMBER,
    QUESTION_COLUMNS,
    SCORES,
    TEXT,
    PredictionRows,
)

_CHUNK_BYTES = 8 << 20
_FULL_LINE = re.compile(rb"\S[^\n]*")
_JSON = "Each line must be one JSON object."

_FilledIn = cast(
    "type[Prediction]",
    msgspec.defstruct(
        "_FilledIn",
        [(name, Any, None) for name in QUESTION_COLUMNS],
        bases=(Prediction,),
        kw_only=True,
        frozen=True,
        forbid_unknown_fields=True,
    ),
)
"""A prediction in a row that still holds its question."""

_scores_of: Callable[[Prediction], tuple[float, float]] = attrgetter(*SCORES)


def read(path: Path) -> PredictionRows:
    """Read JSON lines; a typed decoder takes whole chunks, so nothing is coerced in silence."""
    decoder = msgspec.json.Decoder(_FilledIn)
    header, faults, frames, line_number = read_sidecar(path), FaultList(), [], 1
    for chunk in chunks_of_lines(path, _CHUNK_BYTES):
        n_lines = chunk.count(b"\n")
        if not chunk.strip():
            line_number += n_lines
            continue
        first, _, rest = chunk.partition(b"\n") if line_number == 1 else (b"", b"", b"")
        if found := header_of(path, first):
            header, chunk = found, rest  # noqa: PLW2901 - the rest is the rows
            line_number, n_lines = 2, n_lines - 1
        frame = _quick(chunk, decoder)
        frames.append(_careful(chunk, line_number, faults) if frame is None else frame)
        line_number += n_lines
        faults.refuse_a_million(path)
    rows = pl.concat(frames) if frames else _frame([])
    if rows.is_empty() and not faults.listed():
        raise DataRefused(f"{path} holds no rows; it must hold one row for each question.")
    return PredictionRows(rows, header, faults.listed())


def _quick(chunk: bytes, decoder: msgspec.json.Decoder[Prediction]) -> pl.DataFrame | None:
    """Read a chunk, or return None where anything in it is wrong."""
    try:
        rows = decoder.decode_lines(chunk)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if not _is_a_line_a_row(chunk, len(rows)) or not _is_each_key_once(chunk, len(rows)):
        return None
    frame = _frame(rows)
    return None if (frame["id"] == "").any() else frame


def _is_a_line_a_row(chunk: bytes, n_rows: int) -> bool:
    """Say whether every row is a line: the decoder goes by values, wherever lines end."""
    if chunk.count(b"\n{") + chunk.startswith(b"{") != n_rows:
        return False
    n_lines = chunk.count(b"\n") + (not chunk.endswith(b"\n"))
    return n_lines == n_rows or len(_FULL_LINE.findall(chunk)) == n_rows


def _is_each_key_once(chunk: bytes, n_rows: int) -> bool:
    """Say whether no key that counts can stand twice in a row: the decoder takes the last one."""
    is_plain = not ESCAPED_ASCII.search(chunk)
    return is_plain and all(chunk.count(b'"%s"' % name.encode()) == n_rows for name in COLUMNS)


def _frame(rows: list[Prediction]) -> pl.DataFrame:
    scores = np.fromiter(
        chain.from_iterable(map(_scores_of, rows)), dtype=np.float64, count=2 * len(rows)
    ).reshape(-1, 2)
    return pl.DataFrame(
        {"id": [row.id for row in rows], "score_x1": scores[:, 0], "score_x2": scores[:, 1]},
        schema={"id": pl.String, "score_x1": pl.Float64, "score_x2": pl.Float64},
    )


def _careful(chunk: bytes, first_line: int, faults: FaultList) -> pl.DataFrame:
    """Read a chunk that holds a fault, and say for each faulty line what is wrong with it."""
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    for identity, *scores in _careful_rows(chunk, first_line, faults):
        for name, value in zip(COLUMNS, (identity, *scores), strict=True):
            columns[name].append(value)
    return pl.DataFrame(
        columns, schema={"id": pl.String, "score_x1": pl.Float64, "score_x2": pl.Float64}
    )


def _careful_rows(
    chunk: bytes, first_line: int, faults: FaultList
) -> Iterator[tuple[str, float, float]]:
    for number, line in enumerate(chunk.split(b"\n"), first_line):
        if not line.strip():
            continue
        place = f"row {number}"
        try:
            row = once_loads(line.decode())
        except UnicodeDecodeError:
            faults.add("lines that are not UTF-8", "Save the file as UTF-8.", place)
            continue
        except KeyTwice as twice:
            faults.add("rows with a field twice", ONCE, f"{place}: {twice}")
            continue
        except (ValueError, RecursionError):
            faults.add("lines that are not JSON (or cut off)", _JSON, place)
            continue
        found = _careful_row(row, place, faults)
        if found:
            yield found


def _careful_row(row: Any, place: str, faults: FaultList) -> tuple[str, float, float] | None:
    if not isinstance(row, dict):
        faults.add("lines that are no JSON object", _JSON, place)
        return None
    for name in sorted(set(row) - {*COLUMNS, *QUESTION_COLUMNS}):
        faults.add("unknown columns", NO_MORE, f"{place}: {name}")
    for name in [name for name in COLUMNS if name not in row]:
        faults.add("missing columns", NO_MORE, f"{place}: {name}")
    scores = [_score(row.get(name), f"{place}: {name}", name in row, faults) for name in SCORES]
    identity = row.get("id")
    if not isinstance(identity, str) or not identity:
        if "id" in row:
            faults.add("rows without an id", TEXT, f"{place}: {identity!r}")
        return None
    return identity, scores[0], scores[1]


def _score(value: Any, place: str, is_there: bool, faults: FaultList) -> float:
    if not is_there:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        faults.add("scores that are no number", NUMBER, f"{place} {value!r}")
    elif isinstance(value, float) and not math.isfinite(value):
        faults.add("scores that are NaN or infinite", IN_RANGE, f"{place} {value!r}")
    elif not 0 <= value <= 1:
        faults.add("scores out of range", IN_RANGE, f"{place} {value!r}")
    else:
        return float(value)
    return math.nan
