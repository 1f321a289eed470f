"""Estimates with the influence of clusters, and the intervals and tests that rest on them."""

import errorbars
import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from evenhand.scorer.inference.clusters import effective_degrees, effective_number
from evenhand.scorer.inference.estimates import Bracket, Estimate, jackknife, unbiased

CLUSTERS = st.integers(2, 12).flatmap(
    lambda n: arrays(np.float64, (2, n), elements=st.floats(-1, 1).map(lambda x: round(x, 6)))
)


def mean(values: np.ndarray, strata: np.ndarray | None = None) -> Estimate:
    """Return the mean of one value a cluster."""
    strata = np.zeros(len(values), dtype=np.int64) if strata is None else strata
    return jackknife(lambda w: (w @ values) / w.sum(axis=1), strata, width=len(values))


def ratio(sums: np.ndarray, counts: np.ndarray) -> Estimate:
    """Return the mean over the rows of all clusters."""
    strata = np.zeros(len(sums), dtype=np.int64)
    return jackknife(lambda w: (w @ sums) / (w @ counts), strata, width=len(sums))


def test_a_difference_is_paired() -> None:
    """By hand: A = 1 2 3, B = 2 4 3; differences 1 2 0 have mean 1, s = 1, SE = 1 / sqrt(3)."""
    difference = mean(np.array([2.0, 4.0, 3.0])) - mean(np.array([1.0, 2.0, 3.0]))

    assert difference.value == pytest.approx([1.0])
    assert difference.standard_error == pytest.approx([3**-0.5])


def test_a_sum_has_the_error_of_the_sum() -> None:
    """By hand: A = 1 2 3 and B = 3 2 1 always add up to 4, without an error."""
    total = mean(np.array([1.0, 2.0, 3.0])) + mean(np.array([3.0, 2.0, 1.0]))

    assert total.value == pytest.approx([4.0])
    assert total.standard_error == pytest.approx([0.0], abs=1e-15)


def test_a_unit_scales_value_and_error() -> None:
    """In percent both are a hundred times as large."""
    share = mean(np.array([0.1, 0.2, 0.3]))
    percent = share * 100

    assert percent.value == pytest.approx(100 * share.value)
    assert percent.standard_error == pytest.approx(100 * share.standard_error)


@given(CLUSTERS)
def test_interval_and_test_of_a_paired_mean_are_those_of_scipy(pairs) -> None:
    """`scipy.stats.ttest_rel` gives the same p-value and interval."""
    first, second = pairs
    difference = unbiased(mean(second) - mean(first))
    if np.ptp(second - first) < 1e-9:
        return
    reference = stats.ttest_rel(second, first)
    ends = difference.interval(len(first) - 1, 0.9)
    expected = reference.confidence_interval(0.9)

    assert difference.p_value(len(first) - 1)[0] == pytest.approx(reference.pvalue, abs=1e-9)
    assert (ends.low[0], ends.high[0]) == pytest.approx((expected.low, expected.high), abs=1e-9)


@given(CLUSTERS, st.floats(-1, 1), st.sampled_from([0.5, 0.9, 0.95]))
def test_p_is_at_most_alpha_where_the_interval_excludes_the_value(pairs, at, level) -> None:
    """A bracket's test and interval never contradict each other, whatever the two ends are."""
    one, two = (mean(values) for values in pairs)
    pair = Bracket(*sorted((one, two), key=lambda end: float(end.value[0])))
    freedom = effective_degrees(np.ones(len(pairs[0])), one.strata)
    ends, p_value = pair.interval(freedom, level), pair.p_value(freedom, at)[0]
    if min(abs(ends.low[0] - at), abs(ends.high[0] - at)) < 1e-9:
        return  # rounding decides there

    if not np.isnan(p_value):
        assert (p_value <= 1 - level) == bool(at < ends.low[0] or at > ends.high[0])


@given(CLUSTERS)
def test_a_bracket_holds_both_of_its_values(pairs) -> None:
    """The interval reaches from below the lower to above the upper value."""
    low, high = sorted((mean(values) for values in pairs), key=lambda end: float(end.value[0]))
    ends = Bracket(low, high).interval(3, 0.95)

    assert ends.low[0] <= low.value[0] <= high.value[0] <= ends.high[0]


def test_the_bracket_of_a_difference_is_as_wide_as_both() -> None:
    """[1, 2] less [0, .5]: from 1 - .5 to 2 - 0."""
    strata = np.zeros(2, dtype=np.int64)
    ends = [Estimate(np.array([v]), np.zeros((1, 2, 1)), strata) for v in (1.0, 2.0, 0.0, 0.5)]
    difference = Bracket(ends[0], ends[1]) - Bracket(ends[2], ends[3])

    assert (difference.low.value[0], difference.high.value[0]) == (0.5, 2.0)


def test_identical_models_differ_by_nothing_for_sure() -> None:
    """Difference 0 without an error: p is 1; another value is beyond what can be told."""
    values = np.array([0.1, 0.5, 0.4])
    nothing = unbiased(mean(values) - mean(values))

    assert nothing.p_value(2).tolist() == [1.0]
    assert np.isnan(nothing.p_value(2, at=0.3)).all()


def test_one_cluster_has_no_standard_error() -> None:
    """Nothing says how much clusters differ."""
    one = Estimate(np.array([1.0]), np.zeros((1, 1, 1)), np.zeros(1, dtype=np.int64))

    assert np.isnan(one.standard_error).all()


@pytest.mark.parametrize("seed", range(5))
def test_clusters_of_one_size_have_the_cluster_robust_error(seed: int) -> None:
    """Equal with statsmodels (CR1 of a constant) and with the package errorbars, to 1e-9."""
    generator = np.random.default_rng(seed)
    rows = generator.random((12, 7)) + generator.normal(0, 0.3, (12, 1))
    cluster = np.repeat(np.arange(12), 7)

    estimate = ratio(rows.sum(axis=1), np.full(12, 7.0))
    fit = sm.OLS(rows.ravel(), np.ones(rows.size)).fit(
        cov_type="cluster", cov_kwds={"groups": cluster}
    )

    assert estimate.value[0] == pytest.approx(rows.mean(), abs=1e-12)
    assert estimate.standard_error[0] == pytest.approx(float(fit.bse[0]), abs=1e-9)
    assert estimate.standard_error[0] == pytest.approx(
        errorbars.cluster_robust_se(rows.ravel(), cluster), abs=1e-9
    )


@pytest.mark.parametrize("seed", range(5))
def test_clusters_of_unlike_size_have_a_slightly_larger_error(seed: int) -> None:
    """The jackknife (CRV3) allows for the leverage of large clusters, CR1 does not.

    Both follow from the same residuals of the clusters, to 1e-9.
    """
    generator = np.random.default_rng(seed)
    sizes = generator.integers(3, 30, 14)
    rows = [generator.random(n) + generator.normal(0, 0.3) for n in sizes]
    values, cluster = np.concatenate(rows), np.repeat(np.arange(14), sizes)
    total, mean_of_all = sizes.sum(), values.mean()

    estimate = ratio(np.array([r.sum() for r in rows]), sizes.astype(float))
    cr1 = errorbars.cluster_robust_se(values, cluster)
    residuals = np.array([r.sum() - mean_of_all * len(r) for r in rows])

    left_out = mean_of_all - residuals / (total - sizes)
    by_hand = 13 / 14 * ((left_out - left_out.mean()) ** 2).sum()
    assert estimate.standard_error[0] == pytest.approx(by_hand**0.5, abs=1e-9)
    assert (14 / 13 * (residuals**2).sum()) ** 0.5 / total == pytest.approx(cr1, abs=1e-9)
    assert 1.0 < estimate.standard_error[0] / cr1 < 1.25


def test_strata_are_no_part_of_the_error() -> None:
    """Two strata at .1 and .9, alike within: no error."""
    values, strata = np.array([0.1, 0.1, 0.9, 0.9]), np.array([0, 0, 1, 1])

    assert mean(values, strata).standard_error == pytest.approx([0.0], abs=1e-15)


@given(arrays(np.float64, st.integers(1, 30), elements=st.floats(0.01, 100)))
def test_the_effective_number_lies_between_one_and_all(weights) -> None:
    """It is least where one cluster has nearly all weight, and greatest for equal weights."""
    assert 1 - 1e-9 <= effective_number(weights) <= len(weights) + 1e-9


def test_one_cluster_of_38_percent_leaves_an_effective_six() -> None:
    """By hand: 40 contexts, one of .38, 39 of .62 / 39: 1 / (.38^2 + .62^2 / 39) = 6.483."""
    weights = np.array([0.38, *[0.62 / 39] * 39])

    assert effective_number(weights) == pytest.approx(6.4827, abs=1e-4)
    assert effective_degrees(weights, np.zeros(40, int)) == pytest.approx(5.4827, abs=1e-4)


def test_no_weight_is_no_cluster() -> None:
    """Nothing counted, nothing said; degrees of freedom are at least 1."""
    assert effective_number(np.zeros(3)) == 0
    assert effective_degrees(np.zeros(3), np.zeros(3, int)) == 1
