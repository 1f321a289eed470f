"""Opens predictions files, compressed or not, and refuses bad ones in one sentence."""

import contextlib
import gzip
import io
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

import zstandard

from evenhand.contract import DataRefused

COMPRESSIONS = (".gz", ".zst")
BOM = b"\xef\xbb\xbf"

MAX_UNPACKED_BYTES = 16 << 30
"""No predictions file is longer; what unpacks to more is not read."""
MAX_RATIO = 250
"""Identical rows compress about 100 to 1; zip bombs 1,000 to 1 and more."""
SMALL_BYTES = 64 << 20
"""Below this the ratio is not checked: short files of one repeated row compress well."""
MAX_LINE_BYTES = 32 << 20
"""A row of predictions has some hundred bytes, of a log some ten thousand."""
MAX_NAMES_BYTES = 1 << 20
"""Tables of thousands of columns have some 100 KB of names."""
MAX_WHOLE_BYTES = 640 << 20
"""What is read in one piece has to fit into memory; the largest predictions as CSV have 520 MB."""
MAX_TEXT_LINES = 10_000_000
"""An answer may have several lines, and no table of answers a million rows."""
MAX_PARQUET_ROWS = 20_000_000
"""Parquet packs a repeated value without limit; the largest predictions have 5.5 million rows."""
MAX_ANSWERS = 300_000
"""Of rows that are held one by one; the largest known release has 58,492."""

_FULL_LINE = re.compile(rb"[^\n]+")
_BLOCK_BYTES = 1 << 17
_CHUNK_BYTES = 4 << 20
_ZSTANDARD_BYTES = 1 << 11
"""Small enough that what it unpacks to, 32,768 times as much at worst, still fits."""


def file_kind(path: Path) -> str:
    """Return the suffix that names the format, without a suffix of compression.

    >>> file_kind(Path("preds.JSONL.gz"))
    '.jsonl'
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in COMPRESSIONS:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


@contextlib.contextmanager
def open_bounded(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading bytes, decompressed.

    Raises:
        DataRefused: no such file, a folder, an empty file, or a compressed file that is cut off
            or damaged (also when that shows only during reading).
    """
    if path.is_dir():
        raise DataRefused(f"{path} is a folder; give the predictions file itself.")
    if not path.is_file():
        raise DataRefused(f"{path} does not exist.")
    if path.stat().st_size == 0:
        raise DataRefused(f"{path} is empty; it must hold one row for each question.")
    try:
        with _decompressed(path) as stream:
            yield stream
    except EOFError as error:
        raise DataRefused(
            f"{path} is cut off: its compressed stream has no end; copy it again."
        ) from error
    except (gzip.BadGzipFile, zlib.error, zstandard.ZstdError) as error:
        raise DataRefused(f"{path} is damaged or not what its name says: {error}.") from error


def _decompressed(path: Path) -> BinaryIO:
    suffix = path.suffix.lower()
    if suffix == ".gz":
        return io.BufferedReader(_Limited(cast("BinaryIO", gzip.open(path, "rb")), path))
    if suffix == ".zst":
        unpacked = io.BufferedReader(_Zstandard(path.open("rb")))
        return io.BufferedReader(_Limited(unpacked, path))
    return path.open("rb")


def check_ratio(name: str, packed: int, unpacked: int) -> None:
    """Refuse what unpacks to far more than its size.

    Raises:
        DataRefused: more than :data:`MAX_UNPACKED_BYTES`, or than :data:`MAX_RATIO` times its size.
    """
    if unpacked > MAX_UNPACKED_BYTES or (unpacked > SMALL_BYTES and unpacked > MAX_RATIO * packed):
        raise DataRefused(
            f"{name} unpacks to more than {unpacked >> 20:,} MiB from {packed:,} bytes and is not"
            " read further; if it is what you expect, unpack it yourself and give the result."
        )


class _Limited(io.RawIOBase):
    """Passes bytes on until they are too many for the size of their file."""

    def __init__(self, source: BinaryIO, path: Path) -> None:
        self._source, self._path = source, path
        self._packed, self._unpacked = path.stat().st_size, 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer with what comes next; 0 bytes at the end."""
        block = self._source.read(min(len(buffer), _BLOCK_BYTES))
        self._unpacked += len(block)
        check_ratio(str(self._path), self._packed, self._unpacked)
        buffer[: len(block)] = block
        return len(block)

    def close(self) -> None:
        """Close the file."""
        self._source.close()
        super().close()


class _Zstandard(io.RawIOBase):
    """Decompresses Zstandard frames; the library's reader takes a cut-off frame for an end."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source
        self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._is_inside, self._ready = False, memoryview(b"")

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer with what comes next; 0 bytes at the end."""
        while not self._ready:
            block = self._source.read(_ZSTANDARD_BYTES)
            if not block:
                if self._is_inside:
                    raise EOFError
                return 0
            self._ready = memoryview(self._decompressed(block))
        n = min(len(buffer), len(self._ready))
        buffer[:n], self._ready = self._ready[:n], self._ready[n:]
        return n

    def close(self) -> None:
        """Close the file."""
        self._source.close()
        super().close()

    def _decompressed(self, block: bytes) -> bytes:
        parts = []
        while block:
            self._is_inside = True
            parts.append(self._frame.decompress(block))
            block = b""
            if self._frame.eof:
                block = self._frame.unused_data
                self._frame = zstandard.ZstdDecompressor().decompressobj()
                self._is_inside = False
        return b"".join(parts)


def skip_to(stream: BinaryIO, position: int, offset: int) -> None:
    """Move forward from one position to another, by reading where a stream cannot seek."""
    if stream.seekable():
        stream.seek(offset)
        return
    while position < offset and (block := stream.read(min(_BLOCK_BYTES, offset - position))):
        position += len(block)


def whole(path: Path, *, limit: int = MAX_WHOLE_BYTES) -> bytes:
    """Return all bytes of a file, decompressed and without a byte order mark.

    Raises:
        DataRefused: as :func:`open_bounded` says, or the file is longer than the limit.
    """
    with open_bounded(path) as stream:
        content = stream.read(limit + 1)
    if len(content) > limit:
        raise DataRefused(
            f"{path} is longer than {limit >> 20:,} MiB; split it, e.g. by category, and give all"
            " parts."
        )
    if not (content[:_BLOCK_BYTES].strip() or content.strip()):  # the second makes a copy
        raise DataRefused(f"{path} is empty; it must hold one row for each question.")
    return content.removeprefix(BOM)


def head(path: Path, size: int) -> bytes:
    """Return the first bytes of a file, decompressed and without a byte order mark."""
    with open_bounded(path) as stream:
        return stream.read(size).removeprefix(BOM)


def chunks_of_lines(path: Path, size: int) -> Iterator[bytes]:
    """Yield pieces of about ``size`` bytes that end with a line, without a byte order mark.

    Raises:
        DataRefused: as :func:`open_bounded` says, a line is longer than :data:`MAX_LINE_BYTES`, or
            there is little but empty lines.
    """
    rest, is_first, n_blank = b"", True, 0
    with open_bounded(path) as stream:
        while block := stream.read(size):
            if is_first:
                block, is_first = block.removeprefix(BOM), False
            n_blank += 0 if block.strip() else len(block)
            if n_blank > SMALL_BYTES:
                raise DataRefused(
                    f"{path} has {n_blank >> 20} MiB of empty lines and is not read further;"
                    " leave them out."
                )
            head, newline, tail = block.rpartition(b"\n")
            if newline:
                yield rest + head + newline
                rest = tail
                continue
            rest += block
            if len(rest) > MAX_LINE_BYTES:
                raise _too_long(path)
    if rest:
        yield rest


def read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not empty, with their numbers from 1."""
    number = 1
    for chunk in chunks_of_lines(path, _CHUNK_BYTES):
        # Empty lines are skipped cheaply: a file may hold nothing else.
        last = 0
        if not chunk.strip():
            number += chunk.count(b"\n")
            continue
        for match in _FULL_LINE.finditer(chunk):
            number, last = number + chunk.count(b"\n", last, match.start()), match.start()
            if line := match[0].strip():
                yield number, line
        number += chunk.count(b"\n", last)


def read_text_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a text in UTF-8 with their line ends, whichever they are.

    Raises:
        DataRefused: as :func:`open_bounded` says, no UTF-8, or a line is too long.
    """
    number = 0
    with open_bounded(path) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
        try:
            while line := text.readline(MAX_LINE_BYTES):
                number += 1
                if len(line) == MAX_LINE_BYTES:
                    raise _too_long(path)
                if number > MAX_TEXT_LINES:
                    raise DataRefused(
                        f"{path} has more than {MAX_TEXT_LINES:,} lines; are most of them empty?"
                    )
                yield line
        except UnicodeDecodeError as error:
            raise DataRefused(
                f"{path} is not UTF-8 (behind line {number}); save the file as UTF-8."
            ) from error


def _too_long(path: Path) -> DataRefused:
    return DataRefused(
        f"{path} has a line of more than {MAX_LINE_BYTES >> 20} MiB; each line must be one row."
    )


def check_lines(path: Path, content: bytes) -> None:
    """Refuse a table with overlong lines, before copies are made of it.

    Millions of names or of cells in a row take gigabytes when they are split.

    Raises:
        DataRefused: the line of names is longer than :data:`MAX_NAMES_BYTES`, or another one than
            :data:`MAX_LINE_BYTES`.
    """
    end = content.find(b"\n", 0, MAX_NAMES_BYTES)
    if end < 0 and len(content) > MAX_NAMES_BYTES:
        raise DataRefused(
            f"{path}: the first line is longer than {MAX_NAMES_BYTES >> 20} MiB; it must hold the"
            " names of the columns."
        )
    start = 0
    while len(content) - start > MAX_LINE_BYTES:  # a few steps, whatever the number of lines
        start = content.rfind(b"\n", start, start + MAX_LINE_BYTES) + 1
        if start == 0:
            raise _too_long(path)


def check_rows(path: Path, rows: int, most: int = MAX_PARQUET_ROWS) -> None:
    """Refuse a Parquet file of more rows than any predictions have."""
    if rows > most:
        raise DataRefused(f"{path} has {rows:,} rows; no predictions have more than {most:,}.")
