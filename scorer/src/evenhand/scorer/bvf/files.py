"""BVF for the commands: files in, an outcome or faults out; see ``evenhand.scorer.scoring``."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from evenhand.contract import WrongUse
from evenhand.contract.report import Report
from evenhand.scorer.bvf.outputs import write_outcome
from evenhand.scorer.bvf.probabilities import NOT_PREDICTED
from evenhand.scorer.bvf.read import read_files
from evenhand.scorer.bvf.scoring import (
    Matched,
    Outcome,
    absent_orders,
    configs_to_score,
    ids_of_no_config,
    match_config,
    score_dataset,
)
from evenhand.scorer.bvf.tables import metric_rows, regression_rows, subject_rows
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.inputs import header_faults
from evenhand.scorer.readers import OURS
from evenhand.scorer.scoring import Checked, Rows, Settings

__all__ = ["check_files", "score_files", "tables", "write_outcome"]


def score_files(
    paths: Sequence[Path], dataset: Dataset | None, reader: str, settings: Settings
) -> Outcome:
    """Score the predictions of one model.

    Raises:
        WrongUse: no dataset is given, or the criterion is none.
        DataRefused: anything in the files that does not fit, or coverage that is not complete.
    """
    dataset = _needed(dataset)
    check = f"evenhand check {dataset.folder} {' '.join(map(str, paths))}"
    if reader != OURS:
        check += f" --reader {reader}"
    return score_dataset(dataset, read_files(paths, reader, dataset), settings, check=check)


def check_files(
    paths: Sequence[Path], dataset: Dataset | None, reader: str, configs: Sequence[str]
) -> Checked:
    """Return the coverage by topic and order, all faults, and what is unscored and why."""
    dataset = _needed(dataset)
    inputs = read_files(paths, reader, dataset)
    faults = [*inputs.faults, *header_faults(inputs.headers, dataset.manifest)]
    notes = list(inputs.notes)
    if inputs.rows.is_empty() and faults:
        return Checked([], faults, notes)
    if not configs:
        faults += ids_of_no_config(dataset, inputs.rows)
    coverage: Rows = []
    for config in configs_to_score(dataset, inputs.rows, configs):
        found = match_config(dataset, inputs.rows, config)
        faults += [fault._replace(kind=f"{fault.kind} in {config}") for fault in found.faults]
        coverage += _coverage(config, found)
        notes += absent_orders(config, found)
        if n := found.probabilities.n_unmatched:
            notes.append(f"{config}: {n:,} answers are no word of Y and do not count.")
    return Checked(coverage, faults, notes)


def tables(outcome: Outcome, report: Report) -> list[Rows]:
    """Return the metrics, the most and least stereotyped subjects, and the regressions."""
    subjects = [subject_rows(scored) for scored in outcome.scored]
    return [metric_rows(report), *subjects, regression_rows(report)]


def _coverage(config: str, found: Matched) -> list[dict[str, Any]]:
    """Return how many texts of each order of words are answered and scored."""
    why = found.probabilities.why
    rows = found.items.select("order").with_columns(
        is_answered=pl.lit((why != NOT_PREDICTED).fill_null(value=True)),
        is_scored=pl.lit(why.is_null()),
    )
    return [
        {
            "config": config,
            "order": order,
            "texts": len(own),
            "answered": int(own["is_answered"].sum()),
            "unscored": int((own["is_answered"] & ~own["is_scored"]).sum()),
            "coverage": own["is_answered"].mean(),
        }
        for (order,), own in rows.group_by("order", maintain_order=True)
    ]


def _needed(dataset: Dataset | None) -> Dataset:
    """Refuse a stem in place of a dataset: no file of BVF's readers says which words were read."""
    if dataset is None:
        raise WrongUse(
            "`bvf` is a benchmark, not a dataset folder: give the folder, e.g."
            " datasets_out/bvf/1.0.0 (`evenhand generate bvf --out DIR` makes one)."
        )
    return dataset
