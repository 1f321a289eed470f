"""What a design can detect, and the spread over subjects."""

import errorbars
import numpy as np
import pytest
from errorbars.power import minimum_detectable_effect

from evenhand.scorer.inference.power import (
    detectable_effect,
    error_of_share,
    intraclass_correlation,
    power_of,
)
from evenhand.scorer.inference.spread import spread


@pytest.mark.parametrize(("freedom", "power"), [(4, 0.791), (9, 0.799), (13, 0.8), (59, 0.8)])
def test_the_detectable_effect_is_found_four_times_in_five(freedom: int, power: float) -> None:
    """By the noncentral t distribution."""
    effect = detectable_effect(0.1, freedom, 0.95)

    assert power_of(effect, 0.1, freedom, 0.95) == pytest.approx(power, abs=1e-3)


def test_the_detectable_effect_is_that_of_errorbars_for_many_questions() -> None:
    """Its normal formula and ours of 10^7 degrees agree to 1e-6."""
    theirs = minimum_detectable_effect(400, baseline_accuracy=0.5)
    error = (2 * 0.25 / 400) ** 0.5  # two models, uncorrelated

    assert detectable_effect(error, 1e7, 0.95) == pytest.approx(theirs, abs=1e-6)


def test_a_bracket_adds_its_gap() -> None:
    """An effect must be larger by as much as its two ends are apart."""
    assert detectable_effect(0.1, 20, 0.95, gap=0.05) == pytest.approx(
        detectable_effect(0.1, 20, 0.95) + 0.05
    )


def test_no_effect_is_found_as_often_as_alpha() -> None:
    """The power at 0 is the size of the test."""
    assert power_of(0.0, 0.1, 7, 0.95) == pytest.approx(0.05)


@pytest.mark.parametrize("seed", range(4))
def test_correlation_and_design_effect_are_those_of_errorbars(seed: int) -> None:
    """From counts of each question, to 1e-9, for questions of unlike size."""
    generator = np.random.default_rng(seed)
    rows = generator.integers(2, 30, 12)
    answers = [generator.random(n) < generator.beta(1, 1) for n in rows]
    correct = np.array([float(a.sum()) for a in answers])
    values, question = np.concatenate(answers).astype(float), np.repeat(np.arange(12), rows)

    correlation = intraclass_correlation(correct, rows.astype(float))
    assert correlation == pytest.approx(
        errorbars.intraclass_correlation(values, question), abs=1e-9
    )
    effect = (error_of_share(0.3, 12, 8, correlation) / error_of_share(0.3, 12, 8, 0.0)) ** 2
    assert effect == pytest.approx(errorbars.design_effect(correlation, 8), abs=1e-9)


def test_the_noise_of_subjects_is_no_spread() -> None:
    """Subjects without a difference: the noise explains the plug-in deviation, and 0 is held."""
    generator = np.random.default_rng(0)
    covered, values = 0, []
    for _ in range(200):
        risks = generator.normal(0.5, 0.3, (20, 40))
        left_out = (risks.sum(axis=0) - risks) / 19
        one = spread(risks.mean(axis=0), left_out, freedom=19, level=0.95)
        covered += one.low == 0
        values.append(one.value)
        assert one.low <= one.debiased <= one.value <= one.high

    assert covered >= 190
    assert np.mean(values) == pytest.approx(0.3 / 20**0.5, rel=0.05)


def test_a_spread_without_noise_is_itself() -> None:
    """By hand: .1 .3 .5 have the standard deviation sqrt(.08 / 3)."""
    risks = np.array([0.1, 0.3, 0.5])
    one = spread(risks, np.tile(risks, (4, 1)), freedom=3, level=0.95)

    assert one == pytest.approx((np.full(4, (0.08 / 3) ** 0.5)), abs=1e-12)
