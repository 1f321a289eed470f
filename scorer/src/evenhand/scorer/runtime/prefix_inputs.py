"""Inputs of causal LMs: tokens read after their prefixes, each shared prefix run once.

All inputs of one call become one forest (``trie``): a token that many texts share is run once, a
token after which nothing is read is never run, and the head over the vocabulary runs only where
something is read. Rows of the forest of similar length are run together.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenhand.scorer.runtime.batching import Floats, Ints, batches
from evenhand.scorer.runtime.scheduler import Batch, number_distinct
from evenhand.scorer.runtime.session import ExportedModel, Session
from evenhand.scorer.runtime.trie import Branch, Row, Trie, build_trie, plan_branches, seen_in

ROW_TOKENS = 192
"""Tokens of a row: attention costs by the square of it, and what rows share is run in each."""
CPU_TOKENS = 512
"""The most tokens of a batch on a CPU: activations between layers then stay in its cache."""

_LARGEST_LOGITS = 1 << 26
"""Numbers that the head gives in one run (256 MB)."""
_NONE: Ints = np.zeros(0, dtype=np.int64)

Cache = NDArray[np.float32]
"""Keys and values, [layers, 2, 1, heads, tokens, width]."""


class _Reads(NamedTuple):
    """K tokens, each read after a node of a forest; both int64 [K]."""

    nodes: Ints
    tokens: Ints


@dataclass(frozen=True, eq=False)
class PrefixInputs(ABC):
    """M sequences of tokens, of which some are read; prefixes that they share run once."""

    sequences: Sequence[Ints]

    @property
    def lengths(self) -> Ints:
        """Tokens of each sequence."""
        return np.array([len(sequence) for sequence in self.sequences], dtype=np.int64)

    def identities(self) -> Ints:
        """Number the distinct inputs."""
        return number_distinct(sequence.tobytes() for sequence in self.sequences)

    def run(self, model: ExportedModel, numbers: Ints, *, budget: int) -> Iterator[Batch]:
        """Run the inputs with these numbers; all are finished with the last batch."""
        trie, reads = self._plan(numbers)
        run = _Run(model, trie, reads, budget=budget)
        yield from (Batch(_NONE, [], share) for share in run.shares())
        yield Batch(numbers, [self._values(numbers, run.log_probabilities())], 1.0)

    @abstractmethod
    def _plan(self, numbers: Ints) -> tuple[Trie, _Reads]:
        """Return the forest of some inputs, and all tokens that are read in it."""

    @abstractmethod
    def _values(self, numbers: Ints, logs: Floats) -> Floats:
        """Return each input's value, from the log-probability of each token that is read."""


@dataclass(frozen=True, eq=False)
class Continuations(PrefixInputs):
    """Sequences that are read from a position on: the log-likelihood of the rest, [M], in nats."""

    starts: Ints
    """First token that is read of each, at least 1 and before its end, int64 [M]."""

    def identities(self) -> Ints:
        """Number the distinct inputs."""
        pairs = zip(self.sequences, self.starts.tolist(), strict=True)
        return number_distinct((sequence.tobytes(), start) for sequence, start in pairs)

    def _plan(self, numbers: Ints) -> tuple[Trie, _Reads]:
        sequences = [self.sequences[i] for i in numbers]
        trie, nodes = build_trie([sequence[:-1] for sequence in sequences])
        starts, counts = self.starts[numbers], self._n_read(numbers)
        owners = np.repeat(np.arange(len(sequences)), counts)
        first = np.repeat(np.cumsum(counts) - counts, counts)
        places = np.arange(len(owners)) - first + starts[owners]
        tokens = np.concatenate([s[i:] for s, i in zip(sequences, starts, strict=True)])
        return trie, _Reads(nodes[owners, places - 1], tokens)

    def _values(self, numbers: Ints, logs: Floats) -> Floats:
        sums: Floats = np.zeros(len(numbers))
        np.add.at(sums, np.repeat(np.arange(len(numbers)), self._n_read(numbers)), logs)
        return sums

    def _n_read(self, numbers: Ints) -> Ints:
        counts: Ints = self.lengths[numbers] - self.starts[numbers]
        return counts


@dataclass(frozen=True, eq=False)
class NextTokens(PrefixInputs):
    """Prefixes of at least one token: log-probabilities of the next token, [M, K]."""

    tokens: Ints
    """The same K tokens for all, int64 [K]."""

    def _plan(self, numbers: Ints) -> tuple[Trie, _Reads]:
        sequences = [self.sequences[i] for i in numbers]
        trie, nodes = build_trie(sequences)
        last = nodes[np.arange(len(sequences)), self.lengths[numbers] - 1]
        n_tokens = len(self.tokens)
        return trie, _Reads(np.repeat(last, n_tokens), np.tile(self.tokens, len(last)))

    def _values(self, numbers: Ints, logs: Floats) -> Floats:
        return logs.reshape(len(numbers), len(self.tokens))


class _Run:
    """Reads a forest branch by branch, and holds the caches above the branch alone."""

    def __init__(self, model: ExportedModel, trie: Trie, reads: _Reads, *, budget: int) -> None:
        """Prepare the reads; what several inputs ask of one node is read once."""
        n_words = model.card.vocabulary_size
        pairs, self._which = np.unique(reads.nodes * n_words + reads.tokens, return_inverse=True)
        # In the order of the nodes, so that what is read in a row of the forest is a range.
        self._reads = _Reads(pairs // n_words, pairs % n_words)
        self._session, self._trie = model.session, trie
        self._budget = min(budget, CPU_TOKENS) if model.session.device == "cpu" else budget
        self._largest_read = max(1, _LARGEST_LOGITS // n_words)
        self._n_done = 0
        self._logs = np.empty(len(pairs))

    def shares(self) -> Iterator[float]:
        """Run the forest; yield after each batch the share of its tokens that is done."""
        plan = plan_branches(self._trie, row_tokens=ROW_TOKENS)
        yield from self._branch(plan, _no_cache(self._session))

    def log_probabilities(self) -> Floats:
        """Return log p(token | the path to its node) of all that was asked, in nats."""
        return self._logs[self._which]

    def _branch(self, branch: Branch, past: Cache) -> Iterator[float]:
        """Read all that is below a branch, and the branch's path first."""
        if branch.path is not None:
            present = self._run_rows([branch.path], past, keep=True)
            yield self._share()
            past = np.concatenate([past, present], axis=4)
        for rows in self._batches(branch.rows):
            self._run_rows(rows, past)
            yield self._share()
        for below in branch.branches:
            yield from self._branch(below, past)

    def _share(self) -> float:
        return self._n_done / len(self._trie)

    def _batches(self, rows: list[Row]) -> Iterator[list[Row]]:
        """Group rows of similar length, no more of them than the head's output allows."""
        lengths = np.array([len(row) for row in rows], dtype=np.int64)
        for numbers in batches(lengths, budget=self._budget):
            batch: list[Row] = []
            n_read = 0
            for row in (rows[number] for number in numbers):
                n_more = len(np.unique(self._reads.nodes[self._range(row)]))
                if batch and n_read + n_more > self._largest_read:
                    yield batch
                    batch, n_read = [], 0
                batch.append(row)
                n_read += n_more
            yield batch

    def _range(self, row: Row) -> slice:
        """Return the range of a row's reads among all reads."""
        return slice(*np.searchsorted(self._reads.nodes, [row.start, row.stop]))

    def _run_rows(self, rows: list[Row], past: Cache, *, keep: bool = False) -> Cache:
        """Run some rows after one past; return the keys and values that are kept, if any."""
        length = max(len(row) for row in rows)
        feed = _feed(self._trie, rows, past)
        places, numbers = [], []
        for number, row in enumerate(rows):
            within = self._range(row)
            columns = self._reads.nodes[within] - row.start + len(row.spine)
            places.append(number * length + columns)
            numbers.append(np.arange(within.start, within.stop))
        read = np.concatenate(numbers)
        feed["read"], feed["wanted_rows"] = np.unique(np.concatenate(places), return_inverse=True)
        feed["wanted_tokens"] = self._reads.tokens[read]
        feed["kept"] = np.arange(length if keep else 0)
        logs, present = self._session.run(feed, ["log_probabilities", "present"])
        self._logs[read] = logs
        self._n_done += sum(row.stop - row.start for row in rows)
        return present


def _no_cache(session: Session) -> Cache:
    layers, _, _, heads, _, width = session.input_shape("past")
    return np.zeros((layers, 2, 1, heads, 0, width), dtype=np.float32)


def _feed(trie: Trie, rows: list[Row], past: Cache) -> dict[str, NDArray[Any]]:
    """Return tokens, depths and attention masks of rows, padded to the longest."""
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
