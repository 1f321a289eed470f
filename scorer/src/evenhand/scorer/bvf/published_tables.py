"""The reference code's own results: a JSON file for each occupation, named after it.

Its scripts write ``res/<model>/<occupation>_<anything>.json``: one list a context, in the order of
the table of contexts: for gender the probability of `male` and the context's count, for race those
of seven words and the count, which its script then scales
(EmpathYang/Prejudice-Volatility-Framework, ``gender_occ_batch.py`` and ``calculate.py``).
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from evenhand.contract import DataRefused
from evenhand.contract.bvf import Topic, topics_of
from evenhand.contract.files import sha256_of_file
from evenhand.scorer.bvf.predictions import PLAIN, WORD_P, P
from evenhand.scorer.bvf.results import ITEM_KINDS
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.inputs import Inputs, check_paths, record_of
from evenhand.scorer.readers.streams import whole

NAME = "bvf-table"

GENDERS = ("male", "female")
"""Of these two the first one's probability is written."""
RACES = ("white", "black", "african", "asian", "hispanic", "latino", "indian")
"""Words whose probabilities are written, in this order. The script takes the mean of two words of a
class; ours are added up (Eq. 8)."""

_TOLERANCE = 1e-6


class _Asked(NamedTuple):
    """The dataset's topic that the tables answer."""

    config: str
    topic: Topic
    items: pl.DataFrame


def files_of(paths: Sequence[Path]) -> list[Path]:
    """Return the files given, and in place of a folder its JSON files in alphabetical order.

    Raises:
        DataRefused: a folder holds none.
    """
    found: list[Path] = []
    for path in paths:
        own = sorted(path.glob("*.json")) if path.is_dir() else [path]
        if not own:
            raise DataRefused(f"{path} holds no JSON file; one for each occupation was expected.")
        found += own
    return found


def read_tables(paths: Sequence[Path], dataset: Dataset) -> Inputs:
    """Read the files of one model as predictions for a dataset of the same contexts.

    Raises:
        DataRefused: the dataset has several topics, a file is of no subject of it, has another
            number of contexts, other counts, or numbers that are no probabilities.
    """
    check_paths(paths)
    asked = _asked(dataset)
    frames, records = [], []
    for path in paths:
        frames.append(_read(path, asked))
        records.append(record_of(path, sha256_of_file(path), NAME, None))
    rows = pl.concat(frames, how="diagonal")
    return Inputs(rows, {}, records, [])


def _asked(dataset: Dataset) -> _Asked:
    configs = list(dataset.manifest.configs)
    if len(configs) != 1:
        raise DataRefused(
            f"{dataset.folder} has the topics {', '.join(configs)}; --reader {NAME} needs a dataset"
            " of one topic (`evenhand import bvf` makes one of the original's contexts)."
        )
    topic = topics_of(dataset.manifest.provenance, str(dataset.folder))[configs[0]]
    rows = dataset.scan(configs[0]).select(list(ITEM_KINDS))
    items = rows.filter(pl.col("order") == "last").collect()
    return _Asked(configs[0], topic, items)


def _read(path: Path, asked: _Asked) -> pl.DataFrame:
    subject = path.name.split("_")[0].removesuffix(".json")
    items = asked.items.filter(pl.col("x") == subject)
    if items.is_empty():
        raise DataRefused(
            f"{path}: the name begins with {subject!r}, which is no subject of the dataset; a file"
            " is named <occupation>_<anything>.json."
        )
    values = _values(path)
    if len(values) != len(items):
        raise DataRefused(
            f"{path} has {len(values):,} contexts, but the dataset has {len(items):,} for"
            f" {subject!r}; take the dataset of the same table of contexts."
        )
    _check_counts(path, values[:, -1], items)
    return pl.DataFrame(
        {
            "id": items["id"],
            "answer": pl.repeat(None, len(items), dtype=pl.String, eager=True),
            "sample": pl.repeat(None, len(items), dtype=PLAIN["sample"], eager=True),
            **_columns(path, values[:, :-1], asked.topic),
        }
    )


def _values(path: Path) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    try:
        found: Any = json.loads(whole(path))
        values = np.array(found, dtype=np.float64)
    except (ValueError, TypeError, RecursionError) as error:
        raise DataRefused(
            f"{path} is not a JSON list of equally long lists of numbers, one for each context."
        ) from error
    if values.ndim != 2 or values.shape[1] < 2:
        raise DataRefused(
            f"{path}: each context needs its probability and its count, e.g. [0.6, 9]."
        )
    if not ((values[:, :-1] >= 0) & (values[:, :-1] <= 1)).all():
        raise DataRefused(f"{path}: a probability is not from 0 to 1.")
    return values


def _check_counts(path: Path, counts: np.ndarray[Any, Any], items: pl.DataFrame) -> None:
    """Refuse counts that are not the weights: the contexts, or their order, are others."""
    share = counts / counts.sum()
    off = np.flatnonzero(np.abs(share - items["weight"].to_numpy()) > _TOLERANCE)
    if len(off):
        raise DataRefused(
            f"{path}: context {off[0] + 1} has the count {counts[off[0]]:g}, but the dataset's"
            f" context there, {items['context'][int(off[0])]!r}, has another share; take the"
            " dataset of the same table of contexts."
        )


def _columns(
    path: Path, values: np.ndarray[tuple[int, int], np.dtype[np.float64]], topic: Topic
) -> dict[str, np.ndarray[Any, Any]]:
    words = {word for own in topic.classes.values() for word in own}
    if values.shape[1] == 1 and set(topic.classes) == set(GENDERS):
        return {P + GENDERS[0]: values[:, 0], P + GENDERS[1]: 1 - values[:, 0]}
    if values.shape[1] == len(RACES) and words == set(RACES):
        return {WORD_P + word: values[:, at] for at, word in enumerate(RACES)}
    raise DataRefused(
        f"{path} has {values.shape[1]} probabilities a context; one (of {GENDERS[0]}) for the"
        f" classes {' and '.join(GENDERS)}, or {len(RACES)} for the words {', '.join(RACES)} were"
        " expected."
    )
