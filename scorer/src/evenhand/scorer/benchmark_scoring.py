"""A benchmark's part of scoring, which ``evenhand.scorer.<stem>.scoring`` provides.

The module has a function ``scoring_for`` that returns a :class:`BenchmarkScoring`, ready for one
dataset and the benchmark's options; ``evenhand.scorer.scoring`` goes through its methods.
Nothing presumes one file, one row an id, or one config a result: rows may be several answers,
annotations or pairs, and results may join configs.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

import polars as pl

from evenhand.contract.report import Metric, Report
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.faults import Fault, FaultList
from evenhand.scorer.frames import Kinds
from evenhand.scorer.inputs import Inputs
from evenhand.scorer.outcome import Rows
from evenhand.scorer.provenance import Provenance

Texts = Callable[[str, pl.Series], Mapping[Any, Mapping[str, Any]]]
"""Given a config and keys of its rows (a series ``id``, or ``row``): key -> column -> text."""

EXAMPLES_PER_METRIC = 200
"""The examples file holds at most this many rows per metric."""


class Checked(NamedTuple):
    """What ``evenhand check`` prints; a benchmark may leave out the notes."""

    coverage: Rows
    faults: list[Fault]
    notes: Sequence[str] = ()
    """Notes that are no faults: how a file was read, what is unscored and why."""


class Result(Protocol):
    """What came out of one config, or of several that are scored together."""

    @property
    def configs(self) -> Sequence[str]:
        """Names of the configs, in the order of the report."""


MatchT = TypeVar("MatchT")
"""A config's items with their predictions; each benchmark has a type of its own."""
ResultT = TypeVar("ResultT", bound=Result)


class SelfDescribed(NamedTuple, Generic[MatchT]):
    """A file that describes itself: it says which items there are."""

    match: MatchT
    texts: Texts


class BenchmarkScoring(ABC, Generic[MatchT, ResultT]):
    """A benchmark's part in one run of scoring, in the order in which its methods are called."""

    stem: ClassVar[str]
    item_kinds: ClassVar[Kinds]
    """The columns of an item that scoring reads, with their types; ``id`` is among them."""
    text_columns: ClassVar[tuple[str, ...]]
    """The columns that only the examples file reads."""
    made_by: ClassVar[str]
    """The command that makes a dataset."""
    known_configs: ClassVar[Sequence[str]] = ()
    """All configs of the benchmark, whether in the dataset or not; for suggestions."""
    unplaced_rows: ClassVar[str | None] = None
    """Kind of fault of rows that name no config; with ``--config`` it is a note."""
    protocol_is_stated: ClassVar[bool] = True
    """Whether the protocol lies in reading the model, so that predictions state it."""
    self_describing: ClassVar[tuple[str, ...]] = ()
    """Readers of files that hold all of a model's answers and say which items there are."""

    @abstractmethod
    def read_files(
        self, paths: Sequence[Path], reader: str, dataset: Dataset, configs: Sequence[str]
    ) -> Inputs:
        """Read the predictions of one model; the rows have an ``id`` and what else there is."""

    @abstractmethod
    def read_frame(self, predictions: pl.DataFrame) -> tuple[pl.DataFrame, list[Fault]]:
        """Return predictions given in memory as rows of the same columns, and their faults."""

    @abstractmethod
    def match(
        self, config: str, items: pl.DataFrame, rows: pl.DataFrame, faults: FaultList
    ) -> MatchT:
        """Join the items of a config with its rows; ids that do not fit are faults."""

    @abstractmethod
    def coverage(self, match: MatchT) -> Rows:
        """Return how much of a config is answered, for ``evenhand check``."""

    def notes(self, match: MatchT) -> list[str]:  # noqa: ARG002
        """Return the notes of ``evenhand check``, e.g. what is unscored and why."""
        return []

    @abstractmethod
    def results(self, matches: Iterable[MatchT], protocol: str) -> list[ResultT]:
        """Compute the sums that metrics are made of; matches come one at a time and are freed."""

    @abstractmethod
    def metrics(self, result: ResultT, provenance: Provenance) -> list[Metric]:
        """Return all metrics of a result."""

    @abstractmethod
    def warnings(self, result: ResultT) -> list[str]:
        """Return the warnings: which rows are unscored and why, and what else limits a result."""

    @abstractmethod
    def parts(self, result: ResultT) -> pl.DataFrame:
        """Return the sufficient statistics and tables, always in the same columns."""

    @abstractmethod
    def examples(self, result: ResultT, texts: Texts) -> Rows:
        """Return the strongest examples, at most :data:`EXAMPLES_PER_METRIC` a metric."""

    @abstractmethod
    def tables(self, report: Report, results: Sequence[ResultT]) -> list[Rows]:
        """Return the metrics and, behind them, the tables that people look at first."""

    def signature_parts(self) -> Mapping[str, str | None]:
        """Return what the benchmark adds to signatures."""
        return {}

    def protocol_label(self, protocol: str, results: Sequence[ResultT]) -> str:  # noqa: ARG002
        """Return the protocol as the metric JSON states it."""
        return protocol

    def read_self_described(self, path: Path) -> SelfDescribed[MatchT]:
        """Read a file of a :attr:`self_describing` reader without a dataset."""
        raise NotImplementedError(path)

    def check_self_described(self, path: Path) -> Checked:
        """Return coverage and faults of such a file."""
        raise NotImplementedError(path)
