"""What a causal LM reads: texts and their continuations, as tokens.

Source of the rule by which a text and its continuation are tokenized (:func:`encode`):
EleutherAI's lm-evaluation-harness 0.4.13, ``api/model.py`` (``_encode_pair``), so that numbers can
be compared. One difference: a text without tokens before a continuation is refused, where the
harness inserts the end-of-text token.
"""

from collections.abc import Sequence

import numpy as np

from evenhand.scorer.runtime.batching import Ints
from evenhand.scorer.runtime.session import ExportedModel


def encoded(
    model: ExportedModel, texts: Sequence[str], continuations: Sequence[str], *, written_out: bool
) -> tuple[list[Ints], Ints]:
    """Return the tokens of texts with their continuations, and where each continuation begins.

    Both are encoded together, as they would stand in running text, and cut where the text alone
    ends; spaces at the end of the text belong to the continuation. Special tokens that the
    tokenizer puts before a text are kept, those that it puts after it are not.

    Args:
        model: whose tokenizer is used.
        texts: N texts.
        continuations: one for each.
        written_out: whether the texts hold their special tokens, as a chat template's do.

    Returns:
        N sequences, and the first scored place of each, int64 [N].
    """
    stripped = [text.rstrip() for text in texts]
    wholes = [text + continuation for text, continuation in zip(texts, continuations, strict=True)]
    places = {text: place for place, text in enumerate(dict.fromkeys(stripped))}
    lengths = [len(ids) for ids in _ids(model, list(places), written_out=written_out)]
    starts = np.array([lengths[places[text]] for text in stripped], dtype=np.int64)
    return _ids(model, wholes, written_out=written_out), starts


def _ids(model: ExportedModel, texts: list[str], *, written_out: bool) -> list[Ints]:
    encodings = model.tokenizer.encode_batch_fast(texts, add_special_tokens=not written_out)
    # A template puts the same special tokens after every text.
    ids = [np.array(one.ids, dtype=np.int64) for one in encodings]
    behind = 0 if written_out else _tokens_behind(model)
    return [one[: len(one) - behind] for one in ids]


def _tokens_behind(model: ExportedModel) -> int:
    """Return how many special tokens the tokenizer puts after a text."""
    special = model.tokenizer.encode("a").special_tokens_mask
    return len(special) - 1 - max((i for i, flag in enumerate(special) if not flag), default=-1)
