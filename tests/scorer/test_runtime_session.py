"""Opening an exported model: what is not as it should be is refused in one sentence."""

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from evenhand.contract import DataRefused, WrongUse
from evenhand.contract.files import sha256_of_file
from evenhand.scorer.runtime.session import open_model, open_session

HAS_CUDA = "CUDAExecutionProvider" in onnxruntime.get_available_providers()


@pytest.fixture
def model(exported, tmp_path) -> Path:
    """A copy of an exported model, for spoiling."""
    return shutil.copytree(exported("bert", "fill-mask"), tmp_path / "model")


def _flip_last_byte(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_changed_file_is_named(model, name) -> None:
    """One flipped byte in the model or its tokenizer is found, and the file named."""
    _flip_last_byte(model / name)
    with pytest.raises(DataRefused, match=rf"{name} .*model\.json"):
        open_model(model, device="cpu")


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_missing_file_is_named(model, name) -> None:
    """A missing model or tokenizer is named, with the command that writes it."""
    (model / name).unlink()
    with pytest.raises(DataRefused, match=rf"{name} is missing.*evenhand export"):
        open_model(model, device="cpu")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", "is not a model card"),
        ("{}", "missing required field"),
        ('{"task": "sorcery"}', "is not a model card"),
    ],
)
def test_broken_card_is_refused(model, content, says) -> None:
    """A model.json that is no JSON, is empty, or has an unknown task is refused."""
    (model / "model.json").write_text(content, encoding="utf-8")
    with pytest.raises(DataRefused, match=says):
        open_model(model, device="cpu")


def test_folder_without_a_card(tmp_path) -> None:
    """A folder that no export wrote, and a path that is no folder, are told apart."""
    with pytest.raises(DataRefused, match=r"holds no model\.json"):
        open_model(tmp_path, device="cpu")
    with pytest.raises(DataRefused, match="is not a folder"):
        open_model(tmp_path / "none", device="cpu")


def test_file_that_is_no_model(tmp_path) -> None:
    """A file that onnxruntime cannot read is named."""
    path = tmp_path / "model.onnx"
    path.write_bytes(b"no model")
    with pytest.raises(DataRefused, match=r"model\.onnx cannot be opened by onnxruntime"):
        open_session(path, device="cpu")


@pytest.mark.parametrize("device", ["gpu", "cuda:", "cuda:x", "CPU", "", "cpu:0"])
def test_unknown_device(model, device) -> None:
    """A device that is none of cpu, cuda, cuda:N, auto is wrong use."""
    with pytest.raises(WrongUse, match=r"--device .* cpu, cuda, cuda:N, auto"):
        open_model(model, device=device)


@pytest.mark.skipif(HAS_CUDA, reason="this onnxruntime has CUDA; tests/gpu looks at it")
@pytest.mark.parametrize("device", ["cuda", "cuda:1"])
def test_cuda_never_falls_back(model, device) -> None:
    """Where CUDA is asked for and is not there, nothing runs on the CPU in its place."""
    with pytest.raises(DataRefused, match=f"--device {device}: .*take --device cpu"):
        open_model(model, device=device)


@pytest.mark.skipif(HAS_CUDA, reason="this onnxruntime has CUDA; tests/gpu looks at it")
def test_auto_says_what_it_took(model, capsys) -> None:
    """``auto`` takes the CPU where there is no CUDA, and says so and why on stderr."""
    opened = open_model(model, device="auto")
    captured = capsys.readouterr()
    assert opened.session.device == "cpu"
    assert opened.session.inference.get_providers()[0] == "CPUExecutionProvider"
    assert captured.err.startswith("--device auto takes cpu (")
    assert captured.out == ""


def test_two_builds_are_refused(model, tmp_path, monkeypatch) -> None:
    """Two builds, onnxruntime and onnxruntime-gpu, side by side are refused, with the way out."""
    for name in ("onnxruntime", "onnxruntime-gpu"):
        info = tmp_path / "site" / f"{name.replace('-', '_')}-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site"), *sys.path])
    with pytest.raises(WrongUse, match=r"Both onnxruntime and onnxruntime-gpu.*pip uninstall"):
        open_model(model, device="cpu")


@pytest.mark.parametrize("family", ["bert", "distilbert", "roberta", "electra"])
def test_padding_changes_nothing(exported, family) -> None:
    """Logits of a row are the same to 1e-6 alone and padded beside a longer one."""
    model = open_model(exported(family, "question-answering"), device="cpu")
    short = np.array([[5, 9, 12, 7, 6]])
    pad = model.card.pad.id
    padded = np.array([[5, 9, 12, 7, 6, pad, pad, pad], [5, 8, 11, 13, 9, 8, 7, 6]])

    def run(ids):
        inputs = {"input_ids": ids, "attention_mask": (ids != pad).astype(np.int64)}
        inputs["token_type_ids"] = np.zeros_like(ids)
        return model.session.run({name: inputs[name] for name in model.card.inputs})

    for alone, together in zip(run(short), run(padded), strict=True):
        assert np.abs(alone[0] - together[0, :5]).max() < 1e-6


def test_threads_change_nothing(exported) -> None:
    """One thread and two give the same bits."""
    ids = np.arange(5, 25).reshape(2, 10)
    inputs = {
        "input_ids": ids,
        "attention_mask": np.ones_like(ids),
        "token_type_ids": np.zeros_like(ids),
        "mask_positions": np.array([1, 2]),
    }
    one, two = (
        open_model(exported("bert", "fill-mask"), device="cpu", threads=n).session.run(inputs)[0]
        for n in (1, 2)
    )
    assert (one == two).all()


def test_batch_that_fails_is_a_sentence(exported) -> None:
    """What onnxruntime cannot run names the batch, the device and the option that helps."""
    model = open_model(exported("distilbert", "question-answering"), device="cpu")
    ids = np.full((2, 3), model.card.vocabulary_size + 5)
    with pytest.raises(DataRefused, match=r"failed on 2 rows of 3 tokens on cpu .*--batch-tokens"):
        model.session.run({"input_ids": ids, "attention_mask": np.ones_like(ids)})


def test_tokenizer_that_is_none(model) -> None:
    """A tokenizer.json that fits its sha256 and is no tokenizer is named."""
    (model / "tokenizer.json").write_text("{}", encoding="utf-8")
    card = json.loads((model / "model.json").read_bytes())
    card["tokenizer_sha256"] = sha256_of_file(model / "tokenizer.json")
    (model / "model.json").write_text(json.dumps(card), encoding="utf-8")
    with pytest.raises(DataRefused, match=r"tokenizer\.json is not a tokenizer"):
        open_model(model, device="cpu")
