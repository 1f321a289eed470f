"""lm-evaluation-harness's own files, against the accuracies that it reports."""

import json
from pathlib import Path
from typing import Any

import pytest

from evenhand.contract import DataRefused, WrongUse
from evenhand.scorer.bbq.read import read_files
from evenhand.scorer.bbq.scoring import BbqScoring
from evenhand.scorer.readers import lm_eval
from evenhand.scorer.scoring import Settings, score_inputs
from evenhand.scorer.statistics import Sampling

pytestmark = pytest.mark.conformance


def _one(folder: Path, pattern: str) -> Path:
    (path,) = folder.glob(f"**/{pattern}")
    return path


def _samples(path: Path) -> list[dict[str, Any]]:
    text = path.read_text(encoding="utf-8")
    return json.loads(text) if text.startswith("[") else list(map(json.loads, text.splitlines()))


def _reported(folder: Path, task: str) -> dict[str, Any]:
    return json.loads(_one(folder, "results*.json").read_text(encoding="utf-8"))["results"][task]


@pytest.mark.parametrize(
    "case",
    [
        ("mc", "bbq_mc3", 62),
        ("mc", "bbq_letter", 62),
        ("mc", "bbq", 62),
        ("chat", "bbq_mc3", 10),
        ("chat", "bbq_ambig", 10),
        ("old_v0.4.4", "bbq_mc3", 20),
        ("old_v0.4.2", "bbq_mc3", 20),
    ],
)
def test_each_row_is_right_where_the_tool_says_so(
    third_party, few_rows, read, case: tuple[str, str, int]
) -> None:
    """Option texts, letters, twelve options and a chat template, in three versions' files."""
    folder, task, n = case
    path = _one(third_party / "lm_eval" / folder, f"*_{task}[._]*jsonl" if folder == "old_v0.4.2"
                else f"samples_{task}_2*.jsonl")  # fmt: skip
    found = read(few_rows, path)
    rights = {
        f"{row['doc']['category']}-{row['doc']['example_id']:05d}": bool(row["acc"])
        for row in _samples(path)
    }

    assert found.faults == []
    assert found.why == {}
    assert {own: found.label[own] == choice for own, choice in found.choice.items()} == rights
    reported = _reported(third_party / "lm_eval" / folder, task)["acc,none"]
    assert found.n_right() / len(found.choice) == pytest.approx(reported, abs=1e-12)
    assert len(found.choice) == n


@pytest.mark.parametrize(
    ("folder", "n_other"), [("mc", 10), ("chat", 1), ("old_v0.4.4", 2), ("old_v0.4.2", 2)]
)
def test_answers_of_another_rule_are_right_where_the_tool_says_so(
    third_party, few_rows, read, folder: str, n_other: int
) -> None:
    """`acc_norm` of each row is the tool's own; in some rows it is not the answer of `acc`."""
    path = _one(third_party / "lm_eval" / folder, "*_bbq_mc3[._]*jsonl" if folder == "old_v0.4.2"
                else "samples_bbq_mc3_2*.jsonl")  # fmt: skip
    found = read(few_rows, path, reader="lm-eval:acc_norm")
    rights = {
        f"{row['doc']['category']}-{row['doc']['example_id']:05d}": bool(row["acc_norm"])
        for row in _samples(path)
    }

    assert found.faults == []
    assert {own: found.label[own] == choice for own, choice in found.choice.items()} == rights
    reported = _reported(third_party / "lm_eval" / folder, "bbq_mc3")["acc_norm,none"]
    assert found.n_right() / len(rights) == pytest.approx(reported, abs=1e-12)
    assert sum(bool(row["acc"]) != bool(row["acc_norm"]) for row in _samples(path)) == n_other


def test_accuracy_and_bias_of_twelve_options_are_the_tools_own(third_party, few_rows) -> None:
    """Of the built-in task: accuracy and bias in both conditions, of all rows and of each category.

    Its ambiguous bias is scaled by the ambiguous accuracy, as the paper's; no category here has
    n_biased = 0, where its numbers are wrong.
    """
    folder = third_party / "lm_eval/mc"
    inputs = read_files([_one(folder, "samples_bbq_2*.jsonl")], "lm-eval", few_rows)
    options = Settings(sampling=Sampling(resamples=100))
    report = score_inputs(BbqScoring(), few_rows, inputs, options).report
    values = {metric.id: metric for metric in report.metrics}
    reported = _reported(folder, "bbq")

    for ours, theirs in (
        ("bbq.accuracy.ambiguous", "accuracy_amb"),
        ("bbq.accuracy.disambiguated", "accuracy_disamb"),
        ("bbq.bias_score.ambiguous", "amb_bias_score"),
        ("bbq.bias_score.disambiguated", "disamb_bias_score"),
    ):
        assert values[f"{ours}.pooled"].value == pytest.approx(reported[f"{theirs},none"], abs=1e-9)


def test_an_unknown_wording_that_is_not_the_rows_own_is_unknown(
    third_party, few_rows, read
) -> None:
    """In 10 of 62 rows of twelve options a wording of UNKNOWN won, in 8 not the row's own."""
    path = _one(third_party / "lm_eval/mc", "samples_bbq_2*.jsonl")
    won = []
    for row in _samples(path):
        scores = [float(response[0]) for response in row["filtered_resps"]]
        text = row["arguments"][f"gen_args_{scores.index(max(scores))}"]["arg_1"].strip()
        own = [row["doc"][f"ans{place}"] for place in range(3)]
        won.append((f"{row['doc']['category']}-{row['doc']['example_id']:05d}", text in own, text))
    unknowns = [own for own in won if own[2].split()[0] in {"Not", "Can't", "Cannot"}
                or own[2] in {"Unknown", "Undetermined"}]  # fmt: skip
    found = read(few_rows, path)

    assert len(unknowns) == 10
    assert sum(not is_own for _, is_own, _ in unknowns) == 8
    docs = [row["doc"] for row in _samples(path)]
    answers = {f"{doc['category']}-{doc['example_id']:05d}": doc["answer_info"] for doc in docs}
    for identity, _, _ in unknowns:
        place = found.choice[identity]
        assert answers[identity][f"ans{place}"][1] == "unknown"


def test_several_filters_are_asked_for(third_party, few_rows, read) -> None:
    """One row for each filter: none is counted twice, and both say the same here."""
    path = _one(third_party / "lm_eval/gen", "samples_bbq_gen_local_*.jsonl")

    with pytest.raises(WrongUse, match=r"strict \(62 rows\), lower \(62 rows\).*lm-eval:strict"):
        read(few_rows, path)
    with pytest.raises(WrongUse, match="has no filter exact; it has strict, lower"):
        read(few_rows, path, reader="lm-eval:exact")
    strict = read(few_rows, path, reader="lm-eval:strict")
    lower = read(few_rows, path, reader="lm-eval:lower")
    assert strict.choice == lower.choice
    assert len(strict.choice) + len(strict.why) == 62


def test_plain_answers_that_the_tool_does_not_find(third_party, few_rows, read) -> None:
    """Of the rows whose text plainly names the right option, its `acc` is 0; ours are right.

    The tool looks for an option among single words, so most options can never match.
    """
    path = _one(third_party / "lm_eval/gen", "samples_bbq_generate_*.jsonl")
    found = read(few_rows, path)
    texts = {
        f"{row['doc']['category']}-{row['doc']['example_id']:05d}": (
            row["filtered_resps"][0].strip(),
            row["acc"],
        )
        for row in _samples(path)
    }
    plain = {
        own: text
        for own, (text, _) in texts.items()
        if text.startswith(("The college sophomore.", "My German friend.", "The British one,"))
    }

    assert len(plain) == 3
    for identity in plain:
        assert texts[identity][1] == 0.0
        assert found.choice[identity] == found.label[identity]


def test_results_hold_no_rows(third_party, few_rows, read) -> None:
    """Each of the five files of averages is refused with the file that is needed."""
    paths = sorted((third_party / "lm_eval").rglob("results*.json"))

    assert len(paths) == 5
    for path in paths:
        with pytest.raises(DataRefused, match=r"averages and no rows; give the samples_"):
            read(few_rows, path)
        with pytest.raises(DataRefused, match=r"averages and no rows; give the samples_"):
            lm_eval.read(path)


def test_rows_of_another_category_are_told(third_party, religion, read) -> None:
    """A dataset without Nationality names its 21 rows, and takes the others."""
    path = _one(third_party / "lm_eval/mc", "samples_bbq_mc3_*.jsonl")
    inputs = read_files([path], "lm-eval", religion)

    assert inputs.rows["id"].str.starts_with("Nationality-").sum() == 21
    assert len(read(religion, path).choice) == 41
