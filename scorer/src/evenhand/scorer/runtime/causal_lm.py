"""Log-probabilities of tokens behind any beginnings, from a causal LM, each beginning run once.

Everything that is asked in one call becomes one forest (``trie``): a token that many texts share is
run once, a token behind which nothing is read is never run, and the head over the vocabulary runs
where something is read alone. Rows of the forest that are of like length are run together.

Source of the rule by which a text and its continuation are cut into tokens (:func:`encoded`):
EleutherAI's lm-evaluation-harness 0.4.13, ``api/model.py`` (``_encode_pair``), so that numbers can
be compared. What is ours: a text without tokens in front of a continuation is refused, where the
harness puts the end-of-text token.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenhand.scorer.runtime.batching import Ints, batches
from evenhand.scorer.runtime.options import Floats
from evenhand.scorer.runtime.session import ExportedModel, Session
from evenhand.scorer.runtime.trie import Branch, Row, Trie, planned, seen_in, trie_of

ROW_TOKENS = 192
"""Tokens of a row: attention costs by the square of it, and what rows share is run in each."""
BATCH_TOKENS = 4_096
"""Tokens of a batch where nothing else is asked."""
CPU_TOKENS = 512
"""The most tokens of a batch on a CPU: what one layer leaves for the next stays in its cache."""

_LARGEST_LOGITS = 1 << 26
"""Numbers that the head gives in one run (256 MB)."""

Cache = NDArray[np.float32]
"""Keys and values, [layers, 2, 1, heads, tokens, width]."""
Progress = Callable[[int, int], None]
"""Is given the tokens that are done, and all that there are."""


def encoded(
    model: ExportedModel, texts: Sequence[str], continuations: Sequence[str], *, written_out: bool
) -> tuple[list[Ints], Ints]:
    """Return the tokens of texts with their continuations, and where each continuation begins.

    Both are encoded together, as they would stand in running text, and cut where the text alone
    ends; spaces at the end of the text count to the continuation. Special tokens that the tokenizer
    puts before a text are kept, those that it puts behind it are not.

    Args:
        model: whose tokenizer is taken.
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
    # All that one template puts behind a text is the same for every text.
    ids = [np.array(one.ids, dtype=np.int64) for one in encodings]
    behind = 0 if written_out else _tokens_behind(model)
    return [one[: len(one) - behind] for one in ids]


def _tokens_behind(model: ExportedModel) -> int:
    """Return how many special tokens the tokenizer puts behind a text."""
    special = model.tokenizer.encode("a").special_tokens_mask
    return len(special) - 1 - max((i for i, flag in enumerate(special) if not flag), default=-1)


def log_likelihoods(
    model: ExportedModel,
    sequences: Sequence[Ints],
    starts: Ints,
    *,
    budget: int = BATCH_TOKENS,
    progress: Progress | None = None,
) -> Floats:
    """Return the log-likelihood of each sequence's tokens from its start on, in nats.

    It moves with the other sequences and with the budget by rounding of fp32 alone.

    Args:
        model: exported for causal-lm.
        sequences: N sequences of token ids.
        starts: the first scored token of each, at least 1 and before its end, int64 [N].
        budget: tokens of a batch, padding included.
        progress: is called after each batch.

    Returns:
        float64 [N]; the sum of log p(token | all before it); not finite where the model is not.
    """
    lengths = np.array([len(sequence) for sequence in sequences])
    trie, nodes = trie_of([sequence[:-1] for sequence in sequences])
    owner = np.repeat(np.arange(len(sequences)), lengths - starts)
    first = np.repeat(np.cumsum(lengths - starts) - (lengths - starts), lengths - starts)
    place = np.arange(len(owner)) - first + starts[owner]
    tokens = np.concatenate([s[i:] for s, i in zip(sequences, starts, strict=True)])
    asked = _Asked(nodes[owner, place - 1], tokens)
    logs = _read(model, trie, asked, budget=budget, progress=progress)
    sums: Floats = np.zeros(len(sequences))
    np.add.at(sums, owner, logs)
    return sums


def token_log_probabilities(
    model: ExportedModel,
    beginnings: Sequence[Ints],
    tokens: Ints,
    *,
    budget: int = BATCH_TOKENS,
    progress: Progress | None = None,
) -> Floats:
    """Return the log-probability of each token right behind each beginning, in nats.

    Args:
        model: exported for causal-lm.
        beginnings: N sequences of at least one token id.
        tokens: the K tokens that are read, int64 [K].
        budget: tokens of a batch, padding included.
        progress: is called after each batch.

    Returns:
        float64 [N, K]; the softmax runs over the whole vocabulary.
    """
    trie, nodes = trie_of(beginnings)
    last = nodes[np.arange(len(beginnings)), [len(one) - 1 for one in beginnings]]
    asked = _Asked(np.repeat(last, len(tokens)), np.tile(tokens, len(last)))
    logs = _read(model, trie, asked, budget=budget, progress=progress)
    return logs.reshape(len(last), len(tokens))


class _Asked(NamedTuple):
    """K tokens, each behind a node; both int64 [K]."""

    nodes: Ints
    tokens: Ints


def _read(
    model: ExportedModel, trie: Trie, asked: _Asked, *, budget: int, progress: Progress | None
) -> Floats:
    """Return log p(token | the path to the node and it) of each pair; a pair is read once."""
    n_words = model.card.vocabulary_size
    pairs, which = np.unique(asked.nodes * n_words + asked.tokens, return_inverse=True)
    distinct = _Asked(pairs // n_words, pairs % n_words)
    run = _Run(model, trie, distinct, budget=budget, progress=progress)
    run.branch(planned(trie, row_tokens=ROW_TOKENS), _no_cache(model.session))
    return run.logs[which]


def _no_cache(session: Session) -> Cache:
    layers, _, _, heads, _, width = session.input_shape("past")
    return np.zeros((layers, 2, 1, heads, 0, width), dtype=np.float32)


class _Run:
    """Reads a forest, branch by branch; of caches it holds those above the branch alone."""

    def __init__(
        self,
        model: ExportedModel,
        trie: Trie,
        asked: _Asked,
        *,
        budget: int,
        progress: Progress | None,
    ) -> None:
        """Begin; what is asked comes in the order of the nodes."""
        self._session, self._trie, self._asked = model.session, trie, asked
        self._budget = min(budget, CPU_TOKENS) if model.session.device == "cpu" else budget
        self._progress = progress
        self._largest_read = max(1, _LARGEST_LOGITS // model.card.vocabulary_size)
        self._done = 0
        self.logs = np.empty(len(asked.nodes))

    def branch(self, branch: Branch, past: Cache) -> None:
        """Read all that is below a branch, its own path included."""
        if branch.path is not None:
            kept = self._rows([branch.path], past, keep=True)
            past = np.concatenate([past, kept], axis=4)
        for rows in self._batches(branch.rows):
            self._rows(rows, past)
        for below in branch.branches:
            self.branch(below, past)

    def _batches(self, rows: list[Row]) -> Iterator[list[Row]]:
        """Put rows of like length together, no more of them than the head's output allows."""
        lengths = np.array([len(row) for row in rows], dtype=np.int64)
        for numbers in batches(lengths, budget=self._budget):
            batch: list[Row] = []
            n_read = 0
            for row in (rows[number] for number in numbers):
                own = len(np.unique(self._asked.nodes[self._range(row)]))
                if batch and n_read + own > self._largest_read:
                    yield batch
                    batch, n_read = [], 0
                batch.append(row)
                n_read += own
            yield batch

    def _range(self, row: Row) -> slice:
        """Return where what is read in a row stands among all that is asked."""
        return slice(*np.searchsorted(self._asked.nodes, [row.start, row.stop]))

    def _rows(self, rows: list[Row], past: Cache, *, keep: bool = False) -> Cache:
        """Run some rows behind one past; return the keys and values that are kept, if any."""
        length = max(len(row) for row in rows)
        inputs = _inputs(self._trie, rows, past)
        places, numbers = [], []
        for number, row in enumerate(rows):
            own = self._range(row)
            column = self._asked.nodes[own] - row.start + len(row.spine)
            places.append(number * length + column)
            numbers.append(np.arange(own.start, own.stop))
        asked = np.concatenate(numbers)
        inputs["read"], inputs["wanted_rows"] = np.unique(
            np.concatenate(places), return_inverse=True
        )
        inputs["wanted_tokens"] = self._asked.tokens[asked]
        inputs["kept"] = np.arange(length if keep else 0)
        logs, present = self._session.run(inputs, ["log_probabilities", "present"])
        self.logs[asked] = logs
        self._done += sum(row.stop - row.start for row in rows)
        if self._progress is not None:
            self._progress(self._done, len(self._trie))
        return present


def _inputs(trie: Trie, rows: list[Row], past: Cache) -> dict[str, NDArray[Any]]:
    """Return tokens, depths and what sees what, of rows padded to the longest."""
    shape = (len(rows), max(len(row) for row in rows))
    n_past = past.shape[4]
    ids, depths = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    seen = np.zeros((*shape, n_past + shape[1]), dtype=np.bool_)
    for number, row in enumerate(rows):
        nodes, n = row.nodes(), len(row)
        ids[number, :n], depths[number, :n] = trie.tokens[nodes], trie.depths[nodes]
        seen[number, :n, :n_past] = True
        seen[number, :n, n_past : n_past + n] = seen_in(trie, row)
    return {"input_ids": ids, "position_ids": depths, "attention_mask": seen, "past": past}
