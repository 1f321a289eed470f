"""Step-down max-T over families of paired differences."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evenhand.scorer.inference.families import holm, least_p_value, step_down_max_t
from evenhand.scorer.inference.resampling import Sampling


def t_statistics(contributions: np.ndarray) -> np.ndarray:
    """Return t of the sum of each column's contributions."""
    n = len(contributions)
    centred = contributions - contributions.mean(axis=0)
    return contributions.sum(axis=0) / np.sqrt((centred**2).sum(axis=0) * n / (n - 1))


def test_one_member_has_the_exact_sign_flip_p_value() -> None:
    """By hand: 1 2 3 4 5 6 all above 0: of 32 patterns only that without a flip is as far: 1/32."""
    contributions = np.arange(1.0, 7.0)[:, None]

    p_values = step_down_max_t(t_statistics(contributions), contributions, Sampling())

    assert p_values == pytest.approx([1 / 32])


def test_the_same_member_many_times_costs_nothing() -> None:
    """Ten copies share their flips: the correction knows that they are one test."""
    contributions = np.tile(np.array([[1.0], [2.0], [3.0], [4.0], [-5.0], [6.0]]), 10)
    statistics = t_statistics(contributions)

    alone = step_down_max_t(statistics[:1], contributions[:, :1], Sampling())
    together = step_down_max_t(statistics, contributions, Sampling())

    assert together == pytest.approx(np.full(10, alone[0]))


def test_the_strongest_member_pays_for_all_and_the_last_for_itself() -> None:
    """The weakest member's p-value is that of its own test, or what was carried up to it."""
    generator = np.random.default_rng(0)
    contributions = generator.normal(0, 1, (8, 5)) + np.array([2.0, 1.0, 0.5, 0.0, 0.0])
    statistics = t_statistics(contributions)
    family = step_down_max_t(statistics, contributions, Sampling())
    weakest = int(np.abs(statistics).argmin())
    alone = step_down_max_t(
        statistics[[weakest]], contributions[:, [weakest]], Sampling()
    )  # fmt: skip

    assert family[weakest] >= alone[0]
    assert (np.diff(family[np.argsort(-np.abs(statistics))]) >= 0).all()


@settings(max_examples=40)
@given(arrays(np.float64, (6, 4), elements=st.floats(-1, 1).map(lambda x: round(x, 3))))
def test_corrected_values_are_no_smaller_than_those_of_single_tests(contributions) -> None:
    """And no smaller than the least p-value, and at most 1."""
    if (np.ptp(contributions, axis=0) < 1e-3).any():
        return
    statistics = t_statistics(contributions)
    family = step_down_max_t(statistics, contributions, Sampling())
    single = np.array(
        [step_down_max_t(statistics[[k]], contributions[:, [k]], Sampling())[0] for k in range(4)]
    )

    assert (family >= single - 1e-12).all()
    assert ((family >= least_p_value(6, Sampling())) & (family <= 1)).all()


def test_the_least_p_value_does_not_grow_with_the_family() -> None:
    """Four models, 120 subjects, -.90 against -.30: all 720 rows with a difference are found.

    Holm's method on a resampled p of 1/10,001 could find none of them.
    """
    generator = np.random.default_rng(1)
    level = np.array([-0.9, -0.3, -0.9, -0.3])
    values = level[:, None, None] + generator.normal(0, 0.1, (4, 14, 120))
    pairs = [(a, b) for a in range(4) for b in range(a + 1, 4)]
    differs = np.repeat([level[a] != level[b] for a, b in pairs], 120)
    contributions = np.concatenate([values[b] - values[a] for a, b in pairs], axis=1) / 14

    p_values = step_down_max_t(t_statistics(contributions), contributions, Sampling())

    assert (p_values[differs] <= 0.001).all()
    assert (p_values[~differs] > 0.05).all()
    assert (holm(np.full(720, 1 / 10_001)) > 0.05).all()


def test_a_member_that_cannot_be_tested_is_none() -> None:
    """NaN stays NaN, and the others are corrected without it."""
    contributions = np.array([[1.0, np.nan], [2.0, np.nan], [3.0, np.nan], [4.0, np.nan]])

    p_values = step_down_max_t(np.array([3.0, np.nan]), contributions, Sampling())
    alone = step_down_max_t(np.array([3.0]), contributions[:, :1], Sampling())

    assert p_values[0] == alone[0]
    assert np.isnan(p_values[1])
    assert step_down_max_t(np.array([]), np.zeros((4, 0)), Sampling()).tolist() == []


@pytest.mark.parametrize(("n", "least"), [(5, 0.0625), (6, 0.03125), (14, 2.0**-13)])
def test_the_least_p_value_is_that_of_all_patterns(n: int, least: float) -> None:
    """From 6 clusters on a difference can be found at a level of .05."""
    assert least_p_value(n, Sampling()) == least


def test_the_least_p_value_of_drawn_patterns_is_that_of_their_number() -> None:
    """Beyond 10,000 patterns they are drawn, and what was observed is one of them."""
    assert least_p_value(60, Sampling()) == 1 / 10_001


def test_the_same_seed_draws_the_same_patterns() -> None:
    """Results can be had again."""
    contributions = np.random.default_rng(2).normal(0.2, 1, (40, 3))
    statistics = t_statistics(contributions)
    first, again, other = (
        step_down_max_t(statistics, contributions, Sampling(seed=seed, resamples=500))
        for seed in (1, 1, 2)
    )

    assert (first == again).all()
    assert (first != other).any()


def test_clusters_that_say_nothing_of_a_member_do_not_count_for_it() -> None:
    """A member of six clusters has the p-value that it has alone, whatever others there are."""
    few = np.array([[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]])
    wide = np.vstack([few, np.full((3, 1), np.nan)])

    p_values = step_down_max_t(t_statistics(few), wide, Sampling())

    assert p_values == pytest.approx([1 / 32])
