"""Ways to damage a file, each a family: from bytes that flip to headers that lie.

A family takes the file and a random generator, and returns another file, or None where the file is
of a kind that it cannot damage. What it does depends on the generator alone.
"""

import gzip
import io
import json
import random
import re
from collections.abc import Callable
from dataclasses import replace

import polars as pl
import zstandard

from fuzzing.bases import Base, packed

Family = Callable[[Base, random.Random], Base | None]

FAMILIES: dict[str, Family] = {}
KEEPS: set[str] = set()
"""Families that say the same in another way: the file has to be scored as before."""

_NUMBER = re.compile(rb"(?<![\w.\"|-])-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.\"|])")
_VALUE = re.compile(rb"\"(?:[^\"\\]|\\.)*\"|(?<![\w.\"])-?\d+(?:\.\d+)?(?![\w.\"])")
_KEY = re.compile(rb"\"((?:[^\"\\\n]|\\.)*)\":")
_STRANGE_NUMBERS = (
    b"1e400", b"-1e400", b"1e-400", b"1" * 5000, b"-" + b"9" * 100_000, b"0." + b"3" * 5000,
    b"9" * 400, b"18446744073709551616", b"NaN", b"-NaN", b"Infinity", b"-Infinity", b"nan", b"inf",
    b"-0", b"-0.0", b"1.0000000000000002", b"01", b"1_0", b"0x1", b"0x1p-1", b"+0.5", b".5", b"5.",
    b"\xd9\xa3", b"\xef\xbc\x91", b"0,5", b"1e1", b"true", b"null", b'"0.5"', b'"1"', b"[0.5]", b"{}",
    b"1e-5", b" 0.25 ", b"0.5f", b"1/2", b"50%", b"", b"2", b"3", b"-1", b"0.1e", b"--1",
)  # fmt: skip
_STRANGE_TEXTS = (
    b"", b" ", b"\\u0000", b"\\ud800", b"\\ud83d\\ude00", b"\\u001b[31mred\\u001b[0m", b"\\u202e",
    b"\\r\\n", b"\\t", b"a\\\\", b"=1+1", b"Mar-61", b"6.1E+01", b"../../etc/passwd", b"%s%n",
    b"x" * 70_000, "e\u0301".encode(), "\u2028".encode(), b"null", b"None", b"NaN", b"B", b"0",
    b"(A) or (B)", b"<script>alert(1)</script>", b"|", b"{}", b"[[[[", b'\\"', b"-", b"id",
)  # fmt: skip
_CONTROL = (b"\x00", b"\x07", b"\x1b[2J", b"\x1b]0;x\x07", b"\x7f", b"\x9b", b"\r", b"\x0b", b"\x85",
            "\u202e".encode(), "\u2028".encode(), "\u200b".encode(), b"\xff", b"\xc0\x80",
            b"\xed\xa0\x80", b"\x1a")  # fmt: skip
_DEPTH = 100_000
_SUFFIXES = (".jsonl", ".csv", ".tsv", ".parquet", ".json", ".ndjson", ".eval", ".txt", ".jsonl.gz",
             ".csv.zst", ".JSONL", ".parquet.gz", "", ".gz", ".jsonl.bz2")  # fmt: skip


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
    return any(kind in base.name for kind in (".jsonl", ".ndjson", ".csv", ".tsv"))


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


def _place(content: bytes, drawn: random.Random) -> int:
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
    place, length = _place(base.content, drawn), drawn.choice((1, 16, 512))
    content[place : place + length] = bytes(len(content[place : place + length]))
    return replace(base, content=bytes(content))


@family
def cut_off(base: Base, drawn: random.Random) -> Base:
    """Keep the beginning, also of a compressed stream."""
    return replace(base, content=base.content[: _place(base.content, drawn)])


@family
def cut_off_inside(base: Base, drawn: random.Random) -> Base | None:
    """Keep the beginning of what is packed or written as text."""
    return with_inner(base, inner(base)[: _place(inner(base), drawn)]) if is_text(base) else None


@family
def beginning_lost(base: Base, drawn: random.Random) -> Base:
    """Keep the end."""
    return replace(base, content=base.content[_place(base.content, drawn) :])


@family
def joined_to_itself(base: Base, drawn: random.Random) -> Base:
    """Write the file twice, one behind the other."""
    del drawn
    return replace(base, content=base.content * 2)


@family
def garbage_at_the_end(base: Base, drawn: random.Random) -> Base:
    """Add bytes behind the end."""
    return replace(base, content=base.content + drawn.randbytes(drawn.choice((1, 8, 5000))))


def _lines(base: Base) -> list[bytes]:
    return inner(base).split(b"\n")


def _of_lines(base: Base, lines: list[bytes]) -> Base:
    return with_inner(base, b"\n".join(lines))


def _row(base: Base, lines: list[bytes], drawn: random.Random) -> int:
    """Return the place of a row: not the line of names, and not what is behind the last one."""
    return drawn.randrange(1 if is_table(base) else 0, max(2, len(lines) - 1))


@family
def line_twice(base: Base, drawn: random.Random) -> Base | None:
    """Repeat a row, beside itself or at the end."""
    if not is_lines(base):
        return None
    lines = _lines(base)
    place = _row(base, lines, drawn)
    lines.insert(drawn.choice((place, len(lines) - 1)), lines[place])
    return _of_lines(base, lines)


@family
def line_lost(base: Base, drawn: random.Random) -> Base | None:
    """Leave out rows."""
    if not is_lines(base):
        return None
    lines = _lines(base)
    for _ in range(drawn.choice((1, 3))):
        lines.pop(_row(base, lines, drawn))
    return _of_lines(base, lines)


@family
def lines_joined(base: Base, drawn: random.Random) -> Base | None:
    """Lose the end of a line."""
    if not is_lines(base):
        return None
    lines = _lines(base)
    place = min(_row(base, lines, drawn), len(lines) - 2)
    lines[place : place + 2] = [lines[place] + lines[place + 1]]
    return _of_lines(base, lines)


@keeping
def lines_in_another_order(base: Base, drawn: random.Random) -> Base | None:
    """Shuffle the rows; a header and a line of names stay first."""
    if not is_lines(base):
        return None
    first = 1 if is_table(base) or "header" in base.name else 0
    lines = _lines(base)
    rows = lines[first:-1]
    drawn.shuffle(rows)
    return _of_lines(base, [*lines[:first], *rows, b""])


@keeping
def blank_lines(base: Base, drawn: random.Random) -> Base | None:
    """Put empty lines between rows, or take the end of the last line away."""
    if not is_lines(base) or is_table(base):
        return None
    lines = _lines(base)
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
    place = drawn.choice((0, _place(content, drawn)))
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
        place = _place(bytes(content), drawn)
        content[place:place] = b"\0"
    return with_inner(base, bytes(content))


@family
def control_characters(base: Base, drawn: random.Random) -> Base | None:
    """Put characters that steer a terminal into a text."""
    if not is_text(base):
        return None
    content = inner(base)
    for _ in range(drawn.choice((1, 4))):
        place = _place(content, drawn)
        content = content[:place] + drawn.choice(_CONTROL) + content[place:]
    return with_inner(base, content)


def _swapped(base: Base, drawn: random.Random, pattern: "re.Pattern[bytes]",
             make: Callable[[bytes], bytes]) -> Base | None:  # fmt: skip
    """Write something else in the place of one or a few matches of a pattern."""
    content = inner(base)
    matches = list(pattern.finditer(content))
    if not is_text(base) or not matches:
        return None
    for match in sorted(drawn.sample(matches, min(len(matches), drawn.choice((1, 1, 1, 3)))),
                        key=lambda own: -own.start()):  # fmt: skip
        content = content[: match.start()] + make(match[0]) + content[match.end() :]
    return with_inner(base, content)


@family
def strange_numbers(base: Base, drawn: random.Random) -> Base | None:
    """Write numbers that are too large, none, or written in another way."""
    return _swapped(base, drawn, _NUMBER, lambda own: drawn.choice(_STRANGE_NUMBERS))


@family
def strange_texts(base: Base, drawn: random.Random) -> Base | None:
    """Write other texts: escapes, half of a pair, formulas, letters."""
    quote = b"" if is_table(base) else b'"'
    return _swapped(base, drawn, _VALUE if quote else re.compile(rb"(?<=[,\n\t])[^,\n\t]+"),
                    lambda own: quote + drawn.choice(_STRANGE_TEXTS) + quote)  # fmt: skip


@family
def values_of_another_type(base: Base, drawn: random.Random) -> Base | None:
    """Write a list, an object or a truth value in the place of a value."""
    kinds = (
        b"[]",
        b"{}",
        b"[1, 2]",
        b'{"a": 1}',
        b"null",
        b"true",
        b"false",
        b"1",
        b'"x"',
        b"[[]]",
    )
    return _swapped(base, drawn, _VALUE, lambda own: drawn.choice(kinds))


@family
def deep_nesting(base: Base, drawn: random.Random) -> Base | None:
    """Nest a value so deep that a reader that calls itself would fall."""
    depth = drawn.choice((500, 1100, _DEPTH))

    def nested(own: bytes) -> bytes:
        return drawn.choice(
            (
                b"[" * depth + own + b"]" * depth,
                b'{"a":' * depth + own + b"}" * depth,
                b"[" * depth,
            )
        )

    return _swapped(base, drawn, _VALUE, nested)


@family
def nested_field(base: Base, drawn: random.Random) -> Base | None:
    """Add a field that nobody reads, nested deep."""
    depth = drawn.choice((1100, _DEPTH))
    value = drawn.choice((b"[" * depth + b"]" * depth, b'{"a":' * depth + b"1" + b"}" * depth))
    return _swapped(base, drawn, re.compile(rb"\{(?=\")"),
                    lambda own: b'{"extra": ' + value + b", ")  # fmt: skip


@family
def key_twice(base: Base, drawn: random.Random) -> Base | None:
    """Give an object one of its keys twice, with another value."""
    content = inner(base)
    objects = list(re.finditer(rb"\{(?=\")", content))
    if not is_text(base) or is_table(base) or not objects:
        return None
    own = drawn.choice(objects)
    keys = _KEY.findall(content[own.start() : own.start() + 2000].split(b"\n", 1)[0])
    key = drawn.choice(keys[:6]) if keys else b"id"
    value = drawn.choice((b"0.5", b'"x"', b"1", b"null", b"[0.1, 0.2, 0.7]", b'"B"'))
    pair = b'"' + key + b'": ' + value + b", "
    return with_inner(base, content[: own.end()] + pair + content[own.end() :])


@family
def key_renamed(base: Base, drawn: random.Random) -> Base | None:
    """Call a field something else."""
    names = (
        b'"x":',
        b'"Answer":',
        b'"label":',
        b'"score":',
        b'"ID":',
        b'"":',
        b'"id":',
        b'"__class__":',
    )
    return _swapped(base, drawn, _KEY, lambda own: drawn.choice(names))


@family
def header_that_lies(base: Base, drawn: random.Random) -> Base | None:
    """State another dataset, contract, protocol or model, or none at all."""
    fields = {
        "contract_version": drawn.choice(("1.0", "9.0", "1.99", "", "x", "0.9")),
        "dataset": drawn.choice(
            (
                {"stem": base.stem, "digest": "0" * 64},
                {"stem": "bvf" if base.stem == "bbq" else "bbq"},
                {"stem": base.stem, "version": "7.0.0"},
                {"stem": 1}, {}, None, "x", [],
                {"stem": "\u001b[31m", "digest": "\u202e"},
            )
        ),
        "model": drawn.choice((None, {"name": "m", "precision": "int8"}, {"name": "\u001b]0;m\u0007"},
                               {}, {"name": ["m"]}, {"name": "x" * 5000})),
        "protocol": drawn.choice((None, "paper", "code", "own", 1, "")),
        "configs": drawn.choice(([], ["other"], "Age", [1], None)),
        "decoding": drawn.choice(({}, {"a": [1]}, {"style": "?"}, None, 7)),
    }  # fmt: skip
    for name in drawn.sample(sorted(fields), drawn.choice((0, 0, 1, 3))):
        del fields[name]
    header = json.dumps(fields)
    if ".meta.json" in "".join(base.beside):
        return replace(base, beside={name: header.encode() for name in base.beside})
    if not is_lines(base) or is_table(base):
        return None
    lines = _lines(base)
    own = f'{{"evenhand_header": {header}}}'.encode()
    return _of_lines(base, [own, *lines[1 if "header" in base.name else 0 :]])


@family
def columns_swapped(base: Base, drawn: random.Random) -> Base | None:
    """Write the names of a table's columns in another order than its values."""
    if not is_table(base):
        return None
    lines = _lines(base)
    mark = b"\t" if ".tsv" in base.name else b","
    names = lines[0].split(mark)
    drawn.shuffle(names)
    return _of_lines(base, [mark.join(names), *lines[1:]])


@family
def column_renamed(base: Base, drawn: random.Random) -> Base | None:
    """Give a column another name, or one that another has."""
    if not is_table(base):
        return None
    lines = _lines(base)
    mark = b"\t" if ".tsv" in base.name else b","
    names = lines[0].split(mark)
    others = (*names, b"", b"x", b'"id"', b" id", b"ID", b"Answer", b"prediction", b"n" * 200_000,
              b"\x1b[31m", b"_duplicated_0", b"score_x1_duplicated_0")  # fmt: skip
    names[drawn.randrange(len(names))] = drawn.choice(others)
    return _of_lines(base, [mark.join(names), *lines[1:]])


@family
def another_delimiter(base: Base, drawn: random.Random) -> Base | None:
    """Separate columns by something else."""
    if not is_table(base):
        return None
    mark = b"\t" if ".tsv" in base.name else b","
    other = drawn.choice((b";", b"|", b"\t", b",", b", ", b" ", b"\x1f", b",,"))
    return with_inner(base, inner(base).replace(mark, other))


@family
def quotes(base: Base, drawn: random.Random) -> Base | None:
    """Open quotes that never close, or put them into a cell."""
    if not is_table(base):
        return None
    content = inner(base)
    for _ in range(drawn.choice((1, 1, 2, 3))):
        place = _place(content, drawn)
        content = content[:place] + drawn.choice((b'"', b'""', b"'", b'"\n"')) + content[place:]
    return with_inner(base, content)


@family
def wide_table(base: Base, drawn: random.Random) -> Base | None:
    """Give a table thousands of columns, or a row thousands of cells."""
    if not is_table(base):
        return None
    mark, many = b"\t" if ".tsv" in base.name else b",", drawn.choice((300, 20_000))
    lines = _lines(base)
    place = drawn.choice((0, 1))
    lines[place] += b"".join(mark + b"c%d" % number for number in range(many))
    return _of_lines(base, lines)


@family
def wrong_compression(base: Base, drawn: random.Random) -> Base:
    """Pack by another method than the name says, twice, or not at all."""
    content = inner(base)
    made = drawn.choice(
        (
            lambda: content if base.name.endswith((".gz", ".zst")) else gzip.compress(content, mtime=0),
            lambda: zstandard.compress(content),
            lambda: packed(base.name, packed(base.name, content)),
            lambda: b"\x1f\x8b" + content,
            lambda: b"\x28\xb5\x2f\xfd" + content,
            lambda: packed(base.name, gzip.compress(content, mtime=0)),
        )
    )  # fmt: skip
    return replace(base, content=made())


@keeping
def packed_in_parts(base: Base, drawn: random.Random) -> Base | None:
    """Pack in several members or frames one behind the other, as tools that append do."""
    if not base.name.endswith((".gz", ".zst")):
        return None
    content = inner(base)
    places = sorted(_place(content, drawn) for _ in range(3))
    ends = [0, *places, len(content)]
    parts = [content[i:j] for i, j in zip(ends, ends[1:], strict=False)]
    return replace(base, content=b"".join(packed(base.name, part) for part in parts))


@family
def wrong_suffix(base: Base, drawn: random.Random) -> Base:
    """Name a file as another format."""
    stem = base.name.partition(".")[0]
    return replace(base, name=f"{stem}{drawn.choice(_SUFFIXES)}")


@family
def bomb(base: Base, drawn: random.Random) -> Base:
    """Write a small file that unpacks to gigabytes: rows, one line, or nothing but zeros."""
    piece = drawn.choice(
        (inner(base), bytes(1 << 20), b"a" * (1 << 20), b"\n" * (1 << 20), b"[" * 999)
    )
    block = piece * ((8 << 20) // len(piece) + 1)
    suffix = drawn.choice((".gz", ".zst"))
    kind = drawn.choice((".jsonl", ".csv", ".json"))
    times = drawn.choice((20, 300, 3000))
    return replace(base, name=f"bomb{kind}{suffix}", content=packed(suffix, block) * times)


@family
def long_line(base: Base, drawn: random.Random) -> Base | None:
    """Write one line of 100 MB: a text, a number, blanks, or many rows."""
    if not is_text(base):
        return None
    content, n = inner(base), 100 << 20
    place = _place(content, drawn)
    filling = drawn.choice((b"x", b" ", b"9", b"a,", b"[", b'"', b"\\", b"{}"))
    return with_inner(base, content[:place] + filling * (n // len(filling)) + content[place:])


@family
def parquet_bytes(base: Base, drawn: random.Random) -> Base | None:
    """Flip bytes of Parquet: in its pages, its footer, or the length of the footer."""
    if not base.name.endswith(".parquet"):
        return None
    content = bytearray(base.content)
    length = int.from_bytes(content[-8:-4], "little")
    ranges = ((4, len(content) - length - 8), (len(content) - length - 8, len(content) - 8),
              (len(content) - 8, len(content) - 4), (0, 4))  # fmt: skip
    first, last = drawn.choices(ranges, (4, 6, 1, 1))[0]
    for _ in range(drawn.choice((1, 1, 2, 8))):
        content[drawn.randrange(first, last)] = drawn.randrange(256)
    return replace(base, content=bytes(content))


@family
def parquet_of_other_types(base: Base, drawn: random.Random) -> Base | None:
    """Cast, rename, repeat or empty columns of Parquet."""
    if not base.name.endswith(".parquet"):
        return None
    table = pl.read_parquet(io.BytesIO(base.content))
    name = drawn.choice(table.columns)
    kinds = (pl.String, pl.Categorical, pl.Float32, pl.Int64, pl.UInt8, pl.Boolean, pl.Binary,
             pl.List(pl.Float64), pl.Date, pl.Decimal(20, 5), pl.Duration, pl.Object)  # fmt: skip
    changes: tuple[Callable[[], pl.DataFrame], ...] = (
        lambda: table.with_columns(pl.col(name).cast(drawn.choice(kinds[:-1]), strict=False)),
        lambda: table.rename({name: "other"}),
        lambda: table.with_columns(pl.lit(None).alias(name)),
        lambda: table.with_columns(pl.lit(float("nan")).alias(name)),
        lambda: table.with_columns(pl.lit(value=True).alias(name)),
        lambda: table.with_columns(pl.struct(pl.all()).alias(name)),
        lambda: table.with_columns(pl.lit("\x1b[31m\n\u202e").alias(name)),
        lambda: table.select(pl.all().repeat_by(1).list.first()),
        lambda: pl.concat([table, table.head(1)]),
        lambda: table.clear(),
        lambda: table.drop(name),
        lambda: table.with_columns(pl.lit(1).alias("extra")),
        lambda: table.select(reversed(table.columns)),
    )
    stream = io.BytesIO()
    try:
        drawn.choice(changes)().write_parquet(stream)
    except pl.exceptions.PolarsError:
        return None
    return replace(base, content=stream.getvalue())


@family
def parquet_bomb(base: Base, drawn: random.Random) -> Base | None:
    """Write a small Parquet file of millions of rows, or of long texts that repeat."""
    if not base.name.endswith(".parquet"):
        return None
    table = pl.read_parquet(io.BytesIO(base.content)).head(1)
    rows = drawn.choice((300_000, 2_000_000))
    table = pl.DataFrame({name: pl.repeat(table[name][0], rows, eager=True)
                          if not table[name].dtype.is_nested()
                          else pl.Series([table[name][0]]).repeat_by(1).list.first().new_from_index(0, rows)
                          for name in table.columns})  # fmt: skip
    if drawn.random() < 0.5:
        long = pl.repeat("x" * drawn.choice((10_000, 1_000_000)), 3000, eager=True)
        table = table.head(3000).with_columns(long.alias("id"))
    stream = io.BytesIO()
    table.write_parquet(stream)
    return replace(base, content=stream.getvalue())


@family
def another_benchmarks_file(base: Base, drawn: random.Random) -> Base:
    """Give another kind of file altogether."""
    others = (
        b"%PDF-1.7\n" + drawn.randbytes(500), b"\x89PNG\r\n\x1a\n" + drawn.randbytes(500),
        b"PK\x03\x04" + drawn.randbytes(300), b"SQLite format 3\0" + drawn.randbytes(300),
        b"\x80\x04\x95", b"<html><body>404 not found</body></html>", b"ARROW1\0\0" + drawn.randbytes(99),
        b"version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 12\n", b"---\na: 1\n",
        b"{}", b"[]", b"null", b"[{}]", b"\n", b"0", b'""', b"PAR1PAR1", b"PAR1" + bytes(8) + b"PAR1",
        b'{"results": {}, "versions": {}, "configs": {}}', b'{"adapter_spec": {}, "request_states": []}',
        b'{"status": "success", "eval": {}}', b'{"custom_id": "a", "response": null}',
        b'{"custom_id": "a", "result": {}}', b'{"doc_id": 0, "filtered_resps": []}',
        b'[{"doc_id": 0, "filtered_resps": [], "doc": {}}]', b'{"custom_id": "a", "body": {}}',
        b'[{"instance_id": 1, "stats": []}]', b'[{"name": {}, "count": 1}]', b"id;label\n\n",
    )  # fmt: skip
    name = drawn.choice(
        (base.name, "other.jsonl", "other.json", "other.csv", "other.parquet", "other.eval")
    )
    return replace(base, name=name, content=drawn.choice(others))
