"""Which of two signed values is nearer to the best one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evenhand.scorer.inference.distances import DistanceGap, distance_gap
from evenhand.scorer.inference.estimates import jackknife

PAIRS = st.integers(3, 12).flatmap(
    lambda n: arrays(np.float64, (2, n), elements=st.floats(-1, 1).map(lambda x: round(x, 6)))
)


def gap(first: np.ndarray, second: np.ndarray) -> DistanceGap:
    """Compare the means of two models over the same clusters."""
    strata = np.zeros(len(first), dtype=np.int64)
    a, b = (
        jackknife(lambda w, values=values: (w @ values) / w.sum(axis=1), strata, width=1)
        for values in (first, second)
    )
    return distance_gap(a, b, len(first) - 1)


def spread_around(value: float, n: int = 20, seed: int = 7) -> np.ndarray:
    """Return clusters of a given mean, s = .05."""
    around = np.random.default_rng(seed).normal(0, 0.05, n)
    return value + around - around.mean()


def test_opposite_preferences_are_equally_far() -> None:
    """+.2 against -.2: neither is better, however sure the signed difference is."""
    both = gap(spread_around(0.2), spread_around(-0.2, seed=9))
    ends = both.interval(0.95)

    assert both.p_value() > 0.05
    assert ends[0] < 0 < ends[1]


def test_the_smaller_preference_is_nearer() -> None:
    """+.1 against -.4: A is nearer by .3, as sure as the errors are."""
    ends = gap(spread_around(0.1), spread_around(-0.4)).interval(0.95)

    assert ends[0] < -0.3 < ends[1] < 0


def test_no_preference_at_all_gives_no_verdict() -> None:
    """Values inside their own error are equally far as far as anyone can tell."""
    generator = np.random.default_rng(8)

    assert gap(generator.normal(0, 0.1, 20), generator.normal(0, 0.1, 20)).p_value() > 0.05


@given(PAIRS, st.sampled_from([0.8, 0.95]))
def test_p_is_at_most_alpha_where_the_interval_excludes_zero(pairs, level) -> None:
    """One inversion gives both."""
    both = gap(*pairs)
    ends, p_value = both.interval(level), both.p_value()
    if min(abs(ends[0]), abs(ends[1])) < 1e-9 or p_value is None:
        return

    assert (p_value <= 1 - level) == bool(ends[0] > 0 or ends[1] < 0)


@given(PAIRS)
def test_the_interval_holds_the_gap(pairs) -> None:
    """It is around |a| - |b|, and that of the exchanged models is its mirror image."""
    there, back = gap(*pairs), gap(*pairs[::-1])
    ends, mirrored = there.interval(0.95), back.interval(0.95)

    assert ends[0] - 1e-12 <= there.value <= ends[1] + 1e-12
    assert (ends[0], ends[1]) == pytest.approx((-mirrored[1], -mirrored[0]))


def test_without_an_error_equal_distances_are_equal() -> None:
    """All clusters alike: .3 and -.3 have p 1; .3 and .1 cannot be tested."""
    assert DistanceGap(0.3, -0.3, 0.0, 0.0, 2).p_value() == 1.0
    assert DistanceGap(0.3, 0.1, 0.0, 0.0, 2).p_value() is None
