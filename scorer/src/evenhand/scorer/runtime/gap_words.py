"""Probabilities of words at a gap, ``[Y]``, of a text: from causal, masked and seq2seq models.

A word of several pieces is read as a chain: the probability of its first piece, times that of each
further one behind those before it. Texts that are the same are read once.

Source: BVF (2024), section 3.3: the vocabulary's probabilities at the next token, or at the mask.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import polars as pl

from evenhand.contract.errors import DataRefused
from evenhand.scorer.runtime import causal_lm, seq2seq_gap
from evenhand.scorer.runtime.batching import Ints, batches, members, refuse_long
from evenhand.scorer.runtime.masked_lm import mask_positions, mask_probabilities
from evenhand.scorer.runtime.options import Floats, refuse_not_finite
from evenhand.scorer.runtime.session import ExportedModel
from evenhand.scorer.runtime.words import Words, words_of

GAP = "[Y]"

Advance = Callable[[int], None]


class Gaps(NamedTuple):
    """M distinct texts with a gap, of N rows."""

    ids: pl.Series
    """Of the rows, shape [N]."""
    texts: list[str]
    """Shape [M]."""
    rows: list[Ints]
    """The rows of each text."""

    @property
    def first(self) -> list[int]:
        """The first row of each text."""
        return [int(own[0]) for own in self.rows]


class Asked(NamedTuple):
    """How words are read."""

    chain: bool
    """Whether words of several pieces are read."""
    budget: int
    """Tokens of a batch, padding included."""


def gaps_of(ids: pl.Series, texts: pl.Series) -> Gaps:
    """Find the distinct texts.

    Raises:
        DataRefused: a text has no gap, or several.
    """
    wrong = (texts.str.count_matches(GAP, literal=True) != 1).arg_true()
    if len(wrong):
        raise DataRefused(f"Row {ids[int(wrong[0])]}: its text must hold {GAP} once.")
    _, rows = members(texts.rank("dense").to_numpy().astype(np.int64))
    return Gaps(ids, texts.gather([int(own[0]) for own in rows]).to_list(), rows)


def gap_before(text: str) -> str:
    """Return the spaces between a text and its gap.

    >>> gap_before("He said that [Y]"), gap_before('"[Y]')
    (' ', '')
    """
    left = text.partition(GAP)[0]
    return left[len(left.rstrip()) :]


def known_words(model: ExportedModel, words: list[str], *, chain: bool) -> Words:
    """Return the words that a model can read behind a space."""
    return words_of(model, words, gap=" ", chain=chain)


def word_probabilities(
    model: ExportedModel, gaps: Gaps, words: list[str], asked: Asked, advance: Advance
) -> Floats:
    """Return the probability of each word at the gap of each row, float64 [rows, words].

    Args:
        model: exported for causal-lm, fill-mask or seq2seq-lm. A causal model reads what stands
            before the gap alone.
        gaps: the rows.
        words: V words that :func:`known_words` found.
        asked: how they are read.
        advance: is given the number of rows that were just done.

    Raises:
        DataRefused: a row is longer than the model reads, nothing stands before the gap (causal),
            the model has no mask or no sentinel, or gives what is no number.
    """
    read = {
        "causal-lm": _by_next_tokens,
        "fill-mask": _by_masks,
        "seq2seq-lm": seq2seq_gap.read,
    }[model.card.task]
    found = np.empty((len(gaps.ids), len(words)))
    # An encoder-decoder writes the word behind its sentinel, with the space that goes with a word.
    is_sentinel = model.card.task == "seq2seq-lm"
    spaces = np.array([" " if is_sentinel else gap_before(text) for text in gaps.texts])
    for gap in sorted(set(spaces)):
        own = np.flatnonzero(spaces == gap)
        part = Gaps(gaps.ids, [gaps.texts[i] for i in own], [gaps.rows[i] for i in own])
        known = words_of(model, words, gap=gap, chain=asked.chain)
        if known.left_out:
            raise DataRefused(
                f"Row {gaps.ids[part.first[0]]}: without a space before {GAP} the tokenizer of"
                f" {model.card.name} has no piece for {', '.join(known.left_out[:5])}."
            )
        values = read(model, part, known, asked, advance)
        refuse_not_finite(values, gaps.ids, np.array(part.first), model)
        counts = [len(rows) for rows in part.rows]
        found[np.concatenate(part.rows)] = np.repeat(values, counts, axis=0)
    return found


def _by_next_tokens(
    model: ExportedModel, gaps: Gaps, words: Words, asked: Asked, advance: Advance
) -> Floats:
    """Read words behind the text before the gap; beginnings that texts share are run once."""
    lefts = [text.partition(GAP)[0].rstrip() for text in gaps.texts]
    beginnings, _ = causal_lm.encoded(model, lefts, [""] * len(lefts), written_out=False)
    lengths = np.array([len(own) for own in beginnings])
    longest = max(len(own) for own in words.pieces)
    refuse_long(gaps.ids, lengths + longest, gaps.first, limit=model.card.max_length)
    if not lengths.all():
        row = gaps.ids[gaps.first[int(lengths.argmin())]]
        raise DataRefused(
            f"Row {row}: nothing stands before {GAP}, and a causal LM can say how likely a word is"
            " behind another one only."
        )
    share = _Share(sum(len(rows) for rows in gaps.rows), advance, 1 if _is_single(words) else 2)
    logs = np.empty((len(beginnings), len(words.names)))
    if single := words.of_length(1):
        tokens = np.array([words.pieces[place][0] for place in single])
        logs[:, single] = causal_lm.token_log_probabilities(
            model, beginnings, tokens, budget=asked.budget, progress=share.done
        )
        share.next()
    if several := [place for place, own in enumerate(words.pieces) if len(own) > 1]:
        sequences = [
            np.concatenate([own, words.pieces[place]]) for own in beginnings for place in several
        ]
        starts = np.repeat(lengths, len(several))
        found = causal_lm.log_likelihoods(
            model, sequences, starts, budget=asked.budget, progress=share.done
        )
        logs[:, several] = found.reshape(len(beginnings), len(several))
        share.next()
    return np.exp(logs)


def _is_single(words: Words) -> bool:
    return len({len(own) > 1 for own in words.pieces}) == 1


class _Share:
    """Says of how many rows the work is done, when it goes by tokens in one or two passes."""

    def __init__(self, n_rows: int, advance: Advance, n_passes: int) -> None:
        self._rows, self._advance, self._passes = n_rows, advance, n_passes
        self._pass = self._said = 0

    def done(self, n_tokens: int, total: int) -> None:
        """Count the tokens of a pass; rows are counted in proportion."""
        rows = int(self._rows * (self._pass + n_tokens / total) / self._passes)
        self._advance(rows - self._said)
        self._said = rows

    def next(self) -> None:
        """End a pass."""
        self.done(1, 1)
        self._pass += 1


def _by_masks(
    model: ExportedModel, gaps: Gaps, words: Words, asked: Asked, advance: Advance
) -> Floats:
    """Read words at as many masks as they have pieces, from left to right."""
    mask = model.card.mask
    if mask is None:
        raise DataRefused(f"{model.folder}: the model's tokenizer has no mask token.")
    texts = [text.replace(GAP, mask.text) for text in gaps.texts]
    ids = [np.array(own.ids, dtype=np.int64) for own in model.tokenizer.encode_batch_fast(texts)]
    lengths = np.array([len(own) for own in ids])
    longest = max(len(own) for own in words.pieces)
    refuse_long(gaps.ids, lengths + longest - 1, gaps.first, limit=model.card.max_length)
    places = mask_positions(gaps.ids.gather(gaps.first), ids, lengths, mask.id)
    found = np.ones((len(ids), len(words.names)))
    chains = _chains(words)
    for batch in batches(lengths + longest - 1, budget=asked.budget):
        own = [_Masked(ids[i], int(places[i])) for i in batch]
        for chain in chains:
            found[batch] *= _read_chain(model, own, chain, mask.id, len(words.names))
        advance(sum(len(gaps.rows[i]) for i in batch))
    return found


class _Masked(NamedTuple):
    """A text with one mask."""

    ids: Ints
    place: int
    """Of the mask."""


class _Chain(NamedTuple):
    """Words of one length that begin alike, so that they see the same masks in one step."""

    beginning: tuple[int, ...]
    """Pieces that are filled in."""
    n_masks: int
    """Masks behind them; at the first of these the words are read."""
    words: list[int]
    """Places of the words."""
    tokens: list[int]
    """The piece of each that is read in this step."""


def _chains(words: Words) -> list[_Chain]:
    found: dict[tuple[int, tuple[int, ...]], _Chain] = {}
    for place, pieces in enumerate(words.pieces):
        for step in range(len(pieces)):
            beginning = tuple(pieces[:step].tolist())
            new = _Chain(beginning, len(pieces) - step, [], [])
            chain = found.setdefault((len(pieces), beginning), new)
            chain.words.append(place)
            chain.tokens.append(int(pieces[step]))
    return list(found.values())


def _read_chain(
    model: ExportedModel, texts: list[_Masked], chain: _Chain, mask: int, n_words: int
) -> Floats:
    """Return the probability of the piece that is read of each word, 1 of other words."""
    filled = [*chain.beginning, *[mask] * chain.n_masks]
    ids = [np.concatenate([t.ids[: t.place], filled, t.ids[t.place + 1 :]]) for t in texts]
    places = np.array([text.place + len(chain.beginning) for text in texts])
    found = np.ones((len(texts), n_words))
    found[:, chain.words] = mask_probabilities(model, ids, places)[:, chain.tokens]
    return found
