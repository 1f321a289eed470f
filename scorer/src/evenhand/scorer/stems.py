"""What every benchmark offers on the scorer's side, and how a command gets at it."""

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast

from evenhand.contract.report import Report
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.faults import Fault
from evenhand.scorer.statistics import DEFAULT_SAMPLING, Sampling

Rows = list[dict[str, Any]]
"""A table for people: one dict a row, the columns of the first."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line says about scoring."""

    configs: tuple[str, ...] = ()
    """Empty for all that occur in the predictions."""
    allow_missing: bool = False
    protocol: str | None = None
    sampling: Sampling = DEFAULT_SAMPLING
    criterion: str | None = None
    """BVF: how strong stereotypes are taken to be; None for the paper's."""
    facts: Sequence[Path] | None = None
    """BVF: what is known of subjects; None for the table that comes with Evenhand."""


class Checked(NamedTuple):
    """What ``evenhand check`` prints; a benchmark may leave out the notes."""

    coverage: Rows
    faults: list[Fault]
    notes: Sequence[str] = ()
    """What is no fault and yet to be known: how a file was read, what is unscored and why."""


class Outcome(Protocol):
    """A report with what its side files are made of."""

    @property
    def report(self) -> Report:
        """The metrics."""


class StemModule(Protocol):
    """``evenhand.scorer.<stem>.files``: from files to metrics and their side files."""

    READERS: tuple[str, ...]
    """Formats that are read, ours (``evenhand``) first; ``NAME[:WHAT]`` may be told to choose.

    ``OPTIONS`` may name the fields of :class:`Options` that this benchmark alone reads.
    """

    def score_files(
        self, paths: Sequence[Path], dataset: Dataset | None, reader: str, options: Options
    ) -> Outcome:
        """Score the predictions of one model; without a dataset, a file that describes itself."""

    def check_files(
        self, paths: Sequence[Path], dataset: Dataset | None, reader: str, configs: Sequence[str]
    ) -> tuple[Rows, list[Fault]]:
        """Return the coverage by config, and all faults; see :class:`Checked`."""

    def write_outcome(self, outcome: Any, path: Path) -> Report:
        """Write the metric JSON and its side files; return the report that names them."""

    def tables(self, outcome: Any, report: Report) -> list[Rows]:
        """Return the metrics and, behind them, the tables that people look at first."""


def stem_module(stem: str) -> StemModule:
    """Import the files module of a benchmark."""
    return cast("StemModule", importlib.import_module(f"evenhand.scorer.{stem}.files"))
