"""Intervals, tests and null references, against enumeration, closed forms and simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evenhand.contract import DataRefused
from evenhand.scorer import statistics
from evenhand.scorer.inference import resampling
from evenhand.scorer.statistics import Sampling


def mean_of(values: np.ndarray) -> statistics.Estimator:
    """Return the weighted mean of one value a cluster."""
    return lambda weights: (weights @ values) / weights.sum(axis=1)


def matchings(places: list[int]) -> list[list[tuple[int, int]]]:
    """Enumerate all perfect matchings."""
    if not places:
        return [[]]
    first, rest = places[0], places[1:]
    return [
        [(first, other), *tail]
        for other in rest
        for tail in matchings([place for place in rest if place != other])
    ]


@pytest.mark.parametrize("n", [2, 4, 6, 8])
@pytest.mark.parametrize("seed", range(4))
def test_random_pairing_moments_are_those_of_all_matchings(n: int, seed: int) -> None:
    """The closed form gives mean and variance over all (N-1)!! matchings."""
    values = np.random.default_rng(seed).random(n).round(1)  # rounded, so that ties occur
    sums = [
        sum(abs(values[i] - values[j]) for i, j in matching) for matching in matchings([*range(n)])
    ]

    mean, variance = statistics.random_pairing_moments(values)

    assert mean == pytest.approx(np.mean(sums), abs=1e-12)
    assert variance == pytest.approx(np.var(sums), abs=1e-12)


def test_random_pairing_quantile_agrees_with_simulation() -> None:
    """The normal 95 % quantile of two strata lies where shuffling puts it."""
    generator = np.random.default_rng(1)
    pools = [generator.random(400), generator.beta(0.3, 0.3, 200)]

    null = statistics.random_pairing_null(iter(pools))
    drawn = []
    for _ in range(4000):
        shuffled = [generator.permutation(pool) for pool in pools]
        drawn.append(sum(np.abs(s[::2] - s[1::2]).sum() for s in shuffled) / 300)

    assert null is not None
    assert null.mean == pytest.approx(np.mean(drawn), abs=1e-3)
    assert null.quantile_95 == pytest.approx(np.quantile(drawn, 0.95), abs=2e-3)


@given(arrays(np.float64, 6, elements=st.floats(0, 1)), st.floats(-5, 5))
def test_random_pairing_does_not_see_where_the_values_lie(values, shift) -> None:
    """Adding a constant to all values moves neither moment."""
    there = statistics.random_pairing_moments(values + shift)

    assert there == pytest.approx(statistics.random_pairing_moments(values), abs=1e-9)


def test_random_pairing_without_values_is_none() -> None:
    """No pool, no reference."""
    assert statistics.random_pairing_null(iter([])) is None


def test_all_sign_patterns_are_used_where_they_are_few() -> None:
    """Two values of .1 and .3 give |mean| of .2 or .1, each twice: mean .15."""
    values = np.array([0.1, 0.3])

    null = statistics.sign_flip_null(
        lambda signs: np.abs(signs @ values) / 2, 2, sampling=Sampling(), width=1
    )

    assert null is not None
    assert (null.n_draws, null.mean) == (4, pytest.approx(0.15))


def test_sign_patterns_are_drawn_where_they_are_many() -> None:
    """2^14 patterns are more than 10,000 resamples, so that many are drawn, by seed."""
    patterns = statistics.sign_patterns(14, Sampling(seed=3))

    assert patterns.shape == (10_000, 14)
    assert set(np.unique(patterns)) == {-1.0, 1.0}
    assert (patterns == statistics.sign_patterns(14, Sampling(seed=3))).all()
    assert np.abs(patterns.mean(axis=0)).max() < 0.05


@pytest.mark.parametrize("n_clusters", [0, 1])
def test_one_cluster_has_no_interval_and_no_sign_reference(n_clusters: int) -> None:
    """With one cluster or none nothing says how much clusters differ."""
    strata, values = np.zeros(n_clusters, dtype=np.int64), np.ones(n_clusters)
    found = statistics.interval(
        mean_of(values), strata, sampling=Sampling(), limits=(-1, 1), width=1
    )

    assert found is None
    null = statistics.sign_flip_null(mean_of(values), n_clusters, sampling=Sampling(), width=1)
    assert null is None


def test_few_clusters_get_the_t_interval() -> None:
    """Values .1 .2 .3 .4: mean .25, se = sd/sqrt(4) = .0645, t(3) = 3.182: .25 +- .2054."""
    found = statistics.interval(
        mean_of(np.array([0.1, 0.2, 0.3, 0.4])),
        np.zeros(4, dtype=np.int64),
        sampling=Sampling(),
        limits=(-1, 1),
        width=1,
    )

    assert found is not None
    assert (found.method, found.few_clusters, found.n_resamples) == (
        "studentised_jackknife", True, 0,
    )  # fmt: skip
    assert (found.low, found.high) == pytest.approx((0.25 - 0.20542, 0.25 + 0.20542), abs=1e-5)


def test_strata_leave_out_what_differs_between_them() -> None:
    """Two kinds of .1 and .9, alike within: the stratified error is 0, the plain one is not."""
    values, strata = np.array([0.1, 0.1, 0.9, 0.9]), np.array([0, 0, 1, 1])

    within = statistics.jackknife_standard_error(mean_of(values), strata, width=1)
    plain = statistics.jackknife_standard_error(mean_of(values), np.zeros(4, int), width=1)

    assert within == pytest.approx(0)
    assert plain == pytest.approx(np.std(values, ddof=1) / 2)
    assert statistics.degrees_of_freedom(strata) == 2


def test_a_stratum_of_one_cluster_is_joined_with_the_others() -> None:
    """A single cluster cannot say how much it varies, so no stratum is kept."""
    assert statistics.degrees_of_freedom(np.array([0, 0, 1])) == 2


def test_thirty_clusters_get_the_percentile_bootstrap() -> None:
    """From 30 clusters on it is the percentile bootstrap: its width is about 2 * 1.96 * se."""
    values = np.random.default_rng(0).normal(0, 0.1, 30)
    strata = np.repeat([0, 1], 15)

    found = statistics.interval(
        mean_of(values), strata, sampling=Sampling(resamples=4000), limits=(-1, 1), width=1
    )

    assert found is not None
    assert (found.method, found.few_clusters) == ("percentile_bootstrap", False)
    assert found.n_resamples == 4000
    within = np.concatenate([v - v.mean() for v in (values[:15], values[15:])])
    error = np.sqrt((within**2).mean() / 30)
    assert found.high - found.low == pytest.approx(2 * 1.96 * error, rel=0.08)


def test_bootstrap_keeps_the_size_of_every_stratum() -> None:
    """Weights of a stratum add up to its number of clusters, in chunks of any size."""
    strata = np.array([0] * 5 + [1] * 3)
    chunks = list(statistics.bootstrap_weights(strata, Sampling(resamples=10), rows=4))

    assert [len(chunk) for chunk in chunks] == [4, 4, 2]
    weights = np.concatenate(chunks)
    assert (weights[:, :5].sum(axis=1) == 5).all()
    assert (weights[:, 5:].sum(axis=1) == 3).all()


def test_intervals_are_cut_at_the_range() -> None:
    """An index that cannot be negative gets no negative bound."""
    found = statistics.interval(
        mean_of(np.array([0.0, 0.9])),
        np.zeros(2, dtype=np.int64),
        sampling=Sampling(),
        limits=(0, 1),
        width=1,
    )

    assert found is not None
    assert (found.low, found.high) == (0, 1)


def test_p_value_is_that_of_the_t_test() -> None:
    """Values .1 .2 .3 .4 against 0: t = .25/.06455 = 3.873 with 3 degrees: p = .0305."""
    values = np.array([0.1, 0.2, 0.3, 0.4])
    error = statistics.jackknife_standard_error(mean_of(values), np.zeros(4, int), width=1)

    p_value = statistics.two_sided_p(np.array([0.25]), np.atleast_1d(error), 3)

    assert p_value == pytest.approx([0.0305], abs=1e-4)


def test_p_value_without_error_is_one_for_zero_and_unknown_otherwise() -> None:
    """Where all clusters say the same, 0 is no difference; anything else cannot be tested."""
    p_values = statistics.two_sided_p(np.array([0.0, 0.5, 0.5]), np.array([0.0, 0.0, np.nan]), 3)

    assert p_values[0] == 1
    assert np.isnan(p_values[1:]).all()


def test_holm_corrects_step_by_step() -> None:
    """.01*4, .02*3, then .03*2 and .5 are carried up: never smaller than the one before."""
    corrected = statistics.holm(np.array([0.5, 0.01, 0.03, 0.02, np.nan]))

    assert corrected[:4] == pytest.approx([0.5, 0.04, 0.06, 0.06])
    assert np.isnan(corrected[4])


@given(arrays(np.float64, 8, elements=st.floats(0, 1)))
def test_holm_never_makes_a_p_value_smaller(p_values) -> None:
    """Corrected values are at least the raw ones, at most 1, and in the same order."""
    corrected = statistics.holm(p_values)

    assert (corrected >= p_values).all()
    assert (corrected <= 1).all()
    assert (np.diff(corrected[np.argsort(p_values, kind="stable")]) >= 0).all()


def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """An estimator gives the same values, but for rounding, in one chunk and row by row."""
    weights = np.random.default_rng(0).random((50, 4))
    whole = statistics.weighted(mean_of(np.arange(4.0)), weights, width=1)
    monkeypatch.setattr(resampling, "CHUNK_VALUES", 1)

    rows = statistics.weighted(mean_of(np.arange(4.0)), weights, width=1)
    assert rows == pytest.approx(whole, rel=1e-14)


@pytest.mark.parametrize("n_clusters", [4, 14])
def test_studentised_interval_covers_normal_clusters(n_clusters: int) -> None:
    """For a mean of normal clusters the 95 % interval holds the truth 93 to 97 times in 100."""
    generator, hits, runs = np.random.default_rng(5), 0, 1500
    for _ in range(runs):
        found = statistics.interval(
            mean_of(generator.normal(0.1, 0.05, n_clusters)),
            np.zeros(n_clusters, dtype=np.int64),
            sampling=Sampling(),
            limits=(-1, 1),
            width=1,
        )
        hits += found is not None and found.low <= 0.1 <= found.high

    assert 0.93 <= hits / runs <= 0.97


def test_one_cluster_has_no_standard_error() -> None:
    """Leaving out the only cluster leaves nothing."""
    error = statistics.jackknife_standard_error(
        lambda weights: weights.sum(axis=1), np.zeros(1, dtype=np.int64), width=1
    )

    assert np.isnan(error)


def test_bca_bounds_are_those_of_scipy() -> None:
    """On one stratum of skewed values the bounds lie where scipy's BCa puts them."""
    from scipy import stats

    values = np.random.default_rng(2).exponential(1.0, 40)

    bounds = statistics.interval(
        mean_of(values),
        np.zeros(40, dtype=np.int64),
        sampling=Sampling(resamples=20_000, bootstrap="bca"),
        limits=(-10, 10),
        width=40,
    )
    reference = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="BCa", rng=np.random.default_rng(5)
    ).confidence_interval

    assert bounds is not None
    assert bounds.method == "bca_bootstrap"
    assert float(bounds.low) == pytest.approx(reference.low, abs=0.02)
    assert float(bounds.high) == pytest.approx(reference.high, abs=0.02)


def test_bca_is_shifted_against_the_percentiles_where_values_are_skewed() -> None:
    """For a long right tail both bounds lie higher than the percentile bootstrap's."""
    values = np.random.default_rng(2).exponential(1.0, 40)
    low, high = {}, {}
    for name in statistics.BOOTSTRAPS:
        bounds = statistics.interval(
            mean_of(values),
            np.zeros(40, dtype=np.int64),
            sampling=Sampling(resamples=4000, bootstrap=name),
            limits=(-10, 10),
            width=40,
        )
        assert bounds is not None
        low[name], high[name] = float(bounds.low), float(bounds.high)

    assert low["bca"] > low["percentile"]
    assert high["bca"] > high["percentile"]


def test_an_unknown_bootstrap_is_refused() -> None:
    """The sentence names those that there are."""
    with pytest.raises(DataRefused, match="percentile, bca"):
        statistics.check_sampling(Sampling(bootstrap="best"))


def test_many_clusters_are_drawn_as_few_are() -> None:
    """Beyond 2,000 clusters each still comes once on average, and all n draws are made."""
    strata = np.zeros(2_500, dtype=np.int64)

    (weights,) = statistics.bootstrap_weights(strata, Sampling(resamples=40), rows=40)

    assert (weights.sum(axis=1) == 2_500).all()
    assert weights.var() == pytest.approx(1 - 1 / 2_500, rel=0.02)
    # Of the clusters a share of 1/e is not drawn.
    assert (weights == 0).mean() == pytest.approx(np.exp(-1), rel=0.01)
