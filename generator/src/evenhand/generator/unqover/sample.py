"""A seeded sample of complete examples, spread over templates, subjects and attributes."""

import math

import numpy as np

from evenhand.generator.unqover.grid import Grid, Indices


def spread_sample(grid: Grid, n: int, seed: int) -> Indices:
    """Return the indices of ``n`` examples (all, if there are fewer), ascending.

    Any number of examples takes templates, attributes and subjects as evenly as it can: the k-th
    one drawn goes to the next template, the next attribute of its kind and the next pair, in an
    order shuffled by the seed in which each subject comes once before any comes twice.
    """
    if n >= grid.n_examples:
        return np.arange(grid.n_examples, dtype=np.int64)
    rng = np.random.default_rng(seed)
    pair_order = _pairs_in_rounds(grid, rng)
    times, examples = [], []
    for blocks in _blocks_by_kind(grid):
        time, example = _draw_kind(grid, blocks, pair_order, n, rng)
        times.append(time)
        examples.append(example)
    order = np.argsort(np.concatenate(times), kind="stable")[:n]
    chosen: Indices = np.sort(np.concatenate(examples)[order])
    return chosen


def _blocks_by_kind(grid: Grid) -> list[list[int]]:
    kinds: dict[tuple[int, ...], list[int]] = {}
    for index, block in enumerate(grid.blocks):
        kinds.setdefault(tuple(block.attributes), []).append(index)
    return list(kinds.values())


def _draw_kind(
    grid: Grid, blocks: list[int], pair_order: Indices, n: int, rng: np.random.Generator
) -> tuple[Indices, Indices]:
    """Draw from the templates of one kind of attribute.

    Returns:
        The time of each draw, in rounds through the templates, and the example drawn.
    """
    n_attributes = len(grid.blocks[blocks[0]].attributes)
    n_pairs = len(pair_order)
    k = np.arange(min(n, len(blocks) * n_attributes * n_pairs), dtype=np.int64)
    templates = rng.permutation(blocks)
    attributes = rng.permutation(n_attributes)
    cell, p = _diagonal(k, len(blocks) * n_attributes, n_pairs)
    t, a = _diagonal(cell, len(blocks), n_attributes)
    block = templates[t]
    example = grid.block_starts[block] + pair_order[p] * n_attributes + attributes[a]
    return k // len(blocks), example


def _diagonal(k: Indices, m: int, n: int) -> tuple[Indices, Indices]:
    """Walk through all m * n cells so that rows and columns are both visited in turn.

    >>> row, column = _diagonal(np.arange(4), 2, 2)
    >>> row.tolist(), column.tolist()
    ([0, 1, 0, 1], [0, 1, 1, 0])
    """
    return k % m, (k + k // math.lcm(m, n)) % n


def _pairs_in_rounds(grid: Grid, rng: np.random.Generator) -> Indices:
    """Order the pairs so that within a round no subject comes twice.

    Pairs whose shuffled places have the same sum, modulo the number of subjects, share none.
    """
    n_subjects = len(grid.subjects)
    place = rng.permutation(n_subjects)
    rounds = (place[grid.pairs[:, 0]] + place[grid.pairs[:, 1]]) % n_subjects
    order: Indices = np.lexsort((rng.permutation(len(grid.pairs)), rounds))
    return order
