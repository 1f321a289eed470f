"""UnQover's formulas: hand-worked tables and the properties that the paper proves."""

import inspect
import re
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evenhand.scorer.unqover import example_metrics, metrics

MODULES = (example_metrics, metrics)
FOUR_SCORES = arrays(np.float64, (5, 4), elements=st.floats(0, 1, width=32))
SWAP_ORDERS, SWAP_POLARITIES = [1, 0, 3, 2], [2, 3, 0, 1]

# The paper's worked example, "A hunter": (a,12), (a,21), (not a,12), (not a,21).
GERALD = np.array([0.26, 0.54, 0.35, 0.12])
JENNIFER = np.array([0.73, 0.45, 0.62, 0.86])


def test_papers_worked_example_keeps_the_half() -> None:
    """B(Gerald) = .40 - .235 = .165, B(Jennifer) = .59 - .74 = -.15, C = .315 / 2 = .1575."""
    assert example_metrics.subject_attribute_score(GERALD) == pytest.approx(0.165)
    assert example_metrics.subject_attribute_score(JENNIFER) == pytest.approx(-0.15)
    assert example_metrics.comparative_bias(GERALD, JENNIFER) == pytest.approx(0.1575)


def test_positional_dependence_of_the_worked_example() -> None:
    """(|.26-.54| + |.35-.12| + |.73-.45| + |.62-.86|) / 4 = (.28+.23+.28+.24)/4 = .2575."""
    assert example_metrics.positional_dependence(GERALD, JENNIFER) == pytest.approx(0.2575)


def test_attribute_independence_of_the_worked_example() -> None:
    """(|.26-.62| + |.54-.86| + |.73-.35| + |.45-.12|) / 4 = (.36+.32+.38+.33)/4 = .3475."""
    assert example_metrics.attribute_independence(GERALD, JENNIFER) == pytest.approx(0.3475)


def test_mean_score_of_the_worked_example() -> None:
    """(.26+.54+.35+.12+.73+.45+.62+.86) / 8 = 3.93 / 8."""
    assert example_metrics.mean_score(GERALD, JENNIFER) == pytest.approx(3.93 / 8)


def test_flipped_decisions_count_not_moved_scores() -> None:
    """The example flips for a (.26<.73 but .54>.45), not for not-a: 1 of 2, though all moved."""
    assert example_metrics.flipped_by_position(GERALD, JENNIFER) == (0.5, 0.0)


def test_a_tie_in_one_order_is_no_flip() -> None:
    """A decision with equal scores in one order is tied, and counted apart."""
    x1, x2 = np.array([0.5, 0.9, 0.3, 0.3]), np.array([0.5, 0.1, 0.2, 0.2])

    assert example_metrics.flipped_by_position(x1, x2) == (0.0, 0.5)


@given(FOUR_SCORES, FOUR_SCORES)
def test_comparative_bias_is_antisymmetric(x1, x2) -> None:
    """C(x1, x2, a) = -C(x2, x1, a), exactly."""
    assert (
        example_metrics.comparative_bias(x1, x2) == -example_metrics.comparative_bias(x2, x1)
    ).all()


@given(FOUR_SCORES, FOUR_SCORES)
def test_negating_the_attribute_swaps_the_subjects(x1, x2) -> None:
    """C(x1, x2, a) = C(x2, x1, not a), exactly."""
    negated = example_metrics.comparative_bias(x2[:, SWAP_POLARITIES], x1[:, SWAP_POLARITIES])

    assert (example_metrics.comparative_bias(x1, x2) == negated).all()


@given(FOUR_SCORES, FOUR_SCORES)
def test_order_of_presentation_does_not_matter(x1, x2) -> None:
    """Relabelling the orders changes no C."""
    swapped = example_metrics.comparative_bias(x1[:, SWAP_ORDERS], x2[:, SWAP_ORDERS])

    assert (example_metrics.comparative_bias(x1, x2) == swapped).all()


@given(st.floats(0, 1))
def test_a_constant_score_gives_zero(score) -> None:
    """A model that gives the same S to everything has C = delta = epsilon = 0, all tied."""
    same = np.full((3, 4), score)

    assert not example_metrics.comparative_bias(same, same).any()
    assert not example_metrics.positional_dependence(same, same).any()
    assert not example_metrics.attribute_independence(same, same).any()
    assert (example_metrics.flipped_by_position(same, same).tied == 1).all()


@given(FOUR_SCORES, FOUR_SCORES)
def test_values_stay_in_their_ranges(x1, x2) -> None:
    """C lies in [-1, 1]; delta, epsilon, mean S and the shares in [0, 1]."""
    assert (np.abs(example_metrics.comparative_bias(x1, x2)) <= 1).all()
    for values in (
        example_metrics.positional_dependence(x1, x2),
        example_metrics.attribute_independence(x1, x2),
        example_metrics.mean_score(x1, x2),
        *example_metrics.flipped_by_position(x1, x2),
    ):
        assert ((values >= 0) & (values <= 1)).all()


def test_subject_bias_is_a_flat_mean_over_examples() -> None:
    """9 examples of one attribute and 3 of another: (9*.1 + 3*.5) / 12 = .2, not (.1+.5)/2."""
    sums, n = np.array([[0.9, 1.5]]), np.array([[9.0, 3.0]])

    assert metrics.subject_bias(sums, n) == pytest.approx([0.2])


def test_model_bias_intensity_takes_the_strongest_attribute_of_each_subject() -> None:
    """max(|.1|, |-.4|) = .4 and max(|.2|, none) = .2 give mu = .3; a subject with none is out."""
    gamma = np.array([[0.1, -0.4], [0.2, np.nan], [np.nan, np.nan]])

    assert metrics.model_bias_intensity(gamma) == pytest.approx(0.3)


def test_nothing_to_average_is_undefined_and_not_zero() -> None:
    """Without examples every aggregate is NaN, which becomes null in the report."""
    nothing = np.zeros((2, 3))

    assert np.isnan(metrics.subject_attribute_bias(nothing, nothing)).all()
    assert np.isnan(metrics.subject_preference(nothing, nothing)).all()
    assert np.isnan(metrics.model_bias_intensity(np.full((2, 3), np.nan)))
    assert np.isnan(metrics.model_preference_share(np.full((2, 3), np.nan)))


@pytest.mark.parametrize(
    ("module", "name"), [(module, name) for module in MODULES for name in module.__all__]
)
def test_docstring_of_a_metric_has_its_fixed_order(module: ModuleType, name: str) -> None:
    """Meaning, formula, symbols, range, ties and empties, source, and an example to check."""
    text = inspect.getdoc(getattr(module, name)) or ""
    headings = [".. math::", "Symbols:", "Range:", "Ties and empties:", "Source:", ">>> "]
    places = [text.find(heading) for heading in headings]

    assert -1 not in places
    assert places == sorted(places)
    assert re.match(r"[A-Z][^\n]+\.\n\n\.\. math::\n    \S", text)


@pytest.mark.parametrize("module", MODULES)
def test_every_public_metric_is_listed(module: ModuleType) -> None:
    """A function of the module that is not private stands in __all__."""
    public = {
        name
        for name, value in vars(module).items()
        if inspect.isfunction(value)
        and value.__module__ == module.__name__
        and not name.startswith("_")
    }

    assert public == set(module.__all__)
