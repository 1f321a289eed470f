"""Joins the shards of a run to one file, in the format that its suffix names."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import msgspec
import polars as pl

from evenhand.contract import WrongUse
from evenhand.contract.files import canonical_json, write_atomically
from evenhand.contract.predictions import HEADER_KEY, Header, sidecar_of

SUFFIXES = (".parquet", ".jsonl", ".jsonl.gz", ".csv")

_ROW_GROUP = 1 << 17


def output_suffix(out: Path) -> str:
    """Return the format that a file's suffix names."""
    for suffix in sorted(SUFFIXES, key=len, reverse=True):
        if out.name.endswith(suffix):
            return suffix
    raise WrongUse(f"--out {out} must end in one of {', '.join(SUFFIXES)}.")


def write_finished(shards: list[Path], finished: Path, out: Path, header: Header) -> None:
    """Join the shards to ``finished`` and move it to ``out``, after its sidecar."""
    suffix = output_suffix(out)
    _WRITERS[suffix](shards, finished, header)
    if suffix not in _WITH_HEADER:
        write_atomically(sidecar_of(out), canonical_json(header))
    finished.replace(out)


def _write_parquet(paths: list[Path], out: Path, _header: Header) -> None:
    _together(paths).sink_parquet(
        out, compression="zstd", row_group_size=_ROW_GROUP, maintain_order=True
    )


def _write_csv(paths: list[Path], out: Path, _header: Header) -> None:
    # CSV has no lists: such a column is written as JSON.
    lists = pl.selectors.list()
    text = lists.cast(pl.List(pl.String)).list.join(",").str.replace("^(.*)$", "[$1]")
    rows = _together(paths).with_columns(text)
    rows.sink_csv(out, maintain_order=True)


def _write_jsonl(paths: list[Path], out: Path, header: Header) -> None:
    with out.open("wb") as stream:
        for chunk in _json_lines(paths, header):
            stream.write(chunk)


def _write_jsonl_gz(paths: list[Path], out: Path, header: Header) -> None:
    # Neither a name nor a time in the gzip header: a second run gives the same bytes.
    with (
        out.open("wb") as raw,
        gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as stream,
    ):
        for chunk in _json_lines(paths, header):
            stream.write(chunk)


def _json_lines(paths: list[Path], header: Header) -> Iterator[bytes]:
    yield msgspec.json.encode({HEADER_KEY: header}, order="sorted") + b"\n"
    for path in paths:
        yield _nest(pl.read_parquet(path)).write_ndjson().encode()


def _together(paths: list[Path]) -> pl.LazyFrame:
    """Return the rows of all shards; those of another config may have other columns."""
    return pl.concat([pl.scan_parquet(path) for path in paths], how="diagonal")


def _nest(rows: pl.DataFrame) -> pl.DataFrame:
    """Put columns such as ``word_p:he`` and ``word_p:she`` into one object, ``word_p``."""
    groups: dict[str, list[str]] = {}
    for name in rows.columns:
        prefix, colon, _ = name.partition(":")
        if colon:
            groups.setdefault(prefix, []).append(name)
    for prefix, names in groups.items():
        inner = [pl.col(name).alias(name.removeprefix(f"{prefix}:")) for name in names]
        rows = rows.with_columns(pl.struct(inner).alias(prefix)).drop(names)
    return rows


_WITH_HEADER = (".jsonl", ".jsonl.gz")
"""Formats whose first line is the header; the others have it in a sidecar."""
_WRITERS = {
    ".parquet": _write_parquet,
    ".csv": _write_csv,
    ".jsonl": _write_jsonl,
    ".jsonl.gz": _write_jsonl_gz,
}
