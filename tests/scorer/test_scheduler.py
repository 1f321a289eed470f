"""The scheduler: each distinct input once, in the same batches every time, whatever the task.

The models here are tables. An encoder adds up whole numbers, one for each token and label; the
other two kinds of model say of a token what follows from all that it sees. So a value is the same
to the bit in whatever batch it was made, and is known by hand.
"""

import dataclasses
from pathlib import Path

import numpy as np
import onnx
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers
from tokenizers.processors import TemplateProcessing

from evenhand.contract import DataRefused
from evenhand.scorer.runtime import prefix_inputs
from evenhand.scorer.runtime.decoder_inputs import DecoderInputs, Target
from evenhand.scorer.runtime.encoder_inputs import encode
from evenhand.scorer.runtime.model_card import ModelCard, Probe, Token
from evenhand.scorer.runtime.prefix_inputs import Continuations, NextTokens
from evenhand.scorer.runtime.scheduler import Rows, answers, distinct, first_output
from evenhand.scorer.runtime.session import ExportedModel, open_session

WORDS = ("[PAD]", "[CLS]", "[SEP]", "good", "bad", "dull", "broken")
TABLE = np.random.default_rng(0).integers(-9, 10, (len(WORDS), 3)).astype(np.float32)
TABLE[WORDS.index("broken")] = np.nan
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
MAX_LENGTH = 12

TEXTS = st.lists(
    st.lists(st.sampled_from(WORDS[3:6]), min_size=1, max_size=6).map(" ".join),
    min_size=1,
    max_size=30,
)
BUDGETS = st.integers(1, 60)


# What a new encoder task declares: which texts go in, what is read, and whose it is.


def classify(model, rows, *, budget=4_096, advance=lambda _rows: None):
    """Return the logit of each label of each row's text, [rows, labels]."""
    texts, numbers = distinct(rows["text"])
    inputs = encode(model, texts)
    return answers(model, inputs, Rows(rows["id"], numbers), budget=budget, advance=advance)


def entail(model, rows, *, label, budget=4_096, advance=lambda _rows: None):
    """Return the logit of one label of each row's premise and hypothesis, [rows]."""
    pairs = rows.select("premise", "hypothesis").rows()
    return answers(
        model,
        encode(model, pairs),
        Rows(rows["id"], np.arange(len(rows))),
        read=lambda batch: first_output(batch)[:, label],
        budget=budget,
        advance=advance,
    )


def _tokenizer() -> Tokenizer:
    numbers = {word: number for number, word in enumerate(WORDS)}
    tokenizer = Tokenizer(models.WordLevel(numbers, unk_token="[PAD]"))  # noqa: S106 - no secret
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 1), ("[SEP]", 2)],
    )
    return tokenizer


def _write(path: Path) -> None:
    """Write a model of each label's sum over the tokens, those of the second text counted twice."""
    names = [*INPUTS, "logits"]
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["numbers"]),
        helper.make_node("Add", ["token_type_ids", "one"], ["times"]),
        helper.make_node("Mul", ["times", "attention_mask"], ["weights"]),
        helper.make_node("Cast", ["weights"], ["floats"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["floats", "last"], ["columns"]),
        helper.make_node("Mul", ["numbers", "columns"], ["weighted"]),
        helper.make_node("ReduceSum", ["weighted", "length"], ["logits"], keepdims=0),
    ]
    values = {"table": TABLE, "one": np.array(1), "last": np.array([2]), "length": np.array([1])}
    grid = [helper.make_tensor_value_info(n, TensorProto.INT64, ["b", "l"]) for n in names[:3]]
    logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["b", 3])
    constants = [numpy_helper.from_array(value, name) for name, value in values.items()]
    graph = helper.make_graph(nodes, "sums", grid, [logits], constants)
    opset = helper.make_opsetid("", 17)
    onnx.save(helper.make_model(graph, opset_imports=[opset], ir_version=10), path)


def _card(**fields) -> ModelCard:
    probe = Probe(description="", lengths=[], largest_difference=0, largest_logit=0, tolerance=0)
    card = {
        "name": "sums", "revision": None, "task": "text-classification", "architecture": "Sums",
        "inputs": list(INPUTS), "outputs": ["logits"], "max_length": MAX_LENGTH,
        "vocabulary_size": len(WORDS), "uses_token_types": True, "lower_cases": False,
        "mask": None, "pad": Token(text="[PAD]", id=0), "cls": None, "sep": None,
        "precision": "fp32", "opset": 17, "model_sha256": "", "tokenizer_sha256": "",
        "probe": probe, "versions": {},
    }  # fmt: skip
    return ModelCard(**card | fields)


@dataclasses.dataclass
class _Noted:
    """A session that notes the shape of each batch."""

    session: object
    device: str = "cpu"
    shapes: list = dataclasses.field(default_factory=list)

    def run(self, feed, *outputs):
        self.shapes.append(feed["input_ids"].shape)
        return self.session.run(feed, *outputs)

    def input_shape(self, _name):
        return (1, 2, None, 1, None, 1)


@pytest.fixture(scope="module")
def sums(tmp_path_factory) -> ExportedModel:
    """The model of sums, opened."""
    folder = tmp_path_factory.mktemp("sums")
    _write(folder / "model.onnx")
    session = open_session(folder / "model.onnx", device="cpu", threads=1)
    return ExportedModel(folder, _card(), _tokenizer(), session)


def _noted(model) -> ExportedModel:
    return dataclasses.replace(model, session=_Noted(model.session))


def _rows(texts) -> pl.DataFrame:
    return pl.DataFrame({"id": [f"r{i}" for i in range(len(texts))], "text": texts})


def _by_hand(text) -> list[float]:
    return TABLE[[1, *(WORDS.index(word) for word in text.split()), 2]].sum(axis=0).tolist()


@given(TEXTS, BUDGETS)
def test_every_row_has_its_value(sums, texts, budget) -> None:
    """In any order, with any repetition and in batches of any size: the sums by hand."""
    assert classify(sums, _rows(texts), budget=budget).tolist() == [_by_hand(t) for t in texts]


@given(TEXTS, BUDGETS)
def test_identical_inputs_run_once(sums, texts, budget) -> None:
    """As many inputs go through the session as there are distinct texts."""
    model = _noted(sums)
    classify(model, _rows(texts), budget=budget)
    assert sum(n_rows for n_rows, _ in model.session.shapes) == len(set(texts))


@given(TEXTS, BUDGETS)
def test_batches_follow_from_the_inputs(sums, texts, budget) -> None:
    """A second run cuts the same batches, none larger than the budget unless it is one input."""
    first, second = _noted(sums), _noted(sums)
    for model in (first, second):
        classify(model, _rows(texts), budget=budget)
    assert first.session.shapes == second.session.shapes
    assert all(n == 1 or n * length <= budget for n, length in first.session.shapes)


@given(TEXTS, BUDGETS)
def test_progress_adds_up(sums, texts, budget) -> None:
    """Rows are told of as they are done, never backwards, and all of them in the end."""
    told = []
    classify(sums, _rows(texts), budget=budget, advance=told.append)
    assert min(told) >= 0
    assert sum(told) == len(texts)


def test_a_pair_is_one_input(sums) -> None:
    """Two texts go in together with their token types, and rows of the same pair run once."""
    model = _noted(sums)
    pairs = [("good", "bad"), ("bad", "good"), ("good", "bad")]
    rows = pl.DataFrame(pairs, schema=["premise", "hypothesis"], orient="row")
    found = entail(model, rows.with_row_index("id"), label=1)
    frame = TABLE[1, 1] + TABLE[2, 1] * 3
    assert found.tolist() == [
        frame + TABLE[WORDS.index(a), 1] + 2 * TABLE[WORDS.index(b), 1] for a, b in pairs
    ]
    assert sum(n for n, _ in model.session.shapes) == 2


def test_long_row_is_named(sums) -> None:
    """An input longer than the model reads is refused by the row that asks for it."""
    rows = _rows(["good", "bad " * MAX_LENGTH, "dull"])
    with pytest.raises(DataRefused, match=r"Row r1 has 14 tokens, .* 12;"):
        classify(sums, rows)


@pytest.mark.parametrize("budget", [1, 4_096])
def test_no_number_is_named(sums, budget) -> None:
    """What is no number is refused by the first row that has it, in whatever batch it came."""
    rows = _rows(["good good good", "bad", "broken bad", "broken bad"])
    with pytest.raises(DataRefused, match=r"Row r2: sums in fp32 .*NaN"):
        classify(sums, rows, budget=budget)


def test_rows_read_off_several_inputs(sums) -> None:
    """Where a row asks for K inputs its values stand side by side, [rows, K, ...]."""
    rows = Rows(pl.Series(["r0", "r1"]), np.array([[0, 1], [1, 1]]))
    found = answers(sums, encode(sums, ["good", "bad"]), rows, budget=9, advance=lambda _rows: None)
    good, bad = _by_hand("good"), _by_hand("bad")
    assert found.tolist() == [[good, bad], [bad, bad]]


def test_rows_pick_their_part(sums) -> None:
    """Rows of one text may ask for different labels, and the text runs once."""
    model, labels = _noted(sums), np.array([2, 0, 1])
    found = answers(
        model,
        encode(model, ["good"]),
        Rows(pl.Series(["r0", "r1", "r2"]), np.zeros(3, dtype=np.int64)),
        pick=lambda logits, rows: np.take_along_axis(logits, labels[rows][:, None], axis=1)[:, 0],
        budget=9,
        advance=lambda _rows: None,
    )
    assert found.tolist() == [_by_hand("good")[label] for label in labels]
    assert model.session.shapes == [(1, 3)]


def _log(path, token) -> float:
    """Return what the models below say of a token behind others: any number that these make."""
    return -float((token + 1) * (7 + sum((t + 1) * (d + 1) for d, t in enumerate(path))))


class _CausalTable:
    """A causal LM whose keys hold what a token adds to the sum of all that see it."""

    def run(self, feed, _outputs):
        added = (feed["input_ids"] + 1) * (feed["position_ids"] + 1)
        past = feed["past"][0, 0, 0, 0, :, 0]
        seen = feed["attention_mask"]
        sums = 7 + (seen * np.concatenate([np.tile(past, (len(added), 1)), added], 1)[:, None]).sum(
            2
        )
        read = sums.ravel()[feed["read"]][feed["wanted_rows"]]
        keys = added[:, feed["kept"]].astype(np.float32)[None, None, :, None, :, None]
        return [-(feed["wanted_tokens"] + 1) * read, np.concatenate([keys, keys], axis=1)]


class _DecoderTable:
    """An encoder-decoder that says of each label what follows from the prompt's tokens."""

    def run(self, feed):
        n = np.arange(feed["input_ids"].shape[1])
        prompts = 7 + ((feed["input_ids"] + 1) * (n + 1) * feed["attention_mask"]).sum(axis=1)
        return [-(feed["labels"] + 1) * prompts[feed["prompt_of"]][:, None].astype(np.float32)]


def _ask(session, inputs, rows, budget):
    model = ExportedModel(Path(), _card(max_length=99), None, _Noted(session))
    told = []
    found = answers(model, inputs, rows, budget=budget, advance=told.append)
    assert sum(told) == len(rows.ids)
    assert min(told) >= 0
    return found.tolist(), model.session.shapes


SEQUENCES = st.lists(
    st.lists(st.integers(0, 2), min_size=2, max_size=9).map(np.array), min_size=1, max_size=20
)


def _each(sequences) -> Rows:
    n_rows = len(sequences)
    return Rows(pl.Series([f"r{i}" for i in range(n_rows)]), np.arange(n_rows))


@given(SEQUENCES, st.integers(1, 40), st.sampled_from([3, 192]))
def test_shared_prefixes_change_no_value(sequences, budget, row_tokens) -> None:
    """Log-likelihoods and next tokens are those of each sequence alone, and so are the batches."""
    inputs = Continuations(sequences, np.ones(len(sequences), dtype=np.int64))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prefix_inputs, "ROW_TOKENS", row_tokens)
        found, shapes = _ask(_CausalTable(), inputs, _each(sequences), budget)
        again = _ask(_CausalTable(), inputs, _each(sequences), budget)
        following, _ = _ask(
            _CausalTable(), NextTokens(sequences, np.array([2, 5])), _each(sequences), budget
        )
    lists = [sequence.tolist() for sequence in sequences]
    assert found == [sum(_log(s[:i], s[i]) for i in range(1, len(s))) for s in lists]
    assert following == [[_log(s, 2), _log(s, 5)] for s in lists]
    assert again == (found, shapes)


@given(SEQUENCES, SEQUENCES, st.integers(1, 60), st.integers(1, 5))
def test_a_prompt_is_encoded_once(prompts, answered, budget, most_targets) -> None:
    """Every prompt with every target: the values by hand, and no more prompts than are needed."""
    targets = [Target(t, t, np.ones(len(t), dtype=np.int64)) for t in answered]
    n_prompts, n_targets = len(prompts), len(targets)
    inputs = DecoderInputs(
        prompts,
        targets,
        np.repeat(np.arange(n_prompts), n_targets),
        np.tile(np.arange(n_targets), n_prompts),
        fill=0,
        most_targets=most_targets,
    )
    rows = Rows(
        pl.Series([f"r{i}" for i in range(n_prompts)]),
        np.arange(n_prompts * n_targets).reshape(n_prompts, n_targets),
    )
    found, shapes = _ask(_DecoderTable(), inputs, rows, budget)
    again = _ask(_DecoderTable(), inputs, rows, budget)
    assert found == [[sum(_log(p, t) for t in a) for a in answered] for p in prompts]
    assert again == (found, shapes)
    distinct_targets = len({tuple(target) for target in answered})
    n_units = len({tuple(prompt) for prompt in prompts}) * -(-distinct_targets // most_targets)
    assert sum(n for n, _ in shapes) == n_units
