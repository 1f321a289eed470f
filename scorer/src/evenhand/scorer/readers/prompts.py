"""What a prompt shows: the options after the letters, and where it holds a question."""

import re

_LETTERED = re.compile(r"^[ \t]*[(\[]?([A-Z])[)\].:][ \t]*(\S.*?)[ \t]*$", re.MULTILINE)
_FEWEST = 2


def lettered_options(prompt: str) -> tuple[str, ...] | None:
    r"""Return the texts of the last list of lettered lines, None where there is none.

    >>> lettered_options("Who?\n(A) The man\n(B) The woman\n(C) Unknown\nAnswer: (")
    ('The man', 'The woman', 'Unknown')
    >>> lettered_options("A. one\nB. two\n\nA) x\nB) y\nC) z")
    ('x', 'y', 'z')
    """
    options: list[str] = []
    for letter, text in _LETTERED.findall(prompt):
        if letter == "A":
            options = [text]
        elif options and ord(letter) - ord("A") == len(options):
            options.append(text)
    return tuple(options) if len(options) >= _FEWEST else None


def one_space(text: str) -> str:
    """Return a text with single spaces, stripped."""
    return " ".join(text.split())


def letter_place(letter: str, n_options: int) -> int | None:
    """Return which option a letter stands for, None where it is none.

    >>> letter_place("b", 3), letter_place("D", 3)
    (1, None)
    """
    place = ord(letter.upper()) - ord("A") if len(letter) == 1 and letter.isascii() else -1
    return place if 0 <= place < n_options else None
