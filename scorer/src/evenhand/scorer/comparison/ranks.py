"""The order of several models by one metric, and how sure it is."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from evenhand.scorer import statistics
from evenhand.scorer.comparable import Comparable, Key
from evenhand.scorer.comparison.paired import aligned
from evenhand.scorer.statistics import Sampling

Floats = NDArray[np.float64]


class Rank(NamedTuple):
    """The place of one model; 1 is nearest to the best value."""

    key: Key
    model: str
    value: float
    rank: float
    """Equal values share their mean rank."""
    low: float
    high: float
    """Of the ranks under resampled clusters, at the level asked."""
    share_first: float
    """Share of resamples in which the model is first; a shared first place counts in parts."""


def ranks(
    models: Sequence[tuple[str, dict[Key, Comparable]]], key: Key, sampling: Sampling
) -> list[Rank]:
    """Rank the models by how far a metric is from its best value, the same clusters for all.

    Returns:
        One a model, best first; empty where the metric has no best value, a model has no value, or
        fewer than two clusters are there.
    """
    owners = [(name, numbers[key]) for name, numbers in models if key in numbers]
    best = np.array([comparable.best for _, comparable in owners], dtype=np.float64)
    if len(owners) < 2 or np.isnan(best).any():
        return []
    joined = _aligned_all([comparable for _, comparable in owners])
    used = np.any([one.is_used for one in joined], axis=0)
    if used.sum() < 2:
        return []
    estimators = [one.estimator(used) for one in joined]
    strata = statistics.usable_strata(joined[0].strata[used])
    every = np.ones((1, int(used.sum())))
    values = np.array([estimator(every)[0] for estimator in estimators])
    if np.isnan(values).any():
        return []
    rows = max(1, 4_000_000 // joined[0].width)
    drawn = np.concatenate(
        [
            np.stack([estimator(weights) for estimator in estimators], axis=1)
            for weights in statistics.bootstrap_weights(strata, sampling, rows=rows)
        ]
    )
    places = _places(values, best)
    low, high, first = _spread_of(_places(drawn[~np.isnan(drawn).any(axis=1)], best), sampling)
    ranked = [
        Rank(key, owners[i][0], *(float(part[i]) for part in (values, places, low, high, first)))
        for i in range(len(owners))
    ]
    return sorted(ranked, key=lambda rank: (rank.rank, rank.model))


def _places(values: Floats, best: Floats) -> Floats:
    """Return ranks by the distance of each model from its best value, along the last axis."""
    return np.asarray(rankdata(np.abs(values - best).round(12), method="average", axis=-1))


def _spread_of(places: Floats, sampling: Sampling) -> tuple[Floats, Floats, Floats]:
    """Return low and high rank and the share of first places of each model."""
    tail = (1 - sampling.level) / 2
    low, high = np.quantile(places, [tail, 1 - tail], axis=0, method="inverted_cdf")
    is_first = places == places.min(axis=1, keepdims=True)
    return low, high, (is_first / is_first.sum(axis=1, keepdims=True)).mean(axis=0)


def _aligned_all(owners: list[Comparable]) -> list[Comparable]:
    """Put all over the union of their clusters."""
    first = owners[0]
    for other in owners[1:]:
        first, _ = aligned(first, other)
    return [
        aligned(comparable, first)[0] if comparable is not owners[0] else first
        for comparable in owners
    ]
