"""Inputs of encoder-decoders: prompts with their targets, each prompt encoded once."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenhand.scorer.runtime.batching import Floats, Ints, batches, pad_sequences
from evenhand.scorer.runtime.scheduler import Batch, number_distinct
from evenhand.scorer.runtime.session import ExportedModel

MOST_TARGETS = 32
"""Targets beside one prompt; a prompt with more goes through the encoder again."""


class Target(NamedTuple):
    """A target in the decoder; its arrays have one length."""

    before: Ints
    """The token before each label."""
    labels: Ints
    counts: Ints
    """1 where a label counts."""


class _Unit(NamedTuple):
    """A prompt and the inputs that are run with it."""

    prompt: int
    inputs: Ints


@dataclass(frozen=True, eq=False)
class DecoderInputs:
    """M pairs of a prompt and a target: the log-likelihood of the target, [M], in nats."""

    prompts: list[Ints]
    """Token ids."""
    targets: list[Target]
    prompt_numbers: Ints
    """The prompt of each pair, int64 [M]."""
    target_numbers: Ints
    """The target of each pair, int64 [M]."""
    fill: int
    """Token that pads short rows."""
    most_targets: int = MOST_TARGETS

    @property
    def lengths(self) -> Ints:
        """Tokens of the longer part of each pair, since the model reads the two separately."""
        n_prompt = np.array([len(prompt) for prompt in self.prompts])
        lengths: Ints = np.maximum(
            n_prompt[self.prompt_numbers], self._n_labels()[self.target_numbers]
        )
        return lengths

    def _n_labels(self) -> Ints:
        return np.array([len(target.labels) for target in self.targets], dtype=np.int64)

    def identities(self) -> Ints:
        """Number the distinct pairs."""
        prompts = self._distinct_prompts()[self.prompt_numbers]
        targets = number_distinct(
            tuple(part.tobytes() for part in target) for target in self.targets
        )[self.target_numbers]
        identities: Ints = prompts * len(self.targets) + targets
        return identities

    def _distinct_prompts(self) -> Ints:
        return number_distinct(prompt.tobytes() for prompt in self.prompts)

    def run(self, model: ExportedModel, numbers: Ints, *, budget: int) -> Iterator[Batch]:
        """Run the inputs with these numbers, prompts and targets of similar length together."""
        padded_targets = _pad(self.targets, self.fill)
        widths = self._n_labels()[self.target_numbers]
        units = list(self._units(numbers))
        costs = np.array([self._cost(unit, widths) for unit in units])
        n_done = 0
        for places in batches(costs, budget=budget):
            batch = [units[place] for place in places]
            inputs = np.concatenate([unit.inputs for unit in batch])
            targets, width = self.target_numbers[inputs], int(widths[inputs].max())
            before, labels, counts = (part[targets, :width] for part in padded_targets)
            ids, attention = pad_sequences(
                [self.prompts[unit.prompt] for unit in batch], fill=self.fill
            )
            feed = {
                "input_ids": ids,
                "attention_mask": attention,
                "decoder_input_ids": before,
                "labels": labels,
                "prompt_of": np.repeat(np.arange(len(batch)), [len(u.inputs) for u in batch]),
            }
            (logs,) = model.session.run(feed)
            n_done += int(costs[places].sum())
            yield Batch(inputs, [_sums(logs, counts)], n_done / int(costs.sum()))

    def _cost(self, unit: _Unit, widths: Ints) -> int:
        """Return the tokens of a unit, with its targets padded."""
        return len(self.prompts[unit.prompt]) + len(unit.inputs) * int(widths[unit.inputs].max())

    def _units(self, numbers: Ints) -> Iterator[_Unit]:
        """Yield prompts with their inputs, at most ``most_targets`` of these at a time."""
        prompts = self.prompt_numbers[numbers]
        order = np.argsort(prompts, kind="stable")
        for same in np.split(order, np.flatnonzero(np.diff(prompts[order])) + 1):
            for start in range(0, len(same), self.most_targets):
                inputs = numbers[same[start : start + self.most_targets]]
                yield _Unit(int(self.prompt_numbers[inputs[0]]), inputs)


def _pad(targets: list[Target], fill: int) -> tuple[Ints, Ints, Ints]:
    """Return decoder inputs, labels and the mask of labels that count, [targets, longest]."""
    before, _ = pad_sequences([target.before for target in targets], fill=fill)
    labels, _ = pad_sequences([target.labels for target in targets], fill=fill)
    counts, _ = pad_sequences([target.counts for target in targets], fill=0)
    return before, labels, counts


def _sums(logs: NDArray[np.float32], counts: Ints) -> Floats:
    """Add up the labels that count; what follows a target's end may be anything."""
    sums: Floats = np.where(counts == 1, logs.astype(np.float64), 0.0).sum(axis=1)
    return sums
