"""A slice of `make coverage` with fixed seeds: bounds that a wrong interval or null would break.

Of 100 data sets with a true coverage of .95, fewer than 90 intervals hold once in 35 times; the
seeds are fixed, so what passes once passes always.
"""

import numpy as np
import pytest
from designs import bbq, bvf, comparisons, nulls, unqover
from designs.study import Design, Test, coverage, rejections

LEAST, MOST = 0.90, 0.07
N = 100
WITHOUT_AN_ERROR = pytest.mark.xfail(
    reason="the ambiguous bias score of a model without an error has no value and no interval yet"
)
DESIGNS = [
    pytest.param(
        design,
        id=f"{module.__name__.rpartition('.')[2]}-{place}-{design.effect}",
        marks=[WITHOUT_AN_ERROR] if (module, place) == (bbq, 2) else [],
    )
    for module in (bbq, bvf, unqover)
    for place, design in enumerate(module.DESIGNS)
]


@pytest.mark.parametrize("design", DESIGNS)
def test_intervals_hold_the_truth_and_the_value(design: Design) -> None:
    """At 25 clusters at least 90 in 100 hold the truth, and all hold the value beside them."""
    for metric, found in coverage(design, 25, N).items():
        assert found.share >= LEAST, (metric, found)
        assert found.outside == 0, (metric, found)
        assert found.without < 0.2, (metric, found)


@pytest.mark.parametrize("test", nulls.TESTS[:3], ids=lambda test: test.name)
def test_no_effect_seldom_exceeds_the_null_distribution(test: Test) -> None:
    """At 14 clusters of 150 data sets at most 7 % exceed the 95th percentile."""
    assert rejections(test, 14, 150) <= MOST


def test_below_five_templates_nothing_exceeds() -> None:
    """With 4 templates mu is never above its percentile."""
    assert rejections(nulls.TESTS[0], 4, 50) == 0


@pytest.mark.parametrize("p", [0.5, 0.9])
def test_contexts_that_do_not_matter_are_no_volatility(p: float) -> None:
    """Five answers a text: at most 7 % exceed; drawing from the estimated mean gave 100 %."""
    name = f"R_v of BVF, 5 answers a text, p = {p}"
    test = next(test for test in nulls.TESTS if test.name == name)

    assert rejections(test, 14, 100, seed=2) <= MOST


def test_one_answer_a_text_is_no_finding() -> None:
    """A fair coin, asked once a text: there is no null distribution, so nothing exceeds it."""
    test = next(test for test in nulls.TESTS if "1 answers a text, p = 0.5" in test.name)

    assert rejections(test, 14, 10) == 0


def test_the_widths_are_not_bought_by_being_wide() -> None:
    """R_b at 25 contexts: its mean width is below that of the range by far."""
    found = coverage(bvf.DESIGNS[0], 25, 20)

    assert found["bvf.R_b"].width < 0.3
    assert np.isfinite([one.width for one in found.values()]).all()


@pytest.mark.parametrize(
    "test",
    [test for test in comparisons.TESTS if test.is_null and "family" not in test.name],
    ids=lambda test: test.name,
)
def test_compare_finds_no_difference_where_there_is_none(test: Test) -> None:
    """At 25 clusters of 100 pairs of models at most 7 are called different."""
    assert rejections(test, 25, N) <= MOST


@pytest.mark.parametrize(
    "name", ["R_b .02 and .10, narrow noise", "bbq.accuracy_cost.pooled, .8 and .6 right"]
)
def test_compare_finds_a_difference_that_is_there(name: str) -> None:
    """At 60 clusters at least 8 of 10."""
    test = next(test for test in comparisons.TESTS if test.name == name)

    assert rejections(test, 60, 30) >= 0.8
