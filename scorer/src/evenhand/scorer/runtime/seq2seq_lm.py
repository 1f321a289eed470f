"""The log-likelihood of each option as an encoder-decoder's answer to a prompt.

An option includes the token that ends it, and not the one that begins it in some families.
"""

import numpy as np

from evenhand.contract.errors import DataRefused
from evenhand.scorer.runtime.batching import Floats, Ints
from evenhand.scorer.runtime.decoder_inputs import DecoderInputs, Target
from evenhand.scorer.runtime.encoder_inputs import pad_id
from evenhand.scorer.runtime.options import Prompts, distinct_pairs
from evenhand.scorer.runtime.scheduler import Advance, answers
from evenhand.scorer.runtime.session import ExportedModel

NORMALISATIONS = ("total", "token", "unconditional")
"""Of a log-likelihood: as it is, per token of the option, or less that after an empty prompt."""


def score_options(
    model: ExportedModel,
    prompts: Prompts,
    *,
    normalisation: str,
    budget: int,
    advance: Advance,
) -> Floats:
    """Return the log-likelihood of each option, float64 [rows, options], in the rows' order.

    Args:
        model: exported for seq2seq-lm.
        prompts: the rows' texts and options.
        normalisation: one of :data:`NORMALISATIONS`.
        budget: tokens of a batch, padding included.
        advance: is given the number of rows that were just done.

    Raises:
        DataRefused: a row is longer than the model reads, or the model yields NaN or infinity.
    """
    pairs = distinct_pairs(prompts)
    targets, numbers, fill = _targets(model, pairs.options), pairs.option_numbers, pad_id(model)
    texts = encoded(model, pairs.texts)
    inputs = DecoderInputs(texts, targets, pairs.text_numbers, numbers, fill)
    scores = answers(model, inputs, pairs.rows, budget=budget, advance=advance)
    if normalisation == "token":
        scores /= np.array([target.counts.sum() for target in targets])[numbers][pairs.rows.inputs]
    if normalisation == "unconditional":
        every = np.arange(len(targets))
        alone = DecoderInputs(encoded(model, [""]), targets, np.zeros_like(every), every, fill)
        rows = pairs.option_rows()
        scores -= answers(model, alone, rows, budget=budget, advance=lambda _rows: None)
    return scores


def encoded(model: ExportedModel, texts: list[str]) -> list[Ints]:
    """Return the tokens of prompts."""
    return [
        np.array(encoding.ids, dtype=np.int64)
        for encoding in model.tokenizer.encode_batch_fast(texts)
    ]


def _targets(model: ExportedModel, texts: list[str]) -> list[Target]:
    start = model.card.decoder_start
    if start is None:
        raise DataRefused(f"{model.folder}: model.json has no decoder_start; export it again.")
    targets = []
    for encoding in model.tokenizer.encode_batch_fast(texts):
        labels = np.array(encoding.ids, dtype=np.int64)
        n_opening = int(np.argmin([*encoding.special_tokens_mask, 0]))
        counts = (np.arange(len(labels)) >= n_opening).astype(np.int64)
        targets.append(Target(np.concatenate([[start], labels[:-1]]), labels, counts))
    return targets
