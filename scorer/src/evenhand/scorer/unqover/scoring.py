"""UnQover's part of scoring; see ``evenhand.scorer.benchmark_scoring``."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenhand.contract.report import DatasetRecord, Metric, Report
from evenhand.contract.unqover import PREDICTION_COLUMNS
from evenhand.scorer.benchmark_scoring import BenchmarkScoring, Checked, SelfDescribed, Texts
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.faults import Fault, FaultList
from evenhand.scorer.frames import cast_columns, select_columns
from evenhand.scorer.inputs import Inputs
from evenhand.scorer.matching import IS_ANSWERED, one_row_each
from evenhand.scorer.outcome import Rows
from evenhand.scorer.provenance import Provenance
from evenhand.scorer.python_words import speaking_python
from evenhand.scorer.scoring import score_frames
from evenhand.scorer.statistics import Sampling
from evenhand.scorer.unqover import output_json, published_entries, tables
from evenhand.scorer.unqover.examples import ITEM_COLUMNS, group_examples
from evenhand.scorer.unqover.metric_records import config_metrics
from evenhand.scorer.unqover.prediction_rows import SCORES, check_scores
from evenhand.scorer.unqover.read import UNQOVER, read_files
from evenhand.scorer.unqover.results import (
    ScoredConfig,
    example_rows,
    result_warnings,
    score_config,
)

Floats = NDArray[np.float64]

TOP_PAIRS = 10
"""The number of strongest pairs of each config that are printed."""

_PREDICTION_KINDS = {name: pl.String if name == "id" else pl.Float64 for name in PREDICTION_COLUMNS}


class Matched(NamedTuple):
    """The questions of a config with their scores."""

    config: str
    items: pl.DataFrame
    """The columns of ``ITEM_COLUMNS`` except the id."""
    scores_x1: Floats
    """S(x1) of each question, NaN if the predictions have none."""
    scores_x2: Floats
    n_missing: int
    """Questions without a prediction."""


class UnqoverScoring(BenchmarkScoring[Matched, ScoredConfig]):
    """Two scores per row; four questions form an example, and examples add up to cells."""

    stem = "unqover"
    # Configs have millions of rows, so repeated texts are read as codes.
    item_kinds = dict.fromkeys(ITEM_COLUMNS, pl.Categorical) | {
        "id": pl.String,
        "order": pl.Int64,
    }
    text_columns = ("context", "question", "text")
    made_by = "evenhand generate unqover --out DIR"
    self_describing = (UNQOVER,)

    def read_files(
        self, paths: Sequence[Path], reader: str, dataset: Dataset, configs: Sequence[str]
    ) -> Inputs:
        """Read files in Evenhand's format, or one file of the original."""
        return read_files(paths, reader, dataset, configs)

    def read_frame(self, predictions: pl.DataFrame) -> tuple[pl.DataFrame, list[Fault]]:
        """Check that scores are numbers from 0 to 1."""
        rows = select_columns("predictions", predictions, PREDICTION_COLUMNS)
        checked_rows = check_scores(cast_columns("predictions", rows, _PREDICTION_KINDS))
        return checked_rows.rows, checked_rows.faults

    def match(
        self, config: str, items: pl.DataFrame, rows: pl.DataFrame, faults: FaultList
    ) -> Matched:
        """Find the two scores of each question."""
        answered = one_row_each(items["id"], rows, faults)
        n_missing = len(answered) - int(answered[IS_ANSWERED].sum())
        if n_missing:
            answered = answered.with_columns(pl.col(SCORES).fill_null(float("nan")))
        scores_x1, scores_x2 = (answered[name].to_numpy() for name in SCORES)
        return Matched(config, items.drop("id"), scores_x1, scores_x2, n_missing)

    def coverage(self, match: Matched) -> Rows:
        """Count the questions of a config and those that are answered."""
        n = len(match.items)
        answered = n - match.n_missing
        row = {"config": match.config, "questions": n, "answered": answered}
        return [{**row, "coverage": answered / n if n else None}]

    def results(self, matches: Iterable[Matched], protocol: str) -> list[ScoredConfig]:  # noqa: ARG002
        """Group the questions of each config into examples and add them up."""
        return list(map(_score_match, matches))

    def metrics(self, result: ScoredConfig, provenance: Provenance) -> list[Metric]:
        """Return the metrics of a config."""
        return config_metrics(result, provenance)

    def warnings(self, result: ScoredConfig) -> list[str]:
        """Return warnings of examples that were left out."""
        return result_warnings(result)

    def parts(self, result: ScoredConfig) -> pl.DataFrame:
        """Return sums by template, and the tables of subjects and attributes."""
        return tables.parts_table(result)

    def examples(self, result: ScoredConfig, texts: Texts) -> Rows:
        """Return the examples with the largest |C|."""
        return example_rows(result, texts)

    def tables(self, report: Report, results: Sequence[ScoredConfig]) -> list[Rows]:
        """Return the metrics, the subjects by gamma, and the strongest pairs."""
        pairs = tables.top_pair_rows(results, TOP_PAIRS)
        return [tables.metric_rows(report), tables.subject_rows(report), pairs]

    def read_self_described(self, path: Path) -> SelfDescribed[Matched]:
        """Read the original's file, whose keys describe the examples."""
        entries = output_json.read(path)
        items, scores_x1, scores_x2 = published_entries.entry_questions(entries, path)
        config = published_entries.config_name(entries)
        match = Matched(config, items, scores_x1, scores_x2, 0)
        return SelfDescribed(match, partial(_original_texts, path, entries))

    def check_self_described(self, path: Path) -> Checked:
        """Count the examples that have both orders."""
        match = self.read_self_described(path).match
        examples = group_examples(match.items, match.scores_x1, match.scores_x2)
        complete, n = len(examples.x1), len(examples.x1) + examples.n_unscored
        row = {"config": match.config, "examples": n, "complete": complete}
        coverage: Rows = [{**row, "coverage": complete / n}]
        if not examples.n_unscored:
            return Checked(coverage, [])
        remedy = "`evenhand score` leaves them out and counts them."
        first = tuple(examples.incomplete)
        fault = Fault("examples without their other order", examples.n_unscored, first, remedy)
        return Checked(coverage, [fault])


def scoring_for(_dataset: Dataset | None, _options: Mapping[str, Any]) -> UnqoverScoring:
    """Return UnQover's part of scoring, the same for every dataset."""
    return UnqoverScoring()


@speaking_python()
def score(
    items: object,
    predictions: object,
    *,
    allow_missing: bool = False,
    dataset: DatasetRecord | None = None,
    protocol: str = "paper",
    seed: int = 0,
    resamples: int = 10_000,
    level: float = 0.95,
) -> Report:
    """Score predictions on all configs that occur in them.

    Args:
        items: rows of the contract's ``Item`` or ``MaskedItem`` in any order: a polars or pandas
            frame, or a list of dicts. The columns context, question and text are not read.
        predictions: rows of the contract's ``Prediction`` in any order, in the same forms.
        allow_missing: leave out and count examples with a question that has no score.
        dataset: the dataset that the items come from, for the report.
        protocol: how the model was scored, for the report; the formulas are the same.
        seed: random seed of the resampling.
        resamples: number of bootstrap resamples and of random sign patterns.
        level: nominal coverage of the intervals.

    Raises:
        DataRefused: an id is missing, unknown or a duplicate, or a score is not a number from 0
            to 1.
    """
    return score_frames(
        UnqoverScoring(),
        items,
        predictions,
        allow_missing=allow_missing,
        dataset=dataset,
        protocol=protocol,
        sampling=Sampling(seed, resamples, level),
    )


def _score_match(match: Matched) -> ScoredConfig:
    examples = group_examples(match.items, match.scores_x1, match.scores_x2)
    return score_config(match.config, examples)


def _original_texts(
    path: Path, entries: output_json.OriginalEntries, _config: str, rows: pl.Series
) -> dict[int, dict[str, Any]]:
    """Read the texts of questions: rows are all positive questions, then all negative ones."""
    n_entries = len(entries.keys)
    words = output_json.texts(path, entries, (row % n_entries for row in rows))
    return {row: _row_text(words[row % n_entries], row >= n_entries) for row in rows}


def _row_text(entry: output_json.EntryText, is_negative: bool) -> dict[str, Any]:
    question = entry.q1 if is_negative else entry.q0
    return {"context": entry.context, "question": question.question}
