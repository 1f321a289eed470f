"""Types of arguments on the command line: each reads a text or says what is wrong with it."""

import argparse
import datetime as dt


def positive_number(text: str) -> int:
    """Read a whole number above 0.

    Raises:
        ArgumentTypeError: it is none.
    """
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number above 0")
    return number


def day(text: str) -> str:
    """Read a day, ``YYYY-MM-DD``.

    Raises:
        ArgumentTypeError: it is none.
    """
    try:
        return dt.date.fromisoformat(text).isoformat()
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text} is not a day, e.g. 2026-11-30") from error
