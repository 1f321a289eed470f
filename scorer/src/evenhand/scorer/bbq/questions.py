"""The dataset's questions, found by id or by their words: how a row of another tool's file is told.

Words are compared whole, with single spaces. A row without an id is told by context, question and
its three options in any order, and by nothing less where that fits several questions.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import polars as pl

from evenhand.contract import DataRefused
from evenhand.contract.bbq import CATEGORIES
from evenhand.scorer.bbq.answers import Options, places_of
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.faults import excerpt
from evenhand.scorer.readers.foreign import ForeignAnswer
from evenhand.scorer.readers.prompts import one_space

_COLUMNS = ("id", "context", "question", "ans0", "ans1", "ans2", "answer_text", "unknown")
_ID = re.compile(r"(.+?)[-_ ]0*(\d{1,7})(?:\.0)?")
_BARE_NUMBER = re.compile(r"0*(\d{1,7})(?:\.0)?")
_BEFORE_QUESTION = (".", "!", ":", "\n")


class Question(NamedTuple):
    """One item as far as a file of answers can tell it."""

    id: str
    context: str
    question: str
    options: Options


class Found(NamedTuple):
    """Which questions a row may answer; one where it is certain."""

    questions: Sequence[Question]
    unknown_id: str | None = None
    """The id in the dataset's spelling, where the dataset has no such row."""


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
        for own in questions:
            self._by_id[own.id] = own
            self._by_words[own.context, own.question].append(own)
            self._by_question[own.question].append(own)

    def find(self, row: ForeignAnswer) -> Found:
        """Return the questions that a row may answer: by id where it has one, else by words."""
        identity = self._identity(row)
        if identity in self._by_id:
            return Found([self._by_id[identity]])
        by_words = self._of_words(row)
        return Found(by_words, None if by_words else identity)

    def _identity(self, row: ForeignAnswer) -> str | None:
        """Return the id in the dataset's spelling, None where the row has none.

        A number alone is an id only where the dataset has a single category.
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

    def _of_words(self, row: ForeignAnswer) -> Sequence[Question]:
        if row.context is not None and row.question is not None:
            own = self._by_words.get((one_space(row.context), one_space(row.question)), [])
            return _with_options(own, row.options)
        if row.prompt is not None:
            return self._of_prompt(one_space(row.prompt), _pieces(row.prompt), row.options)
        return []

    def _of_prompt(
        self, prompt: str, pieces: Sequence[str], options: tuple[str, ...] | None
    ) -> Sequence[Question]:
        """Return the questions that stand in a prompt with the last context in it.

        The last, because examples may stand before; and of two that begin at one place the longer,
        because the ambiguous context is the beginning of the other.
        """
        asked = [piece for piece in pieces if piece in self._by_question]
        if not asked:
            asked = [question for question in self._by_question if question in prompt]
        inside = [own for text in dict.fromkeys(asked) for own in self._by_question[text]
                  if own.context in prompt]  # fmt: skip
        fitting = [
            own for own in inside if all(one_space(text) in prompt for text in own.options.answers)
        ]
        own = _with_options(fitting if options is None else inside, options)
        best = max((_rank(prompt, one) for one in own), default=None)
        return [one for one in own if _rank(prompt, one) == best]


def is_respelled(given: str, identity: str) -> bool:
    """Say whether an id is another spelling of the dataset's, and not merely another id.

    >>> is_respelled("Age-61", "Age-00061"), is_respelled("request-7", "Age-00061")
    (True, False)
    """
    category, _, number = identity.rpartition("-")
    match = _ID.fullmatch(given)
    if match is None:
        match = _BARE_NUMBER.fullmatch(given)
        return match is not None and int(match[1]) == int(number)
    is_own = match[1].casefold() == category.casefold() and int(match[2]) == int(number)
    return is_own and given != identity


def _pieces(prompt: str) -> list[str]:
    r"""Return what may be a question: from a sentence's, line's or label's end to its mark.

    >>> _pieces("They met. Q: Who lied?\nA:")
    ['Who lied?']
    """
    ends = prompt.split("?")[:-1]
    starts = [max(map(text.rfind, _BEFORE_QUESTION)) + 1 for text in ends]
    return [one_space(text[start:]) + "?" for text, start in zip(ends, starts, strict=True)]


def _rank(prompt: str, own: Question) -> tuple[int, int]:
    return prompt.rfind(own.context), len(own.context)


def _has_words(row: ForeignAnswer) -> bool:
    return row.prompt is not None or (row.context is not None and row.question is not None)


def _with_options(
    questions: Sequence[Question], options: tuple[str, ...] | None
) -> Sequence[Question]:
    """Return the questions that have these options; of several those with their order."""
    if options is None:
        return questions
    places = [(one, places_of(options, one.options)) for one in questions]
    own = [one for one, order in places if order is not None]
    ordered = [one for one, order in places if order == tuple(range(len(options)))]
    return ordered if len(own) > 1 and ordered else own


def has_the_words(row: ForeignAnswer, own: Question) -> bool:
    """Say whether the words that a row keeps are those of a question."""
    if row.context is not None and one_space(row.context) != own.context:
        return False
    if row.question is not None and one_space(row.question) != own.question:
        return False
    if row.prompt is None:
        return True
    prompt = one_space(row.prompt)
    return own.context in prompt and own.question in prompt


def questions_of(dataset: Dataset) -> Questions:
    """Read all questions of a dataset.

    Raises:
        DataRefused: the files cannot be read, or are not BBQ's.
    """
    configs = list(dataset.manifest.configs)
    return Questions((own for config in configs for own in _read(dataset, config)), configs)


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
