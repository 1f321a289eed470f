"""Export of GGUF weights: the model in a .gguf file is the one that safetensors hold."""

import json
import shutil

import numpy as np
import polars as pl
import pytest
from gguf import GGUFWriter
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from evenhand.contract import DataRefused, WrongUse
from evenhand.scorer.runtime.causal_lm import encoded
from evenhand.scorer.runtime.export import export, source
from evenhand.scorer.runtime.prefix_inputs import Continuations
from evenhand.scorer.runtime.scheduler import Rows, answers
from evenhand.scorer.runtime.session import open_model

TASK = "causal-lm"
NAMES = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
}


def _renamed(name):
    for ours, theirs in NAMES.items():
        name = name.replace(ours, theirs)
    return name.replace("model.layers.", "blk.")


def _turned(weights, n_heads):
    """Return the rows of a query or key matrix in the order in which GGUF keeps them."""
    halves = weights.reshape(n_heads, 2, -1, weights.shape[1])
    return np.ascontiguousarray(halves.swapaxes(1, 2).reshape(weights.shape))


@pytest.fixture
def write_gguf(tiny_model, tmp_path):
    """Write the tiny Llama as a GGUF file into a folder of its own."""

    def write(name="tiny.gguf"):
        folder = tmp_path / "gguf"
        folder.mkdir(exist_ok=True)
        saved = tiny_model("llama", TASK)
        config = json.loads((saved / "config.json").read_text(encoding="utf-8"))
        writer = GGUFWriter(folder / name, "llama")
        writer.add_block_count(config["num_hidden_layers"])
        writer.add_context_length(config["max_position_embeddings"])
        writer.add_embedding_length(config["hidden_size"])
        writer.add_feed_forward_length(config["intermediate_size"])
        writer.add_head_count(config["num_attention_heads"])
        writer.add_head_count_kv(config["num_key_value_heads"])
        writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
        writer.add_rope_freq_base(config["rope_parameters"]["rope_theta"])
        writer.add_vocab_size(config["vocab_size"])
        _add_tokenizer(writer, Tokenizer.from_file(str(saved / "tokenizer.json")))
        heads = {"q_proj": config["num_attention_heads"], "k_proj": config["num_key_value_heads"]}
        for key, weights in load_file(saved / "model.safetensors").items():
            turned = [n for part, n in heads.items() if part in key]
            writer.add_tensor(_renamed(key), _turned(weights, *turned) if turned else weights)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        return folder

    return write


def _add_tokenizer(writer, tokenizer):
    model = json.loads(tokenizer.to_str())["model"]
    ids = tokenizer.get_vocab(with_added_tokens=True)
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(sorted(ids, key=ids.__getitem__))
    writer.add_token_types([3] * 5 + [1] * (len(ids) - 5))
    writer.add_token_merges([" ".join(pair) for pair in model["merges"]])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(2)
    writer.add_pad_token_id(1)
    writer.add_unk_token_id(3)


def _export(folder, out):
    return export(str(folder), task=TASK, precision="fp32", out=out, overwrite=False)


def test_gguf_gives_what_safetensors_give(write_gguf, exported, tmp_path) -> None:
    """The exported file has the name of the GGUF file and the log-likelihoods of its twin."""
    card = _export(write_gguf(), tmp_path / "out")
    assert (card.name, card.architecture, card.max_length) == ("tiny", "LlamaForCausalLM", 96)
    ours, twin = (
        open_model(folder, device="cpu", threads=1)
        for folder in (tmp_path / "out", exported("llama", TASK))
    )
    (own,), (start,) = encoded(twin, ["<s>Who lied?"], [" Alice"], written_out=True)
    read, _ = encoded(ours, ["<s>Who lied?"], [" Alice"], written_out=True)
    assert read[0].tolist() == own.tolist()
    rows = Rows(pl.Series(["r0"]), np.array([0]))
    found, expected = (
        answers(
            model,
            Continuations([own], np.array([start])),
            rows,
            budget=4_096,
            advance=lambda _rows: None,
        )
        for model in (ours, twin)
    )
    assert found == pytest.approx(expected, abs=1e-4)


def test_two_files_in_a_folder_are_refused(write_gguf, tmp_path) -> None:
    """Which of two GGUF files is meant is not guessed."""
    folder = write_gguf()
    shutil.copy(folder / "tiny.gguf", folder / "other.gguf")
    with pytest.raises(DataRefused, match=r"2 GGUF files \(other.gguf, tiny.gguf\)"):
        _export(folder, tmp_path / "out")


def test_missing_package_is_named(write_gguf, tmp_path, monkeypatch) -> None:
    """Without the package that reads GGUF the sentence says what to install."""
    monkeypatch.setattr(source, "find_spec", lambda name: None if name == "gguf" else name)
    with pytest.raises(WrongUse, match=r"needs the package gguf.*evenhand-scorer\[export,gguf\]"):
        _export(write_gguf(), tmp_path / "out")


def test_broken_file_is_refused(write_gguf, tmp_path) -> None:
    """A file that is cut off is one sentence, and nothing is written."""
    path = write_gguf() / "tiny.gguf"
    path.write_bytes(path.read_bytes()[:2_000])
    with pytest.raises(DataRefused, match="cannot be loaded as a causal-lm model with GGUF"):
        _export(path.parent, tmp_path / "out")
    assert not (tmp_path / "out").exists()
