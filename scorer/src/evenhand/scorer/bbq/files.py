"""BBQ for the commands: files in, an outcome or faults out; see ``evenhand.scorer.scoring``."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from evenhand.contract import WrongUse
from evenhand.contract.report import Report
from evenhand.scorer.bbq.answers import MISSING
from evenhand.scorer.bbq.choices import Choices
from evenhand.scorer.bbq.outputs import write_outcome
from evenhand.scorer.bbq.read import read_files
from evenhand.scorer.bbq.scoring import (
    Outcome,
    configs_to_score,
    faults_of_files,
    ids_of_no_config,
    match_config,
    score_dataset,
)
from evenhand.scorer.bbq.tables import group_table, metric_rows, pooled_wordings
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.faults import FIRST
from evenhand.scorer.readers import OURS
from evenhand.scorer.scoring import Checked, Rows, Settings

__all__ = ["check_files", "score_files", "tables", "write_outcome"]


def score_files(
    paths: Sequence[Path], dataset: Dataset | None, reader: str, settings: Settings
) -> Outcome:
    """Score the predictions of one model.

    Raises:
        WrongUse: no dataset is given.
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
    """Return the coverage by category and condition, all faults, and what is unscored and why.

    An answer that matches none of the three is no fault; it is counted as unscored.
    """
    dataset = _needed(dataset)
    inputs = read_files(paths, reader, dataset)
    faults, left_out = faults_of_files(inputs, dataset, configs)
    notes = [*inputs.notes, *(fault.sentence() for fault in left_out)]
    if inputs.rows.is_empty() and faults:
        return Checked([], faults, notes)
    if not configs:
        faults += ids_of_no_config(dataset, inputs.rows)
    coverage: Rows = []
    for config in configs_to_score(dataset, inputs.rows, configs):
        items, choices, own = match_config(dataset, inputs.rows, config)
        faults += [fault._replace(kind=f"{fault.kind} in {config}") for fault in own]
        coverage.append(_coverage(config, items, choices))
        notes += _unscored(config, items, choices)
    return Checked(coverage, faults, notes)


_NOTHING_SCORED = (
    "not one answer is scored, so no metric will have a value. Is it the blank file? An answer is"
    " the text or the letter of one of the three, or its number 0, 1, 2 (in JSON lines as `label`)."
)


def _coverage(config: str, items: pl.DataFrame, choices: Choices) -> dict[str, Any]:
    """Return how many questions of a category are answered, also by condition."""
    rows = pl.DataFrame(
        {
            "condition": items["context_condition"],
            "is_answered": [why != MISSING for why in choices.why],
            "is_scored": [why is None for why in choices.why],
        }
    )
    n, answered = len(rows), int(rows["is_answered"].sum())
    by_condition = {
        f"coverage_{name}": rows.filter(pl.col("condition") == name)["is_answered"].mean()
        for name in ("ambig", "disambig")
    }
    return {
        "config": config,
        "questions": n,
        "answered": answered,
        "unscored": answered - int(rows["is_scored"].sum()),
        "coverage": answered / n if n else None,
        **by_condition,
    }


def _unscored(config: str, items: pl.DataFrame, choices: Choices) -> list[str]:
    """Say for each reason how many answers are unscored for it, with the first ones' texts."""
    found: dict[str, list[str]] = {}
    for identity, why, text in zip(items["id"], choices.why, choices.text, strict=True):
        if why not in {None, MISSING}:
            found.setdefault(str(why), []).append(
                identity if text is None else f"{identity} {text[:60]!r}"
            )
    notes = [
        f"{config}: {len(own):,} {'answer is' if len(own) == 1 else 'answers are'} unscored: {why}"
        f" ({'; '.join(own[:FIRST])}{'; ...' if len(own) > FIRST else ''})."
        for why, own in sorted(found.items())
    ]
    return notes if not notes or None in choices.why else [*notes, f"{config}: {_NOTHING_SCORED}"]


def tables(outcome: Outcome, report: Report) -> list[Rows]:
    """Return the metrics, the paper's numbers by category, and further breakdowns."""
    by = ("category", "label_type", "differing_dimension")
    wordings = pooled_wordings(outcome.scored)
    return [metric_rows(report), *(group_table(report, dimension) for dimension in by), wordings]


def _needed(dataset: Dataset | None) -> Dataset:
    """Refuse a stem in place of a dataset: no file of BBQ's readers describes itself."""
    if dataset is None:
        raise WrongUse(
            "`bbq` is a benchmark, not a dataset folder: give the folder, e.g."
            " datasets_out/bbq/1.0.0 (`evenhand import bbq --from DIR --out DIR` makes one)."
        )
    return dataset
