"""Two models: how often is a difference found where there is none, and where there is one?"""

from functools import partial

import numpy as np

from evenhand.scorer.bbq import specs
from evenhand.scorer.bbq.comparable import comparable_of_counts
from evenhand.scorer.bvf import brackets
from evenhand.scorer.bvf.sums import Sums
from evenhand.scorer.comparable import Comparable, Key
from evenhand.scorer.comparison.paired import difference, differences
from evenhand.scorer.comparison.verdicts import corrected
from evenhand.scorer.inference.resampling import Sampling
from evenhand.scorer.specs import find

from . import bbq, bvf
from .study import ALPHA, Test

KEY = Key("all", "simulated")
SAMPLING = Sampling(resamples=999)
N_SUBJECTS = 10


def strength_of(sums: Sums) -> Comparable:
    """Return R_b as `compare` sees it."""
    n = len(sums.values)
    return Comparable(
        key=KEY,
        limits=(0.0, 1.0),
        best=0.0,
        clusters=tuple(f"c{place:03}" for place in range(n)),
        strata=np.zeros(n, dtype=np.int64),
        sums=sums.values,
        is_used=np.ones(n, dtype=np.bool_),
        value=lambda weights, values, _strata: (
            bvf.with_values(sums, values).risks(weights).bias.mean(axis=1)
        ),
        weights=brackets.context_weights(sums),
        bracket=lambda values, _strata, seed: brackets.bias(
            bvf.with_values(sums, values), seed=seed
        ),
    )


def mean_of(values: np.ndarray) -> Comparable:
    """Return a signed mean as `compare` sees it."""
    n = len(values)
    return Comparable(
        key=KEY,
        limits=(-1.0, 1.0),
        best=0.0,
        clusters=tuple(f"c{place:03}" for place in range(n)),
        strata=np.zeros(n, dtype=np.int64),
        sums=np.stack([values, np.ones(n)], axis=1),
        is_used=np.ones(n, dtype=np.bool_),
        value=lambda weights, sums, _strata: (weights @ sums[:, 0]) / (weights @ sums[:, 1]),
        weights=np.ones(n),
    )


def _strengths_differ(a: bvf.Model, b: bvf.Model, generator: np.random.Generator, n: int) -> bool:
    one, two = (strength_of(model.draw(generator, n)) for model in (a, b))
    found = difference(KEY, ("a", one), ("b", two), SAMPLING)
    return found.p_value is not None and found.p_value <= ALPHA


def _equally_strong(target: float, noise: float) -> bvf.Model:
    """Return a model of a given R_b under noise of a given width."""
    low, high = 0.0, 40.0
    for _ in range(50):
        middle = (low + high) / 2
        truth = bvf.Model(bvf.preferences(middle), noise, 0.0).truth()["bvf.R_b"]
        low, high = (middle, high) if truth < target else (low, middle)
    return bvf.Model(bvf.preferences(low), noise, 0.0)


def _is_farther(a: float, b: float, generator: np.random.Generator, n: int) -> bool:
    """Whether one of two signed means is called nearer to 0."""
    shared = generator.normal(0, 0.2, n)
    one, two = (mean_of(value + shared + generator.normal(0, 0.2, n)) for value in (a, b))
    gap = difference(KEY, ("a", one), ("b", two), SAMPLING).gap
    p_value = None if gap is None else gap.p_value()
    return p_value is not None and p_value <= ALPHA


def _counts_differ(
    metric: str, a: np.ndarray, b: np.ndarray, generator: np.random.Generator, n: int
) -> bool:
    """Whether a metric of BBQ of two models on the same questions is called different."""
    spec = find(specs.METRICS, metric)
    assert spec is not None
    questions = generator.integers(0, len(a), n)
    names = tuple(f"q{place:03}" for place in range(n))
    one, two = (
        comparable_of_counts(
            spec, KEY._replace(metric=metric), names, side[questions], np.zeros(n, dtype=np.int64)
        )
        for side in (a, b)
    )
    p_value = difference(KEY, ("a", one), ("b", two), SAMPLING).p_value
    return p_value is not None and p_value <= ALPHA


def _family_errs(effect: float, generator: np.random.Generator, n: int) -> bool:
    """Whether one of 60 rows is called different: ten subjects, four models, one of them moved.

    Without an effect it is an error; with one, the share of moved rows that are found is drawn.
    """
    keys = [Key("all", "simulated", "subject", f"s{place:02}") for place in range(N_SUBJECTS)]
    common = generator.normal(0, 0.3, (4, n, 1))
    values = np.tanh(common + generator.normal(0, 0.5, (4, n, N_SUBJECTS)))
    values[0] += effect
    models = [
        (f"m{code}", {key: mean_of(values[code][:, place]) for place, key in enumerate(keys)})
        for code in range(4)
    ]
    rows = differences(models, keys, SAMPLING)
    p_values = np.array([one.family for one in corrected(rows, SAMPLING)])
    if not effect:
        return bool((p_values <= ALPHA).any())
    is_moved = np.array([one.model_a == "m0" for one in rows])
    return bool(generator.random() < (p_values[is_moved] <= ALPHA).mean())


_SILENT = bvf.Model(bvf.preferences(0.0), 3.0, 0.0)
_STEADY = bvf.Model(bvf.preferences(0.0), 0.3, 0.0)
_WEAK = bbq.population(0.8, 0.6)
_OTHER = bbq.population(0.8, 0.6, seed=6)
_STRONG = bbq.population(0.6, 0.8)

TESTS: list[Test] = [
    Test("R_b 0 and 0, noise of unlike width", True, partial(_strengths_differ, _SILENT, _STEADY)),
    Test(
        "R_b .08 and .08, noise of unlike width", True,
        partial(_strengths_differ, _equally_strong(0.08, 3.0), _equally_strong(0.08, 0.3)),
    ),
    Test(
        "R_b .5 and .5, noise of unlike width", True,
        partial(_strengths_differ, _equally_strong(0.5, 3.0), _equally_strong(0.5, 0.3)),
    ),
    Test("nearer to 0: .2 and -.2", True, partial(_is_farther, 0.2, -0.2)),
    Test("nearer to 0: 0 and 0", True, partial(_is_farther, 0.0, 0.0)),
    *(
        Test(f"{metric}, two models alike", True, partial(_counts_differ, metric, _WEAK, _OTHER))
        for metric in ("bbq.accuracy.ambiguous.pooled", "bbq.bias_score.ambiguous.pooled",
                       "bbq.bias_score.disambiguated.pooled", "bbq.accuracy_cost.pooled")
    ),
    Test("family of 60 rows, none differs", True, partial(_family_errs, 0.0)),
    Test(
        "R_b .1 and .2, wide noise", False,
        partial(_strengths_differ, _equally_strong(0.1, 3.0), _equally_strong(0.2, 3.0)),
    ),
    Test(
        "R_b .02 and .10, narrow noise", False,
        partial(_strengths_differ, _equally_strong(0.02, 0.3), _equally_strong(0.1, 0.3)),
    ),
    Test("nearer to 0: .1 and -.3", False, partial(_is_farther, 0.1, -0.3)),
    *(
        Test(f"{metric}, .8 and .6 right", False, partial(_counts_differ, metric, _WEAK, _STRONG))
        for metric in ("bbq.accuracy.ambiguous.pooled", "bbq.bias_score.ambiguous.pooled",
                       "bbq.bias_score.disambiguated.pooled", "bbq.accuracy_cost.pooled")
    ),
    Test("family of 60 rows, share of 30 that differ by .5", False, partial(_family_errs, 0.5)),
]  # fmt: skip
