"""The log-likelihood of each option as what an encoder-decoder answers to a prompt.

Every prompt goes through the encoder once, with all of its options through the decoder beside it.
An option counts with the token that ends it, and without the one that some families begin it with.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from evenhand.contract.errors import DataRefused
from evenhand.scorer.runtime.batching import Ints, batches, members, padded, refuse_long
from evenhand.scorer.runtime.options import (
    Cases,
    Counter,
    Floats,
    cases_of,
    pad_of,
    refuse_not_finite,
)
from evenhand.scorer.runtime.prompts import Prompts
from evenhand.scorer.runtime.session import ExportedModel

NORMALISATIONS = ("total", "token", "unconditional")
"""Of a log-likelihood: as it is, by the option's tokens, or less that after an empty prompt."""

_MOST_OPTIONS = 32
"""A prompt with more goes through the encoder again; only the empty one has more than three."""


class _Option(NamedTuple):
    """An option in the decoder."""

    before: Ints
    """What stands before each label."""
    labels: Ints
    counts: Ints
    """1 where a label counts."""


@dataclass(frozen=True, eq=False)
class _Asked:
    """What is asked of whom."""

    model: ExportedModel
    ids: pl.Series
    """Of the rows."""
    options: list[_Option]
    """The distinct ones."""
    budget: int


def score_options(
    model: ExportedModel,
    prompts: Prompts,
    *,
    normalisation: str,
    budget: int,
    advance: Callable[[int], None],
) -> Floats:
    """Return the log-likelihood of each option, float64 [rows, 3], in the rows' order.

    Args:
        model: exported for seq2seq-lm.
        prompts: the rows in the words of a style.
        normalisation: one of :data:`NORMALISATIONS`.
        budget: tokens of a batch, padding included.
        advance: is given the number of rows that were just done.

    Raises:
        DataRefused: a row is longer than the model reads, or the model gives what is no number.
    """
    cases = cases_of(prompts)
    asked = _Asked(model, prompts.ids, _encoded_options(model, cases.options), budget)
    _refuse_long_options(asked, cases)
    counter = Counter(len(cases.rows), len(prompts.ids), advance)
    found = _log_likelihoods(asked, cases, counter.done)
    if normalisation == "token":
        found /= np.array([option.counts.sum() for option in asked.options])[cases.option_of]
    if normalisation == "unconditional":
        found -= _unconditional(asked, cases)[cases.option_of]
    return found[cases.pair_of]


def _encoded_options(model: ExportedModel, texts: list[str]) -> list[_Option]:
    start = model.card.decoder_start
    if start is None:
        raise DataRefused(f"{model.folder}: model.json has no decoder_start; export it again.")
    found = []
    for encoding in model.tokenizer.encode_batch_fast(texts):
        labels = np.array(encoding.ids, dtype=np.int64)
        n_opening = int(np.argmin([*encoding.special_tokens_mask, 0]))
        counts = (np.arange(len(labels)) >= n_opening).astype(np.int64)
        found.append(_Option(np.concatenate([[start], labels[:-1]]), labels, counts))
    return found


def _refuse_long_options(asked: _Asked, cases: Cases) -> None:
    lengths = np.array([len(asked.options[option].labels) for option in cases.option_of])
    refuse_long(asked.ids, lengths, cases.rows.tolist(), limit=asked.model.card.max_length)


def _unconditional(asked: _Asked, cases: Cases) -> Floats:
    """Return the log-likelihood of each distinct option after an empty prompt."""
    n = len(asked.options)
    _, first = np.unique(cases.option_of, return_index=True)
    empty = cases._replace(
        texts=[""],
        text_of=np.zeros(n, dtype=np.int64),
        option_of=np.arange(n),
        rows=cases.rows[first],
    )
    return _log_likelihoods(asked, empty, lambda _: None)


def _log_likelihoods(asked: _Asked, cases: Cases, done: Callable[[int], None]) -> Floats:
    """Return the log-likelihood of each pair, shape [M]."""
    ids = [
        np.array(encoding.ids, dtype=np.int64)
        for encoding in asked.model.tokenizer.encode_batch_fast(cases.texts)
    ]
    lengths = np.array([len(row) for row in ids])
    texts, first = np.unique(cases.text_of, return_index=True)
    limit = asked.model.card.max_length
    refuse_long(asked.ids, lengths[texts], cases.rows[first].tolist(), limit=limit)
    widths = np.array([len(option.labels) for option in asked.options])[cases.option_of]
    found = np.empty(len(cases.option_of))
    for units in _batches(cases, lengths, widths, asked.budget):
        pairs = np.concatenate([unit.pairs for unit in units])
        own = [asked.options[option] for option in cases.option_of[pairs]]
        prompt_of = np.repeat(np.arange(len(units)), [len(unit.pairs) for unit in units])
        logs = _run(asked.model, [ids[unit.text] for unit in units], own, prompt_of)
        counts, _ = padded([option.counts for option in own], fill=0)
        # What stands behind an option's end is computed too, and may be anything.
        logs = np.where(counts == 1, logs, 0.0)
        refuse_not_finite(logs, asked.ids, cases.rows[pairs], asked.model)
        found[pairs] = logs.sum(axis=1)
        done(len(pairs))
    return found


class _Unit(NamedTuple):
    """A prompt and options that are run beside it."""

    text: int
    pairs: Ints


def _batches(cases: Cases, lengths: Ints, widths: Ints, budget: int) -> Iterator[list[_Unit]]:
    """Yield the units that are run together: prompts and options of like length."""
    texts, pairs_of = members(cases.text_of)
    units = [
        _Unit(int(text), pairs[start : start + _MOST_OPTIONS])
        for text, pairs in zip(texts, pairs_of, strict=True)
        for start in range(0, len(pairs), _MOST_OPTIONS)
    ]
    costs = [lengths[unit.text] + len(unit.pairs) * widths[unit.pairs].max() for unit in units]
    for batch in batches(np.array(costs), budget=budget):
        yield [units[i] for i in batch]


def _run(model: ExportedModel, ids: list[Ints], options: list[_Option], prompt_of: Ints) -> Floats:
    """Return the log-probability of each label, float64 [options, longest]."""
    pad = pad_of(model)
    input_ids, attention = padded(ids, fill=pad)
    before, _ = padded([option.before for option in options], fill=pad)
    labels, _ = padded([option.labels for option in options], fill=pad)
    (found,) = model.session.run(
        {
            "input_ids": input_ids,
            "attention_mask": attention,
            "decoder_input_ids": before,
            "labels": labels,
            "prompt_of": prompt_of,
        }
    )
    return found.astype(np.float64)
