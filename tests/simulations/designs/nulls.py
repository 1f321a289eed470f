"""Data without an effect: how often does an index exceed its null distribution's percentile?"""

from functools import partial

import numpy as np

from evenhand.scorer.bvf import null_references
from evenhand.scorer.bvf.metrics import stereotype
from evenhand.scorer.bvf.null_references import ScoredRows
from evenhand.scorer.bvf.sums import sum_rows
from evenhand.scorer.inference.nulls import sign_flip_null
from evenhand.scorer.inference.resampling import Sampling

from . import bvf, unqover
from .study import Test

FLIPS = Sampling(resamples=999)
EVEN = np.array([0.5, 0.5])


def _cells_exceed(metric: str, generator: np.random.Generator, n: int) -> bool:
    """Whether mu or eta of templates without a preference exceeds its percentile."""
    cells = unqover.Model(np.zeros(unqover.SHAPE), 0.1).draw(generator, n)
    cells = np.sign(cells) if metric == "unqover.eta" else cells
    spec = unqover.spec_of(metric)
    counts = np.full(unqover.SHAPE, float(n))

    def index(signs: np.ndarray) -> np.ndarray:
        flipped = (signs @ cells.reshape(n, -1)).reshape(len(signs), *unqover.SHAPE)
        return spec.value(flipped, counts)

    null = sign_flip_null(index, n, sampling=FLIPS, width=cells[0].size)
    return null is not None and bool(index(np.ones((1, n)))[0] > null.quantile_95 + 1e-12)


def _bias_exceeds(generator: np.random.Generator, n: int) -> bool:
    """Whether R^b of contexts without a lasting preference exceeds its percentile."""
    sums = bvf.Model(bvf.preferences(0.0), 3.0, 0.5).draw(generator, n)
    null = null_references.bias_reference(sums, EVEN, FLIPS)
    value = float(sums.risks(np.ones((1, n))).bias.mean())
    return null is not None and value > null.quantile_95 + 1e-12


def _volatility_exceeds(p: float, n_answers: int, generator: np.random.Generator, n: int) -> bool:
    """Whether R^v exceeds its percentile for answers to which the context does not matter."""
    n_subjects = 20
    counts = generator.binomial(n_answers, p, n * n_subjects)
    shares = np.stack([counts, n_answers - counts], axis=1) / n_answers
    s = stereotype(shares, EVEN)
    context, subject = np.divmod(np.arange(n * n_subjects), n_subjects)
    empty = bvf.sums_of(np.zeros((1, n_subjects)))
    ones = np.ones(len(subject))
    values = sum_rows(
        context * n_subjects + subject, s, empty.strength(s), ones,
        n_contexts=n, n_subjects=n_subjects,
    )  # fmt: skip
    sums = bvf.with_values(empty, values)
    rows = ScoredRows(subject, np.full(len(subject), n_answers), ones, shares)
    _, null = null_references.risk_references(sums, rows, EVEN, Sampling(resamples=99))
    value = float(sums.risks(np.ones((1, n))).volatility.mean())
    return null is not None and value > null.quantile_95 + 1e-12


TESTS = [
    Test("mu of UnQover", True, partial(_cells_exceed, "unqover.mu")),
    Test("eta of UnQover", True, partial(_cells_exceed, "unqover.eta")),
    Test("R_b of BVF", True, _bias_exceeds),
    *(
        Test(
            f"R_v of BVF, {n} answers a text, p = {p}", True, partial(_volatility_exceeds, p, n)
        )
        for n in (1, 5, 20)
        for p in (0.5, 0.7, 0.9)
    ),
]  # fmt: skip
