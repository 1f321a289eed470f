"""The log-likelihood of each option as what a causal LM goes on with behind a prompt."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import polars as pl

from evenhand.contract.errors import DataRefused
from evenhand.scorer.runtime.batching import Ints, refuse_long
from evenhand.scorer.runtime.causal_lm import encoded, log_likelihoods
from evenhand.scorer.runtime.options import (
    Cases,
    Floats,
    cases_of,
    refuse_not_finite,
)
from evenhand.scorer.runtime.prompts import Prompts
from evenhand.scorer.runtime.session import ExportedModel

_SPECIAL_TOKENS = 8
"""More than any tokenizer puts around a text."""
NORMALISATIONS = ("total", "token", "unconditional")
"""Of a log-likelihood: as it is, by the option's tokens, or less that behind a neutral prompt."""


class Wording(NamedTuple):
    """What a prompt style means to a causal LM, beside its texts."""

    neutral: str
    """A prompt that says nothing of the question."""
    written_out: bool
    """Whether the prompts hold their special tokens, as those of a chat template do."""


def score_options(
    model: ExportedModel,
    prompts: Prompts,
    wording: Wording,
    *,
    normalisation: str,
    budget: int,
    advance: Callable[[int], None],
) -> Floats:
    """Return the log-likelihood of each option in nats, float64 [rows, 3], in the rows' order.

    Args:
        model: exported for causal-lm.
        prompts: the rows in the words of a style.
        wording: of the same style.
        normalisation: one of :data:`NORMALISATIONS`.
        budget: tokens of a batch, padding included.
        advance: is given the number of rows that were just done.

    Raises:
        DataRefused: a row is longer than the model reads, a prompt or an option has no token, or
            the model gives what is no number.
    """
    cases = cases_of(prompts)
    asked = _Asked(model, prompts.ids, wording.written_out, budget)
    n_tokens, found = _log_likelihoods(asked, cases, None, advance)
    if normalisation == "token":
        found /= n_tokens
    if normalisation == "unconditional":
        found -= _unconditional(asked, cases, wording.neutral)[cases.option_of]
    return found[cases.pair_of]


def refuse_unreadable(model: ExportedModel, prompts: Prompts, wording: Wording) -> None:
    """Refuse rows that are too long for a model, or hold an empty answer.

    Only texts that have more bytes than the model reads tokens can be too long, and only these are
    encoded.

    Raises:
        DataRefused: as said, naming a row.
    """
    is_empty = prompts.options.select(pl.all().str.strip_chars() == "").select(
        pl.any_horizontal(pl.all())
    )
    if is_empty.to_series().any():
        row = prompts.ids[int(is_empty.to_series().arg_max() or 0)]
        raise DataRefused(f"Row {row}: an answer is empty, so it cannot be likely or unlikely.")
    width = prompts.options.select(pl.all().str.len_bytes()).max_horizontal()
    length = prompts.texts.str.len_bytes() + width
    doubtful = (length > model.card.max_length - _SPECIAL_TOKENS).arg_true()
    if len(doubtful):
        ids, texts = prompts.ids.gather(doubtful), prompts.texts.gather(doubtful)
        asked = Prompts(ids, texts, prompts.options[doubtful])
        _encoded(_Asked(model, ids, wording.written_out, 0), cases_of(asked), None)


class _Asked(NamedTuple):
    model: ExportedModel
    ids: pl.Series
    written_out: bool
    budget: int


def _unconditional(asked: _Asked, cases: Cases, neutral: str) -> Floats:
    """Return the log-likelihood of each distinct option behind the neutral prompt."""
    options, first = np.unique(cases.option_of, return_index=True)
    alone = cases._replace(
        text_of=np.zeros(len(options), dtype=np.int64), option_of=options, rows=cases.rows[first]
    )
    return _log_likelihoods(asked, alone, neutral, lambda _: None)[1]


def _log_likelihoods(
    asked: _Asked, cases: Cases, neutral: str | None, advance: Callable[[int], None]
) -> tuple[Ints, Floats]:
    """Return of each pair the scored tokens and their log-likelihood, both of shape [M]."""
    sequences, starts = _encoded(asked, cases, neutral)
    counter = _Share(len(asked.ids), advance)
    found = log_likelihoods(
        asked.model, sequences, starts, budget=asked.budget, progress=counter.done
    )
    refuse_not_finite(found, asked.ids, cases.rows, asked.model)
    return np.array([len(sequence) for sequence in sequences]) - starts, found


def _encoded(asked: _Asked, cases: Cases, neutral: str | None) -> tuple[list[Ints], Ints]:
    """Return the tokens of each pair and where its option begins, or refuse a row."""
    texts = cases.texts if neutral is None else [neutral] * len(cases.texts)
    sequences, starts = encoded(
        asked.model,
        [texts[text] for text in cases.text_of],
        [cases.options[option] for option in cases.option_of],
        written_out=asked.written_out,
    )
    lengths = np.array([len(sequence) for sequence in sequences])
    refuse_long(asked.ids, lengths, cases.rows.tolist(), limit=asked.model.card.max_length)
    _refuse_empty(asked.ids, cases, starts, lengths)
    return sequences, starts


def _refuse_empty(ids: pl.Series, cases: Cases, starts: Ints, lengths: Ints) -> None:
    for what, is_empty in (("prompt", starts == 0), ("answer", lengths <= starts)):
        if is_empty.any():
            place = int(is_empty.argmax())
            option = cases.options[cases.option_of[place]]
            raise DataRefused(
                f"Row {ids[int(cases.rows[place])]}: the {what} has no token (answer {option!r});"
                " a causal LM can say how likely a token is behind another one only."
            )


class _Share:
    """Says of how many rows the work is done, when it goes by tokens."""

    def __init__(self, n_rows: int, advance: Callable[[int], None]) -> None:
        self._n_rows, self._advance, self._said = n_rows, advance, 0

    def done(self, n_tokens: int, n_all: int) -> None:
        """Count the tokens that are done; all rows are when all tokens are."""
        rows = self._n_rows * n_tokens // n_all
        self._advance(rows - self._said)
        self._said = rows
