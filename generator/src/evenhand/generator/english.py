"""English word forms for templates: articles by sound, plurals, possessives, capitals.

The functions of :data:`FILTERS` are the filters of a template. Each takes and returns a
:class:`Word`, so that they can be chained: ``{{ x1 | demonym | with_article | capitalise }}``.
"""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Self

_NO_FORMS: Mapping[str, str] = MappingProxyType({})


class Word(str):
    """Text that knows its other forms (``demonym``, ``plural``, ``definite``).

    >>> demonym(Word("France", {"demonym": "French"}))
    'French'
    """

    __slots__ = ("forms", "is_plural")

    forms: Mapping[str, str]
    is_plural: bool

    def __new__(
        cls, text: str, forms: Mapping[str, str] = _NO_FORMS, *, is_plural: bool = False
    ) -> Self:
        """Make a word with its forms; a form that is an empty string counts as missing."""
        word = super().__new__(cls, text)
        word.forms = forms
        word.is_plural = is_plural
        return word


def proper_name(name: str) -> Word:
    """Return a person's name, which stands without an article.

    >>> definite(proper_name("Ann Lee"))
    'Ann Lee'
    """
    return Word(name, {"definite": name, "indefinite": name})


class FormMissing(ValueError):
    """A word lacks the form that a filter asks for."""


# Vowel letters with the sound of a consonant: "you" (unicorn, European, Ukrainian) and "one".
_CONSONANT_SOUND = re.compile(
    r"eu|ew|one(?![a-z])|once|oui|uni(?![nm]|d[ei])|us[aeiu]|ut[aeio]|ub[iu]|uk|ug[ao]|ur[aiou]"
    r"|uy|ufo|ural|unesco",
    re.IGNORECASE,
)
# Consonant letters with the sound of a vowel: the h of hour, honest, honour, heir is silent.
_VOWEL_SOUND = re.compile(r"hour|honest|honou?r|heir(?!l)|heirloom", re.IGNORECASE)
_NAMED_WITH_A_VOWEL = frozenset("AEFHILMNORSX8")
"""Letters (and 8) whose spoken name begins with a vowel, as in "an MBA" and "an 8"."""
_EIGHTEEN_OR_ELEVEN = re.compile(r"(11|18)(?!\d)")
_SPELLED_AT_MOST = 3
"""Capitals that are spelled out letter by letter: up to three, or any number without a vowel."""


def article(text: str) -> str:
    """Return ``a`` or ``an`` by the sound that a text begins with.

    >>> [article(word) for word in ["European", "hour", "MBA", "unicorn", "unusual man", "8"]]
    ['a', 'an', 'an', 'a', 'an', 'an']
    """
    return "an" if _begins_with_vowel_sound(text) else "a"


def _begins_with_vowel_sound(text: str) -> bool:
    token, *hyphened = re.split(r"(?=[\s-])", text.lstrip("\"'("), maxsplit=1)
    first = token[:1]
    if first.isdigit():
        return first == "8" or bool(_EIGHTEEN_OR_ELEVEN.match(token))
    letters = token.replace(".", "")
    # A single capital is spelled where it begins a compound: an X-ray, a T-shirt.
    is_name = len(letters) > 1 or bool(hyphened and hyphened[0].startswith("-"))
    is_spelled = letters.isalpha() and letters.isupper() and is_name
    if is_spelled and (len(letters) <= _SPELLED_AT_MOST or not set(letters) & set("AEIOU")):
        return first in _NAMED_WITH_A_VOWEL
    if first.lower() in {"a", "e", "i", "o", "u"}:
        return not _CONSONANT_SOUND.match(token)
    return bool(_VOWEL_SOUND.match(token))


def with_article(word: str) -> Word:
    """Put the indefinite article before a word; a plural word takes none, nor does a name.

    >>> with_article(Word("European")), with_article(proper_name("Ann Lee"))
    ('a European', 'Ann Lee')
    """
    if isinstance(word, Word) and word.is_plural:
        return word
    return Word(_form(word, "indefinite") or f"{article(word)} {word}")


def definite(word: str) -> Word:
    """Return the form that stands in a sentence (``the Netherlands``), else ``the`` and the word.

    >>> definite(Word("Netherlands", {"definite": "the Netherlands"})), definite(Word("judge"))
    ('the Netherlands', 'the judge')
    """
    form = _form(word, "definite")
    return Word(form or f"the {word}", is_plural=isinstance(word, Word) and word.is_plural)


def capitalise(word: str) -> Word:
    """Make the first letter a capital and leave the others as they are.

    >>> capitalise("an MBA")
    'An MBA'
    """
    is_plural = isinstance(word, Word) and word.is_plural
    return Word(word[:1].upper() + word[1:], is_plural=is_plural)


def demonym(word: str) -> Word:
    """Return the people's form of a country.

    Raises:
        FormMissing: the list has no demonym for the word.
    """
    form = _form(word, "demonym")
    if not form:
        raise FormMissing(f"`{word}` has no demonym in its list")
    return Word(form)


def plural(word: str) -> Word:
    """Return the plural form: that of the list, else by the rules of English spelling.

    >>> plural(Word("was rude", {"plural": "were rude"})), plural("Iraqi"), plural("bus")
    ('were rude', 'Iraqis', 'buses')

    Raises:
        FormMissing: an attribute whose list has no plural form (verbs have no rule).
    """
    form = _form(word, "plural")
    if form is not None and not form:
        raise FormMissing(f"`{word}` has no plural form in its list")
    return Word(form or regular_plural(word), is_plural=True)


_SAME_IN_PLURAL = re.compile(r"[A-Z].*(ese|sh|tch|nch|ss)")
_NOT_OF_MAN = re.compile(
    r".*\b(brahman|burman|caiman|german|human|norman|ottoman|roman|shaman|talisman|turkoman)",
    re.IGNORECASE,
)
_IRREGULAR = {"man": "men", "woman": "women", "child": "children", "person": "people"}


def regular_plural(text: str) -> str:
    """Return the plural by spelling alone; nationalities in -ese, -sh, -ch stay as they are.

    >>> [regular_plural(word) for word in ["city", "boy", "Chinese", "Irish", "Frenchman", "box"]]
    ['cities', 'boys', 'Chinese', 'Irish', 'Frenchmen', 'boxes']
    """
    if _SAME_IN_PLURAL.fullmatch(text):
        return text
    for singular, irregular in _IRREGULAR.items():
        if text.endswith(singular) and not _NOT_OF_MAN.fullmatch(text):
            return text[: -len(singular)] + irregular
    if re.search(r"[^aeiou]y$", text, re.IGNORECASE):
        return text[:-1] + "ies"
    return text + ("es" if re.search(r"(s|x|z|ch|sh)$", text, re.IGNORECASE) else "s")


def possessive(word: str) -> Word:
    """Return the possessive; a plural in -s takes the apostrophe alone.

    >>> possessive("James"), possessive(plural("judge"))
    ("James's", "judges'")
    """
    is_plural = isinstance(word, Word) and word.is_plural
    return Word(f"{word}'" if is_plural and word.endswith("s") else f"{word}'s")


def _form(word: str, name: str) -> str | None:
    return word.forms.get(name) if isinstance(word, Word) else None


FILTERS: Mapping[str, Callable[[str], Word]] = MappingProxyType(
    {
        "with_article": with_article,
        "definite": definite,
        "capitalise": capitalise,
        "demonym": demonym,
        "plural": plural,
        "possessive": possessive,
    }
)
FORM_FILTERS = ("demonym", "plural")
"""Filters that change the words which stand for a subject; the others only dress them."""
