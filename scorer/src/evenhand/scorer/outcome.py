"""The outcome of scoring: a metric JSON and its side files, written together."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec
import polars as pl

from evenhand.contract.files import atomic_path, canonical_json, sha256_of_file, write_atomically
from evenhand.contract.report import Report, SideFile

Rows = list[dict[str, Any]]
"""A table: one dict a row, the columns of the first."""

ResultT = TypeVar("ResultT")


@dataclass(frozen=True, slots=True)
class Outcome(Generic[ResultT]):
    """A metric JSON with the contents of its side files, which are computed on demand."""

    report: Report
    results: list[ResultT]
    parts: Callable[[], pl.DataFrame]
    """The sufficient statistics and tables."""
    examples: Callable[[], Rows]
    """The strongest examples with their texts."""
    tables: Callable[[], list[Rows]]
    """The metrics and, behind them, the tables that people look at first."""


def write_outcome(outcome: Outcome[Any], path: Path) -> Report:
    """Write the metric JSON last, so that the files that it names exist.

    Args:
        outcome: what was scored.
        path: of the metric JSON; ``NAME.parts.parquet`` and ``NAME.examples.jsonl`` go beside it.

    Returns:
        The report with the names and digests of its side files.
    """
    name = path.name.removesuffix(".json")
    parts = path.with_name(f"{name}.parts.parquet")
    examples = path.with_name(f"{name}.examples.jsonl")
    lines = [f"{json.dumps(row, ensure_ascii=False)}\n" for row in outcome.examples()]
    with atomic_path(parts) as temporary:
        outcome.parts().write_parquet(temporary)
    write_atomically(examples, "".join(lines).encode())
    report = msgspec.structs.replace(
        outcome.report,
        parts=SideFile(name=parts.name, sha256=sha256_of_file(parts)),
        examples=SideFile(name=examples.name, sha256=sha256_of_file(examples)),
    )
    write_atomically(path, canonical_json(report))
    return report
