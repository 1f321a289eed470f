"""JSON Schemas of the records, generated from the types and committed beside this file.

A benchmark adds its items and its rows of predictions; what is the same for all benchmarks lies
there once, and takes the benchmark's name where it is printed.
"""

import importlib
from pathlib import Path
from typing import Any

import msgspec

from evenhand.contract import STEMS
from evenhand.contract.dataset import Manifest
from evenhand.contract.files import canonical_json
from evenhand.contract.predictions import Header
from evenhand.contract.report import Report

GENERAL_RECORDS: dict[str, type[msgspec.Struct]] = {
    "header": Header,
    "metrics": Report,
    "manifest": Manifest,
}
"""Kinds of which all benchmarks share one record."""

BENCHMARK_KINDS = ("items", "predictions")
"""Kinds of which each benchmark has records: one row of its dataset, and of a predictions file."""

KINDS = (*BENCHMARK_KINDS, *GENERAL_RECORDS)
FOLDER = Path(__file__).parent / "schemas"


def schema_path(stem: str, kind: str) -> Path:
    """Return where the committed schema lies; general kinds have one file for all benchmarks.

    >>> schema_path("stem", "items").name, schema_path("stem", "metrics").name
    ('stem.items.json', 'metrics.json')
    """
    return FOLDER / (f"{kind}.json" if kind in GENERAL_RECORDS else f"{stem}.{kind}.json")


def committed_schema(stem: str, kind: str) -> dict[str, Any]:
    """Return the self-contained schema (draft 2020-12) of one kind of record of one benchmark."""
    schema: dict[str, Any] = msgspec.json.decode(schema_path(stem, kind).read_bytes())
    return {**schema, "title": f"Evenhand {stem} {kind}"}


def generate_schema(stem: str, kind: str) -> dict[str, Any]:
    """Return what the committed file has to hold, from the types."""
    types, title = _record_types(stem, kind), schema_path(stem, kind).stem.replace(".", " ")
    schemas, definitions = msgspec.json.schema_components(types, ref_template="#/$defs/{name}")
    schema = schemas[0] if len(schemas) == 1 else {"oneOf": list(schemas)}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Evenhand {title}",
        **schema,
        "$defs": definitions,
    }


def _record_types(stem: str, kind: str) -> tuple[Any, ...]:
    if kind in GENERAL_RECORDS:
        return (GENERAL_RECORDS[kind],)
    records = importlib.import_module(f"evenhand.contract.{stem}")
    return records.ITEM_TYPES if kind == "items" else (records.Prediction,)


def write_all() -> None:
    """Write every schema to its file (``python -m evenhand.contract.schemas``)."""
    for stem in STEMS:
        for kind in KINDS:
            schema_path(stem, kind).write_bytes(canonical_json(generate_schema(stem, kind)))


if __name__ == "__main__":
    write_all()
