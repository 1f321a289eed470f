"""BBQ's part of scoring; see ``evenhand.scorer.benchmark_scoring``."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from evenhand.contract.bbq import CATEGORIES
from evenhand.contract.report import DatasetRecord, Metric, Report
from evenhand.scorer.bbq import tables
from evenhand.scorer.bbq.answers import MISSING
from evenhand.scorer.bbq.choices import Choices, find_choices, join_choices
from evenhand.scorer.bbq.foreign_answers import NOT_IN_DATASET
from evenhand.scorer.bbq.metric_records import build_metrics
from evenhand.scorer.bbq.predictions import accepted_rows, answers_frame, cell_value
from evenhand.scorer.bbq.read import read_files
from evenhand.scorer.bbq.results import (
    ITEM_KINDS,
    Scored,
    count_answers,
    example_rows,
    result_warnings,
)
from evenhand.scorer.benchmark_scoring import BenchmarkScoring, Texts
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.faults import FIRST, Fault, FaultList
from evenhand.scorer.frames import whole
from evenhand.scorer.inputs import Inputs
from evenhand.scorer.outcome import Rows
from evenhand.scorer.provenance import Provenance
from evenhand.scorer.python_words import speaking_python
from evenhand.scorer.scoring import score_frames
from evenhand.scorer.statistics import Sampling

NOTHING_SCORED = (
    "no answer can be scored, so no metric will have a value. Is this the blank file? An answer is"
    " the text or letter of one of the three, or its number 0, 1 or 2 (in JSON lines as `label`)."
)
_FIRST_CHARACTERS = 60


class Matched(NamedTuple):
    """The questions of a category with their answers."""

    config: str
    items: pl.DataFrame
    """The columns of ``ITEM_KINDS``."""
    choices: Choices


class BbqScoring(BenchmarkScoring[Matched, Scored]):
    """One answer per question; all categories form one result, so that means can go over them."""

    stem = "bbq"
    item_kinds = ITEM_KINDS
    text_columns = ("context", "question")
    made_by = "evenhand import bbq --from DIR --out DIR"
    known_configs = CATEGORIES
    unplaced_rows = NOT_IN_DATASET

    def read_files(
        self, paths: Sequence[Path], reader: str, dataset: Dataset, configs: Sequence[str]
    ) -> Inputs:
        """Read answers of any format."""
        return read_files(paths, reader, dataset, configs)

    def read_frame(self, predictions: pl.DataFrame) -> tuple[pl.DataFrame, list[Fault]]:
        """Check that each row is a prediction of the contract."""
        faults = FaultList()
        rows = accepted_rows(_places(predictions.iter_rows(named=True)), faults)
        return answers_frame(rows), faults.to_list()

    def match(
        self, config: str, items: pl.DataFrame, rows: pl.DataFrame, faults: FaultList
    ) -> Matched:
        """Find the answer to each question."""
        return Matched(config, items, find_choices(items, rows, faults))

    def coverage(self, match: Matched) -> Rows:
        """Count the questions that are answered, also by condition.

        An answer that matches none of the three is not a fault; it is counted as unscored.
        """
        rows = pl.DataFrame(
            {
                "condition": match.items["context_condition"],
                "is_answered": [why != MISSING for why in match.choices.why],
                "is_scored": [why is None for why in match.choices.why],
            }
        )
        n, answered = len(rows), int(rows["is_answered"].sum())
        by_condition = {
            f"coverage_{name}": rows.filter(pl.col("condition") == name)["is_answered"].mean()
            for name in ("ambig", "disambig")
        }
        return [
            {
                "config": match.config,
                "questions": n,
                "answered": answered,
                "unscored": answered - int(rows["is_scored"].sum()),
                "coverage": answered / n if n else None,
                **by_condition,
            }
        ]

    def notes(self, match: Matched) -> list[str]:
        """Return one note per reason, with the number of unscored answers and the first texts."""
        config, choices = match.config, match.choices
        unscored: dict[str, list[str]] = {}
        for identity, why, text in zip(match.items["id"], choices.why, choices.text, strict=True):
            if why is not None and why != MISSING:
                quoted = "" if text is None else f" {text[:_FIRST_CHARACTERS]!r}"
                unscored.setdefault(why, []).append(f"{identity}{quoted}")
        notes = [
            f"{config}: {len(rows):,} {'answer is' if len(rows) == 1 else 'answers are'} unscored:"
            f" {why} ({'; '.join(rows[:FIRST])}{'; ...' if len(rows) > FIRST else ''})."
            for why, rows in sorted(unscored.items())
        ]
        is_blank = bool(notes) and None not in choices.why
        return [*notes, f"{config}: {NOTHING_SCORED}"] if is_blank else notes

    def results(self, matches: Iterable[Matched], protocol: str) -> list[Scored]:  # noqa: ARG002
        """Count the rows of all categories together."""
        every = list(matches)
        if not every:
            return []
        items = pl.concat([match.items for match in every])
        return [count_answers(items, join_choices(match.choices for match in every))]

    def metrics(self, result: Scored, provenance: Provenance) -> list[Metric]:
        """Return the metrics over all categories, with each category under ``by``."""
        return build_metrics(
            result.counts, result.groups, categories=result.configs, provenance=provenance
        )

    def warnings(self, result: Scored) -> list[str]:
        """Return warnings of rows that are unscored, with the reasons, or have no target."""
        return result_warnings(result)

    def parts(self, result: Scored) -> pl.DataFrame:
        """Return counts by question, wordings of UNKNOWN, and reasons for unscored answers."""
        return tables.parts_table(result)

    def examples(self, result: Scored, texts: Texts) -> Rows:
        """Return wrong answers that agree with the stereotype."""
        return example_rows(result, texts)

    def tables(self, report: Report, results: Sequence[Scored]) -> list[Rows]:
        """Return the metrics, the paper's numbers by category, and further breakdowns."""
        by = ("category", "label_type", "differing_dimension")
        groups = [tables.group_table(report, dimension) for dimension in by]
        wordings = [tables.pooled_wordings(result) for result in results]
        return [tables.metric_rows(report), *groups, *wordings]


def scoring_for(_dataset: Dataset | None, _options: Mapping[str, Any]) -> BbqScoring:
    """Return BBQ's part of scoring, the same for every dataset."""
    return BbqScoring()


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
    """Score predictions on all categories that occur in them.

    Args:
        items: rows of the contract's ``Item`` in any order: a polars or pandas frame, or a list of
            dicts. The columns context and question are not read.
        predictions: rows of the contract's ``Prediction`` in any order, in the same forms.
        allow_missing: leave out and count rows without a prediction.
        dataset: the dataset that the items come from, for the report.
        protocol: how the model was scored, for the report; the formulas are the same.
        seed: random seed of the resampling.
        resamples: number of bootstrap resamples.
        level: nominal coverage of the intervals.

    Raises:
        DataRefused: an id is missing, unknown or a duplicate, or a row is not a prediction.
    """
    return score_frames(
        BbqScoring(),
        items,
        predictions,
        allow_missing=allow_missing,
        dataset=dataset,
        protocol=protocol,
        sampling=Sampling(seed, resamples, level),
    )


def _places(rows: Iterator[dict[str, Any]]) -> Iterator[tuple[str, Any]]:
    for number, row in enumerate(rows, 1):
        yield (
            f"row {number}",
            {name: _as_given(name, value) for name, value in row.items() if value is not None},
        )


def _as_given(name: str, value: Any) -> Any:
    """Return a value in the type it had before CSV or a frame of floats changed it."""
    if isinstance(value, str):
        return cell_value(name, value)
    return whole(value) if name == "label" else value
