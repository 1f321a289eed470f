"""Rows given in memory: polars or pandas frames, or lists of dicts."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from evenhand.contract import DataRefused


def frame_of(rows: object, *, kinds: Mapping[str, Any] | None = None) -> pl.DataFrame:
    """Take polars frames as they are, and pandas frames and lists of dicts by their columns.

    Args:
        rows: the frame or list.
        kinds: types of columns that cannot be told from values which are all null.

    Raises:
        DataRefused: it is none of these, or its values do not go together.
    """
    if isinstance(rows, pl.DataFrame):
        return rows
    if isinstance(rows, pl.LazyFrame):
        return rows.collect()
    try:
        if isinstance(rows, list | tuple):
            return pl.DataFrame(list(rows), schema_overrides=kinds, infer_schema_length=None)
        names = getattr(rows, "columns", None)
        if names is not None:
            columns = {str(name): rows[name].tolist() for name in names}  # type: ignore[index]
            return pl.DataFrame(columns, schema_overrides=kinds)
    except (pl.exceptions.PolarsError, TypeError) as error:
        reason = str(error).splitlines()[0]
        raise DataRefused(f"The rows make no table ({reason}).") from error
    raise DataRefused(f"Rows are a {type(rows).__name__}; give a frame or a list of dicts.")


def columns_of(what: str, rows: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Return some columns, or refuse rows that lack one."""
    missing = [name for name in names if name not in rows.columns]
    if missing:
        raise DataRefused(f"The {what} lack the column {', '.join(missing)}.")
    return rows.select(names)
