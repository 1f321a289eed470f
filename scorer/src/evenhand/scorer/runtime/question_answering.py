"""Where a span model expects an answer to begin and end in its paragraph."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenhand.contract.errors import DataRefused
from evenhand.scorer.runtime.batching import Floats, Ints
from evenhand.scorer.runtime.encoder_inputs import EncoderInputs, any_fill
from evenhand.scorer.runtime.scheduler import Batch, Rows, distinct
from evenhand.scorer.runtime.session import ExportedModel


@dataclass(frozen=True)
class _Frame:
    """The special tokens around a question and its paragraph."""

    before: Ints
    between: Ints
    after: Ints
    types: Ints
    """Token types of: before, the question, between, the paragraph, after; one number a token of
    the special ones and one for each text."""

    def ids(self, question: Ints, paragraph: Ints) -> Ints:
        """Return the ids of a pair."""
        return np.concatenate([self.before, question, self.between, paragraph, self.after])

    def token_types(self, n_question: int, n_paragraph: int) -> Ints:
        """Return the token types of a pair of texts of these lengths."""
        counts = np.ones(len(self.types), dtype=np.int64)
        counts[len(self.before)] = n_question
        counts[len(self.before) + 1 + len(self.between)] = n_paragraph
        return np.repeat(self.types, counts)


@dataclass(frozen=True, eq=False)
class Questions:
    """M distinct questions about P paragraphs, of N rows, ready to be run."""

    inputs: EncoderInputs
    rows: Rows
    """The question of each row."""
    paragraphs: list[Any]
    """Encodings of the paragraphs alone, with the characters of each token; shape [P]."""
    paragraph_numbers: Ints
    """The paragraph of each row, shape [N]."""

    def probabilities(self, batch: Batch) -> Floats:
        """Read p_start and p_end by token of the paragraph, float64 [batch, 2, longest].

        Each is a softmax over the paragraph's tokens alone, so that neither the question nor
        padding nor the other inputs of a batch change them.
        """
        starts, lengths = (self.inputs.numbers[name][batch.inputs] for name in (_START, _LENGTH))
        columns = np.arange(int(lengths.max()))[None, :]
        is_paragraph = columns < lengths[:, None]
        take = np.where(is_paragraph, starts[:, None] + columns, 0)
        both = [
            _softmax(np.take_along_axis(logits, take, axis=1).astype(np.float64), is_paragraph)
            for logits in batch.outputs
        ]
        return np.stack(both, axis=1)


_START, _LENGTH = "paragraph_start", "paragraph_length"


def encode_questions(
    model: ExportedModel, ids: pl.Series, paragraphs: pl.Series, questions: pl.Series
) -> Questions:
    """Encode each text once and put the pairs together.

    Args:
        model: exported for question-answering.
        ids: names of N rows.
        paragraphs: shape [N].
        questions: shape [N].

    Raises:
        DataRefused: the tokenizer encodes a text in a pair other than alone.
    """
    frame = _frame(model)
    texts, paragraph_numbers = distinct(paragraphs)
    encodings = model.tokenizer.encode_batch(texts, add_special_tokens=False)
    paragraph_ids = [np.array(one.ids, dtype=np.int64) for one in encodings]
    words, question_numbers = distinct(questions)
    question_ids = [
        np.array(one.ids, dtype=np.int64)
        for one in model.tokenizer.encode_batch(words, add_special_tokens=False)
    ]
    codes, numbers = np.unique(
        question_numbers * len(texts) + paragraph_numbers, return_inverse=True
    )
    pairs = [(question_ids[i // len(texts)], paragraph_ids[i % len(texts)]) for i in codes]
    inputs = _inputs(model, frame, pairs)
    return Questions(inputs, Rows(ids, numbers), encodings, paragraph_numbers)


def _inputs(model: ExportedModel, frame: _Frame, pairs: list[tuple[Ints, Ints]]) -> EncoderInputs:
    ahead = len(frame.before) + len(frame.between)
    return EncoderInputs(
        [frame.ids(*pair) for pair in pairs],
        [frame.token_types(len(question), len(paragraph)) for question, paragraph in pairs]
        if model.card.uses_token_types
        else None,
        numbers={
            _START: np.array([ahead + len(question) for question, _ in pairs]),
            _LENGTH: np.array([len(paragraph) for _, paragraph in pairs]),
        },
        fill=any_fill(model),
    )


def _frame(model: ExportedModel) -> _Frame:
    """Read the special tokens off the tokenizer's encoding of a pair.

    Raises:
        DataRefused: the tokenizer changes a text that stands in a pair, so texts cannot be
            encoded once and put together.
    """
    question, paragraph = "Who was late?", "Ann met Anne."
    pair = model.tokenizer.encode(question, paragraph)
    ids = np.array(pair.ids, dtype=np.int64)
    owner = np.array([-1 if s is None else s for s in pair.sequence_ids])
    alone = [model.tokenizer.encode(t, add_special_tokens=False).ids for t in (question, paragraph)]
    if [ids[owner == i].tolist() for i in (0, 1)] != alone:
        raise DataRefused(
            f"{model.folder}: the tokenizer encodes a text in a pair other than alone;"
            " predict cannot read such models."
        )
    first, last = np.flatnonzero(owner == 0)[[0, -1]]
    start, end = np.flatnonzero(owner == 1)[[0, -1]]
    types = np.array(pair.type_ids, dtype=np.int64)
    kept = np.flatnonzero(
        (owner == -1) | (np.arange(len(ids)) == first) | (np.arange(len(ids)) == start)
    )
    return _Frame(
        before=ids[:first], between=ids[last + 1 : start], after=ids[end + 1 :], types=types[kept]
    )


def _softmax(logits: Floats, is_real: NDArray[np.bool_]) -> Floats:
    """Softmax over the real columns of each row; the others get 0."""
    masked = np.where(is_real, logits, -np.inf)
    powers = np.exp(masked - masked.max(axis=1, keepdims=True))
    # A running sum adds from left to right, so the zeros of padding do not change a bit; sum()
    # adds in blocks that depend on the width.
    probabilities: Floats = powers / np.cumsum(powers, axis=1)[:, -1:]
    return probabilities
