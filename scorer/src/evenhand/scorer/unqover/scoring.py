"""From files to scored configs: a dataset of ours, or a file of the original by itself."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenhand.contract import DataRefused
from evenhand.contract.files import sha256_of_file
from evenhand.contract.report import DatasetRecord, Report
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.faults import Fault, FaultList, refuse, shown
from evenhand.scorer.inputs import (
    PROTOCOLS,
    Inputs,
    header_faults,
    precision_warnings,
    protocol_of,
    record_of,
)
from evenhand.scorer.matching import MISSING, Match, configs_in, match, of_config
from evenhand.scorer.scoring import Settings
from evenhand.scorer.unqover import output_json, published_entries
from evenhand.scorer.unqover.examples import ITEM_COLUMNS, examples_of
from evenhand.scorer.unqover.in_memory import ScoredConfig, report_of, score_examples
from evenhand.scorer.unqover.metric_records import Provenance
from evenhand.scorer.unqover.read import UNQOVER

Rows = NDArray[np.int64]
Texts = Callable[[Rows], list[dict[str, Any]]]
"""Given rows of a config's items, their texts: ``context`` and ``question``, or ``text``."""

DESCRIBES_ITSELF = "The predictions are in the original's format, which describes itself."
_TEXT_COLUMNS = ("context", "question", "text")


@dataclass(frozen=True, slots=True)
class Outcome:
    """A report with what its side files are made of."""

    report: Report
    scored: list[ScoredConfig]
    texts: list[Texts]
    """One for each scored config."""


def score_dataset(dataset: Dataset, inputs: Inputs, settings: Settings, *, check: str) -> Outcome:
    """Score predictions on one of our datasets.

    Args:
        dataset: the dataset's folder.
        inputs: the predictions.
        settings: which configs and how.
        check: the command that lists all faults, for the sentence of a refusal.

    Raises:
        DataRefused: anything that does not fit, or coverage that is not complete.
    """
    manifest = dataset.manifest
    names = ", ".join(record.name for record in inputs.records)
    faults = [*inputs.faults, *header_faults(inputs.headers, manifest)]
    if inputs.rows.is_empty():
        refuse(names, faults, command=check)
    configs = configs_to_score(dataset, inputs.rows, settings.configs)
    if not settings.configs:
        faults += ids_of_no_config(dataset, inputs.rows)
    refuse(names, faults, command=check)
    record = DatasetRecord(
        stem=manifest.stem, version=manifest.version, digest=manifest.content_digest
    )
    protocol = protocol_of(inputs.headers, settings.protocol)
    provenance = Provenance(record, protocol, settings.sampling)
    scored = []
    for config in configs:
        items, found, faults = match_config(dataset, inputs.rows, config)
        own = [f for f in faults if f.kind != MISSING or not settings.allow_missing]
        refuse(f"{names}, {config}", own, command=check)
        examples = examples_of(items, found.score_x1, found.score_x2)
        scored.append(score_examples(examples, config, provenance))
    warnings = [*inputs.notes, *_absent(dataset, configs), *precision_warnings(inputs.headers)]
    report = report_of(scored, provenance=provenance, predictions=inputs.records, warnings=warnings)
    return Outcome(report, scored, [_texts_of_dataset(dataset, config) for config in configs])


def configs_to_score(dataset: Dataset, rows: pl.DataFrame, asked: Sequence[str]) -> list[str]:
    """Return the configs that are scored, in the dataset's order.

    Raises:
        DataRefused: an asked config is not in the dataset, or no row is of one of its configs.
    """
    known = list(dataset.manifest.configs)
    unknown = [config for config in asked if config not in known]
    if unknown:
        raise DataRefused(
            f"{dataset.folder} has no config {', '.join(unknown)}; it has {', '.join(known)}."
        )
    occurring = configs_in(rows["id"])
    found = [config for config in known if config in (asked or occurring)]
    if not found:
        raise DataRefused(
            f"No id of the predictions belongs to a config of {dataset.folder}"
            f" ({', '.join(known)}); the first is {shown(repr(rows['id'][0]))}."
        )
    return found


def match_config(
    dataset: Dataset, rows: pl.DataFrame, config: str
) -> tuple[pl.DataFrame, Match, list[Fault]]:
    """Read a config's items, check that they are the manifest's, and find their scores."""
    items, faults = dataset.load(config, ITEM_COLUMNS), FaultList()
    found = match(items["id"], of_config(rows, config), faults)
    return items.drop("id"), found, faults.listed()


def ids_of_no_config(dataset: Dataset, rows: pl.DataFrame) -> list[Fault]:
    """Return the ids that begin with no config of the dataset."""
    faults, known = FaultList(), set(dataset.manifest.configs)
    for config in configs_in(rows["id"]):
        if config not in known:
            ids = of_config(rows, config)["id"]
            faults.add_many("ids of no config", "An id begins with its config.", ids[:5], len(ids))
    return faults.listed()


def score_original(path: Path, settings: Settings) -> Outcome:
    """Score a file of the original by itself: its keys say which examples there are."""
    with ThreadPoolExecutor(1) as pool:
        digest = pool.submit(sha256_of_file, path) if path.is_file() else None
        entries = output_json.read(path)
        items, scores_x1, scores_x2 = published_entries.questions_of(entries, path)
        config = published_entries.config_of(entries)
        examples = examples_of(items, scores_x1, scores_x2)
        dataset = DatasetRecord(
            stem="unqover", version=None, digest=None, why_null=DESCRIBES_ITSELF
        )
        protocol = settings.protocol or PROTOCOLS[0]
        provenance = Provenance(dataset, protocol, settings.sampling)
        scored = [score_examples(examples, config, provenance)]
        records = [record_of(path, digest.result(), UNQOVER, None)] if digest else []
    report = report_of(scored, provenance=provenance, predictions=records)
    return Outcome(report, scored, [_texts_of_original(path, entries)])


def _absent(dataset: Dataset, scored: Sequence[str]) -> list[str]:
    absent = [config for config in dataset.manifest.configs if config not in scored]
    if not absent:
        return []
    return [f"Configs of the dataset that were not scored: {', '.join(absent)}."]


def _texts_of_dataset(dataset: Dataset, config: str) -> Texts:
    def texts(rows: Rows) -> list[dict[str, Any]]:
        table = dataset.scan(config)
        columns = [name for name in table.collect_schema().names() if name in _TEXT_COLUMNS]
        wanted = pl.Series("row", np.unique(rows), dtype=pl.UInt32).to_frame()
        found = (
            table.select(columns)
            .with_row_index("row")
            .join(wanted.lazy(), on="row", how="semi")
            .collect(engine="streaming")
        )
        by_row = {row.pop("row"): row for row in found.iter_rows(named=True)}
        return [by_row[int(row)] for row in rows]

    return texts


def _texts_of_original(path: Path, entries: output_json.OriginalEntries) -> Texts:
    def texts(rows: Rows) -> list[dict[str, Any]]:
        n_entries = len(entries.keys)
        found = output_json.texts(path, entries, (int(row) % n_entries for row in rows))
        return [_text_of_row(found[int(row) % n_entries], int(row) >= n_entries) for row in rows]

    return texts


def _text_of_row(entry: output_json.EntryText, is_negative: bool) -> dict[str, Any]:
    question = entry.q1 if is_negative else entry.q0
    return {"context": entry.context, "question": question.question}
