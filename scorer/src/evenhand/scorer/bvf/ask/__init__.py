"""BVF: the probability of every word of Y at the gap of a text.

Causal models see only the text before the gap, so texts that continue after it are not answered;
masked models predict at the mask, encoder-decoders at the first sentinel. Words are tokenised with
the space before them, as in running text.
"""

import dataclasses
from collections.abc import Sequence
from typing import Any

import polars as pl

from evenhand.contract import DataRefused
from evenhand.contract.bvf import Topic, topics_of
from evenhand.scorer.bvf.ask.gaps import Reading, distinct_gaps
from evenhand.scorer.bvf.ask.word_probabilities import known_words, word_probabilities
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.predict.asking import Settings
from evenhand.scorer.runtime.model_card import Task
from evenhand.scorer.runtime.scheduler import Advance
from evenhand.scorer.runtime.session import ExportedModel

PIECES: dict[Task, tuple[str, str]] = {
    "causal-lm": ("chain", "single"),
    "fill-mask": ("single", "chain"),
    "seq2seq-lm": ("chain", "single"),
}
"""Task -> how words of several tokens are read, the default first."""

_SHARD_ROWS: dict[Task, int] = {"causal-lm": 1_024, "fill-mask": 8_192, "seq2seq-lm": 1_024}
_FIRST = 10
"""Words that an error message lists."""


def fitting_tasks(_config: str) -> tuple[Task, ...]:
    """Return the tasks that can answer BVF, the same for every topic."""
    return tuple(PIECES)


def resolve(settings: Settings, model: ExportedModel) -> Settings:
    """Fill in the task's default way to read words of several tokens."""
    pieces = settings.options["pieces"] or PIECES[model.card.task][0]
    return dataclasses.replace(settings, options={"pieces": pieces})


def shard_rows(model: ExportedModel) -> int:
    """Return the number of rows in a shard, fewer for slower tasks."""
    return _SHARD_ROWS[model.card.task]


def columns(_model: ExportedModel) -> Sequence[str]:
    """Return the columns of the dataset that are read."""
    return ("id", "topic", "order", "text")


def check(dataset: Dataset, config: str, model: ExportedModel, settings: Settings) -> None:
    """Refuse a topic with a class whose words are all missing from the model's vocabulary."""
    topic = _topics(settings)[config]
    known = set(known_words(model, _words(topic), chain=_is_chain(settings)).names)
    for name, words in topic.classes.items():
        if not known & set(words):
            few = ", ".join(words[:_FIRST])
            raise DataRefused(
                f"{dataset.folder}, {config}: no word of the class {name} ({few}) is in the"
                f" vocabulary of {model.card.name}{_single_token_hint(settings)}."
            )


def decoding(model: ExportedModel, settings: Settings) -> dict[str, Any]:
    """Return how words are read, and which words of each topic are left out."""
    left_out = {
        name: known_words(model, _words(topic), chain=_is_chain(settings)).left_out
        for name, topic in _topics(settings).items()
    }
    reported = {name: words for name, words in left_out.items() if words}
    return {"pieces": settings.options["pieces"], "words_left_out": reported}


def answer(
    model: ExportedModel, rows: pl.DataFrame, settings: Settings, advance: Advance
) -> pl.DataFrame:
    """Return ``id`` and a column ``word_p:WORD`` for every word that the model can read.

    A causal model cannot answer a text that continues after the gap; such rows are left out.
    """
    topic = _topics(settings)[str(rows["topic"][0])]
    chain = _is_chain(settings)
    words = known_words(model, _words(topic), chain=chain).names
    n_rows = len(rows)
    if model.card.task == "causal-lm":
        rows = rows.filter(pl.col("order") == "last")
        advance(n_rows - len(rows))
    schema: dict[str, Any] = {f"word_p:{word}": pl.Float64 for word in words}
    if rows.is_empty():
        return pl.DataFrame(schema={"id": pl.String} | schema)
    gaps = distinct_gaps(rows["id"].cast(pl.String), rows["text"].cast(pl.String))
    reading = Reading(chain, settings.batch_tokens, advance)
    values = word_probabilities(model, gaps, words, reading)
    return pl.concat(
        [gaps.rows.ids.to_frame(), pl.DataFrame(values, schema=schema)], how="horizontal"
    )


def _topics(settings: Settings) -> dict[str, Topic]:
    return topics_of(dict(settings.provenance), "the dataset's manifest")


def _words(topic: Topic) -> list[str]:
    """Return the words of all classes, each once."""
    return list(dict.fromkeys(word for words in topic.classes.values() for word in words))


def _is_chain(settings: Settings) -> bool:
    return bool(settings.options["pieces"] == "chain")


def _single_token_hint(settings: Settings) -> str:
    return (
        ""
        if _is_chain(settings)
        else " as a single token; --pieces chain reads words of several tokens"
    )
