"""BBQ: questions of unlike size, of which some hold most of the errors."""

from functools import partial

import numpy as np

from evenhand.scorer.bbq import specs
from evenhand.scorer.bbq.counts import STATISTICS, Counts
from evenhand.scorer.bbq.guarded import POOLED, guarded_value

from .study import LEVEL, Design, Drawn

N_QUESTIONS = 20_000
"""Of the population, from which a benchmark's questions are drawn."""


def population(accuracy: float, lean: float, seed: int = 5) -> np.ndarray:
    """Return the counts of all questions, [N, K].

    Args:
        accuracy: mean share of right answers in both conditions.
        lean: share of errors that agree with the stereotype; .5 is none.
        seed: of the random numbers.
    """
    generator = np.random.default_rng(seed)
    # All populations are of the same questions, so that two models may be asked the same.
    scale = np.exp(0.7 * np.random.default_rng(5).standard_normal(N_QUESTIONS))
    quarters = np.maximum(1, np.round(12 * scale))
    n = (2 * quarters).astype(int)  # aligned rows, and as many nonaligned ones
    erring = min(1.0, (1 - accuracy) / 0.4)
    mean = (1 - accuracy) / erring
    error = np.where(
        generator.random(N_QUESTIONS) < erring,
        generator.beta(4 * mean, 4 * (1 - mean), N_QUESTIONS),
        0.0,
    )
    leans = np.clip(lean + 0.2 * generator.standard_normal(N_QUESTIONS), 0, 1)
    named = generator.binomial(2 * n, error)
    biased = generator.binomial(named, leans)
    # With the same errors in all, those in rows that go against the stereotype agree with it.
    wrong_nonaligned = generator.binomial(n, np.clip(2 * error * leans, 0, 1))
    wrong_aligned = generator.binomial(n, np.clip(2 * error * (1 - leans), 0, 1))
    ambiguous = {
        "correct": 2 * n - named,
        "non_unknown": named,
        "biased": biased,
        "errors": named,
    }
    disambiguated = {
        "correct": 2 * n - wrong_aligned - wrong_nonaligned,
        "non_unknown": 2 * n,
        "biased": n - wrong_aligned + wrong_nonaligned,
        "errors": wrong_aligned + wrong_nonaligned,
        "aligned": n,
        "nonaligned": n,
        "aligned_correct": n - wrong_aligned,
        "nonaligned_correct": n - wrong_nonaligned,
    }
    every = {"rows": 2 * n, "scored": 2 * n, "scored_with_target": 2 * n}
    counted = {
        f"{condition}.{name}": column
        for condition, columns in (("ambiguous", ambiguous), ("disambiguated", disambiguated))
        for name, column in (every | columns).items()
    }
    none = np.zeros(N_QUESTIONS)
    return np.stack([counted.get(name, none) for name in STATISTICS], axis=1).astype(float)


def counts_of(sums: np.ndarray, category: np.ndarray | None = None) -> Counts:
    """Return counts of questions, of one category unless said otherwise."""
    category = np.zeros(len(sums), dtype=np.int64) if category is None else category
    return Counts(sums, category, np.arange(len(sums)))


def intervals(counts: Counts, mean: int = POOLED) -> dict[str, Drawn | None]:
    """Return the metrics as the scorer has them."""
    found: dict[str, Drawn | None] = {}
    for spec in specs.METRICS:
        one = guarded_value(counts, spec, mean)
        found[spec.base] = None if one is None else Drawn(one.value, *one.interval(LEVEL))
    return found


def design(effect: str, accuracy: float, lean: float) -> Design:
    """Return a design of questions drawn from a population."""
    sums = population(accuracy, lean)
    truth = {spec.base: float(spec.values(sums.sum(axis=0))) for spec in specs.METRICS}
    return Design(effect, truth, partial(draw_questions, sums))


def draw_questions(
    sums: np.ndarray, generator: np.random.Generator, n: int
) -> dict[str, Drawn | None]:
    """Draw questions from a population and return the metrics of these."""
    return intervals(counts_of(sums[generator.integers(0, len(sums), n)]))


DESIGNS = [design("none", 0.5, 0.5), design("weak", 0.8, 0.6), design("strong", 0.95, 0.8)]
