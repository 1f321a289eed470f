"""Word forms: each table is the specification of one filter."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.generator.english import (
    FILTERS,
    FormMissing,
    Word,
    article,
    capitalise,
    definite,
    demonym,
    plural,
    possessive,
    regular_plural,
    with_article,
)

A = """European unicorn university uniform unit union Ukrainian Ugandan Uruguayan user one-eyed
once-famous ewe eucalyptus US UN U.S. BBC NASA UNESCO judge Yemeni hotel Hindu Uyghur utopia
usual euro 1,100 7 100 uranium UFO DVD"""
AN = """African Atheist Indian Iraqi Italian orthodox uncle hour honest honour honor heir heiress
hourly MBA FBI HIV SMS X-ray umpire Uzbek unusual unimportant unintended unidentified 8 80 11 18
11-year-old 18-year-old 8,000 apple Israeli Omani upper-class only-child"""


@pytest.mark.parametrize("word", A.split())
def test_a_stands_before_the_sound_of_a_consonant(word: str) -> None:
    """A European, a unicorn, a US officer: the sound decides, not the letter."""
    assert article(word) == "a"


@pytest.mark.parametrize("word", AN.split())
def test_an_stands_before_the_sound_of_a_vowel(word: str) -> None:
    """An hour, an MBA, an 8: the sound decides, not the letter."""
    assert article(word) == "an"


@pytest.mark.parametrize(
    ("singular", "expected"),
    [
        ("Iraqi", "Iraqis"),
        ("bus", "buses"),
        ("box", "boxes"),
        ("church", "churches"),
        ("city", "cities"),
        ("boy", "boys"),
        ("German", "Germans"),
        ("human", "humans"),
        ("Frenchman", "Frenchmen"),
        ("woman", "women"),
        ("police woman", "police women"),
        ("child", "children"),
        ("Chinese", "Chinese"),
        ("Irish", "Irish"),
        ("French", "French"),
        ("Dutch", "Dutch"),
        ("Swiss", "Swiss"),
        ("dish", "dishes"),
        ("Roman", "Romans"),
    ],
)
def test_plurals_follow_the_spelling(singular: str, expected: str) -> None:
    """Peoples in -ese, -sh, -ch, -ss stay as they are; -man becomes -men but in German, human."""
    assert regular_plural(singular) == expected


def test_a_plural_of_the_list_goes_before_the_rules() -> None:
    """`plural` takes the list's own form: verbs agree with their subject."""
    assert plural(Word("was a cook", {"plural": "were cooks"})) == "were cooks"


def test_an_empty_plural_of_the_list_is_refused() -> None:
    """An attribute without plural form cannot stand in a plural template."""
    with pytest.raises(FormMissing, match="`was rude` has no plural"):
        plural(Word("was rude", {"plural": ""}))


def test_a_missing_demonym_is_refused() -> None:
    """A word without demonym cannot be asked for one."""
    with pytest.raises(FormMissing, match=r"`France` .*demonym"):
        demonym(Word("France"))


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (capitalise(with_article("European")), "A European"),
        (capitalise(with_article(Word("Iraq", {"demonym": "Iraqi"}))), "An Iraq"),
        (with_article(demonym(Word("Iraq", {"demonym": "Iraqi"}))), "an Iraqi"),
        (with_article(plural("Iraqi")), "Iraqis"),
        (capitalise(plural("judge")), "Judges"),
        (definite(Word("Netherlands", {"definite": "the Netherlands"})), "the Netherlands"),
        (definite("judge"), "the judge"),
        (possessive("James"), "James's"),
        (possessive(plural("judge")), "judges'"),
        (possessive(plural("woman")), "women's"),
        (capitalise(""), ""),
    ],
)
def test_filters_can_be_chained(made: str, expected: str) -> None:
    """Each filter takes what another one gives."""
    assert made == expected


@given(st.text(), st.sampled_from(sorted(FILTERS)))
def test_filters_take_any_text(text: str, name: str) -> None:
    """No text makes a filter fail, but one that lacks the form it is asked for."""
    try:
        result = FILTERS[name](text)
    except FormMissing:
        assert name == "demonym"
    else:
        assert isinstance(result, str)
