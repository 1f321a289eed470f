"""BVF's score: from items and predictions to risks with intervals, references and regressions."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import polars as pl

from evenhand.contract import CONTRACT_VERSION, DataRefused
from evenhand.contract.bvf import topics_of
from evenhand.contract.report import DatasetRecord, Metric, PredictionsRecord, Report
from evenhand.scorer import __version__
from evenhand.scorer.bvf.criteria import protocol_label
from evenhand.scorer.bvf.facts import digest_of, read_facts
from evenhand.scorer.bvf.metric_records import MetricWriter, Provenance
from evenhand.scorer.bvf.predictions import flat
from evenhand.scorer.bvf.probabilities import MISSING_IDS, probabilities_of
from evenhand.scorer.bvf.regressions import NO_STATSMODELS, has_statsmodels, points_of
from evenhand.scorer.bvf.scored import ITEM_KINDS, Scored, scored_topic
from evenhand.scorer.faults import FIRST, FaultList, refuse
from evenhand.scorer.frames import columns_of, frame_of
from evenhand.scorer.matching import configs_in, of_config
from evenhand.scorer.python_words import speaking_python
from evenhand.scorer.statistics import Sampling, check_sampling

IN_MEMORY = DatasetRecord(
    stem="bvf", version=None, digest=None, why_null="The items were given as a table in memory."
)


@speaking_python()
def score(
    items: object,
    predictions: object,
    *,
    topics: Mapping[str, Any],
    criterion: str | None = None,
    protocol: str = "paper",
    facts: Path | Sequence[Path] | None = None,
    allow_missing: bool = False,
    dataset: DatasetRecord = IN_MEMORY,
    seed: int = 0,
    resamples: int = 10_000,
    level: float = 0.95,
) -> Report:
    """Score predictions on items, all topics that occur in the predictions.

    Args:
        items: rows of the contract's ``Item`` in any order: a polars or pandas frame, or a list of
            dicts. Of the columns, text is not read.
        predictions: rows of the contract's ``Prediction``, in any order, likewise.
        topics: config -> topic: the contract's ``Topic``, or a dict ``{"classes": {...}}``.
        criterion: ``linf`` (the paper's), ``l1``, ``l2``, ..., or ``knowledge``.
        protocol: ``paper``, or ``code`` for the reference code's formula.
        facts: tables of facts of the subjects; None for the one that comes with Evenhand.
        allow_missing: leave out, and count, rows without a prediction.
        dataset: what the items are, for the report.
        seed: of the resampling.
        resamples: number of bootstrap resamples.
        level: coverage that the intervals aim at.

    Raises:
        DataRefused: a missing, unknown or duplicate id, or a row that is no prediction.
    """
    sampling = Sampling(seed, resamples, level)
    check_sampling(sampling)
    given = topics_of({"topics": msgspec.to_builtins(dict(topics))}, "topics")
    known = columns_of(
        "items", frame_of(items, kinds=ITEM_KINDS, names=tuple(ITEM_KINDS)), tuple(ITEM_KINDS)
    )
    faults = FaultList()
    rows = flat("The predictions", frame_of(predictions), faults)
    refuse("the predictions", faults.listed())
    table, scored = read_facts(facts), []
    provenance = Provenance(dataset, protocol, sampling, digest_of(facts))
    for config in configs_in(rows["id"]):
        if config not in given:
            raise DataRefused(
                f"The predictions have ids of the topic {config}; the topics given are"
                f" {', '.join(given)}."
            )
        own, own_rows = of_config(known, config), of_config(rows, config)
        asked = of_orders(own, own_rows)
        found = probabilities_of(asked["id"], own_rows, given[config], faults)
        kept = [f for f in faults.listed() if f.kind != MISSING_IDS or not allow_missing]
        refuse(config, kept)
        scored.append(
            scored_topic(config, with_kinds(asked), found, given[config], facts=table,
                         criterion=criterion, protocol=protocol)
        )  # fmt: skip
    return report_of(scored, provenance=provenance)


def with_kinds(items: pl.DataFrame) -> pl.DataFrame:
    """Return items with the columns and types that scoring reads."""
    return items.select(pl.col(name).cast(kind) for name, kind in ITEM_KINDS.items())


def of_orders(items: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Return the items of each order of words of which anything is predicted; all if nothing is.

    A model that reads from left to right has no answer where the slot stands inside.
    """
    is_predicted = items["id"].is_in(rows["id"].implode())
    orders = items.filter(is_predicted)["order"].unique()
    return items.filter(pl.col("order").is_in(orders.implode())) if len(orders) else items


def report_of(
    scored: Sequence[Scored],
    *,
    provenance: Provenance,
    predictions: Sequence[PredictionsRecord] = (),
    warnings: Sequence[str] = (),
) -> Report:
    """Put the metrics of all topics into one report, in the order given."""
    metrics, said = [], list(warnings)
    for own in scored:
        metrics += metrics_of(own, provenance)
        said += warnings_of(own)
    return Report(
        contract_version=CONTRACT_VERSION,
        dataset=provenance.dataset,
        predictions=list(predictions),
        scorer_version=__version__,
        protocol=protocol_label(provenance.protocol, scored[0].judge.name if scored else None),
        seed=provenance.sampling.seed,
        resamples=provenance.sampling.resamples,
        level=provenance.sampling.level,
        configs=[own.config for own in scored],
        metrics=metrics,
        warnings=said,
    )


def metrics_of(scored: Scored, provenance: Provenance) -> list[Metric]:
    """Return all metrics of one topic."""
    points = points_of(scored.facts) if has_statsmodels() else {}
    return MetricWriter(scored, points, provenance).metrics()


def warnings_of(scored: Scored) -> list[str]:
    """Say which rows are unscored and why, which answers fit nothing, what was left out."""
    found, why = [], scored.probabilities.why
    for reason in sorted(why.drop_nulls().unique().to_list()):
        ids = scored.items["id"].filter(why == reason)
        more = ", ..." if len(ids) > FIRST else ""
        found.append(
            f"{scored.config}: {len(ids):,} of {len(why):,} rows are unscored: {reason}"
            f" ({', '.join(ids.head(FIRST))}{more})."
        )
    if n := scored.probabilities.n_unmatched:
        found.append(f"{scored.config}: {n:,} answers are no word of Y and do not count.")
    if not has_statsmodels() and points_of(scored.facts):
        found.append(f"{scored.config}: {NO_STATSMODELS}")
    n_rows = np.bincount(scored.context[scored.is_scored])
    if len(n_rows) and (n_rows > 0).sum() == 1:
        found.append(f"{scored.config}: one context alone says nothing of volatility.")
    return found
