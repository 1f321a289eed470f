"""BVF's predictions of any format, as flat rows by id with what there is to say of the reading."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from evenhand.contract import WrongUse
from evenhand.contract.files import sha256_of_file
from evenhand.contract.predictions import Header
from evenhand.scorer.bvf import published_tables
from evenhand.scorer.bvf.predictions import read_probabilities
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.inputs import Inputs, check_one_model, check_paths, record_of
from evenhand.scorer.readers import OURS

READERS = (OURS, published_tables.NAME)


def read_files(
    paths: Sequence[Path], reader: str, dataset: Dataset, _configs: Sequence[str] = ()
) -> Inputs:
    """Read the predictions of one model.

    Args:
        paths: the files, each read in the same format.
        reader: one of :data:`READERS`.
        dataset: whose texts were read; the original's tables name no contexts.

    Raises:
        DataRefused: a file cannot be read, is given twice, or two files state different models.
        WrongUse: there is no such reader.
    """
    if reader not in READERS:
        raise WrongUse(f"There is no --reader {reader}; there are: {', '.join(READERS)}.")
    if reader == published_tables.NAME:
        return published_tables.read_tables(published_tables.files_of(paths), dataset)
    check_paths(paths)
    frames, headers, records, faults, notes = [], {}, [], [], list[str]()
    for path in paths:
        found = read_probabilities(path)
        frames.append(found.rows)
        notes += found.notes
        if found.header:
            headers[path] = found.header
        records.append(record_of(path, sha256_of_file(path), reader, found.header))
        faults += [
            fault if len(paths) == 1 else fault._replace(kind=f"{fault.kind} in {path.name}")
            for fault in found.faults
        ]
    check_one_model(headers)
    rows = pl.concat(frames, how="diagonal")
    return Inputs(rows, headers, records, faults, [*notes, *_notes(list(headers.values()))])


def _notes(headers: Sequence[Header]) -> list[str]:
    """Say which words of Y a model could not read, where its header names them."""
    found = []
    for header in headers:
        left_out = header.decoding.get("words_left_out")
        for topic, words in left_out.items() if isinstance(left_out, dict) else ():
            few = ", ".join(map(str, words[:10])) + (", ..." if len(words) > 10 else "")
            found.append(f"{topic}: {len(words)} words of Y were not read from the model: {few}.")
    return found
