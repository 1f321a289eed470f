"""Span scores: softmax over the paragraph alone, first mention, the same in every batch."""

import dataclasses
import functools

import numpy as np
import polars as pl
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoModelForQuestionAnswering

from evenhand.contract import DataRefused
from evenhand.scorer.runtime.session import Session, open_model
from evenhand.scorer.unqover.ask.spans import _window, score_questions
from evenhand.scorer.unqover.ask.subjects import find_subjects

FAMILIES = ("bert", "distilbert", "roberta", "electra")


def _score(model, rows, protocol="paper", budget=4096):
    frame = rows if isinstance(rows, pl.DataFrame) else pl.DataFrame(rows)
    return score_questions(
        model, frame, protocol=protocol, budget=budget, advance=lambda _rows: None
    )


@pytest.fixture
def opened(exported):
    """Open an exported model of a family."""
    return lambda family="bert": open_model(exported(family, "question-answering"), device="cpu")


@pytest.fixture
def rows(toy_items):
    """Questions whose subjects are of one piece and of several, of several lengths."""
    return toy_items(subjects=("Alice", "Justin", "Quijotian"), templates=2)


@functools.lru_cache
def _torch_model(folder):
    return AutoModelForQuestionAnswering.from_pretrained(folder).eval()


def _expected(folder, tokenizer, row):
    """Score one row by torch, by hand: one row, no padding, softmax over the paragraph."""
    encoding = tokenizer.encode(row["question"], row["context"])
    inputs = {"input_ids": torch.tensor([encoding.ids])}
    model = _torch_model(folder)
    if getattr(model.config, "type_vocab_size", 0) > 1:
        inputs["token_type_ids"] = torch.tensor([encoding.type_ids])
    with torch.no_grad():
        outputs = model(**inputs)
    places = [i for i, owner in enumerate(encoding.sequence_ids) if owner == 1]
    p_start = outputs.start_logits[0, places].double().softmax(0).numpy()
    p_end = outputs.end_logits[0, places].double().softmax(0).numpy()
    offsets = [encoding.offsets[i] for i in places]
    scores = []
    for answer in (row["answer1"], row["answer2"]):
        first = row["context"].index(answer)
        last = first + len(answer)
        inside = [i for i, (a, b) in enumerate(offsets) if a < last and b > first]
        scores.append(np.sqrt(p_start[inside[0]] * p_end[inside[-1]]))
    return scores


@pytest.mark.parametrize("family", FAMILIES)
def test_scores_are_torchs(opened, tiny_model, rows, family) -> None:
    """S is sqrt(p_start * p_end) of torch's own logits, to 1e-5, for every family."""
    model = opened(family)
    ours = _score(model, rows[:6])
    folder = tiny_model(family, "question-answering")
    theirs = [_expected(folder, model.tokenizer, row) for row in rows[:6]]
    assert np.abs(ours - theirs).max() < 1e-5
    assert ours.std() > 1e-3


@pytest.mark.parametrize("protocol", ["paper", "code"])
@pytest.mark.parametrize("family", FAMILIES)
def test_same_for_every_batch_size(opened, rows, family, protocol) -> None:
    """Batches of one row, of a few and of all give the same scores to 1e-6."""
    model = opened(family)
    whole = _score(model, rows, protocol, budget=100_000)
    for budget in (1, 30, 64, 333):
        assert np.abs(_score(model, rows, protocol, budget) - whole).max() < 1e-6


def test_order_of_rows_changes_nothing(opened, rows) -> None:
    """Rows in reverse give the same scores in reverse."""
    model = opened()
    assert np.abs(_score(model, rows[::-1])[::-1] - _score(model, rows)).max() < 1e-6


class _Counting:
    """The real session, with a count of the rows that went through it."""

    def __init__(self, inference) -> None:
        self.inference, self.n_rows = inference, 0

    def run(self, names, inputs):
        self.n_rows += len(inputs["input_ids"])
        return self.inference.run(names, inputs)


def test_same_question_runs_once(opened, rows) -> None:
    """Rows that ask the same of the same paragraph are run once, whatever their subjects."""
    model = opened()
    counting = _Counting(model.session.inference)
    counted = dataclasses.replace(model, session=Session(counting, "cpu"))
    swapped = [row | {"answer1": row["answer2"], "answer2": row["answer1"]} for row in rows]
    scores = _score(counted, rows + swapped)
    assert counting.n_rows == len({(row["context"], row["question"]) for row in rows})
    assert (scores[: len(rows)] == scores[len(rows) :, ::-1]).all()


def test_question_is_no_part_of_the_softmax(opened) -> None:
    """One-word subjects that are the whole paragraph share p_start = 1 between them."""
    model = opened()
    rows = [{"id": "r", "context": "Alice Justin", "question": "Who lied?"}]
    rows = [rows[0] | {"answer1": "Alice", "answer2": "Justin"}]
    start_and_end = _score(model, rows)[0] ** 2
    assert model.tokenizer.encode("Alice Justin", add_special_tokens=False).tokens == [
        "alice",
        "justin",
    ]
    # s1 e1 + (1 - s1)(1 - e1) <= 1 holds of two probabilities each, and not of parts of a whole.
    assert 0 < start_and_end.sum() <= 1
    alone = [rows[0] | {"context": "Alice", "answer2": "Alice"}]
    with pytest.raises(DataRefused, match="'Alice' is not in its paragraph"):
        _score(model, alone)


@pytest.mark.parametrize(
    ("context", "answers", "expected"),
    [
        ("An Arab met a Jew.", ("Arab", "Jew"), ("Arab", "Jew")),
        ("A native american met an AMERICAN.", ("American", "Native American"), (25, 2)),
        ("A Native American, the Native American, an American.", ("American", "Native American"),
         (43, 2)),
        ("Anna saw Ann and Ann.", ("Ann", "Anna"), (9, 0)),
        ("Ann's dog met Bo.", ("Ann", "Bo"), (0, 14)),
        ("The U.S. met C++ (C).", ("C", "C++"), (18, 13)),
    ],
)  # fmt: skip
def test_subjects_are_found(context, answers, expected) -> None:
    """Whole words, ignoring case, first mention; the shorter never inside the longer."""
    spans = find_subjects(context, answers, row="r")
    starts = tuple(context.index(e) if isinstance(e, str) else e for e in expected)
    assert tuple(start for start, _ in spans) == starts
    for (start, end), answer in zip(spans, answers, strict=True):
        assert context[start:end].lower() == answer.lower()


@given(
    words=st.lists(st.sampled_from(["ann", "anna", "met", "Ann B", "b"]), min_size=2, max_size=8),
    answers=st.permutations(["ann", "anna", "Ann B"]),
)
def test_spans_never_overlap(words, answers) -> None:
    """Whatever the paragraph, the two spans are apart and say what was looked for, or refused."""
    context = " ".join(words)
    try:
        (a, b), (c, d) = find_subjects(context, (answers[0], answers[1]), row="r")
    except DataRefused:
        return
    assert b <= c or d <= a
    assert [context[a:b].lower(), context[c:d].lower()] == [x.lower() for x in answers[:2]]


def test_absent_subject_names_the_row(opened, rows) -> None:
    """A subject that its paragraph does not hold is refused with id, subject and paragraph."""
    spoilt = [*rows[:3], rows[3] | {"answer2": "Mongolian"}]
    with pytest.raises(DataRefused, match=rf"Row {rows[3]['id']}: the subject 'Mongolian' is not"):
        _score(opened(), spoilt)


def test_long_row_is_refused_by_id(opened, rows) -> None:
    """Nothing is cut in silence: a row longer than the model reads is named with both numbers."""
    spoilt = [*rows[:3], rows[3] | {"context": rows[3]["context"] + " Alice" * 60}]
    with pytest.raises(DataRefused, match=rf"Row {rows[3]['id']} has \d+ tokens.*reads 40"):
        _score(opened(), spoilt)


@pytest.mark.parametrize(
    ("context", "subject", "widths"),
    [
        ("the arab lied", "arab", (1, 0)),
        ("An Arab man met her.", "arab", (1, 1)),
        ("A group of Arab men met her.", "arab", (3, 1)),
        ("group of Arab men met her.", "arab", (0, 1)),
        ("met several Arab", "arab", (1, 0)),
        ("She met the Arab.", "arab", (1, 1)),
        ("She met Arab and him.", "arab", (0, 0)),
        ("xyza Arab", "arab", (0, 0)),
    ],
)
@pytest.mark.parametrize("family", ["bert", "roberta"])
def test_code_takes_neighbours(opened, family, context, subject, widths) -> None:
    """``code`` takes the article or "a group of" before and one noun or full stop after.

    Widths are tokens before and after. The piece "a" at the end of another word is no article.
    """
    model = opened(family)
    start = context.lower().index(subject)
    encoding = model.tokenizer.encode(context, add_special_tokens=False)
    span = (start, start + len(subject))
    narrow = _window(encoding, context, span, wide=False)
    wide = _window(encoding, context, span, wide=True)
    assert narrow[0] == narrow[1]
    assert narrow[2] == narrow[3]
    assert (wide[1] - wide[0], wide[3] - wide[2]) == widths
    assert (wide[1], wide[2]) == (narrow[1], narrow[2])


def test_code_is_never_below_paper(opened, rows) -> None:
    """A greatest value over more tokens is at least the one over fewer, and here it is more."""
    model = opened()
    frame = [row | {"context": f"The {row['answer1']} man met a {row['answer2']}."} for row in rows]
    paper, code = _score(model, frame), _score(model, frame, "code")
    assert (code >= paper).all()
    assert (code > paper).any()


def test_subject_without_a_token(opened) -> None:
    """A subject that the tokenizer drops as a control character is refused, not guessed."""
    row = {"id": "r", "context": "Alice met \x07.", "question": "Who lied?"}
    with pytest.raises(DataRefused, match=r"token for '\\x07' in 'Alice met \\x07\.'"):
        _score(opened(), [row | {"answer1": "Alice", "answer2": "\x07"}])


def test_tokenizer_that_cuts_is_refused(opened, rows) -> None:
    """A tokenizer that encodes a text in a pair other than alone cannot be read."""
    model = opened()
    model.tokenizer.enable_truncation(6)
    with pytest.raises(DataRefused, match=r"[Tt]okenizer\b.*\bpair\b"):
        _score(model, rows)
