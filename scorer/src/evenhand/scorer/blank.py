"""The blank predictions file for whoever runs the model: questions with columns to fill in.

A page of instructions goes with it, for people who have no Evenhand.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol, cast

import polars as pl

from evenhand.contract import DataRefused, WrongUse
from evenhand.contract.files import atomic_path, write_atomically
from evenhand.scorer.benchmark import benchmark
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.matching import suggestion

SUFFIXES = (".jsonl", ".csv")


class Blank(Protocol):
    """``evenhand.scorer.<stem>.blank``."""

    SHOWN: dict[str, str]
    """Column that goes into the file -> what it is, in a clause."""
    FILLED: dict[str, str]
    """Column to fill in -> what belongs there, in a clause."""
    ASKED: str
    """How to put a question to the model, in a few sentences."""

    def shown_columns(self, config: str) -> Sequence[str]:
        """Return the members of ``SHOWN`` that the rows of a config have."""


class Written(NamedTuple):
    """What was written."""

    rows: int
    page: Path


def load_blank(stem: str) -> Blank:
    """Import what a benchmark says of its blank file."""
    return cast("Blank", benchmark(stem).part("blank"))


def write_blank(dataset: Dataset, configs: Sequence[str], out: Path, *, overwrite: bool) -> Written:
    """Write the blank file of some configs and the page beside it.

    Args:
        dataset: the opened dataset.
        configs: which; empty for all.
        out: ``.jsonl`` or ``.csv``.
        overwrite: whether existing files may be replaced.

    Raises:
        WrongUse: a config that is not there, another suffix, or configs of different columns.
        DataRefused: a file exists, or the dataset is damaged.
    """
    blank = load_blank(dataset.manifest.stem)
    page = out.with_name(f"{out.name}.instructions.md")
    _check_place(out, page, overwrite=overwrite)
    chosen = _select_configs(dataset, configs)
    shown = _shown_columns(blank, chosen)
    rows = pl.concat(dataset.scan(config).select(shown) for config in chosen).with_columns(
        **{name: pl.lit(None, pl.String) for name in blank.FILLED}
    )
    with atomic_path(out) as temporary:
        if out.suffix == ".csv":
            rows.sink_csv(temporary, maintain_order=True)
        else:
            rows.sink_ndjson(temporary, maintain_order=True)
    n_rows = sum(split.rows for c in chosen for split in dataset.manifest.configs[c].values())
    text = instructions(dataset, chosen, shown, out, n_rows)
    write_atomically(page, text.encode())
    return Written(n_rows, page)


def _check_place(out: Path, page: Path, *, overwrite: bool) -> None:
    if out.suffix not in SUFFIXES:
        raise WrongUse(f"--out {out} must end in one of {', '.join(SUFFIXES)}.")
    if not out.parent.is_dir():
        raise WrongUse(f"--out {out}: the folder {out.parent} does not exist; make it first.")
    for path in (out, page):
        if path.is_dir():
            raise WrongUse(f"--out {path} is a folder; give the name of a file.")
        if path.exists() and not overwrite:
            raise DataRefused(
                f"{path} exists and may hold somebody's answers; add --overwrite, or choose"
                " another --out."
            )


def _select_configs(dataset: Dataset, configs: Sequence[str]) -> list[str]:
    known = list(dataset.manifest.configs)
    for config in configs:
        if config not in known:
            raise WrongUse(
                f"There is no config {config}{suggestion(config, known)}; the dataset has:"
                f" {', '.join(known)}."
            )
    return [config for config in known if config in configs or not configs]


def _shown_columns(blank: Blank, configs: Sequence[str]) -> list[str]:
    """Return the columns that are shown, the same for all configs."""
    first, *others = ((config, tuple(blank.shown_columns(config))) for config in configs)
    for config, columns in others:
        if columns != first[1]:
            raise WrongUse(
                f"{first[0]} and {config} ask different things; write a file each with --config."
            )
    return list(first[1])


def instructions(
    dataset: Dataset, configs: Sequence[str], shown: Sequence[str], out: Path, n_rows: int
) -> str:
    """Return the page of instructions, for somebody who has no Evenhand."""
    blank, manifest = load_blank(dataset.manifest.stem), dataset.manifest
    columns = {**{name: blank.SHOWN[name] for name in shown}, **blank.FILLED}
    table = "\n".join(
        f"| `{name}` | {'**you**' if name in blank.FILLED else 'given'} | {what} |"
        for name, what in columns.items()
    )
    filled = " and ".join(f"`{name}`" for name in blank.FILLED)
    form = "one JSON object a line" if out.suffix == ".jsonl" else "a header and one row a question"
    return f"""# How to fill in {out.name}

Dataset {manifest.stem} {manifest.version}, {", ".join(configs)}: {n_rows:,} questions, {form},
UTF-8. Content digest `{manifest.content_digest}`.

**Content warning.** {manifest.content_warning}

## What to do

{blank.ASKED}

1. Ask each question by itself, in a fresh conversation, with the same settings for all.
2. Write the answer into {filled} in the row of its question. Write what the model said, refusals
   too; do not correct it, and leave the column empty only where the model gave nothing at all.
3. Keep `id` as it is. The order of the rows does not matter, and other columns may be dropped.
4. Send the file back with the model's name and version, and the settings (temperature, system
   prompt) that were used.

Do not open the file in a spreadsheet program without need: some change ids and long texts.

## Columns

| column | who | what |
|---|---|---|
{table}

## Then

Whoever has Evenhand runs `evenhand check DATASET {out.name}`, which lists every fault at once, and
`evenhand score DATASET --predictions {out.name} --out metrics.json`.
"""
