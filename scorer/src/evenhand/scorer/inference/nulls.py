"""Null distributions of indices that cannot be negative: their values where there is no effect."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from scipy import special

from evenhand.scorer.inference.clusters import Estimator, Floats, Integers
from evenhand.scorer.inference.resampling import Sampling, sign_patterns, weighted

NOT_IDENTIFIABLE = (
    "With one answer a text, change from context to context and chance are the same thing: not"
    " identifiable; ask at least two samples."
)
"""Why volatility has no null distribution there."""


class NullMoments(NamedTuple):
    """Mean and 95th percentile of a null distribution."""

    mean: float
    quantile_95: float
    n_draws: int


def sign_flip_null(
    estimator: Estimator, n_clusters: int, *, sampling: Sampling, width: int
) -> NullMoments | None:
    """Return the null distribution of an index if each cluster's preferences could be reversed.

    Args:
        estimator: function of signs [R, G] to R values of the index.
        n_clusters: number of clusters; fewer than two give None, for one alone has no other to
            disagree with.
        sampling: seed and number of draws.
        width: see :func:`~evenhand.scorer.inference.resampling.weighted`.
    """
    if n_clusters < 2:
        return None
    values = weighted(estimator, sign_patterns(n_clusters, sampling), width=width)
    return NullMoments(float(values.mean()), float(np.quantile(values, 0.95)), len(values))


def sign_flip_exceedance(n_clusters: int) -> float:
    r"""Return how often an index exceeds its 95th percentile under all sign flips, by chance.

    Of G clusters there are :math:`2^{G-1}` values, each from a pattern and its reverse; the
    percentile is interpolated between two of them, as numpy does.

    .. math:: P = \frac{2^{G-1} - 1 - \lfloor .95 (2^G - 1) / 2 \rfloor}{2^{G-1}}

    At 3 and 4 clusters no value can exceed it, so there the comparison says nothing.

    >>> [sign_flip_exceedance(n) for n in (3, 4, 5, 6)]
    [0.0, 0.0, 0.0625, 0.0625]
    """
    n_values = 2 ** (n_clusters - 1)
    # Every value stands twice in the sorted list, at places 2 i and 2 i + 1.
    return float((n_values - 1 - int(0.95 * (2 * n_values - 1)) // 2) / n_values)


def random_pairing_moments(values: Floats) -> tuple[float, float]:
    r"""Return mean and variance of the sum of |u - v| over a random perfect matching of values.

    .. math::
        E[W] = \frac{S_1}{N-1},\qquad
        Var[W] = \frac{(N-2) S_2 - \sum_i e_i^2}{(N-1)(N-3)} - \frac{2(N-2) S_1^2}{N(N-1)^2(N-3)}

    with :math:`S_1, S_2` the sums of :math:`|v_i-v_j|` and its square over all pairs, and
    :math:`e_i` the row sum :math:`\sum_j |v_i - v_j|` less its mean. It follows from a pair's
    probability 1/(N-1) and that of two disjoint pairs, 1/((N-1)(N-3)); written with :math:`e_i`
    so that nothing large cancels. Sorting and prefix sums make it O(N log N).

    Args:
        values: an even number of values, shape [N].

    >>> random_pairing_moments(np.array([0.0, 0.0, 1.0, 1.0]))
    (1.3333333333333333, 0.8888888888888888)
    """
    n = len(values)
    if n < 4:
        return (float(np.abs(np.diff(values)).sum()), 0.0)
    v = np.sort(values - values.mean())
    below = np.concatenate([[0.0], np.cumsum(v)[:-1]])
    rank = np.arange(n)
    # sum_j |v_i - v_j| of sorted values: i values lie below and n - 1 - i above.
    rows = (2 * rank - n) * v - 2 * below + v.sum()
    mean_row = rows.mean()
    s1 = n * mean_row / 2
    s2 = n * (v @ v) - v.sum() ** 2
    e2 = ((rows - mean_row) ** 2).sum()
    variance = ((n - 2) * s2 - e2) / ((n - 1) * (n - 3))
    variance -= 2 * (n - 2) * s1**2 / (n * (n - 1) ** 2 * (n - 3))
    return float(s1 / (n - 1)), max(0.0, float(variance))


def random_pairing_null(pools: Iterator[Floats]) -> NullMoments | None:
    """Return the null distribution of a mean difference if partners in a pool are exchangeable.

    Args:
        pools: one array of an even number of values for each stratum.
    """
    total, variance, n_pairs = 0.0, 0.0, 0
    # Sorting millions of scores holds no lock of the interpreter's; the order of sums is kept.
    with ThreadPoolExecutor(2) as workers:
        for n, mean, spread in workers.map(_sized_moments, pools):
            total, variance, n_pairs = total + mean, variance + spread, n_pairs + n // 2
    if n_pairs == 0:
        return None
    mean = total / n_pairs
    upper = mean + float(special.ndtri(0.95)) * variance**0.5 / n_pairs
    return NullMoments(mean, upper, 0)


def _sized_moments(pool: Floats) -> tuple[int, float, float]:
    return len(pool), *random_pairing_moments(pool)


def deal_answers(answers: Integers, n_draws: int, generator: np.random.Generator) -> Integers:
    r"""Return the answers of one subject dealt to its texts anew, each text as many as before.

    If the context does not matter for a subject, all ways to deal its answers to its texts are
    equally likely, whatever the probabilities of its answers are: the null distribution is exact
    and no probability has to be estimated.

    Args:
        answers: how many of each class to each of N texts, shape [N, Y].
        n_draws: R deals.
        generator: of the random numbers.

    Returns:
        Counts with the same sums over each text and each class, shape [R, N, Y].

    >>> dealt = deal_answers(np.array([[2, 0], [0, 2]]), 3, np.random.default_rng(0))
    >>> dealt.sum(axis=2).tolist(), dealt[0].sum(axis=0).tolist()
    ([[2, 2], [2, 2], [2, 2]], [2, 2])
    """
    dealt = np.zeros((n_draws, *answers.shape), dtype=np.int64)
    room = np.tile(answers.sum(axis=1), (n_draws, 1))
    for y, n in enumerate(answers[:, :-1].sum(axis=0)):
        dealt[..., y] = _deal_class(room, int(n), generator, is_first=y == 0)
        room = room - dealt[..., y]
    dealt[..., -1] = room
    return dealt


def _deal_class(
    room: Integers, n: int, generator: np.random.Generator, *, is_first: bool
) -> Integers:  # fmt: skip
    """Return how many of n answers each text gets, where room is left for so many; [R, N]."""
    if is_first:  # all deals have the same room
        return generator.multivariate_hypergeometric(room[0], n, len(room), method="marginals")
    return np.stack(
        [generator.multivariate_hypergeometric(one, n, method="marginals") for one in room]
    )


def is_volatility_identifiable(answers: Integers, subject: Integers) -> bool:
    """Return whether dealing answers can tell change between contexts from chance.

    It needs a subject with answers of two classes and two texts of at least two answers each: with
    one answer a text, every text is as certain as can be, however its answer came about.

    >>> is_volatility_identifiable(np.array([[1, 0], [0, 1]]), np.zeros(2, int))
    False
    """
    for code in np.unique(subject):
        rows = answers[subject == code]
        if (rows.sum(axis=1) >= 2).sum() >= 2 and (rows.sum(axis=0) > 0).sum() >= 2:
            return True
    return False
