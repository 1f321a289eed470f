"""BBQ's tables: the paper's five numbers by category, UNKNOWN wordings, unscored answers.

Also the columns of ``NAME.parts.parquet``: rows with ``table`` = ``statistics`` are the additive
counts by question, over all rows and over each group; those with ``unknown_wordings`` and
``unscored`` are tables for reading.
"""

from collections.abc import Iterator

import numpy as np
import polars as pl

from evenhand.contract.report import Metric, Report
from evenhand.scorer.bbq import specs
from evenhand.scorer.bbq.counts import CONDITIONS, STATISTICS
from evenhand.scorer.bbq.groups import group_rows
from evenhand.scorer.bbq.results import Scored, unscored_reasons
from evenhand.scorer.frames import stack_tables
from evenhand.scorer.outcome import Rows

PARTS = {
    "table": pl.String,
    "config": pl.String,
    "cluster": pl.String,
    "dimension": pl.String,
    "group": pl.String,
    "statistic": pl.String,
    "condition": pl.String,
    "wording": pl.String,
    "reason": pl.String,
    "n": pl.Int64,
    "n_chosen": pl.Int64,
}
"""Columns of ``NAME.parts.parquet``; those that do not apply to a row are null."""


def parts_table(scored: Scored) -> pl.DataFrame:
    """Return the sufficient statistics and tables in the columns of :data:`PARTS`."""
    wordings = unknown_wordings(scored).rename({"n_offered": "n"}).drop("share")
    reasons = [
        {"config": config, "reason": reason, "n": n}
        for config, counts in unscored_reasons(scored).items()
        for reason, n in counts.items()
    ]
    tables = {
        "statistics": pl.concat(_statistics(scored)),
        "unknown_wordings": wordings,
        "unscored": pl.DataFrame(
            reasons, schema={"config": pl.String, "reason": pl.String, "n": pl.Int64}
        ),
    }
    return stack_tables(tables.items(), PARTS)


def unknown_wordings(scored: Scored) -> pl.DataFrame:
    """Return how often the UNKNOWN answer is chosen, by its wording.

    Returns:
        ``config, condition, wording, n_offered, n_chosen, share`` over the scored rows; one row
        for each wording in a category and condition.
    """
    items, choice = scored.items, scored.choices.index
    texts = pl.concat_list("ans0", "ans1", "ans2").list.get(pl.col("unknown"))
    names = {value: name for name, value in CONDITIONS.items()}
    return (
        items.select(
            pl.col("category").alias("config"),
            pl.col("context_condition").replace_strict(names).alias("condition"),
            texts.alias("wording"),
            is_chosen=pl.lit(pl.Series(choice)) == pl.col("unknown"),
            is_scored=pl.lit(pl.Series(choice >= 0)),
        )
        .filter("is_scored")
        .group_by("config", "condition", "wording")
        .agg(
            n_offered=pl.len().cast(pl.Int64),
            n_chosen=pl.col("is_chosen").sum().cast(pl.Int64),
            share=pl.col("is_chosen").mean(),
        )
        .sort("config", "condition", "wording")
    )


def pooled_wordings(scored: Scored) -> Rows:
    """Return how often each wording of UNKNOWN is chosen in all categories together.

    One row per wording, with its share of the rows that offer it in both conditions side by side.
    Shares by category are in ``NAME.parts.parquet``.
    """
    pooled = (
        unknown_wordings(scored)
        .group_by("wording", "condition")
        .agg(pl.col("n_offered", "n_chosen").sum())
        .with_columns(chosen=pl.col("n_chosen") / pl.col("n_offered"))
    )
    sides = [
        pooled.filter(condition=name).select(
            pl.col("wording").alias("unknown_wording"),
            pl.col("chosen").alias(f"chosen_{short}"),
            pl.col("n_offered").alias(f"n_{short}"),
        )
        for name, short in CONDITIONS.items()
    ]
    both = sides[0].join(sides[1], on="unknown_wording", how="full", coalesce=True)
    counts = [name for name in both.columns if name.startswith("n_")]
    return both.with_columns(pl.col(counts).fill_null(0)).sort("unknown_wording").to_dicts()


def metric_rows(report: Report) -> Rows:
    """Return one row per metric of a report, for the table that ``score`` prints."""
    return [
        {
            "metric": metric.id,
            "value": metric.value,
            "low": metric.interval.low if metric.interval else None,
            "high": metric.interval.high if metric.interval else None,
            "n_scored": metric.n_scored,
            "n_unscored": metric.n_unscored,
            "why_null": metric.why_null,
        }
        for metric in report.metrics
    ]


def group_table(report: Report, dimension: str) -> Rows:
    """Return the metrics of each group of a dimension side by side; empty if there are no groups.

    Values are over all rows of a group.
    """
    pooled = {metric.id.removesuffix(".pooled"): metric for metric in report.metrics}
    groups = pooled["bbq.accuracy.ambiguous"].by.get(dimension, {})
    return [
        {
            dimension: name,
            **{spec.short: _value(pooled[spec.base], dimension, name) for spec in specs.METRICS},
            "n_ambig": accuracy.n_scored,
        }
        for name, accuracy in groups.items()
    ]


def _value(metric: Metric, dimension: str, name: str) -> float | None:
    return metric.by[dimension][name].value


def _statistics(scored: Scored) -> Iterator[pl.DataFrame]:
    yield _counts(scored, np.arange(len(scored.items)), "all", "all")
    for dimension, members in group_rows(scored.items, scored.configs).items():
        if dimension == "category":  # categories are configs
            continue
        for name, places in members.items():
            yield _counts(scored, places, dimension, name)


def _counts(
    scored: Scored, places: np.ndarray[tuple[int], np.dtype[np.int64]], dimension: str, group: str
) -> pl.DataFrame:
    counted = pl.DataFrame(scored.rows[places], schema=list(STATISTICS), orient="row")
    keys = scored.items[places].select(config="category", cluster="question_index")
    return (
        pl.concat([keys, counted], how="horizontal")
        .group_by("config", "cluster", maintain_order=True)
        .agg(pl.col(STATISTICS).sum().cast(pl.Int64))
        .unpivot(index=["config", "cluster"], variable_name="statistic", value_name="n")
        .with_columns(dimension=pl.lit(dimension), group=pl.lit(group))
    )
