"""JSON as other tools write it: with bare NaN, indented over many lines, and very long."""

import contextlib
import json
import mmap
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from evenhand.contract import DataRefused
from evenhand.scorer.faults import FaultList, excerpt
from evenhand.scorer.readers.streams import (
    BOM,
    COMPRESSIONS,
    MAX_ANSWERS,
    check_rows,
    open_bounded,
    read_lines,
    whole,
)

NOT_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError)
"""Errors of the two decoders for text that is no JSON."""

_LENIENT_BYTES = 256 << 20
"""Python's json decoder, which accepts NaN, needs some ten times a file's size."""
_LINE = "Each line must be one JSON object in UTF-8."

ONCE = "Each field of a row must occur once: which of two values counts?"

ESCAPED_ASCII = re.compile(rb"\\u00[2-7]")
"""A letter of a key written as an escape: rare, so such lines are decoded strictly."""

_HALF_A_PAIR = re.compile(r"\\u[dD][89a-fA-F]")
_NO_NUMBER = re.compile(rb"\b(?:NaN|Infinity)\b")

T = TypeVar("T")


def objects_of_lines(path: Path, faults: FaultList) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of JSON lines with their numbers; a line that is none is a fault.

    Raises:
        DataRefused: more than :data:`MAX_ANSWERS` lines.
    """
    decode = msgspec.json.Decoder().decode
    for count, (number, line) in enumerate(read_lines(path), 1):
        check_rows(path, count, MAX_ANSWERS)
        try:
            row = _decode(line, decode)
        except NOT_JSON:
            faults.add("lines that are not JSON (or cut off)", _LINE, f"line {number}")
            continue
        if isinstance(row, dict):
            yield number, row
        else:
            faults.add("lines that are no JSON object", _LINE, f"line {number}")


def _decode(line: bytes, decode: Any) -> Any:
    """Decode a line fast, or by the decoder that accepts NaN."""
    try:
        return decode(line)
    except msgspec.DecodeError:
        return loads(line.decode())


def loads(text: str, *, hook: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """Decode JSON with NaN; half of a surrogate pair is no valid text.

    Raises:
        ValueError: no JSON.
        RecursionError: nested too deep.
    """
    value = json.loads(text, object_pairs_hook=hook)
    if _HALF_A_PAIR.search(text):
        json.dumps(value, ensure_ascii=False).encode()
    return value


class KeyTwice(Exception):
    """A key that occurs twice in one object."""


def once_loads(text: str) -> Any:
    """Decode JSON as :func:`loads`, and reject an object that has a key twice.

    Raises:
        KeyTwice: with the key.
    """
    return loads(text, hook=once)


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of its pairs.

    Raises:
        KeyTwice: with the key.
    """
    members = dict(pairs)
    if len(members) != len(pairs):
        names = [name for name, _ in pairs]
        raise KeyTwice(next(name for name in names if names.count(name) > 1))
    return members


def decode_whole(path: Path, kind: type[T], *, what: str) -> T:
    """Decode the one JSON value of a file; fields that the type lacks are ignored.

    Args:
        path: the file, compressed or not.
        kind: a type of msgspec's.
        what: what the file should be, for the sentence of a refusal.

    Raises:
        DataRefused: no JSON, or not of this shape.
    """
    with _map_bytes(path) as content:
        try:
            try:
                return msgspec.json.decode(content, type=kind)
            except msgspec.ValidationError:
                raise
            except msgspec.DecodeError:
                if len(content) > _LENIENT_BYTES or not _NO_NUMBER.search(content):
                    raise
                return msgspec.convert(loads(bytes(content).decode()), kind, strict=False)
        except msgspec.ValidationError as error:
            raise DataRefused(f"{path} is no {what}: {error}.") from error
        except NOT_JSON as error:
            reason = excerpt(f"{type(error).__name__}: {error}")
            raise DataRefused(
                f"{path} is cut off or is no JSON ({reason}); copy it again."
            ) from error


@contextlib.contextmanager
def _map_bytes(path: Path) -> Iterator[bytes | mmap.mmap]:
    """Yield a file's bytes; an uncompressed file is mapped, not copied."""
    if path.suffix.lower() in COMPRESSIONS:
        yield whole(path)
        return
    with (
        open_bounded(path),
        path.open("rb") as stream,
        mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content,
    ):
        yield content[len(BOM) :] if content[: len(BOM)] == BOM else content


def first_keys(text: str, depth: int) -> list[str]:
    """Return the keys of the first object at a depth of nesting, as far as a text goes.

    >>> first_keys('{"a": {"b": "}"}, "c": [1', 1), first_keys('[{"x": 1, "y": ', 2)
    (['a', 'c'], ['x', 'y'])
    """
    keys: list[str] = []
    level, place, seen = 0, 0, False
    while place < len(text):
        mark = text[place]
        if mark == '"':
            end = _end_of_string(text, place)
            if level == depth and text[end + 1 : end + 20].lstrip().startswith(":"):
                keys.append(text[place + 1 : end])
            place = end
        elif mark in "{[":
            level += 1
            seen = seen or level == depth
        elif mark in "}]":
            level -= 1
            if seen and level < depth:
                break
        place += 1
    return keys


def _end_of_string(text: str, start: int) -> int:
    """Return where a string's closing quote stands, or the text's end."""
    place = start + 1
    while place < len(text) and text[place] != '"':
        place += 2 if text[place] == "\\" else 1
    return min(place, len(text))
