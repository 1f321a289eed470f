"""The predictions files of one run: one model, one protocol, disjoint ids."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from evenhand.contract import DataRefused
from evenhand.contract.dataset import Manifest
from evenhand.contract.predictions import Header, ModelReference
from evenhand.contract.report import PredictionsRecord
from evenhand.scorer.faults import Fault, shown

PROTOCOLS = ("paper", "code")


@dataclass(frozen=True, slots=True)
class Inputs:
    """What was read from all files together."""

    rows: pl.DataFrame
    """``id`` and what else a row of the benchmark's predictions has; one or several an id."""
    headers: dict[Path, Header]
    records: list[PredictionsRecord]
    faults: list[Fault]
    notes: list[str] = field(default_factory=list)
    """What a person has to know about how the files were read."""


def check_paths(paths: Sequence[Path]) -> None:
    """Refuse a file that is given twice."""
    resolved = [path.resolve() for path in paths]
    for path, own in zip(paths, resolved, strict=True):
        if resolved.count(own) > 1:
            raise DataRefused(f"{path} is given twice; give each predictions file once.")


def record_of(path: Path, digest: str, reader: str, header: Header | None) -> PredictionsRecord:
    """Describe a file for the metric JSON, by its name alone: folders differ between machines."""
    return PredictionsRecord(
        name=path.name,
        sha256=digest,
        bytes=path.stat().st_size,
        reader=reader,
        model=header.model if header else None,
        decoding=(header.decoding or None) if header else None,
    )


def check_one_model(headers: dict[Path, Header]) -> None:
    """Refuse files of different models: their rows are not one model's answers."""
    stated = {path: header.model for path, header in headers.items() if header.model}
    if (path := _unlike_the_first(stated)) is not None:
        first_path, first = next(iter(stated.items()))
        raise DataRefused(
            f"{path} is of the model {_name(stated[path])}, but {first_path} of {_name(first)};"
            " score each model by itself."
        )
    asked = {path: _asked(headers[path]) for path in stated}
    if (path := _unlike_the_first(asked)) is not None:
        first_path, first_way = next(iter(asked.items()))
        raise DataRefused(
            f"{path} was asked with {asked[path]}, but {first_path} with {first_way}; score each by"
            " itself."
        )


def _unlike_the_first(said: Mapping[Path, object]) -> Path | None:
    """Return the first file that says something else than the first of all."""
    return next((path for path, own in said.items() if own != next(iter(said.values()))), None)


_WAYS = ("style", "normalise")
"""What a header's ``decoding`` says that makes other numbers of the same model."""


def _asked(header: Header) -> str:
    said = header.decoding
    ways = [f"{name} {shown(str(said[name]), 40)}" for name in _WAYS if name in said]
    return ", ".join(ways) or "neither style nor normalise said"


def header_faults(headers: dict[Path, Header], manifest: Manifest) -> list[Fault]:
    """Return where a header says that it answers another dataset, or a protocol that is none."""
    faults = []
    for path, header in headers.items():
        said = header.dataset
        if header.protocol is not None and header.protocol not in PROTOCOLS:
            text = f"{path.name} says {shown(repr(header.protocol), 40)}"
            remedy = f"A header's protocol is {' or '.join(PROTOCOLS)}, or is left out."
            faults.append(Fault("protocols that are none", 1, (text,), remedy))
        if said.stem != manifest.stem:
            text = f"{path.name} answers {shown(said.stem, 40)}, but the dataset is {manifest.stem}"
        elif said.digest is not None and said.digest != manifest.content_digest:
            own = manifest.content_digest
            text = f"{path.name} says {shown(said.digest)}, but the dataset has {own}"
        else:
            continue
        version = f" (version {shown(said.version, 40)})" if said.version else ""
        remedy = f"Take the dataset that was answered{version}, or predict again on this one."
        faults.append(Fault("dataset digests that differ", 1, (text,), remedy))
    return faults


def protocol_of(headers: dict[Path, Header], asked: str | None) -> str:
    """Return the protocol under which the model was read; it lies in the predictions.

    Raises:
        DataRefused: files differ, or it is not the one that was asked for.
    """
    said = {path: header.protocol for path, header in headers.items() if header.protocol}
    for path, protocol in said.items():
        expected = asked or next(iter(said.values()))
        if protocol != expected:
            raise DataRefused(
                f"{path} was made under the protocol {protocol}, not {expected}; the difference"
                f" lies in reading the model: `evenhand predict --protocol {expected}`."
            )
    return asked or next(iter(said.values()), PROTOCOLS[0])


def precision_warnings(headers: dict[Path, Header]) -> list[str]:
    """Warn of probabilities of a lower precision: they differ from those of fp32."""
    found = {header.model.precision for header in headers.values() if header.model}
    return [
        f"The model ran in {precision}: do not compare its probabilities with those of fp32."
        for precision in sorted(shown(p, 40) for p in found if p and p != "fp32")
    ]


def _name(model: ModelReference) -> str:
    return shown(f"{model.name} ({', '.join(v for v in (model.revision, model.precision) if v)})")
