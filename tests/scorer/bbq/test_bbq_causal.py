"""BBQ read by causal LMs: against torch, a planted preference, resuming, and what is refused."""

import re
import shutil

import msgspec
import numpy as np
import onnx
import polars as pl
import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from evenhand.contract.files import canonical_json, sha256_of_file
from evenhand.scorer.bbq import ask
from evenhand.scorer.predict import engine
from evenhand.scorer.runtime.export import export
from evenhand.scorer.runtime.model_card import read_model_card

TASK = "causal-lm"
SHORT = {"question": "Who lied?", "ans0": "Alice", "ans1": "Justin Arab", "ans2": "Not known"}


@pytest.fixture
def items(bbq_items):
    """Sixteen rows of one category; the ambiguous context begins the disambiguated one."""
    rows = bbq_items("Age", questions=2, **SHORT)
    for number, row in enumerate(rows):
        evidence = " Alice stole." if row["context_condition"] == "disambig" else ""
        row["context"] = f"Alice met Justin at the market {number // 4}.{evidence}"
    return rows


@pytest.fixture
def data(write_bbq, items):
    """The dataset of these."""
    return write_bbq({"Age": items})


@pytest.fixture
def predict(evenhand, data, exported, tmp_path):
    """Run the command and return its exit code, the file and what it said."""

    def run(name="p.parquet", *words, model=None, dataset=data):
        model, out = model or exported("llama", TASK), tmp_path / name
        words = ("predict", dataset.folder, "--model", model, "--out", out, *words)
        code, _, err = evenhand(*words)
        return code, out, err

    return run


def _scores(path):
    return np.array(pl.read_parquet(path)["scores"].to_list())


@pytest.fixture
def reference(tiny_model):
    """The log-likelihood of an answer behind a text and its number of tokens, by torch alone."""
    folder = tiny_model("llama", TASK)
    model = AutoModelForCausalLM.from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)

    @torch.inference_mode()
    def of(text, answer):
        ids, start = tokenizer(text + answer).input_ids, len(tokenizer(text.rstrip()).input_ids)
        logs = model(torch.tensor([ids])).logits[0].double().log_softmax(-1)
        log_likelihoods = [float(logs[i - 1, ids[i]]) for i in range(start, len(ids))]
        return sum(log_likelihoods), len(log_likelihoods)

    return of


@pytest.mark.parametrize("normalise", ["total", "token", "unconditional"])
def test_scores_are_those_of_a_plain_loop(predict, items, reference, normalise) -> None:
    """Each answer's score is torch's log-likelihood behind the prompt, normalised as is said."""
    code, out, _ = predict("p.parquet", "--normalise", normalise)
    assert code == 0
    for row, scores in zip(items, _scores(out), strict=True):
        for place in range(3):
            answer = f" {row[f'ans{place}']}"
            total, n = reference(f"{row['context']}\n{row['question']}\nAnswer:", answer)
            neutral = reference("Answer:", answer)[0]
            expected = {"total": total, "token": total / n, "unconditional": total - neutral}
            assert scores[place] == pytest.approx(expected[normalise], abs=2e-4)


def test_styles_put_the_answer_behind_the_prompt(predict, items, reference) -> None:
    """In the style `race` the answer is the last part, behind the separator of the parts."""
    _, out, _ = predict("p.parquet", "--style", "race")
    row = items[1]
    options = f"(a) {row['ans0']} (b) {row['ans1']} (c) {row['ans2']}".lower()
    text = rf"{row['question'].lower()} \n {options} \n {row['context'].lower()} \n"
    expected, _ = reference(text, " justin arab")
    assert _scores(out)[1, 1] == pytest.approx(expected, abs=2e-4)


def test_batches_and_shards_change_nothing(predict, monkeypatch) -> None:
    """Small batches and shards of one four give the scores of large ones, to rounding."""
    _, one, _ = predict("one.parquet")
    reading = ask._READINGS[TASK]._replace(shard_rows=4)
    monkeypatch.setitem(ask._READINGS, TASK, reading)
    code, two, _ = predict("two.parquet", "--batch-tokens", "1")
    assert code == 0
    assert _scores(two) == pytest.approx(_scores(one), abs=1e-4)


def test_interrupted_run_ends_in_the_same_bytes(predict, monkeypatch) -> None:
    """A run that stopped in its third shard goes on there, and the file is that of a whole one."""
    monkeypatch.setitem(ask._READINGS, TASK, ask._READINGS[TASK]._replace(shard_rows=4))
    _, whole, _ = predict("whole.jsonl")
    right, numbers = engine._predict_shard, []

    def until_the_third(run, shard, advance):
        numbers.append(shard.number)
        if len(numbers) == 3:
            raise KeyboardInterrupt
        return right(run, shard, advance)

    with monkeypatch.context() as patch:
        patch.setattr(engine, "_predict_shard", until_the_third)
        code, out, _ = predict("broken.jsonl")
    assert (code, out.exists()) == (130, False)
    code, out, err = predict("broken.jsonl")
    assert (code, re.search(r"\b8\b.* done before", err) is not None) == (0, True)
    assert out.read_bytes() == whole.read_bytes()


@pytest.fixture
def planted(tiny_model, tmp_path):
    """A model that says the same of every text: one token ten times as likely as any other."""
    folder = tmp_path / "planted"
    model = AutoModelForCausalLM.from_pretrained(tiny_model("gpt2", TASK))
    tokenizer = AutoTokenizer.from_pretrained(tiny_model("gpt2", TASK))
    (favourite, *_) = tokenizer(" Justin").input_ids
    with torch.no_grad():
        # The last norm gives its bias whatever comes in, and the head is the table of words.
        model.transformer.ln_f.weight.zero_()
        model.transformer.ln_f.bias.zero_()
        model.transformer.ln_f.bias[0] = 1.0
        model.transformer.wte.weight[:, 0] = 0.0
        model.transformer.wte.weight[favourite, 0] = float(np.log(10))
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    out = tmp_path / "planted.onnx"
    export(str(folder), task=TASK, precision="fp32", out=out, overwrite=False)
    return out, favourite, tokenizer


def test_planted_preference_is_found(predict, planted, items) -> None:
    """An answer of n tokens, k of them the favourite, has just the planted log-likelihood."""
    model, favourite, tokenizer = planted
    code, out, _ = predict("p.parquet", model=model)
    assert code == 0
    n_words = len(tokenizer)
    for row, scores in zip(items, _scores(out), strict=True):
        for place in range(3):
            ids = tokenizer(f" {row[f'ans{place}']}").input_ids
            expected = ids.count(favourite) * np.log(10) - len(ids) * np.log(n_words + 9)
            assert scores[place] == pytest.approx(expected, abs=1e-4)


def _refusal(predict, data) -> str:
    """Return what is said of a dataset that is refused, before a row is run or a file made."""
    code, out, err = predict("p.parquet", dataset=data)
    assert (code, out.exists()) == (1, False)
    assert not out.with_name("p.parquet.partial").exists()
    assert "rows; about" not in err
    return err


def test_long_row_is_refused_before_any_is_run(predict, write_bbq, items) -> None:
    """A row longer than the model reads is named, with both numbers, though it is the last."""
    items[-1]["context"] = "Alice met Justin. " * 60

    refusal = _refusal(predict, write_bbq({"Age": items}, "long"))

    assert items[-1]["id"] in refusal
    assert re.search(r"\b96\b", refusal)


def test_empty_answer_is_refused(predict, write_bbq, items) -> None:
    """An answer without words has no likelihood; its row is named before any is run."""
    items[5]["ans2"] = " "

    refusal = _refusal(predict, write_bbq({"Age": items}, "empty"))

    assert items[5]["id"] in refusal
    assert re.search(r"\banswer\b.*\bempty\b", refusal)


def test_answers_that_are_no_numbers_are_refused(predict, exported, tmp_path) -> None:
    """A file that gives NaN is named with the first row, and no prediction is written."""
    model = shutil.copytree(exported("gpt2", TASK), tmp_path / "nan")
    graph = onnx.load(model / "model.onnx")
    for one in graph.graph.initializer:
        if one.data_type == onnx.TensorProto.FLOAT and len(one.dims) == 2:
            values = np.full(tuple(one.dims), np.nan, dtype=np.float32)
            one.CopyFrom(onnx.numpy_helper.from_array(values, one.name))
    onnx.save(graph, model / "model.onnx")
    card = read_model_card(model)
    card = msgspec.structs.replace(card, model_sha256=sha256_of_file(model / "model.onnx"))
    (model / "model.json").write_bytes(canonical_json(card))
    code, out, err = predict("p.parquet", model=model)
    assert (code, out.exists()) == (1, False)
    assert "Row Age-00000: " in err
    assert "gpt2-causal-lm in fp32" in err
    assert "NaN or infinity" in err


def test_model_without_a_chat_template_is_refused(predict) -> None:
    """The style `chat` needs a template, and the sentence says what to do without one."""
    code, out, err = predict("p.parquet", "--style", "chat")
    assert (code, out.exists()) == (1, False)
    assert re.search(r"llama-causal-lm .*\bchat template", err)
