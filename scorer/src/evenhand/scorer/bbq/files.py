"""BBQ for the commands: files in, an outcome or faults out; see ``evenhand.scorer.stems``."""

from collections.abc import Sequence
from pathlib import Path

from evenhand.contract import WrongUse
from evenhand.contract.report import Report
from evenhand.scorer.bbq.answers import MISSING
from evenhand.scorer.bbq.outputs import write_outcome
from evenhand.scorer.bbq.scoring import (
    READERS,
    Outcome,
    configs_to_score,
    ids_of_no_config,
    match_config,
    read_files,
    score_dataset,
)
from evenhand.scorer.bbq.tables import group_table, metric_rows, unknown_wordings
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.faults import Fault
from evenhand.scorer.inputs import header_faults
from evenhand.scorer.readers import OURS
from evenhand.scorer.stems import Options, Rows

__all__ = ["READERS", "check_files", "score_files", "tables", "write_outcome"]


def score_files(
    paths: Sequence[Path], dataset: Dataset | None, reader: str, options: Options
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
    return score_dataset(dataset, read_files(paths, reader), options, check=check)


def check_files(
    paths: Sequence[Path], dataset: Dataset | None, reader: str, configs: Sequence[str]
) -> tuple[Rows, list[Fault]]:
    """Return the coverage by category, and all faults of the files.

    An answer that matches none of the three is no fault; it is counted as unscored.
    """
    dataset = _needed(dataset)
    inputs = read_files(paths, reader)
    faults = [*inputs.faults, *header_faults(inputs.headers, dataset.manifest)]
    if not configs:
        faults += ids_of_no_config(dataset, inputs.rows)
    coverage: Rows = []
    for config in configs_to_score(dataset, inputs.rows, configs):
        items, choices, own = match_config(dataset, inputs.rows, config)
        faults += [fault._replace(kind=f"{fault.kind} in {config}") for fault in own]
        n, answered = len(items), sum(why != MISSING for why in choices.why)
        coverage.append(
            {
                "config": config,
                "questions": n,
                "answered": answered,
                "unscored": answered - sum(why is None for why in choices.why),
                "coverage": answered / n if n else None,
            }
        )
    return coverage, faults


def tables(outcome: Outcome, report: Report) -> list[Rows]:
    """Return the metrics, the paper's numbers by category, and further breakdowns."""
    by = ("category", "label_type", "differing_dimension")
    wordings = unknown_wordings(outcome.scored).to_dicts()
    return [metric_rows(report), *(group_table(report, dimension) for dimension in by), wordings]


def _needed(dataset: Dataset | None) -> Dataset:
    """Refuse a stem in place of a dataset: no file of BBQ's readers describes itself."""
    if dataset is None:
        raise WrongUse(
            "`bbq` is a benchmark, not a dataset folder: give the folder, e.g."
            " datasets_out/bbq/1.0.0 (`evenhand import bbq --from DIR --out DIR` makes one)."
        )
    return dataset
