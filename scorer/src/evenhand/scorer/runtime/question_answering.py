"""S(x) of a question: the geometric mean of the subject's start and end probabilities.

Source: Li et al. 2020, section 4.1 and "Choice of S". ``code`` follows the reference code
(allenai/unqover 3e47969b), which lets a span begin at its article and end at its noun. Two things
are ours under ``code`` too: the softmax over the paragraph alone (the reference's runs over the
question and the padding, so its scores move with the batch), and that case is ignored in the
articles (the reference knows "A couple of" for BERT in upper case only, which an uncased
tokenizer never gives).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenhand.contract.errors import DataRefused
from evenhand.scorer.runtime.batching import Ints, batches, members, padded, refuse_long
from evenhand.scorer.runtime.session import ExportedModel
from evenhand.scorer.runtime.subjects import Span, find_subjects

COLUMNS = ("id", "context", "question", "answer1", "answer2")

# allenai/unqover 3e47969b, qa_hf/predict.py: what may stand before and after a subject's span.
_BEFORE = frozenset({"an", "a", "the", "some", "few", "several"})
_GROUPS = (("a", "group", "of"), ("a", "team", "of"), ("a", "couple", "of"))
_PEOPLE = (
    ("man", "woman", "boy", "girl", "child", "kid", "person", "folk", "people", "couple"),
    ("men", "women", "boys", "girls", "children", "kids", "persons", "folks"),
)
_PLACES = ("city", "country", "cities", "countries")
_AFTER = frozenset((*_PEOPLE[0], *_PEOPLE[1], *_PLACES, "."))
_WIDEST_START = 3

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class _Frame:
    """The special tokens around a question and its paragraph."""

    before: Ints
    between: Ints
    after: Ints
    types: Ints
    """Token types of: before, the question, between, the paragraph, after; one number a token of
    the special ones and one for each text."""

    def ids(self, question: Ints, context: Ints) -> Ints:
        """Return the ids of a pair."""
        return np.concatenate([self.before, question, self.between, context, self.after])

    def token_types(self, n_question: int, n_context: int) -> Ints:
        """Return the token types of a pair of texts of these lengths."""
        counts = np.ones(len(self.types), dtype=np.int64)
        counts[len(self.before)] = n_question
        counts[len(self.before) + 1 + len(self.between)] = n_context
        return np.repeat(self.types, counts)


def score_questions(
    model: ExportedModel,
    rows: pl.DataFrame,
    *,
    protocol: str,
    budget: int,
    advance: Callable[[int], None],
) -> Floats:
    """Return S(x1) and S(x2) of each row, float64 [rows, 2], in the rows' order.

    p_start and p_end are a softmax over the paragraph's tokens alone, in float64, so that neither
    the question nor padding nor the other rows of a batch move them.

    Raises:
        DataRefused: a subject is not in its paragraph, or a row is longer than the model reads.
    """
    contexts, context_of = _distinct(rows["context"])
    questions, question_of = _distinct(rows["question"])
    frame = _frame(model)
    encoded = model.tokenizer.encode_batch(contexts, add_special_tokens=False)
    context_ids = [np.array(e.ids, dtype=np.int64) for e in encoded]
    question_ids = [
        np.array(e.ids, dtype=np.int64)
        for e in model.tokenizer.encode_batch(questions, add_special_tokens=False)
    ]
    windows = _windows(rows, encoded, context_of, wide=protocol == "code")
    # Rows that ask the same of the same paragraph are one input and run once.
    inputs, rows_of = members(question_of * len(contexts) + context_of)
    pairs = [(question_ids[i // len(contexts)], context_ids[i % len(contexts)]) for i in inputs]
    n_special = len(frame.before) + len(frame.between) + len(frame.after)
    lengths = np.array([len(question) + len(context) + n_special for question, context in pairs])
    refuse_long(rows["id"], lengths, [r[0] for r in rows_of], limit=model.card.max_length)
    scores = np.empty((len(rows), 2))
    for batch in batches(lengths, budget=budget):
        start, end = _probabilities(model, frame, [pairs[i] for i in batch])
        done = np.concatenate([rows_of[i] for i in batch])
        place = np.repeat(np.arange(len(batch)), [len(rows_of[i]) for i in batch])
        scores[done] = _spans(start[place], end[place], windows[done])
        advance(len(done))
    return scores


def _distinct(column: pl.Series) -> tuple[list[str], Ints]:
    """Return the distinct texts, and which of them each row has."""
    codes = column.rank("dense").to_numpy().astype(np.int64) - 1
    return column.unique().sort().to_list(), codes


def _frame(model: ExportedModel) -> _Frame:
    """Read the special tokens off the tokenizer's own encoding of a pair.

    Raises:
        DataRefused: the tokenizer changes a text that stands in a pair, so texts cannot be
            encoded once and put together.
    """
    question, context = "Who was late?", "Ann met Anne."
    pair = model.tokenizer.encode(question, context)
    ids = np.array(pair.ids, dtype=np.int64)
    owner = np.array([-1 if s is None else s for s in pair.sequence_ids])
    alone = [model.tokenizer.encode(t, add_special_tokens=False).ids for t in (question, context)]
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


def _windows(rows: pl.DataFrame, encoded: list, context_of: Ints, *, wide: bool) -> Ints:  # type: ignore[type-arg]
    """Return for each row and subject which tokens of the paragraph count, int64 [rows, 2, 4].

    The four are the first and last token whose p_start counts, then the same for p_end.
    """
    cases = rows.select("id", "context", "answer1", "answer2").with_columns(c=context_of)
    keys = ["c", "answer1", "answer2"]
    distinct = cases.unique(keys, keep="first", maintain_order=True)
    bounds = [
        [
            _window(encoded[c], context, span, wide=wide)
            for span in find_subjects(context, (answer1, answer2), row=row)
        ]
        for row, context, answer1, answer2, c in distinct.iter_rows()
    ]
    flat = np.array(bounds, dtype=np.int64).reshape(len(bounds), 2, 4)
    which = cases.join(
        distinct.select(keys).with_row_index("case"), on=keys, how="left", maintain_order="left"
    )["case"]
    result: Ints = flat[which.to_numpy().astype(np.int64)]
    return result


def _window(encoding: object, context: str, span: Span, *, wide: bool) -> tuple[int, ...]:
    """Find the tokens of a span of characters, and with ``wide`` those that the code also takes."""
    offsets: list[Span] = encoding.offsets  # type: ignore[attr-defined]
    inside = [i for i, (a, b) in enumerate(offsets) if a < span[1] and b > span[0]]
    if not inside:
        raise DataRefused(
            f"The tokenizer gives no token for {context[slice(*span)]!r} in {context!r}."
        )
    first, last = inside[0], inside[-1]
    if not wide:
        return (first, first, last, last)
    words = _words(context, offsets)
    begin = first - 1 if first and words[first - 1] in _BEFORE else first
    if first >= _WIDEST_START and tuple(words[first - _WIDEST_START : first]) in _GROUPS:
        begin = first - _WIDEST_START
    finish = last + 1 if last + 1 < len(words) and words[last + 1] in _AFTER else last
    return (begin, first, last, finish)


def _words(context: str, offsets: list[Span]) -> list[str]:
    """Return each token's text in lower case; a piece inside a word gives no text."""
    texts = []
    for a, b in offsets:
        text = context[a:b]
        begin = a + len(text) - len(text.lstrip())
        is_inside = begin > 0 and context[begin - 1].isalnum() and context[begin:b][:1].isalnum()
        texts.append("" if is_inside else text.strip().lower())
    return texts


def _probabilities(
    model: ExportedModel, frame: _Frame, pairs: list[tuple[Ints, Ints]]
) -> tuple[Floats, Floats]:
    """Run a batch and return p_start and p_end by token of the paragraph, [batch, longest]."""
    pad = model.card.pad.id if model.card.pad else 0
    input_ids, attention = padded([frame.ids(*pair) for pair in pairs], fill=pad)
    inputs = {"input_ids": input_ids, "attention_mask": attention}
    if model.card.uses_token_types:
        inputs["token_type_ids"], _ = padded(
            [frame.token_types(len(question), len(context)) for question, context in pairs], fill=0
        )
    logits = model.session.run(inputs)
    offset = np.array([len(frame.before) + len(q) + len(frame.between) for q, _ in pairs])
    n_context = np.array([len(context) for _, context in pairs])
    columns = np.arange(int(n_context.max()))[None, :]
    is_context = columns < n_context[:, None]
    take = np.where(is_context, offset[:, None] + columns, 0)
    start, end = (
        _softmax(np.take_along_axis(found, take, axis=1).astype(np.float64), is_context)
        for found in logits
    )
    return start, end


def _softmax(logits: Floats, is_real: NDArray[np.bool_]) -> Floats:
    """Softmax over the real columns of each row; the others get 0."""
    masked = np.where(is_real, logits, -np.inf)
    powers = np.exp(masked - masked.max(axis=1, keepdims=True))
    # A running sum adds from left to right, so the zeros of padding change no bit of it; sum()
    # adds in blocks that depend on the width.
    result: Floats = powers / np.cumsum(powers, axis=1)[:, -1:]
    return result


def _spans(start: Floats, end: Floats, windows: Ints) -> Floats:
    """Return sqrt(p_start * p_end) of both subjects, the greatest of each window."""
    first = _greatest(start, windows[:, :, 0], windows[:, :, 1])
    last = _greatest(end, windows[:, :, 2], windows[:, :, 3])
    result: Floats = np.sqrt(first * last)
    return result


def _greatest(values: Floats, low: Ints, high: Ints) -> Floats:
    """Return the greatest value of columns low..high of each row, for both subjects."""
    rows = np.arange(len(values))[:, None]
    best = values[rows, high]
    for step in range(1, int((high - low).max()) + 1):
        best = np.maximum(best, values[rows, np.maximum(high - step, low)])
    return best
