"""Reads metric files and their side files, and says which are missing and why."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from evenhand.contract import CONTRACT_VERSION, STEMS
from evenhand.contract.errors import DataRefused, WrongUse
from evenhand.contract.files import sha256_of_file
from evenhand.contract.report import Report, SideFile

if TYPE_CHECKING:
    import polars as pl


class ReadReport(NamedTuple):
    """One metric file."""

    path: Path
    report: Report


@dataclass(frozen=True, kw_only=True)
class ModelResult:
    """One metric file with its side files."""

    path: Path
    label: str
    """The model's name, made unique among the files of one report."""
    report: Report
    parts: "pl.DataFrame | None"
    why_no_parts: str | None
    examples: list[dict[str, Any]]
    why_no_examples: str | None
    is_baseline: bool = False
    """True where the file was given as a baseline."""


def read_reports(paths: Sequence[Path]) -> list[ReadReport]:
    """Read metric files, in the order given, without their side files.

    Raises:
        DataRefused: a file is missing or no metric file, is of a later contract, has no metric, is
            of an unknown benchmark, or comes twice.
    """
    resolved = [path.resolve() for path in paths]
    for path, whole in zip(paths, resolved, strict=True):
        if resolved.count(whole) > 1:
            raise DataRefused(f"{path} is given twice; give each metric file once.")
    return [ReadReport(path, _read_report(path)) for path in paths]


def read_results(
    paths: Sequence[Path], names: Sequence[str] = (), *, n_baselines: int = 0
) -> list[ModelResult]:
    """Read all metric files of one report, in the order given.

    Args:
        paths: the metric files.
        names: names of the models, one per file; without any, those in the predictions.
        n_baselines: how many files at the end are baselines.

    Raises:
        DataRefused: as :func:`read_reports`, or a side file is not the one that its metric file
            names.
    """
    reports = read_reports(paths)
    labels = list(names) or _labels(reports)
    _check_labels(reports, labels)
    n_models = len(reports) - n_baselines
    return [
        _result(*read, label, is_baseline=place >= n_models)
        for place, (read, label) in enumerate(zip(reports, labels, strict=True))
    ]


def model_name(report: Report) -> str:
    """Return the model as the predictions state it, else the name of their file."""
    for record in report.predictions:
        if record.model is not None and record.model.name:
            return record.model.name
    return report.predictions[0].name if report.predictions else "model without a name"


def _read_report(path: Path) -> Report:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise DataRefused(f"{path} does not exist; `evenhand score` writes metric files.") from None
    try:
        report = msgspec.json.decode(content, type=Report)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        hint = "give a file that `evenhand score` wrote"
        raise DataRefused(f"{path} is not a metric file: {error}; {hint}.") from error
    if report.contract_version.split(".")[0] != CONTRACT_VERSION.split(".")[0]:
        raise DataRefused(
            f"{path}: contract_version is {report.contract_version}, but this version of Evenhand"
            f" reads {CONTRACT_VERSION}; score the predictions again."
        )
    if not report.metrics:
        raise DataRefused(f"{path}: metrics is empty, so there is nothing to report.")
    if report.dataset.stem not in STEMS:
        raise DataRefused(
            f"{path}: dataset.stem is {report.dataset.stem!r}, but this version knows"
            f" {', '.join(STEMS)}."
        )
    return report


def _labels(files_read: Sequence[ReadReport]) -> list[str]:
    """Name each result by its model.

    One name may stand for a model's files of several benchmarks; where two files of one benchmark
    have the same name, the files tell them apart.
    """
    names = [model_name(read.report) for read in files_read]
    places = [
        (read.report.dataset.stem, name) for read, name in zip(files_read, names, strict=True)
    ]
    files = [read.path.name for read in files_read]
    where = files if len(set(files)) == len(files) else [str(read.path) for read in files_read]
    clashing = {name for stem, name in places if places.count((stem, name)) > 1}
    is_named = [any(file.model for file in read.report.predictions) for read in files_read]
    return [
        name if name not in clashing else f"{name} ({file})" if named else file
        for name, file, named in zip(names, where, is_named, strict=True)
    ]


def _check_labels(files_read: Sequence[ReadReport], labels: Sequence[str]) -> None:
    """Refuse one name for two models on one benchmark: their numbers could not be distinguished."""
    seen: dict[tuple[str, str], Path] = {}
    for read, label in zip(files_read, labels, strict=True):
        first = seen.setdefault((read.report.dataset.stem, label), read.path)
        if first != read.path:
            raise WrongUse(
                f"--model {label} names both {first} and {read.path}; give each its own name."
            )


def _result(path: Path, report: Report, label: str, *, is_baseline: bool) -> ModelResult:
    parts, why_no_parts = _side_file(path, report.parts, "parts")
    examples, why_no_examples = _side_file(path, report.examples, "examples")
    return ModelResult(
        path=path,
        label=label,
        report=report,
        parts=None if parts is None else _read_parts(parts),
        why_no_parts=why_no_parts,
        examples=[] if examples is None else _read_examples(examples),
        why_no_examples=why_no_examples,
        is_baseline=is_baseline,
    )


def _side_file(path: Path, named: SideFile | None, field: str) -> tuple[Path | None, str | None]:
    """Return the path of a side file whose digest is right, or why there is none."""
    if named is None:
        return None, f"{path.name} names no {field} file"
    # The name comes from a file of a third party: it may only point beside that file.
    if Path(named.name).name != named.name or named.name in {"", ".", ".."}:
        raise DataRefused(
            f"{path}: {field}.name is {named.name!r}, but a file name without a folder was"
            " expected; score the predictions again."
        )
    beside = path.parent / named.name
    if not beside.is_file():
        return None, f"{named.name} does not lie beside {path.name}"
    digest = sha256_of_file(beside)
    if digest != named.sha256:
        raise DataRefused(
            f"{beside}: its sha256 is {digest}, but {path.name} names {named.sha256}; it belongs"
            " to another run: score the predictions again, or remove it to report without it."
        )
    return beside, None


def _read_parts(path: Path) -> "pl.DataFrame":
    import polars as pl

    try:
        return pl.read_parquet(path)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise DataRefused(f"{path} is not a Parquet file: {error}.") from error


def _read_examples(path: Path) -> list[dict[str, Any]]:
    """Read the examples; a line that is no JSON object is refused by its number."""
    examples = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise DataRefused(f"{path}:{number}: is not JSON ({error.msg}).") from error
        if not isinstance(row, dict):
            raise DataRefused(f"{path}:{number}: is not a JSON object.")
        examples.append(row)
    return examples
