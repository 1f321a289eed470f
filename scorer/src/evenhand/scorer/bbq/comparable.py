"""BBQ's metrics as functions of weights of the questions, from ``NAME.parts.parquet``."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenhand.contract.bbq import CATEGORIES
from evenhand.contract.report import Metric, Report
from evenhand.scorer.bbq import specs
from evenhand.scorer.bbq.counts import STATISTICS, Counts, Value
from evenhand.scorer.bbq.guarded import MACRO, POOLED, errors, question_weights
from evenhand.scorer.bbq.metric_records import ALL
from evenhand.scorer.bbq.specs import CountedMetric
from evenhand.scorer.comparable import Comparable, Errors, Key
from evenhand.scorer.specs import find

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def comparables(parts: pl.DataFrame, report: Report) -> Sequence[Comparable]:
    """Return every metric, over all rows and over each group of every dimension."""
    statistics = parts.filter(pl.col("table") == "statistics")
    return [
        comparable
        for metric in report.metrics
        for comparable in _metric_comparables(metric, statistics)
    ]


def _metric_comparables(metric: Metric, statistics: pl.DataFrame) -> Iterator[Comparable]:
    spec = find(specs.METRICS, metric.id)
    if spec is None:  # a metric of a later version, which is skipped
        return
    whole = statistics.filter(pl.col("dimension") == ALL)
    yield _comparable(metric, spec, Key(metric.config, metric.id), whole)
    for dimension, values in metric.by.items():
        for name in values:
            if dimension == "category":  # categories are configs
                rows = whole.filter(pl.col("config") == name)
            else:
                is_member = (pl.col("dimension") == dimension) & (pl.col("group") == name)
                rows = statistics.filter(is_member)
            yield _comparable(metric, spec, Key(metric.config, metric.id, dimension, name), rows)


def _comparable(metric: Metric, spec: CountedMetric, key: Key, rows: pl.DataFrame) -> Comparable:
    order = {name: place for place, name in enumerate(CATEGORIES)}
    wide = (
        rows.pivot("statistic", index=["config", "cluster"], values="n", aggregate_function="sum")
        .with_columns(stratum=pl.col("config").replace_strict(order))
        .sort("stratum", pl.col("cluster").str.len_chars(), "cluster")
    )
    sums = wide.select(STATISTICS).to_numpy().astype(np.float64)
    names = zip(wide["config"], wide["cluster"], strict=True)
    number = comparable_of_counts(
        spec,
        key,
        tuple(f"{config}/{cluster}" for config, cluster in names),
        sums,
        wide["stratum"].to_numpy().astype(np.int64),
    )
    return replace(number, limits=metric.range, best=metric.best)


def comparable_of_counts(
    spec: CountedMetric, key: Key, clusters: tuple[str, ...], sums: Floats, category: Integers
) -> Comparable:
    """Return a metric of some questions.

    Args:
        spec: of the metric.
        key: which number it is.
        clusters: names of G questions.
        sums: their counts, shape [G, K].
        category: code of each question's category, ascending; shape [G].
    """
    mean = key.metric.rpartition(".")[2]
    wrong, scored = errors(sums, spec)
    guard = None
    if spec.signed:  # who names nobody has no bias, and is right in no disambiguated context
        guard = key._replace(metric=f"{specs.ACCURACY_OF_GUARD}.{mean}")
    return Comparable(
        key=key,
        limits=spec.range or (-1.0, 1.0),
        best=spec.best,
        clusters=clusters,
        strata=category,
        sums=sums,
        is_used=spec.used_questions(Counts(sums, category, np.arange(len(sums)))),
        value=partial(_MEANS[mean], spec.values),
        weights=question_weights(sums, category, spec, _PLACES[mean]),
        errors=Errors(wrong, scored, max(1, spec.moved_by_errors)),
        guard=guard,
    )


def _macro(value: Value, weights: Floats, sums: Floats, strata: Integers) -> Floats:
    counts = Counts(sums, strata, np.arange(len(sums)))
    return counts.macro_and_pooled([value], weights)[:, 0]


def _pooled(value: Value, weights: Floats, sums: Floats, _strata: Integers) -> Floats:
    return value(weights @ sums)


_MEANS: dict[str, Callable[[Value, Floats, Floats, Integers], Floats]] = {
    "macro": _macro,
    "pooled": _pooled,
}
_PLACES = {"macro": MACRO, "pooled": POOLED}
