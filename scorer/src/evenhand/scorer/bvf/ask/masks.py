"""Words at a gap from a masked LM: one mask for each token, filled in from left to right."""

from typing import NamedTuple

import numpy as np

from evenhand.scorer.bvf.ask.gaps import GAP, Gaps, Reading
from evenhand.scorer.runtime.batching import Floats
from evenhand.scorer.runtime.encoder_inputs import EncoderInputs
from evenhand.scorer.runtime.masked_lm import (
    POSITIONS,
    encode_masked,
    mask_probabilities,
    mask_token,
)
from evenhand.scorer.runtime.scheduler import Batch, answers, refuse_long, share_progress
from evenhand.scorer.runtime.session import ExportedModel
from evenhand.scorer.runtime.words import Words


class _Step(NamedTuple):
    """Words of one length with the same first tokens, which therefore share a forward pass."""

    beginning: tuple[int, ...]
    """Tokens that are already filled in."""
    n_masks: int
    """Masks after them; the words' next tokens are read at the first one."""
    words: list[int]
    """Indices of the words."""
    tokens: list[int]
    """The token of each word that is read in this step."""

    def read(self, batch: Batch) -> Floats:
        """Return the probability of each word's token, float64 [batch, words]."""
        return mask_probabilities(batch)[:, self.tokens]


def read(model: ExportedModel, gaps: Gaps, words: Words, reading: Reading) -> Floats:
    """Return the probability of each word, float64 [rows, words].

    Raises:
        DataRefused: the model has no mask token, or a text is longer than its context.
    """
    masked = encode_masked(model, gaps.texts, gaps.rows, marker=GAP)
    refuse_long(gaps.rows, masked.lengths + words.longest() - 1, model)
    probabilities = np.ones((len(gaps.rows.ids), len(words.names)))
    steps, mask = _steps(words), mask_token(model).id
    advance = share_progress(reading.advance, len(steps))
    for step in steps:
        probabilities[:, step.words] *= answers(
            model,
            _fill_masks(masked, step, mask),
            gaps.rows,
            read=step.read,
            budget=reading.budget,
            advance=advance,
        )
    return probabilities


def _steps(words: Words) -> list[_Step]:
    steps: dict[tuple[int, tuple[int, ...]], _Step] = {}
    for place, pieces in enumerate(words.tokens):
        for number, piece in enumerate(pieces.tolist()):
            beginning = tuple(pieces[:number].tolist())
            new = _Step(beginning, len(pieces) - number, [], [])
            step = steps.setdefault((len(pieces), beginning), new)
            step.words.append(place)
            step.tokens.append(piece)
    return list(steps.values())


def _fill_masks(masked: EncoderInputs, step: _Step, mask: int) -> EncoderInputs:
    """Return the inputs with a step's tokens and masks in place of the single mask."""
    positions = masked.numbers[POSITIONS]
    middle = [*step.beginning, *[mask] * step.n_masks]
    ids = [
        np.concatenate([ids[:place], middle, ids[place + 1 :]])
        for ids, place in zip(masked.ids, positions, strict=True)
    ]
    return EncoderInputs(
        ids, numbers={POSITIONS: positions + len(step.beginning)}, fill=masked.fill
    )
