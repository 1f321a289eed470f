"""Additive sufficient statistics of BVF: what each context says of each subject.

Every metric is a function of these sums under weights of the contexts. So the estimate, the
jackknife, the bootstrap and the comparison of models share one code path and no longer need the
rows.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.scorer.bvf.metrics import Criterion, Risks, overall_risk

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

WEIGHT, RISK, STEREOTYPES = 0, 1, slice(2, None)
"""Positions in the last axis of the sums."""


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums of C contexts by X subjects, over the positions of the slot."""

    values: Floats
    """Weight, weight times J, and weight times s of each class; shape [C, X, 2 + Y]."""
    subject_weights: Floats
    """Shape [X]."""
    strength: Criterion
    """The criterion J, from stereotypes [..., X, Y] to [..., X]."""
    largest: float
    """The largest value of J, by which normalised risks are divided."""

    @property
    def width(self) -> int:
        """How many numbers are computed for one row of weights."""
        return int(np.prod(self.values.shape[1:])) + len(self.values)

    def totals(self, weights: Floats) -> Floats:
        """Return sums over the contexts, [R, X, 2 + Y], of weights [R, C]."""
        # The width is given because reshape cannot infer it where there are no contexts.
        flat = self.values.reshape(len(self.values), int(np.prod(self.values.shape[1:])))
        return np.asarray((weights @ flat).reshape(len(weights), *self.values.shape[1:]))

    def risks(self, weights: Floats) -> Risks:
        """Return each subject's risks, normalised, [R, X], of weights [R, C]."""
        return self._risks_from_totals(self.totals(weights))

    def directions(self, weights: Floats) -> Floats:
        """Return each subject's mean stereotypes [R, X, Y] of weights [R, C]."""
        return weighted_means(self.totals(weights))[1]

    def all_values(self, weights: Floats) -> Floats:
        """Return all values side by side, [R, 3 + 3 X + Y + X Y], of weights [R, C].

        R, R^b and R^v; r, r^b and r^v of each subject; mean stereotype of each class over
        subjects; those of each subject.
        """
        return self.values_from_totals(self.totals(weights))

    def leave_one_out_values(self, rows: slice) -> Floats:
        """Return all values with one context left out, for each of some contexts."""
        whole = self.values.sum(axis=0)
        return self.values_from_totals(whole - self.values[rows])

    def values_from_totals(self, totals: Floats) -> Floats:
        """Return all values, as :meth:`all_values` does, of sums [R, X, 2 + Y]."""
        risks, direction = self._risks_from_totals(totals), weighted_means(totals)[1]
        overall = [overall_risk(risk, self.subject_weights)[:, None] for risk in risks]
        mean = np.stack(
            [overall_risk(s, self.subject_weights) for s in np.moveaxis(direction, -1, 0)],
            axis=1,
        )
        return np.concatenate([*overall, *risks, mean, direction.reshape(len(totals), -1)], axis=1)

    def _risks_from_totals(self, totals: Floats) -> Risks:
        risk, stereotypes = weighted_means(totals)
        total, bias = risk / self.largest, self.strength(stereotypes) / self.largest
        return Risks(total, bias, total - bias)


def sum_rows(
    place: Integers, s: Floats, j: Floats, weights: Floats, *, n_contexts: int, n_subjects: int
) -> Floats:
    """Add up rows by context and subject.

    Args:
        place: context times ``n_subjects`` plus subject, shape [N].
        s: stereotypes, NaN where a row is unscored; shape [N, Y].
        j: their criterion, shape [N].
        weights: of each row's context, shape [N].
        n_contexts: C.
        n_subjects: X.

    Returns:
        Shape [C, X, 2 + Y].
    """
    is_scored = ~np.isnan(j)
    cell, w = place[is_scored], weights[is_scored]
    columns = [w, w * j[is_scored], *(w * s_y for s_y in s[is_scored].T)]
    n = n_contexts * n_subjects
    sums = [np.bincount(cell, weights=column, minlength=n) for column in columns]
    return np.stack(sums, axis=1, dtype=np.float64).reshape(n_contexts, n_subjects, -1)


def weighted_means(totals: Floats) -> tuple[Floats, Floats]:
    """Return mean J [..., X] and mean stereotypes [..., X, Y]; NaN where no row is scored."""
    weight = totals[..., WEIGHT]
    scale = np.full(weight.shape, np.nan)
    np.divide(1.0, weight, out=scale, where=weight > 0)
    return totals[..., RISK] * scale, totals[..., STEREOTYPES] * scale[..., None]
