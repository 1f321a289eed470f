"""Bytes of a corpus file: decompressed, cut into lines, decoded, a part at a time."""

import bz2
import gzip
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from evenhand.contract.errors import DataRefused, WrongUse

COMPRESSIONS = (".gz", ".bz2", ".zst")
MAX_LINE_BYTES = 256 << 20
"""A document of more than 256 MiB in one line is refused: it would have to be held in memory."""

_CHUNK_BYTES = 1 << 20
# zstd packs up to 128 KiB into four bytes, so a small bite bounds what comes out of it at once.
_ZSTD_BITE_BYTES = 4096


def chunks(path: Path) -> Iterator[bytes]:
    """Yield the bytes of a file, decompressed by its ending.

    Raises:
        DataRefused: the file is damaged or ends too early; the sentence names it.
        WrongUse: the package that reads its compression is not installed.
    """
    try:
        match path.suffix:
            case ".zst":
                yield from _zstd_chunks(path)
            case ".gz":
                with gzip.open(path, "rb") as stream:
                    yield from iter(lambda: stream.read(_CHUNK_BYTES), b"")
            case ".bz2":
                with bz2.open(path, "rb") as stream:
                    yield from iter(lambda: stream.read(_CHUNK_BYTES), b"")
            case _:
                with path.open("rb") as stream:
                    yield from iter(lambda: stream.read(_CHUNK_BYTES), b"")
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise _damaged(path, error) from error
    except OSError as error:
        # bz2 says OSError for bad data; what the system says has a number.
        if error.errno is None:
            raise _damaged(path, error) from error
        raise


def lines(path: Path) -> Iterator[tuple[int, int, bytes]]:
    """Yield the lines of a file that are not blank: number from 1, offset in bytes, content.

    A byte order mark at the head is taken away.

    Raises:
        DataRefused: a line is longer than :data:`MAX_LINE_BYTES`.
    """
    number, offset = 1, 0
    waiting: list[bytes] = []
    n_waiting = 0
    for chunk in chunks(path):
        *whole, rest = chunk.split(b"\n")
        for part in whole:
            line = b"".join((*waiting, part))
            waiting, n_waiting = [], 0
            if line.strip():
                yield number, *_without_mark(offset, line)
            number, offset = number + 1, offset + len(line) + 1
        waiting.append(rest)
        n_waiting += len(rest)
        if n_waiting > MAX_LINE_BYTES:
            raise DataRefused(
                f"{path}:{number}: the line has more than {MAX_LINE_BYTES:,} bytes; write one"
                " document a line, or plain text."
            )
    line = b"".join(waiting)
    if line.strip():
        yield number, *_without_mark(offset, line)


def _without_mark(offset: int, content: bytes) -> tuple[int, bytes]:
    """Take away the byte order mark with which a file may begin, as some editors write it."""
    has_mark = offset == 0 and content.startswith(BOM_UTF8)
    return (len(BOM_UTF8), content.removeprefix(BOM_UTF8)) if has_mark else (offset, content)


def decode_stream(path: Path) -> Iterator[str]:
    """Yield the text of a file in parts, a byte order mark at its head taken away.

    Raises:
        DataRefused: the file is not UTF-8; the sentence names the byte.
    """
    offset, rest = 0, b""
    for chunk in chunks(path):
        content = rest + chunk
        n_whole = _whole_characters(content)
        text = decode(content[:n_whole], path, offset)
        yield text.removeprefix("\ufeff") if offset == 0 else text
        offset, rest = offset + n_whole, content[n_whole:]
    if rest:
        yield decode(rest, path, offset)


def decode(content: bytes, path: Path, offset: int) -> str:
    """Decode bytes that begin at an offset of a file.

    Raises:
        DataRefused: they are not UTF-8; the sentence names file and byte.
    """
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        place = "" if path.suffix not in COMPRESSIONS else " of the decompressed content"
        raise DataRefused(
            f"{path}: the byte at offset {offset + error.start:,}{place} is not UTF-8;"
            " convert the file to UTF-8."
        ) from error


def _whole_characters(content: bytes) -> int:
    """Return how many bytes are left when a character cut off at the end is not counted."""
    for back in range(1, min(4, len(content)) + 1):
        byte = content[-back]
        if byte >= 0xC0:
            length = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return len(content) - back if length > back else len(content)
        if byte < 0x80:
            break
    return len(content)


def _zstd_chunks(path: Path) -> Iterator[bytes]:
    """Yield the content of all frames of a file, and refuse a frame that is not whole."""
    try:
        import zstandard
    except ImportError:
        raise WrongUse(
            f"{path} is compressed with zstd, and the package zstandard is not installed:"
            " pip install 'evenhand-generator[mine]'."
        ) from None
    frame = None
    with path.open("rb") as stream:
        try:
            for bite in _bites(stream):
                rest = bite
                while rest:
                    frame = frame or zstandard.ZstdDecompressor().decompressobj()
                    yield frame.decompress(rest)
                    rest = frame.unused_data
                    if frame.eof:
                        frame = None
                    elif not rest:
                        break
        except zstandard.ZstdError as error:
            raise _damaged(path, error) from error
    if frame is not None:
        raise _damaged(path, EOFError("the last frame ends too early"))


def _bites(stream: BinaryIO) -> Iterator[bytes]:
    return iter(lambda: stream.read(_ZSTD_BITE_BYTES), b"")


def _damaged(path: Path, error: Exception) -> DataRefused:
    return DataRefused(f"{path} is damaged or incomplete ({error}); copy it again.")
