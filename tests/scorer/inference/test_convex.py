"""Cross-fitted and plug-in values of sublinear functionals of means."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evenhand.scorer.bvf.metrics import code_criterion, criterion
from evenhand.scorer.inference.convex import (
    ClusterMeans,
    bracket,
    cross_fit,
    directional_derivative,
    plug_in,
)
from evenhand.scorer.inference.estimates import jackknife, unbiased
from evenhand.scorer.inference.resampling import folds

Functional = Callable[[np.ndarray], np.ndarray]


def mean_strength(means: np.ndarray) -> np.ndarray:
    """Return the mean of |m|, as R_b has it for two classes."""
    return np.abs(means).mean(axis=1, keepdims=True)


def largest_strength(means: np.ndarray) -> np.ndarray:
    """Return the largest |m|, as mu has it for one subject."""
    return np.abs(means).max(axis=1, keepdims=True)


def by_criterion(judge: Functional) -> Functional:
    """Return a criterion of three classes as a functional of D = 6 means of two subjects."""
    return lambda means: judge(means.reshape(len(means), 2, 3)).mean(axis=1, keepdims=True)


FUNCTIONALS: dict[str, Functional] = {
    "mean |m|": mean_strength,
    "max |m|": largest_strength,
    "linf": by_criterion(criterion),
    "l2": by_criterion(lambda s: criterion(s, 2)),
    "code l3": by_criterion(lambda s: code_criterion(s, 3)),
}
SUMS = st.integers(3, 9).flatmap(
    lambda n: arrays(np.float64, (n, 6), elements=st.floats(-1, 1).map(lambda x: round(x, 3)))
)


@pytest.mark.parametrize("name", FUNCTIONALS)
@settings(max_examples=40)
@given(sums=SUMS, n_folds=st.integers(2, 4), seed=st.integers(0, 9))
def test_the_cross_fitted_value_is_at_most_the_plug_in_value(name, sums, n_folds, seed) -> None:
    """For every sublinear functional, every data set and every split."""
    functional, strata = FUNCTIONALS[name], np.zeros(len(sums), dtype=np.int64)
    counts = np.abs(sums[:, :1]) + 0.5
    low, high = bracket(
        ClusterMeans(sums * counts, counts), functional, strata,
        seed=seed, n_folds=n_folds, repeats=3,
    ).low, plug_in(ClusterMeans(sums * counts, counts), functional, strata)  # fmt: skip

    assert low.value[0] <= high.value[0] + 1e-7


@pytest.mark.parametrize("name", FUNCTIONALS)
@settings(max_examples=40)
@given(sums=SUMS)
def test_the_interval_holds_both_values(name, sums) -> None:
    """It reaches from below the cross-fitted to above the plug-in value."""
    means, strata = ClusterMeans(sums, np.ones((len(sums), 1))), np.zeros(len(sums), dtype=np.int64)
    both = bracket(means, FUNCTIONALS[name], strata, seed=0, repeats=3)
    ends = both.interval(len(sums) - 1, 0.95)

    assert ends.low[0] <= both.low.value[0]
    assert both.high.value[0] <= ends.high[0]


@given(SUMS)
def test_reversing_all_preferences_changes_nothing(sums) -> None:
    """Strength has no sign."""
    strata, counts = np.zeros(len(sums), dtype=np.int64), np.ones((len(sums), 1))
    there, back = (
        bracket(ClusterMeans(side, counts), mean_strength, strata, seed=1, repeats=2)
        for side in (sums, -sums)
    )

    assert there.low.value == pytest.approx(back.low.value, abs=1e-9)
    assert there.high.standard_error == pytest.approx(back.high.standard_error, abs=1e-9)


def test_clusters_that_all_agree_need_no_correction() -> None:
    """Contexts at -.4 each: both values .4, without an error."""
    means = ClusterMeans(np.full((6, 1), -0.4), np.ones((6, 1)))
    both = bracket(means, mean_strength, np.zeros(6, dtype=np.int64), seed=0)

    assert (both.low.value[0], both.high.value[0]) == pytest.approx((0.4, 0.4))
    assert both.low.standard_error == pytest.approx([0.0], abs=1e-9)


def test_two_folds_by_hand() -> None:
    """Contexts .8 and .2 in two folds: halves .4 and .1; both directions are +, so .4 + .1 = .5.

    With .8 and -.2 the direction of each is taken from the other: .4 * -1 + -.1 * 1 = -.5.
    """
    strata, ones = np.zeros(2, dtype=np.int64), np.ones((2, 1))
    pair = folds(strata, n_folds=2, repeats=1, seed=0)

    same = cross_fit(ClusterMeans(np.array([[0.8], [0.2]]), ones), mean_strength, strata, pair)
    opposed = cross_fit(ClusterMeans(np.array([[0.8], [-0.2]]), ones), mean_strength, strata, pair)

    assert same.value == pytest.approx([0.5])
    assert opposed.value == pytest.approx([-0.5])


def test_noise_of_no_preference_cancels_on_average() -> None:
    """Over 2,000 data sets without a preference the mean is within 4 errors of 0; plug-in is not.

    |mean of 12 normals of s = 1| has the mean sqrt(2 / (12 pi)) = .2303.
    """
    generator = np.random.default_rng(3)
    sums, strata = generator.normal(0, 1, (12, 2000)), np.zeros(12, dtype=np.int64)
    splits = folds(strata, n_folds=3, repeats=4, seed=0)
    means = ClusterMeans(sums, np.ones((12, 1)))

    low = cross_fit(means, np.abs, strata, splits).value
    high = plug_in(means, np.abs, strata).value

    assert abs(low.mean()) < 4 * low.std() / 2000**0.5
    assert high.mean() == pytest.approx((2 / (12 * np.pi)) ** 0.5, abs=0.012)


def test_the_split_error_is_that_of_the_jackknife_far_from_zero() -> None:
    """Where no sign is in doubt both values are the plain mean, with its standard error."""
    generator = np.random.default_rng(4)
    sizes = np.array([[9.0], *[[1.0]] * 9])  # one context of half the weight
    sums = sizes * (0.7 + generator.normal(0, 0.05, (10, 1)))
    strata = np.zeros(10, dtype=np.int64)
    both = bracket(ClusterMeans(sums, sizes), mean_strength, strata, seed=0, repeats=5)

    assert both.low.value == pytest.approx(both.high.value)
    assert both.low.standard_error == pytest.approx(both.high.standard_error, rel=1e-6)


def test_volatility_is_a_mean_less_a_bracket() -> None:
    """R_v = R - R_b: its ends are R less the plug-in value, and R less the cross-fitted one."""
    s = np.random.default_rng(5).uniform(-1, 1, (8, 4))
    strata = np.zeros(8, dtype=np.int64)
    risk = np.abs(s).mean(axis=1)
    total = jackknife(lambda w: (w @ risk) / w.sum(axis=1), strata, width=8)
    bias = bracket(ClusterMeans(s, np.ones((8, 1))), mean_strength, strata, seed=0)
    volatility = unbiased(total) - bias

    assert volatility.low.value == pytest.approx(total.value - bias.high.value)
    assert volatility.high.value == pytest.approx(total.value - bias.low.value)


def test_a_mean_of_nothing_stays_unknown() -> None:
    """A cell that no context speaks of is NaN in both, and what ignores NaN ignores it."""
    sums, counts = np.array([[0.3, 0.0], [0.5, 0.0]]), np.array([[1.0, 0.0], [1.0, 0.0]])
    both = bracket(
        ClusterMeans(sums, counts),
        lambda means: np.nanmax(np.abs(means), axis=1, keepdims=True),
        np.zeros(2, dtype=np.int64),
        seed=0,
    )

    assert both.high.value == pytest.approx([0.4])
    assert both.low.value == pytest.approx([0.4])


def test_derivatives_at_a_kink_are_the_mean_of_both_sides() -> None:
    """|m| grows by as much to the right of 0 as to the left, so its derivative there is 0."""
    at, towards = np.array([[0.0, 1.0]]), np.array([[1.0, 1.0]])

    assert directional_derivative(np.abs, at, towards) == pytest.approx(np.array([[0.0, 1.0]]))


def test_folds_are_spread_over_every_stratum() -> None:
    """Each cluster is in one fold; of a stratum of six there are two in each of three."""
    splits = folds(np.array([0] * 6 + [1] * 7), n_folds=3, repeats=20, seed=0)

    assert splits.shape == (20, 3, 13)
    assert (splits.sum(axis=1) == 1).all()
    assert (splits[:, :, :6].sum(axis=2) == 2).all()
    assert np.isin(splits[:, :, 6:].sum(axis=2), [2, 3]).all()
    assert (splits == folds(np.array([0] * 6 + [1] * 7), n_folds=3, repeats=20, seed=0)).all()
