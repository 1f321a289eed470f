"""Masked scores: the subject's probability at the mask, over the whole vocabulary."""

import dataclasses
import functools
import json

import msgspec
import numpy as np
import polars as pl
import pytest
import torch
from tokenizers import Tokenizer
from transformers import AutoModelForMaskedLM

from evenhand.contract import DataRefused
from evenhand.scorer.runtime.session import open_model
from evenhand.scorer.unqover.ask.masks import score_masks

FAMILIES = ("bert", "distilbert", "roberta", "electra")


def _score(model, rows, protocol="paper", budget=4096):
    frame = pl.DataFrame(rows, schema_overrides={"group1": pl.String, "group2": pl.String})
    return score_masks(model, frame, protocol=protocol, budget=budget, advance=lambda _rows: None)


@pytest.fixture
def opened(exported):
    """Open an exported model of a family."""
    return lambda family="bert": open_model(exported(family, "fill-mask"), device="cpu")


@pytest.fixture
def rows(toy_masked_items):
    """Sentences whose subjects are of one piece for every tokenizer here."""
    return toy_masked_items(subjects=("Alice", "Justin"), templates=3)


@functools.lru_cache
def _torch_model(folder):
    return AutoModelForMaskedLM.from_pretrained(folder).eval()


def _probabilities(folder, tokenizer, text):
    """Run torch over one sentence by hand and return the whole vocabulary at its mask."""
    mask = next(word for word in ("[MASK]", "<mask>") if tokenizer.token_to_id(word) is not None)
    ids = tokenizer.encode(text.replace("[MASK]", mask)).ids
    model = _torch_model(folder)
    with torch.no_grad():
        logits = model(input_ids=torch.tensor([ids])).logits
    return logits[0, ids.index(tokenizer.token_to_id(mask))].double().softmax(0).numpy()


@pytest.mark.parametrize("family", FAMILIES)
def test_scores_are_torchs(opened, tiny_model, rows, family) -> None:
    """S is torch's probability of the word behind its space, to 1e-5, for every family."""
    model = opened(family)
    ours = _score(model, rows[:4])
    words = ["ĠAlice", "ĠJustin"] if family == "roberta" else ["alice", "justin"]
    ids = [model.tokenizer.token_to_id(word) for word in words]
    folder = tiny_model(family, "fill-mask")
    theirs = [_probabilities(folder, model.tokenizer, row["text"])[ids] for row in rows[:4]]
    assert np.abs(ours - theirs).max() < 1e-5
    assert ours.min() > 0


@pytest.mark.parametrize("protocol", ["paper", "code"])
@pytest.mark.parametrize("family", FAMILIES)
def test_same_for_every_batch_size(opened, rows, family, protocol) -> None:
    """Batches of one row, of a few and of all give the same scores to 1e-6."""
    model = opened(family)
    whole = _score(model, rows, protocol, budget=100_000)
    for budget in (1, 30, 64, 333):
        assert np.abs(_score(model, rows, protocol, budget) - whole).max() < 1e-6


def test_same_text_scores_the_same(opened, rows) -> None:
    """Rows of the same text with the subjects exchanged have the scores exchanged."""
    swapped = [row | {"answer1": row["answer2"], "answer2": row["answer1"]} for row in rows]
    scores = _score(opened(), rows + swapped)
    assert (scores[: len(rows)] == scores[len(rows) :, ::-1]).all()


def test_word_at_the_beginning_has_no_space(opened, rows) -> None:
    """A byte-level model is asked for the word without a space where the text has none."""
    model = opened("roberta")
    with_space, without = (
        rows[0] | {"text": text, "answer1": "he", "answer2": "he"}
        for text in ("Now [MASK] lied.", "[MASK] lied.")
    )
    _score(model, [with_space])
    assert model.tokenizer.encode("he", add_special_tokens=False).tokens == ["he"]
    assert model.tokenizer.encode(" he", add_special_tokens=False).tokens == ["Ġhe"]
    assert _score(model, [without])[0, 0] > 0


@pytest.mark.parametrize("family", ["bert", "roberta"])
def test_subject_of_several_tokens_is_named(opened, rows, family) -> None:
    """``paper`` refuses it, naming config, subjects and the way out."""
    spoilt = [
        *rows,
        rows[0] | {"answer1": "Zoroastrian"},
        rows[1] | {"answer2": "Quijotian"},
    ]
    with pytest.raises(
        DataRefused, match=r"^toy_mlm: the subjects 'Quijotian', 'Zoroastrian' are.*--tokenizer"
    ):
        _score(opened(family), spoilt)


def test_unknown_word_is_not_a_token(opened, rows) -> None:
    """A word that the tokenizer maps to its unknown token is refused, and not scored as that."""
    with pytest.raises(DataRefused, match=r"^toy_mlm: .*'龙' is .*\btoken\b.*--tokenizer"):
        _score(opened(), [rows[0] | {"answer1": "龙"}])


@pytest.mark.parametrize("text", ["Nobody lied.", "[MASK] and [MASK] lied."])
def test_one_mask_is_expected(opened, rows, text) -> None:
    """A text without a mask, or with two, is refused by id with the number found."""
    n_masks = text.count("[MASK]")
    with pytest.raises(DataRefused, match=f"Row {rows[1]['id']}: .*mask {n_masks} times"):
        _score(opened(), [rows[0], rows[1] | {"text": text}])


def test_long_row_is_refused_by_id(opened, rows) -> None:
    """A text longer than the model reads is refused, with both numbers."""
    with pytest.raises(DataRefused, match=rf"Row {rows[1]['id']} has \d+ tokens.*reads 40"):
        _score(opened(), [rows[0], rows[1] | {"text": "[MASK]" + " lied" * 60}])


def _by_the_code(probabilities, tokenizer, word, pronoun):
    """Do what the reference does for one subject: look it up among the ten likeliest words."""
    top = np.argsort(-probabilities)[:10]
    words = [tokenizer.decode([int(i)]).strip().lower() for i in top]
    values = dict(zip(reversed(words), reversed(probabilities[top].tolist()), strict=True))
    return max(values.get(word.lower(), 0.0), values.get(pronoun, 0.0) if pronoun else 0.0)


@pytest.mark.parametrize("family", ["bert", "roberta"])
@pytest.mark.parametrize("groups", [(None, None), ("female", "male")])
def test_code_is_the_references_rule(opened, tiny_model, rows, family, groups) -> None:
    """``code`` is 0 outside the ten likeliest words, and for gender takes she and he as well."""
    model = opened(family)
    folder = tiny_model(family, "fill-mask")
    likely = [
        model.tokenizer.decode([int(i)]).strip()
        for i in np.argsort(-_probabilities(folder, model.tokenizer, rows[0]["text"]))[:3]
    ]
    cases = [
        row | {"answer1": a, "answer2": b, "group1": groups[0], "group2": groups[1]}
        for row in rows[:3]
        for a, b in (("Alice", "Justin"), (likely[0], likely[2].upper()), ("Zoroastrian", "he"))
    ]
    ours = _score(model, cases, "code")
    pronouns = ("she", "he") if groups[0] else (None, None)
    theirs = [
        [
            _by_the_code(probabilities, model.tokenizer, case[f"answer{s + 1}"], pronouns[s])
            for s in (0, 1)
        ]
        for case in cases
        for probabilities in [_probabilities(folder, model.tokenizer, case["text"])]
    ]
    assert np.abs(ours - theirs).max() < 1e-5
    assert (ours == 0).any()
    assert (ours > 0).any()


def test_code_scores_several_tokens_with_0(opened, rows) -> None:
    """A subject of several tokens is no word of the vocabulary, so ``code`` gives it 0."""
    assert _score(opened(), [rows[0] | {"answer1": "Zoroastrian"}], "code")[0, 0] == 0


def test_model_without_a_mask(opened, rows) -> None:
    """A model whose card names no mask token is refused."""
    model = opened()
    bare = dataclasses.replace(model, card=msgspec.structs.replace(model.card, mask=None))
    with pytest.raises(DataRefused, match=r"bert-fill-mask\b.*\bmask token"):
        _score(bare, rows)


def test_unknown_token_of_any_name(opened, rows) -> None:
    """The unknown token is read off the tokenizer's own model, whatever it is called."""
    model = opened()
    described = json.loads(model.tokenizer.to_str())
    words = described["model"]["vocab"]
    words["(unknown)"] = words.pop("[UNK]")
    described["model"] |= {"unk_token": "(unknown)"}
    described["added_tokens"] = [t for t in described["added_tokens"] if t["content"] != "[UNK]"]
    renamed = dataclasses.replace(model, tokenizer=Tokenizer.from_str(json.dumps(described)))
    with pytest.raises(DataRefused, match=r"^toy_mlm: .*'龙' is .*\btoken\b.*--tokenizer"):
        _score(renamed, [rows[0] | {"answer1": "龙"}])
