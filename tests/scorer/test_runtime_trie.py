"""Forests of token sequences: every beginning once, and cut so that nothing is lost."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.scorer.runtime import trie as work
from evenhand.scorer.runtime.trie import build_trie, plan_branches, seen_in

SEQUENCES = st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=9), min_size=1, max_size=25)


def _arrays(sequences):
    return [np.array(sequence, dtype=np.int64) for sequence in sequences]


def _path(trie, node):
    found = []
    while node >= 0:
        found.append(int(trie.tokens[node]))
        node = int(trie.parents[node])
    return found[::-1]


def _all_rows(branch, base=0):
    """Yield each row with the tokens that its past holds; paths are rows too."""
    if branch.path is not None:
        yield branch.path, base
        base += len(branch.path)
    for row in branch.rows:
        yield row, base
    for below in branch.branches:
        yield from _all_rows(below, base)


@given(SEQUENCES)
def test_each_distinct_beginning_is_one_node(sequences) -> None:
    """There are as many nodes as distinct beginnings, and each token's node spells its own."""
    trie, nodes = build_trie(_arrays(sequences))
    beginnings = {tuple(s[: i + 1]) for s in sequences for i in range(len(s))}
    assert len(trie) == len(beginnings)
    for number, sequence in enumerate(sequences):
        for place in range(len(sequence)):
            assert _path(trie, nodes[number, place]) == sequence[: place + 1]


@given(SEQUENCES)
def test_what_is_below_a_node_is_a_range(sequences) -> None:
    """The nodes from a node to its end are those whose path goes through it, and no others."""
    trie, _ = build_trie(_arrays(sequences))
    assert trie.depths.tolist() == [len(_path(trie, node)) - 1 for node in range(len(trie))]
    for node in range(len(trie)):
        own = _path(trie, node)
        below = [n for n in range(len(trie)) if _path(trie, n)[: len(own)] == own]
        assert below == list(range(node, int(trie.ends[node])))


@given(SEQUENCES, st.integers(1, 12))
def test_every_node_is_run_once_behind_its_own_path(sequences, row_tokens) -> None:
    """Rows and paths hold each node once; past and spine are just what stands above it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(work, "_SHORTEST_PATH", 2)
        trie, _ = build_trie(_arrays(sequences))
        rows = list(_all_rows(plan_branches(trie, row_tokens=row_tokens)))
    run = [node for row, _ in rows for node in range(row.start, row.stop)]
    assert sorted(run) == list(range(len(trie)))
    for row, base in rows:
        seen, nodes = seen_in(trie, row), row.nodes()
        for place, node in enumerate(nodes):
            visible = [int(trie.tokens[n]) for n in nodes[seen[place]]]
            assert visible == _path(trie, node)[base:]


@given(SEQUENCES, st.integers(1, 12))
def test_rows_are_as_short_as_is_asked(sequences, row_tokens) -> None:
    """A row is longer than is asked only where one sequence alone is."""
    trie, _ = build_trie(_arrays(sequences))
    for row, _ in _all_rows(plan_branches(trie, row_tokens=row_tokens)):
        assert len(row) <= max(row_tokens, int(trie.depths[row.start : row.stop].max()) + 1)


def test_a_long_shared_beginning_is_a_branch() -> None:
    """A beginning of 20 tokens before 30 continuations of 5 is run once, and kept."""
    head = list(range(20))
    trie, _ = build_trie(_arrays([[*head, 100 + i, 1, 2, 3, 4] for i in range(30)]))
    plan = plan_branches(trie, row_tokens=40)
    (branch,) = plan.branches
    assert (plan.path, plan.rows) == (None, [])
    assert (len(branch.path), branch.branches) == (20, [])
    assert sum(len(row) for row in branch.rows) == 150
    assert max(len(row) for row in branch.rows) == 40


def test_a_short_shared_beginning_is_run_in_each_row() -> None:
    """A beginning of two tokens is no branch; the rows are cut where little stands above them."""
    trie, _ = build_trie(_arrays([[7, 8, 100 + i, 1, 2, 3, 4] for i in range(30)]))
    plan = plan_branches(trie, row_tokens=40)
    assert plan.branches == []
    assert {len(row.spine) for row in plan.rows} == {0, 2}
    assert sum(len(row) for row in plan.rows) == 152 + 2 * (len(plan.rows) - 1)


def test_groups_are_not_cut() -> None:
    """Two families that fit a row by one and a half are cut between the families."""
    families = [[f, 1, 2, i, 3] for f in (10, 20, 30) for i in range(4)]
    trie, _ = build_trie(_arrays(families))
    rows = plan_branches(trie, row_tokens=16).rows
    assert [(row.start, row.stop, row.spine) for row in rows] == [
        (0, 11, ()),
        (11, 22, ()),
        (22, 33, ()),
    ]


def test_a_long_comb_does_not_recurse_for_ever() -> None:
    """A text of 3,000 tokens with a turn at every token is cut without a branch in each."""
    text = list(range(3_000))
    trie, _ = build_trie(_arrays([[*text[: i + 1], 9_999] for i in range(0, 3_000, 3)]))
    plan = plan_branches(trie, row_tokens=192)
    run = [node for row, _ in _all_rows(plan) for node in range(row.start, row.stop)]
    assert sorted(run) == list(range(len(trie)))
