"""From rows of another tool's file to answers of the dataset's questions."""

import re
from collections.abc import Sequence

import polars as pl

from evenhand.scorer.bbq.answers import NO_MATCH, Choice, Options, choice_of, places_of
from evenhand.scorer.bbq.predictions import SCHEMA
from evenhand.scorer.bbq.questions import Question, Questions, has_the_words, is_respelled
from evenhand.scorer.faults import FIRST, FaultList
from evenhand.scorer.readers.foreign import ForeignAnswer
from evenhand.scorer.readers.prediction_format import FileRows
from evenhand.scorer.readers.prompts import letter_place

NOT_IN_DATASET = "rows that are not in the dataset"
AMBIGUOUS = "text of several questions"
"""Why a row is unscored whose words are those of more than one question."""

_N_ANSWERS = 3
_FIRST_CHARACTERS = 40
_LETTER = re.compile(r"[\s(\[*\"']*([A-Za-z])[\s)\].:*\"']*")

_BLIND = (
    "answers are letters or scores without their options beside them and are read in the dataset's"
    " order"
)
_NOT_THERE = (
    "A row is told by category and example_id, by id, or by the whole text of context, question and"
    " options; is it another dataset, or is the file with the requests missing?"
)
_OTHER_WORDS = "The id is another question's than the words; was another version answered?"
_OTHER_OPTIONS = "The options must be the three answers of the question, in any order."


class _Answers:
    """Collects the columns of answers."""

    def __init__(self) -> None:
        self.columns: dict[str, list[object]] = {name: [] for name in SCHEMA}
        self.answered = set[str]()

    def add(self, identity: str, choice: Choice, text: str | None) -> None:
        """Add an answer that is already one of the three, or none."""
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
    """Find the question of each row, and which of its answers was given.

    A row whose words fit several questions is unscored: each such row takes the place of one of
    them. Letters and numbers stand for the options that the row shows; where it shows none, for the
    dataset's own order, which is said of letters and scores.
    """
    answers, faults, blind = _Answers(), FaultList(), list[str]()
    ambiguous, respelled = list[str](), list[str]()
    for row in rows:
        candidates, unknown_id = questions.find(row)
        if unknown_id is not None:
            # Reported with the ids of our own files, in the same words.
            answers.add(unknown_id, Choice(None, NO_MATCH), row.answer)
        elif not candidates:
            faults.add(NOT_IN_DATASET, _NOT_THERE, _name(row))
        elif len(candidates) > 1:
            free = [one.id for one in candidates if one.id not in ambiguous]
            identity = free[0] if free else candidates[0].id
            ambiguous.append(identity)
            answers.add(identity, Choice(None, AMBIGUOUS), row.answer)
        elif not has_the_words(row, candidates[0]):
            kind = "rows whose words are not those of the question with their id"
            faults.add(kind, _OTHER_WORDS, f"{row.place}: {candidates[0].id}")
        else:
            if row.id and row.category is None and is_respelled(row.id, candidates[0].id):
                respelled.append(f"{row.id} for {candidates[0].id}")
            _answer(row, candidates[0], answers, faults, blind)
    notes = [
        f"{len(ids):,} {what} ({', '.join(ids[:FIRST])}{', ...' if len(ids) > FIRST else ''})."
        for ids, what in (
            (ambiguous, "rows fit several questions by their text and are unscored"),
            (respelled, "ids are spelled otherwise than the dataset's and taken for them"),
            (blind, _BLIND),
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
            "rows whose options are not the question's",
            _OTHER_OPTIONS,
            f"{row.place}: {question.id}",
        )
    elif question.id in answers.answered:
        # Refused as a duplicate, whatever it says; a file may hold nothing but such rows.
        answers.add(question.id, Choice(None, NO_MATCH), row.answer)
    elif row.label is not None:
        answers.add(question.id, Choice(places[row.label]), None)
    elif row.scores is not None:
        if row.options is None:
            blind.append(question.id)
        answers.add_scores(question.id, _best_scores(row.scores, places))
    else:
        choice = _choice(row, question.options, places)
        if row.options is None and _leans_on_order(row, question.options, choice):
            blind.append(question.id)
        answers.add(question.id, choice, row.answer)


def _places(row: ForeignAnswer, question: Question) -> tuple[int, ...] | None:
    """Return which answer of the question each option of the row is."""
    if row.options is None:
        n = len(row.scores) if row.scores is not None else _N_ANSWERS
        return tuple(range(_N_ANSWERS)) if n == _N_ANSWERS else None
    if row.scores is not None and len(row.scores) != len(row.options):
        return None
    return places_of(row.options, question.options)


def _best_scores(scores: Sequence[float], places: Sequence[int]) -> list[float]:
    """Return the best score of each answer: several options may say UNKNOWN in other words."""
    return [
        max(score for score, place in zip(scores, places, strict=True) if place == answer)
        for answer in range(_N_ANSWERS)
    ]


def _choice(row: ForeignAnswer, options: Options, places: Sequence[int]) -> Choice:
    """Read a text, or the letter that the tool read, with the options in the row's order."""
    if row.letter is not None:
        place = letter_place(row.letter, len(places))
        return Choice(None, NO_MATCH) if place is None else Choice(places[place])
    text = row.answer or ""
    if len(places) != _N_ANSWERS:
        match = _LETTER.fullmatch(text)
        place = letter_place(match[1], len(places)) if match else None
        return choice_of(text, options) if place is None else Choice(places[place])
    return _back(choice_of(text, _in_order(options, places)), places)


def _in_order(options: Options, places: Sequence[int]) -> Options:
    """Return a question's options in the order of a row."""
    first, second, third = places
    answers, names = options.answers, options.names
    return Options(
        (answers[first], answers[second], answers[third]),
        (names[first], names[second], names[third]),
        places.index(options.unknown),
    )


def _back(choice: Choice, places: Sequence[int]) -> Choice:
    return choice if choice.index is None else Choice(places[choice.index])


def _leans_on_order(row: ForeignAnswer, options: Options, choice: Choice) -> bool:
    """Say whether another order of the options would have given another answer."""
    turned = (1, 2, 0)
    return _choice(row, options, turned) != choice
