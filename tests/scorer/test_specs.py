"""The declarations of metrics: complete, in agreement with the formulas, and all that is needed."""

# ruff: noqa: RUF001 - the symbols are the papers'

import inspect
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from evenhand.contract import STEMS
from evenhand.scorer.bbq import specs as bbq
from evenhand.scorer.benchmark import benchmark
from evenhand.scorer.bvf import specs as bvf
from evenhand.scorer.comparable import build_comparables
from evenhand.scorer.report.reading import read_results
from evenhand.scorer.specs import MetricSpec, find, metric_words, reported_specs
from evenhand.scorer.unqover import specs as unqover

GOLDEN = Path(__file__).parents[1] / "golden"
SPECS = [pytest.param(spec, id=spec.id) for stem in STEMS for spec in benchmark(stem).metrics]
FILLED = (
    "id", "heading", "formula", "mathml", "explanation", "section", "unit", "label", "short",
    "column", "reading", "why_null", "range_words",
)  # fmt: skip
PLACES = re.compile(r"(?:section|ppendix) [0-9A-Z]+(?:\.[0-9]+)?")
GREEK = {"gamma": "γ", "eta": "η", "mu": "μ", "delta": "δ", "epsilon": "ε", "bar S": "S̄",
         "alpha": "α", "beta": "β"}  # fmt: skip


def metric_of_file(stem: str) -> list[dict[str, Any]]:
    """Return the metrics of a golden metric file."""
    found: list[dict[str, Any]] = json.loads((GOLDEN / f"{stem}_metrics.json").read_text())[
        "metrics"
    ]
    return found


def docstring_part(spec: MetricSpec, heading: str) -> str:
    """Return what stands under a heading of the docstring of a metric's function, on one line."""
    text = inspect.getdoc(spec.function) or ""
    found = re.search(rf"^{heading}\n+((?:[ ]{{4}}.*\n+)+)", f"{text}\n", re.MULTILINE)
    assert found is not None, heading
    return " ".join(found[1].split())


def plain_symbol(latex: str) -> str:
    """Return what stands left of the first sign of equality, as plain text has it."""
    left = latex.partition("=")[0]
    for name, letter in GREEK.items():
        left = left.replace(f"\\{name}", letter)
    return re.sub(r"[\\{} ]", "", left).replace("^b", "ᵇ").replace("^v", "ᵛ")


@pytest.mark.parametrize("spec", SPECS)
def test_a_declaration_is_complete(spec: MetricSpec) -> None:
    """Nothing is left empty; the formula is one in MathML; the best value lies in the range."""
    assert [name for name in FILLED if not getattr(spec, name)] == []
    assert ET.fromstring(f"<math>{spec.mathml}</math>").tag == "math"  # noqa: S314 - our own
    assert spec.paper.short
    if spec.best is not None and spec.range is not None:
        assert spec.range[0] <= spec.best <= spec.range[1]


@pytest.mark.parametrize("spec", SPECS)
def test_a_signed_metric_is_read_from_its_zero(spec: MetricSpec) -> None:
    """0 is best, both signs occur, and its reading begins with what 0 means."""
    if spec.signed:
        assert spec.best == 0
        assert spec.range is None or spec.range[0] < 0 < spec.range[1]
        assert spec.reading.startswith("0: ")


@pytest.mark.parametrize("stem", STEMS)
def test_no_metric_is_declared_twice(stem: str) -> None:
    """Ids and heads of columns are each of one metric."""
    metrics = benchmark(stem).metrics

    for names in ([spec.id for spec in metrics], [spec.short for spec in metrics]):
        assert len(set(names)) == len(names)


@pytest.mark.parametrize("stem", STEMS)
def test_every_metric_of_a_file_has_one_declaration(stem: str) -> None:
    """Each id fits one declaration, which says its unit, range and best value."""
    for metric in metric_of_file(stem):
        fitting = [own for own in benchmark(stem).metrics if own.variant(metric["id"]) is not None]
        assert len(fitting) == 1, metric["id"]
        spec = fitting[0]
        assert spec.id_for(spec.variant(metric["id"]) or "") == metric["id"]
        assert (spec.best, spec.unit.format(spec.variant(metric["id"]))) == (
            metric["best"],
            metric["unit"],
        )
        assert spec.range is None or list(spec.range) == metric["range"]


@pytest.mark.parametrize("spec", SPECS)
def test_a_declaration_agrees_with_the_docstring_of_its_function(spec: MetricSpec) -> None:
    """The same section of the paper, the same range, the same symbol left of the formula."""
    source, formula = docstring_part(spec, "Source:"), docstring_part(spec, ".. math::")

    assert set(PLACES.findall(spec.section)) <= set(
        PLACES.findall(source.replace("Appendix", "appendix"))
    )
    if spec.range is not None:
        written = "[{:g}, {:g}]".format(*spec.range)
        # A part of a risk has a range of its own, and BVF's risks are divided by their largest.
        assert docstring_part(spec, "Range:").startswith(written) or spec.function in (
            bvf.metrics.risks,
            bvf.knowledge,
        )
    symbols = [plain_symbol(part) for part in re.split(r",\\q?quad", formula)]
    assert any(symbol in spec.formula.replace(" ", "") for symbol in symbols)


@pytest.mark.parametrize("spec", SPECS)
def test_docstring_of_a_metric_has_its_fixed_order(spec: MetricSpec) -> None:
    """Meaning, formula, symbols, range, ties and empties, source, and an example to check."""
    text = inspect.getdoc(spec.function) or ""
    headings = [".. math::", "Symbols:", "Range:", "Ties and empties:", "Source:", ">>> "]
    places = [text.find(heading) for heading in headings]

    assert -1 not in places
    assert places == sorted(places)
    assert re.match(r"[A-Z][^\n]+\.\n\n\.\. math::\n    \S", text)


def test_what_a_later_version_added_is_told_by_its_id() -> None:
    """An unknown metric has a name, and no declaration."""
    assert find(bbq.METRICS, "bbq.accuracy_gain.macro") is None
    assert find(bbq.METRICS, "bbq.accuracy_cost.median") is None
    assert metric_words(bbq.METRICS, "bbq.accuracy_gain.macro").label == "accuracy gain, macro"


def test_what_varies_in_an_id_stands_in_the_name() -> None:
    """The mean, the class and the factor are spoken of."""
    labels = [
        metric_words(benchmark(name.partition(".")[0]).metrics, name).label
        for name in ("bbq.accuracy_cost.macro", "bvf.direction.male", "bvf.regression.log_income")
    ]

    assert labels == [
        "accuracy cost of bias nonalignment, mean of the categories",
        "preference for male",
        "change of the risk with the logarithm of income",
    ]


def test_metrics_with_one_definition_are_defined_once() -> None:
    """Three risks that are not normalised have one formula under one heading."""
    ids = ["bvf.R_unnormalised", "bvf.R_b_unnormalised", "bvf.R_v_unnormalised", "bvf.R"]

    assert [spec.id for spec in reported_specs(bvf.METRICS, ids)] == ["bvf.R", "bvf.R_unnormalised"]


def toy_gain(n_right: Any, n_scored: Any) -> Any:
    """A formula that no benchmark has."""
    return 2 * n_right / n_scored


WORDS = {
    "label": "toy of the test",
    "heading": "",
    "short": "toy_head",
    "column": "Toy column",
    "reading": "0: nothing toyed with",
    "formula": "toy = two of a kind",
    "explanation": "The explanation of the toy.",
    "symbol": "",
}
TOYS = {
    "bbq": replace(
        bbq.METRICS[0], id="bbq.toy.{mean}", function=toy_gain, range=(0.0, 2.0),
        value=lambda read: toy_gain(read("correct"), read("scored")), **WORDS,
    ),
    "unqover": replace(
        unqover.METRICS[4], id="unqover.toy", value=lambda x1, x2: x1[..., 0] - x2[..., 0], **WORDS
    ),
    "unqover cells": replace(
        unqover.METRICS[0], id="unqover.toy",
        value=lambda sums, n: np.abs(sums / np.maximum(n, 1)).max(axis=(-2, -1)), **WORDS,
    ),
    "bvf": bvf.Summary(
        id="bvf.toy", function=toy_gain, parts={"": 0}, value=lambda risk: risk.max(axis=1),
        unit="risk", range=(0.0, 1.0), best=0.0, mathml="<mi>t</mi>", section="none",
        paper=bvf.PAPER, **WORDS,
    ),
}  # fmt: skip


@pytest.mark.parametrize("toy", TOYS)
def test_a_new_metric_is_its_function_and_its_declaration(
    toy: str,
    evenhand: Callable[..., tuple[int, str, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing else is touched, and it stands in every table, file, page and comparison."""
    stem, spec = toy.partition(" ")[0], TOYS[toy]
    module = {"bbq": bbq, "unqover": unqover, "bvf": bvf}[stem]
    monkeypatch.setattr(module, "METRICS", (*module.METRICS, spec))
    predictions, out = GOLDEN / f"{stem}_predictions.jsonl", tmp_path / "metrics.json"

    words = ("--out", out, "--resamples", 50, "--allow-missing")
    status, printed, complaint = evenhand(
        "score", GOLDEN / stem, "--predictions", predictions, *words
    )

    assert status == 0, complaint
    metrics = {own["id"]: own for own in json.loads(out.read_text())["metrics"]}
    metric = metrics[spec.id_for("pooled")]
    assert metric["value"] is not None
    assert (metric["unit"], metric["range"], metric["best"]) == (
        spec.unit, list(spec.range or ()), spec.best,
    )  # fmt: skip
    assert metric["id"] in printed
    if stem == "bbq":
        assert spec.short in printed
    page = evenhand("report", out, "--out", "-")[1]
    for text in (spec.label.capitalize(), spec.reading, spec.explanation, f"<code>{spec.base}"):
        assert text.casefold() in page.casefold()
    if stem == "bbq":
        assert spec.column in page
    stated = ("--model", "lab/tiny", "--dataset-repo", "org/data")
    assert spec.label in evenhand("report", out, "--as", "model-index", *stated)[1]
    (result,) = read_results([out])
    assert result.parts is not None
    numbers = build_comparables(result.parts, result.report)
    assert metric["id"] in {key.metric for key in numbers}
