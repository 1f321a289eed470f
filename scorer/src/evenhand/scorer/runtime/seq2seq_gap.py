"""Probabilities of words at a gap from an encoder-decoder that was trained on sentinels (T5)."""

from typing import TYPE_CHECKING

import numpy as np

from evenhand.contract.errors import DataRefused
from evenhand.scorer.runtime.batching import Ints, batches, padded, refuse_long
from evenhand.scorer.runtime.options import Floats, pad_of
from evenhand.scorer.runtime.session import ExportedModel
from evenhand.scorer.runtime.words import Words

if TYPE_CHECKING:
    from evenhand.scorer.runtime.gap_words import Advance, Asked, Gaps

SENTINEL = "<extra_id_0>"
_GAP = "[Y]"


def read(
    model: ExportedModel, gaps: "Gaps", words: Words, asked: "Asked", advance: "Advance"
) -> Floats:
    """Return the probability of each word behind the first sentinel, float64 [texts, words].

    The encoder reads the text with the sentinel in its gap; the decoder begins with the sentinel.

    Raises:
        DataRefused: the tokenizer has no sentinel, or a text is longer than the model reads.
    """
    sentinel, start = model.tokenizer.token_to_id(SENTINEL), model.card.decoder_start
    if sentinel is None or start is None:
        raise DataRefused(
            f"{model.folder}: the tokenizer of {model.card.name} has no {SENTINEL}, which marks a"
            " gap for encoder-decoders such as T5; take a model that was trained with it."
        )
    texts = [text.replace(_GAP, SENTINEL) for text in gaps.texts]
    ids = [np.array(own.ids, dtype=np.int64) for own in model.tokenizer.encode_batch_fast(texts)]
    lengths = np.array([len(own) for own in ids])
    refuse_long(gaps.ids, lengths, gaps.first, limit=model.card.max_length)
    options = _Options(words, sentinel, start, pad_of(model))
    found = np.empty((len(ids), len(words.names)))
    costs = lengths + len(words.names) * options.labels.shape[1]
    for batch in batches(costs, budget=asked.budget):
        found[batch] = _run(model, [ids[i] for i in batch], options)
        advance(sum(len(gaps.rows[i]) for i in batch))
    return found


class _Options:
    """Words in the decoder, behind the sentinel; all arrays [words, longest]."""

    def __init__(self, words: Words, sentinel: int, start: int, pad: int) -> None:
        own = [np.concatenate([[sentinel], pieces]) for pieces in words.pieces]
        self.labels, is_real = padded(own, fill=pad)
        self.before, _ = padded([np.concatenate([[start], one[:-1]]) for one in own], fill=pad)
        # That the sentinel comes first is given, and what stands behind a word is nothing.
        self.counts = is_real * (np.arange(self.labels.shape[1]) > 0)


def _run(model: ExportedModel, ids: list[Ints], options: _Options) -> Floats:
    input_ids, attention = padded(ids, fill=pad_of(model))
    n_words = len(options.labels)
    (logs,) = model.session.run(
        {
            "input_ids": input_ids,
            "attention_mask": attention,
            "decoder_input_ids": np.tile(options.before, (len(ids), 1)),
            "labels": np.tile(options.labels, (len(ids), 1)),
            "prompt_of": np.repeat(np.arange(len(ids)), n_words),
        }
    )
    counts = np.tile(options.counts, (len(ids), 1))
    sums = np.where(counts == 1, logs.astype(np.float64), 0.0).sum(axis=1)
    return np.asarray(np.exp(sums)).reshape(len(ids), n_words)
