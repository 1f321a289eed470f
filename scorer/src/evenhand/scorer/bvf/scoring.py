"""BVF's part of scoring; see ``evenhand.scorer.benchmark_scoring``."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import polars as pl

from evenhand.contract import DataRefused
from evenhand.contract.bvf import Topic, topics_of
from evenhand.contract.report import DatasetRecord, Metric, Report
from evenhand.scorer.benchmark_scoring import BenchmarkScoring, Texts
from evenhand.scorer.bvf import tables
from evenhand.scorer.bvf.criteria import protocol_label
from evenhand.scorer.bvf.facts import read_facts, tables_digest
from evenhand.scorer.bvf.metric_records import topic_metrics
from evenhand.scorer.bvf.predictions import flatten_table
from evenhand.scorer.bvf.probabilities import NOT_PREDICTED, Probabilities, find_probabilities
from evenhand.scorer.bvf.read import read_files
from evenhand.scorer.bvf.results import (
    ITEM_KINDS,
    Scored,
    example_rows,
    order_warnings,
    result_warnings,
    score_topic,
    unmatched_warnings,
)
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.faults import Fault, FaultList
from evenhand.scorer.inputs import Inputs
from evenhand.scorer.outcome import Rows
from evenhand.scorer.provenance import Provenance
from evenhand.scorer.python_words import speaking_python
from evenhand.scorer.scoring import score_frames
from evenhand.scorer.statistics import Sampling

Facts = Path | Sequence[Path] | None
"""Tables of facts about the subjects; None for the one included in Evenhand."""


class Matched(NamedTuple):
    """The texts of a topic with their probabilities."""

    config: str
    topic: Topic
    items: pl.DataFrame
    """The columns of ``ITEM_KINDS``, for the word orders with predictions."""
    probabilities: Probabilities
    absent_orders: list[str]
    """Word orders without any prediction; their items are left out."""


class BvfScoring(BenchmarkScoring[Matched, Scored]):
    """Scores probabilities, or several answers to a text; each topic gives a result."""

    stem = "bvf"
    item_kinds = ITEM_KINDS
    text_columns = ("text",)
    made_by = "evenhand generate bvf --out DIR"
    # The protocols differ in the formula, not in how the model is asked, so headers state none.
    protocol_is_stated = False

    def __init__(
        self, topics: Mapping[str, Topic], place: str, *, criterion: str | None, facts: Facts
    ) -> None:
        """Take what BVF needs besides items and predictions.

        Args:
            topics: config -> its classes and their words.
            place: where the topics are defined, for refusals.
            criterion: name of J; None for the paper's.
            facts: tables of facts about the subjects.
        """
        self._topics, self._place = topics, place
        self._criterion, self._facts = criterion, facts

    def read_files(
        self, paths: Sequence[Path], reader: str, dataset: Dataset, configs: Sequence[str]
    ) -> Inputs:
        """Read probabilities or answers in any format."""
        return read_files(paths, reader, dataset, configs)

    def read_frame(self, predictions: pl.DataFrame) -> tuple[pl.DataFrame, list[Fault]]:
        """Flatten predictions to a column for each class and word."""
        faults = FaultList()
        return flatten_table("The predictions", predictions, faults), faults.to_list()

    def match(
        self, config: str, items: pl.DataFrame, rows: pl.DataFrame, faults: FaultList
    ) -> Matched:
        """Find the probability of each class for each text."""
        if config not in self._topics:
            raise DataRefused(
                f"{self._place} lacks {config}, which defines the words to score; it has"
                f" {', '.join(self._topics)}."
            )
        predicted = _select_predicted_orders(items, rows)
        probabilities = find_probabilities(predicted["id"], rows, self._topics[config], faults)
        absent = set(items["order"].unique()) - set(predicted["order"].unique())
        return Matched(config, self._topics[config], predicted, probabilities, sorted(absent))

    def coverage(self, match: Matched) -> Rows:
        """Count the answered and the scored texts of each word order."""
        why = match.probabilities.why
        rows = match.items.select("order").with_columns(
            is_answered=pl.lit((why != NOT_PREDICTED).fill_null(value=True)),
            is_scored=pl.lit(why.is_null()),
        )
        return [
            {
                "config": match.config,
                "order": order,
                "texts": len(texts),
                "answered": int(texts["is_answered"].sum()),
                "unscored": int((texts["is_answered"] & ~texts["is_scored"]).sum()),
                "coverage": texts["is_answered"].mean(),
            }
            for (order,), texts in rows.group_by("order", maintain_order=True)
        ]

    def notes(self, match: Matched) -> list[str]:
        """Say which word orders are left out, and how many answers match no class."""
        left_out = order_warnings(match.config, match.absent_orders)
        return [*left_out, *unmatched_warnings(match.config, match.probabilities)]

    def results(self, matches: Iterable[Matched], protocol: str) -> list[Scored]:
        """Compute stereotypes and their sums, topic by topic."""
        facts = read_facts(self._facts)
        return [
            score_topic(
                match.config,
                match.items,
                match.probabilities,
                match.topic,
                facts=facts,
                criterion_name=self._criterion,
                protocol=protocol,
                absent_orders=match.absent_orders,
            )
            for match in matches
        ]

    def metrics(self, result: Scored, provenance: Provenance) -> list[Metric]:
        """Return the metrics of a topic."""
        return topic_metrics(result, provenance)

    def warnings(self, result: Scored) -> list[str]:
        """Say which texts are unscored and why, and what was left out."""
        return result_warnings(result)

    def parts(self, result: Scored) -> pl.DataFrame:
        """Return sums by context and subject, and tables to read."""
        return tables.parts_table(result)

    def examples(self, result: Scored, texts: Texts) -> Rows:
        """Return the texts with the strongest stereotypes."""
        return example_rows(result, texts)

    def tables(self, report: Report, results: Sequence[Scored]) -> list[Rows]:
        """Return the metrics, the most and least stereotyped subjects, and the regressions."""
        subjects = [tables.subject_rows(scored) for scored in results]
        return [tables.metric_rows(report), *subjects, tables.regression_rows(report)]

    def signature_parts(self) -> Mapping[str, str | None]:
        """Return the digest of a user's tables of facts."""
        return {"facts": tables_digest(self._facts)}

    def protocol_label(self, protocol: str, results: Sequence[Scored]) -> str:
        """Return the protocol with the criterion, so that different criteria are not compared."""
        return protocol_label(protocol, results[0].criterion.name if results else None)


def scoring_for(dataset: Dataset | None, options: Mapping[str, Any]) -> BvfScoring:
    """Return BVF's part of scoring, with the topics from the dataset's manifest."""
    topics: Mapping[str, Topic] = {}
    place = "provenance.topics"
    if dataset is not None:
        topics = topics_of(dataset.manifest.provenance, str(dataset.folder))
        place = f"{dataset.folder}: {place}"
    return BvfScoring(topics, place, criterion=options.get("criterion"), facts=options.get("facts"))


@speaking_python()
def score(
    items: object,
    predictions: object,
    *,
    topics: Mapping[str, Any],
    criterion: str | None = None,
    protocol: str = "paper",
    facts: Facts = None,
    allow_missing: bool = False,
    dataset: DatasetRecord | None = None,
    seed: int = 0,
    resamples: int = 10_000,
    level: float = 0.95,
) -> Report:
    """Score predictions on items, for all topics that occur in the predictions.

    Args:
        items: rows of the contract's ``Item`` in any order: a polars or pandas frame, or a list of
            dicts. The column text is not read.
        predictions: rows of the contract's ``Prediction`` in any order, in the same types.
        topics: config -> topic: the contract's ``Topic``, or a dict ``{"classes": {...}}``.
        criterion: ``linf`` (the paper's), ``l1``, ``l2``, ..., or ``knowledge``.
        protocol: ``paper``, or ``code`` for the reference code's formula.
        facts: tables of facts about the subjects; None for the one included in Evenhand.
        allow_missing: leave out and count rows without a prediction.
        dataset: record of the dataset, for the report.
        seed: random seed of the resampling.
        resamples: number of bootstrap resamples.
        level: confidence level of the intervals.

    Raises:
        DataRefused: a missing, unknown or duplicate id, or a row that is not a prediction.
    """
    checked_topics = topics_of({"topics": msgspec.to_builtins(dict(topics))}, "topics")
    return score_frames(
        BvfScoring(checked_topics, "The argument topics", criterion=criterion, facts=facts),
        items,
        predictions,
        allow_missing=allow_missing,
        dataset=dataset,
        protocol=protocol,
        sampling=Sampling(seed, resamples, level),
    )


def _select_predicted_orders(items: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Return the items of the word orders with any prediction; all items if there is none.

    A left-to-right model cannot answer where the text continues after the slot.
    """
    is_predicted = items["id"].is_in(rows["id"].implode())
    orders = items.filter(is_predicted)["order"].unique()
    return items.filter(pl.col("order").is_in(orders.implode())) if len(orders) else items
