"""Words that are read in a text: the tokens of each, and the words that a tokenizer lacks."""

import functools
import json
from typing import NamedTuple

import numpy as np

from evenhand.scorer.runtime.batching import Ints
from evenhand.scorer.runtime.session import ExportedModel

_CARRIER, _QUOTE = "The", '"'
"""What stands before a word while it is tokenized: some tokenizers put a space before every text,
and would put two before a text that begins with a space."""


class Words(NamedTuple):
    """Words as a model reads them."""

    names: list[str]
    """V words, as the caller spells them."""
    tokens: list[Ints]
    """The tokens of each, at least one."""
    left_out: list[str]
    """Words that the vocabulary lacks, or that have several tokens where only one is read."""

    def single_token_places(self) -> list[int]:
        """Return the places of the words that are one token."""
        return [place for place, tokens in enumerate(self.tokens) if len(tokens) == 1]

    def multi_token_places(self) -> list[int]:
        """Return the places of the words that are several tokens."""
        return [place for place, tokens in enumerate(self.tokens) if len(tokens) > 1]

    def longest(self) -> int:
        """Return the number of tokens of the longest word."""
        return max(len(tokens) for tokens in self.tokens)


def tokenize_words(model: ExportedModel, words: list[str], *, before: str, chain: bool) -> Words:
    """Tokenize words as they stand in running text.

    Args:
        model: whose tokenizer is used.
        words: each once.
        before: what stands between the text and a word, most often a space. Byte-level and
            SentencePiece tokenizers have other tokens for a word that follows a space.
        chain: whether words of several tokens are read.
    """
    unknown, carrier = unknown_ids(model), _CARRIER if before else _QUOTE
    opening = _ids(model, carrier)
    names, tokens, left_out = [], [], []
    for word in words:
        whole = _ids(model, f"{carrier}{before}{word}")
        ids = whole[len(opening) :] if whole[: len(opening)] == opening else []
        if not ids or unknown & set(ids) or (len(ids) > 1 and not chain):
            left_out.append(word)
        else:
            names.append(word)
            tokens.append(np.array(ids, dtype=np.int64))
    return Words(names, tokens, left_out)


def _ids(model: ExportedModel, text: str) -> list[int]:
    ids: list[int] = model.tokenizer.encode(text, add_special_tokens=False).ids
    return ids


@functools.lru_cache(maxsize=1)
def unknown_ids(model: ExportedModel) -> frozenset[int]:
    """Return the ids of the unknown token; the library shows it for some kinds of model only."""
    described = json.loads(model.tokenizer.to_str())["model"]
    ids = {described.get("unk_id")}
    # A byte-level vocabulary needs none and often says so, yet keeps the token.
    for text in (described.get("unk_token"), "[UNK]", "<unk>"):
        ids.add(model.tokenizer.token_to_id(text) if text else None)
    return frozenset(ids - {None})
