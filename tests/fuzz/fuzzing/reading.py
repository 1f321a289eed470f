"""Reading files in the obvious way: whole, by the standard library, and never in doubt.

This is the slow reference: it knows nothing of Evenhand's readers, and what it cannot read plainly
it does not read.
"""

import codecs
import contextlib
import csv
import gzip
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

HEADER = "evenhand_header"

csv.field_size_limit(1 << 30)


class Unreadable(Exception):
    """Nobody can read this with certainty: it has to be refused."""


class Undecided(Exception):
    """More than one reading is fair, and the reference does not choose."""


def bytes_of(path: Path) -> bytes:
    """Return a file's bytes, decompressed as its name says."""
    content = path.read_bytes()
    try:
        if path.name.endswith(".gz"):
            return gzip.decompress(content)
        if path.name.endswith(".zst"):
            stream = zstandard.ZstdDecompressor().stream_reader(content, read_across_frames=True)
            return stream.read()
    except (OSError, EOFError, zstandard.ZstdError, ValueError) as error:
        raise Unreadable(f"compression: {error}") from error
    return content


def kind_of(path: Path) -> str:
    """Return the suffix that says the format."""
    name = path.name.lower().removesuffix(".gz").removesuffix(".zst")
    return name[name.rfind(".") :]


def text_of(path: Path) -> str:
    """Return a text in UTF-8, with or without its mark, which says nothing twice."""
    try:
        return bytes_of(path).decode().lstrip("\ufeff")
    except UnicodeDecodeError as error:
        raise Unreadable("no UTF-8") from error


def json_of(text: str, *, once: frozenset[str] = frozenset()) -> Any:
    """Return a JSON value; some keys may not stand twice in one object."""

    def checked(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs if name in once]
        if len(set(names)) != len(names):
            raise Unreadable("a key stands twice")
        return dict(pairs)

    try:
        return json.loads(text, object_pairs_hook=checked)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"no JSON: {error}") from error


def json_lines(path: Path, *, once: frozenset[str] = frozenset()) -> list[dict[str, Any]]:
    """Return the objects of JSON lines."""
    rows = [json_of(line, once=once) for line in text_of(path).split("\n") if line.strip()]
    if not all(isinstance(row, dict) for row in rows):
        raise Unreadable("a line is no object")
    return rows


def own_rows(
    path: Path, columns: Sequence[str], *, is_strict: bool = False
) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
    """Return the rows of a file of ours, of which some columns count, and its header.

    A table may have been saved by a spreadsheet, where that is not refused as strict.
    """
    header = _sidecar(path)
    kind = kind_of(path)
    if kind in {".jsonl", ".ndjson"}:
        rows = json_lines(path, once=frozenset(columns))
        if rows and HEADER in rows[0]:
            header = rows.pop(0)[HEADER]
        return rows, header
    if kind == ".parquet":
        return parquet_rows(path), header
    if kind in {".csv", ".tsv"}:
        return _saved_rows(path, "\t" if kind == ".tsv" else ",", is_strict=is_strict), header
    raise Unreadable("no suffix of ours")


def _saved_rows(path: Path, separator: str, *, is_strict: bool) -> list[dict[str, Any]]:
    """Return the rows of a table in any encoding that is told, between any of four delimiters."""
    if is_strict:
        return table_rows(text_of(path), separator)
    text = wild_text(path)
    names = text.split("\n", 1)[0]
    marks = [mark for mark in ",;\t|" if mark in names]
    if separator in marks and "id" in [name.strip('"\r') for name in names.split(separator)]:
        return _pointed(table_rows(text, separator))
    if len(marks) > 1:
        raise Undecided
    rows = table_rows(text, marks[0] if marks else separator)
    return _pointed([{n.strip(): v for n, v in row.items() if n.strip()} for row in rows])


def _pointed(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leave open which numbers are meant where commas are not few among points."""
    cells = [value for row in rows for name, value in row.items()
             if value and name.startswith(("score", "p:", "word_p:"))]  # fmt: skip
    if sum("," in value for value in cells) > sum("." in value for value in cells):
        raise Undecided
    return rows


def wild_text(path: Path) -> str:
    """Return a text in UTF-8, in UTF-16 with its mark, or of Windows."""
    content = bytes_of(path)
    is_utf16 = content[:2] in {codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE}
    for encoding in ("utf-16" if is_utf16 else "utf-8", "cp1252"):
        with contextlib.suppress(UnicodeDecodeError):
            text = content.decode(encoding)
            return text.lstrip("\ufeff") if encoding == "utf-8" else text
    raise Unreadable("no encoding")


def _sidecar(path: Path) -> dict[str, Any] | None:
    beside = path.with_name(f"{path.name}.meta.json")
    return json_of(beside.read_text(encoding="utf-8")) if beside.exists() else None


def table_rows(text: str, separator: str) -> list[dict[str, Any]]:
    """Return the rows of a table by its line of names; an empty cell is None."""
    try:
        table = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))
    except csv.Error as error:
        raise Unreadable(f"no table: {error}") from error
    rows = [row for row in table if row]
    named = [name for name in rows[0] if name.strip()] if rows else []
    if len(set(named)) != len(named) or not named:
        raise Unreadable("no names of columns, or one stands twice")
    names = rows[0]
    if any(len(row) > len(names) for row in rows):
        raise Unreadable("a row has more fields than there are columns")
    return [dict.fromkeys(names) | {n: v or None for n, v in zip(names, row, strict=False)}
            for row in rows[1:]]  # fmt: skip


def parquet_rows(path: Path) -> list[dict[str, Any]]:
    """Return the rows of Parquet, as another library reads them."""
    try:
        table = pq.ParquetFile(path).read()
        table.validate(full=True)
        return table.to_pylist()
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        raise Unreadable(f"no Parquet: {error}") from error
