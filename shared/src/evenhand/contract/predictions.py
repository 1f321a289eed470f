"""What a predictions file is: rows by ``id``, and an optional header that says how it was made.

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
    """The benchmark, by the short name that commands take; another one is refused."""
    version: str | None = None
    """Version of the dataset, named in the error where the digest differs."""
    digest: str | None = None
    """``content_digest`` of the manifest."""


class ModelReference(msgspec.Struct, frozen=True, kw_only=True):
    """The model, as stated by whoever made the file."""

    name: str
    """E.g. its name on the Hub."""
    revision: str | None = None
    """Commit or tag of the weights."""
    task: str | None = None
    """What it was exported for, e.g. ``causal-lm``."""
    precision: str | None = None
    """``fp32``, ``fp16`` or ``int8``: their numbers are not compared without a warning."""
    sha256: str | None = None
    """sha256 of ``model.onnx``."""


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """How a predictions file was made. It carries no time, so a second run gives the same bytes."""

    contract_version: str
    """Contract version of the file; another first number is refused."""
    dataset: DatasetReference
    """Which dataset the rows answer; another digest is refused."""
    configs: list[str] = []
    """The configs that were predicted."""
    model: ModelReference | None = None
    """The model that made the predictions."""
    protocol: str | None = None
    """``paper`` or ``code`` where the choice affects how the model is read."""
    device: str | None = None
    """Where the model ran, e.g. ``cpu``."""
    decoding: dict[str, Any] = {}
    """How it was queried: batch, prompt, template and whatever else the task has."""
    scorer_version: str | None = None
    """Version of the package that ran it."""


class HeaderLine(msgspec.Struct, frozen=True, kw_only=True):
    """The first line of a JSONL predictions file that has a header."""

    evenhand_header: Header
    """The line holds nothing else."""


def sidecar_of(path: Path) -> Path:
    """Return the path of a predictions file's sidecar.

    >>> sidecar_of(Path("preds.parquet")).name
    'preds.parquet.meta.json'
    """
    return path.with_name(path.name + SIDECAR_SUFFIX)
