"""Parquet from other tools: read under limits, and refused in one sentence where it is damaged."""

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import polars as pl

from evenhand.contract import DataRefused
from evenhand.scorer.faults import excerpt
from evenhand.scorer.readers.streams import (
    MAX_PARQUET_ROWS,
    check_ratio,
    check_rows,
    open_bounded,
)

_BYTES_OF_VALUE = 8

T = TypeVar("T")


@contextlib.contextmanager
def _nothing_said() -> Iterator[None]:
    """Discard what is written to stderr past Python: threads of polars panic on a damaged page.

    They print a backtrace; the same fault comes back as an error.
    """
    said = os.dup(2)
    try:
        with Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        yield
    finally:
        os.dup2(said, 2)
        os.close(said)


def read_schema(path: Path) -> pl.Schema:
    """Return names and types of the columns.

    Raises:
        DataRefused: no file, a folder, an empty file, or no Parquet.
    """
    with open_bounded(
        path
    ):  # refuses folders, missing and empty files in the same words as elsewhere
        pass
    return _read(path, lambda: pl.Schema(pl.read_parquet_schema(path)))


def read_rows(
    path: Path, columns: Sequence[str] | None = None, *, limit: int = MAX_PARQUET_ROWS
) -> pl.DataFrame:
    """Read columns, all by default.

    A repeated text costs nothing in a file and nothing when it is read, and gigabytes when it is
    processed: so the total length of the texts is compared with the file's size.

    Raises:
        DataRefused: no Parquet, more rows than the limit, or far more text than its size.
    """
    names = list(read_schema(path) if columns is None else columns)
    n_rows = _read(path, lambda: int(pl.scan_parquet(path).select(pl.len()).collect().item()))
    check_rows(path, n_rows, limit)
    size = path.stat().st_size
    check_ratio(str(path), size, n_rows * _BYTES_OF_VALUE * len(names))
    rows = _read(path, lambda: pl.read_parquet(path, columns=names))
    check_ratio(str(path), size, int(rows.estimated_size()))
    return rows


def _read(path: Path, read: Callable[[], T]) -> T:
    try:
        with _nothing_said():
            return read()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise DataRefused(
            f"{path} is cut off or is no Parquet file ({excerpt(str(error))}); copy it again."
        ) from error
