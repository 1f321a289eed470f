"""A benchmark's part of ``predict``: how a model is asked."""

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
    """Provenance in the dataset's manifest, which may say what is read."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """The benchmark's options by name; None where the benchmark chooses."""


class Asking(Protocol):
    """``evenhand.scorer.<stem>.ask``: which models fit, and how rows become predictions."""

    def fitting_tasks(self, config: str) -> tuple[Task, ...]:
        """Return the tasks whose models can answer a config."""

    def resolve(self, settings: Settings, model: ExportedModel) -> Settings:
        """Return the settings with the benchmark's choices in place of None.

        Raises:
            WrongUse: an option that does not apply to this model.
        """

    def shard_rows(self, model: ExportedModel) -> int:
        """Return the number of rows in a shard: few for a slow model, so that a kill loses little.

        Rows that share a prefix should be in one shard.
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
        """Return the header's ``decoding``, without the significant digits."""

    def answer(
        self, model: ExportedModel, rows: pl.DataFrame, settings: Settings, advance: Advance
    ) -> pl.DataFrame:
        """Return the predictions of the rows, in their order: ``id`` and the stem's columns.

        Numbers are rounded by the engine.

        Raises:
            DataRefused: a row cannot be asked.
        """


def load_asking(stem: str) -> Asking:
    """Import a benchmark's part of ``predict``."""
    return cast("Asking", benchmark(stem).part("ask"))
