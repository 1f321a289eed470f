"""JSON Schemas of the records, generated from the types and committed beside this file."""

import importlib
from pathlib import Path
from typing import Any

import msgspec

from evenhand.contract import STEMS
from evenhand.contract.files import canonical_json

KINDS = ("items", "predictions", "metrics", "manifest")
FOLDER = Path(__file__).parent / "schemas"


def schema_of(stem: str, kind: str) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of one record of one benchmark.

    ``items`` and ``predictions`` describe one row; ``metrics`` and ``manifest`` a whole file and
    are the same for all benchmarks.
    """
    from evenhand.contract.dataset import Manifest
    from evenhand.contract.report import Report

    records = importlib.import_module(f"evenhand.contract.{stem}")
    types: dict[str, tuple[Any, ...]] = {
        "items": records.ITEM_TYPES,
        "predictions": (records.Prediction,),
        "metrics": (Report,),
        "manifest": (Manifest,),
    }
    schemas, definitions = msgspec.json.schema_components(
        types[kind], ref_template="#/$defs/{name}"
    )
    schema = schemas[0] if len(schemas) == 1 else {"oneOf": list(schemas)}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Evenhand {stem} {kind}",
        **schema,
        "$defs": definitions,
    }


def file_of(stem: str, kind: str) -> Path:
    """Return where the committed schema lies."""
    return FOLDER / f"{stem}.{kind}.json"


def write_all() -> None:
    """Write every schema to its file (``python -m evenhand.contract.schemas``)."""
    for stem in STEMS:
        for kind in KINDS:
            file_of(stem, kind).write_bytes(canonical_json(schema_of(stem, kind)))


if __name__ == "__main__":
    write_all()
