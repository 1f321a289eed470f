"""Weights, folds and signs that are drawn; the same seed gives the same draws."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from evenhand.contract import DataRefused
from evenhand.scorer.inference.clusters import Estimator, Floats, Integers, usable_strata

CHUNK_VALUES = 4_000_000
"""Numbers that one chunk of an estimator may make: 32 MB."""

_MANY_CLUSTERS = 2_000
"""Beyond these a draw for each cluster is slower than drawing clusters one by one."""


class Sampling(NamedTuple):
    """How resampling is done; it stands in every interval."""

    seed: int = 0
    resamples: int = 10_000
    level: float = 0.95
    bootstrap: str = "percentile"
    """``percentile`` or ``bca`` (bias-corrected and accelerated)."""


BOOTSTRAPS = ("percentile", "bca")
DEFAULT_SAMPLING = Sampling()


def check_sampling(sampling: Sampling) -> None:
    """Refuse settings that make no interval."""
    if not 0 < sampling.level < 1:
        raise DataRefused(f"level is {sampling.level}; it must lie between 0 and 1, e.g. 0.95.")
    if sampling.resamples < 1:
        raise DataRefused(f"resamples is {sampling.resamples}; it must be at least 1.")
    if sampling.seed < 0:
        raise DataRefused(f"seed is {sampling.seed}; it must not be negative.")
    if sampling.bootstrap not in BOOTSTRAPS:
        raise DataRefused(
            f"bootstrap is {sampling.bootstrap}; it must be one of {', '.join(BOOTSTRAPS)}."
        )


def weighted(estimator: Estimator, weights: Floats, *, width: int) -> Floats:
    """Apply an estimator in chunks of rows, so that memory does not grow with their number.

    Args:
        estimator: function of weights [R, G].
        weights: shape [R, G].
        width: numbers that the estimator holds for one row of weights.
    """
    rows = max(1, CHUNK_VALUES // max(1, width))
    parts = [estimator(weights[i : i + rows]) for i in range(0, len(weights), rows)]
    return np.concatenate(parts)


def bootstrap_weights(strata: Integers, sampling: Sampling, *, rows: int) -> Iterator[Floats]:
    """Yield how often each cluster is drawn, in chunks of at most ``rows`` resamples.

    Clusters are drawn with replacement within their stratum, so every stratum keeps its number.
    """
    generator = np.random.default_rng(sampling.seed)
    members = [np.flatnonzero(strata == stratum) for stratum in np.unique(strata)]
    for start in range(0, sampling.resamples, rows):
        n_rows = min(rows, sampling.resamples - start)
        weights = np.zeros((n_rows, len(strata)))
        for places in members:
            weights[:, places] = _draws(generator, len(places), n_rows)
        yield weights


def _draws(generator: np.random.Generator, n: int, n_rows: int) -> Integers:
    """Return how often each of n clusters is drawn in n draws, shape [n_rows, n]."""
    if n <= _MANY_CLUSTERS:
        return generator.multinomial(n, [1 / n] * n, n_rows)
    drawn = generator.integers(0, n, (n_rows, n)) + np.arange(n_rows)[:, None] * n
    return np.bincount(drawn.ravel(), minlength=n_rows * n).reshape(n_rows, n)


def sign_patterns(n_clusters: int, sampling: Sampling) -> Floats:
    """Return patterns of +1 and -1, shape [R, G]: all of them where they are few, else drawn.

    >>> sign_patterns(2, Sampling()).tolist()
    [[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]]
    """
    if n_clusters < 63 and 2**n_clusters <= sampling.resamples:
        bits = np.arange(2**n_clusters)[:, None] >> np.arange(n_clusters) & 1
    else:
        generator = np.random.default_rng(sampling.seed)
        bits = generator.integers(0, 2, (sampling.resamples, n_clusters))
    return np.asarray(1.0 - 2.0 * bits, dtype=np.float64)


def folds(strata: Integers, *, n_folds: int, repeats: int, seed: int) -> Floats:
    """Split the clusters into folds, several times over; every stratum is spread over all folds.

    Args:
        strata: shape [G].
        n_folds: K; lowered to the size of the smallest stratum.
        repeats: P splits; one alone where each cluster of a single stratum is a fold, as all
            splits are the same then.
        seed: of the random numbers.

    Returns:
        1 where a cluster is in a fold, else 0; shape [P, K, G].

    >>> folds(np.zeros(2, dtype=int), n_folds=3, repeats=50, seed=0).tolist()
    [[[1.0, 0.0], [0.0, 1.0]]]
    """
    strata = usable_strata(strata)
    codes, sizes = np.unique(strata, return_counts=True)
    k = int(min(n_folds, sizes.min()))
    if len(codes) == 1 and k == len(strata):
        return np.eye(k)[None]
    generator = np.random.default_rng(seed)
    fold = np.zeros((repeats, len(strata)), dtype=np.int64)
    for code, size in zip(codes, sizes, strict=True):
        order = generator.random((repeats, size)).argsort(axis=1)
        # Which folds are larger by one is drawn for each stratum, so that none is always.
        fold[:, strata == code] = (order + generator.integers(0, k, (repeats, 1))) % k
    return np.asarray(fold[:, None, :] == np.arange(k)[:, None], dtype=np.float64)
