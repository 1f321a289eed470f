"""Token sequences as a forest in which each shared prefix occurs once, cut to rows of a batch.

The nodes are numbered depth first. So the nodes below a node are a range that begins with it, and
any range of nodes needs, beyond itself, no more than the path above its first node: a row of a
batch is such a range and that path, its *spine*.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from evenhand.scorer.runtime.batching import Ints

Bools = NDArray[np.bool_]

_SHORTEST_PATH = 16
"""A run of fewer tokens than this costs more than it saves."""


@dataclass(frozen=True, eq=False)
class Trie:
    """A forest of ``n`` tokens; all arrays have the shape [n]."""

    tokens: Ints
    parents: Ints
    """-1 at a root."""
    depths: Ints
    """0 at a root."""
    ends: Ints
    """One more than the number of the last node below each node."""

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self.tokens)

    def spine(self, node: int, base: int) -> list[int]:
        """Return the nodes above a node, from the depth ``base`` on, topmost first."""
        above = []
        parent = int(self.parents[node])
        while parent >= 0 and self.depths[parent] >= base:
            above.append(parent)
            parent = int(self.parents[parent])
        return above[::-1]


@dataclass(frozen=True)
class Row:
    """The nodes ``start`` to ``stop``, and those that stand above ``start``."""

    start: int
    stop: int
    spine: tuple[int, ...]

    def __len__(self) -> int:
        """Return the number of tokens that are run."""
        return len(self.spine) + self.stop - self.start

    def nodes(self) -> Ints:
        """Return the nodes in the order in which they are run."""
        return np.concatenate(
            [np.array(self.spine, dtype=np.int64), np.arange(self.start, self.stop)]
        )


@dataclass(frozen=True)
class Branch:
    """The part of a forest after one shared prefix, whose keys and values are kept."""

    path: Row | None
    """The prefix, as far as no other branch covers it; None where there is none."""
    rows: list[Row] = field(default_factory=list)
    branches: list["Branch"] = field(default_factory=list)


def build_trie(sequences: Sequence[Ints]) -> tuple[Trie, Ints]:
    """Build the forest of some sequences.

    Returns:
        The forest, and for each sequence the node of each of its tokens, int64
        [sequences, longest]; what follows a sequence's end there means nothing.

    >>> trie, nodes = build_trie([np.array([5, 6, 7]), np.array([5, 6, 8]), np.array([5])])
    >>> trie.tokens.tolist(), trie.parents.tolist(), trie.ends.tolist()
    ([5, 6, 7, 8], [-1, 0, 1, 1], [4, 4, 3, 4])
    >>> nodes[0].tolist(), nodes[1].tolist(), int(nodes[2, 0])
    ([0, 1, 2], [0, 1, 3], 0)
    """
    lengths = np.array([len(sequence) for sequence in sequences])
    columns = np.arange(lengths.max())
    is_real = columns < lengths[:, None]
    grid = np.full(is_real.shape, -1, dtype=np.int64)
    grid[is_real] = np.concatenate(sequences)
    order = np.lexsort(grid.T[::-1])
    grid, is_real = grid[order], is_real[order]
    is_new = is_real & (columns >= _shared_prefixes(grid, is_real)[:, None])
    depths = np.nonzero(is_new)[1]
    # A node stands until the next one is made in its column, in the order of the sequences.
    numbers = np.where(is_new, np.cumsum(is_new).reshape(is_new.shape) - 1, -1)
    numbers = np.maximum.accumulate(numbers, axis=0)
    before = np.concatenate([np.full((len(grid), 1), -1), numbers[:, :-1]], axis=1)
    parents = before[is_new]
    nodes = np.empty_like(numbers)
    nodes[order] = numbers
    return Trie(grid[is_new], parents, depths, _ends(parents, depths)), nodes


def _shared_prefixes(grid: Ints, is_real: Bools) -> Ints:
    """Return how many leading tokens each row has in common with the row before it."""
    differs = (grid[1:] != grid[:-1]) | ~is_real[1:]
    first = np.where(differs.any(axis=1), differs.argmax(axis=1), grid.shape[1])
    return np.concatenate([[0], first])


def _ends(parents: Ints, depths: Ints) -> Ints:
    sizes = np.ones(len(parents), dtype=np.int64)
    for depth in range(int(depths.max(initial=0)), 0, -1):
        level = np.flatnonzero(depths == depth)
        np.add.at(sizes, parents[level], sizes[level])
    ends: Ints = np.arange(len(parents)) + sizes
    return ends


def plan_branches(trie: Trie, *, row_tokens: int) -> Branch:
    """Cut a forest to rows of at most ``row_tokens`` tokens, as far as no sequence is longer.

    A prefix becomes a branch when running it again in every row below it would cost more
    than a row. Each node is in one row or path, and a row below a branch has no spine above it.
    """
    is_only = np.append(trie.ends[1:] == trie.ends[:-1], False)
    # The end of the chain on which each node has one child alone.
    tails = np.where(is_only, len(trie), np.arange(len(trie)))
    tails = np.minimum.accumulate(tails[::-1])[::-1]
    return _Plan(trie, tails, row_tokens).branch(0, len(trie), 0, None)


@dataclass(frozen=True, eq=False)
class _Plan:
    trie: Trie
    tails: Ints
    row_tokens: int

    def branch(self, low: int, high: int, base: int, path: Row | None) -> Branch:
        """Plan the nodes ``low`` to ``high``, of which none is above the depth ``base``."""
        branch = Branch(path)
        node = first = low
        while node < high:
            end, tail = int(self.trie.ends[node]), int(self.tails[node])
            if end - node <= self.row_tokens:
                node = end
            elif self._is_worth_it(int(self.trie.depths[tail]) + 1 - base, end - tail - 1):
                branch.rows.extend(self._rows(first, node, base))
                shared = self._row(node, tail + 1, base)
                below = int(self.trie.depths[tail]) + 1
                branch.branches.append(self.branch(tail + 1, end, below, shared))
                node = first = end
            else:
                node = tail + 1
        branch.rows.extend(self._rows(first, high, base))
        return branch

    def _is_worth_it(self, n_path: int, n_below: int) -> bool:
        """Say whether running a path again in each row below it costs more than a row."""
        room = max(self.row_tokens - n_path, self.row_tokens // 2, 1)
        saved = n_path * (-(-n_below // room) - 1)
        return n_path >= _SHORTEST_PATH and saved > self.row_tokens

    def _rows(self, low: int, high: int, base: int) -> Iterator[Row]:
        """Cut a range where little stands above, and never between a node and its only child."""
        depths = self.trie.depths
        inner = np.arange(low + 1, high)
        cuts = inner[depths[inner] <= depths[inner - 1]]
        while low < high:
            room = self.row_tokens - (int(depths[low]) - base)
            first, last = np.searchsorted(cuts, [low, low + room], side="right")
            near = cuts[first:last]
            if high - low <= room or first == len(cuts):
                stop = high
            elif len(near):
                stop = int(near[len(near) - 1 - np.argmin(depths[near][::-1])])
            else:
                stop = int(cuts[first])
            yield self._row(low, stop, base)
            low = stop

    def _row(self, start: int, stop: int, base: int) -> Row:
        return Row(start, stop, tuple(self.trie.spine(start, base)))


def seen_in(trie: Trie, row: Row) -> Bools:
    """Return which tokens of a row each one sees: itself and what stands above it; [n, n].

    >>> trie, _ = build_trie([np.array([5, 6]), np.array([5, 7])])
    >>> seen_in(trie, Row(0, 3, ())).astype(int).tolist()
    [[1, 0, 0], [1, 1, 0], [1, 0, 1]]
    """
    nodes = row.nodes()
    places = np.arange(len(nodes))
    # After the spine the numbers have no gaps, and the ends of the spine's nodes lie after it.
    ends = trie.ends[nodes] - row.start + len(row.spine)
    seen: Bools = (places <= places[:, None]) & (places[:, None] < ends)
    return seen
