"""The log-likelihood of each option as a causal LM's continuation of a prompt."""

from typing import NamedTuple

import polars as pl

from evenhand.contract.errors import DataRefused
from evenhand.scorer.runtime.batching import Floats
from evenhand.scorer.runtime.causal_lm import encoded
from evenhand.scorer.runtime.options import Pairs, Prompts, distinct_pairs
from evenhand.scorer.runtime.prefix_inputs import Continuations
from evenhand.scorer.runtime.scheduler import Advance, Rows, answers, refuse_long
from evenhand.scorer.runtime.session import ExportedModel

_SPECIAL_TOKENS = 8
"""More than any tokenizer puts around a text."""
NORMALISATIONS = ("total", "token", "unconditional")
"""Of a log-likelihood: as it is, per token of the option, or less that after a neutral prompt."""


class Wording(NamedTuple):
    """The settings of a prompt style for a causal LM, beside its texts."""

    neutral: str
    """A prompt that says nothing of the question."""
    written_out: bool
    """Whether the prompts hold their special tokens, as those of a chat template do."""


def score_options(
    model: ExportedModel,
    prompts: Prompts,
    wording: Wording,
    *,
    normalisation: str,
    budget: int,
    advance: Advance,
) -> Floats:
    """Return the log-likelihood of each option in nats, float64 [rows, options], in rows' order.

    Args:
        model: exported for causal-lm.
        prompts: the rows' texts and options.
        wording: settings of the prompt style.
        normalisation: one of :data:`NORMALISATIONS`.
        budget: tokens of a batch, padding included.
        advance: is given the number of rows that were just done.

    Raises:
        DataRefused: a row is longer than the model reads, a prompt or an option has no token, or
            the model yields NaN or infinity.
    """
    pairs = distinct_pairs(prompts)
    inputs = _encode(model, pairs, wording)
    scores = answers(model, inputs, pairs.rows, budget=budget, advance=advance)
    if normalisation == "token":
        scores /= (inputs.lengths - inputs.starts)[pairs.rows.inputs]
    if normalisation == "unconditional":
        alone, rows = _alone(model, pairs, wording), pairs.option_rows()
        scores -= answers(model, alone, rows, budget=budget, advance=lambda _rows: None)
    return scores


def refuse_unreadable(model: ExportedModel, prompts: Prompts, wording: Wording) -> None:
    """Refuse rows that are too long for a model, or hold an empty answer.

    Only texts that have more bytes than the model reads tokens can be too long, and only these are
    encoded.

    Raises:
        DataRefused: as said, naming a row.
    """
    is_empty = prompts.options.select(
        pl.any_horizontal(pl.all().str.strip_chars() == "")
    ).to_series()
    if is_empty.any():
        row = prompts.ids[int(is_empty.arg_max() or 0)]
        raise DataRefused(f"Row {row}: an answer is empty, so it cannot be likely or unlikely.")
    width = prompts.options.select(pl.all().str.len_bytes()).max_horizontal()
    length = prompts.texts.str.len_bytes() + width
    doubtful = (length > model.card.max_length - _SPECIAL_TOKENS).arg_true()
    if len(doubtful):
        ids, texts = prompts.ids.gather(doubtful), prompts.texts.gather(doubtful)
        pairs = distinct_pairs(Prompts(ids, texts, prompts.options[doubtful]))
        refuse_long(pairs.rows, _encode(model, pairs, wording).lengths, model)


def _encode(model: ExportedModel, pairs: Pairs, wording: Wording) -> Continuations:
    """Return each pair as one sequence, read from its option on."""
    texts = [pairs.texts[text] for text in pairs.text_numbers]
    options = [pairs.options[option] for option in pairs.option_numbers]
    return _continuations(model, texts, options, pairs.rows, wording)


def _alone(model: ExportedModel, pairs: Pairs, wording: Wording) -> Continuations:
    """Return each distinct option after the neutral prompt."""
    texts = [wording.neutral] * len(pairs.options)
    return _continuations(model, texts, pairs.options, pairs.option_rows(), wording)


def _continuations(
    model: ExportedModel, texts: list[str], options: list[str], rows: Rows, wording: Wording
) -> Continuations:
    sequences, starts = encoded(model, texts, options, written_out=wording.written_out)
    inputs = Continuations(sequences, starts)
    for what, is_empty in (("prompt", starts == 0), ("answer", inputs.lengths <= starts)):
        if is_empty.any():
            place = int(is_empty[rows.inputs.ravel()].argmax())
            option = options[rows.inputs.ravel()[place]]
            raise DataRefused(
                f"Row {rows.name(place)}: the {what} has no token (answer {option!r}); a causal LM"
                " can say how likely a token is behind another one only."
            )
    return inputs
