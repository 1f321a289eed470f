"""Predict on BBQ: models of each task, styles, the header, and what is refused."""

import dataclasses
import json
import re

import msgspec
import polars as pl
import pytest

from evenhand.contract.bbq import Prediction
from evenhand.contract.predictions import HeaderLine
from evenhand.scorer.bbq import ask
from evenhand.scorer.bbq.ask.styles import prompts
from evenhand.scorer.predict import Settings
from evenhand.scorer.runtime.model_card import Chat
from evenhand.scorer.runtime.multiple_choice import score_options
from evenhand.scorer.runtime.session import open_model

MODELS = {"multiple-choice": "bert", "seq2seq-lm": "t5"}


@pytest.fixture
def data(write_bbq, bbq_items):
    """A dataset of two small categories."""
    short = {"context": "Alice met Justin.", "ans0": "Alice", "ans1": "Justin"}
    rows = {name: bbq_items(name, questions=2, copies=1, **short) for name in ("Age", "SES")}
    for category_rows in rows.values():
        for number, row in enumerate(category_rows):
            row["question"] = "Who lied?" if number % 3 else "Who never stole?"
    return write_bbq(rows)


@pytest.fixture
def predict(evenhand, data, exported, tmp_path):
    """Run the command with a model of a task into a file of the given name."""

    def run(task, name, *words):
        model, out = exported(MODELS[task], task), tmp_path / name
        command = ["predict", data.folder, "--model", model, "--out", out, *words]
        code, _, err = evenhand(*command)
        return code, out, err

    return run


def _lines(path):
    header, *rows = path.read_bytes().splitlines()
    return (
        msgspec.json.decode(header, type=HeaderLine).evenhand_header,
        [msgspec.json.decode(row, type=Prediction) for row in rows],
    )


@pytest.mark.parametrize(
    ("task", "decoding"),
    [
        ("multiple-choice", {"style": "pair", "normalise": "logit"}),
        ("seq2seq-lm", {"style": "race", "normalise": "total"}),
    ],
)
def test_every_row_is_answered_in_order(predict, data, task, decoding):
    """The file has three scores for each row of both categories, and says how it was read."""
    code, out, err = predict(task, "p.jsonl")

    header, rows = _lines(out)
    assert (code, "16 rows" in err) == (0, True)
    assert header.decoding == {"significant_digits": 6} | decoding
    assert (header.model.task, header.protocol) == (task, None)
    expected = [i for c in ("Age", "SES") for i in data.scan(c).collect()["id"]]
    assert [row.id for row in rows] == expected
    assert len({tuple(row.scores) for row in rows}) > 1


def test_scores_are_those_of_the_runtime(predict, data, exported):
    """Shards and rounding change no score beyond the sixth digit."""
    _, out, _ = predict("multiple-choice", "p.parquet", "--config", "SES")

    asked = prompts(data.scan("SES").collect(), "pair")
    model = open_model(exported("bert", "multiple-choice"), device="cpu")
    expected = score_options(model, asked, budget=4096, advance=lambda _: None)
    scores = pl.read_parquet(out)["scores"].list.to_array(3).to_numpy()
    assert scores == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("suffix", ["parquet", "jsonl.gz", "csv"])
def test_what_predict_writes_can_be_scored(predict, data, evenhand, tmp_path, suffix):
    """Every format goes into `score`, whichever the model's task."""
    _, out, _ = predict("multiple-choice", f"p.{suffix}")
    result = tmp_path / "m.json"

    code, _, err = evenhand("score", data.folder, "--predictions", out, "--out", result)

    assert (code, err.count("refused")) == (0, 0)
    by_id = {metric["id"]: metric for metric in json.loads(result.read_text())["metrics"]}
    assert by_id["bbq.accuracy.ambiguous.pooled"]["n_scored"] == 8


def test_batches_change_no_byte(predict, monkeypatch):
    """Small batches and small shards give the file that large ones give."""
    _, one, _ = predict("seq2seq-lm", "one.csv", "--style", "qonly")
    reading = ask._READINGS["seq2seq-lm"]._replace(shard_rows=4)
    monkeypatch.setitem(ask._READINGS, "seq2seq-lm", reading)

    _, two, _ = predict("seq2seq-lm", "two.csv", "--style", "qonly", "--batch-tokens", "1")

    first, second = (pl.read_csv(path) for path in (one, two))
    assert first["id"].equals(second["id"])
    scores = [
        frame["scores"].str.json_decode(pl.List(pl.Float64)).explode() for frame in (first, second)
    ]
    assert scores[0].to_list() == pytest.approx(scores[1].to_list(), rel=1e-5)


@pytest.mark.parametrize(
    ("task", "words", "facts"),
    [
        ("multiple-choice", ["--style", "race"], "multiple-choice.* pair, pair-qonly"),
        ("seq2seq-lm", ["--style", "pair"], "seq2seq-lm.* race, arc, qonly, plain"),
        ("seq2seq-lm", ["--normalise", "none"], "seq2seq-lm.* total, token, unconditional"),
        ("multiple-choice", ["--normalise", "total"], "multiple-choice.* logit"),
        ("seq2seq-lm", ["--protocol", "code"], "unqover"),
    ],
)
def test_reading_that_does_not_fit_is_wrong_use(predict, task, words, facts):
    """A style or normalisation of another task is named, with those that go."""
    code, out, err = predict(task, "p.parquet", *words)

    assert (code, out.exists()) == (2, False)
    assert re.search(f"{words[0]} .*{facts}", err)


def test_model_of_another_task_is_named(evenhand, data, exported, tmp_path):
    """A span model cannot answer BBQ, and the sentence says which can."""
    model = exported("bert", "question-answering")
    command = ["predict", data.folder, "--model", model, "--out", tmp_path / "p.csv"]

    code, _, err = evenhand(*command, "--config", "Age")

    assert code == 2
    assert "Age needs a multiple-choice or" in err
    assert "was exported for question-answering" in err


def test_chat_names_its_template_and_day(exported):
    """With the style `chat` the header holds the template's digest and the day it was shown."""
    model = open_model(exported("bert", "multiple-choice"), device="cpu")
    card = msgspec.structs.replace(model.card, chat=Chat(sha256="ab12", special_tokens={}))
    settings = Settings(options={"style": "chat", "normalise": "total"})

    decoding = ask.decoding(dataclasses.replace(model, card=card), settings)

    assert decoding["chat_template"] == "ab12"
    assert decoding["chat_date"] == "2024-07-26"
