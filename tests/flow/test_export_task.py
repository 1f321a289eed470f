"""lm-evaluation-harness itself runs the tasks that are written for it, and its numbers are ours."""

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

Run = Callable[..., "subprocess.CompletedProcess[str]"]

_METRICS = {
    "accuracy_ambiguous": "bbq.accuracy.ambiguous",
    "accuracy_disambiguated": "bbq.accuracy.disambiguated",
    "bias_score_ambiguous": "bbq.bias_score.ambiguous",
    "bias_score_disambiguated": "bbq.bias_score.disambiguated",
}


@pytest.fixture(scope="module")
def run() -> Run:
    """Run a module of this Python without a network; a failure shows what it printed."""

    def call(*words: object, check: bool = True) -> "subprocess.CompletedProcess[str]":
        finished = subprocess.run(
            [sys.executable, "-m", *map(str, words)],
            capture_output=True,
            text=True,
            check=False,
            env=os.environ
            | {
                "HF_HUB_OFFLINE": "1",
                "HF_DATASETS_OFFLINE": "1",
                "TOKENIZERS_PARALLELISM": "false",
            },
        )
        assert not check or finished.returncode == 0, finished.stderr[-3000:]
        return finished

    return call


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of all that the tests of this module write."""
    return tmp_path_factory.mktemp("harness")


@pytest.fixture(scope="module")
def dataset(folder: Path, run: Run) -> Path:
    """Generate a small sample of two categories."""
    out = folder / "bbq"
    run(
        "evenhand.contract.cli", "generate", "bbq", "--config", "Age", "--config", "SES",
        "--limit", 6, "--out", out,
    )  # fmt: skip
    return out


@pytest.fixture(scope="module")
def model(folder: Path) -> Path:
    """Save a tiny GPT-2 with random weights and a tokenizer of bytes."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {"<|endoftext|>": 0} | {
        character: i for i, character in enumerate(alphabet, start=1)
    }
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    torch.manual_seed(0)
    config = GPT2Config(
        vocab_size=len(vocabulary), n_positions=1024, n_embd=32, n_layer=2, n_head=2,
        bos_token_id=0, eos_token_id=0, initializer_range=0.5,
    )  # fmt: skip
    out = folder / "gpt2"
    GPT2LMHeadModel(config).save_pretrained(out)
    special = dict.fromkeys(("bos_token", "eos_token"), "<|endoftext|>")
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special).save_pretrained(out)
    return out


@pytest.fixture(scope="module")
def harness(folder: Path, dataset: Path, model: Path, run: Run) -> Path:
    """Export the tasks and run the harness on them."""
    pytest.importorskip("lm_eval", reason="lm-evaluation-harness is not installed")
    run("evenhand.contract.cli", "export-task", dataset, "--out", folder / "tasks")
    run(
        "lm_eval", "run", "--model", "hf", "--model_args", f"pretrained={model},dtype=float32",
        "--tasks", "evenhand_bbq", "--include_path", folder / "tasks", "--device", "cpu",
        "--batch_size", 16, "--output_path", folder / "out", "--log_samples",
    )  # fmt: skip
    return folder / "out"


def results_of(harness: Path) -> dict[str, Any]:
    """Return the results of the harness by task."""
    (path,) = harness.rglob("results_*.json")
    return dict(json.loads(path.read_bytes())["results"])


def values_of(path: Path, mean: str) -> dict[str, float]:
    """Return our metrics under the harness's names; NaN where one is null."""
    by_id = {one["id"]: one["value"] for one in json.loads(path.read_bytes())["metrics"]}
    values = {name: by_id[f"{metric}.{mean}"] for name, metric in _METRICS.items()}
    return {name: math.nan if value is None else value for name, value in values.items()}


def test_the_harness_gives_our_numbers_of_its_own_answers(
    folder: Path, dataset: Path, harness: Path, run: Run
) -> None:
    """Its samples, scored here, give what it printed: by category, and the mean over them."""
    results = results_of(harness)
    samples = sorted(harness.rglob("samples_*.jsonl"))

    for config in ("Age", "SES"):
        paths = [path for path in samples if f"_{config}_" in path.name]
        out = folder / f"{config}.json"
        run("evenhand.contract.cli", "score", dataset, "--predictions", *paths, "--out", out)
        for name, value in values_of(out, "pooled").items():
            assert results[f"evenhand_bbq_{config}"][f"{name},none"] == pytest.approx(
                value, abs=1e-12, nan_ok=True
            )
    run(
        "evenhand.contract.cli", "score", dataset, "--predictions", *samples,
        "--out", folder / "all.json",
    )  # fmt: skip
    for name, value in values_of(folder / "all.json", "macro").items():
        assert results["evenhand_bbq"][f"{name},none"] == pytest.approx(
            value, abs=1e-12, nan_ok=True
        )


def test_our_own_run_of_the_model_gives_the_harness_s_answers(
    folder: Path, dataset: Path, model: Path, harness: Path, run: Run
) -> None:
    """Likelihoods of predict and of the harness agree to 1e-4, so the metrics are the same."""
    run("evenhand.contract.cli", "export", model, "--task", "causal-lm", "--out", folder / "onnx")
    run(
        "evenhand.contract.cli", "predict", dataset, "--model", folder / "onnx", "--style", "plain",
        "--out", folder / "ours.jsonl",
    )  # fmt: skip
    lines = [json.loads(line) for line in (folder / "ours.jsonl").read_text().splitlines()]
    ours = {line["id"]: line["scores"] for line in lines if "id" in line}
    theirs = {}
    for path in harness.rglob("samples_*.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            theirs[row["doc"]["id"]] = [float(option[0]) for option in row["filtered_resps"]]

    assert set(ours) == set(theirs)
    assert len(ours) == 48
    for identity, scores in ours.items():
        assert scores == pytest.approx(theirs[identity], rel=1e-5, abs=1e-4)


def test_tasks_of_a_published_version_are_pinned_to_its_tag(
    folder: Path, dataset: Path, run: Run
) -> None:
    """With --repo every task loads the Hub's dataset at the version, never whatever is newest.

    No direction is claimed for a bias score, of which 0 is best.
    """
    out = folder / "pinned"
    run(
        "evenhand.contract.cli", "export-task", dataset, "--config", "Age",
        "--repo", "org/bbq@1.2.0", "--out", out,
    )  # fmt: skip
    text = (out / "evenhand_bbq_Age.yaml").read_text(encoding="utf-8")
    task = yaml.safe_load(text.replace("!function", ""))

    assert task["dataset_path"] == "org/bbq"
    assert task["dataset_name"] == "Age"
    assert task["dataset_kwargs"] == {"revision": "1.2.0"}
    directions = {one["metric"]: one["higher_is_better"] for one in task["metric_list"]}
    assert directions == {
        "accuracy_ambiguous": True, "accuracy_disambiguated": True,
        "bias_score_ambiguous": None, "bias_score_disambiguated": None,
    }  # fmt: skip
    assert sorted(path.name for path in out.iterdir()) == [
        "evenhand_bbq.py", "evenhand_bbq.yaml", "evenhand_bbq_Age.yaml",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--config", "Agee"), "no config Agee"),
        (("--repo", "bbq"), "org/name"),
    ],
)
def test_wrong_use_is_one_sentence(
    folder: Path, dataset: Path, run: Run, words: tuple[str, ...], sentence: str
) -> None:
    """What cannot be written is named, and nothing is left behind."""
    out = folder / "refused"

    finished = run(
        "evenhand.contract.cli", "export-task", dataset, *words, "--out", out, check=False
    )

    assert finished.returncode == 2
    assert sentence in finished.stderr
    assert not out.exists()
