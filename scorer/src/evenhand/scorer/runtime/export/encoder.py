"""What the graphs over an encoder share: its inputs, by name, and probes of rows and batches."""

import inspect
from collections.abc import Iterator
from typing import Any

import torch

from evenhand.scorer.runtime.probe import Arrays, Vocabulary, probe_batch

GRID = {0: "batch", 1: "length"}


def encoder_inputs(model: Any) -> list[str]:
    """Return what the torch model takes, in order."""
    names = ["input_ids", "attention_mask"]
    takes_types = "token_type_ids" in inspect.signature(model.forward).parameters
    if takes_types and getattr(model.config, "type_vocab_size", 0) > 1:
        names.append("token_type_ids")
    return names


def run_encoder(model: Any, inputs: tuple[torch.Tensor, ...]) -> Any:
    """Call the torch model with its inputs in order."""
    return model(**dict(zip(encoder_inputs(model), inputs, strict=True)))


def example(names: list[str]) -> Arrays:
    """Return two rows with which a graph is traced."""
    return probe_batch([7, 5], names, Vocabulary(5, None, None, None))


def probes(lengths: list[int], names: list[str], vocabulary: Vocabulary) -> Iterator[Arrays]:
    """Yield a row of each length alone, then all of them padded in one batch."""
    for batch in [[length] for length in lengths] + [lengths]:
        yield probe_batch(batch, names, vocabulary)
