"""The table of subjects and attributes, read from the parts file of one model."""

from typing import NamedTuple

import polars as pl

from evenhand.scorer.report.reading import ModelResult


class Pair(NamedTuple):
    """One subject with one attribute."""

    subject: str
    attribute: str
    gamma: float
    eta: float
    n: int


def read_pairs(result: ModelResult, config: str, *, by: str = "subject") -> list[Pair]:
    """Return the pairs of one config, from the highest gamma to the lowest.

    The list is empty if the parts file is missing or has no such table.

    Args:
        result: one model.
        config: the config.
        by: ``subject``, or ``group`` for the table of groups, whose names then are the subjects.
    """
    parts = result.parts
    columns = (by, *Pair._fields[1:])
    if parts is None or not {"table", "config", *columns} <= set(parts.columns):
        return []
    is_wanted = (pl.col("table") == f"{by}_attribute") & (pl.col("config") == config)
    rows = parts.filter(is_wanted).select(columns).drop_nulls()
    pairs = [Pair(*row) for row in rows.iter_rows()]
    return sorted(pairs, key=lambda pair: (-pair.gamma, pair.subject, pair.attribute))
