"""Words at a gap from a causal LM: its continuations of the text before the gap."""

import numpy as np

from evenhand.contract.errors import DataRefused
from evenhand.scorer.bvf.ask.gaps import GAP, Gaps, Reading
from evenhand.scorer.runtime.batching import Floats, Ints
from evenhand.scorer.runtime.causal_lm import encoded
from evenhand.scorer.runtime.prefix_inputs import Continuations, NextTokens, PrefixInputs
from evenhand.scorer.runtime.scheduler import (
    Rows,
    answers,
    first_output,
    refuse_long,
    share_progress,
)
from evenhand.scorer.runtime.session import ExportedModel
from evenhand.scorer.runtime.words import Words


def read(model: ExportedModel, gaps: Gaps, words: Words, reading: Reading) -> Floats:
    """Return the probability of each word, float64 [rows, words].

    Raises:
        DataRefused: a text begins with its gap, or is longer than the model's context.
    """
    lefts = [text.partition(GAP)[0].rstrip() for text in gaps.texts]
    beginnings, _ = encoded(model, lefts, [""] * len(lefts), written_out=False)
    _refuse_unreadable(model, gaps, beginnings, words)
    single, several = words.single_token_places(), words.multi_token_places()
    passes: list[tuple[list[int], PrefixInputs, Rows]] = []
    if single:
        tokens = np.array([words.tokens[place][0] for place in single])
        # The next-token distribution of one input has all words of a single token.
        passes.append((single, NextTokens(beginnings, tokens), gaps.rows))
    if several:
        numbers = gaps.rows.inputs[:, None] * len(several) + np.arange(len(several))
        behind = _continuations(beginnings, [words.tokens[place] for place in several])
        passes.append((several, behind, Rows(gaps.rows.ids, numbers)))
    probabilities = np.empty((len(gaps.rows.ids), len(words.names)))
    advance = share_progress(reading.advance, len(passes))
    for places, inputs, rows in passes:
        probabilities[:, places] = answers(
            model,
            inputs,
            rows,
            read=lambda batch: np.exp(first_output(batch)),
            budget=reading.budget,
            advance=advance,
        )
    return probabilities


def _continuations(beginnings: list[Ints], pieces: list[Ints]) -> Continuations:
    """Return every word after every beginning, grouped by beginning."""
    sequences = [np.concatenate([ids, word]) for ids in beginnings for word in pieces]
    starts = np.repeat([len(ids) for ids in beginnings], len(pieces))
    return Continuations(sequences, starts)


def _refuse_unreadable(
    model: ExportedModel, gaps: Gaps, beginnings: list[Ints], words: Words
) -> None:
    lengths = np.array([len(ids) for ids in beginnings])
    refuse_long(gaps.rows, lengths + words.longest(), model)
    if not lengths.all():
        row = gaps.rows.name(int(lengths[gaps.rows.inputs].argmin()))
        raise DataRefused(
            f"Row {row}: the text begins with {GAP}, but a causal LM needs text before the gap;"
            " write some, or use a masked model."
        )
