"""Zip archives with members compressed by any of three methods, each unpacked under a limit.

Python 3.11's zipfile lacks Zstandard (method 93), which inspect writes since 0.3.206.
"""

import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

import zstandard

from evenhand.contract import DataRefused
from evenhand.scorer.faults import excerpt
from evenhand.scorer.readers.streams import check_ratio, open_bounded

MAX_MEMBER_BYTES = 64 << 20
"""A sample of a log has some ten thousand bytes."""
MAX_MEMBERS = 1_000_000

_STORED, _DEFLATED, _ZSTANDARD = 0, 8, 93
_LOCAL_HEADER = struct.Struct("<4s22xHH")
_ENCRYPTED, _UTF8 = 0x1, 0x800
# A header of a frame may name a window of up to 2 GiB; no sample needs one.
_MAX_WINDOW_BYTES = 64 << 20


class Archive:
    """The members of a zip archive, read one at a time."""

    def __init__(self, path: Path) -> None:
        """Read the table of contents.

        Raises:
            DataRefused: no such file, no archive, or one of too many members.
        """
        with open_bounded(path):
            pass
        try:
            with zipfile.ZipFile(path) as archive:
                entries = archive.infolist()
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise DataRefused(
                f"{path} is cut off or is no zip archive ({error}); copy it again."
            ) from error
        if len(entries) > MAX_MEMBERS:
            raise DataRefused(f"{path} has {len(entries):,} members; no log has so many.")
        # A member that is rewritten as a log grows counts in its last version, as for the tool.
        self._members = {info.filename: info for info in entries}
        self._twice = {
            name for name, count in Counter(info.filename for info in entries).items() if count > 1
        }
        self._path, self._unpacked = path, 0

    def names(self) -> list[str]:
        """Return the members' names in the archive's order."""
        return list(self._members)

    def refuse_twice(self, names: Iterable[str]) -> None:
        """Refuse members that occur twice in the archive, since either might count.

        Raises:
            DataRefused: naming the first of them.
        """
        for name in names:
            if name in self._twice:
                raise DataRefused(
                    f"{self._path}, member {excerpt(repr(name))} occurs twice; keep one of them."
                )

    def members(self, names: list[str]) -> Iterator[tuple[str, bytes]]:
        """Yield members by name with their bytes.

        Raises:
            DataRefused: a member is damaged, encrypted, of an unknown method or too long.
        """
        with self._path.open("rb") as stream:
            for name in names:
                yield name, self._unpack(stream, self._members[name])

    def _unpack(self, stream: BinaryIO, info: zipfile.ZipInfo) -> bytes:
        name = f"{self._path}, member {excerpt(repr(info.filename))}"
        if info.flag_bits & _ENCRYPTED:
            raise DataRefused(f"{name} is encrypted; unpack the archive and pack it without.")
        if info.file_size > MAX_MEMBER_BYTES:
            raise DataRefused(f"{name} unpacks to {info.file_size:,} bytes; {_limit()}")
        try:
            content = _decompress(info.compress_type, _read_packed(stream, info), name)
        except (zlib.error, zstandard.ZstdError, EOFError, struct.error, ValueError) as error:
            raise DataRefused(f"{name} is damaged ({error}); copy the file again.") from error
        if len(content) != info.file_size or zlib.crc32(content) != info.CRC:
            raise DataRefused(f"{name} is damaged (wrong size or checksum); copy the file again.")
        self._unpacked += len(content)
        check_ratio(str(self._path), self._path.stat().st_size, self._unpacked)
        return content


def _limit() -> str:
    return f"a member may have {MAX_MEMBER_BYTES >> 20} MiB at most."


def _read_packed(stream: BinaryIO, info: zipfile.ZipInfo) -> bytes:
    stream.seek(info.header_offset)
    mark, name_length, extra_length = _LOCAL_HEADER.unpack(stream.read(_LOCAL_HEADER.size))
    if mark != b"PK\x03\x04":
        raise EOFError("no member where the table of contents says")
    name = stream.read(name_length).decode("utf-8" if info.flag_bits & _UTF8 else "cp437")
    if name != info.orig_filename:
        raise EOFError("it has another name than its table of contents says")
    stream.seek(extra_length, 1)
    if info.compress_size > MAX_MEMBER_BYTES:
        raise EOFError("its table of contents gives it a size that it cannot have")
    content = stream.read(info.compress_size)
    if len(content) != info.compress_size:
        raise EOFError("it ends early")
    return content


def _decompress(method: int, packed: bytes, name: str) -> bytes:
    """Unpack a member; no more than the limit is ever in memory."""
    if method == _STORED:
        return packed
    if method == _DEFLATED:
        content = zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, MAX_MEMBER_BYTES + 1)
    elif method == _ZSTANDARD:
        reader = zstandard.ZstdDecompressor(max_window_size=_MAX_WINDOW_BYTES)
        with reader.stream_reader(packed) as stream:
            content = stream.read(MAX_MEMBER_BYTES + 1)
    else:
        raise DataRefused(
            f"{name} is packed by the method {method}; 0, 8 and 93 are read: unpack the archive and"
            " pack it by one of these."
        )
    if len(content) > MAX_MEMBER_BYTES:
        raise DataRefused(f"{name} unpacks to more; {_limit()}")
    return content
