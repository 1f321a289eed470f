"""The cases of a run: damage and file are drawn by a seed and a number, so each can be made again."""

import random
from collections.abc import Sequence
from pathlib import Path

from fuzzing import archives  # noqa: F401 - adds its families
from fuzzing.bases import Base
from fuzzing.damage import FAMILIES
from fuzzing.judging import Case

_RARE = {"bomb": 0.25, "long_line": 0.12, "parquet_bomb": 0.3}
"""Families that take long: so much of the others' share."""
_TRIES = 1000


def made(
    seed: int, number: int, bases: Sequence[Base], families: Sequence[str] = ()
) -> tuple[str, Base]:
    """Return the name of a case and its damaged file."""
    drawn = random.Random(f"{seed} {number}")  # noqa: S311 - nothing secret
    names = list(families or FAMILIES)
    weights = [1.0 if families else _RARE.get(name, 1.0) for name in names]
    for _ in range(_TRIES):
        name, base = drawn.choices(names, weights)[0], drawn.choice(bases)
        damaged = FAMILIES[name](base, drawn)
        if damaged is not None and damaged != base:
            return f"seed {seed}, case {number}: {name} of {base.stem}/{base.name}", damaged
    raise AssertionError(f"none of {names} damages any of the files")


def written(name: str, base: Base, folder: Path) -> Case:
    """Write a file and what lies beside it."""
    folder.mkdir(parents=True)
    for own, content in {**base.beside, base.name: base.content}.items():
        (folder / own).write_bytes(content)
    return Case(name, base, [folder / base.name, *(folder / own for own in base.given)])
