"""The cases of a run, each drawn by a seed and a number, so that it can be made again."""

import random
from collections.abc import Sequence
from pathlib import Path

from fuzzing import (  # noqa: F401 - each adds its families
    damage_archives,
    damage_files,
    damage_tables,
    damage_values,
)
from fuzzing.bases import Base
from fuzzing.damage import FAMILIES
from fuzzing.judging import Case

_RARE = {"bomb": 0.12, "long_line": 0.1, "parquet_bomb": 0.2, "member_contents": 0.4}
"""Families that take long: so much of the others' share."""
_TRIES = 1000


def made(
    seed: int, number: int, bases: Sequence[Base], families: Sequence[str] = ()
) -> tuple[str, Base, Base]:
    """Return the name of a case, its file, and that file damaged."""
    drawn = random.Random(f"{seed} {number}")  # noqa: S311 - nothing secret
    names = list(families or FAMILIES)
    weights = [1.0 if families else _RARE.get(name, 1.0) for name in names]
    for _ in range(_TRIES):
        name, base = drawn.choices(names, weights)[0], drawn.choice(bases)
        damaged = FAMILIES[name](base, drawn)
        if damaged is not None and damaged != base:
            return f"seed {seed}, case {number}: {name} of {base.stem}/{base.name}", base, damaged
    raise AssertionError(f"none of {names} damages any of the files")


def written(name: str, base: Base, damaged: Base, folder: Path) -> Case:
    """Write a file and what lies beside it."""
    folder.mkdir(parents=True)
    for own, content in {**damaged.beside, damaged.name: damaged.content}.items():
        (folder / own).write_bytes(content)
    paths = [folder / damaged.name, *(folder / own for own in damaged.given)]
    return Case(name, base, damaged, paths)
