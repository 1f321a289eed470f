"""How sure a value is: its interval, or the reason why there is none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.scorer import statistics
from evenhand.scorer.inference.bounded import agreement_bound
from evenhand.scorer.intervals import NO_VALUE, Clusters, Sure, sure_of
from evenhand.scorer.statistics import Sampling

SAMPLING = Sampling(resamples=300)
RANGE = (-1.0, 1.0)


def _sure(values: list[float], *, is_mean: bool = True) -> Sure:
    """Return how sure the mean of some clusters is."""
    own, n = np.array(values), len(values)

    def mean(weights: np.ndarray) -> np.ndarray:
        return (weights @ own) / weights.sum(axis=1)

    bounds = statistics.interval(
        mean, np.zeros(n, dtype=np.int64), sampling=SAMPLING, limits=RANGE, width=n
    )
    clusters = Clusters(n, "question", RANGE, n if is_mean else None)
    return sure_of(float(own.mean()), bounds, None, clusters, SAMPLING)


@pytest.mark.parametrize("bootstrap", ["percentile", "bca"])
@pytest.mark.parametrize("n", [2, 12, 29, 30, 200])
def test_clusters_that_all_agree_are_no_certainty(n: int, bootstrap: str) -> None:
    """By hand: of 12 clusters at -1 the others are at most 1 - .025^(1/12) = .2646 of all.

    These might all be at 1, so the mean is at most -1 + 2 * .2646 = -.4707; no resampling shows it.
    """
    mean = statistics.interval(
        lambda weights: -np.ones(len(weights)),
        np.zeros(n, dtype=np.int64),
        sampling=SAMPLING._replace(bootstrap=bootstrap),
        limits=RANGE,
        width=1,
    )
    found = sure_of(-1.0, mean, None, Clusters(n, "question", RANGE, n), SAMPLING).interval

    assert mean is not None
    assert (bool(mean.all_agree), np.isnan(mean.low), np.isnan(mean.high)) == (True, True, True)
    assert found is not None
    assert (found.method, found.n_resamples, found.n_clusters) == ("agreement_bound", 0, n)
    assert found.few_clusters is (n < 30)
    assert found.low == -1.0
    assert found.high == pytest.approx(-1 + 2 * (1 - 0.025 ** (1 / n)))
    if n == 12:
        assert found.high == pytest.approx(-0.4707, abs=5e-5)


@given(
    n=st.integers(2, 400),
    share=st.floats(0, 1),
    value=st.floats(-1, 1),
    other=st.floats(-1, 1),
)
def test_the_agreement_bound_misses_too_seldom_to_count(n, share, value, other) -> None:
    """Whatever the other clusters say: where it misses, agreement is a case of 1 in 40 at most."""
    truth = (1 - share) * value + share * other
    low, high = agreement_bound(value, n, level=0.95, limits=RANGE)

    assert low <= value <= high
    if not low - 1e-12 <= truth <= high + 1e-12:
        assert (1 - share) ** n <= 0.025 * (1 + 1e-9)


def test_what_varies_is_resampled_as_ever() -> None:
    """One cluster of many that differs is enough."""
    found = _sure([1.0] * 49 + [0.0]).interval

    assert found is not None
    assert found.method == "percentile_bootstrap"
    assert found.low < found.high == 1.0


def test_agreement_says_nothing_of_what_is_no_mean() -> None:
    """A greatest value or a volatility moves otherwise than its clusters do: no interval."""
    assert _sure([0.5] * 12, is_mean=False) == Sure(
        None, "All 12 questions agree, so no resampling of them can vary."
    )


def test_an_index_that_each_cluster_moves_alike_has_no_error() -> None:
    """|mean| of +1 and -1 in turns is 0, and 1/11 without any of the 12: no jackknife sees that."""
    own = np.array([1.0, -1.0] * 6)

    def strength(weights: np.ndarray) -> np.ndarray:
        return np.abs(weights @ own) / weights.sum(axis=1)

    bounds = statistics.interval(
        strength, np.zeros(12, dtype=np.int64), sampling=SAMPLING, limits=RANGE, width=12
    )
    found = sure_of(0.0, bounds, None, Clusters(12, "context", RANGE), SAMPLING)

    assert bounds is not None
    assert (bool(bounds.is_flat), bool(bounds.all_agree)) == (True, False)
    assert found.interval is None
    assert found.why_none == (
        "Leaving out any one of the 12 contexts moves it alike, from which no error can be told."
    )


@pytest.mark.parametrize(
    ("n", "said"),
    [(1, "one question alone speaks of it"), (0, "none speaks of it")],
)
def test_one_cluster_is_too_few(n: int, said: str) -> None:
    """The sentence says how many speak."""
    found = sure_of(0.5, None, None, Clusters(n, "question", RANGE, n), SAMPLING)

    assert found == Sure(None, f"An interval needs two questions; {said}.")


@pytest.mark.parametrize(
    ("n", "said"),
    [
        (3, "Without one of the 3 questions it is undefined."),
        (40, "Some resamples of the 40 questions leave it undefined."),
    ],
)
def test_a_value_that_hangs_on_one_cluster_has_none(n: int, said: str) -> None:
    """Where a draw without it divides by 0 there is nothing to take quantiles of."""

    def of_first(weights: np.ndarray) -> np.ndarray:
        return np.where(weights[:, 0] > 0, 1.0, np.nan)

    bounds = statistics.interval(
        of_first, np.zeros(n, dtype=np.int64), sampling=SAMPLING, limits=RANGE, width=1
    )

    found = sure_of(1.0, bounds, None, Clusters(n, "question", RANGE, n), SAMPLING)
    assert found == Sure(None, said)


def test_no_value_is_no_question_of_sureness() -> None:
    """Its own reason stands in `why_null`."""
    assert sure_of(None, None, None, Clusters(9, "question", RANGE), SAMPLING) == Sure(
        None, NO_VALUE
    )


def test_few_clusters_goes_by_weight() -> None:
    """40 contexts of which one has 38 % of the weight say as much as 6.5: flagged."""
    values = np.random.default_rng(0).normal(0, 0.1, 40)
    bounds = statistics.interval(
        lambda weights: (weights @ values) / weights.sum(axis=1),
        np.zeros(40, dtype=np.int64),
        sampling=SAMPLING,
        limits=RANGE,
        width=40,
    )
    flags = []
    for n_effective in (None, 6.5, 40.0):
        clusters = Clusters(40, "context", RANGE, None, n_effective)
        found = sure_of(float(values.mean()), bounds, None, clusters, SAMPLING).interval
        assert found is not None
        flags.append(found.few_clusters)

    assert flags == [False, True, False]
