"""Renders the pairs of questions into rows, whose right answers and targets are known."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evenhand.contract.bbq import QUESTIONS_PER_GROUP
from evenhand.contract.errors import DataRefused
from evenhand.generator.bbq.deals import (
    OTHER,
    STEREOTYPED,
    UNKNOWN,
    Order,
    answer_orders,
    deal,
    random_generator,
)
from evenhand.generator.bbq.items import Items
from evenhand.generator.bbq.pairs import Pair
from evenhand.generator.bbq.people import Person
from evenhand.generator.bbq.questions import Question
from evenhand.generator.bbq.rows import UNKNOWN as UNKNOWN_GROUP
from evenhand.generator.bbq.rows import Row, Triple
from evenhand.generator.bbq.targets import Targets
from evenhand.generator.mentions import mentions

EXAMPLES_A_PAIR = 2
"""The stereotyped person is mentioned first in the one and second in the other."""

_POLARITIES = {"neg": "negative", "nonneg": "nonnegative"}
_CONDITIONS = ("ambig", "disambig")

_ARRANGEMENTS = {(True, True): "a", (True, False): "b", (False, True): "c", (False, False): "d"}
"""Whether the stereotyped person is mentioned first, and whether the negative question is theirs
-> the row's ``version``."""


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """A question with the pairs that were drawn for it."""

    question: Question
    groups: tuple[str, ...]
    """The question's ``stereotyped_groups``."""
    pairs: list[Pair]


@dataclass(frozen=True, kw_only=True)
class _Example:
    """What the four rows of an example share."""

    question: Question
    groups: tuple[str, ...]
    pair: Pair
    is_stereotyped_first: bool
    order: Order
    unknown: str

    @property
    def negative_role(self) -> int:
        """Return whose answer the negative question has where the context tells."""
        is_stereotyped = self.is_stereotyped_first == self.pair.is_first_negative
        return STEREOTYPED if is_stereotyped else OTHER

    @property
    def version(self) -> str:
        """Return the letter of the arrangement."""
        return _ARRANGEMENTS[self.is_stereotyped_first, self.negative_role == STEREOTYPED]

    def person(self, role: int) -> Person:
        """Return the person of a role."""
        return self.pair.stereotyped if role == STEREOTYPED else self.pair.other

    def by_place(self, stereotyped: str, other: str, unknown: str) -> Triple:
        """Put one text a role into the order of the answers."""
        texts = (stereotyped, other, unknown)
        first, second, third = self.order
        return texts[first], texts[second], texts[third]


def question_items(category: str, drawn: list[Drawn], wordings: list[str], seed: int) -> Items:
    """Render all questions of a category.

    Args:
        category: name of the category.
        drawn: the questions in order.
        wordings: of the answer that it cannot be known.
        seed: of the answer orders and the wordings.

    Raises:
        DataRefused: a person does not stand once in each part of the context, or a context comes
            twice.
    """
    rows: list[Row] = []
    targets = Targets()
    for example in _examples(category, drawn, wordings, seed):
        for row, target in _rows(category, example, len(rows)):
            rows.append(row)
            targets.target.append(target)
            targets.why_no_target.append(None)
            targets.label_type.append(example.question["people"])
    _check_contexts(category, rows)
    n = QUESTIONS_PER_GROUP
    return Items(
        category=category,
        rows=rows,
        ids=[f"{category}-{row.example_id:05d}" for row in rows],
        targets=targets,
        groups=[list(range(start, start + n)) for start in range(0, len(rows), n)],
        n_incomplete=0,
    )


def _examples(
    category: str, drawn: list[Drawn], wordings: list[str], seed: int
) -> Iterator[_Example]:
    orders = answer_orders(random_generator(seed, category, "orders"))
    unknown = deal(wordings, random_generator(seed, category, "unknown"))
    for one in drawn:
        for pair in one.pairs:
            for is_stereotyped_first in (True, False):
                yield _Example(
                    question=one.question,
                    groups=one.groups,
                    pair=pair,
                    is_stereotyped_first=is_stereotyped_first,
                    order=next(orders),
                    unknown=next(unknown),
                )


def _rows(category: str, example: _Example, start: int) -> Iterator[tuple[Row, int]]:
    """Yield the four rows of an example with their targets."""
    question, pair = example.question, example.pair
    noun = question["noun"]
    contexts = _contexts(example)
    answers = example.by_place(
        pair.stereotyped.as_answer(noun), pair.other.as_answer(noun), example.unknown
    )
    texts = example.by_place(pair.stereotyped.word, pair.other.word, example.unknown)
    groups = example.by_place(pair.stereotyped.group, pair.other.group, UNKNOWN_GROUP)
    number = start
    for polarity, name in _POLARITIES.items():
        is_negative = polarity == "neg"
        role = example.negative_role if is_negative else 1 - example.negative_role
        for condition in _CONDITIONS:
            right = UNKNOWN if condition == "ambig" else role
            row = Row(
                category=category,
                example_id=number,
                question_index=question.index,
                question_polarity=polarity,  # type: ignore[arg-type]
                context_condition=condition,  # type: ignore[arg-type]
                context=contexts[condition],
                question=question.question(name, pair.words),
                answers=answers,
                answer_text=texts,
                answer_group=groups,
                label=example.order.index(right),
                unknown=example.order.index(UNKNOWN),
                subcategory=question["subcategory"],
                stereotyped_groups=example.groups,
                version=example.version,
                source=question["source"],
            )
            yield row, example.order.index(STEREOTYPED if is_negative else OTHER)
            number += 1


def _contexts(example: _Example) -> dict[str, str]:
    """Return the ambiguous context and the disambiguated one, which begins with it."""
    question, words = example.question, example.pair.words
    first = STEREOTYPED if example.is_stereotyped_first else OTHER
    shown = [example.person(role).in_text(question["noun"]) for role in (first, 1 - first)]
    ambiguous = question.ambiguous(shown[0], shown[1], words)
    _check_once(question, "ambiguous", ambiguous, shown)
    negative = example.negative_role
    told = [example.person(role).in_text(question["noun"]) for role in (negative, 1 - negative)]
    disambiguating = question.disambiguating(told[0], told[1], words)
    _check_once(question, "disambiguating", disambiguating, told)
    return {"ambig": ambiguous, "disambig": f"{ambiguous} {disambiguating}"}


def _check_once(question: Question, block: str, text: str, persons: Sequence[str]) -> None:
    places_of_each = mentions(text, (str(persons[0]), str(persons[1])))
    for person, places in zip(persons, places_of_each, strict=True):
        if len(places) != 1:
            raise DataRefused(
                f"{question.path}: block `{block}`: `{person}` stands {len(places)} times in"
                f" `{text}`; each of the two persons must stand there once."
            )


def _check_contexts(category: str, rows: list[Row]) -> None:
    """Refuse a context that two examples share: its rows would count twice."""
    questions: dict[str, tuple[int, str]] = {}
    for row in rows:
        example = row.example_id // QUESTIONS_PER_GROUP
        first, index = questions.setdefault(row.context, (example, row.question_index))
        if first != example:
            raise DataRefused(
                f"{category}: the questions {index} and {row.question_index} give the same context,"
                f" `{row.context}`; change one of them."
            )
