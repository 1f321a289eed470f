"""Our predictions as JSON lines: typed and in chunks, then line by line where a chunk fails."""

import json
import math
from collections.abc import Callable, Iterator
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any, cast

import msgspec
import numpy as np
import polars as pl

from evenhand.contract import DataRefused
from evenhand.contract.predictions import HEADER_KEY, Header, HeaderLine
from evenhand.contract.unqover import Prediction
from evenhand.scorer.faults import FaultList
from evenhand.scorer.readers.prediction_rows import (
    COLUMNS,
    IN_RANGE,
    NO_MORE,
    NUMBER,
    QUESTION_COLUMNS,
    SCORES,
    TEXT,
    PredictionRows,
    read_sidecar,
)
from evenhand.scorer.readers.streams import chunks_of_lines

_CHUNK_BYTES = 8 << 20
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
        if line_number == 1 and _is_header(chunk):
            head, _, chunk = chunk.partition(b"\n")  # noqa: PLW2901 - the rest is the rows
            header = _header(path, head)
            line_number, n_lines = 2, n_lines - 1
        frame = _quick(chunk, decoder)
        frames.append(_careful(chunk, line_number, faults) if frame is None else frame)
        line_number += n_lines
    rows = pl.concat(frames) if frames else _frame([])
    if rows.is_empty() and not faults.listed():
        raise DataRefused(f"{path} holds no rows; it must hold one row for each question.")
    return PredictionRows(rows, header, faults.listed())


def _quick(chunk: bytes, decoder: msgspec.json.Decoder[Prediction]) -> pl.DataFrame | None:
    """Read a chunk, or return None where anything in it is wrong."""
    try:
        rows = _frame(decoder.decode_lines(chunk))
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return None if (rows["id"] == "").any() else rows


def _is_header(chunk: bytes) -> bool:
    start = chunk[:200].lstrip()
    return start.startswith(b"{") and start[1:].lstrip().startswith(b'"' + HEADER_KEY.encode())


def _header(path: Path, line: bytes) -> Header:
    try:
        return msgspec.json.decode(line, type=HeaderLine).evenhand_header
    except msgspec.DecodeError as error:
        raise DataRefused(f"{path}, line 1 is not a header of predictions: {error}.") from error


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
            row = json.loads(line.decode())
        except UnicodeDecodeError:
            faults.add("lines that are not UTF-8", "Save the file as UTF-8.", place)
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
    elif not math.isfinite(value):
        faults.add("scores that are NaN or infinite", IN_RANGE, f"{place} {value!r}")
    elif not 0 <= value <= 1:
        faults.add("scores out of range", IN_RANGE, f"{place} {value!r}")
    else:
        return float(value)
    return math.nan
