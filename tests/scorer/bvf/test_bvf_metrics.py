"""BVF's formulas and criteria: reference models, properties, tables worked by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evenhand.contract import WrongUse
from evenhand.scorer.beyond.knowledge import knowledge
from evenhand.scorer.bvf import metrics
from evenhand.scorer.bvf.criteria import Setting, build_criterion, protocol_label

UNIFORM = {n: np.full(n, 1 / n) for n in (2, 3, 5)}


def normalised_risks(p: object, n: int = 2) -> metrics.Risks:
    """Return normalised risks of probabilities [X, C, Y] under equal weights."""
    s = metrics.stereotype(np.asarray(p, dtype=float), UNIFORM[n])
    found = metrics.risks(s, np.ones(s.shape[1]))
    return metrics.Risks(*(own / metrics.largest_criterion(UNIFORM[n]) for own in found))


@pytest.mark.parametrize("n", [2, 3, 5])
def test_the_unbiased_model_has_no_risk(n: int) -> None:
    """Equal probabilities everywhere: 0, 0, 0 (paper, Eq. 11 to 13)."""
    found = normalised_risks(np.full((4, 6, n), 1 / n), n)

    assert np.abs(np.stack(found)).max() < 1e-15


@pytest.mark.parametrize("n", [2, 3, 5])
def test_the_stereotyped_model_has_bias_alone(n: int) -> None:
    """Always the same class: 1, 1, 0 (paper, Table 1; its Eq. 15 and 16 are misprinted)."""
    p = np.zeros((4, 6, n))
    p[np.arange(4), :, np.arange(4) % n] = 1

    found = normalised_risks(p, n)

    assert found.total.tolist() == found.bias.tolist() == [1.0] * 4
    assert found.volatility.tolist() == [0.0] * 4


@pytest.mark.parametrize("n", [2, 3, 5])
def test_the_randomly_stereotyped_model_has_volatility_alone(n: int) -> None:
    """Each class in equally many contexts: 1, 0, 1 (paper, Eq. 17 to 19)."""
    p = np.tile(np.eye(n), (3, 4, 1))

    found = normalised_risks(p, n)

    assert found.total.tolist() == [1.0] * 3
    assert np.abs(found.bias).max() < 1e-15
    assert found.volatility == pytest.approx(np.ones(3), abs=1e-15)


@given(
    arrays(np.float64, (3, 4, 5), elements=st.floats(0.001, 1)),
    arrays(np.float64, 4, elements=st.floats(0.01, 9)),
    st.sampled_from(["linf", "l1", "l2", "l7"]),
    st.sampled_from(["paper", "code"]),
)
def test_volatility_is_never_negative(
    raw: np.ndarray, weights: np.ndarray, name: str, protocol: str
) -> None:
    """By Jensen's inequality, for every norm and any weights."""
    p = raw / raw.sum(axis=-1, keepdims=True)
    strength = build_criterion(name, protocol, Setting(UNIFORM[5])).strength

    found = metrics.risks(metrics.stereotype(p, UNIFORM[5]), weights, strength)

    assert (found.volatility >= -1e-12).all()
    assert found.total == pytest.approx(found.bias + found.volatility)


@given(arrays(np.float64, (2, 4, 3), elements=st.floats(0.001, 1)), st.permutations(range(3)))
def test_renaming_classes_or_reordering_contexts_changes_nothing(
    raw: np.ndarray, order: list[int]
) -> None:
    """Under a uniform p* no class and no place is special."""
    p = raw / raw.sum(axis=-1, keepdims=True)

    found, other = normalised_risks(p, 3), normalised_risks(p[:, ::-1][..., order], 3)

    assert np.stack(found) == pytest.approx(np.stack(other), abs=1e-12)


def test_knowledge_is_lost_by_wavering() -> None:
    """Right with .9 and .3: E J = (.99 + .51) / 2, J of the mean .6 is .84."""
    p = np.array([[[0.9, 0.1]], [[0.3, 0.7]]])
    s = metrics.stereotype(p, UNIFORM[2])

    each = knowledge(s, UNIFORM[2], np.array([0]))
    of_mean = knowledge(s.mean(axis=0), UNIFORM[2], np.array([0]))

    assert each.mean() == pytest.approx(0.75)
    assert of_mean.item() == pytest.approx(0.84)


def test_criteria_go_by_name() -> None:
    """Of s = (3, 4, -7): l1 is 7, l2 is 5, linf is 4."""
    s = np.array([3.0, 4.0, -7.0])
    setting = Setting(UNIFORM[3])

    found = [
        float(build_criterion(name, "paper", setting).strength(s)) for name in ("l1", "l2", "linf")
    ]

    assert found == pytest.approx([7.0, 5.0, 4.0])
    assert float(build_criterion(None, "paper", setting).strength(s)) == 4.0
    assert float(build_criterion(None, "code", setting).strength(s)) == 3.5


@pytest.mark.parametrize(
    ("name", "protocol", "facts"),
    [
        ("l0", "paper", ["--criterion l0", "linf, l1, l2, ", "knowledge"]),
        ("x", "paper", ["--criterion x", "linf, l1, l2, ", "knowledge"]),
        ("knowledge", "paper", ["--criterion knowledge", "--facts FILE", "right_class"]),
        ("knowledge", "code", ["--criterion knowledge", "--protocol code", " norms"]),
    ],
)
def test_an_unknown_criterion_is_refused(name: str, protocol: str, facts: list[str]) -> None:
    """The message names the criteria there are, or what this one needs."""
    with pytest.raises(WrongUse) as refused:
        build_criterion(name, protocol, Setting(UNIFORM[2]))

    assert [fact for fact in facts if fact not in str(refused.value)] == []


def test_reports_of_unlike_criteria_do_not_look_alike() -> None:
    """The protocol's name carries the criterion, so that `compare` refuses to mix them."""
    assert len({protocol_label("paper", own) for own in (None, "l1", "l2", "knowledge")}) == 4
    assert protocol_label("code", "linf") == "code"
