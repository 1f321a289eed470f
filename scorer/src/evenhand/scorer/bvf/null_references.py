"""Null distributions of R, R^b and R^v, which are needed because none of them can be negative.

R of probabilities has no sampling noise: it is 0 for an unbiased model, however few contexts there
are. R of answers has: the frequencies of a few answers differ from p* by chance, so answers are
simulated. R^b is the strength of a mean over contexts. Its null distribution comes from permuting
the classes within whole contexts, which leaves R unchanged: the R^b that remains is that of a model
without lasting preferences.
"""

from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from evenhand.contract.report import NullReference
from evenhand.scorer import statistics
from evenhand.scorer.bvf.metrics import Risks, overall_risk, stereotype
from evenhand.scorer.bvf.sums import STEREOTYPES, WEIGHT, Sums, sum_rows
from evenhand.scorer.statistics import Sampling

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

SIGN_FLIPS, PERMUTATIONS = "cluster_sign_flips", "cluster_class_permutations"
EXACT, ANSWERS = "exact_probabilities", "drawn_answers"

MAX_PERMUTATIONS = 1000
"""With this number of draws, the rank of the 95th percentile has a standard error below 1 %."""
MAX_DRAWS = 200

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


def risk_references(
    sums: Sums, cells: tuple[Integers, Integers, Floats], p_star: Floats, sampling: Sampling
) -> tuple[NullReference | None, NullReference | None]:
    """Return the null references of R and R^v.

    Args:
        sums: of the scored rows.
        cells: of N scored rows the subject's code, the number of answers behind the frequency (0
            for a probability), and the context's weight.
        p_star: shape [Y].
        sampling: random seed and number of draws.

    Returns:
        For probabilities, 0 for both. For answers, R of answers drawn from p*, and R^v of answers
        drawn from each subject's mean probabilities, as if the context did not matter.
    """
    subject, n_answers, _ = cells
    if not len(subject):
        return None, None
    if not n_answers.any():
        exact = NullReference(mean=0.0, quantile_95=0.0, method=EXACT, n_draws=0)
        return exact, exact
    mean = p_star * (1 + sums.directions(np.ones((1, len(sums.values))))[0])
    generator = np.random.default_rng(sampling.seed)
    totals, volatilities = [], []
    for _ in range(min(sampling.resamples, MAX_DRAWS)):
        no_bias = generator.multinomial(n_answers, p_star)
        totals.append(_draw_risks(sums, cells, p_star, no_bias).total)
        no_context = generator.multinomial(n_answers, mean[subject])
        volatilities.append(_draw_risks(sums, cells, p_star, no_context).volatility)
    return _reference(np.array(totals), ANSWERS), _reference(np.array(volatilities), ANSWERS)


def _draw_risks(
    sums: Sums, cells: tuple[Integers, Integers, Floats], p_star: Floats, counts: Integers
) -> Risks:
    """Return R, R^b and R^v of drawn answers, counts [N, Y]."""
    subject, n_answers, weights = cells
    shares = np.full(counts.shape, np.nan)
    np.divide(counts, n_answers[:, None], out=shares, where=n_answers[:, None] > 0)
    s = stereotype(shares, p_star)
    n_subjects = len(sums.subject_weights)
    values = sum_rows(subject, s, sums.strength(s), weights, n_contexts=1, n_subjects=n_subjects)
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
