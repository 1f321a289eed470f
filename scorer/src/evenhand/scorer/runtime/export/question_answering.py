"""Span models: the two logits of each token."""

from typing import Any

import torch
from transformers import AutoModelForQuestionAnswering

from evenhand.scorer.runtime.export.encoder import (
    GRID,
    encoder_inputs,
    example,
    probes,
    run_encoder,
)
from evenhand.scorer.runtime.export.source import Source
from evenhand.scorer.runtime.export.tasks import Axes, Pairs
from evenhand.scorer.runtime.probe import Arrays
from evenhand.scorer.runtime.session import Session

LOADER = AutoModelForQuestionAnswering
_OUTPUTS = ["start_logits", "end_logits"]


class _SpanLogits(torch.nn.Module):  # type: ignore[misc]
    """The two logits of each token."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, *inputs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return start and end logits, both [batch, length]."""
        output = run_encoder(self.model, inputs)
        return output.start_logits, output.end_logits


def refuse_unfit(_source: Source) -> None:
    """Refuse nothing: whatever has weights for the head can do the task."""


def input_names(model: Any) -> list[str]:
    """Return the encoder's inputs."""
    return encoder_inputs(model)


def output_names(_model: Any) -> list[str]:
    """Return the two outputs, each [batch, length]."""
    return _OUTPUTS


def build_graph(model: Any) -> torch.nn.Module:
    """Return the module that gives both logits."""
    return _SpanLogits(model)


def example_inputs(model: Any) -> Arrays:
    """Return two rows of tokens."""
    return example(input_names(model))


def dynamic_axes(model: Any) -> Axes:
    """Return batch and length for every input and output."""
    return dict.fromkeys((*input_names(model), *_OUTPUTS), GRID)


def compare_outputs(source: Source, session: Session, lengths: list[int]) -> Pairs:
    """Yield the logits of real tokens."""
    for arrays in probes(lengths, input_names(source.model), source.vocabulary):
        output = source.model(**{name: torch.from_numpy(a) for name, a in arrays.items()})
        torch_logits = (output.start_logits.numpy(), output.end_logits.numpy())
        is_real = arrays["attention_mask"] == 1
        for onnx_part, torch_part in zip(session.run(arrays), torch_logits, strict=True):
            yield onnx_part[is_real], torch_part[is_real]
