"""Words that are read in a text: the pieces of each for a tokenizer, and those that it lacks."""

import functools
import json
from typing import NamedTuple

import numpy as np

from evenhand.scorer.runtime.batching import Ints
from evenhand.scorer.runtime.session import ExportedModel

_CARRIER, _QUOTE = "The", '"'
"""What stands before a word while it is cut: some tokenizers put a space before every text, and
would put two before one that begins with a space."""


class Words(NamedTuple):
    """Words as a model reads them."""

    names: list[str]
    """V words, as the caller spells them."""
    pieces: list[Ints]
    """The pieces of each, at least one."""
    left_out: list[str]
    """Words that the vocabulary lacks, or of several pieces where one is asked for."""

    def of_one_piece(self) -> list[int]:
        """Return the places of the words of one piece."""
        return [place for place, pieces in enumerate(self.pieces) if len(pieces) == 1]

    def of_several_pieces(self) -> list[int]:
        """Return the places of the words of several pieces."""
        return [place for place, pieces in enumerate(self.pieces) if len(pieces) > 1]

    def most_pieces(self) -> int:
        """Return the number of pieces of the longest word."""
        return max(len(pieces) for pieces in self.pieces)


def words_in_pieces(model: ExportedModel, words: list[str], *, before: str, chain: bool) -> Words:
    """Cut words into pieces as they stand in running text.

    Args:
        model: whose tokenizer is taken.
        words: each once.
        before: what stands between the text and a word, most often a space. Byte-level and
            sentence-piece tokenizers have other pieces for a word behind a space.
        chain: whether words of several pieces are read.
    """
    unknown, carrier = unknown_ids(model), _CARRIER if before else _QUOTE
    opening = _ids(model, carrier)
    names, pieces, left_out = [], [], []
    for word in words:
        whole = _ids(model, f"{carrier}{before}{word}")
        ids = whole[len(opening) :] if whole[: len(opening)] == opening else []
        if not ids or unknown & set(ids) or (len(ids) > 1 and not chain):
            left_out.append(word)
        else:
            names.append(word)
            pieces.append(np.array(ids, dtype=np.int64))
    return Words(names, pieces, left_out)


def _ids(model: ExportedModel, text: str) -> list[int]:
    ids: list[int] = model.tokenizer.encode(text, add_special_tokens=False).ids
    return ids


@functools.lru_cache(maxsize=1)
def unknown_ids(model: ExportedModel) -> frozenset[int]:
    """Return the ids of the unknown piece; the library shows it for some kinds of model only."""
    described = json.loads(model.tokenizer.to_str())["model"]
    ids = {described.get("unk_id")}
    # A byte-level vocabulary needs none and often says so, yet keeps the token.
    for text in (described.get("unk_token"), "[UNK]", "<unk>"):
        ids.add(model.tokenizer.token_to_id(text) if text else None)
    return frozenset(ids - {None})
