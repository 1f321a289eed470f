"""lm-evaluation-harness's shapes that the real files at hand do not show, made small by hand."""

import json
from pathlib import Path
from typing import Any

import pytest

from evenhand.contract import WrongUse
from evenhand.scorer.readers import lm_eval


def _lines(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def _sample(**fields: Any) -> dict[str, Any]:
    """Return a row of lm-evaluation-harness with three options."""
    requests = {f"gen_args_{i}": {"arg_0": "Who?", "arg_1": f" {text}"} for i, text in
                enumerate(("one", "two", "three"))}  # fmt: skip
    return {
        "doc_id": 0,
        "doc": {"category": "Age", "example_id": 1},
        "arguments": requests,
        "filtered_resps": [["-1.0", "False"], ["-0.5", "True"], ["-2", "False"]],
    } | fields


def test_lm_eval_numbers_of_any_kind(tmp_path) -> None:
    """Text, pairs with native values, bare numbers and minus infinity are log-likelihoods."""
    path = _lines(
        tmp_path / "s.jsonl",
        _sample(),
        _sample(filtered_resps=[[-1.0, False], [-0.5, True], [-2, False]]),
        _sample(filtered_resps=[-1.0, -0.5, -2]),
        _sample(filtered_resps=[["-1.0", "False"], ["-0.5", "True"], ["-Infinity", "False"]]),
    )
    rows = lm_eval.read(path).rows

    assert [row.scores for row in rows[:3]] == [(-1.0, -0.5, -2.0)] * 3
    assert rows[3].scores == (-1.0, -0.5, float("-inf"))
    assert rows[0].options == ("one", "two", "three")


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"doc": 3}, "rows that are no samples"),
        ({"filtered_resps": None}, "rows that are no samples"),
        ({"filtered_resps": [["-1.0", "False"]]}, "rows whose answers are not those"),
        ({"filtered_resps": [["nan", ""], ["0", ""], ["0", ""]]}, "log-likelihoods that are no"),
        ({"filtered_resps": [[True], [True], [True]]}, "log-likelihoods that are no number"),
    ],
)
def test_lm_eval_rows_that_are_none(tmp_path, fields: dict[str, Any], kind: str) -> None:
    """Each is named by its line; the others are read."""
    found = lm_eval.read(_lines(tmp_path / "s.jsonl", _sample(), _sample(**fields)))

    assert len(found.rows) == 1
    assert found.faults[0].kind.startswith(kind)
    assert found.faults[0].first[0].startswith("line 2")


def test_lm_eval_letters_need_the_prompt(tmp_path) -> None:
    """Where the options are letters, their texts stand in the prompt's lines."""
    prompt = "Who?\n(A) The man\n(B) The woman\n(C) Unknown\nAnswer: ("
    arguments = {f"gen_args_{i}": {"arg_0": prompt, "arg_1": own} for i, own in enumerate("ABC")}
    found = lm_eval.read(_lines(tmp_path / "s.jsonl", _sample(arguments=arguments)))

    assert found.rows[0].options == ("The man", "The woman", "Unknown")


def test_lm_eval_bare_nan(tmp_path) -> None:
    """A metric beside the answers may be NaN, which is no JSON."""
    path = tmp_path / "s.jsonl"
    path.write_text(json.dumps(_sample(bias=[0.0, float("nan")])) + "\n", encoding="utf-8")

    assert "NaN" in path.read_text(encoding="utf-8")
    assert lm_eval.read(path).rows[0].scores == (-1.0, -0.5, -2.0)


@pytest.mark.parametrize("number", [False, True, None, [1], "one", 1.0])
def test_lm_eval_numbers_of_examples_that_are_none(tmp_path, number: Any) -> None:
    """A truth value is not the number 0 or 1: such a row is told by its words alone."""
    doc = {"category": "Age", "example_id": number, "context": "They met.", "question": "Who?"}
    (row,) = lm_eval.read(_lines(tmp_path / "s.jsonl", _sample(doc=doc))).rows

    assert (row.example_id, row.context, row.question) == (None, "They met.", "Who?")


def _asked(*texts: str, scores: tuple[float, ...], alone: bool = False) -> dict[str, Any]:
    """Return a row whose options have the given texts, once more without the question."""
    pairs = [("Who?", f" {text}") for text in texts]
    pairs += [("", f" {text}") for text in texts] if alone else []
    arguments = {f"gen_args_{i}": {"arg_0": a, "arg_1": b} for i, (a, b) in enumerate(pairs)}
    return _sample(arguments=arguments, filtered_resps=[[str(own), "False"] for own in scores])


@pytest.mark.parametrize(
    ("chosen", "scores"),
    [
        (None, (-4.0, -9.0, -10.0)),
        ("acc", (-4.0, -9.0, -10.0)),
        ("acc_norm", (-2.0, -3.0, -1.0)),
        ("none:acc_norm", (-2.0, -3.0, -1.0)),
        ("acc_bytes", (-2.0, -1.5, -1.0)),
        ("acc_mutual_info", (-3.5, -1.0, -8.0)),
    ],
)
def test_lm_eval_rules_of_choosing(tmp_path, chosen: str | None, scores) -> None:
    """By hand: 2, 3 and 10 characters; 2, 6 and 10 bytes; and each option without its question.

    The requests without a question are never options of their own.
    """
    path = _lines(
        tmp_path / "s.jsonl",
        _asked(
            "He", "\u00e9\u00e9\u00e9", "Not enough", scores=(-4, -9, -10, -0.5, -8, -2), alone=True
        ),
    )
    found = lm_eval.read(path, chosen)

    assert found.rows[0].scores == pytest.approx(scores)
    assert found.rows[0].options == ("He", "\u00e9\u00e9\u00e9", "Not enough")
    assert len(found.notes) == (chosen is not None)


def test_lm_eval_rules_that_do_not_apply(tmp_path) -> None:
    """Nothing to take away, an option without a text, and texts in place of log-likelihoods."""
    row = _asked("one", "two", "three", scores=(-1, -2, -3))
    path = _lines(tmp_path / "s.jsonl", row)
    empty = _lines(tmp_path / "t.jsonl", _asked("one", "", "three", scores=(-1, -2, -3)))
    texts = _lines(tmp_path / "u.jsonl", _sample(arguments={}, filtered_resps=["A"]))

    (fault,) = lm_eval.read(path, "acc_mutual_info").faults
    assert fault.kind == "rows to which acc_mutual_info does not apply"
    assert fault.first[0].endswith("it holds no requests without a question")
    (fault,) = lm_eval.read(empty, "acc_norm").faults
    assert fault.first[0].endswith("an option has no text")
    with pytest.raises(WrongUse, match="holds texts, among which acc_norm does not choose"):
        lm_eval.read(texts, "acc_norm")
    with pytest.raises(WrongUse, match=r"filter acc_nrom; .*none"):
        lm_eval.read(path, "acc_nrom")
