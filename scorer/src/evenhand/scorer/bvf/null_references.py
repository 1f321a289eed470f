"""Null distributions of R, R^b and R^v, which are needed because none of them can be negative.

R of probabilities has no sampling noise: it is 0 for an unbiased model, however few contexts there
are. R of answers has: the frequencies of a few answers differ from p* by chance, so answers are
simulated. R^b is the strength of a mean over contexts. Its null distribution comes from permuting
the classes within whole contexts, which leaves R unchanged: the R^b that remains is that of a model
without lasting preferences. For R^v of answers each subject's answers are permuted among its texts,
as if the context did not matter.
"""

from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenhand.contract.report import NullReference
from evenhand.scorer import statistics
from evenhand.scorer.bvf.metrics import Risks, overall_risk, stereotype
from evenhand.scorer.bvf.sums import STEREOTYPES, WEIGHT, Sums, sum_rows
from evenhand.scorer.inference.nulls import deal_answers, is_volatility_identifiable
from evenhand.scorer.statistics import Sampling

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

SIGN_FLIPS, PERMUTATIONS = "cluster_sign_flips", "cluster_class_permutations"
EXACT, ANSWERS, DEALT = "exact_probabilities", "drawn_answers", "dealt_answers"

MAX_PERMUTATIONS = 1000
"""With this number of draws, the rank of the 95th percentile has a standard error below 1 %."""
MAX_DRAWS = 199
"""With the observed value they are 200, so that the 95th percentile is one of them."""

_CHUNK_VALUES = 4_000_000


def bias_reference(sums: Sums, p_star: Floats, sampling: Sampling) -> NullReference | None:
    """Return the null reference of R^b.

    None with fewer than two contexts; where a subject has no scored row, since R^b has no value
    either; and under a non-uniform p*, where classes are not exchangeable.
    """
    n_contexts, n_classes = len(sums.values), len(p_star)
    if n_contexts < 2 or not np.allclose(p_star, 1 / n_classes):
        return None
    if np.isnan(_total_weights(sums)).any():
        return None
    if n_classes == 2:
        flips = statistics.sign_flip_null(
            partial(_bias_under_signs, sums), n_contexts, sampling=sampling, width=sums.width
        )
        return flips and NullReference(
            mean=flips.mean, quantile_95=flips.quantile_95, method=SIGN_FLIPS, n_draws=flips.n_draws
        )
    draws = permuted_bias(sums, n_classes, sampling)
    return _reference(draws, PERMUTATIONS)


def _bias_under_signs(sums: Sums, signs: Floats) -> Floats:
    """Return R^b [R] with the preferences of some contexts reversed, by signs [R, C]."""
    stereotypes = sums.values[..., STEREOTYPES]
    flat = stereotypes.reshape(len(stereotypes), -1)
    mean = (signs @ flat).reshape(len(signs), *stereotypes.shape[1:]) / _total_weights(sums)
    return overall_risk(sums.strength(mean) / sums.largest, sums.subject_weights)


def permuted_bias(sums: Sums, n_classes: int, sampling: Sampling) -> Floats:
    """Return draws of R^b with the classes of each context permuted at random."""
    generator = np.random.default_rng(sampling.seed)
    n_draws = min(sampling.resamples, MAX_PERMUTATIONS)
    rows = max(1, _CHUNK_VALUES // (sums.width * n_classes))
    chunks = []
    for start in range(0, n_draws, rows):
        shape = (min(rows, n_draws - start), len(sums.values), n_classes)
        chunks.append(_bias_under_permutations(sums, generator.random(shape).argsort(axis=-1)))
    return np.concatenate(chunks)


def _bias_under_permutations(sums: Sums, orders: Integers) -> Floats:
    """Return R^b [R] under permutations of the classes of each context, [R, C, Y]."""
    n_classes = orders.shape[-1]
    # Matrix products are many times faster on contiguous arrays.
    stereotypes = np.ascontiguousarray(np.moveaxis(sums.values[..., STEREOTYPES], -1, 0))
    mean = np.stack(
        [
            sum(
                (orders[..., target] == source).astype(np.float64) @ stereotypes[source]
                for source in range(n_classes)
            )
            for target in range(n_classes)
        ],
        axis=-1,
    )
    strength = sums.strength(mean / _total_weights(sums)) / sums.largest
    return overall_risk(strength, sums.subject_weights)


def _total_weights(sums: Sums) -> Floats:
    weight = sums.values[..., WEIGHT].sum(axis=0)
    return np.where(weight > 0, weight, np.nan)[:, None]


class ScoredRows(NamedTuple):
    """The scored rows of a topic."""

    subject: Integers
    """Code of each row's subject, shape [N]."""
    n_answers: Integers
    """Number of answers behind the frequencies, 0 for probabilities; shape [N]."""
    weight: Floats
    """Weight of each row's context, shape [N]."""
    p: Floats
    """Probability or frequency of each class, shape [N, Y]."""


def risk_references(
    sums: Sums, rows: ScoredRows, p_star: Floats, sampling: Sampling
) -> tuple[NullReference | None, NullReference | None]:
    """Return the null references of R and R^v.

    Args:
        sums: of the scored rows.
        rows: the same rows, one by one.
        p_star: shape [Y].
        sampling: random seed and number of draws.

    Returns:
        For probabilities, 0 for both. For answers, R of answers drawn from p*, and R^v with each
        subject's answers permuted among its texts; None unless a subject has several answers to
        each of two texts, since chance and variation with the context are then inseparable.
    """
    if not len(rows.subject):
        return None, None
    if not rows.n_answers.any():
        exact = NullReference(mean=0.0, quantile_95=0.0, method=EXACT, n_draws=0)
        return exact, exact
    generator = np.random.default_rng(sampling.seed)
    n_draws = min(sampling.resamples, MAX_DRAWS)
    totals = [
        _draw_risks(sums, rows, p_star, generator.multinomial(rows.n_answers, p_star)).total
        for _ in range(n_draws)
    ]
    answers = _answers(rows)
    if answers is None:
        return _reference(np.array(totals), ANSWERS), None
    volatility = dealt_volatility(sums, rows, answers, p_star, sampling)
    return _reference(np.array(totals), ANSWERS), _reference(volatility, DEALT)


def dealt_volatility(
    sums: Sums, rows: ScoredRows, answers: Integers, p_star: Floats, sampling: Sampling
) -> Floats:
    """Return draws of R^v [R] with each subject's answers permuted among its texts.

    Args:
        sums: of the scored rows.
        rows: the same rows, one by one.
        answers: number of answers of each class, shape [N, Y].
        p_star: shape [Y].
        sampling: random seed and number of draws.
    """
    generator = np.random.default_rng(sampling.seed)
    n_draws = min(sampling.resamples, MAX_DRAWS)
    by_subject = np.full((n_draws, len(sums.subject_weights)), np.nan)
    for code in np.unique(rows.subject):
        is_member = rows.subject == code
        counts = deal_answers(answers[is_member], n_draws, generator)
        shares = np.tile(rows.p[is_member], (n_draws, 1, 1))
        n = answers[is_member].sum(axis=1)[:, None]
        # A text with probabilities has no answers to permute and keeps its probabilities.
        np.divide(counts, n, out=shares, where=n > 0)
        by_subject[:, code] = _volatility(sums, stereotype(shares, p_star), rows.weight[is_member])
    return np.asarray(overall_risk(by_subject, sums.subject_weights))


def _volatility(sums: Sums, s: Floats, weight: Floats) -> Floats:
    """Return r^v [R] of one subject's stereotypes [R, n, Y]."""
    shares = weight / weight.sum()
    total = sums.strength(s) @ shares
    bias = sums.strength(np.einsum("n,rny->ry", shares, s))
    return np.asarray((total - bias) / sums.largest)


def _answers(rows: ScoredRows) -> Integers | None:
    """Return the number of answers of each class, [N, Y]; None if R^v is not identifiable."""
    answers = np.rint(rows.p * rows.n_answers[:, None]).astype(np.int64)
    return answers if is_volatility_identifiable(answers, rows.subject) else None


def _draw_risks(sums: Sums, rows: ScoredRows, p_star: Floats, counts: Integers) -> Risks:
    """Return R, R^b and R^v of drawn answers, counts [N, Y]; probabilities are kept."""
    n_drawn = counts.sum(axis=1)[:, None]
    shares = rows.p.copy()
    np.divide(counts, n_drawn, out=shares, where=n_drawn > 0)
    s = stereotype(shares, p_star)
    n_subjects = len(sums.subject_weights)
    values = sum_rows(
        rows.subject, s, sums.strength(s), rows.weight, n_contexts=1, n_subjects=n_subjects
    )
    risks = replace(sums, values=values).risks(np.ones((1, 1)))
    return Risks(*(overall_risk(risk, sums.subject_weights)[0] for risk in risks))


def _reference(draws: Floats, method: str) -> NullReference | None:
    if np.isnan(draws).any():
        return None
    return NullReference(
        mean=float(draws.mean()),
        quantile_95=float(np.quantile(draws, 0.95)),
        method=method,
        n_draws=len(draws),
    )
