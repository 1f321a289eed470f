"""inspect_ai's own logs, sample by sample against what its scorers say."""

import json
from pathlib import Path
from typing import Any

import pytest

from evenhand.contract import DataRefused, WrongUse

pytestmark = pytest.mark.conformance


def _log(folder: Path, kind: str) -> Path:
    (path,) = folder.glob(f"*{kind}")
    return path


def _samples(path: Path) -> list[dict[str, Any]]:
    return json.loads(path.read_text(encoding="utf-8"))["samples"]


def _key(sample: dict[str, Any]) -> str:
    metadata = sample["metadata"]
    return f"{metadata['category']}-{metadata.get('source_id', metadata.get('example_id')):05d}"


@pytest.mark.parametrize(
    ("folder", "reader"),
    [
        ("bbq_hf", "auto"),
        ("bbq_mock_epochs2_errors", "inspect:1"),
        ("bbq_mock_epochs2_errors", "inspect:2"),
        ("bbq_mock_shuffled_choices", "auto"),
        ("old_v0.3.120", "auto"),
    ],
)
def test_both_forms_of_a_log_say_the_same(third_party, few_rows, read, folder, reader) -> None:
    """The archive (method 93, of the old version method 8) and the JSON are read alike."""
    own = third_party / "inspect_ai" / folder
    archive = read(few_rows, _log(own, ".eval"), reader=reader)
    text = read(few_rows, _log(own, ".json"), reader=reader)

    assert archive == text
    assert archive.faults == []
    assert archive.choice


@pytest.mark.parametrize(
    "case",
    [
        ("bbq_mock_epochs2_errors", 1, 3),
        ("bbq_mock_epochs2_errors", 2, 3),
        ("bbq_mock_shuffled_choices", 1, 4),
        ("old_v0.3.120", 1, 4),
    ],
)
def test_letters_are_right_where_the_tool_says_so(
    third_party, few_rows, read, case: tuple[str, int, int]
) -> None:
    """A letter stands for the sample's own choices, also where they are shuffled."""
    folder, epoch, n_right = case
    path = _log(third_party / "inspect_ai" / folder, ".json")
    found = read(few_rows, path, reader=f"inspect:{epoch}")
    own = [sample for sample in _samples(path) if sample["epoch"] == epoch]
    rights = {
        _key(sample): score["value"] == "C"
        for sample in own
        for score in sample["scores"].values()
        if score["answer"]
    }

    assert rights == {key: found.choice[key] == found.label[key] for key in rights}
    assert sum(rights.values()) == n_right
    assert len(found.label) == len(own)


def test_epochs_are_asked_for(third_party, few_rows, read) -> None:
    """Two answers to each question: none is counted twice, and neither is dropped unasked."""
    path = _log(third_party / "inspect_ai/bbq_mock_epochs2_errors", ".eval")

    with pytest.raises(WrongUse, match=r"1 \(20 samples\), 2 \(20 samples\).*inspect:1"):
        read(few_rows, path)
    with pytest.raises(WrongUse, match="has no epoch 3; it has 1, 2"):
        read(few_rows, path, reader="inspect:3")


def test_samples_with_errors_are_unscored(third_party, few_rows, read) -> None:
    """They have no output; the run counts as one that succeeded all the same."""
    path = _log(third_party / "inspect_ai/bbq_mock_epochs2_errors", ".json")
    failed = {1: 0, 2: 0}
    for sample in _samples(path):
        failed[sample["epoch"]] += "error" in sample and sample["error"] is not None
    found = {n: read(few_rows, path, reader=f"inspect:{n}") for n in failed}

    assert sum(failed.values()) == 4
    for epoch, own in found.items():
        assert list(own.why.values()).count("failed request") == failed[epoch]
        assert "ANSWER: C or A" in path.read_text(encoding="utf-8")
        assert "two matching answers" in own.why.values()


def test_texts_that_the_scorer_did_not_parse(third_party, few_rows, read) -> None:
    """All 41 are `invalid_response_format` to the tool; those that name one option are answers."""
    path = _log(third_party / "inspect_ai/bbq_hf", ".json")
    found = read(few_rows, path)
    texts = {_key(sample): sample["output"]["completion"] for sample in _samples(path)}

    assert {sample["scores"]["choice"]["answer"] for sample in _samples(path)} == {""}
    assert texts["Age-00000"] == "The answer is C) Can't be determined."
    assert found.choice["Age-00000"] == 2
    assert texts["Religion-00122"] == "The Mormon one" or "Religion-00122" in found.label
    lists = [key for key, text in texts.items() if "A) " in text and "\nB) " in text]
    assert len(lists) == 20
    assert {found.why[key] for key in lists} == {"two matching answers"}


@pytest.mark.parametrize("kind", [".eval", ".json"])
def test_a_run_that_failed_is_refused_with_its_reason(third_party, few_rows, read, kind) -> None:
    """Two of 41 samples, both errors: not a benchmark."""
    path = _log(third_party / "inspect_ai/bbq_hf_failed", kind)

    with pytest.raises(DataRefused, match=r"status 'error'.*temperature.*strictly positive"):
        read(few_rows, path)


@pytest.mark.parametrize("kind", [".eval", ".json"])
def test_a_log_of_another_benchmark_has_no_row_of_the_dataset(
    third_party, few_rows, read, kind
) -> None:
    """BOLD's prompts are no questions of BBQ; the note says which task it is."""
    found = read(few_rows, _log(third_party / "inspect_ai/bold_hf", kind))

    assert found.label == {}
    assert [(fault.kind, fault.n) for fault in found.faults] == [
        ("rows that are not in the dataset", 20)
    ]
    assert "a log of the task bold_local" in found.notes[0]
