"""Inputs of encoders: token ids, token types, and integers such as the positions to read."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from evenhand.contract.errors import DataRefused
from evenhand.scorer.runtime.batching import Ints, batches, pad_sequences
from evenhand.scorer.runtime.scheduler import Batch, number_distinct
from evenhand.scorer.runtime.session import ExportedModel


@dataclass(frozen=True, eq=False)
class EncoderInputs:
    """M inputs that are run in padded batches, those of similar length together."""

    ids: list[Ints]
    types: list[Ints] | None = None
    """Token types; None where all are 0."""
    numbers: Mapping[str, Ints] = field(default_factory=dict)
    """Integers of each input, [M] each; a model is given those that its card names, and the
    others tell apart inputs that are read in different places."""
    fill: int = 0
    """Token that pads short rows."""

    @property
    def lengths(self) -> Ints:
        """Tokens of each input."""
        return np.array([len(ids) for ids in self.ids], dtype=np.int64)

    def identities(self) -> Ints:
        """Number the distinct inputs."""
        keys: list[tuple[object, ...]] = [(ids.tobytes(),) for ids in self.ids]
        if self.types is not None:
            keys = [(*key, types.tobytes()) for key, types in zip(keys, self.types, strict=True)]
        if self.numbers:
            columns = [column.tolist() for column in self.numbers.values()]
            rows = zip(*columns, strict=True)
            keys = [(*key, *row) for key, row in zip(keys, rows, strict=True)]
        return number_distinct(keys)

    def run(self, model: ExportedModel, numbers: Ints, *, budget: int) -> Iterator[Batch]:
        """Run the inputs with these numbers."""
        lengths = self.lengths[numbers]
        n_done, n_tokens = 0, int(lengths.sum())
        for places in batches(lengths, budget=budget):
            n_done += int(lengths[places].sum())
            inputs = numbers[places]
            yield Batch(inputs, model.session.run(self._feed(model, inputs)), n_done / n_tokens)

    def _feed(self, model: ExportedModel, inputs: Ints) -> dict[str, NDArray[np.int64]]:
        """Return what the model's card names, padded to the longest of some inputs."""
        ids, attention = pad_sequences([self.ids[i] for i in inputs], fill=self.fill)
        feed = {"input_ids": ids, "attention_mask": attention}
        if "token_type_ids" in model.card.inputs:
            feed["token_type_ids"] = (
                np.zeros_like(ids)
                if self.types is None
                else pad_sequences([self.types[i] for i in inputs], fill=0)[0]
            )
        feed |= {name: column[inputs] for name, column in self.numbers.items()}
        return {name: feed[name] for name in model.card.inputs}


def encode(
    model: ExportedModel,
    texts: Sequence[str] | Sequence[tuple[str, str]],
    *,
    fill: int | None = None,
) -> EncoderInputs:
    """Encode texts, or pairs of texts, with the model's special tokens.

    ``fill`` pads short rows; None where the model never looks at the padding.
    """
    # The fast method leaves out the offsets, which are not needed here.
    encodings = model.tokenizer.encode_batch_fast(texts)
    ids = [np.array(encoding.ids, dtype=np.int64) for encoding in encodings]
    types = [np.array(encoding.type_ids, dtype=np.int64) for encoding in encodings]
    return EncoderInputs(ids, types, fill=any_fill(model) if fill is None else fill)


def any_fill(model: ExportedModel) -> int:
    """Return the id that pads short rows, for models that never look at the padding."""
    return model.card.pad.id if model.card.pad else 0


def pad_id(model: ExportedModel) -> int:
    """Return the id that pads short rows, for models that find the end of a text by it.

    Raises:
        DataRefused: the tokenizer has none.
    """
    if model.card.pad is None:
        raise DataRefused(
            f"{model.folder}: the tokenizer has no pad token, which rows of different lengths need;"
            " give it one and export the model again."
        )
    return model.card.pad.id
