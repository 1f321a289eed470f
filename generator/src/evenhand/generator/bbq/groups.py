"""Names of groups in one spelling, so that they are compared whole and never by a part.

The release spells one group in several ways: ``woman``, ``girl`` and ``F``; ``low SES`` and
``lowSES``; ``trans_F`` and ``transgender women``. And one name is a part of another: ``old`` of
``nonOld``, ``African`` of ``African American``.
"""

import functools
import re
from collections.abc import Iterable, Iterator

MALE, FEMALE = "M", "F"

_GENDER_OF_WORD = {
    **dict.fromkeys(
        ("m", "man", "men", "male", "males", "boy", "boys", "guy", "guys", "gentleman", "father"),
        MALE,
    ),
    **dict.fromkeys(
        ("f", "woman", "women", "female", "females", "girl", "girls", "lady", "ladies", "mother"),
        FEMALE,
    ),
}
_OTHER_SPELLINGS = {
    "low ses": "lowses",
    "high ses": "highses",
    "latina": "latino",
    "latinas": "latino",
    "african-american": "african american",
    **dict.fromkeys(
        (
            *("trans_f", "trans_m", "transgender", "transgender women", "transgender men"),
            *("transgender woman", "transgender man", "transgender people"),
        ),
        "trans",
    ),
    **dict.fromkeys(("nontrans_f", "nontrans_m", "non trans"), "nontrans"),
}

RACES = frozenset(
    (
        *("african", "african american", "arab", "asian", "black", "caucasian", "european"),
        *("hispanic", "jewish", "latino", "middle eastern", "native american", "roma"),
        *("south american", "white"),
    )
)
"""Source: the groups of race and ethnicity in the release's ``vocabulary.csv``."""

_SES_PREFIX = re.compile(r"(lowses|highses)(?:-|$)", re.IGNORECASE)
_GENDER_PREFIX = re.compile(r"([MF])-")
_WORD = re.compile(r"\w+(?:-\w+)*")


@functools.cache
def canonical(name: str) -> str:
    """Return the one spelling of a group's name.

    >>> [canonical(name) for name in ("girl", "F-Black", "low SES", "trans_F", "nonOld")]
    ['F', 'black', 'lowses', 'trans', 'nonold']
    """
    plain = _GENDER_PREFIX.sub("", name.strip(" {}"), count=1).strip().casefold()
    return _GENDER_OF_WORD.get(plain) or _OTHER_SPELLINGS.get(plain, plain)


@functools.cache
def find_group_name(text: str, names: frozenset[str]) -> str | None:
    """Return the first group whose name stands in a text as whole words, longer names first.

    >>> (
    ...     find_group_name("The African American man", RACES),
    ...     find_group_name("My Latina friend", RACES),
    ... )
    ('african american', 'latino')
    >>> find_group_name("the Blackwells", RACES) is None
    True
    """
    return next((name for name in _phrases(text) if name in names), None)


def _phrases(text: str) -> Iterator[str]:
    words = _WORD.findall(text)
    for size in (3, 2, 1):
        for start in range(len(words) - size + 1):
            yield canonical(" ".join(words[start : start + size]))


@functools.cache
def gender_named_in(text: str) -> str | None:
    """Return M or F if a text has a word for one of them and none for the other.

    >>> gender_named_in("The Asian woman"), gender_named_in("Manuel Gonzalez")
    ('F', None)
    """
    words = (word.casefold() for word in _WORD.findall(text) if len(word) > 1)
    genders = {_GENDER_OF_WORD[word] for word in words if word in _GENDER_OF_WORD}
    return genders.pop() if len(genders) == 1 else None


@functools.cache
def parse_group_info(info: str) -> tuple[str | None, str | None, str]:
    """Take the info of an intersectional set apart.

    Returns:
        SES (``lowses``, ``highses`` or None), gender (``M``, ``F`` or None), and the race, empty
        where the info does not name it.

    >>> (
    ...     parse_group_info("lowSES-F-Black"),
    ...     parse_group_info("M-African American"),
    ...     parse_group_info(""),
    ... )
    (('lowses', 'F', 'black'), (None, 'M', 'african american'), (None, None, ''))
    """
    rest = info.strip(" {}")
    ses = _SES_PREFIX.match(rest)
    rest = rest[ses.end() :] if ses else rest
    gender = _GENDER_PREFIX.match(rest)
    rest = rest[gender.end() :] if gender else rest
    return ses and ses[1].casefold(), gender and gender[1], canonical(rest)


def canonical_groups(category: str, groups: Iterable[str]) -> frozenset[str]:
    """Return the spellings of a row's stereotyped groups.

    A question about one kind of disability lists that kind, sometimes alone, where the answers
    say ``disabled``.
    """
    names = {canonical(name) for name in groups if name.strip()}
    if category == "Disability_status" and names and "nondisabled" not in names:
        names.add("disabled")
    return frozenset(names)
