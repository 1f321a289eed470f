"""Looks up a dataset's questions by id or by text, for rows of other tools' files.

Texts are compared in full, with runs of white space as one space. A row without an id is identified
by its context, its question and its three options in any order.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import polars as pl

from evenhand.contract import DataRefused
from evenhand.contract.bbq import CATEGORIES
from evenhand.scorer.bbq.answers import Options, match_options
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.faults import excerpt
from evenhand.scorer.readers.foreign import ForeignAnswer
from evenhand.scorer.readers.prompts import one_space

_COLUMNS = ("id", "context", "question", "ans0", "ans1", "ans2", "answer_text", "unknown")
_ID = re.compile(r"(.+?)[-_ ]0*(\d{1,7})(?:\.0)?")
_BARE_NUMBER = re.compile(r"0*(\d{1,7})(?:\.0)?")
_BEFORE_QUESTION = (".", "!", ":", "\n")


class Question(NamedTuple):
    """The parts of an item that a file of answers may repeat."""

    id: str
    context: str
    question: str
    options: Options


class Candidates(NamedTuple):
    """The questions that a row may answer; exactly one if it is certain."""

    questions: Sequence[Question]
    unknown_id: str | None = None
    """The row's id in the dataset's spelling, if the dataset has no such row."""


class Questions:
    """All questions of a dataset."""

    def __init__(self, questions: Iterable[Question], configs: Sequence[str]) -> None:
        """Index the questions.

        Args:
            questions: in the dataset's order.
            configs: names of the dataset's categories.
        """
        self._by_id: dict[str, Question] = {}
        self._by_words: dict[tuple[str, str], list[Question]] = defaultdict(list)
        self._by_question: dict[str, list[Question]] = defaultdict(list)
        self._configs = configs
        for question in questions:
            self._by_id[question.id] = question
            self._by_words[question.context, question.question].append(question)
            self._by_question[question.question].append(question)

    def find(self, row: ForeignAnswer) -> Candidates:
        """Return the questions that a row may answer: by id if it has one, else by text."""
        identity = self._identity(row)
        if identity in self._by_id:
            return Candidates([self._by_id[identity]])
        by_words = self._match_words(row)
        return Candidates(by_words, None if by_words else identity)

    def _identity(self, row: ForeignAnswer) -> str | None:
        """Return the id in the dataset's spelling, None if the row has none.

        A number alone is an id only if the dataset has a single category.
        """
        if row.category and row.example_id is not None:
            return f"{row.category}-{row.example_id:05d}"
        if row.id in self._by_id:
            return row.id
        only = self._configs[0] if len(self._configs) == 1 else None
        if row.example_id is not None:
            return f"{only}-{row.example_id:05d}" if only else None
        text = row.id or ""
        if match := _BARE_NUMBER.fullmatch(text):
            return f"{only}-{int(match[1]):05d}" if only and not _has_words(row) else None
        match = _ID.fullmatch(text)
        is_ours = match is not None and match[1] in {*self._configs, *CATEGORIES}
        return f"{match[1]}-{int(match[2]):05d}" if match and is_ours else None

    def _match_words(self, row: ForeignAnswer) -> Sequence[Question]:
        if row.context is not None and row.question is not None:
            candidates = self._by_words.get((one_space(row.context), one_space(row.question)), [])
            return _with_options(candidates, row.options)
        if row.prompt is not None:
            return self._match_prompt(one_space(row.prompt), _pieces(row.prompt), row.options)
        return []

    def _match_prompt(
        self, prompt: str, pieces: Sequence[str], options: tuple[str, ...] | None
    ) -> Sequence[Question]:
        """Return the questions in a prompt that go with the last context in it.

        The last one, because few-shot examples come before it; and of two contexts that begin at
        the same place the longer one, because a disambiguated context begins with the ambiguous
        one.
        """
        asked = [piece for piece in pieces if piece in self._by_question]
        if not asked:
            asked = [question for question in self._by_question if question in prompt]
        inside = [
            question
            for text in dict.fromkeys(asked)
            for question in self._by_question[text]
            if question.context in prompt
        ]
        complete = [
            question
            for question in inside
            if all(one_space(answer) in prompt for answer in question.options.answers)
        ]
        candidates = _with_options(complete if options is None else inside, options)
        best = max((_rank(prompt, candidate) for candidate in candidates), default=None)
        return [candidate for candidate in candidates if _rank(prompt, candidate) == best]


def is_respelled(given: str, identity: str) -> bool:
    """Return whether an id is another spelling of the dataset's id, and not a different id.

    >>> is_respelled("Age-61", "Age-00061"), is_respelled("request-7", "Age-00061")
    (True, False)
    """
    category, _, number = identity.rpartition("-")
    match = _ID.fullmatch(given)
    if match is None:
        match = _BARE_NUMBER.fullmatch(given)
        return match is not None and int(match[1]) == int(number)
    is_same_row = match[1].casefold() == category.casefold() and int(match[2]) == int(number)
    return is_same_row and given != identity


def _pieces(prompt: str) -> list[str]:
    r"""Return the possible questions: from the end of a sentence, line or label to a question mark.

    >>> _pieces("They met. Q: Who lied?\nA:")
    ['Who lied?']
    """
    ends = prompt.split("?")[:-1]
    starts = [max(map(text.rfind, _BEFORE_QUESTION)) + 1 for text in ends]
    return [one_space(text[start:]) + "?" for text, start in zip(ends, starts, strict=True)]


def _rank(prompt: str, question: Question) -> tuple[int, int]:
    return prompt.rfind(question.context), len(question.context)


def _has_words(row: ForeignAnswer) -> bool:
    return row.prompt is not None or (row.context is not None and row.question is not None)


def _with_options(
    questions: Sequence[Question], options: tuple[str, ...] | None
) -> Sequence[Question]:
    """Return the questions with these options; if several, those with the same order."""
    if options is None:
        return questions
    places = [(question, match_options(options, question.options)) for question in questions]
    fitting = [question for question, order in places if order is not None]
    ordered = [question for question, order in places if order == tuple(range(len(options)))]
    return ordered if len(fitting) > 1 and ordered else fitting


def has_the_words(row: ForeignAnswer, question: Question) -> bool:
    """Return whether the texts in a row are those of a question."""
    if row.context is not None and one_space(row.context) != question.context:
        return False
    if row.question is not None and one_space(row.question) != question.question:
        return False
    if row.prompt is None:
        return True
    prompt = one_space(row.prompt)
    return question.context in prompt and question.question in prompt


def read_questions(dataset: Dataset) -> Questions:
    """Read all questions of a dataset.

    Raises:
        DataRefused: the files cannot be read or are not BBQ's.
    """
    configs = list(dataset.manifest.configs)
    return Questions(
        (question for config in configs for question in _read(dataset, config)), configs
    )


def _read(dataset: Dataset, config: str) -> Iterable[Question]:
    try:
        rows = dataset.scan(config).select(_COLUMNS).collect()
    except pl.exceptions.PolarsError as error:
        reason = excerpt(str(error))
        raise DataRefused(
            f"{dataset.folder}: the items of {config} are not BBQ's ({reason}); import them again."
        ) from error
    for identity, context, question, first, second, third, names, unknown in rows.iter_rows():
        answers = (str(first), str(second), str(third))
        people = (str(names[0]), str(names[1]), str(names[2]))
        options = Options(answers, people, int(unknown))
        yield Question(str(identity), one_space(str(context)), one_space(str(question)), options)
