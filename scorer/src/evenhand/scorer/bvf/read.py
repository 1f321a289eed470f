"""BVF's predictions in any format, as flat rows by id with notes on how they were read."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from evenhand.contract import DataRefused
from evenhand.contract.bvf import Topic, topics_of
from evenhand.contract.predictions import Header
from evenhand.scorer.bvf import published_tables
from evenhand.scorer.bvf.predictions import PLAIN, WORD_P, P
from evenhand.scorer.bvf.results import ITEM_KINDS
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.inputs import Inputs, read_inputs
from evenhand.scorer.readers.prediction_format import FileRows, ToRows

GENDERS = ("male", "female")
"""The reference code writes the probability of the first."""
RACES = ("white", "black", "african", "asian", "hispanic", "latino", "indian")
"""Words whose probabilities the reference code writes, in this order. Its script averages the two
words of a class; here they are added up (Eq. 8)."""

LEFT_OUT = "left out, as not in the model's vocabulary or of several tokens"
"""What a note says of words that the model was not asked for."""

_TOLERANCE = 1e-6
_NAMED_WORDS = 10


class _TopicItems(NamedTuple):
    """The topic and items that the reference code's tables answer."""

    config: str
    topic: Topic
    items: pl.DataFrame


def read_files(
    paths: Sequence[Path], reader: str, dataset: Dataset, configs: Sequence[str] = ()
) -> Inputs:
    """Read the predictions of one model.

    Args:
        paths: the files, all in the same format; for the original's tables also their folder.
        reader: as in ``--reader``.
        dataset: the dataset that was answered; the original's tables name no contexts.
        configs: the requested configs; rows of others are read too.

    Raises:
        DataRefused: a file cannot be read, is given twice, or two files state different models.
        WrongUse: there is no such reader.
    """
    to_rows = {published_tables.CONTEXT_PROBABILITIES: _context_reader}
    inputs = read_inputs(paths, reader, dataset, configs, to_rows=to_rows)
    return replace(inputs, notes=[*inputs.notes, *_words_left_out(inputs.headers.values())])


def _words_left_out(headers: Iterable[Header]) -> list[str]:
    """Say which words of Y are not in the model's vocabulary, where the header lists them."""
    notes = []
    for header in headers:
        left_out = header.decoding.get("words_left_out")
        for topic, words in left_out.items() if isinstance(left_out, dict) else ():
            more = ", ..." if len(words) > _NAMED_WORDS else ""
            few = ", ".join(map(str, words[:_NAMED_WORDS])) + more
            noun = "word" if len(words) == 1 else "words"
            notes.append(f"{topic}: {len(words)} {noun} of Y {LEFT_OUT}: {few}.")
    return notes


def _context_reader(dataset: Dataset, _configs: Sequence[str]) -> ToRows:
    """Return a function from a file's numbers to predictions for a dataset of the same contexts.

    Raises:
        DataRefused: the dataset has several topics; later, a file is about an unknown subject, or
            its contexts, counts or probabilities do not fit.
    """
    topic_items = _load_topic(dataset)
    return lambda path, values: FileRows(_rows(path, values, topic_items))


def _load_topic(dataset: Dataset) -> _TopicItems:
    configs = list(dataset.manifest.configs)
    if len(configs) != 1:
        raise DataRefused(
            f"{dataset.folder} has the topics {', '.join(configs)}; --reader"
            f" {published_tables.NAME} needs a dataset of one topic (`evenhand import bvf` makes"
            " one of the original's contexts)."
        )
    topic = topics_of(dataset.manifest.provenance, str(dataset.folder))[configs[0]]
    rows = dataset.scan(configs[0]).select(list(ITEM_KINDS))
    items = rows.filter(pl.col("order") == "last").collect()
    return _TopicItems(configs[0], topic, items)


def _rows(path: Path, values: published_tables.Numbers, topic_items: _TopicItems) -> pl.DataFrame:
    subject = path.name.split("_")[0].removesuffix(".json")
    items = topic_items.items.filter(pl.col("x") == subject)
    if items.is_empty():
        raise DataRefused(
            f"{path}: the name begins with {subject!r}, which is not a subject of the dataset; name"
            " the file <occupation>_<anything>.json."
        )
    if len(values) != len(items):
        raise DataRefused(
            f"{path} has {len(values):,} contexts, but the dataset has {len(items):,} for"
            f" {subject!r}; use the dataset made from the same table of contexts."
        )
    _check_counts(path, values[:, -1], items)
    return pl.DataFrame(
        {
            "id": items["id"],
            "answer": pl.repeat(None, len(items), dtype=pl.String, eager=True),
            "sample": pl.repeat(None, len(items), dtype=PLAIN["sample"], eager=True),
            **_columns(path, values[:, :-1], topic_items.topic),
        }
    )


def _check_counts(path: Path, counts: np.ndarray[Any, Any], items: pl.DataFrame) -> None:
    """Refuse counts that do not match the weights: contexts or their order differ."""
    share = counts / counts.sum()
    off = np.flatnonzero(np.abs(share - items["weight"].to_numpy()) > _TOLERANCE)
    if len(off):
        raise DataRefused(
            f"{path}: context {off[0] + 1} has the count {counts[off[0]]:g}, but the dataset's"
            f" context {items['context'][int(off[0])]!r} has another share; use the dataset made"
            " from the same table of contexts."
        )


def _columns(
    path: Path, values: published_tables.Numbers, topic: Topic
) -> dict[str, np.ndarray[Any, Any]]:
    words = {word for group in topic.classes.values() for word in group}
    if values.shape[1] == 1 and set(topic.classes) == set(GENDERS):
        return {P + GENDERS[0]: values[:, 0], P + GENDERS[1]: 1 - values[:, 0]}
    if values.shape[1] == len(RACES) and words == set(RACES):
        return {WORD_P + word: values[:, at] for at, word in enumerate(RACES)}
    raise DataRefused(
        f"{path} has {values.shape[1]} probabilities for each context; one (of {GENDERS[0]}) for"
        f" the classes {' and '.join(GENDERS)}, or {len(RACES)} for the words {', '.join(RACES)}"
        " were expected."
    )
