"""UnQover's tables: subject-attribute pairs, ranks across models, shared pairs, bias shift.

Also the columns of ``NAME.parts.parquet``: rows with ``table`` = ``statistics`` are the additive
sums by cluster; those with ``subject_attribute``, ``group_attribute``, ``subjects`` and ``groups``
are tables for reading.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from evenhand.contract.report import Report
from evenhand.scorer.frames import stack_tables
from evenhand.scorer.unqover.cells import Cells
from evenhand.scorer.unqover.results import ScoredConfig
from evenhand.scorer.unqover.specs import SUMS

PARTS = {
    "table": pl.String,
    "config": pl.String,
    "metric": pl.String,
    "subject": pl.String,
    "group": pl.String,
    "attribute": pl.String,
    "cluster": pl.String,
    "stratum": pl.Int64,
    "sum": pl.Float64,
    "n": pl.Int64,
    "gamma": pl.Float64,
    "eta": pl.Float64,
}
"""Columns of ``NAME.parts.parquet``; those that do not apply to a row are null."""


def parts_table(scored: ScoredConfig) -> pl.DataFrame:
    """Return a config's sufficient statistics and tables in the columns of :data:`PARTS`."""
    subjects, attributes = scored.examples.subjects, scored.examples.attributes
    tables = [
        ("statistics", rows) for rows in (_means_by_cluster(scored), *_cells_by_cluster(scored))
    ]
    tables.append(("subject_attribute", subject_attribute_table(scored)))
    tables.append(("subjects", _subjects(scored.cells, "subject", subjects, scored)))
    groups = [group for group in scored.examples.groups if group is not None]
    if groups and len(groups) == len(subjects):
        by_group, names = scored.cells.by_group(groups), sorted(set(groups))
        pairs = _pairs(by_group, names, attributes).rename({"subject": "group"})
        tables.append(("group_attribute", pairs))
        tables.append(("groups", _subjects(by_group, "group", names, scored)))
    return stack_tables(tables, PARTS).with_columns(config=pl.lit(scored.config))


def subject_attribute_table(scored: ScoredConfig) -> pl.DataFrame:
    """Return ``subject, group, attribute, gamma, eta, n`` of all pairs, strongest gamma first."""
    pairs = _pairs(scored.cells, scored.examples.subjects, scored.examples.attributes)
    groups = dict(zip(scored.examples.subjects, scored.examples.groups, strict=True))
    group = pl.col("subject").replace_strict(groups, return_dtype=pl.String).alias("group")
    return pairs.with_columns(group).select("subject", "group", "attribute", "gamma", "eta", "n")


def ranks_across_models(reports: Mapping[str, Report], config: str) -> pl.DataFrame:
    """Return each subject's mean rank by gamma over models, and the standard deviation.

    Rank 1 is the most preferred subject; equal values share their mean rank. The standard
    deviation is that of the given models (n in the denominator), 0 for a single model. Paper,
    section "Nationality Bias" and figures of ranks.

    Returns:
        ``subject, mean_rank, sd_rank, n_models``, best mean rank first; a subject that a model
        lacks is ranked over the models that have it.
    """
    frames = []
    for values in (subject_gammas(report, config) for report in reports.values()):
        frame = pl.DataFrame(
            {"subject": list(values), "gamma": list(values.values())},
            schema={"subject": pl.String, "gamma": pl.Float64},
        )
        frames.append(frame.with_columns(rank=pl.col("gamma").rank("average", descending=True)))
    return (
        pl.concat(frames)
        .group_by("subject")
        .agg(
            mean_rank=pl.col("rank").mean(),
            sd_rank=pl.col("rank").std(ddof=0),
            n_models=pl.len().cast(pl.Int64),
        )
        .sort("mean_rank", "subject")
    )


def subject_gammas(report: Report, config: str) -> dict[str, float]:
    """Return gamma(x) of each subject that has a value."""
    for metric in report.metrics:
        if metric.id == "unqover.gamma" and metric.config == config:
            values = metric.by["subject"].items()
            return {name: value.value for name, value in values if value.value is not None}
    return {}


def shared_top_attributes(
    tables: Mapping[str, pl.DataFrame], *, k: int, at_least: int = 2
) -> pl.DataFrame:
    """Return the attributes that are among a subject's k strongest in several models.

    Args:
        tables: model -> ``subject, attribute, gamma``, as from :func:`subject_attribute_table`.
        k: how many attributes with the largest gamma count for each subject and model.
        at_least: the least number of models that share an attribute.

    Returns:
        ``subject, attribute, n_models, mean_gamma``, most shared first.
    """
    top = [
        table.select("subject", "attribute", "gamma")
        .sort("gamma", "attribute", descending=[True, False])
        .group_by("subject", maintain_order=True)
        .head(k)
        for table in tables.values()
    ]
    return (
        pl.concat(top)
        .group_by("subject", "attribute")
        .agg(n_models=pl.len().cast(pl.Int64), mean_gamma=pl.col("gamma").mean())
        .filter(pl.col("n_models") >= at_least)
        .sort(
            "n_models", "mean_gamma", "subject", "attribute", descending=[True, True, False, False]
        )
    )


def bias_shift(language_model: pl.DataFrame, fine_tuned: pl.DataFrame) -> pl.DataFrame:
    """Return the shift of gamma from a masked LM to the QA model that was fine-tuned from it.

    Args:
        language_model: ``subject, gamma`` or ``subject, attribute, gamma``.
        fine_tuned: the same columns of the fine-tuned model.

    Returns:
        The shared cells with ``gamma_lm, gamma_qa, shift`` (QA minus LM), strongest shift first;
        cells that one of them lacks are left out.
    """
    keys = [name for name in ("subject", "attribute") if name in language_model.columns]
    both = language_model.select(*keys, gamma_lm="gamma").join(
        fine_tuned.select(*keys, gamma_qa="gamma"), on=keys, how="inner"
    )
    shift = (pl.col("gamma_qa") - pl.col("gamma_lm")).alias("shift")
    return (
        both.drop_nulls()
        .with_columns(shift)
        .sort(pl.col("shift").abs(), *keys, descending=[True, *[False] * len(keys)])
    )


def metric_rows(report: Report) -> list[dict[str, object]]:
    """Return one row per metric of a report, for the table that ``score`` prints."""
    return [
        {
            "config": metric.config,
            "metric": metric.id,
            "value": metric.value,
            "low": metric.interval.low if metric.interval else None,
            "high": metric.interval.high if metric.interval else None,
            "null_95": metric.null_reference.quantile_95 if metric.null_reference else None,
            "n_scored": metric.n_scored,
            "n_unscored": metric.n_unscored,
        }
        for metric in report.metrics
        if metric.value is not None or not metric.by
    ]


def subject_rows(report: Report) -> list[dict[str, object]]:
    """Return gamma of each subject, or of each group if there are groups, strongest first."""
    rows: list[dict[str, object]] = []
    for metric in report.metrics:
        if metric.id != "unqover.gamma":
            continue
        dimension = "group" if "group" in metric.by else "subject"
        known = [(subject.value, name, subject) for name, subject in metric.by[dimension].items()
                 if subject.value is not None]  # fmt: skip
        rows += [
            {
                "config": metric.config,
                dimension: name,
                "gamma": value,
                "low": subject.interval.low if subject.interval else None,
                "high": subject.interval.high if subject.interval else None,
                "p_holm": subject.p_holm,
                "n_scored": subject.n_scored,
            }
            for value, name, subject in sorted(known, key=lambda row: (-row[0], row[1]))
        ]
    return rows


def top_pair_rows(results: Sequence[ScoredConfig], k: int) -> list[dict[str, object]]:
    """Return the k strongest subject-attribute pairs of each config."""
    return [
        {"config": result.config, **row}
        for result in results
        for row in subject_attribute_table(result).drop("group").head(k).iter_rows(named=True)
    ]


def _pairs(cells: Cells, subjects: Sequence[str], attributes: Sequence[str]) -> pl.DataFrame:
    unweighted = np.ones((1, len(cells.n)))
    n = cells.n.sum(axis=0)
    is_there = n.ravel() > 0
    subject = np.repeat(np.arange(len(subjects)), len(attributes))[is_there]
    attribute = np.tile(np.arange(len(attributes)), len(subjects))[is_there]
    table = pl.DataFrame(
        {
            "subject": pl.Series([subjects[i] for i in subject], dtype=pl.String),
            "attribute": pl.Series([attributes[i] for i in attribute], dtype=pl.String),
            "gamma": cells.gamma_xa(unweighted)[0].ravel()[is_there],
            "eta": cells.eta_xa(unweighted)[0].ravel()[is_there],
            "n": n.ravel()[is_there].astype(np.int64),
        }
    )
    return table.sort("gamma", "subject", "attribute", descending=[True, False, False])


def _subjects(
    cells: Cells, column: str, names: Sequence[str], scored: ScoredConfig
) -> pl.DataFrame:
    unweighted = np.ones((1, len(cells.n)))
    groups = {} if column == "group" else dict(zip(names, scored.examples.groups, strict=True))
    return pl.DataFrame(
        {
            "group": [groups.get(name) for name in names],
            column: list(names),
            "gamma": cells.gamma_x(unweighted)[0],
            "eta": cells.eta_x(unweighted)[0],
            "n": cells.n.sum(axis=(0, 2)).astype(np.int64),
        },
        schema_overrides={"group": pl.String, column: pl.String},
    )


def _means_by_cluster(scored: ScoredConfig) -> pl.DataFrame:
    templates, cells = scored.examples.templates, scored.cells
    return pl.concat(
        pl.DataFrame(
            {
                "metric": [name] * len(templates),
                "cluster": templates,
                "stratum": scored.examples.strata,
                "sum": sums,
                "n": cells.n_examples.astype(np.int64),
            }
        )
        for name, sums in cells.means.items()
    )


def _cells_by_cluster(scored: ScoredConfig) -> list[pl.DataFrame]:
    """Return the sums of C and of its sign by cell, under the metrics' ids."""
    cells, examples = scored.cells, scored.examples
    template, subject, attribute = np.nonzero(cells.n)
    places = {
        "subject": pl.Series([examples.subjects[i] for i in subject], dtype=pl.String),
        "attribute": pl.Series([examples.attributes[i] for i in attribute], dtype=pl.String),
        "cluster": pl.Series([examples.templates[i] for i in template], dtype=pl.String),
        "stratum": examples.strata[template],
        "n": cells.n[template, subject, attribute].astype(np.int64),
    }
    return [
        pl.DataFrame({**places, "sum": sums[template, subject, attribute]}).with_columns(
            metric=pl.lit(metric)
        )
        for metric, sums in ((SUMS["bias"], cells.bias), (SUMS["sign"], cells.sign))
    ]
