"""Brackets of R^b and R^v, which are not means: R^b is biased upwards and R^v downwards.

They need a sublinear criterion, as every norm is. The criterion of knowledge is not sublinear.
"""

import numpy as np
from numpy.typing import NDArray

from evenhand.scorer.bvf.metrics import overall_risk
from evenhand.scorer.bvf.sums import RISK, STEREOTYPES, WEIGHT, Sums
from evenhand.scorer.inference import convex
from evenhand.scorer.inference.convex import REPEATS, ClusterMeans, Functional
from evenhand.scorer.inference.estimates import Bracket, Estimate, jackknife, unbiased

Floats = NDArray[np.float64]


def bias(
    sums: Sums, *, seed: int, by_subject: bool = False, repeats: int = REPEATS
) -> Bracket:  # fmt: skip
    """Return the bracket of R^b, or of r^b of each subject.

    Args:
        sums: of C contexts with scored rows.
        seed: random seed of the splits into folds.
        by_subject: whether to return X values, which needs memory for P times C times X numbers.
        repeats: number P of splits.
    """
    stereotypes = sums.values[..., STEREOTYPES]
    n_contexts, _, n_classes = stereotypes.shape
    means = ClusterMeans(
        stereotypes.reshape(n_contexts, -1), np.repeat(sums.values[..., WEIGHT], n_classes, axis=1)
    )
    strata = np.zeros(n_contexts, dtype=np.int64)
    return convex.bracket(
        means, _strength(sums, by_subject=by_subject), strata, seed=seed, repeats=repeats
    )


def _strength(sums: Sums, *, by_subject: bool) -> Functional:
    """Return the criterion as a function of mean stereotypes [R, X Y] to [R, 1] or [R, X]."""
    n_subjects = sums.values.shape[1]

    def strength(means: Floats) -> Floats:
        risk = sums.strength(means.reshape(len(means), n_subjects, -1)) / sums.largest
        return risk if by_subject else overall_risk(risk, sums.subject_weights)[:, None]

    return strength


def total(sums: Sums, *, by_subject: bool = False) -> Estimate:
    """Return R, or r of each subject, which are means over contexts."""
    risk, weight = sums.values[..., RISK], sums.values[..., WEIGHT]
    means = ClusterMeans(risk / sums.largest, weight)

    def value(weights: Floats) -> Floats:
        risk = means.under(weights)
        return risk if by_subject else overall_risk(risk, sums.subject_weights)[:, None]

    return jackknife(value, np.zeros(len(risk), dtype=np.int64), width=sums.width)


def volatility(
    sums: Sums, *, seed: int, by_subject: bool = False, repeats: int = REPEATS
) -> Bracket:  # fmt: skip
    """Return the bracket of R^v = R - R^b, or of r^v of each subject."""
    risk = unbiased(total(sums, by_subject=by_subject))
    return risk - bias(sums, seed=seed, by_subject=by_subject, repeats=repeats)


def context_weights(sums: Sums) -> Floats:
    """Return the weight of each context, summed over subjects, shape [C]."""
    return np.asarray(sums.values[..., WEIGHT].sum(axis=1))
