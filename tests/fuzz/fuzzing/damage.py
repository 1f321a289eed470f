"""Ways to damage a file, each a family: here those of its bytes, lines and encoding.

A family takes the file and a random generator, and returns another file, or None where the file is
of a kind that it cannot damage. What it does depends on the generator alone.
"""

import gzip
import random
from collections.abc import Callable
from dataclasses import replace

import zstandard

from fuzzing.bases import Base, packed

Family = Callable[[Base, random.Random], Base | None]

FAMILIES: dict[str, Family] = {}
KEEPS: set[str] = set()
"""Families that say the same in another way: the file has to be scored as before."""

_CONTROL = (b"\x00", b"\x07", b"\x1b[2J", b"\x1b]0;x\x07", b"\x7f", b"\x9b", b"\r", b"\x0b",
            b"\x85", "\u202e".encode(), "\u2028".encode(), "\u200b".encode(), b"\xff",
            b"\xc0\x80", b"\xed\xa0\x80", b"\x1a")  # fmt: skip


def family(make: Family) -> Family:
    """Add a family under its name."""
    FAMILIES[make.__name__] = make
    return make


def keeping(make: Family) -> Family:
    """Add a family that changes nothing of what a file says."""
    KEEPS.add(make.__name__)
    return family(make)


def is_text(base: Base) -> bool:
    """Say whether a file is text when it is unpacked."""
    return not base.name.endswith((".parquet", ".eval"))


def is_lines(base: Base) -> bool:
    """Say whether a line is a row."""
    # Old versions of lm-evaluation-harness give an indented array such a name.
    is_array = base.content.startswith(b"[")
    kinds = (".jsonl", ".ndjson", ".csv", ".tsv")
    return not is_array and any(kind in base.name for kind in kinds)


def is_table(base: Base) -> bool:
    """Say whether a file is a table of text."""
    return any(kind in base.name for kind in (".csv", ".tsv"))


def inner(base: Base) -> bytes:
    """Return the bytes under a compression."""
    if base.name.endswith(".gz"):
        return gzip.decompress(base.content)
    if base.name.endswith(".zst"):
        return zstandard.decompress(base.content)
    return base.content


def with_inner(base: Base, content: bytes) -> Base:
    """Return a file with other bytes under its compression."""
    return replace(base, content=packed(base.name, content))


def place_in(content: bytes, drawn: random.Random) -> int:
    """Return a place between two bytes."""
    return drawn.randrange(len(content) + 1)


def _edited(base: Base, drawn: random.Random, edit: Callable[[bytearray, int], None]) -> Base:
    """Edit a few places, of the file itself or of what is packed in it."""
    is_outer = drawn.random() < 0.3
    content = bytearray(base.content if is_outer else inner(base))
    for _ in range(drawn.choice((1, 1, 1, 2, 4, 16))):
        if content:
            edit(content, drawn.randrange(len(content)))
    return replace(base, content=bytes(content)) if is_outer else with_inner(base, bytes(content))


@family
def bits_flipped(base: Base, drawn: random.Random) -> Base:
    """Flip single bits."""

    def edit(content: bytearray, place: int) -> None:
        content[place] ^= 1 << drawn.randrange(8)

    return _edited(base, drawn, edit)


@family
def bytes_replaced(base: Base, drawn: random.Random) -> Base:
    """Put other bytes in the place of some."""

    def edit(content: bytearray, place: int) -> None:
        content[place] = drawn.randrange(256)

    return _edited(base, drawn, edit)


@family
def bytes_inserted(base: Base, drawn: random.Random) -> Base:
    """Put in bytes, among them those that end lines, texts and cells."""

    def edit(content: bytearray, place: int) -> None:
        content[place:place] = drawn.choice((b'"', b",", b"\n", b"{", b"}", b"\\", b"\xff", b"0"))

    return _edited(base, drawn, edit)


@family
def bytes_removed(base: Base, drawn: random.Random) -> Base:
    """Take out a run of bytes."""

    def edit(content: bytearray, place: int) -> None:
        del content[place : place + drawn.choice((1, 1, 2, 8, 100))]

    return _edited(base, drawn, edit)


@family
def run_of_zeros(base: Base, drawn: random.Random) -> Base:
    """Blank a run of bytes, as a broken disk does."""
    content = bytearray(base.content)
    place, length = place_in(base.content, drawn), drawn.choice((1, 16, 512))
    content[place : place + length] = bytes(len(content[place : place + length]))
    return replace(base, content=bytes(content))


@family
def cut_off(base: Base, drawn: random.Random) -> Base:
    """Keep the beginning, also of a compressed stream."""
    return replace(base, content=base.content[: place_in(base.content, drawn)])


@family
def cut_off_inside(base: Base, drawn: random.Random) -> Base | None:
    """Keep the beginning of what is packed or written as text."""
    return with_inner(base, inner(base)[: place_in(inner(base), drawn)]) if is_text(base) else None


@family
def beginning_lost(base: Base, drawn: random.Random) -> Base:
    """Keep the end."""
    return replace(base, content=base.content[place_in(base.content, drawn) :])


@family
def joined_to_itself(base: Base, drawn: random.Random) -> Base:
    """Write the file twice, one behind the other."""
    del drawn
    return replace(base, content=base.content * 2)


@family
def garbage_at_the_end(base: Base, drawn: random.Random) -> Base:
    """Add bytes behind the end."""
    return replace(base, content=base.content + drawn.randbytes(drawn.choice((1, 8, 5000))))


def lines_in(base: Base) -> list[bytes]:
    """Return the lines of a file; the last is what is behind the last end of a line."""
    return inner(base).split(b"\n")


def of_lines(base: Base, lines: list[bytes]) -> Base:
    """Return a file of other lines."""
    return with_inner(base, b"\n".join(lines))


def row_in(base: Base, lines: list[bytes], drawn: random.Random) -> int:
    """Return the place of a row: not the line of names, and not what is behind the last one."""
    return drawn.randrange(1 if is_table(base) else 0, max(2, len(lines) - 1))


@family
def line_twice(base: Base, drawn: random.Random) -> Base | None:
    """Repeat a row, beside itself or at the end."""
    if not is_lines(base):
        return None
    lines = lines_in(base)
    place = row_in(base, lines, drawn)
    lines.insert(drawn.choice((place, len(lines) - 1)), lines[place])
    return of_lines(base, lines)


@family
def line_lost(base: Base, drawn: random.Random) -> Base | None:
    """Leave out rows."""
    if not is_lines(base):
        return None
    lines = lines_in(base)
    for _ in range(drawn.choice((1, 3))):
        lines.pop(row_in(base, lines, drawn))
    return of_lines(base, lines)


@family
def lines_joined(base: Base, drawn: random.Random) -> Base | None:
    """Lose the end of a line."""
    if not is_lines(base):
        return None
    lines = lines_in(base)
    place = min(row_in(base, lines, drawn), len(lines) - 2)
    lines[place : place + 2] = [lines[place] + lines[place + 1]]
    return of_lines(base, lines)


@keeping
def lines_in_another_order(base: Base, drawn: random.Random) -> Base | None:
    """Shuffle the rows; a header and a line of names stay first."""
    if not is_lines(base):
        return None
    first = 1 if is_table(base) or "header" in base.name else 0
    lines = lines_in(base)
    rows = lines[first:-1]
    drawn.shuffle(rows)
    return of_lines(base, [*lines[:first], *rows, b""])


@keeping
def blank_lines(base: Base, drawn: random.Random) -> Base | None:
    """Put empty lines between rows, or take the end of the last line away."""
    if not is_lines(base) or is_table(base):
        return None
    lines = lines_in(base)
    for _ in range(4):
        lines.insert(drawn.randrange(1, len(lines) + 1), drawn.choice((b"", b"  ", b"\t")))
    return with_inner(base, b"\n".join(lines).rstrip(b"\n"))


@keeping
def windows_lines(base: Base, drawn: random.Random) -> Base | None:
    """End lines with carriage return and line feed."""
    del drawn
    return with_inner(base, inner(base).replace(b"\n", b"\r\n")) if is_text(base) else None


@family
def carriage_returns(base: Base, drawn: random.Random) -> Base | None:
    """End all lines, or some, with carriage returns alone."""
    if not is_text(base):
        return None
    if drawn.random() < 0.5:
        return with_inner(base, inner(base).replace(b"\n", b"\r"))
    return with_inner(base, inner(base).replace(b"\n", b"\r", 3))


@keeping
def byte_order_mark(base: Base, drawn: random.Random) -> Base | None:
    """Begin with the mark of UTF-8."""
    del drawn
    return with_inner(base, b"\xef\xbb\xbf" + inner(base)) if is_text(base) else None


@family
def marks_inside(base: Base, drawn: random.Random) -> Base | None:
    """Put the mark of UTF-8 twice at the beginning, or in the middle."""
    if not is_text(base):
        return None
    mark, content = b"\xef\xbb\xbf", inner(base)
    place = drawn.choice((0, place_in(content, drawn)))
    return with_inner(base, mark + content[:place] + mark + content[place:])


@family
def another_encoding(base: Base, drawn: random.Random) -> Base | None:
    """Write the text in another encoding."""
    if not is_text(base):
        return None
    names = ("utf-16", "utf-16-le", "utf-32", "latin-1", "cp1252", "utf-7", "cp037")
    text = inner(base).decode(errors="replace")
    return with_inner(base, text.encode(drawn.choice(names), errors="replace"))


@family
def nul_bytes(base: Base, drawn: random.Random) -> Base:
    """Put in NUL bytes."""
    content = bytearray(inner(base))
    for _ in range(drawn.choice((1, 3, 1000))):
        place = place_in(bytes(content), drawn)
        content[place:place] = b"\0"
    return with_inner(base, bytes(content))


@family
def control_characters(base: Base, drawn: random.Random) -> Base | None:
    """Put characters that steer a terminal into a text."""
    if not is_text(base):
        return None
    content = inner(base)
    for _ in range(drawn.choice((1, 4))):
        place = place_in(content, drawn)
        content = content[:place] + drawn.choice(_CONTROL) + content[place:]
    return with_inner(base, content)
