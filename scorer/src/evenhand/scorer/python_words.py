"""Advice in refusals, worded for the caller: options of a command, or arguments of a function."""

import contextlib
import re
from collections.abc import Iterator

from evenhand.contract import DataRefused, WrongUse

_WORDS = (
    (re.compile(r"add --allow-missing"), "pass allow_missing=True"),
    (re.compile(r"--allow-missing"), "allow_missing=True"),
    (re.compile(r"--(criterion|protocol) (\w+)"), r"\1='\2'"),
    (re.compile(r"--facts FILE"), "facts=Path(FILE)"),
    (re.compile(r"--(facts|criterion|protocol)\b"), r"\1"),
)


@contextlib.contextmanager
def speaking_python() -> Iterator[None]:
    """Name the arguments of a function where a refusal names options of the command line.

    Raises:
        DataRefused: what was refused inside.
        WrongUse: likewise.
    """
    try:
        yield
    except (DataRefused, WrongUse) as refused:
        said = in_python(str(refused))
        if said == str(refused):
            raise
        raise type(refused)(said) from refused.__cause__


def in_python(sentence: str) -> str:
    """Return a sentence with arguments in place of options.

    >>> in_python("Answer them, or add --allow-missing to leave them out.")
    'Answer them, or pass allow_missing=True to leave them out.'
    >>> in_python("--criterion l2 has no --protocol code.")
    "criterion='l2' has no protocol='code'."
    """
    for option, argument in _WORDS:
        sentence = option.sub(argument, sentence)
    return sentence
