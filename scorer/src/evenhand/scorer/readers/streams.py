"""Opening other people's files: compressed or not, with one sentence for what is wrong."""

import contextlib
import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

import zstandard

from evenhand.contract import DataRefused

COMPRESSIONS = (".gz", ".zst")
BOM = b"\xef\xbb\xbf"

_BLOCK_BYTES = 1 << 17


def kind_of(path: Path) -> str:
    """Return the suffix that says the format, without that of a compression.

    >>> kind_of(Path("preds.JSONL.gz"))
    '.jsonl'
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in COMPRESSIONS:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


@contextlib.contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading bytes, decompressed.

    Raises:
        DataRefused: no such file, a folder, an empty file, or a compressed file that is cut off
            or damaged (also when that shows only while reading).
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
    if path.suffix.lower() == ".gz":
        return cast("BinaryIO", gzip.open(path, "rb"))
    if path.suffix.lower() == ".zst":
        return io.BufferedReader(_Zstandard(path.open("rb")))
    return path.open("rb")


class _Zstandard(io.RawIOBase):
    """Decompresses Zstandard frames; the library's own reader takes a cut for an end."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source
        self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._is_inside, self._ready = False, b""

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer with what comes next; 0 bytes at the end."""
        while not self._ready:
            block = self._source.read(_BLOCK_BYTES)
            if not block:
                if self._is_inside:
                    raise EOFError
                return 0
            self._ready = self._decompressed(block)
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


def whole(path: Path) -> bytes:
    """Return all bytes of a file, decompressed and without a byte order mark."""
    with opened(path) as stream:
        content = stream.read()
    if not content.strip():
        raise DataRefused(f"{path} is empty; it must hold one row for each question.")
    return content.removeprefix(BOM)


def chunks_of_lines(path: Path, size: int) -> Iterator[bytes]:
    """Yield pieces of about ``size`` bytes that end with a line, without a byte order mark."""
    rest, is_first = b"", True
    with opened(path) as stream:
        while block := stream.read(size):
            if is_first:
                block, is_first = block.removeprefix(BOM), False
            head, newline, tail = block.rpartition(b"\n")
            if not newline:
                rest += block
                continue
            yield rest + head + newline
            rest = tail
    if rest:
        yield rest
