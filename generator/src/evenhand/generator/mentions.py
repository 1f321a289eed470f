"""Finds the words that stand for two persons or subjects in a text."""

import re
from functools import cache


def mentions(text: str, words: tuple[str, str]) -> tuple[list[str], list[str]]:
    """Return, for each of two phrases, the places where it stands as whole words.

    A filter may have made the first letter a capital. The longer phrase is found first and its
    places are no places of the shorter one: "African" also stands in "African American".

    >>> mentions("An African met the African American.", ("African", "African American"))
    (['African'], ['African American'])
    """
    if len(words[0]) < len(words[1]):
        shorter, longer = mentions(text, (words[1], words[0]))[::-1]
        return shorter, longer
    longer = _pattern(words[0]).findall(text)
    if words[1].casefold() in words[0].casefold():
        text = _pattern(words[0]).sub(" ", text)
    return longer, _pattern(words[1]).findall(text)


@cache
def _pattern(words: str) -> re.Pattern[str]:
    """Return a pattern for whole words whose first letter may be a capital."""
    start = f"(?:{re.escape(words[0])}|{re.escape(words[0].upper())})"
    return re.compile(rf"(?<!\w){start}{re.escape(words[1:])}(?!\w)")
