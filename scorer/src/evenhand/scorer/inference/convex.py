r"""Indices that are convex functions of means: |mean|, max |mean|, norms and their weighted means.

J is *sublinear*: convex, and J(c m) = c J(m) for c > 0. With m the estimated and M the true means

.. math::
    E\,J(m) \ge J(M), \qquad
    E \sum_k \langle J'(m_{-k}), m_k \rangle \le J(M), \qquad
    \sum_k \langle J'(m_{-k}), m_k \rangle \le J(m)

The plug-in value errs upwards, for noise adds to the strength of every preference (Jensen). The
cross-fitted one takes the direction of a preference from all folds but one and its strength from
that one: noise that points anywhere cancels, and it errs downwards. So the two enclose the truth
whatever the noise, and the interval reaches from a t bound below the one to a t bound above the
other. The proofs, and the coverage, stand in ``docs/statistics.md``.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from evenhand.scorer.inference.clusters import Floats, Integers, usable_strata
from evenhand.scorer.inference.estimates import Bracket, Estimate, jackknife
from evenhand.scorer.inference.resampling import folds

N_FOLDS, REPEATS = 3, 50
"""After 50 splits what is left of their randomness is under 2 % of the standard error."""

_ERROR_REPEATS = 10
"""Splits from which the standard error is taken: squares vary less than values do."""

METHOD = "cross_fit_bracket"

_STEP = 1e-6
"""Of the central difference, in units of the point where it is taken. J is piecewise smooth, so
the error is far below any standard error."""

_BLOCK_VALUES = 1_000_000
"""Numbers that the splits of one block may hold: 8 MB."""

Functional = Callable[[Floats], Floats]
"""From means [R, D] to values [R, K], each of them sublinear."""


@dataclass(frozen=True, slots=True)
class ClusterMeans:
    """D means over clusters, each a ratio of sums."""

    sums: Floats
    """Numerators, shape [G, D]."""
    counts: Floats
    """Denominators, shape [G, D], or [G, 1] where all means share them."""

    def under(self, weights: Floats) -> Floats:
        """Return the means [R, D] under weights [R, G]; NaN where nothing is counted.

        >>> means = ClusterMeans(np.array([[1.0], [4.0]]), np.array([[1.0], [2.0]]))
        >>> means.under(np.array([[1.0, 1.0], [1.0, 0.0]])).round(4).tolist()
        [[1.6667], [1.0]]
        """
        return _ratio(weights @ self.sums, weights @ self.counts)


def directional_derivative(functional: Functional, at: Floats, towards: Floats) -> Floats:
    """Return how fast J changes at one point in a direction, [R, K], of points [R, D].

    It is a central difference, so no criterion needs a gradient of its own; at a kink it is the
    mean of both sides, by which no direction is preferred where there is no effect.

    >>> absolute = lambda means: np.abs(means)
    >>> points, directions = np.array([[-2.0], [0.0]]), np.array([[3.0], [3.0]])
    >>> directional_derivative(absolute, points, directions).round(6).tolist()
    [[-3.0], [0.0]]
    """
    size, length = (np.nanmax(np.abs(own), axis=-1, keepdims=True, initial=0.0)
                    for own in (at, towards))  # fmt: skip
    is_scaled = (size > 0) & (length > 0)
    step = _STEP * np.where(is_scaled, size / np.where(is_scaled, length, 1.0), 1.0)
    return np.asarray(
        (functional(at + step * towards) - functional(at - step * towards)) / (2 * step)
    )


def plug_in(means: ClusterMeans, functional: Functional, strata: Integers) -> Estimate:
    """Return J of the means, which errs upwards, with the jackknife's influence."""
    width = means.sums.shape[1] + len(strata)
    return jackknife(lambda weights: functional(means.under(weights)), strata, width=width)


def cross_fit(
    means: ClusterMeans, functional: Functional, strata: Integers, splits: Floats
) -> Estimate:
    r"""Return the cross-fitted value, which errs downwards, with its influence for each split.

    .. math::
        \frac{1}{P} \sum_p \sum_k \langle J'(m_{-k}), m_k \rangle, \qquad
        \psi_{pi} = \langle J'(m_{-k(i)}), r_i \rangle

    Symbols:
        m_k: sums of fold k over the counts of all clusters, so that folds add up to m.
        m_{-k}: m less m_k.
        r_i: by how much cluster i differs from what the others of its stratum predict.

    Args:
        means: of G clusters.
        functional: J.
        strata: shape [G].
        splits: P times K folds, of :func:`~evenhand.scorer.inference.resampling.folds`.

    Range:
        At most the plug-in value. Exact on average where there is no effect, and where the effect
        is large; between them at most .41 standard errors of one mean too low. It may be negative.

    Ties and empties:
        A mean of which nothing is counted is NaN, as it is for the functional in the plug-in value.

    Source:
        Derivation in ``docs/statistics.md``.

    >>> means = ClusterMeans(np.array([[1.0], [-1.0]]), np.ones((2, 1)))
    >>> pair = folds(np.zeros(2, int), n_folds=2, repeats=1, seed=0)
    >>> cross_fit(means, np.abs, np.zeros(2, int), pair).value.round(6).tolist()
    [-1.0]
    """
    strata = usable_strata(strata)
    whole = means.counts.sum(axis=0)
    residual = _ratio(_predictive_residual(means, strata), whole)
    total = _ratio(means.sums.sum(axis=0), whole)
    folded = _ratio(splits @ means.sums, whole)
    rest = total - folded
    value = [
        _value_of_splits(functional, rest[block], folded[block])
        for block in _blocks(len(splits), folded[0].size)
    ]
    fold_of = splits.argmax(axis=1)
    influence = [
        _influence_of_splits(functional, rest[block], fold_of[block], residual)
        for block in _blocks(min(len(splits), _ERROR_REPEATS), residual.size)
    ]
    return Estimate(np.concatenate(value).mean(axis=0), np.concatenate(influence), strata)


def _blocks(n_splits: int, size: int) -> list[slice]:
    """Return slices of the splits, as many at once as memory allows for ``size`` numbers each."""
    n = max(1, _BLOCK_VALUES // max(1, size))
    return [slice(start, min(start + n, n_splits)) for start in range(0, n_splits, n)]


def _value_of_splits(functional: Functional, rest: Floats, folded: Floats) -> Floats:
    """Return the cross-fitted value of each split, [P, K], of means [P, F, D]."""
    flat = directional_derivative(functional, _flat(rest), _flat(folded))
    return np.asarray(flat.reshape(*rest.shape[:2], -1).sum(axis=1))


def _influence_of_splits(
    functional: Functional, rest: Floats, fold_of: Integers, residual: Floats
) -> Floats:
    """Return the influence [P, G, K]: along each cluster's residual, away from its own fold."""
    at = np.take_along_axis(rest, fold_of[:, :, None], axis=1)
    flat = directional_derivative(
        functional, _flat(at), _flat(np.broadcast_to(residual, at.shape))
    )  # fmt: skip
    return np.asarray(flat.reshape(*at.shape[:2], -1))


def _flat(means: Floats) -> Floats:
    return means.reshape(-1, means.shape[-1])


def bracket(
    means: ClusterMeans,
    functional: Functional,
    strata: Integers,
    *,
    seed: int,
    n_folds: int = N_FOLDS,
    repeats: int = REPEATS,
) -> Bracket:
    """Return the cross-fitted and the plug-in estimate: the truth lies between their expectations.

    >>> means = ClusterMeans(np.array([[0.2], [0.4], [0.6]]), np.ones((3, 1)))
    >>> both = bracket(means, np.abs, np.zeros(3, int), seed=0)
    >>> both.low.value.round(6).tolist(), both.high.value.round(6).tolist()
    ([0.4], [0.4])
    """
    splits = folds(strata, n_folds=n_folds, repeats=repeats, seed=seed)
    return Bracket(cross_fit(means, functional, strata, splits), plug_in(means, functional, strata))


def _predictive_residual(means: ClusterMeans, strata: Integers) -> Floats:
    """Return how far each cluster's sums are from what the others of its stratum predict, [G, D].

    A residual from a mean that the cluster itself is part of is too small where it has much of the
    weight: with 38 % of it the standard error would be two thirds of the jackknife's.
    """
    residual = np.zeros_like(means.sums)
    for code in np.unique(strata):
        is_member = strata == code
        sums, counts = means.sums[is_member], means.counts[is_member]
        total = counts.sum(axis=0)
        others = total - counts
        mean = _ratio(sums.sum(axis=0), total)
        # Where one cluster alone has a cell there is no other to predict it, nor a residual.
        scale = np.where(others > 0, total / np.where(others > 0, others, 1.0), 1.0)
        share = 1 - 1 / len(sums)
        residual[is_member] = np.nan_to_num(sums - mean * counts) * scale * share
    return residual


def _ratio(sums: Floats, counts: Floats) -> Floats:
    shape = np.broadcast_shapes(sums.shape, counts.shape)
    ratio = np.full(shape, np.nan)
    np.divide(sums, counts, out=ratio, where=np.broadcast_to(counts != 0, shape))
    return ratio
