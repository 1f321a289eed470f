"""Causal LMs: log-likelihoods are those of a plain torch loop, whatever is run together."""

import dataclasses

import msgspec
import numpy as np
import onnx
import polars as pl
import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from evenhand.contract import DataRefused
from evenhand.scorer.runtime import prefix_inputs as work
from evenhand.scorer.runtime.causal_lm import encoded
from evenhand.scorer.runtime.export import export
from evenhand.scorer.runtime.prefix_inputs import Continuations, NextTokens
from evenhand.scorer.runtime.scheduler import Rows, answers
from evenhand.scorer.runtime.session import open_model

FAMILIES = ("gpt2", "llama")
TASK = "causal-lm"
CLOSE = 1e-4


@pytest.fixture(params=FAMILIES)
def family(request):
    """Each family in turn."""
    return request.param


@pytest.fixture
def model(exported, family):
    """The exported model, opened."""
    return open_model(exported(family, TASK), device="cpu", threads=1)


@pytest.fixture
def reference(tiny_model, family):
    """The log-probabilities of all words behind each token of a sequence, by torch alone."""
    loaded = AutoModelForCausalLM.from_pretrained(tiny_model(family, TASK)).eval()
    torch.set_num_threads(1)

    @torch.inference_mode()
    def logs(sequence):
        return loaded(torch.tensor([list(sequence)])).logits[0].double().log_softmax(-1).numpy()

    return logs


@pytest.fixture
def sequences():
    """Return 60 sequences; two thirds share 20 tokens, and many share more."""
    random = np.random.default_rng(0)
    head = random.integers(0, 300, 20)
    found = []
    for number in range(60):
        few, many = random.integers(0, 3, random.integers(2, 9)), random.integers(0, 300, 3)
        found.append(np.concatenate([head, few, many] if number % 3 else [few, many]))
    starts = np.array([random.integers(1, len(sequence)) for sequence in found])
    return found, starts


def _answers(model, inputs, budget=4_096, advance=lambda _rows: None):
    """Return the value of each input, each of which is one row's."""
    n_rows = len(inputs.lengths)
    rows = Rows(pl.Series([f"r{i}" for i in range(n_rows)]), np.arange(n_rows))
    return answers(model, inputs, rows, budget=budget, advance=advance)


def log_likelihoods(model, sequences, starts, **options):
    """Return the log-likelihood of each sequence from its start on."""
    return _answers(model, Continuations(sequences, starts), **options)


def _expected(reference, sequences, starts):
    logs = [reference(sequence) for sequence in sequences]
    return [
        sum(float(own[i - 1, s[i]]) for i in range(start, len(s)))
        for own, s, start in zip(logs, sequences, starts, strict=True)
    ]


def test_log_likelihoods_are_those_of_a_plain_loop(model, reference, sequences) -> None:
    """Each sum of log-probabilities is torch's, which runs every sequence alone and whole."""
    found = log_likelihoods(model, *sequences)
    assert found == pytest.approx(_expected(reference, *sequences), abs=CLOSE)


@pytest.mark.parametrize("row_tokens", [4, 24, 64, 192])
@pytest.mark.parametrize("budget", [1, 90, 4_096])
def test_cuts_and_batches_change_nothing(model, sequences, monkeypatch, row_tokens, budget) -> None:
    """Long rows or short ones, kept beginnings or repeated ones, padded or alone: all the same."""
    expected = log_likelihoods(model, *sequences)
    monkeypatch.setattr(work, "ROW_TOKENS", row_tokens)
    found = log_likelihoods(model, *sequences, budget=budget)
    assert found == pytest.approx(expected, abs=2e-5)


def test_order_and_repetition_change_nothing(model, sequences) -> None:
    """Sequences backwards, each twice, have the same numbers in their own places."""
    own, starts = sequences
    expected = log_likelihoods(model, own, starts)
    found = log_likelihoods(model, [*own, *own][::-1], np.concatenate([starts, starts])[::-1])
    assert found[::-1].reshape(2, -1) == pytest.approx(np.stack([expected] * 2), abs=2e-5)


def test_second_run_gives_the_same_bits(model, sequences) -> None:
    """The same sequences in the same call give the same float64 bits."""
    assert np.array_equal(log_likelihoods(model, *sequences), log_likelihoods(model, *sequences))


def test_each_token_is_run_once_and_the_last_never(model, monkeypatch) -> None:
    """Of three answers to a prompt the prompt is run once and no answer's last token at all."""
    prompt = np.arange(10, 20)
    own = [np.concatenate([prompt, tail]) for tail in ([1, 2, 3], [1, 4], [5])]
    run = []

    def noted(inputs, outputs):
        run.append(inputs["input_ids"].tolist())
        return type(model.session).run(model.session, inputs, outputs)

    session = _Noted(noted, model.session.input_shape, "cpu")
    noting = dataclasses.replace(model, session=session)
    found = log_likelihoods(noting, own, np.array([10, 10, 10]))
    assert run == [[[*prompt.tolist(), 1, 2]]]
    assert found == pytest.approx(log_likelihoods(model, own, np.array([10, 10, 10])))


@dataclasses.dataclass
class _Noted:
    run: object
    input_shape: object
    device: str


def test_padding_and_past_are_seen_by_nobody(model, reference, monkeypatch) -> None:
    """A row of two tokens beside one of thirty, behind a kept beginning of 25, is as if alone."""
    random = np.random.default_rng(1)
    head = random.integers(0, 300, 25)
    tails = [random.integers(0, 300, n) for n in (2, 30, 3, 28, 2, 31)]
    own = [np.concatenate([head, tail]) for tail in tails]
    starts = np.full(len(own), 25)
    monkeypatch.setattr(work, "ROW_TOKENS", 32)
    found = log_likelihoods(model, own, starts, budget=4_096)
    assert found == pytest.approx(_expected(reference, own, starts), abs=CLOSE)


def test_probabilities_of_words_add_up(model, reference) -> None:
    """Of all words behind each beginning the probabilities are torch's, and they add up to one."""
    own = [np.array([3, 4, 5]), np.array([3]), np.array([3, 4, 5])]
    words = np.arange(model.card.vocabulary_size)
    found = _answers(model, NextTokens(own, words))
    assert np.exp(found).sum(axis=1) == pytest.approx(np.ones(3), abs=1e-6)
    for number, sequence in enumerate(own):
        assert found[number] == pytest.approx(reference(sequence)[-1], abs=CLOSE)


def test_head_runs_in_parts_where_its_output_would_be_large(model, sequences, monkeypatch) -> None:
    """With room for four positions no run of several rows reads more, and nothing changes."""
    expected = log_likelihoods(model, *sequences)
    monkeypatch.setattr(work, "ROW_TOKENS", 4)
    monkeypatch.setattr(work, "_LARGEST_LOGITS", 4 * model.card.vocabulary_size)
    read = []

    def noted(inputs, outputs):
        read.append((len(inputs["input_ids"]), len(inputs["read"])))
        return type(model.session).run(model.session, inputs, outputs)

    noting = dataclasses.replace(model, session=_Noted(noted, model.session.input_shape, "cpu"))
    assert log_likelihoods(noting, *sequences) == pytest.approx(expected, abs=2e-5)
    assert max(n_rows for n_rows, _ in read) > 1
    assert all(n_read <= 4 for n_rows, n_read in read if n_rows > 1)


def test_tokens_are_those_of_the_running_text(model, tiny_model, family) -> None:
    """Prompt and answer are cut where the prompt's own tokens end, spaces going to the answer."""
    tokenizer = AutoTokenizer.from_pretrained(tiny_model(family, TASK))
    texts, answers = ["Who lied? Answer:", "Who lied? ", "Who"], [" Alice", "Justin", "ever"]
    found, starts = encoded(model, texts, answers, written_out=False)
    for text, answer, ids, start in zip(texts, answers, found, starts, strict=True):
        assert ids.tolist() == tokenizer(text + answer).input_ids
        assert start == len(tokenizer(text.rstrip()).input_ids)
    assert (found[0][0] == 0) == (family == "llama")  # the family that begins a text with <s>


def test_special_tokens_that_are_written_out_are_not_added_again(model) -> None:
    """A text with its own <s> has one, and the word of the special token is one token."""
    (ids,), (start,) = encoded(model, ["<s>Who lied?"], [" Alice"], written_out=True)
    assert ids.tolist().count(0) == 1
    assert ids[0] == 0
    assert 1 < start < len(ids)


def test_tokens_behind_a_text_are_left_out(exported) -> None:
    """Where the tokenizer ends every text with </s>, the answer does not end with it."""
    model = open_model(exported("llama", TASK), device="cpu", threads=1)
    from tokenizers.processors import TemplateProcessing

    model.tokenizer.post_processor = TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    (ids,), (start,) = encoded(model, ["Who lied?"], [" Alice"], written_out=False)
    assert ids.tolist() == [0, *model.tokenizer.encode("Who lied? Alice").ids[1:-1]]
    assert start == len(model.tokenizer.encode("Who lied?").ids) - 1


def test_progress_ends_with_all(model, sequences) -> None:
    """The rows that are done never fall and end with all that there are."""
    told = []
    log_likelihoods(model, *sequences, budget=60, advance=told.append)
    assert min(told) >= 0
    assert len(told) >= 3
    assert sum(told) == len(sequences[0])


def test_families_agree_with_torch(exported, family) -> None:
    """Logits of texts, trees and continuations of a past are torch's, and the card names them."""
    card = open_model(exported(family, TASK), device="cpu", threads=1).card
    assert card.task == TASK
    assert card.probe.largest_difference < 1e-4
    assert card.probe.largest_logit > 0.1
    assert card.max_length == 96
    assert card.outputs == ["log_probabilities", "logits", "present"]


def test_tied_table_is_stored_once(exported) -> None:
    """Where head and table of words are one, the file has the matrix once; else both."""
    for family, n_expected in (("llama", 1), ("gpt2", 1)):
        folder = exported(family, TASK)
        n_words = open_model(folder, device="cpu", threads=1).card.vocabulary_size
        weights = onnx.load(folder / "model.onnx").graph.initializer
        assert sum(n_words in one.dims for one in weights) == n_expected


@pytest.mark.parametrize("family", ["bloom", "gpt_neo"])
def test_family_that_looks_at_the_order_of_tokens_is_refused(tmp_path, tiny_model, family) -> None:
    """A model whose attention goes by order rather than by position is not written."""
    import transformers as t

    n_words = open_vocabulary(tiny_model)
    config = {
        "bloom": lambda: t.BloomConfig(vocab_size=n_words, hidden_size=16, n_layer=1, n_head=2),
        "gpt_neo": lambda: t.GPTNeoConfig(
            vocab_size=n_words, hidden_size=16, num_layers=2, num_heads=2, window_size=8,
            attention_types=[[["global", "local"], 1]], max_position_embeddings=512,
            initializer_range=0.4,
        ),
    }[family]()  # fmt: skip
    folder = tmp_path / "model"
    AutoModelForCausalLM.from_config(config).save_pretrained(folder)
    AutoTokenizer.from_pretrained(tiny_model("gpt2", TASK)).save_pretrained(folder)
    with pytest.raises(DataRefused, match=r"cannot be exported|differs from torch"):
        export(str(folder), task=TASK, precision="fp32", out=tmp_path / "out", overwrite=False)
    assert not (tmp_path / "out").exists()


def open_vocabulary(tiny_model) -> int:
    """Return the number of words of the tiny GPT-2."""
    return len(AutoTokenizer.from_pretrained(tiny_model("gpt2", TASK)))


def test_a_window_is_the_longest_text(tiny_model, tmp_path) -> None:
    """A model that looks back 32 tokens says that it reads 32."""
    import transformers as t

    n_words = open_vocabulary(tiny_model)
    config = t.MistralConfig(
        vocab_size=n_words, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        num_key_value_heads=1, intermediate_size=32, max_position_embeddings=96, sliding_window=32,
    )  # fmt: skip
    AutoModelForCausalLM.from_config(config).save_pretrained(tmp_path / "model")
    AutoTokenizer.from_pretrained(tiny_model("gpt2", TASK)).save_pretrained(tmp_path / "model")
    card = export(
        str(tmp_path / "model"), task=TASK, precision="fp32", out=tmp_path / "out", overwrite=False
    )
    assert card.max_length == 32


def test_fp16_stays_near(tiny_model, exported, tmp_path, family, sequences) -> None:
    """Half the digits: the card says so, and sums of log-probabilities stay near those of fp32."""
    source = str(tiny_model(family, TASK))
    card = export(source, task=TASK, precision="fp16", out=tmp_path / "h", overwrite=False)
    assert card.precision == "fp16"
    near = log_likelihoods(open_model(tmp_path / "h", device="cpu", threads=1), *sequences)
    own = log_likelihoods(open_model(exported(family, TASK), device="cpu", threads=1), *sequences)
    assert np.abs(near - own).max() < 0.5
    assert np.abs(near - own).max() > 1e-5


def test_card_is_read_back(exported, family) -> None:
    """model.json says how each input and output is called, and reads back as it was written."""
    path = exported(family, TASK) / "model.json"
    card = open_model(path.parent, device="cpu", threads=1).card
    assert msgspec.json.decode(msgspec.json.encode(card), type=type(card)) == card
