"""Predict on BVF: words at a gap from models of three tasks, against torch, and planted ones."""

import functools
import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import polars as pl
import pytest

from evenhand.contract import DataRefused
from evenhand.contract.bvf import Prediction
from evenhand.contract.predictions import HeaderLine
from evenhand.scorer.bvf.ask.gaps import Reading, distinct_gaps
from evenhand.scorer.bvf.ask.word_probabilities import known_words, word_probabilities
from evenhand.scorer.bvf.read import LEFT_OUT
from evenhand.scorer.runtime.session import open_model

Make = Callable[..., Any]

SENTENCES = (
    "The nurse said that he was late and that she was late, too.",
    "The cook, who slept, is white. The baker, who slept, is black.",
    "The white nurse slept. The black cook slept. A man and a woman slept late.",
)
TEXTS = [
    "The nurse said that [Y]",
    "The cook said that [Y]",
    "The cook, who slept, is [Y]",
    "The nurse, who was late, is [Y]",
]
SEVERAL = "brotherhood"
"""A word that no tokenizer below has as one piece."""


def train_tokenizer(family: str) -> Any:
    """Train a tokenizer of a family's kind on a few sentences."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
    from tokenizers.processors import TemplateProcessing

    letters = [chr(code) for code in range(97, 123)]
    if family == "bert":
        found = Tokenizer(models.WordPiece(unk_token="[UNK]"))  # noqa: S106 - no password
        found.normalizer = normalizers.BertNormalizer(lowercase=True)
        found.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
        kind: Any = trainers.WordPieceTrainer(
            vocab_size=300, special_tokens=special, initial_alphabet=letters, show_progress=False
        )
        found.train_from_iterator(SENTENCES * 5, kind)
        found.post_processor = TemplateProcessing(
            single="[CLS] $A [SEP]",
            pair="[CLS] $A [SEP] $B:1 [SEP]:1",
            special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
        )
    elif family == "gpt2":
        found = Tokenizer(models.BPE())
        found.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        found.decoder = decoders.ByteLevel()
        kind = trainers.BpeTrainer(
            vocab_size=420,
            special_tokens=["<|endoftext|>"],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
        found.train_from_iterator(SENTENCES * 5, kind)
    else:
        found = Tokenizer(models.Unigram())
        found.pre_tokenizer = pre_tokenizers.Metaspace()
        found.decoder = decoders.Metaspace()
        kind = trainers.UnigramTrainer(
            vocab_size=150,
            special_tokens=["<pad>", "</s>", "<unk>", "<extra_id_0>"],
            initial_alphabet=letters,
            unk_token="<unk>",  # noqa: S106 - no password
            show_progress=False,
        )
        found.train_from_iterator(SENTENCES * 5, kind)
        found.post_processor = TemplateProcessing(
            single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)]
        )
    return found


SPECIAL = {
    "bert": {"pad": "[PAD]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"},
    "gpt2": {"eos": "<|endoftext|>", "pad": "<|endoftext|>"},
    "t5": {"pad": "<pad>", "unk": "<unk>", "eos": "</s>"},
}
TASKS = {"bert": "fill-mask", "gpt2": "causal-lm", "t5": "seq2seq-lm"}


def torch_model(family: str, n_tokens: int) -> Any:
    """Make a random model of a few thousand weights."""
    import torch
    import transformers as t

    torch.manual_seed(1)
    if family == "bert":
        return t.BertForMaskedLM(
            t.BertConfig(
                vocab_size=n_tokens, hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
                intermediate_size=32, max_position_embeddings=40, initializer_range=0.4,
            )
        )  # fmt: skip
    if family == "gpt2":
        return t.GPT2LMHeadModel(
            t.GPT2Config(
                vocab_size=n_tokens, n_embd=16, n_layer=2, n_head=2, n_positions=40,
                initializer_range=0.4, bos_token_id=0, eos_token_id=0,
            )
        )  # fmt: skip
    return t.T5ForConditionalGeneration(
        t.T5Config(
            vocab_size=n_tokens, d_model=16, d_kv=8, d_ff=32, num_layers=2, num_heads=2,
            initializer_factor=1.5, decoder_start_token_id=0, pad_token_id=0, eos_token_id=1,
        )
    )  # fmt: skip


def plant(model: Any, family: str, logits: np.ndarray) -> None:
    """Make a model expect the same everywhere: fixed logits of its vocabulary."""
    import torch

    wanted = torch.tensor(logits, dtype=torch.float32)
    with torch.no_grad():
        if family == "bert":
            head = model.cls.predictions
            head.transform.LayerNorm.weight.zero_()
            head.transform.LayerNorm.bias.zero_()
            head.bias.copy_(wanted)
        else:
            last = model.transformer.ln_f
            last.weight.zero_()
            last.bias.zero_()
            last.bias[0] = 1.0
            model.transformer.wte.weight[:, 0] = wanted


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Make:
    """Make, save and export a model of a family; each one once."""
    from evenhand.scorer.runtime.export import export

    root = tmp_path_factory.mktemp("bvf_models")

    def make(family: str, name: str = "random", planted: dict[str, float] | None = None) -> Path:
        import transformers as t

        folder = root / f"{family}-{name}"
        if folder.is_dir():
            return folder
        tokenizer = train_tokenizer(family)
        model = torch_model(family, tokenizer.get_vocab_size())
        if planted is not None:
            logits = np.zeros(tokenizer.get_vocab_size())
            space = "" if family == "bert" else " "
            for word, share in planted.items():
                (token,) = tokenizer.encode(f"{space}{word}", add_special_tokens=False).ids
                logits[token] = math.log(share)
            plant(model, family, logits)
        source = root / f"{family}-{name}-torch"
        model.save_pretrained(source)
        words = {f"{key}_token": word for key, word in SPECIAL[family].items()}
        t.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **words).save_pretrained(source)
        export(str(source), task=TASKS[family], precision="fp32", out=folder, overwrite=False)
        return folder

    return make


@functools.cache
def load_pair(family: str, folder: Path) -> tuple[Any, Any]:
    """Return the random model of a family as torch has it, and the tokenizer of its folder."""
    from tokenizers import Tokenizer

    # Trained again it may number its pieces otherwise.
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    return torch_model(family, tokenizer.get_vocab_size()).eval(), tokenizer


def torch_probability(family: str, folder: Path, text: str, word: str) -> float:
    """Return the probability of a word at the gap, piece by piece, from torch."""
    import torch

    model, tokenizer = load_pair(family, folder)
    left = text.partition("[Y]")[0].rstrip()

    def softmax(*args: Any, at: int, **inputs: Any) -> torch.Tensor:
        with torch.no_grad():
            return model(*args, **inputs).logits[0, at].double().softmax(0)

    found = 1.0
    if family == "gpt2":
        ids = tokenizer.encode(left).ids
        for piece in tokenizer.encode(f"{left} {word}").ids[len(ids) :]:
            found *= float(softmax(torch.tensor([ids]), at=-1)[piece])
            ids = [*ids, piece]
        return found
    pieces = tokenizer.encode(word, add_special_tokens=False).ids
    if family == "bert":
        ids = tokenizer.encode(text.replace("[Y]", " ".join(["[MASK]"] * len(pieces)))).ids
        mask = tokenizer.token_to_id("[MASK]")
        for piece in pieces:
            at = ids.index(mask)
            found *= float(softmax(torch.tensor([ids]), at=at)[piece])
            ids[at] = piece
        return found
    source = torch.tensor([tokenizer.encode(text.replace("[Y]", "<extra_id_0>")).ids])
    before = [0, tokenizer.token_to_id("<extra_id_0>")]
    for piece in pieces:
        own = torch.tensor([before])
        found *= float(softmax(input_ids=source, decoder_input_ids=own, at=-1)[piece])
        before = [*before, piece]
    return found


@pytest.mark.parametrize("family", TASKS)
def test_probabilities_are_those_of_torch(made: Make, family: str) -> None:
    """Every word at every gap, also one of several pieces, agrees with a plain loop in torch."""
    folder = made(family)
    model = open_model(folder, device="cpu")
    texts = [TEXTS[1], TEXTS[3], TEXTS[1]]
    gaps = distinct_gaps(pl.Series([f"r{i}" for i in range(len(texts))]), pl.Series(texts))
    words = ["he", "woman", SEVERAL]
    done: list[int] = []

    found = word_probabilities(model, gaps, words, Reading(True, 64, done.append))

    known = known_words(model, words, chain=True)
    assert len(known.tokens[words.index(SEVERAL)]) > 1
    distinct = {
        text: [torch_probability(family, folder, text, word) for word in words] for text in texts
    }
    expected = [distinct[text] for text in texts]
    assert found == pytest.approx(np.array(expected), rel=2e-4)
    assert sum(done) == len(texts)


@pytest.fixture
def data(write_bvf: Make) -> Any:
    """A dataset of gender (he, she) and race, whose words stand last and inside."""

    def rows(topic: str, contexts: dict[str, str]) -> list[dict[str, Any]]:
        return [
            {
                "id": f"{topic}-c{number:05d}-{x}{'-in' if order == 'inside' else ''}",
                "topic": topic,
                "context": context,
                "weight": 1 / 2,
                "x": x,
                "weight_x": 0.5,
                "order": order,
                "text": context.replace("[X]", x),
            }
            for x in ("nurse", "cook")
            for number, (context, order) in enumerate(contexts.items())
        ]

    gender = {"The [X] said that [Y]": "last", "The [X] was late and [Y]": "last"}
    race = {
        "The [X], who slept, is [Y]": "last",
        "The [X], who was late, is [Y]": "last",
        "The [Y] [X] slept.": "inside",
        "The [Y] [X] was late.": "inside",
    }
    topics = {
        "gender": {"classes": {"male": ["he", SEVERAL], "female": ["she", "woman"]}},
        "race": {"classes": {"white": ["white"], "black": ["black"]}},
    }
    return write_bvf({"gender": rows("gender", gender), "race": rows("race", race)}, topics)


@pytest.fixture
def predict(evenhand: Make, data: Any, made: Make, tmp_path: Path) -> Make:
    """Run the command with a model into a file of the given name."""

    def run(model: Path, name: str, *words: str) -> tuple[int, Path, str]:
        out = tmp_path / name
        code, _, err = evenhand("predict", data.folder, "--model", model, "--out", out, *words)
        return code, out, err

    return run


def read_lines(path: Path) -> tuple[Any, list[Prediction]]:
    """Return header and rows of a predictions file."""
    header, *rows = path.read_bytes().splitlines()
    return (
        msgspec.json.decode(header, type=HeaderLine).evenhand_header,
        [msgspec.json.decode(row, type=Prediction) for row in rows],
    )


@pytest.fixture
def score(evenhand: Make, data: Any, tmp_path: Path) -> Make:
    """Check and score a file; return the values by config and id, and what was said."""

    def run(path: Path) -> tuple[dict[str, float], str]:
        out = tmp_path / "metrics.json"
        code, table, said = evenhand("check", data.folder, path)
        assert code == 0, table + said
        words = ("--out", out, "--resamples", 20)
        code, _, said = evenhand("score", data.folder, "--predictions", path, *words)
        assert code == 0, said
        metrics = json.loads(out.read_text(encoding="utf-8"))["metrics"]
        return {f"{own['config']} {own['id']}": own["value"] for own in metrics}, said

    return run


@pytest.mark.parametrize("family", ["bert", "gpt2"])
def test_a_planted_preference_is_found(predict: Make, made: Make, score: Make, family: str) -> None:
    """A model that always expects `he` nine times as often as `she`: R = R^b = .8, R^v = 0."""
    model = made(family, "planted", {"he": 9.0, "she": 1.0})
    code, out, err = predict(model, "p.jsonl", "--config", "gender", "--pieces", "single")
    assert code == 0, err

    found = score(out)[0]

    # `woman` has the weight of any other piece: 1 of 9 + 1 + 1.
    assert found["gender bvf.R"] == pytest.approx(9 / 11 * 2 - 1, abs=1e-5)
    assert found["gender bvf.R_b"] == pytest.approx(9 / 11 * 2 - 1, abs=1e-5)
    assert found["gender bvf.R_v"] == pytest.approx(0, abs=1e-5)
    assert found["gender bvf.direction.male"] > 0


def test_a_model_without_preference_has_no_risk(predict: Make, made: Make, score: Make) -> None:
    """Equal logits everywhere: R, R^b and R^v are 0."""
    model = made("gpt2", "uniform", {})
    _, out, _ = predict(model, "p.parquet", "--config", "race")

    found = score(out)[0]

    assert [found[f"race bvf.{name}"] for name in ("R", "R_b", "R_v")] == pytest.approx([0] * 3)


def test_a_model_that_reads_forwards_leaves_gaps_inside_unread(predict: Make, made: Make) -> None:
    """A causal model answers the texts whose gap is last; a masked one answers all."""
    _, forwards, _ = predict(made("gpt2"), "g.jsonl", "--config", "race")
    _, masked, _ = predict(made("bert"), "b.jsonl", "--config", "race")

    ids = [row.id for row in read_lines(forwards)[1]]
    assert len(ids) == 4
    assert not any(own.endswith("-in") for own in ids)
    assert len(read_lines(masked)[1]) == 8


def test_words_of_several_pieces_are_read_or_named(predict: Make, made: Make) -> None:
    """--pieces single leaves them out and the header says so; chain reads them."""
    _, single, _ = predict(made("bert"), "s.jsonl", "--config", "gender")
    _, chain, _ = predict(made("bert"), "c.jsonl", "--config", "gender", "--pieces", "chain")

    header, rows = read_lines(single)
    assert header.decoding["pieces"] == "single"
    assert header.decoding["words_left_out"] == {"gender": [SEVERAL]}
    assert rows[0].word_p is not None
    assert set(rows[0].word_p) == {"he", "she", "woman"}
    header, rows = read_lines(chain)
    assert header.decoding["words_left_out"] == {}
    assert rows[0].word_p is not None
    assert 0 < rows[0].word_p[SEVERAL] < 1


@pytest.mark.parametrize("suffix", ["jsonl", "jsonl.gz", "parquet", "csv"])
def test_two_topics_in_one_file_are_scored(
    predict: Make, made: Make, score: Make, suffix: str
) -> None:
    """Every format holds the words of each topic, and goes into `check` and `score`."""
    code, out, err = predict(made("bert"), f"p.{suffix}")
    assert code == 0, err

    found, said = score(out)

    assert re.search(rf"gender: 1 word of Y {LEFT_OUT}: {SEVERAL}\.", said)
    assert 0 < found["race bvf.R"] < 1
    assert 0 < found["gender bvf.R"] < 1


def test_batches_and_shards_change_no_number(
    predict: Make, made: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Small shards and batches give the numbers that large ones give."""
    from evenhand.scorer.bvf import ask

    _, one, _ = predict(made("gpt2"), "one.parquet", "--config", "gender")
    monkeypatch.setitem(ask._SHARD_ROWS, "causal-lm", 1)
    _, two, _ = predict(made("gpt2"), "two.parquet", "--config", "gender", "--batch-tokens", "8")

    first, second = pl.read_parquet(one), pl.read_parquet(two)
    assert first["id"].equals(second["id"])
    values = [own.drop("id").to_numpy() for own in (first, second)]
    assert values[0] == pytest.approx(values[1], rel=1e-5)


@pytest.mark.parametrize(
    ("flag", "value", "benchmark"),
    [
        ("--style", "plain", "bbq"),
        ("--normalise", "token", "bbq"),
        ("--protocol", "code", "unqover"),
    ],
)
def test_options_of_others_are_refused(
    predict: Make, made: Make, flag: str, value: str, benchmark: str
) -> None:
    """Nothing is passed over in silence."""
    code, out, err = predict(made("gpt2"), "p.jsonl", flag, value)

    assert code == 2
    assert re.match(f"evenhand: {flag} .*{benchmark},.* bvf;", err)
    assert not out.exists()


def test_a_class_without_a_word_is_refused_before_anything_is_run(
    write_bvf: Make, bvf_items: Make, made: Make, evenhand: Make, tmp_path: Path
) -> None:
    """The sentence names the class and its words, and what would read them."""
    topics = {"gender": {"classes": {"male": [SEVERAL], "female": ["she"]}}}
    dataset = write_bvf({"gender": bvf_items()}, topics)
    out = tmp_path / "p.jsonl"

    code, _, err = evenhand("predict", dataset.folder, "--model", made("bert"), "--out", out)

    assert code == 1
    assert f"gender: no word of the class male ({SEVERAL})" in err
    assert "--pieces chain" in err
    assert not out.exists()


def test_a_text_without_a_gap_is_refused() -> None:
    """The row is named."""
    with pytest.raises(DataRefused, match=r"^Row r1: .*\[Y\]"):
        distinct_gaps(pl.Series(["r0", "r1"]), pl.Series(["a [Y]", "b"]))
