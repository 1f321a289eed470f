"""Names of categories: spelled as in the release, or refused with the right spelling."""

import difflib

from evenhand.contract import WrongUse
from evenhand.contract.bbq import CATEGORIES
from evenhand.contract.errors import DataRefused


def near_category(name: str) -> str | None:
    """Return the category that a name was meant for.

    >>> near_category("race-ethnicity"), near_category("SexualOrientation"), near_category("x")
    ('Race_ethnicity', 'Sexual_orientation', None)
    """
    folded = {category.casefold(): category for category in CATEGORIES}
    near = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
    return folded[near[0]] if near else None


def checked_category(name: str, place: str) -> None:
    """Refuse a row of a category that is none.

    Raises:
        DataRefused: the sentence names the right spelling.
    """
    if name not in CATEGORIES:
        raise DataRefused(f"{place}: field `category` is `{name}`; {_hint(name)}")


def checked_configs(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the configs without repetition.

    Raises:
        WrongUse: one is no category.
    """
    for name in names:
        if name not in CATEGORIES:
            raise WrongUse(f"There is no config {name}; {_hint(name)}")
    return tuple(dict.fromkeys(names))


def _hint(name: str) -> str:
    near = near_category(name)
    if near:
        return f"did you mean `{near}`?"
    return f"the categories are {', '.join(CATEGORIES)}."
