"""UnQover's metrics as functions of weights of the templates, from ``NAME.parts.parquet``."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenhand.contract.report import Metric, Report
from evenhand.scorer.comparable import Comparable, Key
from evenhand.scorer.inference.estimates import Bracket
from evenhand.scorer.specs import find
from evenhand.scorer.unqover import brackets, specs
from evenhand.scorer.unqover.specs import SUMS, CellMetric, ExampleMean

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


def _weighted_sums(weights: Floats, sums: Floats) -> tuple[Floats, Floats]:
    """Return sums and counts [R, X, A] of sums [N, 2, X, A]."""
    total = (weights @ sums.reshape(len(sums), -1)).reshape(len(weights), *sums.shape[1:])
    return total[:, _SUM], total[:, _N]


def _cell_value(spec: CellMetric, weights: Floats, sums: Floats, _strata: Integers) -> Floats:
    """Return a metric of cells, for one subject if it is by subject; sums [N, 2, X, A]."""
    return spec.value(*_weighted_sums(weights, sums)).reshape(len(weights))


def _cell_bracket(spec: CellMetric, sums: Floats, strata: Integers, seed: int) -> Bracket:
    """Return what encloses mu or eta; sums [N, 2, X, A]."""
    return brackets.bracket(spec, sums[:, _SUM], sums[:, _N], strata, seed=seed)


def comparables(parts: pl.DataFrame, report: Report) -> Sequence[Comparable]:
    """Return every metric of every config, and gamma and eta of every subject and group."""
    statistics = parts.filter(pl.col("table") == "statistics")
    return [
        comparable
        for metric in report.metrics
        for comparable in _metric_comparables(
            metric,
            statistics.filter(pl.col("config") == metric.config),
            _groups(parts.filter(pl.col("config") == metric.config)),
        )
    ]


def _groups(parts: pl.DataFrame) -> dict[str, str]:
    """Return subject -> group; empty if subjects have no groups."""
    rows = parts.filter(pl.col("table") == "subjects").select("subject", "group").drop_nulls()
    return dict(rows.iter_rows())


def _metric_comparables(
    metric: Metric, statistics: pl.DataFrame, groups: dict[str, str]
) -> Iterator[Comparable]:
    spec, key = find(specs.METRICS, metric.id), Key(metric.config, metric.id)
    if isinstance(spec, ExampleMean):
        rows = statistics.filter(pl.col("metric") == metric.id).sort("stratum", "cluster")
        yield _comparable(metric, key, rows, _mean)
    elif isinstance(spec, CellMetric):
        rows = statistics.filter(pl.col("metric") == SUMS[spec.sums])
        value = partial(_cell_value, spec)
        if spec.by_subject:
            yield from _subject_comparables(metric, rows, value, groups)
        else:
            number = _comparable(metric, key, rows, value, is_cells=True)
            yield replace(number, bracket=partial(_cell_bracket, spec))


def _subject_comparables(
    metric: Metric, rows: pl.DataFrame, value: Value, groups: dict[str, str]
) -> Iterator[Comparable]:
    for dimension, values in metric.by.items():
        subject_rows = rows
        if dimension == "group":
            subject_rows = rows.with_columns(pl.col("subject").replace_strict(groups, default=None))
            keys = ["subject", "attribute", "cluster", "stratum"]
            subject_rows = subject_rows.group_by(keys, maintain_order=True).agg(
                pl.col("sum", "n").sum()
            )
        for name in values:
            key = Key(metric.config, metric.id, dimension, name)
            member = subject_rows.filter(pl.col("subject") == name)
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
        weights=np.asarray(counts, dtype=np.float64),
    )


def _cells(rows: pl.DataFrame, clusters: list[str]) -> Floats:
    """Return sums and counts as [T, 2, X, A], zero for a cell without examples."""
    subjects, attributes = (sorted(set(rows[name])) for name in ("subject", "attribute"))
    names = {"cluster": clusters, "subject": subjects, "attribute": attributes}
    places = [
        rows[column].replace_strict({name: i for i, name in enumerate(values)}).to_numpy()
        for column, values in names.items()
    ]
    cells = np.zeros((len(clusters), 2, len(subjects), len(attributes)))
    cells[places[0], _SUM, places[1], places[2]] = rows["sum"].to_numpy()
    cells[places[0], _N, places[1], places[2]] = rows["n"].to_numpy()
    return cells
