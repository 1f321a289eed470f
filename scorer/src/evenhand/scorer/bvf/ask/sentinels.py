"""Words at a gap from an encoder-decoder that was trained on sentinels (T5)."""

import numpy as np

from evenhand.contract.errors import DataRefused
from evenhand.scorer.bvf.ask.gaps import GAP, Gaps, Reading
from evenhand.scorer.runtime.batching import Floats
from evenhand.scorer.runtime.decoder_inputs import DecoderInputs, Target
from evenhand.scorer.runtime.encoder_inputs import pad_id
from evenhand.scorer.runtime.scheduler import Rows, answers, first_output
from evenhand.scorer.runtime.seq2seq_lm import encoded
from evenhand.scorer.runtime.session import ExportedModel
from evenhand.scorer.runtime.words import Words

SENTINEL = "<extra_id_0>"


def read(model: ExportedModel, gaps: Gaps, words: Words, reading: Reading) -> Floats:
    """Return the probability of each word after the first sentinel, float64 [rows, words].

    The encoder reads the text with the sentinel in its gap; the decoder starts with the sentinel.

    Raises:
        DataRefused: the tokenizer has no sentinel, or a text is longer than the model's context.
    """
    texts = [text.replace(GAP, SENTINEL) for text in gaps.texts]
    targets, n_words = _targets(model, words), len(words.names)
    inputs = DecoderInputs(
        encoded(model, texts),
        targets,
        np.repeat(np.arange(len(texts)), n_words),
        np.tile(np.arange(n_words), len(texts)),
        pad_id(model),
        # All words of a text go into one batch, so that the encoder runs once per text.
        most_targets=n_words,
    )
    return answers(
        model,
        inputs,
        Rows(gaps.rows.ids, gaps.rows.inputs[:, None] * n_words + np.arange(n_words)),
        read=lambda batch: np.exp(first_output(batch)),
        budget=reading.budget,
        advance=reading.advance,
    )


def _targets(model: ExportedModel, words: Words) -> list[Target]:
    """Return the words as targets after the sentinel, whose own probability does not count."""
    sentinel, start = model.tokenizer.token_to_id(SENTINEL), model.card.decoder_start
    if sentinel is None or start is None:
        raise DataRefused(
            f"{model.folder}: the tokenizer of {model.card.name} has no {SENTINEL}, which marks a"
            " gap for encoder-decoders such as T5; take a model that was trained with it."
        )
    targets = []
    for pieces in words.tokens:
        labels = np.concatenate([[sentinel], pieces])
        counts = (np.arange(len(labels)) > 0).astype(np.int64)
        targets.append(Target(np.concatenate([[start], labels[:-1]]), labels, counts))
    return targets
