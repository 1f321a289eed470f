"""Groups of rows: canonical names, the dimension in which two people differ, and members."""

import functools
from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

NO_SUBCATEGORY = "None"
"""The release's value for a row without a subcategory."""

_SPELLINGS = {
    **dict.fromkeys(("m", "man", "men", "boy", "boys", "male", "males"), "M"),
    **dict.fromkeys(("f", "woman", "women", "girl", "girls", "female", "females"), "F"),
    **dict.fromkeys(("lowses", "low ses"), "lowSES"),
    **dict.fromkeys(("highses", "high ses"), "highSES"),
    **dict.fromkeys(
        ("trans", "trans_f", "trans_m", "transgender women", "transgender men"), "trans"
    ),
}
"""Lower case -> the spelling in the release's answers. Only whole names are mapped: ``nonOld``
is not ``old``, and African is not African American."""

_SES = ("lowSES", "highSES")
_GENDERS = ("M", "F")
SECOND_DIMENSION = {"Race_x_gender": "gender", "Race_x_SES": "SES"}
"""Intersectional category -> the dimension that it combines with race."""


@functools.cache
def canonical(name: str) -> str:
    """Return a group's name in its canonical spelling.

    >>> [canonical(name) for name in ("girl", "F-Black", "low SES", "trans_F", "nonOld")]
    ['F', 'Black', 'lowSES', 'trans', 'nonOld']
    """
    plain = name.strip(" {}")
    plain = plain[2:] if plain[:2] in {"M-", "F-"} else plain
    return _SPELLINGS.get(plain.casefold(), plain)


@functools.cache
def differing_dimension(category: str, first: str, second: str) -> str | None:
    """Return the dimension in which the two people of an intersectional row differ.

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
    people = [_split_group(name, second_name) for name in (first, second)]
    if not all(race and other for race, other in people):
        return None
    pairs = zip(("race", second_name), zip(*people, strict=True), strict=True)
    return " and ".join(name for name, (one, two) in pairs if one != two) or None


def _split_group(name: str, second: str) -> tuple[str, str]:
    """Return race, and gender or SES; each is empty if the name does not contain it."""
    ses, gender, race = "", "", name.strip(" {}")
    for part in _SES:
        if race.startswith(part):
            ses, race = part, race.removeprefix(part).removeprefix("-")
    for part in _GENDERS:
        if race.startswith(f"{part}-"):
            gender, race = part, race.removeprefix(f"{part}-")
    return race.strip(), ses if second == "SES" else gender


def group_rows(
    items: pl.DataFrame, configs: Sequence[str]
) -> dict[str, dict[str, NDArray[np.int64]]]:
    """Return dimension -> group -> indices of its rows; a row may have several groups, or none.

    A row with two stereotyped groups counts once in each group and once in the total. Subcategories
    and differing dimensions are named with their category.
    """
    category = items["category"].to_list()
    subcategory = [
        [f"{config}/{name}"] if name and name != NO_SUBCATEGORY else []
        for config, name in zip(category, items["subcategory"].to_list(), strict=True)
    ]
    stereotyped = [
        sorted({canonical(name) for name in names} - {""})
        for names in items["stereotyped_groups"].to_list()
    ]
    order = {name: place for place, name in enumerate(configs)}
    members = {
        "category": _members([[name] for name in category]),
        "subcategory": _members(subcategory),
        "label_type": _members([[name] for name in items["label_type"].to_list()]),
        "stereotyped_group": _members(stereotyped),
        "differing_dimension": _members(_differing_dimensions(items)),
    }
    members["category"] = dict(
        sorted(members["category"].items(), key=lambda named: order[named[0]])
    )
    return members


def _differing_dimensions(items: pl.DataFrame) -> list[list[str]]:
    dimensions = []
    names = ("category", "answer_group", "unknown")
    columns = zip(*(items[name].to_list() for name in names), strict=True)
    for category, groups, unknown in columns:
        first, second = (group for place, group in enumerate(groups) if place != unknown)
        differing = differing_dimension(category, first, second)
        dimensions.append([f"{category}/{differing}"] if differing else [])
    return dimensions


def _members(names: Sequence[Sequence[str]]) -> dict[str, NDArray[np.int64]]:
    """Return name -> indices of the rows with that name, sorted by name."""
    members: dict[str, list[int]] = {}
    for place, groups in enumerate(names):
        for name in groups:
            members.setdefault(name, []).append(place)
    return {name: np.array(members[name], dtype=np.int64) for name in sorted(members)}
