"""Each distribution installs alone, from wheels, with the network cut, and does its work."""

import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests/golden"
FOLDERS = {
    "evenhand-contract": "shared",
    "evenhand-generator": "generator",
    "evenhand-scorer": "scorer",
}
# A pip that was told of an index, or of a proxy, could still reach the network.
NETWORK_VARIABLES = ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "http_proxy", "https_proxy")

pytestmark = pytest.mark.slow


def offline(*command: object) -> subprocess.CompletedProcess[str]:
    """Run a command without a network: in a namespace that has none, where the system allows it."""
    words = [str(word) for word in command]
    if (
        shutil.which("unshare")
        and not subprocess.run(
            ["unshare", "--net", "true"], capture_output=True, check=False
        ).returncode
    ):
        words = ["unshare", "--net", *words]
    environment = {k: v for k, v in os.environ.items() if k not in NETWORK_VARIABLES}
    environment |= {"PIP_NO_INDEX": "1", "HF_HUB_OFFLINE": "1"}
    run = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    assert run.returncode == 0, run.stderr
    return run


@pytest.fixture(scope="module")
def wheelhouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the three wheels, and gather the wheels of all that they need."""
    folder = tmp_path_factory.mktemp("wheelhouse")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    for source in FOLDERS.values():
        build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder]
        subprocess.run([*build, ROOT / source], check=True, capture_output=True)
    needs = ["msgspec", "jinja2", "numpy", "polars", "pyarrow", "rich", "scipy", "zstandard"]
    needs += ["huggingface-hub", "mlcroissant"]
    # `wheel` and not `download`: what has no wheel is built here, where there is a network.
    gather = ["wheel", "--quiet", "--wheel-dir", folder, "-c", ROOT / "constraints.txt"]
    subprocess.run([*pip, *gather, *needs], check=True, capture_output=True)
    return folder


@pytest.fixture
def install(wheelhouse: Path, tmp_path: Path):
    """Return a function that installs one distribution into a fresh environment, offline."""

    def into_fresh_environment(distribution: str) -> Path:
        venv.create(tmp_path / "venv", with_pip=True)
        binaries = tmp_path / "venv" / "bin"
        offline(
            binaries / "python", "-m", "pip", "install", "--quiet", "--no-index",
            "--find-links", wheelhouse, distribution,
        )  # fmt: skip
        return binaries

    return into_fresh_environment


def test_the_contract_alone_verifies_a_dataset(install) -> None:
    """With msgspec alone, `verify` proves a folder and `score` names the package it needs."""
    binaries = install("evenhand-contract")

    out = offline(binaries / "evenhand", "verify", GOLDEN / "unqover").stdout
    listing = offline(binaries / "python", "-m", "pip", "list", "--format", "json").stdout

    assert out.startswith("unqover 1.0.0")
    # A new environment has pip, and up to Python 3.11 setuptools as well.
    installed = {row["name"] for row in json.loads(listing)} - {"pip", "setuptools"}
    assert installed == {"evenhand-contract", "msgspec"}
    assert "evenhand-scorer is not installed" in offline(binaries / "evenhand", "--help").stdout


def test_the_generator_alone_renders_the_golden_dataset(install, tmp_path: Path) -> None:
    """The generator's wheel holds its templates and gives the golden bytes."""
    binaries = install("evenhand-generator")

    offline(
        binaries / "evenhand", "generate", "unqover", "--config", "religion", "--limit", "20",
        "--version", "1.0.0", "--out", tmp_path / "dataset",
    )  # fmt: skip

    made = (tmp_path / "dataset/evenhand.json").read_bytes()
    assert json.loads(made)["content_digest"] == golden_manifest()["content_digest"]


def test_the_scorer_alone_scores_the_golden_predictions(install, tmp_path: Path) -> None:
    """The scorer's wheel gives the golden metric JSON from a predictions file, with no model."""
    binaries = install("evenhand-scorer")
    out = tmp_path / "metrics.json"

    offline(
        binaries / "evenhand", "score", GOLDEN / "unqover",
        "--predictions", GOLDEN / "unqover_predictions.jsonl", "--out", out,
    )  # fmt: skip

    assert out.read_bytes() == (GOLDEN / "unqover_metrics.json").read_bytes()


def golden_manifest() -> dict:
    """Return the golden dataset's manifest."""
    return json.loads((GOLDEN / "unqover/evenhand.json").read_text(encoding="utf-8"))
