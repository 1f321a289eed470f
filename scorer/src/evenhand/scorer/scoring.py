"""The way of the data from predictions to metrics, which all benchmarks share.

Files are read to rows by id. Config by config the items are loaded and matched with their rows, and
everything that does not fit is refused or listed. Matched configs become results (the additive sums
that every metric is made of), and results become metrics, warnings and the tables beside them. What
each of these steps does, a benchmark says: see ``BenchmarkScoring``.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast

import polars as pl

from evenhand.contract import CONTRACT_VERSION, WrongUse
from evenhand.contract.files import sha256_of_file
from evenhand.contract.report import DatasetRecord, PredictionsRecord, Report
from evenhand.scorer import __version__
from evenhand.scorer.benchmark import benchmark
from evenhand.scorer.benchmark_scoring import BenchmarkScoring, Checked, MatchT, ResultT, Texts
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.faults import FIRST, Fault, FaultList, refuse
from evenhand.scorer.frames import cast_columns, select_columns, to_frame
from evenhand.scorer.inputs import (
    PROTOCOLS,
    Inputs,
    agree_on_protocol,
    build_record,
    header_faults,
    precision_warnings,
)
from evenhand.scorer.matching import (
    MISSING_IDS,
    configs_in,
    configs_to_score,
    ids_without_config,
    rows_in_config,
)
from evenhand.scorer.outcome import Outcome, Rows
from evenhand.scorer.provenance import Provenance
from evenhand.scorer.readers import OURS
from evenhand.scorer.statistics import DEFAULT_SAMPLING, Sampling, check_sampling

DESCRIBES_ITSELF = "The predictions are in the original's format, which describes itself."
IN_MEMORY = "The items were given as a table in memory."


@dataclass(frozen=True, slots=True)
class Settings:
    """What the command line says about scoring."""

    configs: tuple[str, ...] = ()
    """Empty for all that occur in the predictions."""
    allow_missing: bool = False
    protocol: str | None = None
    sampling: Sampling = DEFAULT_SAMPLING
    options: Mapping[str, Any] = field(default_factory=dict)
    """The benchmark's own options by name."""


class _Plugged(Protocol):
    """``evenhand.scorer.<stem>.scoring``."""

    def scoring_for(
        self, dataset: Dataset | None, options: Mapping[str, Any]
    ) -> BenchmarkScoring[Any, Any]:
        """Return the benchmark's part of scoring, ready for one dataset and the options."""


def score_files(
    stem: str, paths: Sequence[Path], dataset: Dataset | None, reader: str, settings: Settings
) -> Outcome[Any]:
    """Score the predictions of one model.

    Args:
        stem: the benchmark.
        paths: the files, each read in the same format.
        dataset: None for a file that describes itself.
        reader: one of the benchmark's readers.
        settings: which configs and how.

    Raises:
        WrongUse: files, reader and dataset do not go together.
        DataRefused: anything in the files that does not fit, or incomplete coverage.
    """
    scoring = _scoring_for(stem, dataset, settings.options)
    _check_use(scoring, paths, dataset, reader, settings.configs)
    if dataset is None:
        return _score_self_described(scoring, paths[0], reader, settings)
    inputs = scoring.read_files(paths, reader, dataset, settings.configs)
    command = f"evenhand check {dataset.folder} {' '.join(map(str, paths))}"
    command += "" if reader == OURS else f" --reader {reader}"
    return score_inputs(scoring, dataset, inputs, settings, check=command)


def check_files(
    stem: str,
    paths: Sequence[Path],
    dataset: Dataset | None,
    reader: str,
    configs: Sequence[str] = (),
) -> Checked:
    """Return the coverage by config, all faults, and how the files were read."""
    scoring = _scoring_for(stem, dataset, {})
    _check_use(scoring, paths, dataset, reader, configs)
    if dataset is None:
        return scoring.check_self_described(paths[0])
    inputs = scoring.read_files(paths, reader, dataset, configs)
    selected = _select(scoring, dataset, inputs, configs)
    coverage, faults, notes = Rows(), [*selected.faults], [*inputs.notes, *selected.notes]
    for config in selected.configs:
        match, unfit = match_config(scoring, dataset, inputs.rows, config)
        faults += [fault._replace(kind=f"{fault.kind} in {config}") for fault in unfit]
        coverage += scoring.coverage(match)
        notes += scoring.notes(match)
    return Checked(coverage, faults, notes)


def score_inputs(
    scoring: BenchmarkScoring[Any, ResultT],
    dataset: Dataset,
    inputs: Inputs,
    settings: Settings,
    *,
    check: str | None = None,
) -> Outcome[ResultT]:
    """Score predictions on a dataset.

    Args:
        scoring: what the benchmark brings.
        dataset: the dataset's folder.
        inputs: the predictions as read.
        settings: which configs and how.
        check: the command that lists all faults, for the sentence of a refusal.

    Raises:
        DataRefused: anything that does not fit, or incomplete coverage.
    """
    names = ", ".join(record.name for record in inputs.records[:FIRST])
    selected = _select(scoring, dataset, inputs, settings.configs)
    refuse(names, selected.faults, command=check)

    def matched(config: str) -> Any:
        match, faults = match_config(scoring, dataset, inputs.rows, config)
        unforgiven = _blocking_faults(faults, allow=settings.allow_missing)
        refuse(f"{names}, {config}", unforgiven, command=check)
        return match

    manifest = dataset.manifest
    record = DatasetRecord(
        stem=manifest.stem, version=manifest.version, digest=manifest.content_digest
    )
    protocol = settings.protocol or PROTOCOLS[0]
    if scoring.protocol_is_stated:
        protocol = agree_on_protocol(inputs.headers, settings.protocol)
    results = scoring.results(map(matched, selected.configs), protocol)
    provenance = Provenance(record, protocol, settings.sampling, scoring.signature_parts())
    warnings = [
        *inputs.notes,
        *selected.notes,
        *_not_scored(dataset, selected.configs),
        *precision_warnings(inputs.headers),
    ]
    report = _report(scoring, results, provenance, inputs.records, warnings)
    return _outcome(scoring, report, results, partial(dataset.texts, columns=scoring.text_columns))


def score_frames(
    scoring: BenchmarkScoring[Any, Any],
    items: object,
    predictions: object,
    *,
    allow_missing: bool,
    dataset: DatasetRecord | None,
    protocol: str,
    sampling: Sampling,
) -> Report:
    """Score predictions on items, both given in memory; see each benchmark's ``score``."""
    check_sampling(sampling)
    kinds = {
        name: pl.String if kind == pl.Categorical else kind
        for name, kind in scoring.item_kinds.items()
    }
    names = tuple(kinds)
    given = select_columns("items", to_frame(items, kinds=kinds, names=names), names)
    known = cast_columns("items", given, kinds)
    rows, faults = scoring.read_frame(to_frame(predictions))
    refuse("the predictions", faults)

    def matched(config: str) -> Any:
        unfit = FaultList()
        match = scoring.match(
            config, rows_in_config(known, config), rows_in_config(rows, config), unfit
        )
        unforgiven = _blocking_faults(unfit.to_list(), allow=allow_missing)
        refuse(f"the predictions, {config}", unforgiven)
        return match

    record = dataset or DatasetRecord(
        stem=scoring.stem, version=None, digest=None, why_null=IN_MEMORY
    )
    results = scoring.results(map(matched, configs_in(rows["id"])), protocol)
    provenance = Provenance(record, protocol, sampling, scoring.signature_parts())
    return _report(scoring, results, provenance, [], [])


def _score_self_described(
    scoring: BenchmarkScoring[Any, Any], path: Path, reader: str, settings: Settings
) -> Outcome[Any]:
    """Score a file that describes itself, and hash it meanwhile."""
    with ThreadPoolExecutor(1) as pool:
        digest = pool.submit(sha256_of_file, path) if path.is_file() else None
        match, texts = scoring.read_self_described(path)
        record = DatasetRecord(
            stem=scoring.stem, version=None, digest=None, why_null=DESCRIBES_ITSELF
        )
        protocol = settings.protocol or PROTOCOLS[0]
        results = scoring.results([match], protocol)
        provenance = Provenance(record, protocol, settings.sampling, scoring.signature_parts())
        files = [build_record(path, digest.result(), reader, None)] if digest else []
        report = _report(scoring, results, provenance, files, [])
    return _outcome(scoring, report, results, texts)


class _Selected(NamedTuple):
    """The configs that are scored, and the faults of the files as a whole."""

    configs: list[str]
    faults: list[Fault]
    notes: list[str]


def _select(
    scoring: BenchmarkScoring[Any, Any], dataset: Dataset, inputs: Inputs, asked: Sequence[str]
) -> _Selected:
    faults = [*inputs.faults, *header_faults(inputs.headers, dataset.manifest)]
    unplaced = scoring.unplaced_rows
    # With --config the file may hold rows of other configs, and rows that are identified by their
    # text do not say which config they belong to.
    left_out = [f for f in faults if asked and unplaced and f.kind.startswith(unplaced)]
    faults = [fault for fault in faults if fault not in left_out]
    notes = [fault.sentence() for fault in left_out]
    if inputs.rows.is_empty() and faults:
        return _Selected([], faults, notes)
    configs = configs_to_score(dataset, inputs.rows, asked, scoring.known_configs)
    if not asked:
        faults += ids_without_config(dataset, inputs.rows, scoring.known_configs)
    return _Selected(configs, faults, notes)


def match_config(
    scoring: BenchmarkScoring[MatchT, Any], dataset: Dataset, rows: pl.DataFrame, config: str
) -> tuple[MatchT, list[Fault]]:
    """Load the items of a config, check that they are the manifest's, and join their rows."""
    faults = FaultList()
    items = dataset.load(config, scoring.item_kinds)
    return scoring.match(config, items, rows_in_config(rows, config), faults), faults.to_list()


def _blocking_faults(faults: Sequence[Fault], *, allow: bool) -> list[Fault]:
    """Return the faults that prevent scoring: all but missing ids, where these are allowed."""
    return [fault for fault in faults if not (allow and fault.kind == MISSING_IDS)]


def _report(
    scoring: BenchmarkScoring[Any, ResultT],
    results: Sequence[ResultT],
    provenance: Provenance,
    predictions: Sequence[PredictionsRecord],
    warnings: Sequence[str],
) -> Report:
    """Put the metrics of all results into one report, in their order."""
    metrics = [metric for result in results for metric in scoring.metrics(result, provenance)]
    return Report(
        contract_version=CONTRACT_VERSION,
        dataset=provenance.dataset,
        predictions=list(predictions),
        scorer_version=__version__,
        protocol=scoring.protocol_label(provenance.protocol, results),
        seed=provenance.sampling.seed,
        resamples=provenance.sampling.resamples,
        level=provenance.sampling.level,
        configs=[config for result in results for config in result.configs],
        metrics=metrics,
        warnings=[*warnings, *(said for result in results for said in scoring.warnings(result))],
    )


def _outcome(
    scoring: BenchmarkScoring[Any, ResultT], report: Report, results: list[ResultT], texts: Texts
) -> Outcome[ResultT]:
    return Outcome(
        report,
        results,
        parts=lambda: pl.concat(scoring.parts(result) for result in results),
        examples=lambda: [row for one in results for row in scoring.examples(one, texts)],
        tables=lambda: scoring.tables(report, results),
    )


def _not_scored(dataset: Dataset, scored: Sequence[str]) -> list[str]:
    absent = [config for config in dataset.manifest.configs if config not in scored]
    if not absent:
        return []
    return [f"Configs of the dataset that were not scored: {', '.join(absent)}."]


def _scoring_for(
    stem: str, dataset: Dataset | None, options: Mapping[str, Any]
) -> BenchmarkScoring[Any, Any]:
    return cast("_Plugged", benchmark(stem).part("scoring")).scoring_for(dataset, options)


def _check_use(
    scoring: BenchmarkScoring[Any, Any],
    paths: Sequence[Path],
    dataset: Dataset | None,
    reader: str,
    configs: Sequence[str],
) -> None:
    """Refuse a stem in place of a dataset for files that do not describe themselves."""
    describes_itself = reader in scoring.self_describing
    if describes_itself and len(paths) > 1:
        raise WrongUse(f"--reader {reader} takes one file: it holds all answers of one model.")
    if dataset is None and not describes_itself:
        readers = " or ".join(f"--reader {name}" for name in scoring.self_describing)
        only = f" Only a file of {readers} describes itself." if readers else ""
        raise WrongUse(
            f"`{scoring.stem}` is a benchmark, not a dataset folder: give the folder, e.g."
            f" datasets_out/{scoring.stem}/1.0.0 (`{scoring.made_by}` makes one).{only}"
        )
    if dataset is None and configs:
        raise WrongUse("--config needs a dataset folder; a file that describes itself has none.")
