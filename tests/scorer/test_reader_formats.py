"""Other tools' shapes that the real files at hand do not show, made small by hand."""

import json
import zipfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from evenhand.contract import DataRefused, WrongUse
from evenhand.scorer.readers import (
    anthropic_batch,
    batch_requests,
    inspect_log,
    lighteval,
    openai_batch,
)


def _lines(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def _log(status: str = "success", **sample: Any) -> dict[str, Any]:
    own = {
        "id": 1,
        "epoch": 1,
        "input": "Context: They met.\n\nQuestion: Who?",
        "choices": ["x", "y", "z"],
        "output": {"choices": [{"message": {"role": "assistant", "content": "ANSWER: B"}}]},
        "scores": {"choice": {"value": "C", "answer": "B"}},
    }
    return {
        "version": 2,
        "status": status,
        "eval": {"task": "t", "model": "m"},
        "samples": [own | sample],
    }


def _written_log(path: Path, log: dict[str, Any]) -> Path:
    path.write_text(json.dumps(log), encoding="utf-8")
    return path


def test_inspect_content_in_parts(tmp_path) -> None:
    """Reasoning is no answer, and a long text may be an attachment."""
    content = [
        {"type": "reasoning", "reasoning": "A or C"},
        {"type": "text", "text": "attachment://abc"},
    ]
    output = {"choices": [{"message": {"role": "assistant", "content": content}}]}
    log = _log(output=output, attachments={"abc": "The answer is y"}, scores={})
    (row,) = inspect_log.read(_written_log(tmp_path / "l.json", log)).rows

    assert (row.answer, row.letter) == ("The answer is y", None)
    assert (row.context, row.question) == ("They met.", "Who?")


def test_inspect_conversations(tmp_path) -> None:
    """The last message of the user is what was asked."""
    messages = [{"role": "system", "content": "s"}, {"role": "user", "content": "They met. Who?"}]
    log = _log(input=messages)
    (row,) = inspect_log.read(_written_log(tmp_path / "l.json", log)).rows

    assert row.prompt == "They met. Who?"


@pytest.mark.parametrize(
    ("scores", "letter"),
    [
        ({"choice": {"value": "C", "answer": "b"}}, "B"),
        ({"choice": {"value": "I", "answer": ""}}, None),
        ({"choice": {"value": "C", "answer": "D"}}, None),
        ({"one": {"value": 1, "answer": "A"}, "two": {"value": 0, "answer": "B"}}, None),
        ({"match": {"value": "C", "answer": "The woman did it"}}, None),
        ({}, None),
    ],
)
def test_inspect_letters(tmp_path, scores: dict[str, Any], letter: str | None) -> None:
    """A scorer's answer counts where it is one letter of the choices; its value never does."""
    path = _written_log(tmp_path / "l.json", _log(scores=scores))

    assert inspect_log.read(path).rows[0].letter == letter


def test_inspect_runs_without_an_end(tmp_path) -> None:
    """A run that was killed, one without samples, and an archive of something else."""
    started, other = tmp_path / "a.eval", tmp_path / "b.eval"
    with zipfile.ZipFile(started, "w") as archive:
        archive.writestr("_journal/start.json", "{}")
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("a.txt", "x")
    empty = _written_log(tmp_path / "c.json", _log() | {"samples": None})

    for path, said in (
        (started, "no header.json; .*eval-retry"),
        (other, "is no log of inspect_ai"),
        (empty, "holds no samples"),
        (_written_log(tmp_path / "d.json", _log("cancelled")), "status 'cancelled'"),
        (_written_log(tmp_path / "e.json", {"status": "success"}), "is no log of inspect_ai"),
        (tmp_path / "f.json", "does not exist"),
    ):
        with pytest.raises(DataRefused, match=said):
            inspect_log.read(path)


def _openai(body: Any, status: int = 200, **fields: Any) -> dict[str, Any]:
    response = {"status_code": status, "request_id": "r", "body": body}
    return {"id": "b", "custom_id": "Age-00001", "response": response, "error": None} | fields


def _chat(content: Any, **fields: Any) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, **fields}
    return {"model": "m", "choices": [choice]}


@pytest.mark.parametrize(
    ("line", "answer", "why"),
    [
        (_openai(_chat("B")), "B", None),
        (_openai(_chat([{"type": "text", "text": "B"}])), "B", None),
        (_openai({"choices": [{"text": " B"}]}), " B", None),
        (_openai({"output": [{"type": "reasoning"}, {"type": "message", "content": [
            {"type": "output_text", "text": "B"}]}]}), "B", None),
        (_openai({"output": [{"type": "message", "content": [
            {"type": "refusal", "refusal": "no"}]}]}), None, "withheld output"),
        (_openai(None, response=_chat("B")), "B", None),
        (_openai(_chat("B"), status=500), None, "failed request"),
        (_openai({}, response=None, error={"code": "batch_expired"}), None, "failed request"),
        (_openai(_chat("B"), error="overloaded"), None, "failed request"),
        (_openai({"choices": []}), None, "failed request"),
        (_openai(_chat(None, finish_reason="content_filter")), None, "withheld output"),
        (_openai(_chat(None, finish_reason="stop")), "", None),
        (_openai(_chat("The man", finish_reason="length")), "The man", None),
    ],
)  # fmt: skip
def test_openai_bodies(tmp_path, line: dict[str, Any], answer: str | None, why: str | None) -> None:
    """Three endpoints, an older shape without status_code, errors in either place, refusals."""
    (row,) = openai_batch.read(_lines(tmp_path / "o.jsonl", line)).rows

    assert (row.answer, row.why) == (answer, why)
    assert row.id == "Age-00001"


def test_openai_several_choices_are_asked_for(tmp_path) -> None:
    """With n = 2 a request has two answers: one has to be named."""
    body = {"choices": [{"message": {"content": "A"}}, {"message": {"content": "B"}}]}
    path = _lines(tmp_path / "o.jsonl", _openai(body))

    with pytest.raises(WrongUse, match=r"holds 2 choices.*openai-batch:0"):
        openai_batch.read(path)
    assert openai_batch.read(path, "1").rows[0].answer == "B"
    with pytest.raises(WrongUse, match="give the number of a choice"):
        openai_batch.read(path, "x")


@pytest.mark.parametrize(
    ("result", "answer", "why"),
    [
        ({"type": "succeeded", "message": {"content": [{"type": "text", "text": "B"}]}}, "B", None),
        ({"type": "succeeded", "message": {"content": [
            {"type": "thinking", "thinking": "A"}, {"type": "text", "text": "B"},
            {"type": "text", "text": ")"}]}}, "B)", None),
        ({"type": "succeeded", "message": {"content": []}}, "", None),
        ({"type": "succeeded", "message": {"content": [], "stop_reason": "refusal"}}, None,
         "withheld output"),
        ({"type": "expired"}, None, "failed request"),
        ({"type": "canceled"}, None, "failed request"),
        ({"type": "errored", "error": {"type": "error"}}, None, "failed request"),
    ],
)  # fmt: skip
def test_anthropic_results(tmp_path, result: dict[str, Any], answer, why) -> None:
    """Texts of a message are joined; thinking is no answer."""
    line = {"custom_id": "Age-00001", "result": result}
    (row,) = anthropic_batch.read(_lines(tmp_path / "a.jsonl", line)).rows

    assert (row.answer, row.why) == (answer, why)


def test_batch_lines_that_are_none(tmp_path) -> None:
    """They are named by line; a file of nothing else is refused."""
    found = openai_batch.read(_lines(tmp_path / "o.jsonl", _openai(_chat("B")), {"id": 1}, []))

    assert [(fault.kind, fault.first) for fault in found.faults] == [
        ("lines that are no batch output", ("line 2",)),
        ("lines that are no JSON object", ("line 3",)),
    ]
    with pytest.raises(WrongUse, match="takes no `:1`"):
        anthropic_batch.read(tmp_path / "o.jsonl", "1")


def test_requests_say_what_was_asked(tmp_path) -> None:
    """Of a conversation the user's last message; an id that stands twice is refused."""
    chat = [{"role": "user", "content": "one"}, {"role": "assistant", "content": "A"},
            {"role": "user", "content": [{"type": "text", "text": "two"}]}]  # fmt: skip
    path = _lines(
        tmp_path / "r.jsonl",
        {"custom_id": "a", "body": {"messages": chat}},
        {"custom_id": "b", "body": {"input": "three"}},
        {"custom_id": "c", "body": {"prompt": "four"}},
        {"custom_id": "d", "params": {"messages": [{"role": "user", "content": "five"}]}},
    )

    assert batch_requests.read(path) == {"a": "two", "b": "three", "c": "four", "d": "five"}
    one = {"custom_id": "a", "body": {"prompt": "x"}}
    with pytest.raises(DataRefused, match="line 2: the custom_id 'a'"):
        batch_requests.read(_lines(tmp_path / "s.jsonl", one, one))
    with pytest.raises(DataRefused, match=r"line 1 .*custom_id"):
        batch_requests.read(_lines(tmp_path / "t.jsonl", {"custom_id": "a", "body": {}}))


def test_lighteval_several_texts_are_asked_for(tmp_path) -> None:
    """With num_samples = 2 a row has two answers: one has to be named."""
    row = {
        "doc": {"query": "They met. Who?", "choices": [" x", " y", " z"], "id": "0"},
        "model_response": {"text": ["x", "y"], "logprobs": []},
    }
    path = tmp_path / "d.parquet"
    pl.DataFrame([row]).write_parquet(path)

    with pytest.raises(WrongUse, match=r"holds 2 sampled texts.*lighteval:0"):
        lighteval.read(path)
    (found,) = lighteval.read(path, "1").rows
    assert (found.answer, found.options) == ("y", ("x", "y", "z"))


FLAT = {
    "example": "They met. Who?",
    "full_prompt": "Hello. They met. Who?",
    "choices": [" x", " y", " z"],
    "specifics": {"category": "Age", "example_id": 7},
}


def _as_lists(rows: list[dict[str, Any]]) -> pl.DataFrame:
    """Write values as 0.10 does: lists, where a truth value beside a number becomes one."""
    return pl.DataFrame(rows)


def _as_texts(rows: list[dict[str, Any]]) -> pl.DataFrame:
    """Write values as the first versions did: as Python writes them."""
    return pl.DataFrame([{name: str(value) for name, value in row.items()} for row in rows])


@pytest.mark.parametrize("written", [_as_lists, _as_texts])
@pytest.mark.parametrize(
    ("predictions", "scores"),
    [
        ([[-1.5, 0.0], [-0.5, 1.0], [-2.0, 0.0]], (-1.5, -0.5, -2.0)),
        ([-1.5, -0.5, -2.0], (-1.5, -0.5, -2.0)),
        (
            [[-1.5, 0.0]] * 2 + [[-2.0, 0.0]] + [[-1.0, 0.0], [-3.0, 0.0], [-2.0, 0.0]],
            (-0.5, 1.5, 0),
        ),
        ([[-1.5, 0.0], [-0.5, 1.0]], None),
    ],
)
def test_lighteval_flat_rows(tmp_path, written, predictions, scores) -> None:
    """Before 0.11: pairs with whether an option is greedy, one number an option, or both of them.

    Options with and without the question are told apart by their number; two for three is none.
    """
    path = tmp_path / "d.parquet"
    written([{**FLAT, "predictions": predictions}]).write_parquet(path)
    (row,) = lighteval.read(path).rows

    assert (row.scores, row.why) == (scores, None if scores else "failed request")
    assert (row.category, row.example_id, row.prompt) == ("Age", 7, "They met. Who?")
    assert row.options == ("x", "y", "z")


@pytest.mark.parametrize("written", [_as_lists, _as_texts])
def test_lighteval_flat_texts(tmp_path, written) -> None:
    """Texts are answers; the options behind letters stand in the prompt; several are asked for."""
    prompt = "Who?\nA. The man\nB. The woman\nC. Unknown\nAnswer:"
    row = {"example": prompt, "full_prompt": prompt, "choices": [], "specifics": None}
    one, two = tmp_path / "a.parquet", tmp_path / "b.parquet"
    written([{**row, "predictions": [" B"]}]).write_parquet(one)
    written([{**row, "predictions": ["A", "B"]}]).write_parquet(two)

    (found,) = lighteval.read(one).rows
    assert (found.answer, found.options) == (" B", ("The man", "The woman", "Unknown"))
    with pytest.raises(WrongUse, match=r"holds 2 sampled texts.*lighteval:0"):
        lighteval.read(two)


def test_lighteval_flat_rows_that_are_none(tmp_path) -> None:
    """What Python cannot have written is no answer; a prompt that is no text is a fault."""
    path = tmp_path / "d.parquet"
    rows = [
        {"full_prompt": "Who?", "predictions": "[(nan, False)"},
        {"full_prompt": "Who?", "predictions": "[" * 50_000},
        {"full_prompt": None, "predictions": "['A']"},
    ]
    pl.DataFrame(rows).write_parquet(path)
    found = lighteval.read(path)

    assert [row.why for row in found.rows] == ["failed request"] * 2
    assert [(fault.kind, fault.first) for fault in found.faults] == [
        ("rows that are no details", ("row 3",))
    ]


def test_lighteval_other_tables_are_refused(tmp_path) -> None:
    """A table of something else says what a row has."""
    other = tmp_path / "b.parquet"
    pl.DataFrame([{"doc": "x"}]).write_parquet(other)

    with pytest.raises(DataRefused, match=r"columns doc\..*model_response"):
        lighteval.read(other)
