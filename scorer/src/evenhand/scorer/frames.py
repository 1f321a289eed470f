"""Rows given in memory: polars or pandas frames, tables of pyarrow, or rows one by one.

Nothing of pandas or pyarrow is imported: a frame is read by its columns, whatever they are made of.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
import polars as pl

from evenhand.contract import DataRefused
from evenhand.scorer.faults import excerpt

Kinds = Mapping[str, Any]
"""Column -> its type in polars."""

_MISSING = frozenset({"NAType", "NaTType"})
"""Types of pandas' missing values other than NaN."""
_NUMBERS = "iub"
"""Kinds of numpy's types that hold integers or booleans and no missing values."""
_TEXTS = (pl.String, pl.Categorical, pl.Enum)


def to_frame(
    rows: object, *, kinds: Kinds | None = None, names: Sequence[str] | None = None
) -> pl.DataFrame:
    """Return rows as a frame, with null where a value is missing.

    Args:
        rows: a polars frame, lazy or not; a pandas frame of any backend; a table of pyarrow; or
            dicts or records of the contract one by one.
        kinds: types of columns, which cannot be told from values that are all missing.
        names: the columns that are read; all by default.

    Raises:
        DataRefused: it is none of these, a column occurs twice, or its values have no common type.
    """
    if isinstance(rows, pl.LazyFrame):
        rows = rows.collect()
    if isinstance(rows, pl.DataFrame):
        return rows.with_columns(pl.col("id").cast(pl.String)) if _has_coded_ids(rows) else rows
    try:
        columns = _columns(rows, names)
    except TypeError as error:
        raise DataRefused(f"The rows make no table ({excerpt(str(error))}).") from error
    return pl.DataFrame([_series(name, values, kinds) for name, values in columns.items()])


def _has_coded_ids(rows: pl.DataFrame) -> bool:
    return "id" in rows.columns and isinstance(rows["id"].dtype, pl.Categorical | pl.Enum)


def _columns(rows: Any, names: Sequence[str] | None) -> dict[str, list[Any]]:
    """Return each column's values as Python objects."""
    if hasattr(rows, "to_pylist"):  # a table of pyarrow
        rows = rows.to_pylist()
    if hasattr(rows, "columns"):
        return _frame_columns(rows, names)
    if isinstance(rows, Mapping | str | bytes) or not isinstance(rows, Iterable):
        raise DataRefused(f"Rows are a {type(rows).__name__}; give a frame or a list of dicts.")
    plain = [_row(row) for row in rows]
    known = dict.fromkeys(name for row in plain for name in row)
    return {
        name: [_plain(row.get(name)) for row in plain]
        for name in known
        if names is None or name in names
    }


def _row(row: Any) -> Mapping[str, Any]:
    if isinstance(row, msgspec.Struct):
        record: Mapping[str, Any] = msgspec.to_builtins(row)
        return record
    if not isinstance(row, Mapping):
        raise DataRefused(f"A row is a {type(row).__name__}; give a frame or a list of dicts.")
    return row


def _frame_columns(rows: Any, names: Sequence[str] | None) -> dict[str, list[Any]]:
    given = [str(name) for name in rows.columns]
    for name in given:
        if given.count(name) > 1 and (names is None or name in names):
            raise DataRefused(f"The rows have the column {excerpt(name)} twice; keep one of them.")
    return {
        str(name): _values(rows[name])
        for name in rows.columns
        if names is None or str(name) in names
    }


def _values(column: Any) -> list[Any]:
    values: list[Any] = column.tolist()
    is_whole = getattr(column.dtype, "kind", "O") in _NUMBERS
    # The types of pandas itself and of Arrow have such a kind too, and may hold missing values.
    if is_whole and type(column.dtype).__module__.startswith("numpy"):
        return values
    return [_plain(value) for value in values]


def _plain(value: Any) -> Any:
    """Return a value as a Python object, and None for a missing one.

    >>> import numpy as np
    >>> _plain(np.float64("nan")), _plain(np.array([1, 2])), _plain(np.str_("a"))
    (None, [1, 2], 'a')
    """
    if value is None or type(value).__name__ in _MISSING:
        return None
    if isinstance(value, float):
        return None if value != value else float(value)  # noqa: PLR0124 - NaN is not itself
    if isinstance(value, str):
        return str(value)
    if hasattr(value, "tolist"):  # an array or a number of numpy's
        return value.tolist()
    return list(value) if isinstance(value, tuple) else value


def _series(name: str, values: list[Any], kinds: Kinds | None) -> pl.Series:
    kind = None if kinds is None else kinds.get(name)
    if kind is not None and kind == pl.Int64:
        values = [whole(value) for value in values]
    try:
        return pl.Series(name, values, dtype=kind)
    except (pl.exceptions.PolarsError, TypeError, OverflowError, UnicodeError) as error:
        expected = f"it must be {kind}" if kind is not None else "give one kind of value"
        reason = excerpt(str(error))
        raise DataRefused(
            f"The column {excerpt(name)} makes no table; {expected} ({reason})."
        ) from (error)


def whole(value: Any) -> Any:
    """Return 1 for 1.0: pandas turns integers into floats where values are missing."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def select_columns(what: str, rows: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Select columns, or refuse rows that lack one."""
    missing = [name for name in names if name not in rows.columns]
    if missing:
        raise DataRefused(f"The {what} lack the column {', '.join(missing)}.")
    return rows.select(names)


def cast_columns(what: str, rows: pl.DataFrame, kinds: Kinds) -> pl.DataFrame:
    """Cast columns to their types; categorical text stays categorical.

    Raises:
        DataRefused: a column has other values: text or truth values are no numbers.
    """
    for name, kind in kinds.items():
        dtype = rows[name].dtype
        is_text, is_number = kind == pl.String, kind in {pl.Float64, pl.Int64}
        is_right = dtype in {pl.Null, kind} or (is_text and isinstance(dtype, _TEXTS))
        if not (is_right or (is_number and dtype.is_numeric())):
            expected = "text" if is_text else "numbers" if is_number else str(kind)
            raise DataRefused(f"The {what}: the column {name} is {dtype}; it must be {expected}.")
    changed = [n for n, kind in kinds.items() if rows[n].dtype not in {kind, *_coded(kind)}]
    try:
        return rows.with_columns(pl.col(name).cast(kinds[name]) for name in changed)
    except pl.exceptions.PolarsError as error:
        raise DataRefused(f"The {what} cannot be read: {excerpt(str(error))}.") from error


def _coded(kind: Any) -> tuple[Any, ...]:
    return (pl.Categorical, pl.Enum) if kind == pl.String else ()


def stack_tables(tables: Iterable[tuple[str, pl.DataFrame]], kinds: Kinds) -> pl.DataFrame:
    """Put tables below each other; the column ``table`` says which is which.

    Args:
        tables: name and rows of each.
        kinds: the columns of all, ``table`` among them; null where a table has no such column.

    >>> two = [("a", pl.DataFrame({"n": [1]})), ("b", pl.DataFrame({"x": ["y"]}))]
    >>> stack_tables(two, {"table": pl.String, "n": pl.Int64, "x": pl.String}).rows()
    [('a', 1, None), ('b', None, 'y')]
    """
    return pl.concat(
        rows.with_columns(table=pl.lit(name)).select(
            (pl.col(column) if column in {"table", *rows.columns} else pl.lit(None))
            .cast(kind)
            .alias(column)
            for column, kind in kinds.items()
        )
        for name, rows in tables
    )
