"""Where R, R^b and R^v would lie if nothing were there; none of them can be negative.

R of probabilities holds no noise: it is 0 for a model without bias, however few contexts there are.
R of answers is not: the frequencies of a few answers differ from p* by chance, which is drawn.
R^b is the strength of a mean over contexts. Its reference exchanges the classes of whole contexts,
which leaves R as it is: what is left of R^b is what a model without lasting preferences shows.
R^v of answers deals each subject's answers to its texts anew, as if the context did not matter.
"""

from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenhand.contract.report import NullReference
from evenhand.scorer import statistics
from evenhand.scorer.bvf.metrics import Risks, overall_risk, stereotype
from evenhand.scorer.bvf.sums import STEREOTYPES, WEIGHT, Sums, sums_of
from evenhand.scorer.inference.nulls import deal_answers, is_volatility_identifiable
from evenhand.scorer.statistics import Sampling

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

SIGN_FLIPS, PERMUTATIONS = "cluster_sign_flips", "cluster_class_permutations"
EXACT, ANSWERS, DEALT = "exact_probabilities", "drawn_answers", "dealt_answers"

MAX_PERMUTATIONS = 1000
"""A 95 % quantile of so many draws is known to about one percent of the draws."""
MAX_DRAWS = 199
"""With what was observed they are 200, of which 5 % is a whole number: the 95 % quantile is one."""

_CHUNK_VALUES = 4_000_000


def of_bias(sums: Sums, p_star: Floats, sampling: Sampling) -> NullReference | None:
    """Return the reference of R^b.

    None with fewer than two contexts, where a subject has no scored row, as R^b has no value then
    either, and under an uneven p*: classes cannot be exchanged there.
    """
    n_contexts, n_classes = len(sums.values), len(p_star)
    if n_contexts < 2 or not np.allclose(p_star, 1 / n_classes):
        return None
    if np.isnan(_weight_of_subjects(sums)).any():
        return None
    if n_classes == 2:
        flips = statistics.sign_flip_null(
            partial(_bias_of_signs, sums), n_contexts, sampling=sampling, width=sums.width
        )
        return flips and NullReference(
            mean=flips.mean, quantile_95=flips.quantile_95, method=SIGN_FLIPS, n_draws=flips.n_draws
        )
    drawn = permuted_bias(sums, n_classes, sampling)
    return _reference(drawn, PERMUTATIONS)


def _bias_of_signs(sums: Sums, signs: Floats) -> Floats:
    """Return R^b where some contexts' preferences are reversed, [R], of signs [R, C]."""
    kept = sums.values[..., STEREOTYPES]
    flat = kept.reshape(len(kept), -1)
    mean = (signs @ flat).reshape(len(signs), *kept.shape[1:]) / _weight_of_subjects(sums)
    return overall_risk(sums.judge(mean) / sums.largest, sums.subject_weights)


def permuted_bias(sums: Sums, n_classes: int, sampling: Sampling) -> Floats:
    """Return R^b where each context's classes are exchanged at random, as often as allowed."""
    generator = np.random.default_rng(sampling.seed)
    n_draws = min(sampling.resamples, MAX_PERMUTATIONS)
    rows = max(1, _CHUNK_VALUES // (sums.width * n_classes))
    found = []
    for start in range(0, n_draws, rows):
        shape = (min(rows, n_draws - start), len(sums.values), n_classes)
        found.append(_bias_of_orders(sums, generator.random(shape).argsort(axis=-1)))
    return np.concatenate(found)


def _bias_of_orders(sums: Sums, orders: Integers) -> Floats:
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
    strength = sums.judge(mean / _weight_of_subjects(sums)) / sums.largest
    return overall_risk(strength, sums.subject_weights)


def _weight_of_subjects(sums: Sums) -> Floats:
    weight = sums.values[..., WEIGHT].sum(axis=0)
    return np.where(weight > 0, weight, np.nan)[:, None]


class ScoredRows(NamedTuple):
    """The scored rows of a topic."""

    subject: Integers
    """Code of each row's subject, shape [N]."""
    n_answers: Integers
    """How many answers stand behind the frequencies, 0 for probabilities; shape [N]."""
    weight: Floats
    """Of each row's context, shape [N]."""
    p: Floats
    """Probability or frequency of each class, shape [N, Y]."""


def of_risk(
    sums: Sums, rows: ScoredRows, p_star: Floats, sampling: Sampling
) -> tuple[NullReference | None, NullReference | None]:
    """Return the references of R and R^v.

    Args:
        sums: of the scored rows.
        rows: the same one by one.
        p_star: shape [Y].
        sampling: seed and number of draws.

    Returns:
        For probabilities 0 for both. For answers, R of answers drawn from p*; and R^v of each
        subject's answers dealt anew, None where one answer a text cannot tell change
        from chance.
    """
    if not len(rows.subject):
        return None, None
    if not rows.n_answers.any():
        exact = NullReference(mean=0.0, quantile_95=0.0, method=EXACT, n_draws=0)
        return exact, exact
    generator = np.random.default_rng(sampling.seed)
    n_draws = min(sampling.resamples, MAX_DRAWS)
    totals = [
        _of_draw(sums, rows, p_star, generator.multinomial(rows.n_answers, p_star)).total
        for _ in range(n_draws)
    ]
    answers = _answers(rows)
    dealt = None if answers is None else dealt_volatility(sums, rows, answers, p_star, sampling)
    volatility = None if dealt is None else _reference(dealt, DEALT)
    return _reference(np.array(totals), ANSWERS), volatility


def dealt_volatility(
    sums: Sums, rows: ScoredRows, answers: Integers, p_star: Floats, sampling: Sampling
) -> Floats:
    """Return R^v [R] where each subject's answers are dealt to its texts anew.

    Args:
        sums: of the scored rows.
        rows: the same one by one.
        answers: of each class, shape [N, Y].
        p_star: shape [Y].
        sampling: seed and number of draws.
    """
    generator = np.random.default_rng(sampling.seed)
    n_draws = min(sampling.resamples, MAX_DRAWS)
    of_subject = np.full((n_draws, len(sums.subject_weights)), np.nan)
    for code in np.unique(rows.subject):
        is_member = rows.subject == code
        counts = deal_answers(answers[is_member], n_draws, generator)
        share = np.tile(rows.p[is_member], (n_draws, 1, 1))
        n = answers[is_member].sum(axis=1)[:, None]
        # A text with probabilities has no answers to deal and keeps what it says.
        np.divide(counts, n, out=share, where=n > 0)
        of_subject[:, code] = _volatility(sums, stereotype(share, p_star), rows.weight[is_member])
    return np.asarray(overall_risk(of_subject, sums.subject_weights))


def _volatility(sums: Sums, s: Floats, weight: Floats) -> Floats:
    """Return r^v [R] of one subject's stereotypes [R, n, Y]."""
    shares = weight / weight.sum()
    total = sums.judge(s) @ shares
    bias = sums.judge(np.einsum("n,rny->ry", shares, s))
    return np.asarray((total - bias) / sums.largest)


def _answers(rows: ScoredRows) -> Integers | None:
    """Return the answers of each class, [N, Y]; None where dealing them would tell nothing."""
    answers = np.rint(rows.p * rows.n_answers[:, None]).astype(np.int64)
    return answers if is_volatility_identifiable(answers, rows.subject) else None


def _of_draw(sums: Sums, rows: ScoredRows, p_star: Floats, counts: Integers) -> Risks:
    """Return R, R^b and R^v of drawn answers, counts [N, Y]; probabilities stay as they are."""
    n_drawn = counts.sum(axis=1)[:, None]
    share = rows.p.copy()
    np.divide(counts, n_drawn, out=share, where=n_drawn > 0)
    s = stereotype(share, p_star)
    n_subjects = len(sums.subject_weights)
    values = sums_of(
        rows.subject, s, sums.judge(s), rows.weight, n_contexts=1, n_subjects=n_subjects
    )
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
