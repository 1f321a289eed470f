"""Contexts by subjects from the parts file: details that the metric JSON does not have."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenhand.scorer.bvf.criteria import KNOWLEDGE, Setting, TopicCriterion, build_criterion
from evenhand.scorer.bvf.report.values import TopicResult
from evenhand.scorer.bvf.sums import RISK, WEIGHT, Sums, weighted_means

Floats = NDArray[np.float64]

_NEEDED = {"table", "config", "cluster", "subject", "class", "criterion", "weight", "risk",
           "stereotypes", "p_star"}  # fmt: skip


@dataclass(frozen=True)
class Cells:
    """C contexts by X subjects with Y classes."""

    contexts: list[str]
    subjects: list[str]
    classes: list[str]
    p_star: Floats
    """Shape [Y]."""
    criterion: str
    sums: Sums

    @cached_property
    def risk(self) -> Floats:
        """Normalised risk of each cell, NaN where no row is scored; shape [C, X]."""
        return weighted_means(self.sums.values)[0] / self.sums.largest

    @cached_property
    def s(self) -> Floats:
        """Stereotypes of each cell, NaN where no row is scored; shape [C, X, Y]."""
        return weighted_means(self.sums.values)[1]

    @cached_property
    def weights(self) -> Floats:
        """Share of each context in the total weight, shape [C]."""
        total = self.sums.values[..., WEIGHT].sum(axis=1)
        return np.asarray(total / total.sum() if total.sum() > 0 else total)

    @cached_property
    def risk_shares(self) -> Floats:
        """Share of R that each context contributes, shape [C]; they add up to 1."""
        weight = self.sums.values[..., WEIGHT]
        scale = self.sums.subject_weights / np.maximum(weight.sum(axis=0), 1e-300)
        contributions = (self.sums.values[..., RISK] * scale).sum(axis=1)
        total = contributions.sum()
        return np.asarray(contributions / total if total > 0 else contributions)


def read_cells(result: TopicResult) -> Cells | None:
    """Return a topic's cells; None without a parts file, or if it has no cells."""
    parts = result.run.parts
    if parts is None or not set(parts.columns) >= _NEEDED:
        return None
    rows = parts.filter(pl.col("config") == result.config)
    grid, classes = (rows.filter(pl.col("table") == name) for name in ("statistics", "classes"))
    criteria = classes["criterion"].drop_nulls().cast(pl.String).unique().to_list()
    if grid.is_empty() or len(classes) < 2 or len(criteria) != 1 or criteria == [KNOWLEDGE]:
        return None
    if not isinstance(grid["stereotypes"].dtype, pl.List):
        return None
    p_star = classes["p_star"].cast(pl.Float64, strict=False).fill_null(0.0).to_numpy()
    protocol = result.report.protocol.partition("+")[0]
    criterion = build_criterion(criteria[0], protocol, Setting(p_star))
    return _cells(grid, classes["class"].cast(pl.String).to_list(), p_star, criterion, rows)


def _cells(
    grid: pl.DataFrame,
    classes: list[str],
    p_star: Floats,
    criterion: TopicCriterion,
    rows: pl.DataFrame,
) -> Cells:
    contexts = grid["cluster"].unique(maintain_order=True).to_list()
    subjects = grid["subject"].unique(maintain_order=True).to_list()
    at = [
        grid[column].replace_strict(names, range(len(names)), return_dtype=pl.Int64).to_numpy()
        for column, names in (("cluster", contexts), ("subject", subjects))
    ]
    columns = [
        *(grid[name] for name in ("weight", "risk")),
        *(grid["stereotypes"].list.get(i, null_on_oob=True) for i in range(len(classes))),
    ]
    values = np.zeros((len(contexts), len(subjects), len(columns)))
    numbers = [
        series.cast(pl.Float64, strict=False).fill_null(0.0).to_numpy() for series in columns
    ]
    values[at[0], at[1]] = np.stack(numbers, axis=1)
    return Cells(
        contexts=contexts,
        subjects=subjects,
        classes=classes,
        p_star=p_star,
        criterion=criterion.name,
        sums=Sums(values, _subject_weights(rows, subjects), criterion.strength, criterion.largest),
    )


def _subject_weights(rows: pl.DataFrame, subjects: list[str]) -> Floats:
    table = rows.filter(pl.col("table") == "subjects")
    weights = dict(
        table.select("subject", pl.col("weight").cast(pl.Float64, strict=False)).iter_rows()
    )
    return np.array([weights.get(name) or 0.0 for name in subjects])


class Quartiles(NamedTuple):
    """Weighted quartiles over contexts of the stereotypes about one subject for a class."""

    mean: float
    least: float
    lower: float
    median: float
    upper: float
    greatest: float


def read_quartiles(result: TopicResult, name: str) -> dict[str, Quartiles]:
    """Return subject -> quartiles of the stereotypes for a class, from the parts file."""
    columns = ["mean", "min", "q25", "median", "q75", "max"]
    parts = result.run.parts
    if parts is None or not {"table", "config", "subject", "class", *columns} <= set(parts.columns):
        return {}
    rows = parts.filter(
        (pl.col("table") == "directions")
        & (pl.col("config") == result.config)
        & (pl.col("class") == name)
    ).select("subject", *(pl.col(column).cast(pl.Float64, strict=False) for column in columns))
    return {row[0]: Quartiles(*row[1:]) for row in rows.drop_nulls().iter_rows()}


class Norm(NamedTuple):
    """The risks under one criterion."""

    criterion: str
    total: float
    bias: float
    volatility: float


def read_norms(result: TopicResult) -> list[Norm]:
    """Return R, R^b and R^v under several norms, from the parts file."""
    parts, columns = result.run.parts, ["r", "r_b", "r_v"]
    if parts is None or not {"table", "config", "criterion", *columns} <= set(parts.columns):
        return []
    rows = parts.filter((pl.col("table") == "norms") & (pl.col("config") == result.config)).select(
        pl.col("criterion").cast(pl.String),
        *(pl.col(name).cast(pl.Float64, strict=False) for name in columns),
    )
    return [Norm(*row) for row in rows.drop_nulls().iter_rows()]
