"""``croissant.json``: the dataset described for machines, with what is asked of responsible AI.

The vocabulary is Croissant 1.1 and its RAI extension 1.0. mlcroissant checks what it writes.
"""

import json
from collections.abc import Sequence
from typing import Any

import mlcroissant as mlc

from evenhand.contract.dataset import FileEntry
from evenhand.generator.card import Edition
from evenhand.generator.config_summary import ConfigSummary

CROISSANT_NAME = "croissant.json"
CONFORMS_TO = ("http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0")

HUB = "https://huggingface.co/datasets"
_PARQUET = "application/x-parquet"
"""As mlcroissant and the Hub spell it; the registered name is not read by either."""

_TYPES = {
    "string": mlc.DataType.TEXT,
    "large_string": mlc.DataType.TEXT,
    "bool": mlc.DataType.BOOL,
    "float32": mlc.DataType.FLOAT,
    "float64": mlc.DataType.FLOAT,
}
"""Arrow's name of a type -> Croissant's; every other number is whole."""


def croissant_json(edition: Edition, files: Sequence[FileEntry]) -> bytes:
    """Describe a version: its Parquet files with their sha256, its columns, its use and limits.

    Args:
        edition: what the version is.
        files: the Parquet files, those of one config next to each other.

    Returns:
        JSON-LD in the order of mlcroissant, the same bytes for the same input: there is no date in
        it but the one that was given.
    """
    context = mlc.Context(conforms_to=CONFORMS_TO[0])
    by_config = {one.name: _config_files(one.name, files) for one in edition.configs}
    metadata = mlc.Metadata(
        ctx=context,
        name=edition.card.name,
        description=f"{edition.card.content_warning} {edition.card.summary}",
        conforms_to=list(CONFORMS_TO),
        cite_as=edition.card.citation.strip(),
        license=[edition.card.licence.link],
        version=edition.version,
        date_published=edition.publication.date,
        url=edition.publication.repo and f"{HUB}/{edition.publication.repo}",
        keywords=list(edition.card.tags),
        in_language=list(edition.card.languages),
        distribution=[
            node for name, entries in by_config.items() for node in _nodes(context, name, entries)
        ],
        record_sets=[_records(context, one, by_config[one.name]) for one in edition.configs],
        **_responsible_ai(edition),
    )
    return json.dumps(metadata.to_json(), indent=2, ensure_ascii=False).encode() + b"\n"


def _config_files(config: str, files: Sequence[FileEntry]) -> list[FileEntry]:
    return [entry for entry in files if entry.path.startswith(f"{config}/")]


def _nodes(context: mlc.Context, config: str, entries: list[FileEntry]) -> list[Any]:
    """Return a node a file and, where a config has several, one for all of them.

    The one for all looks into the folder beside ``croissant.json``; contained in the single files
    it would be read as a list of names.
    """
    nodes: list[Any] = [
        mlc.FileObject(
            ctx=context,
            id=entry.path,
            name=entry.path.rpartition("/")[2],
            content_url=entry.path,
            content_size=f"{entry.bytes} B",
            encoding_formats=[_PARQUET],
            sha256=entry.sha256,
        )
        for entry in entries
    ]
    if len(entries) > 1:
        together = mlc.FileSet(
            ctx=context,
            id=f"{config}-files",
            encoding_formats=[_PARQUET],
            includes=[f"{config}/test-*.parquet"],
        )
        nodes.append(together)
    return nodes


def _records(context: mlc.Context, config: ConfigSummary, files: list[FileEntry]) -> mlc.RecordSet:
    where = (
        {"file_set": f"{config.name}-files"} if len(files) > 1 else {"file_object": files[0].path}
    )
    return mlc.RecordSet(
        ctx=context,
        id=config.name,
        name=config.name,
        description=f"{config.split.rows:,} rows of the split test.",
        key=[f"{config.name}/id"],
        fields=[_field(context, config.name, one, where) for one in config.features],
    )


def _field(
    context: mlc.Context, config: str, feature: dict[str, Any], where: dict[str, str]
) -> mlc.Field:
    """Describe a column; of a list of lists or of records only the name is said."""
    inner = feature.get("dtype", feature.get("list"))
    kind = _TYPES.get(inner, mlc.DataType.INTEGER) if isinstance(inner, str) else mlc.DataType.TEXT
    shape = {"is_array": True, "array_shape": "-1"} if "list" in feature else {}
    return mlc.Field(
        ctx=context,
        id=f"{config}/{feature['name']}",
        name=feature["name"],
        data_types=[kind],
        source=mlc.Source(
            ctx=context, extract=mlc.Extract(ctx=context, column=feature["name"]), **where
        ),
        **shape,
    )


def _responsible_ai(edition: Edition) -> dict[str, Any]:
    """Return the fields of the RAI extension, from what the card says."""
    card = edition.card
    faults = [*card.known_faults, *edition.known_faults]
    return {
        "data_collection": " ".join(edition.construction),
        "data_collection_type": [_collection_type(edition)],
        "data_collection_missing_data": " ".join(faults) or "None are known.",
        "data_preprocessing_protocol": list(edition.construction),
        "data_annotation_protocol": [
            "Labels, where there are any, follow from the construction of each row."
        ],
        "data_use_cases": list(card.use_cases),
        "data_biases": list(card.biases),
        "data_limitations": [card.measures, *card.limits],
        "data_social_impact": card.social_impact,
        "personal_sensitive_information": [card.personal_information],
        "data_release_maintenance_plan": (
            "A published version is never changed; a fault is fixed in a new version, whose number"
            " says whether old results stay comparable."
        ),
    }


def _collection_type(edition: Edition) -> str:
    if edition.provenance.get("made_by") == "import":
        return "Secondary Data Analysis"
    return "Software Collection"
