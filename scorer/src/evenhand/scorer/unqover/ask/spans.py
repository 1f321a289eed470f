"""S(x) of a question: the geometric mean of the subject's start and end probabilities.

Source: Li et al. 2020, section 4.1 and "Choice of S". ``code`` follows the reference code
(allenai/unqover 3e47969b), which lets a span begin at its article and end at its noun, but
differs from the reference in two ways: the softmax is over the paragraph alone (the reference's
includes the question and the padding, so its scores depend on the batch), and case is ignored in
the articles (the reference has "A couple of" for BERT in upper case only, which an uncased
tokenizer never yields).
"""

from typing import Any

import numpy as np
import polars as pl

from evenhand.contract.errors import DataRefused
from evenhand.scorer.runtime.batching import Floats, Ints
from evenhand.scorer.runtime.question_answering import Questions, encode_questions
from evenhand.scorer.runtime.scheduler import Advance, answers
from evenhand.scorer.runtime.session import ExportedModel
from evenhand.scorer.unqover.ask.subjects import Span, find_subjects

COLUMNS = ("id", "context", "question", "answer1", "answer2")

# allenai/unqover 3e47969b, qa_hf/predict.py: words that may extend a subject's span.
_BEFORE = frozenset({"an", "a", "the", "some", "few", "several"})
_GROUPS = (("a", "group", "of"), ("a", "team", "of"), ("a", "couple", "of"))
_PEOPLE = (
    ("man", "woman", "boy", "girl", "child", "kid", "person", "folk", "people", "couple"),
    ("men", "women", "boys", "girls", "children", "kids", "persons", "folks"),
)
_PLACES = ("city", "country", "cities", "countries")
_AFTER = frozenset((*_PEOPLE[0], *_PEOPLE[1], *_PLACES, "."))
_WIDEST_START = 3


def score_questions(
    model: ExportedModel, rows: pl.DataFrame, *, protocol: str, budget: int, advance: Advance
) -> Floats:
    """Return S(x1) and S(x2) of each row, float64 [rows, 2], in the rows' order.

    Raises:
        DataRefused: a subject is not in its paragraph, or a row is longer than the model's input.
    """
    questions = encode_questions(model, rows["id"], rows["context"], rows["question"])
    windows = _windows(rows, questions, wide=protocol == "code")
    return answers(
        model,
        questions.inputs,
        questions.rows,
        read=questions.probabilities,
        # Rows with the same text and other subjects share one run, and each reads its own windows.
        pick=lambda probabilities, numbers: _span_scores(probabilities, windows[numbers]),
        budget=budget,
        advance=advance,
    )


def _windows(rows: pl.DataFrame, questions: Questions, *, wide: bool) -> Ints:
    """Return the window of tokens of each row and subject, int64 [rows, 2, 4].

    The four are the first and last token whose p_start counts, then the same for p_end.
    """
    cases = rows.select("id", "context", "answer1", "answer2").with_columns(
        paragraph=questions.paragraph_numbers
    )
    keys = ["paragraph", "answer1", "answer2"]
    distinct = cases.unique(keys, keep="first", maintain_order=True)
    bounds = [
        [
            _window(questions.paragraphs[paragraph], context, span, wide=wide)
            for span in find_subjects(context, (answer1, answer2), row=row)
        ]
        for row, context, answer1, answer2, paragraph in distinct.iter_rows()
    ]
    flat = np.array(bounds, dtype=np.int64).reshape(len(bounds), 2, 4)
    which = cases.join(
        distinct.select(keys).with_row_index("case"), on=keys, how="left", maintain_order="left"
    )["case"]
    windows: Ints = flat[which.to_numpy().astype(np.int64)]
    return windows


def _window(encoding: Any, context: str, span: Span, *, wide: bool) -> tuple[int, ...]:
    """Return the tokens of a span of characters; with ``wide`` also those that the code allows."""
    offsets: list[Span] = encoding.offsets
    inside = [i for i, (a, b) in enumerate(offsets) if a < span[1] and b > span[0]]
    if not inside:
        raise DataRefused(
            f"The tokenizer has no token for {context[slice(*span)]!r} in {context!r}."
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
    """Return each token's text in lower case; a token inside a word has an empty text."""
    texts = []
    for a, b in offsets:
        text = context[a:b]
        begin = a + len(text) - len(text.lstrip())
        is_inside = begin > 0 and context[begin - 1].isalnum() and context[begin:b][:1].isalnum()
        texts.append("" if is_inside else text.strip().lower())
    return texts


def _span_scores(probabilities: Floats, windows: Ints) -> Floats:
    """Return sqrt(p_start * p_end) of both subjects, each the maximum over its window.

    Args:
        probabilities: p_start and p_end by token, [rows, 2, longest].
        windows: the windows of both subjects, [rows, 2, 4].
    """
    first = _window_max(probabilities[:, 0], windows[:, :, 0], windows[:, :, 1])
    last = _window_max(probabilities[:, 1], windows[:, :, 2], windows[:, :, 3])
    scores: Floats = np.sqrt(first * last)
    return scores


def _window_max(values: Floats, low: Ints, high: Ints) -> Floats:
    """Return the maximum over columns low..high of each row, for both subjects."""
    rows = np.arange(len(values))[:, None]
    best: Floats = values[rows, high]
    for step in range(1, int((high - low).max()) + 1):
        best = np.maximum(best, values[rows, np.maximum(high - step, low)])
    return best
