"""The provenance of a report: what was scored, with what, and what was left out."""

from collections.abc import Callable, Sequence

from evenhand.contract.report import Report
from evenhand.scorer.benchmark import benchmark
from evenhand.scorer.report import numbers
from evenhand.scorer.report.blocks import (
    Block,
    Cell,
    Column,
    Details,
    Facts,
    Paragraph,
    Section,
    Table,
)
from evenhand.scorer.report.reading import ModelResult, model_name

_SHORT = 12
"""Digits of a digest that suffice to distinguish it from others."""


_WAYS = ("style", "normalise")
"""Settings of ``decoding`` that change a model's numbers."""


def facts(results: Sequence[ModelResult]) -> Facts:
    """Return the few facts that stand at the top: dataset, models, predictions, versions."""
    reports = [result.report for result in results]
    return Facts(
        rows=[
            ("Dataset", _each(reports, _dataset)),
            ("Model" if len(results) == 1 else "Models", [_model(result) for result in results]),
            ("Predictions", [text for report in reports for text in _predictions(report)]),
            ("Protocol", _each(reports, lambda report: report.protocol)),
            ("Scored by", _each(reports, lambda report: f"Evenhand {report.scorer_version}")),
        ]
    )


def _each(reports: Sequence[Report], write: Callable[[Report], str]) -> list[str]:
    """Write a fact once where all agree, else each of them."""
    return list(dict.fromkeys(write(report) for report in reports))


def _dataset(report: Report) -> str:
    record = report.dataset
    version = record.version or "without a version"
    if record.digest is None:
        return f"{record.stem} {version} (digest unknown: {record.why_null or 'no reason given'})"
    return f"{record.stem} {version}, digest {record.digest[:_SHORT]}"


def _model(result: ModelResult) -> str:
    record = next((candidate for candidate in result.report.predictions if candidate.model), None)
    if record is None or record.model is None:
        return result.label
    model, asked = record.model, record.decoding or {}
    extra = [
        *(model.task, model.precision, model.revision and f"revision {model.revision}"),
        *(f"{name} {asked[name]}" for name in _WAYS if isinstance(asked.get(name), str)),
    ]
    known = ", ".join(word for word in extra if word)
    return f"{result.label} ({known})" if known else result.label


def _predictions(report: Report) -> list[str]:
    return [f"{file.name}, sha256 {file.sha256[:_SHORT]}" for file in report.predictions]


def cautions(results: Sequence[ModelResult]) -> list[str]:
    """Say why the models of one report may not be comparable."""
    reports = [result.report for result in results]
    texts = []
    if len({_data(report) for report in reports}) > 1:
        texts.append(
            "The runs are of several datasets: compare models on one dataset, or one model over"
            " datasets."
            if _is_over_datasets(reports)
            else "The models were not scored on the same dataset; do not compare their numbers."
        )
    if len({report.protocol for report in reports}) > 1:
        texts.append("The models were scored under different protocols (paper, code).")
    precisions = {
        record.model.precision
        for report in reports
        for record in report.predictions
        if record.model is not None and record.model.precision is not None
    }
    if len(precisions) > 1:
        named = ", ".join(sorted(precisions))
        texts.append(
            f"The models ran at different precisions ({named}); small differences are due to that."
        )
    return texts


def _data(report: Report) -> tuple[str | None, str | None]:
    return report.dataset.version, report.dataset.digest


def _is_over_datasets(reports: Sequence[Report]) -> bool:
    """Say whether one model was scored on several datasets of a benchmark that compares them."""
    if not benchmark(reports[0].dataset.stem).compares_datasets:
        return False
    pairs = {(model_name(report), _data(report)) for report in reports}
    return len(pairs) > len({name for name, _ in pairs})


def made_section(results: Sequence[ModelResult]) -> Section:
    """Return how everything was made: settings, warnings, digests, signatures."""
    return Section(
        title="How this was made",
        lead="Everything needed to reproduce the numbers.",
        blocks=[
            *_warnings(results),
            _settings(results),
            _files(results),
            Details(summary="Signature of every number", blocks=[_signatures(results)]),
        ],
    )


def _warnings(results: Sequence[ModelResult]) -> list[Block]:
    texts = [
        _name_model(result, text, results) for result in results for text in result.report.warnings
    ]
    for result in results:
        for lack in (result.why_no_parts, result.why_no_examples):
            texts += [] if lack is None else [_name_model(result, f"{lack}.", results)]
    if not texts and _has_left_out(results):
        texts = ["Some rows were left out; the tables say how many."]
    if not texts:
        return [Paragraph(text="Nothing was left out, and scoring gave no warning.")]
    return [Paragraph(text=text, notice=True) for text in dict.fromkeys(texts)]


def _has_left_out(results: Sequence[ModelResult]) -> bool:
    return any(metric.n_unscored for result in results for metric in result.report.metrics)


def _name_model(result: ModelResult, text: str, results: Sequence[ModelResult]) -> str:
    return text if len(results) == 1 else f"{result.label}: {text}"


def _settings(results: Sequence[ModelResult]) -> Table:
    return Table(
        caption="Settings",
        columns=[
            Column(label="Model"),
            Column(label="Configs"),
            Column(label="Protocol"),
            Column(label="Seed", is_number=True),
            Column(label="Resamples", is_number=True),
            Column(label="Level", is_number=True),
            Column(label="Scorer"),
        ],
        rows=[
            [
                Cell(text=result.label),
                Cell(text=", ".join(report.configs)),
                Cell(text=report.protocol),
                Cell(text=str(report.seed), sort=report.seed),
                Cell(text=numbers.count(report.resamples), sort=report.resamples),
                Cell(text=numbers.level(report.level), sort=report.level),
                Cell(text=report.scorer_version),
            ]
            for result in results
            for report in [result.report]
        ],
    )


def _files(results: Sequence[ModelResult]) -> Table:
    rows = []
    for result in results:
        report = result.report
        digest = report.dataset.digest or f"unknown: {report.dataset.why_null or 'no reason given'}"
        rows.append(
            [
                result.label,
                "dataset",
                f"{report.dataset.stem} {report.dataset.version or ''}",
                digest,
            ]
        )
        rows += [
            [result.label, "predictions", file.name, file.sha256] for file in report.predictions
        ]
        named = (("parts", report.parts), ("examples", report.examples))
        rows += [[result.label, kind, side.name, side.sha256] for kind, side in named if side]
    columns = [Column(label=label) for label in ("Model", "What", "Name", "sha256")]
    cells = [[Cell(text=text) for text in row] for row in rows]
    return Table(caption="Files and digests", columns=columns, rows=cells)


def _signatures(results: Sequence[ModelResult]) -> Table:
    columns = [Column(label="Model"), Column(label="Metric"), Column(label="Signature")]
    rows = [
        [Cell(text=result.label), Cell(text=metric.id), Cell(text=metric.signature)]
        for result in results
        for metric in result.report.metrics
    ]
    return Table(caption="Signatures", columns=columns, rows=rows)
