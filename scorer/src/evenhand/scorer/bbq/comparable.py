"""BBQ's numbers as functions of their questions, from ``NAME.parts.parquet``."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenhand.contract.bbq import CATEGORIES
from evenhand.contract.report import Metric, Report
from evenhand.scorer.bbq.counts import KINDS, STATISTICS, Counts, Kind
from evenhand.scorer.bbq.metric_records import ALL
from evenhand.scorer.comparable import Comparable, Key

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def comparables(parts: pl.DataFrame, report: Report) -> Sequence[Comparable]:
    """Return every metric, of all rows and of each group of every dimension."""
    statistics = parts.filter(pl.col("table") == "statistics")
    return [own for metric in report.metrics for own in _of_metric(metric, statistics)]


def _of_metric(metric: Metric, statistics: pl.DataFrame) -> Iterator[Comparable]:
    whole = statistics.filter(pl.col("dimension") == ALL)
    yield _comparable(metric, Key(metric.config, metric.id), whole)
    for dimension, values in metric.by.items():
        for name in values:
            if dimension == "category":  # the config says it
                rows = whole.filter(pl.col("config") == name)
            else:
                is_own = (pl.col("dimension") == dimension) & (pl.col("group") == name)
                rows = statistics.filter(is_own)
            yield _comparable(metric, Key(metric.config, metric.id, dimension, name), rows)


def _comparable(metric: Metric, key: Key, rows: pl.DataFrame) -> Comparable:
    base, _, mean = metric.id.rpartition(".")
    order = {name: place for place, name in enumerate(CATEGORIES)}
    wide = (
        rows.pivot("statistic", index=["config", "cluster"], values="n", aggregate_function="sum")
        .with_columns(stratum=pl.col("config").replace_strict(order))
        .sort("stratum", pl.col("cluster").str.len_chars(), "cluster")
    )
    sums = wide.select(STATISTICS).to_numpy().astype(np.float64)
    strata = wide["stratum"].to_numpy().astype(np.int64)
    names = zip(wide["config"], wide["cluster"], strict=True)
    kind = KINDS[base]
    return Comparable(
        key=key,
        limits=metric.range,
        best=metric.best,
        clusters=tuple(f"{config}/{cluster}" for config, cluster in names),
        strata=strata,
        sums=sums,
        is_used=Counts(sums, strata, np.arange(len(sums))).is_used(kind),
        value=partial(_VALUES[mean], kind),
    )


def _macro(kind: Kind, weights: Floats, sums: Floats, strata: Integers) -> Floats:
    counts = Counts(sums, strata, np.arange(len(sums)))
    return counts.macro_and_pooled([kind], weights)[:, 0]


def _pooled(kind: Kind, weights: Floats, sums: Floats, _strata: Integers) -> Floats:
    return kind.value(weights @ sums)


_VALUES: dict[str, Callable[[Kind, Floats, Floats, Integers], Floats]] = {
    "macro": _macro,
    "pooled": _pooled,
}
