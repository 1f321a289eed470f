"""UnQover's score: from complete examples to metrics with intervals, tests and null references."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenhand.contract import CONTRACT_VERSION
from evenhand.contract.report import DatasetRecord, Metric, PredictionsRecord, Report
from evenhand.contract.unqover import PREDICTION_COLUMNS
from evenhand.scorer import __version__, statistics
from evenhand.scorer.faults import FaultList, refuse
from evenhand.scorer.frames import columns_of, frame_of, typed
from evenhand.scorer.matching import MISSING, configs_in, match, of_config
from evenhand.scorer.python_words import speaking_python
from evenhand.scorer.statistics import Sampling, check_sampling
from evenhand.scorer.unqover import example_metrics
from evenhand.scorer.unqover.cells import Cells, cells_of
from evenhand.scorer.unqover.examples import ITEM_COLUMNS, Examples, examples_of
from evenhand.scorer.unqover.metric_records import MetricWriter, Provenance
from evenhand.scorer.unqover.prediction_rows import checked
from evenhand.scorer.unqover.specs import NOTHING_SCORED

Floats = NDArray[np.float64]

ITEM_KINDS = {name: pl.Int64 if name == "order" else pl.String for name in ITEM_COLUMNS}
PREDICTION_KINDS = {name: pl.String if name == "id" else pl.Float64 for name in PREDICTION_COLUMNS}

IN_MEMORY = DatasetRecord(
    stem="unqover", version=None, digest=None, why_null="The items were given as a table in memory."
)


@dataclass(frozen=True, slots=True)
class ScoredConfig:
    """What came out of one config."""

    config: str
    metrics: list[Metric]
    examples: Examples
    bias: Floats
    """C of each example, shape [E]."""
    cells: Cells


@speaking_python()
def score(
    items: object,
    predictions: object,
    *,
    allow_missing: bool = False,
    dataset: DatasetRecord = IN_MEMORY,
    protocol: str = "paper",
    seed: int = 0,
    resamples: int = 10_000,
    level: float = 0.95,
) -> Report:
    """Score predictions on items, all configs that occur in the predictions.

    Args:
        items: rows of the contract's ``Item`` or ``MaskedItem`` in any order: a polars or pandas
            frame, or a list of dicts. Of the columns, context, question and text are not read.
        predictions: rows of the contract's ``Prediction``, in any order, likewise.
        allow_missing: leave out, and count, the examples of which a question has no score.
        dataset: what the items are, for the report.
        protocol: how the model was read; the formulas are the same.
        seed: of the resampling.
        resamples: number of bootstrap resamples and of drawn sign patterns.
        level: coverage that the intervals aim at.

    Raises:
        DataRefused: a missing, unknown or duplicate id, or a score that is no number from 0 to 1.
    """
    sampling = Sampling(seed, resamples, level)
    check_sampling(sampling)
    provenance = Provenance(dataset, protocol, sampling)
    given = frame_of(items, kinds=ITEM_KINDS, names=ITEM_COLUMNS)
    questions = typed("items", columns_of("items", given, ITEM_COLUMNS), ITEM_KINDS)
    answers = columns_of("predictions", frame_of(predictions), PREDICTION_COLUMNS)
    rows = checked(typed("predictions", answers, PREDICTION_KINDS))
    refuse("the predictions", rows.faults)
    scored = []
    for config in configs_in(rows.rows["id"]):
        own, faults = of_config(questions, config), FaultList()
        found = match(own["id"], of_config(rows.rows, config), faults)
        refuse(config, [f for f in faults.listed() if f.kind != MISSING or not allow_missing])
        examples = examples_of(own, found.score_x1, found.score_x2)
        scored.append(score_examples(examples, config, provenance))
    return report_of(scored, provenance=provenance)


def score_examples(examples: Examples, config: str, provenance: Provenance) -> ScoredConfig:
    """Compute all metrics of one config."""
    bias = example_metrics.comparative_bias(examples.scores_x1, examples.scores_x2)
    cells = cells_of(examples, bias)
    metrics = MetricWriter(examples, cells, config, provenance).metrics()
    return ScoredConfig(config, metrics, examples, bias, cells)


def report_of(
    scored: Sequence[ScoredConfig],
    *,
    provenance: Provenance,
    predictions: Sequence[PredictionsRecord] = (),
    warnings: Sequence[str] = (),
) -> Report:
    """Put the metrics of all configs into one report, in the order given."""
    return Report(
        contract_version=CONTRACT_VERSION,
        dataset=provenance.dataset,
        predictions=list(predictions),
        scorer_version=__version__,
        protocol=provenance.protocol,
        seed=provenance.sampling.seed,
        resamples=provenance.sampling.resamples,
        level=provenance.sampling.level,
        configs=[own.config for own in scored],
        metrics=[metric for own in scored for metric in own.metrics],
        warnings=[*warnings, *(w for own in scored for w in warnings_of(own))],
    )


def warnings_of(scored: ScoredConfig) -> list[str]:
    """Say which examples were left out, and that nothing was scored."""
    left_out, found = scored.examples.n_unscored, []
    if left_out:
        found.append(
            f"{scored.config}: {left_out:,} examples are incomplete (a question has no score) and"
            f" were left out, first: {'; '.join(scored.examples.incomplete)}."
        )
    n_templates = int((scored.cells.n_examples > 0).sum())
    if 1 < n_templates <= statistics.NO_VERDICT_CLUSTERS:
        found.append(
            f"{scored.config}: with {n_templates} templates there are so few sign patterns that mu"
            " and eta can at most reach, not pass, the 95 % quantile of their null reference."
        )
    if not len(scored.bias):
        found.append(f"{scored.config}: {NOTHING_SCORED}")
    return found
