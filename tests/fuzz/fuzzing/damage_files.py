"""Damage to files as a whole: compression, suffixes, bombs, Parquet, and other files altogether."""

import gzip
import io
import itertools
import random
from collections.abc import Callable
from dataclasses import replace

import polars as pl
import zstandard

from fuzzing.bases import Base, packed
from fuzzing.damage import family, inner, is_text, keeping, place_in, with_inner

_SUFFIXES = (".jsonl", ".csv", ".tsv", ".parquet", ".json", ".ndjson", ".eval", ".txt", ".jsonl.gz",
             ".csv.zst", ".JSONL", ".parquet.gz", "", ".gz", ".jsonl.bz2")  # fmt: skip


@family
def wrong_compression(base: Base, drawn: random.Random) -> Base:
    """Pack by another method than the name says, twice, or not at all."""
    content, is_packed = inner(base), base.name.endswith((".gz", ".zst"))
    made = drawn.choice(
        (
            lambda: content if is_packed else gzip.compress(content, mtime=0),
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
    places = sorted(place_in(content, drawn) for _ in range(3))
    ends = [0, *places, len(content)]
    parts = [content[i:j] for i, j in itertools.pairwise(ends)]
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
    place = place_in(content, drawn)
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
        table.clear,
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
    table = pl.DataFrame({name: table[name].new_from_index(0, rows) for name in table.columns})
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
        b"\x80\x04\x95", b"<html><body>404</body></html>", b"ARROW1\0\0" + drawn.randbytes(99),
        b"version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 12\n", b"---\na: 1\n",
        b"{}", b"[]", b"null", b"[{}]", b"\n", b"0", b'""', b"PAR1PAR1",
        b"PAR1" + bytes(8) + b"PAR1",
        b'{"results": {}, "versions": {}, "configs": {}}',
        b'{"adapter_spec": {}, "request_states": []}',
        b'{"status": "success", "eval": {}}', b'{"custom_id": "a", "response": null}',
        b'{"custom_id": "a", "result": {}}', b'{"doc_id": 0, "filtered_resps": []}',
        b'[{"doc_id": 0, "filtered_resps": [], "doc": {}}]', b'{"custom_id": "a", "body": {}}',
        b'[{"instance_id": 1, "stats": []}]', b'[{"name": {}, "count": 1}]', b"id;label\n\n",
    )  # fmt: skip
    name = drawn.choice(
        (base.name, "other.jsonl", "other.json", "other.csv", "other.parquet", "other.eval")
    )
    return replace(base, name=name, content=drawn.choice(others))
