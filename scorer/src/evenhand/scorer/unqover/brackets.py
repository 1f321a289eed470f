"""What encloses mu and eta, which are no means: noise of the templates makes both larger."""

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
    """Return what encloses an index of strengths.

    Args:
        spec: of mu or eta, or of eta by subject where the cells are of one.
        sums: of the templates' cells, shape [T, X, A].
        counts: examples of each cell, shape [T, X, A].
        strata: of the templates, shape [T].
        seed: of the splits into folds.
        repeats: number of splits.
    """
    shape = sums.shape[1:]
    means = ClusterMeans(sums.reshape(len(sums), -1), counts.reshape(len(counts), -1))

    def strength(cells: Floats) -> Floats:
        cells = cells.reshape(len(cells), *shape)
        # A cell without an example is NaN, which counts as none; the others are means already.
        is_there = ~np.isnan(cells)
        value = spec.value(np.where(is_there, cells, 0.0), is_there.astype(np.float64))
        return np.asarray(value.reshape(len(cells), -1))

    return convex.bracket(means, strength, strata, seed=seed, repeats=repeats)


def is_index_of_strengths(spec: CellMetric) -> bool:
    """Whether noise makes the metric larger: of mu and eta; gamma and eta(x) are means."""
    return not spec.by_subject
