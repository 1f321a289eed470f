"""Facts of occupations from the statistics' own tables, and word frequencies from the corpus."""

import json
import os
import runpy
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from evenhand.contract.cli import main
from evenhand.scorer.bvf.facts import read_facts

pytestmark = pytest.mark.conformance

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "bvf_facts.py"
TABLES = (
    "bvf/occupations_2016.csv",
    "bvf/employment_2020.csv",
    "winogender/occupations-stats.tsv",
)
FACTS = ["employment", "income", "years_of_education", "share_of_women"]

Run = Callable[..., None]


@pytest.fixture(scope="module")
def reference() -> Path:
    """The folder of reference data."""
    root = os.environ.get("EVENHAND_CONFORMANCE")
    if root is None:
        pytest.skip("EVENHAND_CONFORMANCE is not set: no tables of the statistics")
    return Path(root)


@pytest.fixture
def facts(reference: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the example script writes where the statistics' tables lie."""
    for name in TABLES:
        shutil.copy(reference / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(EXAMPLE))
    return tmp_path / "facts.csv"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs a command and expects that it succeeds."""

    def command(*words: object) -> None:
        code = main([str(word) for word in words])
        assert code == 0, capsys.readouterr().err

    return command


def test_the_example_rebuilds_the_table_that_comes_with_evenhand(facts: Path) -> None:
    """All 120 rows and four columns agree with the statistics, row by row."""
    ours, built = read_facts(None), read_facts(facts)

    assert built["subject"].to_list() == ours["subject"].to_list()
    for column in FACTS:
        assert built[column].is_null().equals(ours[column].is_null(), null_equal=True)
        difference = (built[column] - ours[column]).abs().max()
        assert isinstance(difference, float)
        assert difference < 1e-9


def test_regressions_on_the_built_table_and_on_frequencies_of_a_corpus(
    facts: Path, reference: Path, tmp_path: Path, run: Run
) -> None:
    """A risk that grows with log frequency in the corpus is found there with its planted slope."""
    frequencies, data = tmp_path / "frequencies.tsv", tmp_path / "data"
    corpus = [reference / "bvf" / "corpus" / f"book000{number}.jsonl.zst" for number in range(3)]
    run("mine", "bvf", "--corpus", *corpus, "--topic", "race", "--limit", 2,
        "--frequencies", frequencies, "--out", tmp_path / "contexts.jsonl")  # fmt: skip
    run("generate", "bvf", "--config", "gender", "--limit", 2, "--out", data)
    counts = dict(read_facts(frequencies).select("subject", "word_frequency").iter_rows())
    known = {subject: n for subject, n in counts.items() if n is not None}
    rows = pl.read_parquet(data / "gender" / "*.parquet")
    lines = []
    for key, subject in rows.select("id", "x").iter_rows():
        risk = 0.1 + 0.05 * np.log(counts[subject] or 1)
        lines.append({"id": key, "p": {"male": (1 + risk) / 2, "female": (1 - risk) / 2}})
    predictions = tmp_path / "predictions.jsonl"
    predictions.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    run("score", data, "--predictions", predictions, "--facts", facts, frequencies,
        "--resamples", 50, "--out", tmp_path / "metrics.json")  # fmt: skip
    report = json.loads((tmp_path / "metrics.json").read_text(encoding="utf-8"))
    regressions = {one["id"]: one for one in report["metrics"] if "regression" in one["id"]}
    fit = regressions["bvf.regression.log_word_frequency"]
    employed = read_facts(facts).drop_nulls("employment")["subject"]

    assert set(regressions) == {
        "bvf.regression.log_income",
        "bvf.regression.years_of_education",
        "bvf.regression.share_of_women",
        "bvf.regression.log_word_frequency",
    }
    assert fit["value"] == pytest.approx(0.05)
    assert fit["by"]["r"]["r_squared"]["value"] == pytest.approx(1.0)
    assert fit["by"]["r"]["n"]["value"] == len(known.keys() & {*employed})
    assert len(known) > 30
    assert known["president"] > known["lawyer"] > 0
    assert "|facts:" in fit["signature"]


def test_the_counts_are_those_of_a_plain_search(reference: Path, tmp_path: Path, run: Run) -> None:
    """Read another way, one file of the corpus holds each word as often as the table says."""
    import io
    import re

    import zstandard

    corpus = reference / "bvf" / "corpus" / "book0001.jsonl.zst"
    table = tmp_path / "frequencies.tsv"
    run("mine", "bvf", "--corpus", corpus, "--topic", "race", "--frequencies", table,
        "--out", tmp_path / "contexts.jsonl")  # fmt: skip
    with corpus.open("rb") as packed:
        stream = io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(packed), "utf-8")
        text = " ".join(json.loads(line)["text"] for line in stream).lower()
    counts = dict(read_facts(table).select("subject", "word_frequency").iter_rows())

    for word in ("captain", "doctor", "officer", "writer", "nurse", "programmer"):
        n_matches = len(re.findall(rf"(?<![^\W\d_]){word}(?![^\W\d_])", text))
        assert (counts[word] or 0) == n_matches
