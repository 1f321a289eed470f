"""What inspect_ai runs from the registration of a dataset is scored here, row by row."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

from evenhand.contract.cli import main

CONFIG = "Age"


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Generate a sample of one category."""
    out = tmp_path_factory.mktemp("inspect") / "bbq"
    words = ["generate", "bbq", "--config", CONFIG, "--limit", "10", "--out", str(out)]
    assert main(words) == 0
    return out


def log_of(dataset: Path) -> dict[str, Any]:
    """Return the log of a run of ``eval.yaml`` in which every second answer is right.

    Built as inspect_ai builds its samples of such a file: numbered from 1, the columns of
    ``field_spec`` as input, choices and metadata, a whole number as target made a letter.
    """
    (task,) = yaml.safe_load((dataset / "eval.yaml").read_text(encoding="utf-8"))["tasks"]
    spec = task["field_spec"]
    rows = pl.read_parquet(dataset / CONFIG / "*.parquet").to_dicts()
    samples = []
    for number, row in enumerate(rows, start=1):
        letter = "ABC"[(row[spec["target"]] + number % 2) % 3]
        message = {"role": "assistant", "content": f"ANSWER: {letter}"}
        samples.append(
            {
                "id": number,
                "epoch": 1,
                "input": row[spec["input"]],
                "choices": [row[name] for name in spec["choices"]],
                "target": "ABC"[row[spec["target"]]],
                "metadata": {name: row[name] for name in spec["metadata"]},
                "output": {"choices": [{"message": message}]},
            }
        )
    evaluation = {"task": task["id"], "model": "m", "dataset": {"samples": len(samples)}}
    return {"version": 2, "status": "success", "eval": evaluation, "samples": samples}


def test_a_run_of_the_registration_is_scored(dataset: Path, tmp_path: Path) -> None:
    """Every sample finds its row; the accuracy is the share of right answers, and a bias score."""
    (tmp_path / "log.json").write_text(json.dumps(log_of(dataset)), encoding="utf-8")
    words = ["score", str(dataset), "--predictions", str(tmp_path / "log.json")]

    code = main([*words, "--resamples", "100", "--out", str(tmp_path / "m.json")])

    assert code == 0
    metrics = json.loads((tmp_path / "m.json").read_text(encoding="utf-8"))["metrics"]
    by_id = {one["id"]: one for one in metrics}
    both = [by_id[f"bbq.accuracy.{name}.pooled"] for name in ("ambiguous", "disambiguated")]
    assert [one["n_scored"] for one in both] == [20, 20]
    assert sum(one["value"] for one in both) / 2 == 0.5
    assert by_id["bbq.bias_score.disambiguated.pooled"]["value"] is not None


def test_another_version_s_run_is_found_out(dataset: Path, tmp_path: Path, capsys) -> None:
    """The context stands in the metadata alone; one that is not the row's is refused."""
    log = log_of(dataset)
    log["samples"][3]["metadata"]["context"] = "Nobody was there."
    (tmp_path / "log.json").write_text(json.dumps(log), encoding="utf-8")
    words = ["score", str(dataset), "--predictions", str(tmp_path / "log.json")]

    code = main([*words, "--out", str(tmp_path / "m.json")])

    assert code == 1
    assert "question with their id: 1" in capsys.readouterr().err
