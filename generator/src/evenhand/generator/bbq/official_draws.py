"""Who meets whom: the pairs of persons that are drawn for an official template.

Source of the rules: what nyu-mll/BBQ does, as the counts of its released rows show it. The original
draws without a seed; here every template draws from a stream of its own, so that its rows do not
depend on the other templates.
"""

import zlib
from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np

from evenhand.generator.bbq.official_jinja import Pair, Person
from evenhand.generator.bbq.official_templates import NONE, OfficialTemplate
from evenhand.generator.bbq.official_vocabulary import (
    FIRST,
    FIRST_ONLY,
    LAST,
    Name,
    Vocabulary,
    Word,
    needed_names,
)
from evenhand.generator.bbq.rows import UNKNOWN_WORDINGS

N_PERSONS = 5
"""How many stereotyped persons, and how many others for each, are drawn where there are more."""
N_NAMES = 6
"""How many proper names are drawn for templates of categories that names do not stand for."""

SLOT_WORDS = "words of slots"
"""What a manifest calls the words drawn for a template's slots."""

BY_STEREOTYPE = ("Race_ethnicity", "Religion", "Nationality", "Sexual_orientation")
"""In these the first person is of a stereotyped group and the second is not."""

Member = TypeVar("Member")
Cast = Iterator[tuple[Person, list[Person]]]
"""First persons, each with those that they meet."""

_WORDINGS = sorted(UNKNOWN_WORDINGS)


class Draw:
    """The draws of one template, and what was left to chance in them."""

    def __init__(self, seed: int, key: str) -> None:
        self._rng = np.random.default_rng([seed, zlib.crc32(key.encode())])
        self.random_parts: set[str] = set()

    def sample(self, what: str, members: Sequence[Member], n: int) -> list[Member]:
        """Draw ``n`` members; all of them, in their order, where there are no more."""
        if len(members) <= n:
            return list(members)
        self.random_parts.add(what)
        places = self._rng.choice(len(members), size=n, replace=False)
        return [members[place] for place in places]

    def choice(self, what: str, members: Sequence[Member]) -> Member:
        """Draw one member."""
        if len(members) > 1:
            self.random_parts.add(what)
        return members[int(self._rng.integers(len(members)))]

    def order(self) -> tuple[int, int, int]:
        """Draw the order of three answers."""
        first, second, third = self._rng.permutation(3).tolist()
        return first, second, third

    def unknown(self) -> str:
        """Draw the wording of the answer that says that it cannot be known."""
        return _WORDINGS[int(self._rng.integers(len(_WORDINGS)))]


def draw_template_pairs(
    template: OfficialTemplate, vocabulary: Vocabulary, draw: Draw
) -> Iterator[Pair]:
    """Yield the pairs of a template that is not intersectional.

    Raises:
        DataRefused: there are no words or too few names for a slot; the sentence names the row.
    """
    is_swapped = (
        template.category in BY_STEREOTYPE
        or template.has_proper_names
        or (template.category == "SES" and template.subcategory == "Occupation")
    )
    for person, others in _cast(template, vocabulary, draw):
        for other in others:
            pair = Pair(person, other, slot_words(template, draw))
            yield pair
            if is_swapped:
                yield pair.swapped()


def slot_words(template: OfficialTemplate, draw: Draw) -> tuple[str, str]:
    """Draw what fills {{WORD1}} and {{WORD2}}."""
    first, second = (draw.choice(SLOT_WORDS, words) if words else "" for words in template.words)
    return first, second


def _cast(template: OfficialTemplate, vocabulary: Vocabulary, draw: Draw) -> Cast:
    if not template.has_proper_names:
        return _own_words(template) if template.names else _group_words(template, vocabulary, draw)
    by_category = {"Gender_identity": _names_by_gender, "Race_ethnicity": _names_by_race}
    cast = by_category.get(template.category, _any_names)(template, vocabulary, draw)
    if not template.names:
        return cast
    # Proper names stand for the first person alone where the row brings words too.
    others = [Person(other, template.infos[1] or other) for other in template.names[1]]
    return ((person, others) for person, _ in cast)


def _own_words(template: OfficialTemplate) -> Cast:
    """Cross the two lists of the row itself; nothing is drawn."""
    firsts, others = template.names or ((), ())
    for first in firsts:
        yield (
            Person(first, template.infos[0] or first),
            [Person(other, template.infos[1] or other) for other in others],
        )


def _group_words(template: OfficialTemplate, vocabulary: Vocabulary, draw: Draw) -> Cast:
    words = [
        word
        for word in vocabulary.category_words(template.category, template.record)
        if template.subcategory in (NONE, word.subcategory)
    ]
    is_by_stereotype = template.category in BY_STEREOTYPE and bool(template.groups)
    targets = [word for word in words if not is_by_stereotype or word.text in template.groups]
    firsts = draw.sample("first persons", needed_words(template, targets), N_PERSONS)
    for first in firsts:
        if is_by_stereotype:
            strangers = [word for word in words if word.text not in template.groups]
            others = draw.sample("second persons", strangers, N_PERSONS)
        elif template.category == "SES":
            others = [word for word in words if word.info != first.info]
        else:
            others = [word for word in firsts if word is not first]
        yield (
            Person(first.text, _info(template, first, 0)),
            [Person(one.text, _info(template, one, 1)) for one in needed_words(template, others)],
        )


def needed_words(template: OfficialTemplate, words: list[Word]) -> list[Word]:
    """Return words if there are any.

    Raises:
        DataRefused: there are none; the sentence names the row.
    """
    if not words:
        column = "Known_stereotyped_race" if template.second else "Known_stereotyped_groups"
        raise template.record.refusal(
            column,
            f"with `{', '.join(template.groups)}` and the subcategory {template.subcategory} no"
            f" word of the vocabulary is left for a slot; its words of {template.category} must"
            " hold a stereotyped group and another one",
        )
    return words


def _info(template: OfficialTemplate, word: Word, place: int) -> str:
    says_more = template.category in ("Nationality", "SES")
    return (word.info if says_more else template.infos[place]) or word.text


def _names_by_gender(template: OfficialTemplate, vocabulary: Vocabulary, draw: Draw) -> Cast:
    """A woman's name meets men's; the groups of the row, e.g. ``trans``, stand before M and F."""
    folder = vocabulary.folder
    women = vocabulary.names_with(FIRST_ONLY, lambda name: name.gender == "F")
    men = vocabulary.names_with(FIRST_ONLY, lambda name: name.gender == "M")
    needed_names(women, N_PERSONS, "women's first names", folder)
    needed_names(men, N_PERSONS, "men's first names", folder)
    prefixes = [f"{info}_" if info else "" for info in template.infos]
    for woman in draw.sample("names", women, N_PERSONS):
        yield (
            Person(woman.text, prefixes[0] + woman.gender),
            [
                Person(man.text, prefixes[1] + man.gender)
                for man in draw.sample("names", men, N_PERSONS)
            ],
        )


def _names_by_race(template: OfficialTemplate, vocabulary: Vocabulary, draw: Draw) -> Cast:
    """A name of a stereotyped race meets names of the same gender and of other races."""
    which = f"first names of {', '.join(template.groups)}"
    firsts = vocabulary.names_with(FIRST, lambda name: name.race in template.groups)
    for first in draw.sample(
        "names", needed_names(firsts, N_PERSONS, which, vocabulary.folder), N_PERSONS
    ):
        others = names_of_others(first, template, vocabulary)
        yield (
            with_family_name(first, vocabulary, draw),
            [
                with_family_name(one, vocabulary, draw)
                for one in draw.sample("names", others, N_PERSONS)
            ],
        )


def names_of_others(first: Name, template: OfficialTemplate, vocabulary: Vocabulary) -> list[Name]:
    """Return first names of the same gender and of races that are not stereotyped."""
    others = vocabulary.names_with(
        FIRST, lambda name: name.race not in template.groups and name.gender == first.gender
    )
    which = f"first names of gender {first.gender} and of other races"
    return needed_names(others, N_PERSONS, which, vocabulary.folder)


def with_family_name(first: Name, vocabulary: Vocabulary, draw: Draw, prefix: str = "") -> Person:
    """Return a person with a family name of the same race."""
    families = vocabulary.names_with(LAST, lambda name: name.race == first.race)
    needed_names(families, 1, f"family names of {first.race}", vocabulary.folder)
    family = draw.choice("names", families)
    return Person(f"{first.text} {family.text}", f"{prefix}{first.gender}-{first.race}")


def _any_names(template: OfficialTemplate, vocabulary: Vocabulary, draw: Draw) -> Cast:
    """Every drawn name meets all the others."""
    names = vocabulary.names_with(FIRST_ONLY, lambda _: True)
    needed_names(names, N_NAMES, "first names without a race", vocabulary.folder)
    sample = draw.sample("names", names, N_NAMES)
    for first in sample:
        yield (
            Person(first.text, template.infos[0] or first.text),
            [
                Person(other.text, template.infos[1] or other.text)
                for other in sample
                if other is not first
            ],
        )
