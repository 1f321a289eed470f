"""Multiple-choice heads: one logit for a text with one option, however many options there are."""

from typing import Any

import torch
from transformers import AutoModelForMultipleChoice

from evenhand.scorer.runtime.export.encoder import (
    GRID,
    encoder_inputs,
    example,
    probes,
)
from evenhand.scorer.runtime.export.source import Source
from evenhand.scorer.runtime.export.tasks import Axes, Pairs
from evenhand.scorer.runtime.probe import Arrays
from evenhand.scorer.runtime.session import Session

LOADER = AutoModelForMultipleChoice


class _ChoiceLogits(torch.nn.Module):  # type: ignore[misc]
    """The logit of each row; transformers' [questions, options, length] is one option here.

    The heads read every option by itself, so options of all questions can share a batch.
    """

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        """Return the logits, [batch]."""
        names = encoder_inputs(self.model)
        alone = {name: given.unsqueeze(1) for name, given in zip(names, inputs, strict=True)}
        logits: torch.Tensor = self.model(**alone).logits
        return logits.squeeze(1)


def refuse_unfit(_source: Source) -> None:
    """Refuse nothing: whatever has weights for the head can do the task."""


def input_names(model: Any) -> list[str]:
    """Return the encoder's inputs."""
    return encoder_inputs(model)


def output_names(_model: Any) -> list[str]:
    """Return the one output, [batch]."""
    return ["choice_logits"]


def build_graph(model: Any) -> torch.nn.Module:
    """Return the module that gives one logit a row."""
    return _ChoiceLogits(model)


def example_inputs(model: Any) -> Arrays:
    """Return two rows of tokens."""
    return example(input_names(model))


def dynamic_axes(model: Any) -> Axes:
    """Return batch and length for every input, batch for the output."""
    grid: Axes = dict.fromkeys(input_names(model), GRID)
    return grid | {"choice_logits": {0: "batch"}}


def compare_outputs(source: Source, session: Session, lengths: list[int]) -> Pairs:
    """Yield the logits; torch's come from rows that are the options of one question."""
    for arrays in probes(lengths, input_names(source.model), source.vocabulary):
        together = {name: torch.from_numpy(a).unsqueeze(0) for name, a in arrays.items()}
        (onnx_logits,) = session.run(arrays)
        yield onnx_logits, source.model(**together).logits.squeeze(0).numpy()
