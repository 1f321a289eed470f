"""Finds the two subjects of a question in its paragraph."""

import re

from evenhand.contract.errors import DataRefused

Span = tuple[int, int]
"""Index of the first character, and of the one after the last."""


def find_subjects(context: str, answers: tuple[str, str], *, row: str) -> tuple[Span, Span]:
    """Return the first mention of each subject, as whole words, ignoring case.

    The longer subject is searched for first, and the other one is not matched inside it: in
    "A Native American man met an American man", "American" is the second man.

    Args:
        context: the paragraph.
        answers: the words for x1 and x2.
        row: id of the row, for error messages.

    Raises:
        DataRefused: a subject is not in the paragraph.

    >>> find_subjects("Ann met Anne.", ("Anne", "Ann"), row="r")
    ((8, 12), (0, 3))
    """
    spans: dict[int, Span] = {}
    taken: list[Span] = []
    for index in sorted((0, 1), key=lambda i: -len(answers[i])):
        mentions = _mentions(context, answers[index])
        free = [span for span in mentions if not any(_overlap(span, other) for other in taken)]
        if not free:
            raise DataRefused(
                f"Row {row}: the subject {answers[index]!r} is not in its paragraph {context!r}."
            )
        spans[index] = free[0]
        # Later mentions too: the shorter subject must not be matched inside any of them.
        taken += mentions if answers[0].lower() != answers[1].lower() else free[:1]
    return spans[0], spans[1]


def _mentions(context: str, words: str) -> list[Span]:
    pattern = rf"(?<!\w){re.escape(words)}(?!\w)"
    return [match.span() for match in re.finditer(pattern, context, re.IGNORECASE)]


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]
