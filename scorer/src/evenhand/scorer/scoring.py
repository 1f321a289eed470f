"""From predictions files to metrics: what all benchmarks share, and what each brings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast

from evenhand.contract.report import Report
from evenhand.scorer.benchmark import benchmark
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.faults import Fault
from evenhand.scorer.statistics import DEFAULT_SAMPLING, Sampling

Rows = list[dict[str, Any]]
"""A table for people: one dict a row, the columns of the first."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the command line says about scoring."""

    configs: tuple[str, ...] = ()
    """Empty for all that occur in the predictions."""
    allow_missing: bool = False
    protocol: str | None = None
    sampling: Sampling = DEFAULT_SAMPLING
    options: Mapping[str, Any] = field(default_factory=dict)
    """The benchmark's own options by name."""


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


class Scoring(Protocol):
    """``evenhand.scorer.<stem>.files``: from files to metrics and their side files."""

    def score_files(
        self, paths: Sequence[Path], dataset: Dataset | None, reader: str, settings: Settings
    ) -> Outcome:
        """Score the predictions of one model; without a dataset, a file that describes itself."""

    def check_files(
        self, paths: Sequence[Path], dataset: Dataset | None, reader: str, configs: Sequence[str]
    ) -> Checked:
        """Return the coverage by config, all faults, and how the files were read."""

    def write_outcome(self, outcome: Any, path: Path) -> Report:
        """Write the metric JSON and its side files; return the report that names them."""

    def tables(self, outcome: Any, report: Report) -> list[Rows]:
        """Return the metrics and, behind them, the tables that people look at first."""


def scoring(stem: str) -> Scoring:
    """Import how a benchmark is scored."""
    return cast("Scoring", benchmark(stem).part("files"))
