"""Masked LMs: the logits of the vocabulary at one position of each row."""

from typing import Any

import torch
from transformers import AutoModelForMaskedLM

from evenhand.contract.errors import DataRefused
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

LOADER = AutoModelForMaskedLM


class _MaskLogits(torch.nn.Module):  # type: ignore[misc]
    """The logits of the vocabulary at one position of each row.

    The head over the vocabulary is the most expensive layer of a small model, so the position is
    selected before it.
    """

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        """Return the logits at the last input's positions, [batch, vocabulary]."""
        *usual, positions = inputs

        def keep_positions(_module: Any, _inputs: Any, output: Any) -> Any:
            hidden = output.last_hidden_state
            index = positions.reshape(-1, 1, 1).expand(-1, 1, hidden.shape[-1])
            output.last_hidden_state = hidden.gather(1, index)
            return output

        hook = self.model.base_model.register_forward_hook(keep_positions)
        try:
            logits: torch.Tensor = run_encoder(self.model, tuple(usual)).logits
        finally:
            hook.remove()
        return logits.squeeze(1)


def refuse_unfit(source: Source) -> None:
    """Refuse a tokenizer without a mask."""
    if source.mask is None:
        raise DataRefused(f"The tokenizer of {source.name} has no mask token; fill-mask needs one.")


def input_names(model: Any) -> list[str]:
    """Return the encoder's inputs and the positions, [batch]."""
    return [*encoder_inputs(model), "mask_positions"]


def output_names(_model: Any) -> list[str]:
    """Return the one output, [batch, vocabulary]."""
    return ["mask_logits"]


def build_graph(model: Any) -> torch.nn.Module:
    """Return the module that reads one position."""
    return _MaskLogits(model)


def example_inputs(model: Any) -> Arrays:
    """Return two rows of tokens and their positions."""
    return example(input_names(model))


def dynamic_axes(model: Any) -> Axes:
    """Return batch and length for every input and output."""
    rows = {0: "batch"}
    grid: Axes = dict.fromkeys(encoder_inputs(model), GRID)
    return grid | {"mask_positions": rows, "mask_logits": rows}


def compare_outputs(source: Source, session: Session, lengths: list[int]) -> Pairs:
    """Yield the logits at the positions."""
    for arrays in probes(lengths, input_names(source.model), source.vocabulary):
        usual = {n: torch.from_numpy(a) for n, a in arrays.items() if n != "mask_positions"}
        rows = torch.arange(len(arrays["mask_positions"]))
        torch_logits = source.model(**usual).logits[
            rows, torch.from_numpy(arrays["mask_positions"])
        ]
        (onnx_logits,) = session.run(arrays)
        yield onnx_logits, torch_logits.numpy()
