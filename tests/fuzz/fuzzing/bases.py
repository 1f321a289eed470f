"""Files as they should be, before they are damaged, in every format of ours."""

import gzip
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl
import zstandard

Row = dict[str, Any]


@dataclass(frozen=True)
class Base:
    """One file of predictions, and how it is given to the command line."""

    stem: str
    name: str
    """Name of the file; its suffix says the format."""
    content: bytes
    reader: str = "auto"
    dataset: str = ""
    """What stands in place of the dataset's folder, where there is none."""
    beside: dict[str, bytes] = field(default_factory=dict)
    """Files that lie beside it, e.g. a batch's requests."""
    given: tuple[str, ...] = ()
    """Names of those that are given with it."""


def packed(name: str, content: bytes) -> bytes:
    """Return bytes compressed as a name says, the same on every run."""
    if name.endswith(".gz"):
        return gzip.compress(content, mtime=0)
    return zstandard.compress(content) if name.endswith(".zst") else content


def lines_of(rows: Sequence[Row]) -> bytes:
    """Return JSON lines."""
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode()


def table_of(rows: Sequence[Row], separator: str = ",") -> bytes:
    """Return a table of text; lists are written as JSON."""
    flat = [
        {name: json.dumps(own) if isinstance(own, list) else own for name, own in row.items()}
        for row in rows
    ]
    return pl.DataFrame(flat, infer_schema_length=None).write_csv(separator=separator).encode()


def parquet_of(rows: Sequence[Row], compression: Any = "zstd") -> bytes:
    """Return Parquet."""
    stream = io.BytesIO()
    pl.DataFrame(rows, infer_schema_length=None).write_parquet(stream, compression=compression)
    return stream.getvalue()


def own_files(stem: str, name: str, rows: Sequence[Row], header: Row) -> list[Base]:
    """Return rows in every format of ours."""
    with_header = lines_of([{"evenhand_header": header}, *rows])
    texts: dict[str, Callable[[], bytes]] = {
        f"{name}.jsonl": lambda: lines_of(rows),
        f"{name}_header.jsonl": lambda: with_header,
        f"{name}.ndjson.gz": lambda: lines_of(rows),
        f"{name}_header.jsonl.zst": lambda: with_header,
        f"{name}.csv": lambda: table_of(rows),
        f"{name}.csv.gz": lambda: table_of(rows),
        f"{name}.tsv": lambda: table_of(rows, "\t"),
        f"{name}.parquet": lambda: parquet_of(rows),
        f"{name}_plain.parquet": lambda: parquet_of(rows, "uncompressed"),
    }
    found = [Base(stem, own, packed(own, make())) for own, make in texts.items()]
    sidecar = {f"{name}_sidecar.csv.meta.json": json.dumps(header).encode()}
    return [*found, Base(stem, f"{name}_sidecar.csv", table_of(rows), beside=sidecar)]
