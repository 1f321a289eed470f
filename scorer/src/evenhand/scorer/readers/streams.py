"""Opening other people's files: compressed or not, with one sentence for what is wrong."""

import contextlib
import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

import zstandard

from evenhand.contract import DataRefused

COMPRESSIONS = (".gz", ".zst")
BOM = b"\xef\xbb\xbf"


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
            f"{path} is cut off: its gzip stream has no end; copy it again."
        ) from error
    except (gzip.BadGzipFile, zlib.error, zstandard.ZstdError) as error:
        raise DataRefused(f"{path} is damaged or not what its name says: {error}.") from error


def _decompressed(path: Path) -> BinaryIO:
    if path.suffix.lower() == ".gz":
        return cast("BinaryIO", gzip.open(path, "rb"))
    if path.suffix.lower() == ".zst":
        return cast("BinaryIO", zstandard.open(path, "rb"))
    return path.open("rb")


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
