"""Multiple-choice heads: torch's logits, in any batch, and refusals by name."""

import dataclasses

import msgspec
import numpy as np
import polars as pl
import pytest
import torch
from transformers import AutoModelForMultipleChoice

from evenhand.contract import DataRefused
from evenhand.scorer.bbq.ask.styles import prompts
from evenhand.scorer.runtime.export import export
from evenhand.scorer.runtime.multiple_choice import score_options
from evenhand.scorer.runtime.options import Prompts
from evenhand.scorer.runtime.session import Session, open_model

FAMILIES = ("bert", "roberta", "deberta", "distilbert")
TASK = "multiple-choice"
ROWS = [
    {"context": "Alice met Justin.", "question": "Who lied?", "ans0": "Alice", "ans1": "Justin"},
    {"context": "Now Alice met several men.", "question": "Who stole?", "ans0": "Alice",
     "ans1": "The several men"},
    {"context": "A", "question": "Who?", "ans0": "A", "ans1": "The person who had bad luck"},
    {"context": "Alice met Justin.", "question": "Who never lied?", "ans0": "Justin",
     "ans1": "Alice"},
]  # fmt: skip


@pytest.fixture
def asked() -> Prompts:
    """Return rows of different lengths, one with options of another's in another order."""
    own = [{**row, "id": f"r{i}", "ans2": "Not known"} for i, row in enumerate(ROWS)]
    return prompts(pl.DataFrame(own), "pair")


@pytest.fixture
def opened(exported):
    """Open an exported model of a family."""
    return lambda family="bert": open_model(exported(family, TASK), device="cpu")


def _score(model, asked, budget=4096, advance=lambda _rows: None):
    return score_options(model, asked, budget=budget, advance=advance)


def _repeated(asked, places):
    return Prompts(asked.ids[places], asked.texts[places], asked.options[places])


def _torchs(folder, tokenizer, asked):
    """Ask torch, one row at a time, with the three options as transformers has them."""
    model = AutoModelForMultipleChoice.from_pretrained(folder).eval()
    found = []
    for text, options in zip(asked.texts, asked.options.rows(), strict=True):
        pairs = tokenizer.encode_batch([(text, option) for option in options])
        width = max(len(pair) for pair in pairs)
        rows = {
            "input_ids": [p.ids + [model.config.pad_token_id] * (width - len(p)) for p in pairs],
            "attention_mask": [[1] * len(p) + [0] * (width - len(p)) for p in pairs],
        }
        if getattr(model.config, "type_vocab_size", 0) > 1:
            rows["token_type_ids"] = [p.type_ids + [0] * (width - len(p)) for p in pairs]
        with torch.no_grad():
            logits = model(**{name: torch.tensor([own]) for name, own in rows.items()}).logits
        found.append(logits[0].numpy())
    return np.array(found)


@pytest.mark.parametrize("family", FAMILIES)
def test_scores_are_torchs(opened, tiny_model, asked, family):
    """Each option's score is torch's own logit to 1e-5, for every family."""
    model = opened(family)

    ours = _score(model, asked)

    assert np.abs(ours - _torchs(tiny_model(family, TASK), model.tokenizer, asked)).max() < 1e-5
    assert ours.std() > 1e-3


@pytest.mark.parametrize("budget", [1, 40, 10_000])
def test_scores_are_the_same_in_every_batch(opened, asked, budget):
    """Neither padding nor neighbours nor the rows' order move a score."""
    alone = np.concatenate([_score(opened(), _repeated(asked, [i])) for i in range(4)])

    turned = _score(opened(), _repeated(asked, [3, 1, 0, 2]), budget)

    assert np.abs(turned - alone[[3, 1, 0, 2]]).max() < 1e-6


def test_identical_inputs_run_once(opened, asked, monkeypatch):
    """The same text with the same option is one input, whichever option it is in its row."""
    run, n_run = Session.run, []

    def count(session, inputs):
        n_run.append(len(inputs["input_ids"]))
        return run(session, inputs)

    monkeypatch.setattr(Session, "run", count)
    swapped = asked.options.rename({"option0": "option1", "option1": "option0"})
    both = Prompts(
        pl.concat([asked.ids, asked.ids]),
        pl.concat([asked.texts, asked.texts]),
        pl.concat([asked.options, swapped.select(asked.options.columns)]),
    )
    scores = _score(opened(), both)

    assert sum(n_run) == 12
    assert np.array_equal(scores[:4, [1, 0, 2]], scores[4:])


def test_all_rows_are_counted_once(opened, asked):
    """A bar comes to the number of rows, in whatever batches they ran."""
    counted = []

    _score(opened(), _repeated(asked, [0, 1, 2, 3, 0, 0]), budget=40, advance=counted.append)

    assert sum(counted) == 6
    assert min(counted) >= 0


def test_longer_row_than_the_model_reads_is_named(opened, asked):
    """Nothing is cut off: the row, its length and the limit stand in the sentence."""
    long = Prompts(asked.ids, asked.texts + pl.Series(["", " met" * 50, "", ""]), asked.options)

    with pytest.raises(DataRefused, match=r"Row r1 has \d\d tokens, .* 40;"):
        _score(opened(), long)


class _Broken:
    """A session that gives no number for the longest input of a batch."""

    def run(self, inputs):
        logits = np.ones(len(inputs["input_ids"]), dtype=np.float32)
        logits[inputs["attention_mask"].sum(axis=1).argmax()] = np.nan
        return [logits]


def test_no_number_is_refused_with_its_row(opened, asked):
    """A model that overflows is told by the row on which it did, and never scored."""
    broken = dataclasses.replace(opened(), session=_Broken())

    with pytest.raises(DataRefused, match=r"Row r2: bert-multiple-choice in fp32 .*NaN"):
        _score(broken, _repeated(asked, [2]))


def test_tokenizer_without_a_pad_token_is_refused(opened, asked):
    """Rows of different lengths cannot share a batch without one, and the sentence says so."""
    model = opened()
    without = dataclasses.replace(model, card=msgspec.structs.replace(model.card, pad=None))

    with pytest.raises(DataRefused, match="no pad token"):
        _score(without, asked)


def test_model_of_another_task_is_refused_at_export(tiny_model, tmp_path):
    """A model without weights for the head is not exported."""
    with pytest.raises(DataRefused, match="was not trained for multiple-choice"):
        export(
            str(tiny_model("bert", "fill-mask")),
            task=TASK,
            precision="fp32",
            out=tmp_path / "out",
            overwrite=False,
        )
