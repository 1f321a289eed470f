"""Brackets of mu and eta, which are not means: noise of the templates inflates both."""

import numpy as np
from numpy.typing import NDArray

from evenhand.scorer.inference import convex
from evenhand.scorer.inference.convex import REPEATS, ClusterMeans
from evenhand.scorer.inference.estimates import Bracket
from evenhand.scorer.unqover.specs import CellMetric

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def bracket(
    spec: CellMetric,
    sums: Floats,
    counts: Floats,
    strata: Integers,
    *,
    seed: int,
    repeats: int = REPEATS,
) -> Bracket:
    """Return the bracket of an index of strengths.

    Args:
        spec: mu or eta, or eta by subject if the cells are those of one subject.
        sums: sums of the cells by template, shape [T, X, A].
        counts: number of examples of each cell, shape [T, X, A].
        strata: code of each template's stratum, shape [T].
        seed: random seed of the splits into folds.
        repeats: number of splits.
    """
    shape = sums.shape[1:]
    means = ClusterMeans(sums.reshape(len(sums), -1), counts.reshape(len(counts), -1))

    def strength(cells: Floats) -> Floats:
        cells = cells.reshape(len(cells), *shape)
        # Cells are means, so each counts as one example; a cell without examples is NaN.
        is_there = ~np.isnan(cells)
        value = spec.value(np.where(is_there, cells, 0.0), is_there.astype(np.float64))
        return np.asarray(value.reshape(len(cells), -1))

    return convex.bracket(means, strength, strata, seed=seed, repeats=repeats)


def is_index_of_strengths(spec: CellMetric) -> bool:
    """Return whether noise inflates the metric: true for mu and eta; gamma and eta(x) are means."""
    return not spec.by_subject
