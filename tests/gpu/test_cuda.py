"""On a GPU the scores are those of the CPU, and the device that was asked for is the one that ran.

Skipped, with the reason, where CUDA does not load; with EVENHAND_REQUIRE_CUDA=1 that is a failure.
"""

import json
import os
from pathlib import Path

import polars as pl
import pytest

from evenhand.contract.cli import main
from evenhand.contract.errors import DataRefused
from evenhand.scorer.runtime.session import open_model, open_session

MODELS = Path(__file__).parents[1] / "models"
CONFIGS = {"religion": "qa_planted", "religion_mlm": "mlm_planted"}

# Kernels add in another order; a score keeps six digits.
LARGEST_DIFFERENCE = 1e-4


@pytest.fixture(scope="module", autouse=True)
def cuda() -> None:
    """Skip all tests here where CUDA does not load."""
    try:
        open_session(MODELS / "qa_planted" / "model.onnx", device="cuda")
    except DataRefused as error:
        if os.environ.get("EVENHAND_REQUIRE_CUDA"):
            raise
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def dataset(tmp_path_factory) -> Path:
    """Generate some questions and masked sentences for the committed models."""
    folder = tmp_path_factory.mktemp("cuda") / "dataset"
    tokenizer = MODELS / "mlm_planted" / "tokenizer.json"
    configs = [word for config in CONFIGS for word in ("--config", config)]
    words = ["generate", "unqover", *configs, "--tokenizer", tokenizer, "--limit", 50]
    assert main([str(word) for word in [*words, "--out", folder]]) == 0
    return folder


def _predict(dataset: Path, config: str, device: str, out: Path, *options: object) -> pl.DataFrame:
    words = ["predict", dataset, "--config", config, "--model", MODELS / CONFIGS[config]]
    words += ["--device", device, "--out", out, *options]
    assert main([str(word) for word in words]) == 0
    return pl.read_parquet(out)


def _difference(one: pl.DataFrame, other: pl.DataFrame) -> float:
    assert one["id"].equals(other["id"])
    return max(float((one[c] - other[c]).abs().max()) for c in ("score_x1", "score_x2"))


@pytest.mark.parametrize("config", CONFIGS)
def test_scores_are_those_of_the_cpu(dataset, tmp_path, config) -> None:
    """Every score agrees with the CPU's, and the sidecar names the GPU that ran."""
    on_cpu = _predict(dataset, config, "cpu", tmp_path / "cpu.parquet")
    on_gpu = _predict(dataset, config, "cuda", tmp_path / "gpu.parquet")
    assert _difference(on_cpu, on_gpu) < LARGEST_DIFFERENCE
    header = json.loads((tmp_path / "gpu.parquet.meta.json").read_bytes())
    assert header["device"] == "cuda:0"


@pytest.mark.parametrize("config", CONFIGS)
def test_batch_size_moves_no_score(dataset, tmp_path, config) -> None:
    """Batches of one row and of all rows agree on a GPU too."""
    one = _predict(dataset, config, "cuda", tmp_path / "one.parquet", "--batch-tokens", 1)
    all_ = _predict(dataset, config, "cuda", tmp_path / "all.parquet", "--batch-tokens", 100_000)
    assert _difference(one, all_) < LARGEST_DIFFERENCE


@pytest.mark.parametrize("config", CONFIGS)
def test_second_run_gives_the_same_bytes(dataset, tmp_path, config) -> None:
    """The same GPU gives the same file again."""
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for path in paths:
        _predict(dataset, config, "cuda", path)
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_provider_is_cuda() -> None:
    """The session's first provider is CUDA, as the device says."""
    model = open_model(MODELS / "qa_planted", device="cuda:0")
    assert model.session.inference.get_providers()[0] == "CUDAExecutionProvider"
    assert model.session.device == "cuda:0"


def test_auto_takes_the_gpu(capsys) -> None:
    """``auto`` takes CUDA where it loads, and says so."""
    assert open_model(MODELS / "qa_planted", device="auto").session.device == "cuda:0"
    assert "--device auto takes cuda:0" in capsys.readouterr().err


def test_gpu_that_is_not_there() -> None:
    """A number that no GPU has is refused, and nothing runs on another device."""
    with pytest.raises(DataRefused, match="--device cuda:99: "):
        open_model(MODELS / "qa_planted", device="cuda:99")
