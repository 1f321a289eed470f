"""HELM's own files, against the accuracy that it reports."""

import json
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from evenhand.contract import DataRefused

pytestmark = pytest.mark.conformance

JOINT = "smol_hf/bbq_subject_Religion_method_multiple_choice_joint_model_huggingface_smol_hf"
SEPARATE = (
    "smol_hf/bbq_subject_Religion_method_multiple_choice_separate_original_model"
    "_huggingface_smol_hf"
)


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _average(folder: Path, name: str) -> float:
    own = [stat for stat in _json(folder / "stats.json") if stat["name"]["name"] == name]
    return next(stat["mean"] for stat in own if set(stat["name"]) == {"name", "split"})


def test_joint_answers_are_as_right_as_the_tool_says(third_party, religion, read) -> None:
    """24 rows are found by their text among 4,880, and 10 are right, as `exact_match` says."""
    folder = third_party / "helm" / JOINT
    found = read(religion, folder / "scenario_state.json")

    assert found.faults == []
    assert len(found.choice) == 24
    assert found.n_right() == 10
    assert found.n_right() / 24 == pytest.approx(_average(folder, "bbq_accuracy"))


def test_joint_rows_are_those_that_the_shuffle_of_the_scenario_gives(
    third_party, religion, conformance
) -> None:
    """`id1193` is line 1193 of the official file after `random.seed(0); random.shuffle(lines)`."""
    import random

    from evenhand.scorer.bbq.questions import read_questions
    from evenhand.scorer.readers import helm

    lines = (conformance / "bbq/data/Religion.jsonl").read_text(encoding="utf-8").splitlines()
    drawn = random.Random(0)  # noqa: S311 - the scenario's own shuffle
    drawn.shuffle(lines)
    questions = read_questions(religion)
    rows = helm.read(third_party / "helm" / JOINT / "scenario_state.json").rows

    assert len(rows) == 24
    for row in rows:
        number = int(row.place.removeprefix("instance id"))
        (own,) = questions.find(row).questions
        assert own.id == f"Religion-{json.loads(lines[number])['example_id']:05d}"


@pytest.mark.parametrize(("category", "n"), [("Age", 21), ("Religion", 20)])
def test_answers_that_are_no_letter_are_unscored(third_party, few_rows, read, category, n) -> None:
    """The echo "Answer:" is no answer; the tool counts it as one that is not UNKNOWN."""
    name = f"bbq_subject_{category}_method_multiple_choice_joint_model_simple_model1"
    found = read(few_rows, third_party / "helm/simple_model1" / name / "scenario_state.json")

    assert found.choice == {}
    assert set(found.why.values()) == {"no matching answer"}
    assert len(found.why) == n


def test_separate_options_are_scored_by_their_own_tokens(third_party, religion, read) -> None:
    """The mean of the option's tokens where it stands, inside the chat template of the echo.

    The tool took the last tokens, which are the template's: its 0 of 8 is meaningless.
    """
    folder = third_party / "helm" / SEPARATE
    found = read(religion, folder / "scenario_state.json")
    expected: dict[str, list[float]] = {}
    correct: dict[str, int] = {}
    for state in _json(folder / "scenario_state.json")["request_states"]:
        option = state["instance"]["references"][state["reference_index"]]["output"]["text"]
        tokens = state["result"]["completions"][0]["tokens"]
        end = max(i for i, token in enumerate(tokens) if token["text"] == "<|im_end|>")
        start = end
        while "".join(token["text"] for token in tokens[start:end]).strip() != option:
            start -= 1
        if "correct" in state["instance"]["references"][state["reference_index"]]["tags"]:
            correct[state["instance"]["id"]] = state["reference_index"]
        scores = expected.setdefault(state["instance"]["id"], [])
        scores.append(fmean(token["logprob"] for token in tokens[start:end]))

    assert found.faults == []
    assert len(found.choice) == len(expected) == 8
    best = {own: scores.index(max(scores)) for own, scores in expected.items()}
    assert sorted(found.choice.values()) == sorted(best.values())
    assert found.n_right() == sum(best[own] == place for own, place in correct.items())
    assert _average(folder, "predicted_index") != sum(best.values()) / 8


def test_files_without_answers_are_refused_with_their_reason(third_party, religion, read) -> None:
    """Statistics, averages, settings and descriptions: 16 files, each by what it holds."""
    reasons = {
        "per_instance_stats.json": "statistics by instance",
        "stats.json": "averages",
        "run_spec.json": "the run's settings",
        "scenario.json": "the scenario's description",
    }
    paths = [path for name in reasons for path in (third_party / "helm").rglob(name)]

    assert len(paths) == 16
    for path in paths:
        with pytest.raises(DataRefused, match=r"give the scenario_state\.json") as refused:
            read(religion, path)
        assert f"HELM's {path.name}: it holds {reasons[path.name]}" in str(refused.value)
