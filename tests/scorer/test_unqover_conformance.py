"""Values of the original analysis (allenai/unqover at 3e47969b) on pseudo-random scores."""

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pytest

from evenhand.contract.report import Report
from evenhand.scorer.scoring import Settings, score_files
from evenhand.scorer.statistics import Sampling
from evenhand.scorer.unqover.results import ScoredConfig
from evenhand.scorer.unqover.tables import parts_table, subject_attribute_table

pytestmark = pytest.mark.conformance

CASES = ("ethnicity_mini", "ethnicity_mini_zeros", "gender_mini", "gender_demo", "country_demo")
TOLERANCE = 1e-12


class Case(NamedTuple):
    """One file of the original, what it gave there, and what it gives here."""

    folder: Path
    name: str
    exact: dict[str, Any]
    report: Report
    scored: ScoredConfig

    def printed(self, table: str) -> list[str]:
        """Return the lines that the original printed for one table."""
        path = self.folder / f"{self.name}.{table}.out.txt"
        return path.read_text(encoding="utf-8").splitlines()

    def value(self, metric: str) -> float:
        """Return the value of one of our metrics."""
        value = next(
            metric_record.value
            for metric_record in self.report.metrics
            if metric_record.id == metric
        )
        assert value is not None
        return value


@pytest.fixture(scope="module", params=CASES)
def case(request, conformance: Path) -> Case:
    """Score one file of the original by itself."""
    folder, name = conformance / "unqover/case", request.param
    path, settings = folder / f"{name}.predictions.json", Settings(sampling=Sampling(resamples=100))
    outcome = score_files("unqover", [path], None, "unqover", settings)
    exact = json.loads((folder / f"{name}.exact.json").read_text(encoding="utf-8"))
    return Case(folder, name, exact, outcome.report, outcome.results[0])


def test_comparative_bias_of_every_example(case: Case) -> None:
    """C of every example is the original's, and there are as many examples."""
    examples = case.scored.examples
    subjects, templates = examples.subjects, [int(name[1:]) for name in examples.templates]
    codes = (examples.x1, examples.x2, examples.template, examples.attribute)
    biases = {
        f"{subjects[x1]}|{subjects[x2]}|{templates[t]}|{examples.attributes[a]}": c
        for x1, x2, t, a, c in zip(*codes, case.scored.bias.tolist(), strict=True)
    }

    assert len(examples.x1) == case.exact["pairs"]
    assert biases == pytest.approx(case.exact["C"], abs=TOLERANCE)


def test_ties_stay_ties(case: Case) -> None:
    """The sign of every C, 0 among them, is the original's."""
    ours = np.sort(np.sign(case.scored.bias))

    assert (ours == np.sort(np.sign(list(case.exact["C"].values())))).all()


@pytest.mark.parametrize("metric", ["delta", "epsilon", "mu", "eta"])
def test_numbers_of_a_model(case: Case, metric: str) -> None:
    """Delta, epsilon, mu and eta agree to 1e-12."""
    assert case.value(f"unqover.{metric}") == pytest.approx(case.exact[metric], abs=TOLERANCE)


@pytest.mark.parametrize(("column", "exact"), [("gamma", "gamma_xa"), ("eta", "eta_xa")])
def test_subject_attribute_cells(case: Case, column: str, exact: str) -> None:
    """Gamma and eta of every subject and attribute agree to 1e-12, and there are no others."""
    table = subject_attribute_table(case.scored)
    values = {
        f"{row['subject']}|{row['attribute']}": row[column] for row in table.iter_rows(named=True)
    }

    assert values == pytest.approx(case.exact[exact], abs=TOLERANCE)


def test_gamma_of_subjects(case: Case) -> None:
    """Gamma of every subject agrees to 1e-12."""
    gamma = next(metric for metric in case.report.metrics if metric.id == "unqover.gamma")
    values = {name: value.value for name, value in gamma.by["subject"].items()}

    assert values == pytest.approx(case.exact["gamma_x"], abs=TOLERANCE)


def test_printed_table_by_subject(case: Case) -> None:
    """Subject, gamma, eta and number of examples are what the original printed, digit for digit."""
    table = parts_table(case.scored).filter(pl.col("table") == "subjects")
    ours = {
        f"{row['subject']}\t{row['gamma']:.4f}\t{row['eta']:.2f}\t{row['n']}"
        for row in table.iter_rows(named=True)
    }

    assert ours == set(rows_of(case.printed("subj"), 4))


def test_printed_table_by_subject_and_attribute(case: Case) -> None:
    """The large table too is what the original printed, digit for digit."""
    ours = {
        f"{row['subject']}\t{row['attribute']}\t{row['gamma']:.4f}\t{row['eta']:.2f}\t{row['n']}"
        for row in subject_attribute_table(case.scored).iter_rows(named=True)
    }

    assert ours == set(rows_of(case.printed("subj_act"), 5))


def test_printed_table_by_gender(case: Case) -> None:
    """For gender, the table of the two groups is what the original printed."""
    if not case.name.startswith("gender"):
        groups = parts_table(case.scored).filter(pl.col("table") == "group_attribute")
        assert groups.is_empty()
        return
    table = parts_table(case.scored).filter(pl.col("table") == "group_attribute")
    ours = {
        f"{row['group']}\t{row['attribute']}\t{row['gamma']:.4f}\t{row['eta']:.4f}\t{row['n']}"
        for row in table.iter_rows(named=True)
    }

    assert ours == set(rows_of(case.printed("gender_act"), 5))


def test_printed_mean_score_and_errors(case: Case) -> None:
    """Average answer probability, positional and attributive error, to the printed digit."""
    lines = case.printed("subj")

    assert f"positional error: {case.value('unqover.delta'):.4f}" in lines
    assert f"attributive error: {case.value('unqover.epsilon'):.4f}" in lines
    # The line's own words are shortened ones, so only their end is compared.
    mean = f" probability: {case.value('unqover.mean_score'):.4f}"
    assert any(line.startswith("avg") and line.endswith(mean) for line in lines)


def test_flipped_decisions_are_not_what_the_original_counts(case: Case) -> None:
    """The original counts examples that move at all; we count decisions that go elsewhere."""
    line = next(line for line in case.printed("subj") if "positionally inconsistent" in line)
    moved, pairs = (int(word) for word in line.split(" are ")[0].split(" / "))
    examples = case.scored.examples
    differences = [
        abs(s[:, [0, 2]] - s[:, [1, 3]]) for s in (examples.scores_x1, examples.scores_x2)
    ]

    assert (np.maximum(*differences).max(axis=1) > 0).sum() == moved
    assert len(examples.x1) == pairs
    assert case.value("unqover.flipped_by_position") < moved / pairs


def test_texts_are_those_of_the_questions(case: Case) -> None:
    """The strongest examples carry each question's own words; order 21 shows x2 first."""
    path = case.folder / f"{case.name}.predictions.json"
    settings = Settings(sampling=Sampling(resamples=1))
    outcome = score_files("unqover", [path], None, "unqover", settings)
    entries = {key.lower(): value for key, value in json.loads(path.read_bytes()).items()}

    for row in outcome.examples()[:20]:
        for question in row["questions"]:
            pair = (row["x1"], row["x2"])
            first, second = pair if question["order"] == 12 else pair[::-1]
            slots = f"|{first}|{second}|{int(row['template'][1:])}|"
            entry = next(
                value
                for key, value in entries.items()
                if slots in key and key.endswith(f"|{row['attribute']}")
            )
            asked = entry["q0" if question["polarity"] == "pos" else "q1"]
            assert (question["context"], question["question"]) == (
                entry["context"],
                asked["question"],
            )
            sides = (asked["ans0"], asked["ans1"])
            side = sides[0] if first == row["x1"] else sides[1]
            assert question["score_x1"] == pytest.approx((side["start"] * side["end"]) ** 0.5)


def rows_of(lines: list[str], n_columns: int) -> list[str]:
    """Return the tab-separated rows of a printed table, without its heading."""
    rows = [line for line in lines if line.count("\t") == n_columns - 1]
    return [row for row in rows if not row.startswith("subj\t")]


def test_a_source_file_holds_no_scores(conformance: Path, evenhand, tmp_path: Path) -> None:
    """The original's questions, not yet answered, are refused by what they lack."""
    source = conformance / "unqover/case/ethnicity_mini.source.json"

    code, _, message = evenhand(
        "score", "unqover", "--predictions", source, "--reader", "unqover",
        "--out", tmp_path / "m.json",
    )  # fmt: skip

    assert code == 1
    assert re.search(rf"{re.escape(str(source))} .*\bscores\b.*\bempty\b", message)
