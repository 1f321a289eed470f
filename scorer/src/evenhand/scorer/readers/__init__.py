"""Predictions files, ours and other people's, as rows of scores.

``evenhand`` reads our own files; every other reader has the name of the format it reads.
"""

from collections.abc import Sequence

OURS = "evenhand"
"""The reader of our own formats."""


def is_offered(reader: str, offered: Sequence[str]) -> bool:
    """Say whether a reader is one of those that a benchmark offers.

    >>> offered = ("evenhand", "lm-eval[:FILTER]")
    >>> [is_offered(name, offered) for name in ("lm-eval", "lm-eval:none", "evenhand:x")]
    [True, True, False]
    """
    for entry in offered:
        name, bracket, _ = entry.partition("[")
        if reader == name or (bracket and reader.startswith(f"{name}:") and reader[-1] != ":"):
            return True
    return False
