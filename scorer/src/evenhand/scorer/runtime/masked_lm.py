"""What a masked LM expects at the mask of a text."""

import dataclasses

import numpy as np

from evenhand.contract.errors import DataRefused
from evenhand.scorer.runtime.batching import Floats, Ints
from evenhand.scorer.runtime.encoder_inputs import EncoderInputs, encode
from evenhand.scorer.runtime.model_card import Token
from evenhand.scorer.runtime.scheduler import Batch, Rows
from evenhand.scorer.runtime.session import ExportedModel

POSITIONS = "mask_positions"
"""Where the head runs: one position of each input."""


def mask_token(model: ExportedModel) -> Token:
    """Return the model's mask.

    Raises:
        DataRefused: its tokenizer has none.
    """
    if model.card.mask is None:
        raise DataRefused(f"{model.folder}: the model's tokenizer has no mask token.")
    return model.card.mask


def encode_masked(
    model: ExportedModel, texts: list[str], rows: Rows, *, marker: str
) -> EncoderInputs:
    """Encode texts with the mask in place of a marker; the model is read at the mask.

    Args:
        model: exported for fill-mask.
        texts: M texts.
        rows: which of them answers which row.
        marker: text that stands where the mask goes.

    Raises:
        DataRefused: a text has no mask, or several, or the model has none.
    """
    mask = mask_token(model)
    masked = encode(model, [text.replace(marker, mask.text) for text in texts])
    positions = _positions(masked.ids, mask.id, rows)
    return dataclasses.replace(masked, numbers={POSITIONS: positions})


def _positions(ids: list[Ints], mask: int, rows: Rows) -> Ints:
    """Return which token of each input is the mask, which every one must have once."""
    lengths = np.array([len(one) for one in ids])
    places, ends = np.flatnonzero(np.concatenate(ids) == mask), np.cumsum(lengths)
    counts = np.bincount(np.searchsorted(ends, places, side="right"), minlength=len(ids))
    asked = counts[rows.inputs]
    if (asked != 1).any():
        row = int((asked != 1).argmax())
        raise DataRefused(
            f"Row {rows.name(row)}: its text holds the mask {asked[row]} times; once was expected."
        )
    positions: Ints = places - (ends - lengths)
    return positions


def mask_probabilities(batch: Batch) -> Floats:
    """Read the probability of each token at the mask, float64 [batch, vocabulary].

    The softmax runs over the whole vocabulary.
    """
    logits = batch.outputs[0].astype(np.float64)
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    probabilities: Floats = powers / powers.sum(axis=1, keepdims=True)
    return probabilities
