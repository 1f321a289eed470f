"""How sure a metric of BBQ is, and a difference of two models, from counts by question."""

import numpy as np
from numpy.typing import NDArray

from evenhand.scorer.bbq.counts import Counts, count
from evenhand.scorer.bbq.specs import CountedMetric
from evenhand.scorer.inference.bounded import (
    GuardedError,
    GuardedWilson,
    unseen_of_errors,
    unseen_of_share,
)
from evenhand.scorer.inference.clusters import usable_strata
from evenhand.scorer.inference.estimates import Estimate, jackknife

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

MACRO, POOLED = 0, 1
"""Where the two means stand in :meth:`~evenhand.scorer.bbq.counts.Counts.macro_and_pooled`."""


def guarded_value(counts: Counts, spec: CountedMetric, mean: int) -> GuardedWilson | None:
    """Return one metric with its interval and test.

    Args:
        counts: by question, of which only those that say something about the metric are used.
        spec: of the metric.
        mean: :data:`MACRO` or :data:`POOLED`.

    Returns:
        None with fewer than two questions, where it is undefined, or without one of the questions.
    """
    used = _used(counts, spec)
    if len(used.sums) < 2 or spec.range is None:
        return None
    estimate = estimate_of(used, spec, mean)
    if np.isnan(estimate.value).any() or np.isnan(estimate.influence).any():
        return None
    strata = usable_strata(used.category)
    error = GuardedError(
        influence=estimate.influence[0, :, 0],
        weights=question_weights(used.sums, used.category, spec, mean),
        strata=strata,
        unseen=_unseen(used, spec, strata),
    )
    return GuardedWilson(float(estimate.value[0]), error, spec.range)


def _used(counts: Counts, spec: CountedMetric) -> Counts:
    is_used = spec.used_questions(counts)
    return Counts(counts.sums[is_used], counts.category[is_used], counts.question[is_used])


def estimate_of(counts: Counts, spec: CountedMetric, mean: int) -> Estimate:
    """Return the metric with the jackknife influence of each question."""
    width = counts.sums.shape[1] * counts.n_categories + len(counts.sums)
    return jackknife(
        lambda weights: counts.macro_and_pooled([spec.values], weights)[:, mean],
        counts.category,
        width=width,
    )


def question_weights(
    sums: Floats, category: Integers, spec: CountedMetric, mean: int
) -> Floats:  # fmt: skip
    """Return each question's share in the value, [G]: its rows, over those of its category in a
    mean of categories.
    """
    rows = np.asarray(count(sums, spec.condition, spec.weights))
    if mean == POOLED:
        return rows
    _, place = np.unique(category, return_inverse=True)
    total = np.bincount(place, weights=rows)
    return rows / np.where(total > 0, total, 1.0)[place]


def _unseen(counts: Counts, spec: CountedMetric, strata: Integers) -> Floats:
    """Return by how much an unseen question may differ, in the square, for each stratum."""
    if spec.moved_by_errors:
        wrong, scored = errors(counts.sums, spec)
        return spec.moved_by_errors * unseen_of_errors(wrong, scored, strata)
    totals = [counts.sums[strata == code].sum(axis=0) for code in np.unique(strata)]
    return unseen_of_share(np.nan_to_num(spec.values(np.array(totals))))


def errors(sums: Floats, spec: CountedMetric) -> tuple[Floats, Floats]:
    """Return wrong and scored answers of each question in the metric's condition, [G] each."""
    scored, correct = (
        np.asarray(count(sums, spec.condition, statistic)) for statistic in ("scored", "correct")
    )
    return scored - correct, scored
