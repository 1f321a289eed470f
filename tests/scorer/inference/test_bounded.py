"""Guarded Wilson intervals of shares and differences of shares."""

import errorbars
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import special
from statsmodels.stats.proportion import proportion_confint

from evenhand.scorer.inference.bounded import (
    GuardedDifference,
    GuardedError,
    GuardedWilson,
    unseen_of_errors,
    unseen_of_share,
)
from evenhand.scorer.inference.estimates import jackknife

COUNTS = st.integers(3, 25).flatmap(
    lambda n: st.tuples(
        arrays(np.int64, n, elements=st.integers(1, 60)),
        arrays(np.float64, n, elements=st.floats(0, 1)),
    )
)  # fmt: skip


def guarded(
    correct: np.ndarray,
    rows: np.ndarray,
    *,
    is_guarded: bool = True,
    strata: np.ndarray | None = None,
) -> GuardedWilson:
    """Return the share of correct rows."""
    strata = np.zeros(len(rows), dtype=np.int64) if strata is None else strata
    estimate = jackknife(lambda w: (w @ correct) / (w @ rows), strata, width=len(rows))
    shares = [correct[strata == h].sum() / rows[strata == h].sum() for h in np.unique(strata)]
    error = GuardedError(
        influence=estimate.influence[0, :, 0],
        weights=rows.astype(float),
        strata=strata,
        unseen=unseen_of_share(np.array(shares)) * is_guarded,
    )
    return GuardedWilson(float(estimate.value[0]), error, (0.0, 1.0))


@given(COUNTS, st.sampled_from([0.5, 0.8, 0.95, 0.999]))
def test_the_interval_holds_the_value_and_stays_in_its_range(counts, level) -> None:
    """Whatever the clusters are."""
    rows, shares = counts
    share = guarded(np.floor(rows * shares), rows)
    low, high = share.interval(level)

    assert 0 <= low <= share.value <= high <= 1


@given(COUNTS, st.floats(0.01, 0.99), st.sampled_from([0.8, 0.95]))
def test_p_is_at_most_alpha_where_the_interval_excludes_the_value(counts, at, level) -> None:
    """The score test is the interval turned round, where all clusters agree too."""
    rows, shares = counts
    share = guarded(np.floor(rows * shares), rows)
    low, high = share.interval(level)
    assume(min(abs(at - low), abs(at - high)) > 1e-9)

    assert (share.p_value(at) <= 1 - level) == bool(at < low or at > high)


@pytest.mark.parametrize(("successes", "n"), [(3, 40), (20, 40), (38, 40)])
def test_without_guards_it_is_wilsons_interval_of_the_effective_number(
    successes: int, n: int
) -> None:
    """Clusters of one row: statsmodels' interval of n (1 - 1/n) answers, with t in place of z."""
    answers = np.repeat([1.0, 0.0], [successes, n - successes])
    share = guarded(answers, np.ones(n), is_guarded=False)
    low, high = share.interval(0.95)
    t = special.stdtrit(share.error.freedom, 0.975)
    # Wilson's interval knows n / z^2 alone, so another quantile is another n.
    effective = (n - 1) * (special.ndtri(0.975) / t) ** 2
    expected = proportion_confint(share.value * effective, effective, method="wilson")

    assert (low, high) == pytest.approx(expected, abs=1e-9)


def test_of_very_many_clusters_it_is_wilsons_interval() -> None:
    """1,200 of 4,000 in clusters of one: the package errorbars gives the same to 1e-5."""
    n, successes = 4_000, 1_200
    answers = np.repeat([1.0, 0.0], [successes, n - successes])
    error = GuardedError((answers - 0.3) / n, np.ones(n), np.zeros(n, int), np.array([0.0]))
    share = GuardedWilson(0.3, error, (0.0, 1.0))
    expected = errorbars.wilson_ci(successes, n)

    assert share.interval(0.95) == pytest.approx((expected.ci_low, expected.ci_high), abs=1e-5)


def test_clusters_that_all_agree_bound_the_rest() -> None:
    """By hand: 25 equal questions all right: the others are at most 1 - .025^(1/25) = .1372."""
    share = guarded(np.full(25, 8.0), np.full(25, 8.0))

    assert share.is_unanimous
    assert share.interval(0.95) == pytest.approx((1 - 0.13719, 1.0), abs=1e-5)
    assert share.p_value(1.0) == 1.0
    assert share.p_value(0.5) == pytest.approx(2 * 0.5**25)


def test_unlike_clusters_that_agree_count_by_their_effective_number() -> None:
    """By hand: one question of 60 rows and two of 20: 100^2 / 4400 = 2.27 questions."""
    share = guarded(np.array([60.0, 20.0, 20.0]), np.array([60.0, 20.0, 20.0]))

    assert share.error.effective_number == pytest.approx(2.2727, abs=1e-4)
    assert share.interval(0.95)[0] == pytest.approx(0.025 ** (1 / 2.2727), abs=1e-4)


def test_one_cluster_that_holds_all_errors_leaves_few_degrees_of_freedom() -> None:
    """Its influence has a kurtosis near G, so the variance has about one degree: 2 at the least."""
    rows = np.full(25, 20.0)
    share = guarded(np.array([8.0, *[20.0] * 24]), rows)
    spread = guarded(np.arange(25) % 10 + 10.0, rows)

    assert share.error.freedom == 2.0
    assert spread.error.freedom > 20


def test_an_unseen_cluster_widens_the_error() -> None:
    """By hand: q = .75 of 4 questions: .0625 + 2 (.75 .25) / (4 + 1)^2 = .0775."""
    share = guarded(np.array([0.0, 1.0, 1.0, 1.0]), np.ones(4))

    assert share.error.standard_error**2 == pytest.approx(0.0775)


def test_unseen_errors_are_the_mean_square_by_row() -> None:
    """By hand: questions of 10, 30 and 0 rows, 5, 3 and 0 wrong: (10 .25 + 30 .01) / 40 = .07."""
    errors, rows = np.array([5.0, 3.0, 0.0]), np.array([10.0, 30.0, 0.0])

    assert unseen_of_errors(errors, rows, np.zeros(3, int)) == pytest.approx([0.07])
    assert unseen_of_errors(errors, rows, np.array([0, 1, 2])) == pytest.approx([0.25, 0.01, 0.0])


def test_strata_differ_by_no_error() -> None:
    """Two categories at .2 and .8, alike within: only unseen questions make an error.

    By hand: each has half the rows, u = .16 and two questions: 2 (2 .25 .16 / 3^2) = .01778.
    """
    strata = np.array([0, 0, 1, 1])
    share = guarded(np.array([2.0, 2.0, 8.0, 8.0]), np.full(4, 10.0), strata=strata)

    assert share.value == pytest.approx(0.5)
    assert share.error.standard_error**2 == pytest.approx(0.017778, abs=1e-6)


def test_a_second_stratum_alike_doubles_the_degrees_of_freedom() -> None:
    """By Satterthwaite two strata of the same variance have the sum of their degrees."""
    correct, rows = np.array([3.0, 5.0, 8.0, 6.0, 5.0, 9.0]), np.full(6, 10.0)
    one = guarded(correct, rows)
    two = guarded(np.tile(correct, 2), np.tile(rows, 2), strata=np.repeat([0, 1], 6))

    assert two.error.freedom == pytest.approx(2 * one.error.freedom)
    assert two.error.standard_error == pytest.approx(one.error.standard_error / 2**0.5)


@given(COUNTS)
def test_the_interval_does_not_see_which_answer_is_called_right(counts) -> None:
    """The share of wrong answers has the interval mirrored at one half."""
    rows, shares = counts
    correct = np.floor(rows * shares)
    low, high = guarded(correct, rows).interval(0.95)

    assert guarded(rows - correct, rows).interval(0.95) == pytest.approx(
        (1 - high, 1 - low), abs=1e-9
    )


def test_a_difference_has_the_t_interval_of_its_guarded_error() -> None:
    """By hand: differences .1 .3 .2 .2: SE = .0816 / 2 = .0408, 3 degrees by kurtosis 2: 4 / 1."""
    differences = np.array([0.1, 0.3, 0.2, 0.2])
    error = GuardedError(
        (differences - 0.2) / 4, np.ones(4), np.zeros(4, int), np.array([0.0])
    )  # fmt: skip
    gap = GuardedDifference(0.2, error, (-1.0, 1.0))

    assert gap.interval(0.95) == pytest.approx(
        (0.2 - 3.1824 * 0.040825, 0.2 + 3.1824 * 0.040825), abs=1e-5
    )
    assert gap.p_value() == pytest.approx(2 * special.stdtr(3, -0.2 / 0.040825), abs=1e-5)


@given(
    arrays(np.float64, 7, elements=st.floats(-1, 1)), st.floats(0, 1), st.sampled_from([0.8, 0.95])
)
def test_p_of_a_difference_is_at_most_alpha_where_the_interval_excludes_zero(
    differences, unseen, level
) -> None:
    """One t gives both; identical answers have p 1 and no interval."""
    value = float(differences.mean())
    error = GuardedError(
        (differences - value) / 7, np.ones(7), np.zeros(7, int), np.array([unseen])
    )
    gap = GuardedDifference(value, error, (-2.0, 2.0))
    ends, p_value = gap.interval(level), gap.p_value()

    if ends is None:
        assert p_value == (1.0 if abs(value) < 1e-13 else None)
    elif min(abs(ends[0]), abs(ends[1])) > 1e-9:
        assert (p_value <= 1 - level) == bool(ends[0] > 0 or ends[1] < 0)
