"""Where R, R^b and R^v would lie if nothing were there; none of them can be negative.

R of probabilities holds no noise: it is 0 for a model without bias, however few contexts there are.
R of answers is not: the frequencies of a few answers differ from p* by chance, which is drawn.
R^b is the strength of a mean over contexts. Its reference exchanges the classes of whole contexts,
which leaves R as it is: what is left of R^b is what a model without lasting preferences shows.
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
"""A 95 % quantile of so many draws is known to about one percent of the draws."""
MAX_DRAWS = 200

_CHUNK_VALUES = 4_000_000


def bias_reference(sums: Sums, p_star: Floats, sampling: Sampling) -> NullReference | None:
    """Return the reference of R^b.

    None with fewer than two contexts, where a subject has no scored row, as R^b has no value then
    either, and under an uneven p*: classes cannot be exchanged there.
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
    drawn = permuted_bias(sums, n_classes, sampling)
    return _reference(drawn, PERMUTATIONS)


def _bias_under_signs(sums: Sums, signs: Floats) -> Floats:
    """Return R^b where some contexts' preferences are reversed, [R], of signs [R, C]."""
    kept = sums.values[..., STEREOTYPES]
    flat = kept.reshape(len(kept), -1)
    mean = (signs @ flat).reshape(len(signs), *kept.shape[1:]) / _total_weights(sums)
    return overall_risk(sums.strength(mean) / sums.largest, sums.subject_weights)


def permuted_bias(sums: Sums, n_classes: int, sampling: Sampling) -> Floats:
    """Return R^b where each context's classes are exchanged at random, as often as allowed."""
    generator = np.random.default_rng(sampling.seed)
    n_draws = min(sampling.resamples, MAX_PERMUTATIONS)
    rows = max(1, _CHUNK_VALUES // (sums.width * n_classes))
    chunks = []
    for start in range(0, n_draws, rows):
        shape = (min(rows, n_draws - start), len(sums.values), n_classes)
        chunks.append(_bias_under_permutations(sums, generator.random(shape).argsort(axis=-1)))
    return np.concatenate(chunks)


def _bias_under_permutations(sums: Sums, orders: Integers) -> Floats:
    """Return R^b [R] of which class stands in the place of which, [R, C, Y]."""
    n_classes = orders.shape[-1]
    # Products of matrices that lie together are many times faster.
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
    """Return the references of R and R^v.

    Args:
        sums: of the scored rows.
        cells: of N scored rows the subject's code, how many answers stand behind the frequency
            (0 for a probability), and the context's weight.
        p_star: shape [Y].
        sampling: seed and number of draws.

    Returns:
        For probabilities 0 for both. For answers, R of answers drawn from p*, and R^v of answers
        drawn from each subject's mean, as if the context did not matter.
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
    share = np.full(counts.shape, np.nan)
    np.divide(counts, n_answers[:, None], out=share, where=n_answers[:, None] > 0)
    s = stereotype(share, p_star)
    n_subjects = len(sums.subject_weights)
    values = sum_rows(subject, s, sums.strength(s), weights, n_contexts=1, n_subjects=n_subjects)
    risks = replace(sums, values=values).risks(np.ones((1, 1)))
    return Risks(*(overall_risk(risk, sums.subject_weights)[0] for risk in risks))


def _reference(drawn: Floats, method: str) -> NullReference | None:
    if np.isnan(drawn).any():
        return None
    return NullReference(
        mean=float(drawn.mean()),
        quantile_95=float(np.quantile(drawn, 0.95)),
        method=method,
        n_draws=len(drawn),
    )
