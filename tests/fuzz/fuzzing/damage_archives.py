"""Damage to zip archives: hostile names, sizes that lie, members that stand twice, bombs.

Importing this adds its families.
"""

import io
import json
import random
import struct
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import replace

import zstandard

from fuzzing.bases import Base
from fuzzing.damage import family, keeping

Members = list[tuple[str, bytes]]

_HOSTILE = ("../../../etc/passwd", "/etc/passwd", "C:\\x", "samples/../../x.json",
            "samples/\x1b[2J.json",
            "samples/\u202egnp.json", "samples/a\nb.json", "samples/" + "x" * 60_000 + ".json", "",
            "samples/", "samples/.json", "__MACOSX/samples/1.json")  # fmt: skip
_ZSTANDARD = 93
"""What real logs are packed by, and Python's own reader does not know before 3.14."""
_SIZES = (0, 1, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFE, 0xFFFFFFFF)


def _members(base: Base) -> Members:
    with zipfile.ZipFile(io.BytesIO(base.content)) as archive:
        return [
            (own.filename, _zstandard_member(base.content, own))
            if own.compress_type == _ZSTANDARD
            else (own.filename, archive.read(own))
            for own in archive.infolist()
        ]


def _zstandard_member(content: bytes, own: zipfile.ZipInfo) -> bytes:
    name_and_extra = struct.unpack_from("<HH", content, own.header_offset + 26)
    start = own.header_offset + 30 + sum(name_and_extra)
    packed = content[start : start + own.compress_size]
    return zstandard.ZstdDecompressor().decompressobj().decompress(packed)


def _packed(base: Base, members: Members, method: int = zipfile.ZIP_DEFLATED) -> Base:
    stream = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(stream, "w", method) as archive:
        warnings.simplefilter("ignore")  # of names that stand twice
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), content, method)
    return replace(base, content=stream.getvalue())


def _is_archive(base: Base) -> bool:
    return base.name.endswith(".eval")


@keeping
def members_in_another_order(base: Base, drawn: random.Random) -> Base | None:
    """Shuffle the members, and pack them by another method."""
    if not _is_archive(base):
        return None
    members = _members(base)
    drawn.shuffle(members)
    return _packed(base, members, drawn.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)))


@family
def member_names(base: Base, drawn: random.Random) -> Base | None:
    """Give a member a hostile name, or add one that has it."""
    if not _is_archive(base):
        return None
    members = _members(base)
    place, name = drawn.randrange(len(members)), drawn.choice(_HOSTILE)
    if drawn.random() < 0.5:
        members[place] = (name, members[place][1])
    else:
        members.append((name, members[place][1]))
    return _packed(base, members)


@family
def members_twice_or_lost(base: Base, drawn: random.Random) -> Base | None:
    """Repeat a member with other content, leave members out, or put thousands in."""
    if not _is_archive(base):
        return None
    members = _members(base)
    name, content = drawn.choice(members)
    changes: tuple[Callable[[], Members], ...] = (
        lambda: [*members, (name, content.replace(b'"The ', b'"A '))],
        lambda: [(name, content.replace(b'"The ', b'"A ')), *members],
        lambda: [own for own in members if own[0] != name],
        lambda: [own for own in members if own[0] != "header.json"],
        lambda: [*members, *((f"samples/{n}_epoch_1.json", content) for n in range(3000))],
        lambda: [*members, *((f"other/{n}", b"") for n in range(20_000))],
        list,
    )
    return _packed(base, drawn.choice(changes)())


@family
def member_contents(base: Base, drawn: random.Random) -> Base | None:
    """Change a member: nothing in it, nested deep, a long text, a bomb, other types."""
    if not _is_archive(base):
        return None
    members = _members(base)
    place = drawn.randrange(len(members))
    name, content = members[place]
    value = json.loads(content)
    value = value if isinstance(value, dict) else {"all": value}  # summaries are a list
    field = drawn.choice(list(value))
    changes: tuple[Callable[[], bytes], ...] = (
        lambda: b"",
        lambda: content[: drawn.randrange(len(content))],
        lambda: b"[" * 100_000,
        lambda: bytes(90 << 20),
        lambda: b'{"id": "' + b"x" * (70 << 20) + b'"}',
        lambda: json.dumps(
            {**value, field: drawn.choice((None, 7, [], {}, "x", "\ud800"))}
        ).encode(),
        lambda: content.replace(b"{", b'{"more": ' + b"[" * 2000 + b"]" * 2000 + b", ", 1),
        lambda: b"\xff\xfe" + content,
        lambda: content * 2,
    )
    members[place] = (name, drawn.choice(changes)())
    return _packed(base, members)


@family
def table_of_contents(base: Base, drawn: random.Random) -> Base | None:
    """Write sizes, methods, flags and offsets that are not true into the directory's entries."""
    if not _is_archive(base):
        return None
    content = bytearray(base.content)
    entries = [n for n in range(len(content)) if content[n : n + 4] == b"PK\x01\x02"]
    place = drawn.choice(entries)
    what, form = drawn.choice(
        ((8, "<H"), (10, "<H"), (16, "<I"), (20, "<I"), (24, "<I"), (28, "<H"), (42, "<I"))
    )
    values = (1, 8, 9, 12, 93, 99) if form == "<H" else _SIZES
    struct.pack_into(form, content, place + what, drawn.choice(values))
    return replace(base, content=bytes(content))
