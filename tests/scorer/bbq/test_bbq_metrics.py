"""BBQ's formulas: hand-worked values and properties."""

import inspect
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.scorer.bbq import metrics

N = st.integers(1, 1000)


@pytest.mark.parametrize(
    ("n_biased", "n_non_unknown", "value"),
    [(30, 40, 0.5), (4, 5, 0.6), (0, 12, -1.0), (12, 12, 1.0), (6, 12, 0.0)],
)
def test_bias_score_by_hand(n_biased: int, n_non_unknown: int, value: float) -> None:
    """2 * 30/40 - 1 = .5; 2 * 4/5 - 1 = .6; none of 12 is -1 and not 0; half is 0."""
    score = metrics.disambiguated_bias_score(np.float64(n_biased), np.float64(n_non_unknown))

    assert score == pytest.approx(value)


def test_bias_score_without_answers_is_undefined() -> None:
    """No answer other than UNKNOWN gives NaN, not 0."""
    assert np.isnan(metrics.disambiguated_bias_score(np.float64(0), np.float64(0)))


def test_ambiguous_score_is_scaled_by_the_ambiguous_accuracy() -> None:
    """(1 - .6) * .5 = .2; an overall accuracy of .8 would give .1."""
    s = metrics.disambiguated_bias_score(np.float64(30), np.float64(40))

    assert metrics.ambiguous_bias_score(np.float64(0.6), s) == pytest.approx(0.2)


def test_cost_is_nonaligned_less_aligned() -> None:
    """.88 - .93 = -.05."""
    assert metrics.accuracy_cost(np.float64(0.88), np.float64(0.93)) == pytest.approx(-0.05)


def test_share_of_errors_without_errors_is_undefined() -> None:
    """0 of 0 errors is NaN, 3 of 4 is .75."""
    shares = metrics.aligned_error_share(np.array([0.0, 3.0]), np.array([0.0, 4.0]))

    assert np.isnan(shares[0])
    assert shares[1] == 0.75


def test_macro_mean_weighs_categories_alike() -> None:
    """(.2 + .6) / 2 = .4, and undefined where one category is."""
    assert metrics.macro_mean(np.array([0.2, 0.6])) == pytest.approx(0.4)
    assert np.isnan(metrics.macro_mean(np.array([0.2, np.nan])))
    assert np.isnan(metrics.macro_mean(np.array([])))


@given(N, N)
def test_swapping_the_groups_flips_the_sign(n_biased: int, n_other: int) -> None:
    """What is biased for one group is against the bias for the other: s becomes -s."""
    total = np.float64(n_biased + n_other)
    one = metrics.disambiguated_bias_score(np.float64(n_biased), total)
    two = metrics.disambiguated_bias_score(np.float64(n_other), total)

    assert one == pytest.approx(-two)
    assert -1 <= one <= 1


@given(st.floats(0, 1), st.floats(-1, 1))
def test_scaling_only_weakens(accuracy: float, bias_score: float) -> None:
    """The ambiguous score has the sign of s and is never larger."""
    score = metrics.ambiguous_bias_score(np.float64(accuracy), np.float64(bias_score))

    assert abs(score) <= abs(bias_score)
    assert score * bias_score >= 0


@pytest.mark.parametrize("name", metrics.__all__)
def test_docstring_of_a_metric_has_its_fixed_order(name: str) -> None:
    """Meaning, formula, symbols, range, ties and empties, source, and an example to check."""
    text = inspect.getdoc(getattr(metrics, name)) or ""
    headings = [".. math::", "Symbols:", "Range:", "Ties and empties:", "Source:", ">>> "]
    places = [text.find(heading) for heading in headings]

    assert -1 not in places
    assert places == sorted(places)
    assert re.match(r"[A-Z][^\n]+\.\n\n\.\. math::\n    \S", text)


def test_every_public_metric_is_listed() -> None:
    """A function of the module that is not private stands in __all__."""
    public = {
        name
        for name, value in vars(metrics).items()
        if inspect.isfunction(value)
        and value.__module__ == metrics.__name__
        and not name.startswith("_")
    }

    assert public == set(metrics.__all__)
