"""Names of groups in one spelling, and the dimension in which two people differ."""

import functools

_SPELLINGS = {
    **dict.fromkeys(("m", "man", "men", "boy", "boys", "male", "males"), "M"),
    **dict.fromkeys(("f", "woman", "women", "girl", "girls", "female", "females"), "F"),
    **dict.fromkeys(("lowses", "low ses"), "lowSES"),
    **dict.fromkeys(("highses", "high ses"), "highSES"),
    **dict.fromkeys(
        ("trans", "trans_f", "trans_m", "transgender women", "transgender men"), "trans"
    ),
}
"""Lower case -> the spelling of the release's answers. Whole names only: ``nonOld`` is not
``old``, and African is not African American."""

_SES = ("lowSES", "highSES")
_GENDERS = ("M", "F")
SECOND_DIMENSION = {"Race_x_gender": "gender", "Race_x_SES": "SES"}
"""Intersectional category -> what people differ in beside race."""


@functools.cache
def canonical(name: str) -> str:
    """Return a group's name in one spelling.

    >>> [canonical(name) for name in ("girl", "F-Black", "low SES", "trans_F", "nonOld")]
    ['F', 'Black', 'lowSES', 'trans', 'nonOld']
    """
    plain = name.strip(" {}")
    plain = plain[2:] if plain[:2] in {"M-", "F-"} else plain
    return _SPELLINGS.get(plain.casefold(), plain)


@functools.cache
def differing_dimension(category: str, first: str, second: str) -> str | None:
    """Return in what the two people of an intersectional row differ, by their group's names.

    >>> differing_dimension("Race_x_gender", "F-Black", "M-White")
    'race and gender'
    >>> differing_dimension("Race_x_SES", "lowSES-Black", "highSES-Black")
    'SES'
    >>> differing_dimension("Age", "old", "nonOld") is None
    True
    """
    second_name = SECOND_DIMENSION.get(category)
    if second_name is None:
        return None
    people = [_taken_apart(name, second_name) for name in (first, second)]
    if not all(race and other for race, other in people):
        return None
    pairs = zip(("race", second_name), zip(*people, strict=True), strict=True)
    return " and ".join(name for name, (one, two) in pairs if one != two) or None


def _taken_apart(name: str, second: str) -> tuple[str, str]:
    """Return race, and gender or SES; empty where the name does not say."""
    ses, gender, race = "", "", name.strip(" {}")
    for part in _SES:
        if race.startswith(part):
            ses, race = part, race.removeprefix(part).removeprefix("-")
    for part in _GENDERS:
        if race.startswith(f"{part}-"):
            gender, race = part, race.removeprefix(f"{part}-")
    return race.strip(), ses if second == "SES" else gender
