"""UnQover's predictions, in our own formats or the original's, as rows of two scores by id."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import polars as pl

from evenhand.contract import DataRefused
from evenhand.contract.files import sha256_of_file
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.faults import FIRST, Fault, FaultList
from evenhand.scorer.inputs import Inputs, check_one_model, check_paths, record_of
from evenhand.scorer.readers import OURS
from evenhand.scorer.readers.streams import kind_of
from evenhand.scorer.unqover import json_lines, output_json, published_entries, score_tables
from evenhand.scorer.unqover.examples import ITEM_COLUMNS
from evenhand.scorer.unqover.prediction_rows import PredictionRows

UNQOVER = "unqover"
"""Reader of the original's output.json."""

_BY_KIND: dict[str, Callable[[Path], PredictionRows]] = {
    ".jsonl": json_lines.read,
    ".ndjson": json_lines.read,
    ".csv": lambda path: score_tables.read_csv(path, ","),
    ".tsv": lambda path: score_tables.read_csv(path, "\t"),
    ".parquet": score_tables.read_parquet,
}


def read_predictions(path: Path) -> PredictionRows:
    """Read a predictions file of ours, by the suffix of its name.

    Raises:
        DataRefused: the file cannot be read at all; faults of rows are in the result.
    """
    kind = kind_of(path)
    if kind in _BY_KIND:
        return _BY_KIND[kind](path)
    hint = " The original's output.json needs `--reader unqover`." if kind == ".json" else ""
    raise DataRefused(
        f"{path}: the name must end in {', '.join(_BY_KIND)} (each also with .gz or .zst but for"
        f" .parquet).{hint}"
    )


def read_files(
    paths: Sequence[Path], reader: str, dataset: Dataset, configs: Sequence[str] = ()
) -> Inputs:
    """Read the predictions of one model.

    Args:
        paths: the files, each read in the same format; of the original's one.
        reader: ``evenhand`` or ``unqover``.
        dataset: whose questions were answered; the original's entries name no ids.
        configs: those that are asked for; empty for all.

    Raises:
        DataRefused: a file cannot be read, is given twice, or two files state different models.
    """
    return read_original(paths[0], dataset, configs) if reader == UNQOVER else read_inputs(paths)


def read_inputs(paths: Sequence[Path]) -> Inputs:
    """Read predictions files of ours, hashing each beside the reading.

    Raises:
        DataRefused: a file cannot be read, is given twice, or two files state different models.
    """
    check_paths(paths)
    frames, headers, faults, notes = [], {}, [], list[str]()
    with ThreadPoolExecutor(1) as pool:
        records = list(pool.map(sha256_of_file, [p for p in paths if p.is_file()]))
        for path in paths:
            found = read_predictions(path)
            frames.append(found.rows)
            faults += found.faults if len(paths) == 1 else [_of_file(f, path) for f in found.faults]
            notes += found.notes
            if found.header:
                headers[path] = found.header
    check_one_model(headers)
    return Inputs(
        pl.concat(frames),
        headers,
        [
            record_of(path, digest, OURS, headers.get(path))
            for path, digest in zip(paths, records, strict=True)
        ],
        faults,
        notes,
    )


def read_original(path: Path, dataset: Dataset, configs: Sequence[str]) -> Inputs:
    """Read a file of the original as answers to one of our datasets.

    Examples are told apart by template number, subjects, attribute and order.

    Raises:
        DataRefused: no config of the dataset has an entry's slots.
    """
    entries = output_json.read(path)
    questions, scores_x1, scores_x2 = published_entries.questions_of(entries, path)
    questions = questions.with_columns(score_x1=scores_x1, score_x2=scores_x2)
    asked = configs or tuple(dataset.manifest.configs)
    configs = [name for name in asked if name.endswith("_mlm") == entries.is_masked]
    found = [
        published_entries.answers_to(dataset.read(own, ITEM_COLUMNS), questions) for own in configs
    ]
    rows = pl.concat(found) if found else pl.DataFrame()
    if rows.is_empty():
        raise DataRefused(
            f"{path}: no entry has the template, subjects and attribute of an example in"
            f" {dataset.folder} ({', '.join(configs) or 'no config of this kind'}); was it made"
            " from other lists? The stem `unqover` in place of the dataset scores it by itself."
        )
    is_known = np.zeros(len(questions), dtype=np.bool_)
    is_known[rows["row"].to_numpy()] = True
    unknown, faults = np.flatnonzero(~is_known), FaultList()
    first = [
        published_entries.in_words(questions.row(int(row), named=True)) for row in unknown[:FIRST]
    ]
    remedy = "Was the file made from this dataset's lists?"
    faults.add_many("questions that are not in the dataset", remedy, first, len(unknown))
    record = record_of(path, sha256_of_file(path), UNQOVER, None)
    return Inputs(rows.drop("row"), {}, [record], faults.listed())


def _of_file(fault: Fault, path: Path) -> Fault:
    return fault._replace(kind=f"{fault.kind} in {path.name}")
