"""Which two persons meet in a question: a seeded draw that uses persons and groups evenly."""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from evenhand.contract.errors import DataRefused
from evenhand.generator.bbq.groups import canonical, canonical_groups
from evenhand.generator.bbq.people import Person, check_known, official_group, split_group
from evenhand.generator.bbq.questions import Question
from evenhand.generator.bbq.targets import SECOND_DIMENSION

PAIRS_A_QUESTION = 14
"""Even, so that in each question the stereotyped person is as often mentioned first and right for
the negative question as in each of the other three arrangements."""


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two persons in the words of one scene."""

    stereotyped: Person
    other: Person
    words: Mapping[str, str]
    is_first_negative: bool
    """Whether the one who is mentioned first is right for the negative question; both of the
    pair's two examples have it so, and they differ in who is mentioned first."""


def groups_named(question: Question, category: str, stereotyped: list[Person]) -> tuple[str, ...]:
    """Return the question's ``stereotyped_groups`` in the release's spelling."""
    groups = [official_group(category, person.group) for person in stereotyped]
    finer = [name for name in question.stereotyped if name in {one.detail for one in stereotyped}]
    return tuple(dict.fromkeys((*groups, *finer)))


def find_sides(
    question: Question, category: str, people: list[Person]
) -> tuple[list[Person], list[Person]]:
    """Return who can be the stereotyped person and who the other one.

    Raises:
        DataRefused: a side is empty, or a group is unknown.
    """
    for setting in ("stereotyped", "others"):
        try:
            check_known(getattr(question, setting), people)
        except DataRefused as error:
            raise question.refusal(setting, str(error)) from error
    candidates = [person for person in people if person.kind == question["people"]]
    stereotyped = [person for person in candidates if person.is_one_of(question.stereotyped)]
    if not stereotyped:
        raise question.refusal("stereotyped", f"the list has no {question['people']} of it")
    if category in SECOND_DIMENSION:
        _check_one_second(question, category, stereotyped)
    is_stereotyped = _Stereotyped(question, category, stereotyped)
    others = [
        person
        for person in candidates
        if not is_stereotyped(person) and (not question.others or person.is_one_of(question.others))
    ]
    if not others:
        raise question.refusal(
            "others" if question.others else "stereotyped",
            f"the list has no {question['people']} of another group",
        )
    return stereotyped, others


class _Stereotyped:
    """Tells whether a row would say that a person is of a stereotyped group."""

    def __init__(self, question: Question, category: str, stereotyped: list[Person]) -> None:
        self._category = category
        named = groups_named(question, category, stereotyped)
        self._names = canonical_groups(category, named)
        self._groups = {person.group for person in stereotyped}

    def __call__(self, person: Person) -> bool:
        if self._category in SECOND_DIMENSION:
            return person.group in self._groups
        return canonical(person.group) in self._names


def _check_one_second(question: Question, category: str, stereotyped: list[Person]) -> None:
    """A row does not name the second dimension, so a question has one value of it."""
    values = {split_group(category, person.group)[1] for person in stereotyped}
    if len(values) > 1:
        raise question.refusal(
            "stereotyped",
            f"has groups of several values of {SECOND_DIMENSION[category]}; one was expected",
        )


def draw_pairs(
    question: Question,
    category: str,
    people: list[Person],
    rng: np.random.Generator,
    n: int = PAIRS_A_QUESTION,
) -> list[Pair]:
    """Draw pairs of persons with the words of their scene; no pair has the same words twice.

    Persons, groups and, in the intersectional categories, what the two persons differ in (race,
    the other dimension, both) are each used as evenly as they can be. There are fewer pairs than
    ``n`` only where all of them are used up with all words.

    Raises:
        DataRefused: no two persons of the list go together.
    """
    stereotyped, others = find_sides(question, category, people)
    meetings = _Draw(category, stereotyped, others, rng).pairs(n)
    if not meetings:
        raise question.refusal("stereotyped", "no two persons of the list have the same `match`")
    variants = _variants(question, rng)
    n_units = min(n, len(meetings) * len(variants))
    is_first_negative = rng.permutation(np.arange(n_units) % 2 == 0)
    round_length = math.lcm(len(meetings), len(variants))
    return [
        Pair(
            stereotyped=meetings[k % len(meetings)][0],
            other=meetings[k % len(meetings)][1],
            # After each round the words move on by one, so that all combinations are met.
            words=variants[(k + k // round_length) % len(variants)],
            is_first_negative=bool(is_first_negative[k]),
        )
        for k in range(n_units)
    ]


def _variants(question: Question, rng: np.random.Generator) -> list[dict[str, str]]:
    """Return all combinations of the question's words in a drawn order."""
    names = list(question.words)
    pairs = [
        dict(zip(names, values, strict=True))
        for values in itertools.product(*question.words.values())
    ]
    return [pairs[i] for i in rng.permutation(len(pairs))]


class _Draw:
    """Draws pairs one by one, each time of those who were used least."""

    def __init__(
        self,
        category: str,
        stereotyped: list[Person],
        others: list[Person],
        rng: np.random.Generator,
    ) -> None:
        self._stereotyped = [stereotyped[i] for i in rng.permutation(len(stereotyped))]
        others = [others[i] for i in rng.permutation(len(others))]
        self._partners = {
            person: [other for other in others if _go_together(person, other)]
            for person in self._stereotyped
        }
        self._difference = _difference_key(category)
        self._used: Counter[object] = Counter()

    def pairs(self, n: int) -> list[tuple[Person, Person]]:
        """Return ``n`` pairs, or all that there are."""
        pairs: list[tuple[Person, Person]] = []
        while len(pairs) < n:
            open_ = [person for person in self._stereotyped if self._partners[person]]
            if not open_:
                break
            person = min(open_, key=self._use)
            other = min(
                self._partners[person],
                key=lambda other: (self._used[self._difference(person, other)], *self._use(other)),
            )
            self._partners[person].remove(other)
            self._used.update((person, person.group, other, other.group))
            self._used[self._difference(person, other)] += 1
            pairs.append((person, other))
        return pairs

    def _use(self, person: Person) -> tuple[int, int]:
        """Return how often a person's group and the person were used; ties go to the first."""
        return self._used[person.group], self._used[person]


def _go_together(person: Person, other: Person) -> bool:
    return not (person.match and other.match) or person.match == other.match


def _difference_key(category: str) -> Callable[[Person, Person], tuple[bool, ...]]:
    """Return what tells in which dimensions two persons differ; one answer outside of two."""
    if category not in SECOND_DIMENSION:
        return lambda _person, _other: ()

    def difference(person: Person, other: Person) -> tuple[bool, ...]:
        parts = (split_group(category, one.group) for one in (person, other))
        return tuple(one != two for one, two in zip(*parts, strict=True))

    return difference
