"""BVF's predictions as JSON lines: in chunks, then line by line where a chunk has a fault."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import msgspec
import polars as pl

from evenhand.contract.bvf import Prediction
from evenhand.contract.predictions import Header
from evenhand.scorer.bvf.predictions import SHAPE, SHOWN, frame_of_rows
from evenhand.scorer.faults import FaultList, what_stands
from evenhand.scorer.readers.headers import header_of
from evenhand.scorer.readers.json_text import ESCAPED_ASCII, ONCE, KeyTwice, once_loads
from evenhand.scorer.readers.streams import chunks_of_lines

_CHUNK_BYTES = 8 << 20
_FilledIn = cast(
    "type[Prediction]",
    msgspec.defstruct(
        "_FilledIn",
        [(name, Any, None) for name in SHOWN],
        bases=(Prediction,),
        kw_only=True,
        frozen=True,
        forbid_unknown_fields=True,
    ),
)
"""A prediction in a row that still shows its text."""

_KEY = re.compile(rb'"\s*:')
_NO_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def read_lines(path: Path, faults: FaultList) -> tuple[pl.DataFrame, Header | None]:
    """Return the rows as a flat table, and the header if the first line is one.

    Raises:
        DataRefused: the file cannot be read, or its header is none.
    """
    decoder, header, frames, number = msgspec.json.Decoder(_FilledIn), None, [], 1
    for chunk in chunks_of_lines(path, _CHUNK_BYTES):
        rows, first = chunk, number
        number += chunk.count(b"\n")
        if first == 1:
            line, _, rest = chunk.partition(b"\n")
            header = header_of(path, line)
            if header is not None:
                rows, first = rest, 2
        found = _quick(rows, decoder)
        frames.append(
            frame_of_rows(list(_careful(rows, first, decoder, faults)) if found is None else found)
        )
        faults.refuse_a_million(path)
    return pl.concat(frames, how="diagonal"), header


def _quick(chunk: bytes, decoder: msgspec.json.Decoder[Prediction]) -> list[Prediction] | None:
    """Read a chunk, or return None where anything in it may be wrong."""
    try:
        rows = decoder.decode_lines(chunk)
    except _NO_JSON:
        return None
    # The decoder goes by values, wherever lines end, and of a key that stands twice it takes one.
    n_lines = sum(bool(line.strip()) for line in chunk.split(b"\n"))
    n_keys = sum(_n_keys(row) for row in rows)
    is_plain = n_lines == len(rows) and not ESCAPED_ASCII.search(chunk)
    return rows if is_plain and len(_KEY.findall(chunk)) == n_keys else None


def _n_keys(row: Prediction) -> int:
    """Return how many keys a row has that holds no null."""
    inner = (len(own) + 1 for own in (row.p, row.word_p) if own is not None)
    shown = sum(getattr(row, name) is not None for name in SHOWN)
    return 1 + sum(inner) + (row.answer is not None) + (row.sample is not None) + shown


def _whole(line: bytes) -> Any:
    """Return what a line holds, or None where it is no JSON behind the place of the fault."""
    try:
        return msgspec.json.decode(line)
    except _NO_JSON:
        return None


def _careful(
    chunk: bytes, first: int, decoder: msgspec.json.Decoder[Prediction], faults: FaultList
) -> Iterator[Prediction]:
    for number, line in enumerate(chunk.split(b"\n"), first):
        if not line.strip():
            continue
        try:
            row = decoder.decode(line)
            if len(_KEY.findall(line)) != _n_keys(row) or ESCAPED_ASCII.search(line):
                once_loads(line.decode())
        except KeyTwice as twice:
            faults.add("rows with a field twice", ONCE, f"row {number}: {twice}")
        except msgspec.ValidationError as error:
            said = what_stands(_whole(line), error)
            faults.add("rows that are no prediction", SHAPE, f"row {number}: {said}")
        except (*_NO_JSON, ValueError):
            remedy = "Each line must be one JSON object in UTF-8 (JSON has no NaN)."
            faults.add("lines that are not JSON (or cut off)", remedy, f"row {number}")
        else:
            yield row
