"""Turns rows of other tools' files into answers to the dataset's questions."""

import re
from collections.abc import Sequence

import polars as pl

from evenhand.scorer.bbq.answers import NO_MATCH, Choice, Options, match_choice, match_options
from evenhand.scorer.bbq.predictions import SCHEMA
from evenhand.scorer.bbq.questions import Question, Questions, has_the_words, is_respelled
from evenhand.scorer.faults import FIRST, FaultList
from evenhand.scorer.readers.foreign import ForeignAnswer
from evenhand.scorer.readers.prediction_format import FileRows
from evenhand.scorer.readers.prompts import letter_place

NOT_IN_DATASET = "rows that are not in the dataset"
OTHER_TEXT = "rows whose text is not that of the question with their id"
OTHER_OPTIONS = "rows whose options are not the question's"
AMBIGUOUS = "text of several questions"
"""The reason why a row whose text fits several questions is unscored."""

_N_ANSWERS = 3
_FIRST_CHARACTERS = 40
_LETTER = re.compile(r"[\s(\[*\"']*([A-Za-z])[\s)\].:*\"']*")

BLIND = (
    "answers are letters or scores without the options they refer to; they are read in the"
    " dataset's order"
)
_CHECK_DATASET = (
    "A row is identified by category and example_id, by id, or by the full text of context,"
    " question and options; do the answers belong to another dataset, or is the file with the"
    " requests missing?"
)
_CHECK_TEXT = "The id belongs to another question than the text; was another version answered?"
_CHECK_OPTIONS = "The options must be the three answers of the question, in any order."


class _Answers:
    """Collects the columns of answers."""

    def __init__(self) -> None:
        self.columns: dict[str, list[object]] = {name: [] for name in SCHEMA}
        self.answered = set[str]()

    def add(self, identity: str, choice: Choice, text: str | None) -> None:
        """Add an answer that is already matched, or that matches none of the three."""
        self._add(identity, choice.index, text, (None, None, None), choice.why)

    def add_scores(self, identity: str, scores: Sequence[float]) -> None:
        """Add three scores in the dataset's order."""
        self._add(identity, None, None, scores, None)

    def _add(
        self,
        identity: str,
        label: int | None,
        text: str | None,
        scores: Sequence[float | None],
        why: str | None,
    ) -> None:
        self.answered.add(identity)
        values = (identity, label, text, *scores, why)
        for name, value in zip(SCHEMA, values, strict=True):
            self.columns[name].append(value)


def answers_to(questions: Questions, rows: Sequence[ForeignAnswer]) -> FileRows:
    """Find the question of each row and the answer that was given.

    A row whose text fits several questions is unscored, and each such row takes the place of one of
    them. Letters and numbers refer to the options in the row; if it has none, to the dataset's
    order, and a note says so of letters and scores.
    """
    answers, faults, blind = _Answers(), FaultList(), list[str]()
    ambiguous, respelled = list[str](), list[str]()
    for row in rows:
        candidates, unknown_id = questions.find(row)
        if unknown_id is not None:
            # Reported later, as an unknown id of a predictions file is.
            answers.add(unknown_id, Choice(None, NO_MATCH), row.answer)
        elif not candidates:
            faults.add(NOT_IN_DATASET, _CHECK_DATASET, _name(row))
        elif len(candidates) > 1:
            free = [candidate.id for candidate in candidates if candidate.id not in ambiguous]
            identity = free[0] if free else candidates[0].id
            ambiguous.append(identity)
            answers.add(identity, Choice(None, AMBIGUOUS), row.answer)
        elif not has_the_words(row, candidates[0]):
            faults.add(OTHER_TEXT, _CHECK_TEXT, f"{row.place}: {candidates[0].id}")
        else:
            if row.id and row.category is None and is_respelled(row.id, candidates[0].id):
                respelled.append(f"{row.id} for {candidates[0].id}")
            _answer(row, candidates[0], answers, faults, blind)
    notes = [
        f"{len(ids):,} {sentence} ({', '.join(ids[:FIRST])}{', ...' if len(ids) > FIRST else ''})."
        for ids, sentence in (
            (ambiguous, "rows have a text that fits several questions and are unscored"),
            (respelled, "ids are spelled differently in the dataset and were matched"),
            (blind, BLIND),
        )
        if ids
    ]
    rows_read = pl.DataFrame(answers.columns, schema=SCHEMA)
    return FileRows(rows_read, faults=faults.to_list(), notes=notes)


def _name(row: ForeignAnswer) -> str:
    words = row.question or row.prompt or row.id or ""
    short = " ".join(words.split())
    more = "..." if len(short) > _FIRST_CHARACTERS else ""
    return f"{row.place}: {short[:_FIRST_CHARACTERS]!r}{more}"


def _answer(
    row: ForeignAnswer, question: Question, answers: _Answers, faults: FaultList, blind: list[str]
) -> None:
    """Add the answer of a row whose question is certain."""
    if row.why is not None:
        answers.add(question.id, Choice(None, row.why), None)
        return
    places = _places(row, question)
    if places is None:
        faults.add(
            OTHER_OPTIONS,
            _CHECK_OPTIONS,
            f"{row.place}: {question.id}",
        )
    elif question.id in answers.answered:
        # Refused as a duplicate later, whatever the answer is, so it need not be read.
        answers.add(question.id, Choice(None, NO_MATCH), row.answer)
    elif row.label is not None:
        answers.add(question.id, Choice(places[row.label]), None)
    elif row.scores is not None:
        if row.options is None:
            blind.append(question.id)
        answers.add_scores(question.id, _best_scores(row.scores, places))
    else:
        choice = _choice(row, question.options, places)
        if row.options is None and _depends_on_order(row, question.options, choice):
            blind.append(question.id)
        answers.add(question.id, choice, row.answer)


def _places(row: ForeignAnswer, question: Question) -> tuple[int, ...] | None:
    """Return the answer of the question that each option of the row is."""
    if row.options is None:
        n = len(row.scores) if row.scores is not None else _N_ANSWERS
        return tuple(range(_N_ANSWERS)) if n == _N_ANSWERS else None
    if row.scores is not None and len(row.scores) != len(row.options):
        return None
    return match_options(row.options, question.options)


def _best_scores(scores: Sequence[float], places: Sequence[int]) -> list[float]:
    """Return the best score of each answer: several options may be wordings of UNKNOWN."""
    return [
        max(score for score, place in zip(scores, places, strict=True) if place == answer)
        for answer in range(_N_ANSWERS)
    ]


def _choice(row: ForeignAnswer, options: Options, places: Sequence[int]) -> Choice:
    """Match a text, or the letter that the tool extracted, with the options in the row's order."""
    if row.letter is not None:
        place = letter_place(row.letter, len(places))
        return Choice(None, NO_MATCH) if place is None else Choice(places[place])
    text = row.answer or ""
    if len(places) != _N_ANSWERS:
        match = _LETTER.fullmatch(text)
        place = letter_place(match[1], len(places)) if match else None
        return match_choice(text, options) if place is None else Choice(places[place])
    return _dataset_choice(match_choice(text, _in_order(options, places)), places)


def _in_order(options: Options, places: Sequence[int]) -> Options:
    """Return a question's options in the order of a row."""
    first, second, third = places
    answers, names = options.answers, options.names
    return Options(
        (answers[first], answers[second], answers[third]),
        (names[first], names[second], names[third]),
        places.index(options.unknown),
    )


def _dataset_choice(choice: Choice, places: Sequence[int]) -> Choice:
    return choice if choice.index is None else Choice(places[choice.index])


def _depends_on_order(row: ForeignAnswer, options: Options, choice: Choice) -> bool:
    """Return whether another order of the options would have given another answer."""
    turned = (1, 2, 0)
    return _choice(row, options, turned) != choice
