"""Faults of predictions: one record per kind, with a count and the first five."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import polars as pl

from evenhand.contract import DataRefused

FIRST = 5
"""How many faults of one kind are named."""
MOST = 1_000_000
"""A file with this many faults is not read to its end."""


def excerpt(text: str, characters: int = 160) -> str:
    r"""Return a text from a file on one line, shortened so that a sentence can hold it.

    >>> excerpt("one\ttwo"), excerpt("abcdefgh", 5)
    ('one two', 'ab...')
    """
    line = " ".join(text[: 2 * characters].split())
    return line if len(line) <= characters else f"{line[: characters - 3]}..."


def what_stands(row: Any, error: msgspec.ValidationError) -> str:
    """Say what the faulty field of a row holds; what was expected belongs into the remedy.

    Args:
        row: as it was decoded; None where it cannot be.
        error: what is wrong with it, with the path of the field.
    """
    what, _, where = str(error).partition(" - at `$")
    name = where.strip("`.").partition("[")[0]
    if isinstance(row, dict) and name in row:
        return f"{name} is {excerpt(json.dumps(row[name], ensure_ascii=False, default=str), 60)}"
    return f"{what[:1].lower()}{what[1:]}"


class Fault(NamedTuple):
    """All faults of one kind in one file or config."""

    kind: str
    """E.g. ``missing ids``, ``out of range``."""
    n: int
    first: tuple[str, ...]
    """At most :data:`FIRST` of them: ids, or rows with what stands there."""
    remedy: str
    """What was expected, or what to do."""

    def sentence(self) -> str:
        """Say it in one sentence.

        >>> Fault("missing ids", 7, ("a", "b"), "Score them.").sentence()
        'missing ids: 7 (a, b, ...). Score them.'
        """
        more = ", ..." if self.n > len(self.first) else ""
        named = f" ({', '.join(self.first)}{more})" if self.first else ""
        return f"{self.kind}: {self.n:,}{named}. {self.remedy}"


class FaultList:
    """Collects faults row by row and keeps the first few of each kind."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], tuple[int, list[str]]] = {}

    def add(self, kind: str, remedy: str, place: str) -> None:
        """Count one fault."""
        count, first = self._found.get((kind, remedy), (0, []))
        named = first if len(first) >= FIRST else [*first, excerpt(place)]
        self._found[kind, remedy] = (count + 1, named)

    def add_many(self, kind: str, remedy: str, places: Iterable[str], count: int) -> None:
        """Count faults of which only the first few are named."""
        if not count:
            return
        known, first = self._found.get((kind, remedy), (0, []))
        self._found[kind, remedy] = (known + count, [*first, *map(excerpt, places)][:FIRST])

    def refuse_a_million(self, path: Path) -> None:
        """Stop reading a file with so many faults that it cannot be a predictions file.

        Raises:
            DataRefused: there are :data:`MOST` faults; the first kind is named.
        """
        n = sum(count for count, _ in self._found.values())
        if n >= MOST:
            raise DataRefused(
                f"{path} has more than {MOST:,} faults and is not read further; first:"
                f" {self.to_list()[0].sentence()}"
            )

    def to_list(self) -> list[Fault]:
        """Return the faults, in the order in which each kind first occurred."""
        return [
            Fault(kind, count, tuple(first), remedy)
            for (kind, remedy), (count, first) in self._found.items()
        ]


def refuse(name: str, faults: Sequence[Fault], *, command: str | None = None) -> None:
    """Raise the first fault, naming how many more there are and the command that lists them."""
    if not faults:
        return
    rest = len(faults) - 1
    more = f" There {'is 1 more kind' if rest == 1 else f'are {rest} more kinds'} of fault."
    more = more if rest else ""
    hint = f" `{command}` lists all." if command else ""
    raise DataRefused(f"{name}: {faults[0].sentence()}{more}{hint}")


def unscored_warnings(config: str, ids: pl.Series, why: pl.Series) -> list[str]:
    """Say for each reason how many rows of a config are unscored, and which come first.

    Args:
        config: name of the config.
        ids: of its rows.
        why: why a row is unscored, null where it is scored.

    >>> unscored_warnings("Age", pl.Series(["a", "b"]), pl.Series(["refusal", None]))
    ['Age: 1 of 2 rows are unscored: refusal (a).']
    """
    sentences = []
    for reason in sorted(why.drop_nulls().unique().to_list()):
        unscored = ids.filter(why == reason)
        more = ", ..." if len(unscored) > FIRST else ""
        sentences.append(
            f"{config}: {len(unscored):,} of {len(ids):,} rows are unscored: {reason}"
            f" ({', '.join(unscored.head(FIRST))}{more})."
        )
    return sentences
