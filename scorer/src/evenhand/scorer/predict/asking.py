"""What a benchmark brings so that a model can be asked: one module of this package a stem."""

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

import polars as pl

from evenhand.contract import WrongUse
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.runtime.model_card import Task
from evenhand.scorer.runtime.session import ExportedModel

Advance = Callable[[int], None]
"""Is given the number of rows that were just done."""

_MODULES = {"unqover": "unqover", "bbq": "bbq", "bvf": "bvf"}
"""The benchmarks whose questions a model can be asked, and the module of each."""


@dataclass(frozen=True)
class Options:
    """How a model is read; None where the benchmark's own choice is taken."""

    protocol: str | None = None
    batch_tokens: int = 4_096
    """Tokens of a batch, padding included."""
    style: str | None = None
    """In which words a row is put to the model."""
    normalise: str | None = None
    """What a score is divided by, or compared with."""
    pieces: str | None = None
    """``single`` or ``chain``: whether words of several pieces are read."""
    provenance: Mapping[str, Any] = field(default_factory=dict)
    """Of the dataset's manifest; what is read may stand there."""


class Asking(Protocol):
    """``evenhand.scorer.predict.<stem>``: which models fit, and how rows become predictions."""

    def tasks_of(self, config: str) -> tuple[Task, ...]:
        """Return the tasks whose models a config can be put to."""

    def settled(self, options: Options, model: ExportedModel) -> Options:
        """Return the options with the benchmark's own choices in place of None.

        Raises:
            WrongUse: an option that means nothing to this benchmark or to this model.
        """

    def shard_rows(self, model: ExportedModel) -> int:
        """Return the rows of a shard: a slow model takes few, so that little is lost when killed.

        Rows that share a beginning should come into one shard.
        """

    def columns(self, model: ExportedModel) -> Sequence[str]:
        """Return the columns of the dataset that are read, ``id`` first."""

    def check(self, dataset: Dataset, config: str, model: ExportedModel, options: Options) -> None:
        """Refuse, before hours are spent, a config that cannot be asked.

        Raises:
            DataRefused: as said.
        """

    def decoding(self, model: ExportedModel, options: Options) -> dict[str, Any]:
        """Return what the header says of the reading, beside the significant digits."""

    def answer(
        self, model: ExportedModel, rows: pl.DataFrame, options: Options, advance: Advance
    ) -> pl.DataFrame:
        """Return the predictions of the rows, in their order: ``id`` and the stem's columns.

        Numbers are rounded by the engine.

        Raises:
            DataRefused: a row cannot be asked.
        """


def asking_of(stem: str) -> Asking:
    """Import the module of a benchmark.

    Raises:
        WrongUse: no model can be asked its questions yet.
    """
    if stem not in _MODULES:
        raise WrongUse(f"predict reads no {stem} yet; score a predictions file made elsewhere.")
    return cast("Asking", importlib.import_module(f"{__package__}.{_MODULES[stem]}"))
