"""Probabilities of words at a gap of a text, from causal, masked and encoder-decoder models.

A word of several pieces is read as a chain: the probability of its first piece, times that of each
further one behind those before it.

Source: BVF (2024), section 3.3: the vocabulary's probabilities at the next token, or at the mask.
"""

import numpy as np

from evenhand.contract.errors import DataRefused
from evenhand.scorer.bvf.ask import masks, next_tokens, sentinels
from evenhand.scorer.bvf.ask.gaps import GAP, Gaps, Reading, select_rows, space_before
from evenhand.scorer.runtime.batching import Floats
from evenhand.scorer.runtime.session import ExportedModel
from evenhand.scorer.runtime.words import Words, words_in_pieces

_READERS = {
    "causal-lm": next_tokens.read,
    "fill-mask": masks.read,
    "seq2seq-lm": sentinels.read,
}


def known_words(model: ExportedModel, words: list[str], *, chain: bool) -> Words:
    """Return the words that a model can read behind a space."""
    return words_in_pieces(model, words, before=" ", chain=chain)


def word_probabilities(
    model: ExportedModel, gaps: Gaps, words: list[str], reading: Reading
) -> Floats:
    """Return the probability of each word at the gap of each row, float64 [rows, words].

    Args:
        model: exported for causal-lm, fill-mask or seq2seq-lm. A causal model reads what stands
            before the gap alone.
        gaps: the rows.
        words: V words that :func:`known_words` knows.
        reading: how they are read.

    Raises:
        DataRefused: a row is longer than the model reads, nothing stands before the gap (causal),
            the model has no mask or no sentinel, or gives what is no number.
    """
    probabilities = np.empty((len(gaps.rows.ids), len(words)))
    # An encoder-decoder writes the word behind its sentinel, with the space that goes with a word.
    is_sentinel = model.card.task == "seq2seq-lm"
    spaces = [" " if is_sentinel else space_before(text) for text in gaps.texts]
    for space in sorted(set(spaces)):
        rows, part = select_rows(gaps, [one == space for one in spaces])
        known = words_in_pieces(model, words, before=space, chain=reading.chain)
        if known.left_out:
            raise DataRefused(
                f"Row {part.rows.ids[0]}: without a space before {GAP} the tokenizer of"
                f" {model.card.name} has no piece for {', '.join(known.left_out[:5])}."
            )
        probabilities[rows] = _READERS[model.card.task](model, part, known, reading)
    return probabilities
