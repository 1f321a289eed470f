"""What a benchmark brings so that a model can be asked: its module ``ask``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

import polars as pl

from evenhand.scorer.benchmark import benchmark
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.runtime.model_card import Task
from evenhand.scorer.runtime.scheduler import Advance
from evenhand.scorer.runtime.session import ExportedModel


@dataclass(frozen=True)
class Settings:
    """How a model is read."""

    batch_tokens: int = 4_096
    """Tokens of a batch, padding included."""
    provenance: Mapping[str, Any] = field(default_factory=dict)
    """Of the dataset's manifest; what is read may stand there."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """The benchmark's options by name; None where the benchmark chooses."""


class Asking(Protocol):
    """``evenhand.scorer.<stem>.ask``: which models fit, and how rows become predictions."""

    def fitting_tasks(self, config: str) -> tuple[Task, ...]:
        """Return the tasks whose models a config can be put to."""

    def settled(self, settings: Settings, model: ExportedModel) -> Settings:
        """Return the settings with the benchmark's choices in place of None.

        Raises:
            WrongUse: an option that does not go with this model.
        """

    def shard_rows(self, model: ExportedModel) -> int:
        """Return the rows of a shard: a slow model takes few, so that little is lost when killed.

        Rows that share a beginning should come into one shard.
        """

    def columns(self, model: ExportedModel) -> Sequence[str]:
        """Return the columns of the dataset that are read, ``id`` first."""

    def check(
        self, dataset: Dataset, config: str, model: ExportedModel, settings: Settings
    ) -> None:
        """Refuse, before hours are spent, a config that cannot be asked.

        Raises:
            DataRefused: as said.
        """

    def decoding(self, model: ExportedModel, settings: Settings) -> dict[str, Any]:
        """Return what the header says of the reading, beside the significant digits."""

    def answer(
        self, model: ExportedModel, rows: pl.DataFrame, settings: Settings, advance: Advance
    ) -> pl.DataFrame:
        """Return the predictions of the rows, in their order: ``id`` and the stem's columns.

        Numbers are rounded by the engine.

        Raises:
            DataRefused: a row cannot be asked.
        """


def load_asking(stem: str) -> Asking:
    """Import how a benchmark asks."""
    return cast("Asking", benchmark(stem).part("ask"))
