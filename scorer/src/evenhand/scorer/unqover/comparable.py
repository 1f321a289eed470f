"""UnQover's numbers as functions of their templates, from ``NAME.parts.parquet``."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenhand.contract.report import Metric, Report
from evenhand.scorer.comparable import Comparable, Key
from evenhand.scorer.unqover import metrics

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Value = Callable[[Floats, Floats, Integers], Floats]

_SUM, _N = 0, 1


def _mean(weights: Floats, sums: Floats, _strata: Integers) -> Floats:
    """Return a mean over examples; sums [N, 2]."""
    total = weights @ sums
    mean = np.full(len(weights), np.nan)
    np.divide(total[:, _SUM], total[:, _N], out=mean, where=total[:, _N] != 0)
    return mean


def _weighted(weights: Floats, sums: Floats) -> tuple[Floats, Floats]:
    """Return sums and counts [R, X, A] of sums [N, 2, X, A]."""
    total = (weights @ sums.reshape(len(sums), -1)).reshape(len(weights), *sums.shape[1:])
    return total[:, _SUM], total[:, _N]


def _mu(weights: Floats, sums: Floats, _strata: Integers) -> Floats:
    return metrics.model_bias_intensity(metrics.subject_attribute_bias(*_weighted(weights, sums)))


def _eta(weights: Floats, sums: Floats, _strata: Integers) -> Floats:
    return metrics.model_preference_share(
        metrics.subject_attribute_preference(*_weighted(weights, sums))
    )


def _gamma(weights: Floats, sums: Floats, _strata: Integers) -> Floats:
    return metrics.subject_bias(*_weighted(weights, sums)).reshape(len(weights))


def _eta_subject(weights: Floats, sums: Floats, _strata: Integers) -> Floats:
    return metrics.subject_preference(*_weighted(weights, sums)).reshape(len(weights))


_OF_MEAN: dict[str, Value] = {
    "unqover.delta": _mean,
    "unqover.epsilon": _mean,
    "unqover.mean_score": _mean,
    "unqover.flipped_by_position": _mean,
}
_OF_CELLS: dict[str, tuple[str, Value]] = {
    "unqover.mu": ("unqover.gamma", _mu),
    "unqover.eta": ("unqover.eta", _eta),
}
"""Metric -> which sums it is made of."""
_OF_SUBJECT: dict[str, tuple[str, Value]] = {
    "unqover.gamma": ("unqover.gamma", _gamma),
    "unqover.eta_subject": ("unqover.eta", _eta_subject),
}


def comparables(parts: pl.DataFrame, report: Report) -> Sequence[Comparable]:
    """Return every metric of every config, and gamma and eta of every subject and group."""
    statistics = parts.filter(pl.col("table") == "statistics")
    return [
        own
        for metric in report.metrics
        for own in _of_metric(
            metric,
            statistics.filter(pl.col("config") == metric.config),
            _groups(parts.filter(pl.col("config") == metric.config)),
        )
    ]


def _groups(parts: pl.DataFrame) -> dict[str, str]:
    """Return subject -> group, where subjects have groups."""
    rows = parts.filter(pl.col("table") == "subjects").select("subject", "group").drop_nulls()
    return dict(rows.iter_rows())


def _of_metric(
    metric: Metric, statistics: pl.DataFrame, group_of: dict[str, str]
) -> Iterator[Comparable]:
    if metric.id in _OF_MEAN:
        rows = statistics.filter(pl.col("metric") == metric.id).sort("stratum", "cluster")
        yield _comparable(metric, Key(metric.config, metric.id), rows, _OF_MEAN[metric.id])
    elif metric.id in _OF_CELLS:
        source, value = _OF_CELLS[metric.id]
        rows = statistics.filter(pl.col("metric") == source)
        yield _comparable(metric, Key(metric.config, metric.id), rows, value, is_cells=True)
    elif metric.id in _OF_SUBJECT:
        yield from _of_subjects(metric, statistics, group_of)


def _of_subjects(
    metric: Metric, statistics: pl.DataFrame, group_of: dict[str, str]
) -> Iterator[Comparable]:
    source, value = _OF_SUBJECT[metric.id]
    rows = statistics.filter(pl.col("metric") == source)
    for dimension, values in metric.by.items():
        own = rows
        if dimension == "group":
            own = rows.with_columns(pl.col("subject").replace_strict(group_of, default=None))
            keys = ["subject", "attribute", "cluster", "stratum"]
            own = own.group_by(keys, maintain_order=True).agg(pl.col("sum", "n").sum())
        for name in values:
            key = Key(metric.config, metric.id, dimension, name)
            member = own.filter(pl.col("subject") == name)
            if len(member):
                yield _comparable(metric, key, member, value, is_cells=True)


def _comparable(
    metric: Metric, key: Key, rows: pl.DataFrame, value: Value, *, is_cells: bool = False
) -> Comparable:
    known = rows.select("cluster", "stratum").unique().sort("stratum", "cluster")
    clusters = known["cluster"].to_list()
    sums = _cells(rows, clusters) if is_cells else rows.select("sum", "n").to_numpy()
    counts = sums[:, _N].reshape(len(clusters), -1).sum(axis=1)
    return Comparable(
        key=key,
        limits=metric.range,
        best=metric.best,
        clusters=tuple(clusters),
        strata=known["stratum"].to_numpy().astype(np.int64),
        sums=np.asarray(sums, dtype=np.float64),
        is_used=np.asarray(counts > 0),
        value=value,
    )


def _cells(rows: pl.DataFrame, clusters: list[str]) -> Floats:
    """Return sums and counts as [T, 2, X, A], zeros where a cell has no example."""
    subjects, attributes = (sorted(set(rows[name])) for name in ("subject", "attribute"))
    names = {"cluster": clusters, "subject": subjects, "attribute": attributes}
    places = [
        rows[column].replace_strict({name: i for i, name in enumerate(own)}).to_numpy()
        for column, own in names.items()
    ]
    found = np.zeros((len(clusters), 2, len(subjects), len(attributes)))
    found[places[0], _SUM, places[1], places[2]] = rows["sum"].to_numpy()
    found[places[0], _N, places[1], places[2]] = rows["n"].to_numpy()
    return found
