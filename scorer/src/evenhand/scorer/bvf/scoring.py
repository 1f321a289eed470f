"""From files to scored topics of one of our datasets."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import polars as pl

from evenhand.contract import DataRefused
from evenhand.contract.bvf import Topic, topics_of
from evenhand.contract.report import DatasetRecord, Report
from evenhand.scorer.bvf.facts import digest_of, read_facts
from evenhand.scorer.bvf.in_memory import of_orders, report_of
from evenhand.scorer.bvf.metric_records import Provenance
from evenhand.scorer.bvf.probabilities import MISSING_IDS, Probabilities, probabilities_of
from evenhand.scorer.bvf.scored import ITEM_KINDS, Scored, scored_topic
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.faults import FIRST, Fault, FaultList, refuse, shown
from evenhand.scorer.inputs import PROTOCOLS, Inputs, header_faults, precision_warnings
from evenhand.scorer.matching import configs_in, of_config
from evenhand.scorer.scoring import Settings

TextsOf = Callable[[Sequence[str]], dict[str, str]]
"""Given ids, their texts by id."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A report with what its side files are made of."""

    report: Report
    scored: list[Scored]
    texts: TextsOf


@dataclass(frozen=True, slots=True)
class Matched:
    """A topic's items with their probabilities."""

    topic: Topic
    items: pl.DataFrame
    probabilities: Probabilities
    faults: list[Fault]
    absent_orders: list[str]
    """Orders of words of which nothing is predicted; their items are left out."""


def score_dataset(dataset: Dataset, inputs: Inputs, settings: Settings, *, check: str) -> Outcome:
    """Score predictions on one of our datasets.

    Args:
        dataset: the dataset's folder.
        inputs: the predictions.
        settings: which topics and how.
        check: the command that lists all faults, for the sentence of a refusal.

    Raises:
        DataRefused: anything that does not fit, or coverage that is not complete.
    """
    manifest = dataset.manifest
    names = ", ".join(record.name for record in inputs.records[:FIRST])
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
    # The protocols differ in the formula, not in reading the model, so a header says nothing.
    protocol = settings.protocol or PROTOCOLS[0]
    tables = settings.options.get("facts")
    facts, scored, warnings = read_facts(tables), [], [*inputs.notes]
    provenance = Provenance(record, protocol, settings.sampling, digest_of(tables))
    for config in configs:
        found = match_config(dataset, inputs.rows, config)
        kept = [f for f in found.faults if f.kind != MISSING_IDS or not settings.allow_missing]
        refuse(f"{names}, {config}", kept, command=check)
        warnings += absent_orders(config, found)
        scored.append(
            scored_topic(
                config,
                found.items,
                found.probabilities,
                found.topic,
                facts=facts,
                criterion=settings.options.get("criterion"),
                protocol=protocol,
            )
        )
    warnings += [*_absent(dataset, configs), *precision_warnings(inputs.headers)]
    report = report_of(scored, provenance=provenance, predictions=inputs.records, warnings=warnings)
    return Outcome(report, scored, texts_of(dataset, configs))


def configs_to_score(dataset: Dataset, rows: pl.DataFrame, asked: Sequence[str]) -> list[str]:
    """Return the topics that are scored, in the dataset's order.

    Raises:
        DataRefused: an asked topic is not in the dataset, or no row is of one of its topics.
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
        first = shown(str(rows["id"][0])) if len(rows) else ""
        raise DataRefused(
            f"No id of the predictions belongs to a config of {dataset.folder}"
            f" ({', '.join(known)}); the first is {first!r}."
        )
    return found


def ids_of_no_config(dataset: Dataset, rows: pl.DataFrame) -> list[Fault]:
    """Return the ids that begin with no topic of the dataset."""
    faults, known = FaultList(), list(dataset.manifest.configs)
    for config in configs_in(rows["id"]):
        if config not in known:
            ids = of_config(rows, config)["id"]
            remedy = f"An id begins with its config ({', '.join(known)})."
            faults.add_many("ids of no config", remedy, ids.head(FIRST).to_list(), len(ids))
    return faults.listed()


def match_config(dataset: Dataset, rows: pl.DataFrame, config: str) -> Matched:
    """Read a topic's items, check that they are the manifest's, and find their probabilities."""
    dataset.check_content(config)
    topics = topics_of(dataset.manifest.provenance, str(dataset.folder))
    if config not in topics:
        raise DataRefused(
            f"{dataset.folder}: provenance.topics lacks {config}, so nobody knows its words."
        )
    try:
        items = dataset.scan(config).select(
            pl.col(name).cast(kind) for name, kind in ITEM_KINDS.items()
        ).collect()  # fmt: skip
    except pl.exceptions.PolarsError as error:
        reason = str(error).splitlines()[0]
        raise DataRefused(
            f"{dataset.folder}: the items of {config} are not BVF's ({reason}); generate again."
        ) from error
    own = of_config(rows, config)
    asked, faults = of_orders(items, own), FaultList()
    found = probabilities_of(asked["id"], own, topics[config], faults)
    orders = set(items["order"].unique()) - set(asked["order"].unique())
    return Matched(topics[config], asked, found, faults.listed(), sorted(orders))


def absent_orders(config: str, found: Matched) -> list[str]:
    """Say which orders of words were left out."""
    if not found.absent_orders:
        return []
    orders = " or ".join(found.absent_orders)
    return [f"{config}: no text with the slot {orders} is predicted; these were left out."]


def texts_of(dataset: Dataset, configs: Sequence[str]) -> TextsOf:
    """Return a function that reads the texts of a few items."""

    def texts(ids: Sequence[str]) -> dict[str, str]:
        wanted, found = pl.Series("id", ids, dtype=pl.String), dict[str, str]()
        for config in configs:
            rows = dataset.scan(config).select("id", "text").filter(
                pl.col("id").is_in(wanted.implode())
            ).collect(engine="streaming")  # fmt: skip
            found |= dict(rows.iter_rows())
        return found

    return texts


def _absent(dataset: Dataset, scored: Sequence[str]) -> list[str]:
    absent = [config for config in dataset.manifest.configs if config not in scored]
    if not absent:
        return []
    return [f"Configs of the dataset that were not scored: {', '.join(absent)}."]
