"""The logit of a multiple-choice head for each of a row's options."""

from evenhand.scorer.runtime.batching import Floats
from evenhand.scorer.runtime.encoder_inputs import encode, pad_id
from evenhand.scorer.runtime.options import Prompts, distinct_pairs
from evenhand.scorer.runtime.scheduler import Advance, answers
from evenhand.scorer.runtime.session import ExportedModel


def score_options(
    model: ExportedModel, prompts: Prompts, *, budget: int, advance: Advance
) -> Floats:
    """Return the head's logit for each option, float64 [rows, options], in the rows' order.

    Text and option are the tokenizer's pair. The head reads every option by itself, so it does not
    matter how many options it was trained with.

    Args:
        model: exported for multiple-choice.
        prompts: the rows' texts and options.
        budget: tokens of a batch, padding included.
        advance: is given the number of rows that were just done.

    Raises:
        DataRefused: a row is longer than the model reads, or the model yields NaN or infinity.
    """
    pairs = distinct_pairs(prompts)
    numbers = zip(pairs.text_numbers, pairs.option_numbers, strict=True)
    texts = [(pairs.texts[text], pairs.options[option]) for text, option in numbers]
    inputs = encode(model, texts, fill=pad_id(model))
    return answers(model, inputs, pairs.rows, budget=budget, advance=advance)
