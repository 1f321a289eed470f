"""Null distributions by dealing answers, and what sign flips can exceed."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evenhand.scorer.inference.nulls import (
    deal_answers,
    is_volatility_identifiable,
    sign_flip_exceedance,
    sign_flip_null,
)
from evenhand.scorer.inference.resampling import Sampling


@settings(max_examples=50)
@given(arrays(np.int64, (4, 3), elements=st.integers(0, 5)), st.integers(0, 99))
def test_dealing_keeps_what_each_text_and_each_class_was_answered(answers, seed) -> None:
    """Texts keep their number of answers, classes their number over all texts."""
    dealt = deal_answers(answers, 5, np.random.default_rng(seed))

    assert (dealt >= 0).all()
    assert (dealt.sum(axis=2) == answers.sum(axis=1)).all()
    assert (dealt.sum(axis=1) == answers.sum(axis=0)).all()


def test_every_deal_of_single_answers_is_equally_likely() -> None:
    """Two answers A and two B dealt to two texts of two: by counting 1/6, 4/6, 1/6."""
    generator = np.random.default_rng(0)
    drawn = deal_answers(np.array([[2, 0], [0, 2]]), 3000, generator)[:, 0, 0].tolist()
    hands = [hand.count("A") for hand in itertools.combinations("AABB", 2)]

    for n in (0, 1, 2):
        assert drawn.count(n) / 3000 == pytest.approx(hands.count(n) / 6, abs=0.03)


def test_one_answer_a_text_cannot_tell_change_from_chance() -> None:
    """Nor can subjects that always answer the same; two texts of two answers can."""
    subject = np.array([0, 0])

    assert not is_volatility_identifiable(np.array([[1, 0], [0, 1]]), subject)
    assert not is_volatility_identifiable(np.array([[5, 0], [5, 0]]), subject)
    assert not is_volatility_identifiable(np.array([[5, 1], [0, 1]]), subject)
    assert is_volatility_identifiable(np.array([[2, 0], [0, 2]]), subject)
    assert is_volatility_identifiable(
        np.array([[1, 0], [0, 1], [1, 1], [2, 0]]), np.array([0, 0, 1, 1])
    )


@pytest.mark.parametrize("n", range(2, 11))
def test_flips_exceed_their_percentile_as_often_as_counted(n: int) -> None:
    """Values of unlike clusters: the share of patterns above numpy's 95th percentile."""
    values = np.random.default_rng(n).random(n) + 0.1
    signs = np.array(list(itertools.product([1.0, -1.0], repeat=n)))
    index = np.abs(signs @ values).round(12)
    null = sign_flip_null(
        lambda weights: np.abs(weights @ values), n, sampling=Sampling(), width=n
    )  # fmt: skip

    assert null is not None
    assert (index > null.quantile_95 + 1e-9).mean() == pytest.approx(sign_flip_exceedance(n))


def test_below_five_clusters_nothing_exceeds() -> None:
    """With 3 or 4 templates no mu is above its reference, however large: no verdict."""
    assert [sign_flip_exceedance(n) for n in (2, 3, 4, 5)] == [0, 0, 0, 0.0625]
