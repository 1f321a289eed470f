"""Batch outputs in the documented shapes, filled with the texts of a log of inspect_ai."""

import json
from pathlib import Path

import pytest

from evenhand.contract import DataRefused
from evenhand.scorer.bbq.foreign_answers import BLIND

pytestmark = pytest.mark.conformance


@pytest.fixture
def log_answers(third_party: Path, few_rows, read) -> dict[str, int]:
    """Return the answers of the log whose texts the batches hold."""
    (path,) = (third_party / "inspect_ai/bbq_hf").glob("*.json")
    return read(few_rows, path).choice


@pytest.mark.parametrize(
    "case",
    [
        (("openai_batch/batch_output.jsonl", "openai_batch/batch_error.jsonl",
          "openai_batch/batch_input.jsonl"), 5),
        (("anthropic_batch/results.jsonl", "anthropic_batch/requests.jsonl"), 7),
    ],
)  # fmt: skip
def test_a_batch_with_its_requests(
    third_party, few_rows, read, log_answers, case: tuple[tuple[str, ...], int]
) -> None:
    """The answers are those of the log; expired, errored and cancelled requests are unscored."""
    names, n_failed = case
    found = read(few_rows, *(third_party / name for name in names))

    assert found.faults == []
    assert found.notes == []
    assert len(found.label) == 41
    assert list(found.why.values()).count("failed request") == n_failed
    assert found.choice == {own: log_answers[own] for own in found.choice}
    answered = [own for own in log_answers if found.why.get(own) != "failed request"]
    assert set(answered) == set(found.choice)


@pytest.mark.parametrize(
    "name", ["openai_batch/batch_output.jsonl", "anthropic_batch/results.jsonl"]
)
def test_letters_without_requests_are_said(third_party, few_rows, read, log_answers, name) -> None:
    """The output shows no options: letters are read in the dataset's order, and that is said."""
    found = read(few_rows, third_party / name)

    assert found.choice == {own: log_answers[own] for own in found.choice}
    assert BLIND in found.notes[0]


def test_requests_alone_are_refused(third_party, few_rows, read) -> None:
    """What was asked is no answer."""
    for name in ("openai_batch/batch_input.jsonl", "anthropic_batch/requests.jsonl"):
        with pytest.raises(DataRefused, match="holds requests; give the batch's output"):
            read(few_rows, third_party / name)


def test_an_id_that_says_nothing_needs_the_requests(third_party, few_rows, read, tmp_path) -> None:
    """With `request-7` for an id a row is told by the words of its request alone."""
    folder = third_party / "openai_batch"
    numbers: dict[str, str] = {}
    for name in ("batch_input.jsonl", "batch_output.jsonl"):
        lines = []
        for line in (folder / name).read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            row["custom_id"] = numbers.setdefault(row["custom_id"], f"request-{len(numbers)}")
            lines.append(json.dumps(row) + "\n")
        (tmp_path / name).write_text("".join(lines), encoding="utf-8")
    expected = read(few_rows, folder / "batch_output.jsonl", folder / "batch_input.jsonl")
    found = read(few_rows, tmp_path / "batch_output.jsonl", tmp_path / "batch_input.jsonl")

    assert found.faults == []
    assert found.choice == expected.choice
    assert found.why == expected.why
    without = read(few_rows, tmp_path / "batch_output.jsonl")
    assert without.choice == {}
