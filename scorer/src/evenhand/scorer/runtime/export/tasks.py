"""A task's part of the export: its graph, and how the file is compared with torch."""

import importlib
from collections.abc import Iterator, Mapping
from typing import Any, Protocol, cast

import numpy as np
import torch
from numpy.typing import NDArray

from evenhand.scorer.runtime.export.source import Source
from evenhand.scorer.runtime.model_card import Task
from evenhand.scorer.runtime.session import Session

Axes = dict[str, dict[int, str]]
"""The dynamic axes of each input and output, by name."""
Logits = NDArray[np.floating[Any]]
Pairs = Iterator[tuple[Logits, Logits]]
"""Outputs of the file and of torch, of one shape."""


class TaskModule(Protocol):
    """``evenhand.scorer.runtime.export.<task>``."""

    LOADER: Any
    """The Auto class of transformers."""

    def refuse_unfit(self, source: Source) -> None:
        """Refuse a model that cannot do the task.

        Raises:
            DataRefused: as said.
        """

    def input_names(self, model: Any) -> list[str]:
        """Return the names of the graph's inputs, in order."""

    def output_names(self, model: Any) -> list[str]:
        """Return the names of the graph's outputs, in order."""

    def build_graph(self, model: Any) -> torch.nn.Module:
        """Return the module that is exported; its inputs are those named, in order."""

    def example_inputs(self, model: Any) -> Mapping[str, NDArray[Any]]:
        """Return small inputs with which the graph is traced."""

    def dynamic_axes(self, model: Any) -> Axes:
        """Return the dynamic axes of inputs and outputs."""

    def compare_outputs(self, source: Source, session: Session, lengths: list[int]) -> Pairs:
        """Run inputs of some lengths through the file and the untouched torch model.

        Yields logits of both, without those of padding.
        """


def task_module(task: Task) -> TaskModule:
    """Import the module of a task."""
    name = task.replace("-", "_")
    return cast("TaskModule", importlib.import_module(f"{__package__}.{name}"))
