"""The predictions files of one run: one model, one protocol, disjoint ids."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from evenhand.contract import CONTRACT_VERSION, DataRefused
from evenhand.contract.dataset import Manifest
from evenhand.contract.files import sha256_of_file
from evenhand.contract.predictions import DatasetReference, Header, ModelReference
from evenhand.contract.report import PredictionsRecord
from evenhand.scorer.benchmark import benchmark
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.faults import Fault, excerpt
from evenhand.scorer.readers.foreign import add_prompts
from evenhand.scorer.readers.prediction_format import FileRows, ToRows
from evenhand.scorer.readers.reader import ROWS, Reader
from evenhand.scorer.readers.recognise import recognise
from evenhand.scorer.readers.registry import chosen_reader, general_readers

PROTOCOLS = ("paper", "code")


@dataclass(frozen=True, slots=True)
class Inputs:
    """What was read from all files together."""

    rows: pl.DataFrame
    """``id`` and the other columns of the benchmark's predictions; one row or several per id."""
    headers: dict[Path, Header]
    records: list[PredictionsRecord]
    faults: list[Fault]
    notes: list[str] = field(default_factory=list)
    """Notes for the user on how the files were read."""


def read_inputs(
    paths: Sequence[Path],
    spelling: str,
    dataset: Dataset,
    configs: Sequence[str] = (),
    *,
    to_rows: Mapping[str, Callable[[Dataset, Sequence[str]], ToRows]],
) -> Inputs:
    """Read the predictions files of one model, and hash each while it is read.

    Args:
        paths: the files, each read in the same format; with batches also their requests.
        spelling: the reader as ``--reader`` takes it.
        dataset: the dataset whose questions were answered.
        configs: the requested ones; empty for all.
        to_rows: yield of a reader -> what joins it with the dataset.

    Raises:
        DataRefused: a file cannot be read, is given twice, or two files state different models.
        WrongUse: the benchmark has no such reader, or a run has to be chosen.
    """
    reader, choice = chosen_reader(benchmark(dataset.manifest.stem), spelling)
    files = _without_folders(paths, reader)
    check_paths(files)
    requests, prompts = _requests(files) if reader.takes_prompts else ({}, {})
    answers = [path for path in files if path not in requests]
    if not answers:
        raise DataRefused(f"{files[0]} holds requests alone; give the batch's output with it.")
    with ThreadPoolExecutor(1) as pool:
        digests = {path: pool.submit(sha256_of_file, path) for path in files}
        join = _as_they_are if reader.yields == ROWS else to_rows[reader.yields](dataset, configs)
        read = {}
        for path in answers:
            content = reader.read(path, choice)
            if prompts:
                add_prompts(content, prompts)
            read[path] = join(path, content)
    headers = {path: file.header for path, file in read.items() if file.header}
    check_one_model(headers)
    names = dict.fromkeys(answers, spelling) | requests
    records = [
        build_record(path, digests[path].result(), name, headers.get(path))
        for path, name in names.items()
    ]
    rows = pl.concat([file.rows for file in read.values()], how="diagonal")
    notes = [note for file in read.values() for note in file.notes]
    return Inputs(rows, headers, records, _faults(read, is_one=len(files) == 1), notes)


def _as_they_are(_path: Path, rows: FileRows) -> FileRows:
    return rows


def _without_folders(paths: Sequence[Path], reader: Reader) -> list[Path]:
    """Return the files, and in place of a folder those of the format, in alphabetical order."""
    files: list[Path] = []
    for path in paths:
        is_folder = reader.folder_pattern is not None and path.is_dir()
        inside = sorted(path.glob(str(reader.folder_pattern))) if is_folder else [path]
        if not inside:
            raise DataRefused(
                f"{path} holds no file {reader.folder_pattern}; {reader.name} is {reader.help}."
            )
        files += inside
    return files


def _requests(paths: Sequence[Path]) -> tuple[dict[Path, str], dict[str, str]]:
    """Return the files that hold prompts alone, with their format, and the prompts by id."""
    readers = {reader.name: reader for reader in general_readers()}
    requests, prompts = dict[Path, str](), dict[str, str]()
    for path in paths:
        recognised = recognise(path, readers.values())
        if recognised is not None and recognised.is_prompts:
            requests[path] = recognised.reader
            prompts |= readers[recognised.reader].read(path, None)
    return requests, prompts


def _faults(read: Mapping[Path, FileRows], *, is_one: bool) -> list[Fault]:
    """Return the faults of all files, each named by its file where there are several."""
    return [
        fault if is_one else fault._replace(kind=f"{fault.kind} in {path.name}")
        for path, file in read.items()
        for fault in file.faults
    ]


def header_of_model(dataset: Dataset, model: str | None) -> Header | None:
    """Return the header that states what a file of another tool says of its model."""
    if model is None:
        return None
    return Header(
        contract_version=CONTRACT_VERSION,
        dataset=DatasetReference(stem=dataset.manifest.stem),
        model=ModelReference(name=model),
    )


def check_paths(paths: Sequence[Path]) -> None:
    """Refuse a file that is given twice."""
    resolved = [path.resolve() for path in paths]
    for path, real_path in zip(paths, resolved, strict=True):
        if resolved.count(real_path) > 1:
            raise DataRefused(f"{path} is given twice; give each predictions file once.")


def build_record(path: Path, digest: str, reader: str, header: Header | None) -> PredictionsRecord:
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
    """Refuse files of different models."""
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
    """Return the first file whose statement differs from that of the first file."""
    first = next(iter(said.values()), None)
    return next((path for path, value in said.items() if value != first), None)


_WAYS = ("style", "normalise")
"""Settings of a header's ``decoding`` that change a model's numbers."""


def _asked(header: Header) -> str:
    said = header.decoding
    ways = [f"{name} {excerpt(str(said[name]), 40)}" for name in _WAYS if name in said]
    return ", ".join(ways) or "neither style nor normalise said"


def header_faults(headers: dict[Path, Header], manifest: Manifest) -> list[Fault]:
    """Return the faults of headers that name another dataset or an unknown protocol."""
    faults = []
    for path, header in headers.items():
        said = header.dataset
        if header.protocol is not None and header.protocol not in PROTOCOLS:
            text = f"{path.name} says {excerpt(repr(header.protocol), 40)}"
            remedy = f"A header's protocol is {' or '.join(PROTOCOLS)}, or is left out."
            faults.append(Fault("protocols that are none", 1, (text,), remedy))
        if said.stem != manifest.stem:
            text = (
                f"{path.name} answers {excerpt(said.stem, 40)}, but the dataset is {manifest.stem}"
            )
        elif said.digest is not None and said.digest != manifest.content_digest:
            digest = manifest.content_digest
            text = f"{path.name} says {excerpt(said.digest)}, but the dataset has {digest}"
        else:
            continue
        version = f" (version {excerpt(said.version, 40)})" if said.version else ""
        remedy = f"Take the dataset that was answered{version}, or predict again on this one."
        faults.append(Fault("dataset digests that differ", 1, (text,), remedy))
    return faults


def agree_on_protocol(headers: dict[Path, Header], asked: str | None) -> str:
    """Return the protocol under which the model was read, as the predictions state it.

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
    """Warn of models that ran at a lower precision than fp32."""
    precisions = {header.model.precision for header in headers.values() if header.model}
    return [
        f"The model ran in {precision}: do not compare its probabilities with those of fp32."
        for precision in sorted(excerpt(p, 40) for p in precisions if p and p != "fp32")
    ]


def _name(model: ModelReference) -> str:
    return excerpt(f"{model.name} ({', '.join(v for v in (model.revision, model.precision) if v)})")
