"""What comes of scoring BVF: side files, comparison, the original's tables, options."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import polars as pl
import pytest

from evenhand.contract import DataRefused
from evenhand.contract.report import Report
from evenhand.scorer.comparable import Key, build_comparables
from evenhand.scorer.comparison.tables import compare
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.outcome import Outcome, write_outcome
from evenhand.scorer.report.reading import read_results
from evenhand.scorer.scoring import Settings, score_files
from evenhand.scorer.statistics import Sampling

Rows = list[dict[str, Any]]
Make = Callable[..., Any]
ValuesOf = Callable[[Report], dict[Key, float | None]]

FAST = Settings(sampling=Sampling(resamples=200))


def score_at(dataset: Dataset, *paths: Path, options: Settings = FAST) -> Outcome[Any]:
    """Score our own files."""
    return score_files("bvf", paths, dataset, "evenhand", options)


def write_lines(path: Path, rows: Rows) -> Path:
    """Write rows as JSON lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_side_files_hold_the_tables(dataset: Dataset, rows: Rows, tmp_path: Path) -> None:
    """Statistics are the heat map, directions the box plots, examples the strongest texts."""
    outcome = score_at(dataset, write_lines(tmp_path / "p.jsonl", rows))
    report = write_outcome(outcome, tmp_path / "m.json")

    parts = pl.read_parquet(tmp_path / "m.parts.parquet")
    examples = [
        json.loads(line)
        for line in (tmp_path / "m.examples.jsonl").read_text(encoding="utf-8").splitlines()
    ]

    counts = dict(parts.group_by("table").len().iter_rows())
    assert counts["statistics"] == 120
    assert counts["directions"] == 6
    assert counts["subjects"] == 3
    heat = parts.filter(pl.col("table") == "statistics").row(0, named=True)
    classes = parts.filter(pl.col("table") == "classes")["class"].to_list()
    means = [total / heat["weight"] for total in heat["stereotypes"]]
    expected = {name: 2 * value - 1 for name, value in rows[0]["p"].items()}
    assert dict(zip(classes, means, strict=True)) == pytest.approx(expected)
    assert len(examples) == 120
    assert len({row["subject"] for row in examples[:3]}) == 3
    assert examples[0]["risk"] == max(row["risk"] for row in examples)
    assert "[Y]" in examples[0]["text"]
    assert msgspec.json.decode((tmp_path / "m.json").read_bytes(), type=Report) == report
    printed = outcome.tables()
    assert printed[1][0].keys() == {"config", "subject", "r", "r_b", "r_v", "preferred"}


def test_a_second_run_gives_the_same_bytes(dataset: Dataset, rows: Rows, tmp_path: Path) -> None:
    """Metric JSON, parts and examples do not differ between runs."""
    path = write_lines(tmp_path / "p.jsonl", rows)
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write_outcome(score_at(dataset, path), tmp_path / name / "m.json")

    for name in ("m.json", "m.parts.parquet", "m.examples.jsonl"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


@pytest.mark.parametrize("options", [{}, {"options": {"criterion": "l2"}}, {"protocol": "code"}])
def test_every_number_comes_back_from_its_parts(
    dataset: Dataset, rows: Rows, tmp_path: Path, values_of: ValuesOf, options: dict[str, Any]
) -> None:
    """With weights of one each comparable is the number that the metric file prints."""
    own = Settings(sampling=Sampling(resamples=50), **options)
    path = tmp_path / "m.json"
    write_outcome(score_at(dataset, write_lines(tmp_path / "p.jsonl", rows), options=own), path)
    result = read_results([path])[0]
    assert result.parts is not None

    found, printed = build_comparables(result.parts, result.report), values_of(result.report)

    by_subject_or_whole = {key for key in printed if key.dimension in {None, "subject"}}
    assert set(found) == by_subject_or_whole
    for key, one in found.items():
        value = one.value(np.ones((1, len(one.clusters))), one.sums, one.strata)[0]
        assert value == pytest.approx(printed[key], abs=1e-12), key


def test_a_stronger_stereotype_is_told_from_a_weaker_one(
    dataset: Dataset, rows: Rows, tmp_path: Path
) -> None:
    """`compare` finds that a model which doubles every stereotype has the higher R."""
    weak = [
        {"id": row["id"], "p": {k: 0.5 + (v - 0.5) / 2 for k, v in row["p"].items()}}
        for row in rows
    ]
    paths = []
    for name, own in (("weak", weak), ("strong", rows)):
        outcome = score_at(dataset, write_lines(tmp_path / f"{name}.jsonl", own))
        paths.append(tmp_path / f"{name}.json")
        write_outcome(outcome, paths[-1])

    found = compare(paths, metrics=["bvf.R"], sampling=Sampling(resamples=500)).differences

    row = next(own for own in found if own["metric"] == "bvf.R")
    assert row["b_less_a"] > 0
    assert row["p"] < 0.01


def test_unlike_criteria_are_not_compared(dataset: Dataset, rows: Rows, tmp_path: Path) -> None:
    """A report under l1 beside one under linf is refused by name."""
    paths = []
    for name in ("linf", "l1"):
        own = Settings(sampling=Sampling(resamples=50), options={"criterion": name})
        outcome = score_at(dataset, write_lines(tmp_path / f"{name}.jsonl", rows), options=own)
        paths.append(tmp_path / f"{name}.json")
        write_outcome(outcome, paths[-1])

    with pytest.raises(DataRefused, match=r"protocol .*paper\+l1"):
        compare(paths, sampling=Sampling(resamples=50))


def test_the_originals_tables_are_read(
    bvf_items: Make, write_bvf: Make, predicted: Make, tmp_path: Path
) -> None:
    """One JSON file an occupation, [p(male), count] a context in the order of the contexts."""
    counts = [5, 3, 2]
    items = bvf_items([own / 10 for own in counts], ("baker", "nurse"))
    dataset = write_bvf({"gender": items})
    p = {"baker": [0.9, 0.8, 0.4], "nurse": [0.1, 0.5, 0.3]}
    folder = tmp_path / "bert"
    folder.mkdir()
    for name, own in p.items():
        values = [list(pair) for pair in zip(own, counts, strict=True)]
        (folder / f"{name}_ero.json").write_text(json.dumps(values), encoding="utf-8")
    male = np.array(list(p.values()))
    ours = write_lines(tmp_path / "p.jsonl", predicted(items, np.stack([male, 1 - male], axis=-1)))

    found = score_files("bvf", [folder], dataset, "bvf-table", FAST).report

    assert found.metrics == score_at(dataset, ours).report.metrics
    assert {own.reader for own in found.predictions} == {"bvf-table"}


@pytest.fixture
def three_contexts(bvf_items: Make, write_bvf: Make) -> Dataset:
    """A dataset of one subject and three contexts."""
    found: Dataset = write_bvf({"gender": bvf_items((0.5, 0.3, 0.2), ("nurse",))})
    return found


@pytest.mark.parametrize(
    ("name", "values", "facts"),
    [
        ("nurse_ero.json", [[0.5, 5], [0.5, 3]], r"2 contexts, .* 3 .*'nurse'"),
        ("nurse_ero.json", [[0.5, 3], [0.5, 5], [0.5, 2]], r"context 1 .*count 3, .*00000"),
        ("nurse_ero.json", [[1.5, 5], [0.5, 3], [0.5, 2]], r": a probability .*0 to 1"),
        ("nurse_ero.json", [[0.5, 0.5, c] for c in (5, 3, 2)], r" 2 probabilities .*male.*white"),
        ("nurse_ero.json", {"a": 1}, r"JSON list"),
        ("clown_ero.json", [[0.5, 5]], r"'clown'.*<occupation>_<anything>\.json"),
    ],
)
def test_tables_of_other_contexts_are_refused(
    three_contexts: Dataset, tmp_path: Path, name: str, values: object, facts: str
) -> None:
    """Counts say whether the contexts, and their order, are the dataset's."""
    path = tmp_path / name
    path.write_text(json.dumps(values), encoding="utf-8")

    with pytest.raises(DataRefused, match=f"{name}.*{facts}"):
        score_files("bvf", [path], three_contexts, "bvf-table", FAST)


def test_the_command_takes_criterion_and_facts(
    dataset: Dataset, rows: Rows, evenhand: Make, tmp_path: Path
) -> None:
    """`score --criterion l2 --facts FILE` reaches the score; the table names the metrics."""
    facts = tmp_path / "facts.csv"
    text = "subject,income\naccountant,10\ncook,20\nnurse,40\n"
    facts.write_text(text, encoding="utf-8")
    path, out = write_lines(tmp_path / "p.jsonl", rows), tmp_path / "m.json"

    code, printed, error = evenhand(
        "score", dataset.folder, "--predictions", path, "--criterion", "l2", "--facts", facts,
        "--resamples", 50, "--out", out,
    )  # fmt: skip

    assert code == 0, error
    report = msgspec.json.decode(out.read_bytes(), type=Report)
    assert report.protocol == "paper+l2"
    assert "criterion:l2" in report.metrics[0].signature
    assert [own.id for own in report.metrics if "regression" in own.id] == [
        "bvf.regression.log_income"
    ]
    assert "bvf.R_b" in printed
    regression = [line for line in printed.split("\n") if "log_income  r " in line]
    assert regression[0].split()[-2] == "3"  # n is a count

    silent = [
        row if "nurse" not in row["id"] else {"id": row["id"], "answer": "no"} for row in rows
    ]
    code, printed, error = evenhand(
        "score", dataset.folder, "--predictions", write_lines(tmp_path / "q.jsonl", silent),
        "--facts", facts, "--resamples", 50, "--out", tmp_path / "n.json",
    )  # fmt: skip

    assert code == 0, error
    assert "(nurse)" in printed
    assert "nan" not in printed


@pytest.mark.parametrize("option", ["--criterion", "--facts"])
def test_other_benchmarks_refuse_these_options(
    write_dataset: Make, toy_items: Make, evenhand: Make, tmp_path: Path, option: str
) -> None:
    """Nothing is passed over in silence."""
    folder = write_dataset({"toy": toy_items()})
    path = write_lines(tmp_path / "p.jsonl", [{"id": "toy-1", "score_x1": 0.5, "score_x2": 0.5}])

    code, _, error = evenhand(
        "score", folder, "--predictions", path, option, "l2", "--out", tmp_path / "m.json"
    )

    assert code == 2
    assert re.search(f"{option} .*bvf,.* unqover;", error)
