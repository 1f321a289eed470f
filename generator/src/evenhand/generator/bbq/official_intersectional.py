"""Who meets whom in the intersectional templates: race with gender, race with SES.

The stereotyped person meets three others: of the same race and the other gender or SES (a), of
another race and the same gender or SES (b), and of another race and the other gender or SES (c).
Source of the rules: what nyu-mll/BBQ does.
"""

from collections.abc import Iterator

from evenhand.generator.bbq.official_draws import (
    N_PERSONS,
    Draw,
    names_of_others,
    needed_words,
    slot_words,
    with_family_name,
)
from evenhand.generator.bbq.official_jinja import Pair, Person
from evenhand.generator.bbq.official_templates import OfficialTemplate, Second
from evenhand.generator.bbq.official_vocabulary import FIRST, Name, Vocabulary, needed_names

SUBCATEGORIES = ("intersectional_a", "intersectional_b", "intersectional_c")

Meeting = tuple[Person, tuple[Person, Person, Person]]
"""The stereotyped person and the three others."""


def intersectional_pairs(
    template: OfficialTemplate, second: Second, vocabulary: Vocabulary, draw: Draw
) -> Iterator[Pair]:
    """Yield the pairs of an intersectional template, each also with the persons exchanged.

    Raises:
        DataRefused: there are no words or too few names for a slot; the sentence names the row.
    """
    for person, others in _meetings(template, second, vocabulary, draw):
        words = slot_words(template, draw)
        pairs = [
            Pair(person, other, words, subcategory)
            for other, subcategory in zip(others, SUBCATEGORIES, strict=True)
        ]
        yield from pairs
        yield from (pair.swapped() for pair in pairs)


def _meetings(
    template: OfficialTemplate, second: Second, vocabulary: Vocabulary, draw: Draw
) -> Iterator[Meeting]:
    if not template.has_proper_names:
        return _by_labels(template, second, vocabulary, draw)
    if template.category == "Race_x_gender":
        return _by_names_and_gender(template, second, vocabulary, draw)
    return _by_names_and_ses(template, second, vocabulary, draw)


def _by_labels(
    template: OfficialTemplate, second: Second, vocabulary: Vocabulary, draw: Draw
) -> Iterator[Meeting]:
    words = vocabulary.category_words("Race_ethnicity", template.record)
    targets = [word for word in words if not template.groups or word.text in template.groups]
    firsts = draw.sample("first persons", needed_words(template, targets), N_PERSONS)
    others = needed_words(template, [word for word in words if word not in firsts])
    for first in firsts:
        for other in draw.sample("second persons", others, N_PERSONS):
            word, other_word = _second_words(template, second, vocabulary, draw)
            race, stranger = first.text, other.text
            yield (
                Person(race, f"{second.target}-{race}", word),
                (
                    Person(race, f"{second.other}-{race}", other_word),
                    Person(stranger, f"{second.target}-{stranger}", word),
                    Person(stranger, f"{second.other}-{stranger}", other_word),
                ),
            )


def _second_words(
    template: OfficialTemplate, second: Second, vocabulary: Vocabulary, draw: Draw
) -> tuple[str, str]:
    """Draw the words for the stereotyped gender or SES and for the other one."""
    if second.target_words:
        first, other = second.target_words, second.other_words
        return draw.choice("words of SES", first), draw.choice("words of SES", other)
    words = vocabulary.category_words("SES", template.record)
    kinds = [
        needed_words(
            template, [word for word in words if (word.info == second.target) == is_target]
        )
        for is_target in (True, False)
    ]
    first_word, other_word = (draw.choice("words of SES", kind) for kind in kinds)
    return first_word.text, other_word.text


def _targets(
    template: OfficialTemplate, gender: str, vocabulary: Vocabulary, draw: Draw
) -> list[Name]:
    """Draw first names of the stereotyped races, and of one gender if it is given."""
    names = vocabulary.names_with(
        FIRST, lambda name: name.race in template.groups and gender in ("", name.gender)
    )
    which = f"first names of {', '.join(template.groups)}" + (f", {gender}" if gender else "")
    return draw.sample("names", needed_names(names, N_PERSONS, which, vocabulary.folder), N_PERSONS)


def _by_names_and_gender(
    template: OfficialTemplate, second: Second, vocabulary: Vocabulary, draw: Draw
) -> Iterator[Meeting]:
    for first in _targets(template, second.target, vocabulary, draw):
        person = with_family_name(first, vocabulary, draw)
        kinds = ((True, False), (False, True), (False, False))
        trios = [
            _beside(first, vocabulary, draw, same_race=race, same_gender=gender)
            for race, gender in kinds
        ]
        yield from ((person, trio) for trio in zip(*trios, strict=True))


def _beside(
    first: Name, vocabulary: Vocabulary, draw: Draw, *, same_race: bool, same_gender: bool
) -> list[Person]:
    """Draw persons who share race, gender or neither with the first person."""
    names = vocabulary.names_with(
        FIRST,
        lambda name: (
            (name.race == first.race) == same_race
            and (name.gender == first.gender) == same_gender
            and name.text != first.text
        ),
    )
    race, gender = ("" if same else "other than " for same in (same_race, same_gender))
    which = f"first names of race {race}{first.race} and gender {gender}{first.gender}"
    needed_names(names, N_PERSONS, which, vocabulary.folder)
    return [
        with_family_name(one, vocabulary, draw) for one in draw.sample("names", names, N_PERSONS)
    ]


def _by_names_and_ses(
    template: OfficialTemplate, second: Second, vocabulary: Vocabulary, draw: Draw
) -> Iterator[Meeting]:
    for first in _targets(template, second.gender, vocabulary, draw):
        person = with_family_name(first, vocabulary, draw)
        alike = _beside(first, vocabulary, draw, same_race=True, same_gender=True)
        strangers = [
            with_family_name(name, vocabulary, draw)
            for name in draw.sample(
                "names", names_of_others(first, template, vocabulary), N_PERSONS
            )
        ]
        for a, b in zip(alike, strangers, strict=True):
            words = _second_words(template, second, vocabulary, draw)
            yield (
                _of(person, second.target, words[0]),
                (
                    _of(a, second.other, words[1]),
                    _of(b, second.target, words[0]),
                    _of(b, second.other, words[1]),
                ),
            )


def _of(person: Person, value: str, word: str) -> Person:
    """Return a person with a proper name as one of high or low SES."""
    return Person(person.name, f"{value}-{person.info}", word)
