"""What a predictions file is: rows by ``id``, and an optional header that says who made them.

JSONL (``.gz`` too), CSV, TSV or Parquet. In JSONL the header may be the first line,
``{"evenhand_header": {...}}``; beside any format it may be the sidecar ``<file>.meta.json``.
"""

from pathlib import Path
from typing import Any

import msgspec

HEADER_KEY = "evenhand_header"
SIDECAR_SUFFIX = ".meta.json"


class DatasetReference(msgspec.Struct, frozen=True, kw_only=True):
    """Which dataset version the rows answer."""

    stem: str
    """The benchmark, e.g. ``bbq``; predictions of another one are refused."""
    version: str | None = None
    """Of the manifest, to name it where the digest differs."""
    digest: str | None = None
    """``content_digest`` of the manifest."""


class ModelReference(msgspec.Struct, frozen=True, kw_only=True):
    """The model as whoever made the file states it."""

    name: str
    """E.g. its name on the Hub."""
    revision: str | None = None
    """Commit or tag of the weights."""
    task: str | None = None
    """What it was exported for, e.g. ``causal-lm``."""
    precision: str | None = None
    """``fp32``, ``fp16`` or ``int8``: their numbers are not compared in silence."""
    sha256: str | None = None
    """sha256 of ``model.onnx``."""


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """How a predictions file was made. It carries no time, so a second run gives the same bytes."""

    contract_version: str
    """Of the file; another first number is refused."""
    dataset: DatasetReference
    """Which dataset the rows answer; another digest is refused."""
    configs: list[str] = []
    """The configs that were predicted."""
    model: ModelReference | None = None
    """Who made the predictions."""
    protocol: str | None = None
    """``paper`` or ``code`` where the protocol lies in reading the model (UnQover)."""
    device: str | None = None
    """Where the model ran, e.g. ``cpu``."""
    decoding: dict[str, Any] = {}
    """How it was asked: batch, prompt, template and what else the task has."""
    scorer_version: str | None = None
    """Of the package that ran it."""


class HeaderLine(msgspec.Struct, frozen=True, kw_only=True):
    """The first line of a JSONL predictions file that has a header."""

    evenhand_header: Header
    """Nothing else stands in the line."""


def sidecar_of(path: Path) -> Path:
    """Return the path of a predictions file's sidecar.

    >>> sidecar_of(Path("preds.parquet")).name
    'preds.parquet.meta.json'
    """
    return path.with_name(path.name + SIDECAR_SUFFIX)
