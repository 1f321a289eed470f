"""Predict: check and score take what it writes, in every format, and nothing else moves it."""

import json
from pathlib import Path

import polars as pl
import pytest

SUFFIXES = (".parquet", ".jsonl", ".jsonl.gz", ".csv")


@pytest.fixture
def dataset(write_dataset, toy_items) -> Path:
    """Write a dataset of two configs of questions."""
    return write_dataset({"toy": toy_items(), "other": toy_items(templates=1, config="other")})


@pytest.fixture
def predict(evenhand, exported, dataset, tmp_path):
    """Run `evenhand predict` on the dataset; return the file."""

    def run(name, *options):
        out, model = tmp_path / name, exported("bert", "question-answering")
        words = ["predict", dataset, "--model", model, "--out", out, *options]
        code, stdout, stderr = evenhand(*words)
        assert (code, stdout) == (0, ""), stderr
        return out

    return run


def test_every_format_is_checked_and_scored_alike(evenhand, predict, dataset, tmp_path) -> None:
    """All four formats pass `check` without a fault and give the same numbers."""
    reports = []
    for suffix in SUFFIXES:
        path = predict(f"p{suffix}", "--config", "toy")
        code, _, stderr = evenhand("check", dataset, path)
        assert code == 0, stderr
        out = tmp_path / f"metrics{suffix}.json"
        words = ["score", dataset, "--predictions", path, "--resamples", 20, "--out", out]
        code, _, stderr = evenhand(*words)
        assert code == 0, stderr
        reports.append(json.loads(out.read_bytes())["metrics"])
    assert reports[0]
    assert all(report == reports[0] for report in reports)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_second_run_gives_the_same_bytes(predict, suffix) -> None:
    """File and sidecar are byte for byte those of the first run, whatever its name."""
    first, second = predict(f"a{suffix}"), predict(f"b{suffix}")
    assert first.read_bytes() == second.read_bytes()
    if ".jsonl" not in suffix:
        sidecars = [Path(f"{path}.meta.json").read_bytes() for path in (first, second)]
        assert sidecars[0] == sidecars[1]


def test_unrelated_rows_move_no_score(predict) -> None:
    """A config's scores are the same when it is answered alone and together with others."""
    together = pl.read_parquet(predict("both.parquet"))
    alone = pl.read_parquet(predict("one.parquet", "--config", "other"))
    joined = alone.join(together, on="id", suffix="_both")
    assert len(joined) == len(alone)
    for column in ("score_x1", "score_x2"):
        assert (joined[column] - joined[f"{column}_both"]).abs().max() < 1e-6
