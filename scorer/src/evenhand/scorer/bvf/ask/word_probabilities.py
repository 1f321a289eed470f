"""Probabilities of words at the gap of a text, from causal, masked and encoder-decoder models.

The probability of a word of several tokens follows the chain rule: that of its first token, times
that of each further token given the ones before it.

Source: BVF (2024), section 3.3: the vocabulary's probabilities at the next token, or at the mask.
"""

import numpy as np

from evenhand.contract.errors import DataRefused
from evenhand.scorer.bvf.ask import masks, next_tokens, sentinels
from evenhand.scorer.bvf.ask.gaps import GAP, Gaps, Reading, select_rows, space_before
from evenhand.scorer.runtime.batching import Floats
from evenhand.scorer.runtime.session import ExportedModel
from evenhand.scorer.runtime.words import Words, tokenize_words

_READERS = {
    "causal-lm": next_tokens.read,
    "fill-mask": masks.read,
    "seq2seq-lm": sentinels.read,
}


def known_words(model: ExportedModel, words: list[str], *, chain: bool) -> Words:
    """Return the words that a model can read after a space."""
    return tokenize_words(model, words, before=" ", chain=chain)


def word_probabilities(
    model: ExportedModel, gaps: Gaps, words: list[str], reading: Reading
) -> Floats:
    """Return the probability of each word at the gap of each row, float64 [rows, words].

    Args:
        model: exported for causal-lm, fill-mask or seq2seq-lm. A causal model sees only the text
            before the gap.
        gaps: the rows.
        words: V words, as :func:`known_words` returns them.
        reading: how they are read.

    Raises:
        DataRefused: a row is longer than the model's context or begins with the gap (causal), the
            model has no mask token or no sentinel, or its output is not a number.
    """
    probabilities = np.empty((len(gaps.rows.ids), len(words)))
    # After its sentinel an encoder-decoder generates the word with its leading space.
    is_sentinel = model.card.task == "seq2seq-lm"
    spaces = [" " if is_sentinel else space_before(text) for text in gaps.texts]
    for space in sorted(set(spaces)):
        rows, subset = select_rows(gaps, [other == space for other in spaces])
        readable = tokenize_words(model, words, before=space, chain=reading.chain)
        if readable.left_out:
            raise DataRefused(
                f"Row {subset.rows.ids[0]}: without a space before {GAP} the tokenizer of"
                f" {model.card.name} has no token for {', '.join(readable.left_out[:5])}."
            )
        probabilities[rows] = _READERS[model.card.task](model, subset, readable, reading)
    return probabilities
