"""UnQover for the commands: files in, an outcome or faults out; see ``evenhand.scorer.scoring``."""

from collections.abc import Sequence
from pathlib import Path

from evenhand.contract import WrongUse
from evenhand.contract.report import Report
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.faults import Fault
from evenhand.scorer.inputs import header_faults
from evenhand.scorer.readers import OURS
from evenhand.scorer.scoring import Checked, Rows, Settings
from evenhand.scorer.unqover import output_json, published_entries
from evenhand.scorer.unqover.examples import examples_of
from evenhand.scorer.unqover.outputs import write_outcome
from evenhand.scorer.unqover.read import UNQOVER, read_files
from evenhand.scorer.unqover.scoring import (
    Outcome,
    configs_to_score,
    ids_of_no_config,
    match_config,
    score_dataset,
    score_original,
)
from evenhand.scorer.unqover.tables import metric_rows, subject_rows, top_pair_rows

__all__ = ["check_files", "score_files", "tables", "write_outcome"]

TOP_PAIRS = 10


def score_files(
    paths: Sequence[Path], dataset: Dataset | None, reader: str, settings: Settings
) -> Outcome:
    """Score the predictions of one model.

    Raises:
        WrongUse: files, reader and dataset do not go together.
        DataRefused: anything in the files that does not fit, or coverage that is not complete.
    """
    _refuse_several(paths, reader)
    if dataset is None:
        _refuse_bare_stem(reader, settings.configs)
        return score_original(paths[0], settings)
    check = f"evenhand check {dataset.folder} {paths[0]}"
    if reader != OURS:
        check += f" --reader {reader}"
    return score_dataset(
        dataset, read_files(paths, reader, dataset, settings.configs), settings, check=check
    )


def check_files(
    paths: Sequence[Path], dataset: Dataset | None, reader: str, configs: Sequence[str]
) -> Checked:
    """Return the coverage by config, all faults of the files, and how they were read."""
    _refuse_several(paths, reader)
    if dataset is None:
        _refuse_bare_stem(reader, configs)
        return Checked(*_check_original(paths[0]))
    inputs = read_files(paths, reader, dataset, configs)
    faults = [*inputs.faults, *header_faults(inputs.headers, dataset.manifest)]
    if not configs:
        faults += ids_of_no_config(dataset, inputs.rows)
    if inputs.rows.is_empty() and faults:
        return Checked([], faults, inputs.notes)
    coverage: Rows = []
    for config in configs_to_score(dataset, inputs.rows, configs):
        items, found, own = match_config(dataset, inputs.rows, config)
        n = len(items)
        faults += [fault._replace(kind=f"{fault.kind} in {config}") for fault in own]
        answered = n - found.n_missing
        coverage.append(
            {
                "config": config,
                "questions": n,
                "answered": answered,
                "coverage": answered / n if n else None,
            }
        )
    return Checked(coverage, faults, inputs.notes)


def tables(outcome: Outcome, report: Report) -> list[Rows]:
    """Return the metrics, the subjects by gamma, and the strongest pairs."""
    return [metric_rows(report), subject_rows(report), top_pair_rows(outcome.scored, TOP_PAIRS)]


def _check_original(path: Path) -> tuple[Rows, list[Fault]]:
    entries = output_json.read(path)
    examples = examples_of(*published_entries.questions_of(entries, path))
    config, n = published_entries.config_of(entries), len(examples.x1) + examples.n_unscored
    complete = len(examples.x1)
    row = {"config": config, "examples": n, "complete": complete, "coverage": complete / n}
    if not examples.n_unscored:
        return [row], []
    remedy = "`evenhand score` leaves them out and counts them."
    first = tuple(examples.incomplete)
    return [row], [Fault("examples without their other order", examples.n_unscored, first, remedy)]


def _refuse_several(paths: Sequence[Path], reader: str) -> None:
    if reader == UNQOVER and len(paths) > 1:
        raise WrongUse("--reader unqover takes one file: the original writes one for a model.")


def _refuse_bare_stem(reader: str, configs: Sequence[str]) -> None:
    """Refuse a stem in place of a dataset for files that do not describe themselves."""
    if reader != UNQOVER:
        raise WrongUse(
            "`unqover` is a benchmark, not a dataset folder: give the folder, e.g."
            " datasets_out/unqover/1.0.0; only a file of the original (--reader unqover)"
            " describes itself."
        )
    if configs:
        raise WrongUse("--config needs a dataset folder; the original's file has one config.")
