"""Export: every family agrees with torch, and what cannot be exported is refused in a sentence."""

import json
import pickle
import shutil
import socket
from pathlib import Path

import msgspec
import numpy as np
import onnx
import pytest
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer

from evenhand.contract import DataRefused, WrongUse
from evenhand.contract.files import sha256_of_file
from evenhand.scorer.runtime.export import export, source, writing
from evenhand.scorer.runtime.model_card import ModelCard, read_model_card
from evenhand.scorer.runtime.session import open_session

FAMILIES = ("bert", "distilbert", "roberta", "electra")
TASKS = ("question-answering", "fill-mask")


@pytest.fixture
def copied(tiny_model, tmp_path):
    """Copy a tiny BERT, so that a test can spoil it."""

    def copy(task="question-answering"):
        return shutil.copytree(tiny_model("bert", task), tmp_path / "spoilt")

    return copy


def _export(folder, out, task="question-answering", precision="fp32", *, overwrite=False):
    return export(str(folder), task=task, precision=precision, out=out, overwrite=overwrite)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("family", FAMILIES)
def test_families_agree_with_torch(exported, family, task) -> None:
    """Each family's logits are torch's to 1e-5, alone and padded, and the card names the files."""
    folder = exported(family, task)
    card = read_model_card(folder)
    assert card.task == task
    assert card.probe.largest_difference < 1e-5
    assert card.probe.largest_logit > 0.1
    assert len(card.probe.lengths) == 4
    assert card.model_sha256 == sha256_of_file(folder / "model.onnx")
    assert card.tokenizer_sha256 == sha256_of_file(folder / "tokenizer.json")
    assert card.uses_token_types == (family in {"bert", "electra"})
    assert ("mask_positions" in card.inputs) == (task == "fill-mask")
    assert card.lower_cases == (family != "roberta")


def test_positions_before_the_text_are_no_part_of_the_length(exported) -> None:
    """RoBERTa counts from its pad token on: of 40 positions 38 are left, of BERT's 40 all."""
    assert read_model_card(exported("roberta", "fill-mask")).max_length == 38
    assert read_model_card(exported("bert", "fill-mask")).max_length == 40


def test_longest_input_runs(exported) -> None:
    """An input of exactly max_length tokens runs, for the families that count differently."""
    for family in ("roberta", "bert"):
        card = read_model_card(exported(family, "fill-mask"))
        row = np.full((1, card.max_length), 7, dtype=np.int64)
        inputs = {"input_ids": row, "attention_mask": np.ones_like(row)}
        inputs |= {"token_type_ids": np.zeros_like(row), "mask_positions": np.array([3])}
        session = open_session(exported(family, "fill-mask") / "model.onnx", device="cpu")
        (logits,) = session.run({name: inputs[name] for name in card.inputs})
        assert logits.shape == (1, card.vocabulary_size)


@pytest.mark.parametrize(
    ("precision", "task"), [("fp16", "question-answering"), ("int8", "fill-mask")]
)
def test_smaller_precisions(tiny_model, tmp_path, precision, task) -> None:
    """fp16 and int8 weights are stored as such and differ from torch, within their tolerance."""
    card = _export(tiny_model("bert", task), tmp_path / "out", task, precision)
    weights = onnx.load(tmp_path / "out" / "model.onnx").graph.initializer
    kinds = {onnx.TensorProto.DataType.Name(w.data_type) for w in weights if len(w.dims) == 2}
    # onnxruntime stores the table of words without a sign.
    assert kinds == {"fp16": {"FLOAT16"}, "int8": {"INT8", "UINT8"}}[precision]
    assert card.precision == precision
    assert card.probe.largest_difference > 1e-6
    assert card.probe.largest_difference <= card.probe.tolerance * max(1, card.probe.largest_logit)


def test_same_model_same_bytes(tiny_model, exported, tmp_path) -> None:
    """A second export writes the same three files byte for byte, and no others."""
    _export(tiny_model("bert", "fill-mask"), tmp_path / "again", "fill-mask")
    first, second = exported("bert", "fill-mask"), tmp_path / "again"
    names = sorted(path.name for path in second.iterdir())
    assert names == ["model.json", "model.onnx", "tokenizer.json"]
    for name in names:
        assert (first / name).read_bytes() == (second / name).read_bytes()


def test_local_folder_touches_no_network(tiny_model, tmp_path, monkeypatch) -> None:
    """A local folder is exported with every way out of the machine shut."""

    def refuse(*_arguments):
        raise AssertionError("the network was touched")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    _export(tiny_model("bert", "fill-mask"), tmp_path / "out", "fill-mask")
    assert (tmp_path / "out" / "model.onnx").is_file()


def test_tokenizer_neither_pads_nor_cuts(copied, tmp_path) -> None:
    """Padding and truncation that a tokenizer file carries are left behind."""
    folder = copied()
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(4)
    tokenizer.enable_padding(length=12)
    tokenizer.save(str(folder / "tokenizer.json"))
    _export(folder, tmp_path / "out")
    written = Tokenizer.from_file(str(tmp_path / "out" / "tokenizer.json"))
    assert len(written.encode("Alice met Justin at the market").ids) == 8


def test_card_says_what_the_schema_says(exported) -> None:
    """model.json is canonical JSON that reads back, and holds no path and no time."""
    path = exported("bert", "fill-mask") / "model.json"
    card = msgspec.json.decode(path.read_bytes(), type=ModelCard)
    assert card.mask is not None
    assert (card.mask.text, card.mask.id) == ("[MASK]", 4)
    assert card.name == "bert-fill-mask"
    assert card.revision is None
    assert str(path.parent.parent) not in path.read_text(encoding="utf-8")


def _no_tokenizer(folder):
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).unlink()


def _pickle_only(folder):
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()


def _not_a_number(folder):
    weights = load_file(folder / "model.safetensors")
    weights["qa_outputs.bias"][:] = float("nan")
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


def _too_many_words(folder):
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.add_tokens([f"word{i}" for i in range(50)])
    tokenizer.save(str(folder / "tokenizer.json"))


def _foreign_code(folder):
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    config |= {"model_type": "own", "auto_map": {"AutoModelForQuestionAnswering": "own.Model"}}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (folder / "own.py").write_text(
        f"open({str(folder / 'ran')!r}, 'w').close()\n", encoding="utf-8"
    )


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (_no_tokenizer, "tokenizer"),
        (_pickle_only, "safetensors"),
        (_not_a_number, "differs from torch"),
        (_too_many_words, "do not belong together"),
        (_foreign_code, "cannot be loaded"),
    ],
)
def test_spoilt_model_is_refused(copied, tmp_path, spoil, says) -> None:
    """No tokenizer, a pickle, NaN, foreign words or code: refused, and nothing is written."""
    folder = copied()
    spoil(folder)
    with pytest.raises(DataRefused, match=says):
        _export(folder, tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["spoilt"]
    assert not (folder / "ran").exists()


def test_model_of_another_task_is_refused(tiny_model, tmp_path) -> None:
    """A question-answering model has no head over the vocabulary, and the first gap is named."""
    with pytest.raises(DataRefused, match=r"no weights for cls.* not trained for fill-mask"):
        _export(tiny_model("bert", "question-answering"), tmp_path / "out", "fill-mask")


def test_fill_mask_needs_a_mask(copied, tmp_path) -> None:
    """A tokenizer that names no mask token is refused for fill-mask."""
    folder = copied("fill-mask")
    path = folder / "tokenizer_config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    del config["mask_token"]
    config["tokenizer_class"] = "PreTrainedTokenizerFast"
    path.write_text(json.dumps(config), encoding="utf-8")
    (folder / "special_tokens_map.json").unlink(missing_ok=True)
    with pytest.raises(DataRefused, match="no mask token"):
        _export(folder, tmp_path / "out", "fill-mask")


def test_existing_folder_is_kept(tiny_model, tmp_path) -> None:
    """An existing folder is refused without --overwrite, and replaced whole with it."""
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine.txt").write_text("kept", encoding="utf-8")
    with pytest.raises(DataRefused, match="--overwrite"):
        _export(tiny_model("bert", "fill-mask"), out, "fill-mask")
    assert (out / "mine.txt").read_text(encoding="utf-8") == "kept"
    _export(tiny_model("bert", "fill-mask"), out, "fill-mask", overwrite=True)
    assert not (out / "mine.txt").exists()


class _Trap:
    """Runs when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return (Path.touch, (self.path,))


def test_pickle_beside_the_weights_is_never_loaded(copied, tmp_path) -> None:
    """A pytorch_model.bin that would run code lies there untouched; safetensors are read."""
    folder = copied()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(_Trap(tmp_path / "ran")))
    _export(folder, tmp_path / "out")
    (folder / "model.safetensors").unlink()
    with pytest.raises(DataRefused, match="safetensors"):
        _export(folder, tmp_path / "out2")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "spoilt"]


def test_difference_above_the_tolerance(tiny_model, tmp_path, monkeypatch) -> None:
    """A file that differs from torch by more than is allowed is not kept, nor half of it."""
    monkeypatch.setitem(writing.TOLERANCE, "fp32", 0.0)
    with pytest.raises(DataRefused, match=r"differs from torch by .* more than fp32 allows"):
        _export(tiny_model("bert", "question-answering"), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_model_is_not_replaced_by_its_export(copied, tmp_path) -> None:
    """--out on the model's own folder, or one around it, is wrong use, with --overwrite too."""
    folder = copied()
    for out in (folder, tmp_path):
        with pytest.raises(WrongUse, match="would replace the model itself"):
            _export(folder, out, overwrite=True)
    assert (folder / "model.safetensors").is_file()


def test_too_large_for_one_file(tiny_model, tmp_path, monkeypatch) -> None:
    """Weights that one ONNX file cannot hold are refused before the export."""
    monkeypatch.setattr(source, "_LARGEST_WEIGHTS", 1_000)
    with pytest.raises(DataRefused, match="larger than 2 GB"):
        _export(tiny_model("bert", "question-answering"), tmp_path / "out")


def test_vocabulary_of_older_models(copied, exported, tmp_path) -> None:
    """Of a vocab.txt without tokenizer.json a tokenizer is made that gives the same ids."""
    folder = copied()
    ids = Tokenizer.from_file(str(folder / "tokenizer.json")).get_vocab(with_added_tokens=True)
    words = sorted(ids, key=ids.__getitem__)
    (folder / "vocab.txt").write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
    (folder / "tokenizer.json").unlink()
    path = folder / "tokenizer_config.json"
    config = json.loads(path.read_text(encoding="utf-8")) | {"tokenizer_class": "BertTokenizer"}
    path.write_text(json.dumps(config), encoding="utf-8")
    _export(folder, tmp_path / "out")
    written = Tokenizer.from_file(str(tmp_path / "out" / "tokenizer.json"))
    own = Tokenizer.from_file(str(exported("bert", "question-answering") / "tokenizer.json"))
    pair = ("Who lied?", "An Arab man met Alice.")
    assert written.encode(*pair).ids == own.encode(*pair).ids
    assert written.encode(*pair).type_ids == own.encode(*pair).type_ids


def test_command(evenhand, tiny_model, tmp_path) -> None:
    """The command says on stdout what it wrote; a path that is no folder exits with 1."""
    code, out, _ = evenhand(
        "export", tiny_model("bert", "fill-mask"), "--task", "fill-mask", "--out", tmp_path / "m"
    )
    assert code == 0
    assert "BertForMaskedLM" in out
    assert "difference against torch" in out
    code, out, err = evenhand(
        "export", tmp_path / "none", "--task", "fill-mask", "--out", tmp_path / "n"
    )
    assert (code, out) == (1, "")
    assert "neither a folder nor the id" in err
