"""From files to scored categories of one of our datasets."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from evenhand.contract import DataRefused
from evenhand.contract.bbq import CATEGORIES
from evenhand.contract.report import DatasetRecord, Report
from evenhand.scorer.bbq.choices import MISSING_IDS, Choices, choices_of
from evenhand.scorer.bbq.foreign_answers import NOT_IN_DATASET
from evenhand.scorer.bbq.in_memory import ITEM_KINDS, Scored, report_of, score_choices
from evenhand.scorer.bbq.metric_records import Provenance
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.faults import FIRST, Fault, FaultList, refuse, shown
from evenhand.scorer.inputs import (
    Inputs,
    header_faults,
    precision_warnings,
    protocol_of,
)
from evenhand.scorer.matching import configs_in, of_config, suggestion
from evenhand.scorer.scoring import Settings


class Texts(NamedTuple):
    """The words of an item that scoring itself does not read."""

    context: str
    question: str


TextsOf = Callable[[Sequence[str]], dict[str, Texts]]
"""Given ids, their words by id."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A report with what its side files are made of."""

    report: Report
    scored: Scored
    texts: TextsOf


def score_dataset(dataset: Dataset, inputs: Inputs, settings: Settings, *, check: str) -> Outcome:
    """Score predictions on one of our datasets.

    Args:
        dataset: the dataset's folder.
        inputs: the predictions.
        settings: which categories and how.
        check: the command that lists all faults, for the sentence of a refusal.

    Raises:
        DataRefused: anything that does not fit, or coverage that is not complete.
    """
    manifest = dataset.manifest
    names = ", ".join(record.name for record in inputs.records)
    faults, left_out = faults_of_files(inputs, dataset, settings.configs)
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
    found = [match_config(dataset, inputs.rows, config) for config in configs]
    for config, (_, _, own) in zip(configs, found, strict=True):
        kept = [f for f in own if f.kind != MISSING_IDS or not settings.allow_missing]
        refuse(f"{names}, {config}", kept, command=check)
    items = pl.concat([own for own, _, _ in found])
    scored = score_choices(items, together(own for _, own, _ in found), provenance)
    warnings = [
        *inputs.notes,
        *(fault.sentence() for fault in left_out),
        *_absent(dataset, configs),
        *precision_warnings(inputs.headers),
    ]
    report = report_of(scored, provenance=provenance, predictions=inputs.records, warnings=warnings)
    return Outcome(report, scored, texts_of(dataset, configs))


def faults_of_files(
    inputs: Inputs, dataset: Dataset, asked: Sequence[str]
) -> tuple[list[Fault], list[Fault]]:
    """Return the faults of the files, and apart those that --config makes none.

    Where configs are asked for, rows of other ones may be there, and rows that are told by their
    words alone do not say which config they are of.
    """
    faults = [*inputs.faults, *header_faults(inputs.headers, dataset.manifest)]
    left_out = [own for own in faults if asked and own.kind.startswith(NOT_IN_DATASET)]
    return [own for own in faults if own not in left_out], left_out


def configs_to_score(dataset: Dataset, rows: pl.DataFrame, asked: Sequence[str]) -> list[str]:
    """Return the categories that are scored, in the dataset's order.

    Raises:
        DataRefused: an asked category is not in the dataset, or no row is of one of its
            categories; the sentence suggests the spelling that is likely meant.
    """
    known = list(dataset.manifest.configs)
    for config in asked:
        if config not in known:
            raise DataRefused(
                f"{dataset.folder} has no config {config}{suggestion(config, known, CATEGORIES)};"
                f" it has {', '.join(known)}."
            )
    occurring = configs_in(rows["id"])
    others = [config for config in known if config in occurring]
    if others and asked and not set(asked) & set(others):
        raise DataRefused(
            f"The predictions have no row of {', '.join(asked)}; theirs are of"
            f" {', '.join(others)}. Name that with --config, or give the file of"
            f" {', '.join(asked)}."
        )
    found = [config for config in known if config in (asked or occurring)]
    if not found:
        first = shown(str(rows["id"][0])) if len(rows) else ""
        hint = suggestion(first.split("-", 1)[0], known, CATEGORIES)
        raise DataRefused(
            f"No id of the predictions belongs to a config of {dataset.folder}"
            f" ({', '.join(known)}); the first is {first!r}{hint}."
        )
    return found


def ids_of_no_config(dataset: Dataset, rows: pl.DataFrame) -> list[Fault]:
    """Return the ids that begin with no category of the dataset."""
    faults, known = FaultList(), list(dataset.manifest.configs)
    for config in configs_in(rows["id"]):
        if config not in known:
            ids = of_config(rows, config)["id"]
            hint = suggestion(config, known, CATEGORIES)
            remedy = (
                f"An id begins with its config ({', '.join(known)}){hint}; where --config names"
                " some, rows of others may be there."
            )
            faults.add_many("ids of no config", remedy, ids.head(FIRST).to_list(), len(ids))
    return faults.listed()


def match_config(
    dataset: Dataset, rows: pl.DataFrame, config: str
) -> tuple[pl.DataFrame, Choices, list[Fault]]:
    """Read a category's items, check that they are the manifest's, and find their answers."""
    dataset.check_content(config)
    faults = FaultList()
    try:
        items = dataset.scan(config).select(
            pl.col(name).cast(kind) for name, kind in ITEM_KINDS.items()
        ).collect()  # fmt: skip
    except pl.exceptions.PolarsError as error:
        reason = str(error).splitlines()[0]
        raise DataRefused(
            f"{dataset.folder}: the items of {config} are not BBQ's ({reason}); import them again."
        ) from error
    choices = choices_of(items, of_config(rows, config), faults)
    return items, choices, faults.listed()


def together(choices: Iterable[Choices]) -> Choices:
    """Join the answers of several categories."""
    own = list(choices)
    index = pl.concat([pl.Series(one.index) for one in own]).to_numpy()
    why = [text for one in own for text in one.why]
    return Choices(index, why, [text for one in own for text in one.text])


def texts_of(dataset: Dataset, configs: Sequence[str]) -> TextsOf:
    """Return a function that reads the words of a few items."""

    def texts(ids: Sequence[str]) -> dict[str, Texts]:
        wanted, found = pl.Series("id", ids, dtype=pl.String), dict[str, Texts]()
        for config in configs:
            table = dataset.scan(config).select(
                pl.col(name).cast(pl.String) for name in ("id", "context", "question")
            )
            own = of_config(wanted.to_frame(), config)
            rows = table.join(own.lazy(), on="id", how="semi").collect(engine="streaming")
            found |= {identity: Texts(*words) for identity, *words in rows.iter_rows()}
        return found

    return texts


def _absent(dataset: Dataset, scored: Sequence[str]) -> list[str]:
    absent = [config for config in dataset.manifest.configs if config not in scored]
    if not absent:
        return []
    return [f"Configs of the dataset that were not scored: {', '.join(absent)}."]
