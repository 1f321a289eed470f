"""From files to scored categories of one of our datasets."""

import difflib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import polars as pl

from evenhand.contract import DataRefused
from evenhand.contract.bbq import CATEGORIES
from evenhand.contract.files import sha256_of_file
from evenhand.contract.report import DatasetRecord, Report
from evenhand.scorer.bbq.answers import NO_MATCH
from evenhand.scorer.bbq.choices import MISSING_IDS, Choices, choices_of
from evenhand.scorer.bbq.metric_records import Provenance
from evenhand.scorer.bbq.predictions import SCHEMA, read_answers
from evenhand.scorer.bbq.score import ITEM_KINDS, Scored, report_of, score_choices
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.faults import FIRST, Fault, FaultList, refuse
from evenhand.scorer.inputs import (
    Inputs,
    check_one_model,
    check_paths,
    header_faults,
    precision_warnings,
    protocol_of,
    record_of,
)
from evenhand.scorer.matching import configs_in, of_config
from evenhand.scorer.readers import OURS, unifiedqa
from evenhand.scorer.stems import Options

UNIFIEDQA = tuple(f"unifiedqa:{variant}" for variant in unifiedqa.VARIANTS)
READERS = (OURS, *UNIFIEDQA)


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


def score_dataset(dataset: Dataset, inputs: Inputs, options: Options, *, check: str) -> Outcome:
    """Score predictions on one of our datasets.

    Args:
        dataset: the dataset's folder.
        inputs: the predictions.
        options: which categories and how.
        check: the command that lists all faults, for the sentence of a refusal.

    Raises:
        DataRefused: anything that does not fit, or coverage that is not complete.
    """
    manifest = dataset.manifest
    names = ", ".join(record.name for record in inputs.records)
    configs = configs_to_score(dataset, inputs.rows, options.configs)
    faults = [*inputs.faults, *header_faults(inputs.headers, manifest)]
    if not options.configs:
        faults += ids_of_no_config(dataset, inputs.rows)
    refuse(names, faults, command=check)
    record = DatasetRecord(
        stem=manifest.stem, version=manifest.version, digest=manifest.content_digest
    )
    protocol = protocol_of(inputs.headers, options.protocol)
    provenance = Provenance(record, protocol, options.sampling)
    found = [match_config(dataset, inputs.rows, config) for config in configs]
    for config, (_, _, own) in zip(configs, found, strict=True):
        kept = [f for f in own if f.kind != MISSING_IDS or not options.allow_missing]
        refuse(f"{names}, {config}", kept, command=check)
    items = pl.concat([own for own, _, _ in found])
    scored = score_choices(items, together(own for _, own, _ in found), provenance)
    warnings = [*_absent(dataset, configs), *precision_warnings(inputs.headers)]
    report = report_of(scored, provenance=provenance, predictions=inputs.records, warnings=warnings)
    return Outcome(report, scored, texts_of(dataset, configs))


def read_files(paths: Sequence[Path], reader: str) -> Inputs:
    """Read the predictions of one model.

    Args:
        paths: the files, each read in the same format.
        reader: one of :data:`READERS`.

    Raises:
        DataRefused: a file cannot be read, is given twice, or two files state different models.
    """
    check_paths(paths)
    found = [_read_unifiedqa(path, reader) if reader in UNIFIEDQA else _read_ours(path)
             for path in paths]  # fmt: skip
    headers = {path: header for own in found for path, header in own.headers.items()}
    check_one_model(headers)
    faults = [
        fault if len(paths) == 1 else fault._replace(kind=f"{fault.kind} in {path.name}")
        for path, own in zip(paths, found, strict=True)
        for fault in own.faults
    ]
    rows = pl.concat([own.rows for own in found])
    return Inputs(rows, headers, [record for own in found for record in own.records], faults)


def _read_ours(path: Path) -> Inputs:
    found = read_answers(path)
    headers = {path: found.header} if found.header else {}
    record = record_of(path, sha256_of_file(path), OURS, found.header)
    return Inputs(found.rows, headers, [record], found.faults)


def _read_unifiedqa(path: Path, reader: str) -> Inputs:
    """Read a file of the release; what it says of an answer stands, also that it matches none."""
    rows = unifiedqa.read(path, reader.split(":")[1])
    number = pl.col("example_id").cast(pl.String).str.zfill(5)
    is_unmatched = pl.col("choice").is_null()
    found = rows.select(
        pl.concat_str("category", number, separator="-").alias("id"),
        pl.col("choice").alias("label"),
        "answer",
        *(pl.lit(None, pl.Float64).alias(f"score{place}") for place in range(3)),
        pl.when(is_unmatched).then(pl.lit(NO_MATCH)).alias("why_unscored"),
    )
    record = record_of(path, sha256_of_file(path), reader, None)
    return Inputs(found.select(*SCHEMA), {}, [record], [])


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
                f"{dataset.folder} has no config {config}{_suggestion(config, known)};"
                f" it has {', '.join(known)}."
            )
    occurring = configs_in(rows["id"])
    found = [config for config in known if config in (asked or occurring)]
    if not found:
        first = str(rows["id"][0]) if len(rows) else ""
        hint = _suggestion(first.split("-", 1)[0], known)
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
            hint = _suggestion(config, known)
            remedy = f"An id begins with its config ({', '.join(known)}){hint}."
            faults.add_many("ids of no config", remedy, ids.head(FIRST).to_list(), len(ids))
    return faults.listed()


def _suggestion(name: str, known: Sequence[str]) -> str:
    """Return a clause that names the category that is likely meant, empty where none is.

    >>> _suggestion("gender identity", ["Age", "Gender_identity"])
    ' (is Gender_identity meant?)'
    """
    by_plain = {re.sub(r"[\W_]", "", own).casefold(): own for own in (*known, *CATEGORIES)}
    plain = re.sub(r"[\W_]", "", name).casefold()
    close = [plain] if plain in by_plain else difflib.get_close_matches(plain, by_plain, 1)
    meant = by_plain[close[0]] if close else None
    return f" (is {meant} meant?)" if meant and meant in known and meant != name else ""


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
