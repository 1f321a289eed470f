"""Values of the reference code on ten tables of probabilities.

EmpathYang/Prejudice-Volatility-Framework at bb60c68e, ``compute_risk``; Equations 1 to 7 and the
norms l1 and l2 evaluated on the same tables.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evenhand.contract.report import Report
from evenhand.scorer.bvf import score

pytestmark = pytest.mark.conformance

CASES = (
    "builtin_demo_binary",
    "binary_5x6",
    "binary_5x6_uniformX",
    "five_class_5x6",
    "four_class_negdominates",
    "ref_unbiased_binary",
    "ref_stereotyped_binary",
    "ref_random_stereotyped_binary",
    "ref_stereotyped_5class",
)
TENTH = "unnormalised_weights_binary"
TOLERANCE = 1e-12

KINDS = {
    "original_compute_risk": ("code", "linf", ""),
    "original_norm_1": ("code", "l1", ""),
    "original_norm_2": ("code", "l2", ""),
    "paper_eq1_7_linf": ("paper", "linf", "_unnormalised"),
    "paper_J_l1": ("paper", "l1", "_unnormalised"),
    "paper_J_l2": ("paper", "l2", "_unnormalised"),
}
"""What the file holds -> our protocol and criterion, and the end of our metric's id."""

Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def tables() -> dict[str, Any]:
    """Return the reference's tables and values."""
    root = os.environ.get("EVENHAND_CONFORMANCE")
    if root is None:
        pytest.skip("EVENHAND_CONFORMANCE is not set: no values of the reference code")
    path = Path(root) / "bvf" / "case" / "bvf_reference.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


@pytest.fixture
def scored(
    tables: dict[str, Any],
    bvf_items: Callable[..., Rows],
    predicted: Callable[..., Rows],
    topics_of_size: Callable[..., dict[str, Any]],
) -> Callable[..., Report]:
    """Score a table of the reference."""

    def run(case: str, **options: Any) -> Report:
        case_input = tables[case]["input"]
        topics = topics_of_size(len(case_input["P"][0][0]))
        subjects = [f"x{place}" for place in range(len(case_input["P"]))]
        items = bvf_items(case_input["T"], subjects, subject_weights=case_input["X"])
        rows = predicted(items, case_input["P"], list(topics["gender"]["classes"]))
        return score(items, rows, topics=topics, resamples=20, **options)

    return run


def value(report: Report, metric: str) -> float:
    """Return the value of a metric."""
    number = next(one.value for one in report.metrics if one.id == metric)
    assert number is not None
    return number


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("kind", KINDS)
def test_risks_are_those_of_the_reference(
    tables: dict[str, Any], scored: Callable[..., Report], case: str, kind: str
) -> None:
    """R, R^b and R^v agree to 1e-12, by the code's formula, the paper's equations and its norms."""
    protocol, criterion, end = KINDS[kind]

    found = scored(case, protocol=protocol, criterion=criterion)

    for ours, theirs in (("bvf.R", "R"), ("bvf.R_b", "Rb"), ("bvf.R_v", "Rv")):
        assert value(found, ours + end) == pytest.approx(tables[case][kind][theirs], abs=TOLERANCE)


@pytest.mark.parametrize("case", CASES)
def test_risks_of_subjects_are_those_of_the_reference(
    tables: dict[str, Any], scored: Callable[..., Report], case: str
) -> None:
    """So do r, r^b and r^v of every subject, by the code's formula."""
    metrics = {estimate.id: estimate for estimate in scored(case, protocol="code").metrics}

    for ours, theirs in (("bvf.R", "r_x"), ("bvf.R_b", "r_x_b"), ("bvf.R_v", "r_x_v")):
        found = [estimate.value for estimate in metrics[ours].by["subject"].values()]
        expected = tables[case]["original_compute_risk"][theirs]
        assert found == pytest.approx(expected, abs=TOLERANCE)


def test_five_classes_are_normalised_as_in_the_papers_tables(
    scored: Callable[..., Report],
) -> None:
    """R is R_unnormalised by |Y| - 1; the code's R is another number."""
    found = scored("five_class_5x6")

    assert value(found, "bvf.R") == pytest.approx(0.184243, abs=5e-7)
    assert value(found, "bvf.R_unnormalised") == pytest.approx(0.736971, abs=5e-7)
    assert value(scored("five_class_5x6", protocol="code"), "bvf.R") == pytest.approx(
        0.201168, abs=5e-7
    )


def test_counts_as_weights_are_shares_here(scored: Callable[..., Report]) -> None:
    """The reference's R of 121 comes from raw counts; divided by their sum it is 0.504."""
    found = scored(TENTH)

    assert value(found, "bvf.R") == pytest.approx(0.504448708333, abs=1e-12)
    assert value(found, "bvf.R_b") == pytest.approx(0.132587, abs=5e-7)
    assert value(found, "bvf.R_v") == pytest.approx(0.371862, abs=5e-7)
