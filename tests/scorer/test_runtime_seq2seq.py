"""Encoder-decoders: torch's log-likelihood of each option, in any batch, and refusals by name."""

import dataclasses
import functools

import msgspec
import numpy as np
import polars as pl
import pytest
import torch
from transformers import AutoModelForSeq2SeqLM

from evenhand.contract import DataRefused
from evenhand.scorer.bbq.ask.styles import prompts
from evenhand.scorer.runtime.export import export
from evenhand.scorer.runtime.options import Prompts
from evenhand.scorer.runtime.seq2seq_lm import NORMALISATIONS, score_options
from evenhand.scorer.runtime.session import Session, open_model

FAMILIES = ("t5", "bart")
TASK = "seq2seq-lm"
ROWS = [
    {"context": "Alice met Justin.", "ans0": "Alice", "ans1": "Justin"},
    {"context": "Alice met several.", "ans0": "Alice", "ans1": "A several men"},
    {"context": "A", "ans0": "A", "ans1": "The person who had bad luck"},
]


@pytest.fixture
def asked() -> Prompts:
    """Return rows of different lengths with options of different lengths."""
    own = [
        {**row, "id": f"r{i}", "question": "Who lied?", "ans2": "(0)"} for i, row in enumerate(ROWS)
    ]
    return prompts(pl.DataFrame(own), "plain")


@pytest.fixture
def opened(exported):
    """Open an exported model of a family."""
    return lambda family="t5": open_model(exported(family, TASK), device="cpu")


def _score(model, asked, normalisation="total", budget=4096, advance=lambda _rows: None):
    return score_options(model, asked, normalisation=normalisation, budget=budget, advance=advance)


def _taken(asked, places):
    return Prompts(asked.ids[places], asked.texts[places], asked.options[places])


@functools.lru_cache
def _torch_model(folder):
    return AutoModelForSeq2SeqLM.from_pretrained(folder).eval()


def _torchs(folder, tokenizer, text, option):
    """Return torch's log-probabilities of one option's tokens, which it shifts by itself."""
    model = _torch_model(folder)
    labels = torch.tensor([tokenizer.encode(option).ids])
    with torch.no_grad():
        logits = model(input_ids=torch.tensor([tokenizer.encode(text).ids]), labels=labels).logits
    logs = logits[0].double().log_softmax(dim=1)[torch.arange(labels.shape[1]), labels[0]]
    is_opening = labels[0, 0] == tokenizer.token_to_id("<s>")
    return logs[1:].numpy() if is_opening else logs.numpy()


@pytest.mark.parametrize("family", FAMILIES)
def test_scores_are_torchs(opened, tiny_model, asked, family):
    """Total, per token and less the empty prompt's: torch's to 1e-4 for each family."""
    model, folder = opened(family), tiny_model(family, TASK)
    found = {name: _score(model, asked, name) for name in NORMALISATIONS}

    for row, text in enumerate(asked.texts):
        for place, option in enumerate(asked.options.row(row)):
            logs = _torchs(folder, model.tokenizer, text, option)
            empty = _torchs(folder, model.tokenizer, "", option)
            expected = {
                "total": logs.sum(),
                "token": logs.mean(),
                "unconditional": logs.sum() - empty.sum(),
            }
            ours = {name: found[name][row, place] for name in NORMALISATIONS}
            assert ours == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("normalisation", NORMALISATIONS)
@pytest.mark.parametrize("budget", [1, 60, 10_000])
def test_scores_are_the_same_in_every_batch(opened, asked, budget, normalisation):
    """Neither padding nor neighbours nor the rows' order move a score."""
    alone = [_score(opened(), _taken(asked, [i]), normalisation) for i in range(3)]

    turned = _score(opened(), _taken(asked, [2, 0, 1]), normalisation, budget)

    assert np.abs(turned - np.concatenate(alone)[[2, 0, 1]]).max() < 1e-4


def test_each_prompt_is_encoded_once(opened, asked, monkeypatch):
    """Rows of one prompt share its run through the encoder, and equal options are one."""
    run, n_run = Session.run, []

    def count(session, inputs):
        n_run.append((len(inputs["input_ids"]), len(inputs["labels"])))
        return run(session, inputs)

    monkeypatch.setattr(Session, "run", count)
    _score(opened(), _taken(asked, [0, 0, 1, 2, 1]))

    assert np.sum(n_run, axis=0).tolist() == [3, 9]


def test_many_options_after_the_empty_prompt_are_cut(opened, asked):
    """More options than a batch may hold are run in parts, with the same scores."""
    names = [f"Alice {i}" for i in range(80)]
    many = Prompts(
        pl.Series([f"r{i}" for i in range(80)]),
        pl.Series([asked.texts[0]] * 80),
        pl.DataFrame({"option0": names, "option1": ["A"] * 80, "option2": names[::-1]}),
    )

    scores = _score(opened(), many, "unconditional", budget=200)

    assert np.abs(scores[:, 0] - scores[::-1, 2]).max() == 0
    assert np.abs(scores[7] - _score(opened(), _taken(many, [7]), "unconditional")[0]).max() < 1e-4


def test_all_rows_are_counted_once(opened, asked):
    """A bar comes to the number of rows, in whatever batches they ran."""
    counted = []

    _score(opened(), _taken(asked, [0, 1, 2, 0]), "unconditional", 40, counted.append)

    assert sum(counted) == 4


def test_longer_prompt_than_the_model_reads_is_named(opened, asked):
    """Nothing is cut off: the row, its length and the limit stand in the sentence."""
    long = Prompts(asked.ids, asked.texts + pl.Series(["", " met" * 50, ""]), asked.options)

    with pytest.raises(DataRefused, match=r"Row r1 has \d\d tokens, .* 40;"):
        _score(opened("bart"), long)


def test_longer_option_than_the_model_reads_is_named(opened, asked):
    """An option is read whole or not at all."""
    long = asked.options.with_columns(option2=pl.Series(["A", "A", "met " * 50]))

    with pytest.raises(DataRefused, match=r"Row r2 has \d\d tokens, .* 40;"):
        _score(opened("bart"), Prompts(asked.ids, asked.texts, long))


class _Broken:
    """A session that gives no number for the first label of the last option."""

    def run(self, inputs):
        found = np.full(inputs["labels"].shape, -1, dtype=np.float32)
        found[-1, 0] = np.nan
        return [found]


def test_no_number_is_refused_with_its_row(opened, asked):
    """A model that overflows is told by the row on which it did, and never scored."""
    broken = dataclasses.replace(opened(), session=_Broken())

    with pytest.raises(DataRefused, match=r"Row r1: t5-seq2seq-lm in fp32 .*NaN"):
        _score(broken, _taken(asked, [1]))


@pytest.mark.parametrize(("field", "says"), [("pad", "no pad token"), ("decoder_start", "export")])
def test_card_without_what_is_needed_is_refused(opened, asked, field, says):
    """Without a pad token, or a token to begin with, the sentence says what to do."""
    model = opened()
    without = dataclasses.replace(model, card=msgspec.structs.replace(model.card, **{field: None}))

    with pytest.raises(DataRefused, match=says):
        _score(without, asked)


def test_model_without_a_decoder_start_is_not_exported(tiny_model, tmp_path):
    """A config that does not say what the decoder begins with is refused."""
    model = AutoModelForSeq2SeqLM.from_pretrained(tiny_model("t5", TASK))
    model.config.decoder_start_token_id = None
    model.generation_config.decoder_start_token_id = None
    model.save_pretrained(tmp_path / "model")
    for path in tiny_model("t5", TASK).glob("token*"):
        (tmp_path / "model" / path.name).write_bytes(path.read_bytes())

    with pytest.raises(DataRefused, match="has no decoder_start_token_id"):
        export(
            str(tmp_path / "model"),
            task=TASK,
            precision="fp32",
            out=tmp_path / "out",
            overwrite=False,
        )
