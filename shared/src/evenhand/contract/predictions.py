"""What a predictions file is: rows by ``id``, and an optional header that says who made them.

JSONL (``.gz`` too), CSV, TSV or Parquet. In JSONL the header may be the first line,
``{"evenhand_header": {...}}``; beside any format it may be the sidecar ``<file>.meta.json``.
"""

from pathlib import Path
from typing import Any

import msgspec

HEADER_KEY = "evenhand_header"
SIDECAR_SUFFIX = ".meta.json"


class DatasetReference(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which dataset version the rows answer."""

    stem: str
    version: str | None = None
    digest: str | None = None
    """``content_digest`` of the manifest."""


class ModelReference(msgspec.Struct, frozen=True, kw_only=True):
    """The model as whoever made the file states it."""

    name: str
    revision: str | None = None
    task: str | None = None
    precision: str | None = None
    """``fp32``, ``fp16`` or ``int8``: their numbers are not compared in silence."""
    sha256: str | None = None
    """sha256 of ``model.onnx``."""


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """How a predictions file was made. It carries no time, so a second run gives the same bytes."""

    contract_version: str
    dataset: DatasetReference
    configs: list[str] = []
    model: ModelReference | None = None
    protocol: str | None = None
    """``paper`` or ``code`` where the protocol lies in reading the model (UnQover)."""
    device: str | None = None
    decoding: dict[str, Any] = {}
    scorer_version: str | None = None


class HeaderLine(msgspec.Struct, frozen=True, kw_only=True):
    """The first line of a JSONL predictions file that has a header."""

    evenhand_header: Header


def sidecar_of(path: Path) -> Path:
    """Return the path of a predictions file's sidecar.

    >>> sidecar_of(Path("preds.parquet")).name
    'preds.parquet.meta.json'
    """
    return path.with_name(path.name + SIDECAR_SUFFIX)
