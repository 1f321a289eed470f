"""The logit of a multiple-choice head for each of a row's options."""

from collections.abc import Callable

import numpy as np

from evenhand.scorer.runtime.batching import batches, padded, refuse_long
from evenhand.scorer.runtime.options import (
    Counter,
    Floats,
    cases_of,
    pad_of,
    refuse_not_finite,
)
from evenhand.scorer.runtime.prompts import Prompts
from evenhand.scorer.runtime.session import ExportedModel


def score_options(
    model: ExportedModel,
    prompts: Prompts,
    *,
    budget: int,
    advance: Callable[[int], None],
) -> Floats:
    """Return the head's logit for each option, float64 [rows, 3], in the rows' order.

    Text and option are the tokenizer's pair. The head reads every option by itself, so it does not
    matter with how many options it was trained.

    Args:
        model: exported for multiple-choice.
        prompts: the rows in the words of a style, ``pair`` as a rule.
        budget: tokens of a batch, padding included.
        advance: is given the number of rows that were just done.

    Raises:
        DataRefused: a row is longer than the model reads, or the model gives what is no number.
    """
    cases = cases_of(prompts)
    pairs = [
        (cases.texts[text], cases.options[option])
        for text, option in zip(cases.text_of, cases.option_of, strict=True)
    ]
    encodings = model.tokenizer.encode_batch_fast(pairs)
    lengths = np.array([len(encoding) for encoding in encodings])
    refuse_long(prompts.ids, lengths, cases.rows.tolist(), limit=model.card.max_length)
    pad, found = pad_of(model), np.empty(len(pairs))
    counter = Counter(len(pairs), len(prompts.ids), advance)
    for batch in batches(lengths, budget=budget):
        own = [encodings[i] for i in batch]
        ids, attention = padded([np.array(one.ids) for one in own], fill=pad)
        types, _ = padded([np.array(one.type_ids) for one in own], fill=0)
        inputs = {"input_ids": ids, "attention_mask": attention, "token_type_ids": types}
        (logits,) = model.session.run({name: inputs[name] for name in model.card.inputs})
        refuse_not_finite(logits, prompts.ids, cases.rows[batch], model)
        found[batch] = logits
        counter.done(len(batch))
    return found[cases.pair_of]
