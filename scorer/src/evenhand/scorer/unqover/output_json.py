"""Reads the original's predictions (``output.json``, QA and masked LM) piece by piece.

The file is one JSON object of millions of entries, too large to load at once. It is split where an
entry ends, and each piece is decoded by itself. Shape: allenai/unqover at 3e47969b.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain, groupby
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenhand.contract import DataRefused
from evenhand.scorer.faults import excerpt
from evenhand.scorer.readers.json_text import ESCAPED_ASCII, KeyTwice, once_loads
from evenhand.scorer.readers.reader import Mark, Reader
from evenhand.scorer.readers.streams import BOM, open_bounded, skip_to

NAME = "unqover"
ENTRIES = "entries"
"""What the reader yields: :class:`OriginalEntries`."""

_BLOCK_BYTES = 2 << 20
_LARGEST_PIECE_BYTES = 16 << 20
"""A piece of this size that is not valid JSON is damaged, not split inside a text."""

_ENTRY_END = re.compile(rb"\}\s*\}\s*\}\s*,(?=\s*\")")
_TAIL_BYTES = 1 << 16
"""How far back the end of an entry is searched for; entries have some 500 bytes."""

_KEY_PARTS = (
    "group_first",
    "group_second",
    "first",
    "second",
    "template",
    "kind",
    "act",
    "attribute",
)
# A key has eight parts; the first six and the two questions suffice to recognise it.
_KEY_PATTERN = r"(?:[^|]*\|){6}"
_SHAPE = (
    "An entry is `group|group|subject|subject|template|cluster|attribute|attribute`:"
    " {context, q0: {question, ans0: {start, end}, ans1}, q1}."
)

_Probability = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]


class _Answer(msgspec.Struct, gc=False):
    """One subject's span; its text is not read, because the position identifies the subject."""

    start: _Probability
    end: _Probability


class _Question(msgspec.Struct, gc=False):
    ans0: _Answer
    ans1: _Answer


class _Entry(msgspec.Struct, gc=False):
    q0: _Question
    q1: _Question


class QuestionText(msgspec.Struct):
    """The text of a question; a string in every file of the original."""

    question: Any = ""


class EntryText(msgspec.Struct):
    """The texts of an entry."""

    context: Any = ""
    q0: QuestionText = msgspec.field(default_factory=QuestionText)
    q1: QuestionText = msgspec.field(default_factory=QuestionText)


_decode = msgspec.json.Decoder(dict[str, _Entry]).decode
_decode_texts = msgspec.json.Decoder(dict[str, EntryText]).decode
_FIELDS = [
    f"{question}.{answer}.{side}"
    for question in ("q0", "q1")
    for answer in ("ans0", "ans1")
    for side in ("start", "end")
]
_entry_numbers: Callable[[_Entry], tuple[float, ...]] = attrgetter(*_FIELDS)
_NUMBERS_PER_SIDE = 4
"""The number of ``start`` and of ``end`` in an entry; more of them show a duplicate key."""


class Piece(NamedTuple):
    """The place of some entries in the file."""

    first_row: int
    offset: int
    """Where they begin in the decompressed file, after the brace or comma before them."""
    length: int


@dataclass(frozen=True, slots=True)
class OriginalEntries:
    """All entries as columns, one row per entry (one order of a pair, both questions)."""

    keys: pl.DataFrame
    """Parts of the key, in lower case as in the original's comparisons; subjects by position."""
    scores: NDArray[np.float64]
    """S of (q0, first), (q0, second), (q1, first), (q1, second); shape [entries, 4]."""
    is_masked: bool
    """Whether the file is that of a masked LM, whose context is "NA"."""
    pieces: list[Piece]
    """The place of each piece, for reading an entry's text again."""


def read(path: Path) -> OriginalEntries:
    """Read the original's predictions.

    Raises:
        DataRefused: the file is cut off, has another shape or no scores, or has a score out of
            range or a duplicate key.
    """
    keys, scores, pieces, n_rows, is_masked = [], [], [], 0, False
    waiting: Future[pl.DataFrame] | None = None
    with ThreadPoolExecutor(1) as pool:
        for entries, piece, offset in _decode_pieces(path):
            if not n_rows and entries:
                is_masked = _is_masked(piece)
            pieces.append(Piece(n_rows, offset, len(piece) - 2))
            # Splitting keys releases the interpreter's lock, so it runs beside the next decoding.
            if waiting:
                keys.append(waiting.result())
            waiting = pool.submit(_key_parts, path, list(entries))
            scores.append(_scores(entries))
            n_rows += len(entries)
    if waiting is None or not n_rows:
        raise DataRefused(f"{path} holds no entries. {_SHAPE}")
    keys.append(waiting.result())
    return OriginalEntries(pl.concat(keys), np.concatenate(scores), is_masked, pieces)


def texts(path: Path, entries: OriginalEntries, rows: Iterable[int]) -> dict[int, EntryText]:
    """Read the texts of a few entries again, by their row."""
    wanted = sorted(set(rows))
    firsts = [piece.first_row for piece in entries.pieces]
    by_row: dict[int, EntryText] = {}
    with open_bounded(path) as stream:
        position = 0
        for number, piece_rows in groupby(wanted, key=lambda row: bisect_right(firsts, row) - 1):
            piece = entries.pieces[number]
            skip_to(stream, position, piece.offset)
            position = piece.offset + piece.length
            values = list(_decode_texts(b"{" + stream.read(piece.length) + b"}").values())
            by_row |= {row: values[row - piece.first_row] for row in piece_rows}
    return by_row


def _scores(entries: dict[str, _Entry]) -> NDArray[np.float64]:
    """Return S = sqrt(start * end), with the operations in the original's order."""
    numbers = np.fromiter(
        chain.from_iterable(map(_entry_numbers, entries.values())),
        dtype=np.float64,
        count=len(entries) * len(_FIELDS),
    ).reshape(-1, 4, 2)
    return np.sqrt(numbers[:, :, 0] * numbers[:, :, 1])


def _key_parts(path: Path, keys: list[str]) -> pl.DataFrame:
    column = pl.Series("key", keys, dtype=pl.String)
    is_whole = column.str.count_matches("|", literal=True) == len(_KEY_PARTS) - 1
    if not is_whole.all():
        raise DataRefused(f"{path}: {_first(column.filter(~is_whole))} is not a key. {_SHAPE}")
    parts = column.str.to_lowercase().str.split_exact("|", len(_KEY_PARTS) - 1).struct.unnest()
    parts.columns = list(_KEY_PARTS)
    numbers = parts["template"].cast(pl.Int32, strict=False)
    if numbers.null_count():
        bad = _first(column.filter(numbers.is_null()))
        raise DataRefused(f"{path}: the template in the key {bad} is not a number. {_SHAPE}")
    names = ("group_first", "group_second", "first", "second", "attribute")
    return parts.select(
        *(pl.col(name).cast(pl.Categorical) for name in names), numbers.alias("template")
    )


def _first(keys: pl.Series) -> str:
    return excerpt(repr(keys[0]))


def _is_masked(piece: bytes) -> bool:
    first = next(iter(_decode_texts(piece).values()))
    return bool(first.context == "NA")


def _decode_pieces(path: Path) -> Iterator[tuple[dict[str, _Entry], bytes, int]]:
    """Yield the entries of each piece, the piece as a JSON object, and its offset."""
    with open_bounded(path) as stream:
        block = stream.read(_BLOCK_BYTES)
        rest = _skip_opening_brace(path, block)
        offset, n_entries = len(block) - len(rest), 0
        while True:
            block = stream.read(_BLOCK_BYTES)
            is_last = not block
            rest = rest.rstrip() if is_last else rest + block
            if is_last and not rest:
                raise _cut_off_refusal(path, n_entries)
            cut = len(rest) if is_last else _last_entry_end(rest)
            # A closing brace replaces the comma; the last piece has the file's closing brace.
            piece = b"{" + rest[: cut if is_last else cut - 1] + (b"" if is_last else b"}")
            entries = _entries(path, piece, n_entries, may_grow=not is_last) if cut else None
            if entries is None:
                _check_size(path, rest, n_entries)
                continue
            yield entries, piece, offset
            n_entries, offset, rest = n_entries + len(entries), offset + cut, rest[cut:]
            if is_last:
                return


def _entries(
    path: Path, piece: bytes, n_before: int, *, may_grow: bool
) -> dict[str, _Entry] | None:
    """Decode a piece, or return None if it may end inside a text and has to grow."""
    try:
        entries = _decode(piece)
    except msgspec.ValidationError as error:
        raise _refusal(path, piece, n_before) from error
    except RecursionError as error:
        raise _refusal(path, piece, n_before) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        if may_grow and len(piece) < _LARGEST_PIECE_BYTES:
            return None
        raise _refusal(path, piece, n_before) from error
    if not piece.isascii():
        _check_utf8(path, piece)
    expected = _NUMBERS_PER_SIDE * len(entries)
    is_plain = not ESCAPED_ASCII.search(piece)
    if not is_plain or piece.count(b'"start"') != expected or piece.count(b'"end"') != expected:
        # Either a text is one of these words, or a key is a duplicate and msgspec took the last.
        _check_entries(path, piece, n_before)
    return entries


def _check_utf8(path: Path, piece: bytes) -> None:
    """Refuse texts that are not UTF-8: the decoder does not check what it skips."""
    try:
        piece.decode()
    except UnicodeDecodeError as error:
        raise DataRefused(f"{path} is not UTF-8; save the file as UTF-8.") from error


def _skip_opening_brace(path: Path, block: bytes) -> bytes:
    block = block.removeprefix(BOM).lstrip()
    if not block.startswith(b"{"):
        raise DataRefused(f"{path} does not begin with an object. {_SHAPE}")
    return block[1:]


def _last_entry_end(block: bytes) -> int:
    """Return the position after the comma of the last complete entry, 0 if there is none.

    The match may lie inside a text, e.g. a context that contains braces and a comma; then the
    piece does not decode and grows.
    """
    start = max(0, len(block) - _TAIL_BYTES)
    ends = [match.end() for match in _ENTRY_END.finditer(block, start)]
    return ends[-1] if ends else 0


def _check_size(path: Path, rest: bytes, n_before: int) -> None:
    if len(rest) >= _LARGEST_PIECE_BYTES:
        raise _refusal(path, b"{" + rest, n_before)


def _refusal(path: Path, piece: bytes, n_before: int) -> DataRefused:
    """Return the refusal of a piece that was not decoded."""
    try:
        _check_entries(path, piece, n_before)
    except DataRefused as refused:
        return refused
    return DataRefused(f"{path} does not have the shape of the original's predictions. {_SHAPE}")


def _cut_off_refusal(path: Path, n_before: int) -> DataRefused:
    return DataRefused(
        f"{path} is cut off or is not JSON after at least {n_before:,} entries; copy it again."
    )


def _check_entries(path: Path, piece: bytes, n_before: int) -> None:
    """Raise for the first fault of a piece, if there is one."""
    try:
        entries = once_loads(piece.decode())
    except KeyTwice as twice:
        raise DataRefused(
            f"{path}: the key {excerpt(repr(str(twice)))} occurs twice; keep one."
        ) from twice
    except UnicodeDecodeError as error:
        raise DataRefused(f"{path} is not UTF-8; save the file as UTF-8.") from error
    except (ValueError, RecursionError) as error:
        raise _cut_off_refusal(path, n_before) from error
    for number, (key, entry) in enumerate(entries.items(), n_before + 1):
        for field in _FIELDS:
            _check_field(path, f"entry {number:,} ({excerpt(repr(key))})", entry, field)


def _check_field(path: Path, place: str, entry: Any, field: str) -> None:
    value = entry
    for name in field.split("."):
        if not isinstance(value, dict) or name not in value:
            raise DataRefused(f"{path}, {place} lacks {field}. {_SHAPE}")
        value = value[name]
    if value == "":
        raise DataRefused(
            f"{path} holds no scores; run a model first ({field} of {place} is empty)."
        )
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= 1:
        quoted = excerpt(repr(value), 60)
        raise DataRefused(f"{path}, {place}: {field} is {quoted}; it must be a number from 0 to 1.")


READER = Reader(
    name=NAME,
    help="predictions of the original UnQover code (output.json), which need no dataset",
    yields=ENTRIES,
    read=lambda path, _choice: read(path),
    marks=(
        Mark(
            why="an object of entries with q0 and q1",
            inner_names=frozenset({"q0"}),
            pattern=_KEY_PATTERN,
        ),
    ),
)
