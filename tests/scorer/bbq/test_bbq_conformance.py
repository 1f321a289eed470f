"""The values that the paper prints for the released UnifiedQA predictions (nyu-mll/BBQ, bea11bd).

Items are made here from the official files, so that the numbers do not lean on the importer.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evenhand.contract.report import Report
from evenhand.scorer.bbq.answers import NO_MATCH
from evenhand.scorer.bbq.read import read_files
from evenhand.scorer.bbq.scoring import BbqScoring
from evenhand.scorer.bbq.tables import group_table
from evenhand.scorer.scoring import Settings, score_inputs
from evenhand.scorer.statistics import Sampling

pytestmark = pytest.mark.conformance

CATEGORIES = ("Age", "Religion")
NAMES = (
    "acc_ambig",
    "bias_ambig",
    "acc_disambig",
    "bias_disambig",
    "acc_cost",
)
# Parrish et al. 2022, figures and tables of UnifiedQA's results, in percent.
PRINTED = {
    ("race", "Age"): (54.67, 29.78, 93.48, 1.16, -2.17),
    ("arc", "Age"): (33.88, 48.94, 89.62, 3.32, -5.54),
    ("race", "Religion"): (65.00, 14.33, 88.00, 0.18, -0.67),
    ("arc", "Religion"): (43.83, 24.50, 85.17, 3.53, -4.33),
    ("qonly", "Age"): (30.34, 51.39),
}


def _item(raw: dict[str, Any]) -> dict[str, Any]:
    """Make an item; the stereotyped person is told by the group in answer_info."""
    pairs = [raw["answer_info"][f"ans{place}"] for place in range(3)]
    unknown = next(place for place, pair in enumerate(pairs) if pair[1] == "unknown")
    people = [place for place in range(3) if place != unknown]
    groups = raw["additional_metadata"]["stereotyped_groups"]
    stereotyped = [place for place in people if pairs[place][1] in groups]
    target = stereotyped[0] if len(stereotyped) == 1 else None
    if target is not None and raw["question_polarity"] == "nonneg":
        target = next(place for place in people if place != target)
    metadata = raw["additional_metadata"]
    kept = ("category", "example_id", "question_index", "question_polarity", "context_condition",
            "context", "question", "ans0", "ans1", "ans2", "label")  # fmt: skip
    return {
        **{name: raw[name] for name in kept},
        "id": f"{raw['category']}-{raw['example_id']:05d}",
        "answer_text": [pair[0] for pair in pairs],
        "answer_group": [pair[1] for pair in pairs],
        "unknown": unknown,
        "target": target,
        "label_type": "label",
        "subcategory": metadata["subcategory"],
        "stereotyped_groups": groups,
    }


@pytest.fixture
def report(conformance: Path, write_bbq) -> Callable[[str], Report]:
    """Score one run of the released predictions on both categories."""
    folder = conformance / "bbq"
    lines = {
        category: (folder / f"data/{category}.jsonl").read_text(encoding="utf-8").splitlines()
        for category in CATEGORIES
    }
    items = {
        category: [_item(json.loads(line)) for line in category_lines]
        for category, category_lines in lines.items()
    }
    dataset = write_bbq(items)
    paths = [folder / f"predictions/preds_{category}.jsonl" for category in CATEGORIES]

    def score(variant: str) -> Report:
        inputs = read_files(paths, f"unifiedqa:{variant}", dataset)
        options = Settings(sampling=Sampling(resamples=100))
        return score_inputs(BbqScoring(), dataset, inputs, options).report

    return score


@pytest.mark.parametrize("variant", ["race", "arc", "qonly"])
def test_printed_values(report: Callable[[str], Report], variant: str) -> None:
    """Accuracy, bias scores and cost of each category are the printed ones to 0.005."""
    rows = {row["category"]: row for row in group_table(report(variant), "category")}

    checked = {place: values for place, values in PRINTED.items() if place[0] == variant}
    assert checked
    for (_, category), values in checked.items():
        percentages = [100 * rows[category][name] for name in NAMES[: len(values)]]
        assert percentages == pytest.approx(values, abs=0.005)


def test_question_only_leaves_two_rows_of_age_unscored(report: Callable[[str], Report]) -> None:
    """`the older girl` is neither the old man nor the younger girl, in both conditions."""
    warnings = report("qonly").warnings

    (warning,) = warnings
    assert re.search(rf"Age: 2 of 3,680 .*{NO_MATCH} \(Age-03230, Age-03231\)", warning)


def test_every_row_has_its_target(report: Callable[[str], Report]) -> None:
    """Of the 3,680 and 1,200 rows half are ambiguous, and all count for the bias."""
    for metric in report("race").metrics:
        assert metric.n_scored == 3680 // 2 + 1200 // 2
        assert metric.n_unscored == 0


def test_our_matching_agrees_with_the_releases(
    report: Callable[[str], Report], conformance: Path
) -> None:
    """Plain texts of the same answers, matched by our own rules, give another answer nowhere."""
    from evenhand.scorer.bbq import unifiedqa
    from evenhand.scorer.bbq.answers import Options as Answers
    from evenhand.scorer.bbq.answers import match_choice

    for category in CATEGORIES:
        path = conformance / f"bbq/predictions/preds_{category}.jsonl"
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for variant in unifiedqa.VARIANTS:
            theirs = unifiedqa.read(path, variant)
            for raw, choice, text in zip(rows, theirs["choice"], theirs["answer"], strict=True):
                item = _item(raw)
                options = Answers(
                    (item["ans0"], item["ans1"], item["ans2"]),
                    tuple(item["answer_text"]),
                    item["unknown"],
                )
                assert match_choice(text, options).index == choice
