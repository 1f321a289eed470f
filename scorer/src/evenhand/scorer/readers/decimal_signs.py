"""Numbers with a decimal comma, as spreadsheets of many countries write them."""

from collections.abc import Sequence

import polars as pl

_COMMA_NUMBER = r"^[+-]?\d+,\d+(?:[eE][+-]?\d+)?$"
# Three digits behind a comma may be thousands, unless a zero alone stands before it.
_DECIMAL = r"^[+-]?(?:0+,\d+|\d+,(?:\d{1,2}|\d{4,}))(?:[eE][+-]?\d+)?$"
_MIXED = " (a point beside decimal commas)"


def has_decimal_comma(values: pl.Series) -> bool:
    """Say whether a column of text has decimal commas; ``1,234`` alone may be a thousand.

    >>> [has_decimal_comma(pl.Series([text])) for text in ("0,125", "1,5", "1,234", "0.5")]
    [True, True, False, False]
    """
    return _n_decimal_commas(values) > 0


def _n_decimal_commas(values: pl.Series) -> int:
    texts = values.drop_nulls()
    texts = texts.filter(texts.str.contains(",", literal=True))
    return int(texts.str.strip_chars().str.contains(_DECIMAL).sum())


def _n_points(values: pl.Series) -> int:
    return int(values.drop_nulls().str.contains(".", literal=True).sum())


def with_points(rows: pl.DataFrame, columns: Sequence[str]) -> tuple[pl.DataFrame, bool]:
    """Turn decimal commas into points where they are the rule; a point is then an error.

    Where both signs occur the more frequent one counts, so that the rarer ones become faults.

    Args:
        rows: a table of text.
        columns: those that hold numbers; one decimal sign counts for all of them.

    Returns:
        The table, and whether its decimal sign is the comma.
    """
    n_commas = sum(_n_decimal_commas(rows[name]) for name in columns)
    n_points = n_commas and sum(_n_points(rows[name]) for name in columns)
    if n_commas <= n_points:
        return rows, False
    return rows.with_columns(_with_points(name) for name in columns), True


def _with_points(name: str) -> pl.Expr:
    texts = pl.col(name).str.strip_chars()
    return (
        pl.when(texts.str.contains(_COMMA_NUMBER))
        .then(texts.str.replace(",", ".", literal=True))
        .when(texts.str.contains(".", literal=True))
        .then(texts + _MIXED)
        .otherwise(texts)
        .alias(name)
    )
