"""Compressed files and archives that unpack to far too much, are cut off, or are none."""

import gzip
import struct
import zipfile
import zlib
from pathlib import Path

import polars as pl
import pytest
import zstandard

from evenhand.contract import DataRefused
from evenhand.scorer.readers import archive, inspect_log, streams
from evenhand.scorer.readers.archive import Archive


def test_lines_keep_their_numbers_over_chunks_and_empty_lines(tmp_path, monkeypatch) -> None:
    """Empty lines count, and lines may be longer than a chunk."""
    monkeypatch.setattr(streams, "_CHUNK_BYTES", 8)
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\xef\xbb\xbfone\n\n  \n" + b"x" * 20 + b"\r\n\n\n\n\n\n\n\n\n\nlast")

    assert list(streams.read_lines(path)) == [(1, b"one"), (4, b"x" * 20), (14, b"last")]


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_a_bomb_is_not_unpacked(tmp_path, monkeypatch, suffix: str) -> None:
    """What unpacks to 250 times its size is refused before it is all in memory."""
    monkeypatch.setattr(streams, "SMALL_BYTES", 1 << 20)
    content = b"\n" * (16 << 20)
    packed = gzip.compress(content) if suffix == ".gz" else zstandard.compress(content)
    path = tmp_path / f"a.jsonl{suffix}"
    path.write_bytes(packed)

    with pytest.raises(DataRefused, match=r"unpacks to more than \d+ MiB from [\d,]+ bytes"):
        streams.whole(path)
    with pytest.raises(DataRefused, match="unpacks to more than"):
        list(streams.read_lines(path))


def test_short_files_may_pack_well(tmp_path: Path) -> None:
    """A megabyte of one repeated row is no bomb."""
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"id": "a"}\n' * 100_000))

    assert sum(1 for _ in streams.read_lines(path)) == 100_000


def test_a_line_that_never_ends_is_refused(tmp_path, monkeypatch) -> None:
    """No row of predictions has a hundred megabytes."""
    monkeypatch.setattr(streams, "MAX_LINE_BYTES", 1 << 10)
    monkeypatch.setattr(streams, "_CHUNK_BYTES", 1 << 8)
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"[" * (1 << 12))

    with pytest.raises(DataRefused, match="has a line of more than"):
        list(streams.read_lines(path))


@pytest.mark.parametrize("place", [0, 1, 40, 100])
def test_a_table_of_a_line_that_never_ends_is_refused(tmp_path, monkeypatch, place: int) -> None:
    """Wherever it stands, while more lines than the limit has bytes are no fault."""
    monkeypatch.setattr(streams, "MAX_LINE_BYTES", 50)
    lines = [b"id,label", *(b"Age-%05d,1" % number for number in range(100))]
    streams.check_lines(tmp_path / "a.csv", b"\n".join(lines))
    lines[place] += b"," * 50

    with pytest.raises(DataRefused, match="has a line of more than"):
        streams.check_lines(tmp_path / "a.csv", b"\n".join(lines))


def test_what_is_read_whole_has_a_limit(tmp_path: Path) -> None:
    """A file that is longer than fits is refused with what to do."""
    path = tmp_path / "a.json"
    path.write_bytes(b"x" * 100)

    assert len(streams.whole(path, limit=100)) == 100
    with pytest.raises(DataRefused, match="is longer than"):
        streams.whole(path, limit=99)


def _archive(path: Path, members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as own:
        for name, content in members.items():
            own.writestr(name, content)
    return path


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_members_of_an_archive(tmp_path, method) -> None:
    """Members are read in the order in which they are asked for."""
    path = _archive(tmp_path / "a.eval", {"one": b"1" * 1000, "two": b"2"}, method)
    own = Archive(path)

    assert own.names() == ["one", "two"]
    assert list(own.members(["two", "one"])) == [("two", b"2"), ("one", b"1" * 1000)]


def test_a_member_packed_by_zstandard(tmp_path) -> None:
    """Method 93, which Python knows since 3.14 alone, is what new logs of inspect have."""
    own, packed = b"1" * 1000, zstandard.compress(b"1" * 1000)
    path = _archive(tmp_path / "a.eval", {"one": packed}, zipfile.ZIP_STORED)
    content = bytearray(path.read_bytes())
    for place in (8, content.find(b"PK\x01\x02") + 10):  # the method; its sum; its two sizes
        struct.pack_into("<H", content, place, 93)
        struct.pack_into("<3I", content, place + 6, zlib.crc32(own), len(packed), len(own))
    path.write_bytes(content)

    assert list(Archive(path).members(["one"])) == [("one", own)]


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_member_of_an_unknown_method_is_named(tmp_path, method: int) -> None:
    """They are none of the three that logs have, and what to do is said."""
    path = _archive(tmp_path / "a.eval", {"one": b"1" * 1000}, method)

    said = rf"member 'one' is packed by the method {method}; 0, 8 and 93 are read: unpack"
    with pytest.raises(DataRefused, match=said):
        list(Archive(path).members(["one"]))


def test_an_encrypted_member_is_refused(tmp_path) -> None:
    """Nobody is asked for a password."""
    path = _archive(tmp_path / "a.eval", {"one": b"1" * 1000})
    content = bytearray(path.read_bytes())
    content[content.find(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(content)

    with pytest.raises(DataRefused, match="member 'one' is encrypted; unpack the archive"):
        list(Archive(path).members(["one"]))


@pytest.mark.parametrize("claimed", [True, False])
def test_a_member_that_is_too_long_is_refused(tmp_path, monkeypatch, claimed: bool) -> None:
    """Whether its header says so, or lies about it."""
    path = _archive(tmp_path / "a.eval", {"one": b" " * 100_000})
    monkeypatch.setattr(archive, "MAX_MEMBER_BYTES", 1000)
    if not claimed:
        content = path.read_bytes()
        lie = (10).to_bytes(4, "little")
        path.write_bytes(content.replace((100_000).to_bytes(4, "little"), lie))

    with pytest.raises(DataRefused, match="a member may have 0 MiB at most"):
        list(Archive(path).members(["one"]))


def test_many_members_together_have_a_limit(tmp_path, monkeypatch) -> None:
    """Members that are each short enough may still be a bomb."""
    monkeypatch.setattr(streams, "SMALL_BYTES", 1 << 20)
    members = {str(number): b" " * (1 << 20) for number in range(8)}
    path = _archive(tmp_path / "a.eval", members)

    with pytest.raises(DataRefused, match="unpacks to more than"):
        list(Archive(path).members(list(members)))


@pytest.mark.parametrize(
    ("place", "said"),
    [
        (60, "member 'header.json' is damaged"),
        (0, "is cut off or is no JSON"),
        (-20, "is no zip archive"),
        (-30, "it has no header"),
    ],
)
def test_a_damaged_archive_is_refused(tmp_path, place: int, said: str) -> None:
    """Bytes that changed on the way show in a member, its checksum, or the table of contents."""
    header = b'{"status": "success", "eval": {}, "plan": "' + bytes(range(97, 123)) + b'"}'
    path = _archive(tmp_path / "a.eval", {"header.json": header})
    content = bytearray(path.read_bytes())
    content[place] ^= 0xFF
    path.write_bytes(content)

    with pytest.raises(DataRefused, match=said):
        inspect_log.read(path)


def test_parquet_that_claims_too_many_rows_is_refused(tmp_path: Path) -> None:
    """A few hundred bytes may stand for billions of rows."""
    pl.select(id=pl.repeat("a", 3)).write_parquet(tmp_path / "a.parquet")

    with pytest.raises(DataRefused, match=r"has 3 rows; no predictions have more than 2"):
        streams.check_rows(tmp_path / "a.parquet", 3, most=2)
