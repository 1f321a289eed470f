"""Reads UnQover predictions, in Evenhand's formats or the original's, as two scores by id."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

from evenhand.contract import DataRefused
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.faults import FIRST, FaultList
from evenhand.scorer.inputs import Inputs, read_inputs
from evenhand.scorer.readers.prediction_format import FileRows, ToRows
from evenhand.scorer.unqover import output_json, published_entries
from evenhand.scorer.unqover.examples import ITEM_COLUMNS
from evenhand.scorer.unqover.output_json import OriginalEntries

UNQOVER = output_json.NAME
"""Name of the reader of the original's output.json."""


def read_files(
    paths: Sequence[Path], reader: str, dataset: Dataset, configs: Sequence[str] = ()
) -> Inputs:
    """Read the predictions of one model.

    Args:
        paths: the files, all in the same format; of the original's format one file.
        reader: as ``--reader`` takes it.
        dataset: the dataset that was answered, because the original's entries have no ids.
        configs: the requested configs; empty for all.

    Raises:
        DataRefused: a file cannot be read or is given twice, or files state different models.
        WrongUse: there is no such reader.
    """
    to_rows = {output_json.ENTRIES: _convert_entries}
    return read_inputs(paths, reader, dataset, configs, to_rows=to_rows)


def _convert_entries(dataset: Dataset, configs: Sequence[str]) -> ToRows:
    """Return a function that turns a file of the original into answers to a dataset."""
    asked = configs or tuple(dataset.manifest.configs)
    return lambda path, entries: _answers(path, entries, dataset, asked)


def _answers(
    path: Path, entries: OriginalEntries, dataset: Dataset, asked: Sequence[str]
) -> FileRows:
    """Join entries with the dataset's examples by template number, subjects, attribute and order.

    Raises:
        DataRefused: no config of the dataset has an entry's slots.
    """
    questions, scores_x1, scores_x2 = published_entries.entry_questions(entries, path)
    questions = questions.with_columns(score_x1=scores_x1, score_x2=scores_x2)
    configs = [config for config in asked if config.endswith("_mlm") == entries.is_masked]
    answers = [
        published_entries.match_answers(dataset.read(config, ITEM_COLUMNS), questions)
        for config in configs
    ]
    rows = pl.concat(answers) if answers else pl.DataFrame()
    if rows.is_empty():
        raise DataRefused(
            f"{path}: no entry has the template, subjects and attribute of an example in"
            f" {dataset.folder} ({', '.join(configs) or 'no config of this kind'}); was it made"
            " from other lists? To score the file without a dataset, give `unqover` instead of the"
            " folder."
        )
    is_known = np.zeros(len(questions), dtype=np.bool_)
    is_known[rows["row"].to_numpy()] = True
    unknown, faults = np.flatnonzero(~is_known), FaultList()
    first = [
        published_entries.slot_text(questions.row(int(row), named=True)) for row in unknown[:FIRST]
    ]
    remedy = "Was the file made from this dataset's lists?"
    faults.add_many("questions that are not in the dataset", remedy, first, len(unknown))
    return FileRows(rows.drop("row"), faults=faults.to_list())
