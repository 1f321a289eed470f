"""BBQ's predictions of any format, as rows by id with what there is to say about the reading."""

from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl

from evenhand.contract import CONTRACT_VERSION, DataRefused, WrongUse
from evenhand.contract.files import sha256_of_file
from evenhand.contract.predictions import DatasetReference, Header, ModelReference
from evenhand.scorer.bbq import unifiedqa
from evenhand.scorer.bbq.answers import NO_MATCH
from evenhand.scorer.bbq.foreign_answers import answers_to
from evenhand.scorer.bbq.predictions import SCHEMA, read_answers
from evenhand.scorer.bbq.questions import Questions, questions_of
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.inputs import Inputs, check_one_model, check_paths, record_of
from evenhand.scorer.readers import OURS, any_table, batches, helm, inspect_log, lighteval, lm_eval
from evenhand.scorer.readers.foreign import ForeignFile
from evenhand.scorer.readers.recognise import REQUESTS, recognise

UNIFIEDQA = tuple(f"unifiedqa:{variant}" for variant in unifiedqa.VARIANTS)

ForeignReader = Callable[[Path, str | None], ForeignFile]

FOREIGN: dict[str, ForeignReader] = {
    lm_eval.NAME: lm_eval.read,
    helm.NAME: helm.read,
    inspect_log.NAME: inspect_log.read,
    lighteval.NAME: lighteval.read,
    batches.OPENAI: batches.read_openai,
    batches.ANTHROPIC: batches.read_anthropic,
    any_table.NAME: any_table.read,
}
"""Readers of other tools' files; each takes the file and what is chosen of it."""

READERS = (
    OURS,
    *UNIFIEDQA,
    f"{lm_eval.NAME}[:FILTER][:RULE]",
    f"{helm.NAME}[:TRIAL]",
    f"{inspect_log.NAME}[:EPOCH]",
    f"{lighteval.NAME}[:N]",
    f"{batches.OPENAI}[:N]",
    batches.ANTHROPIC,
    f"{any_table.NAME}[:COLUMN]",
)
"""What ``--reader`` takes; what stands in brackets chooses where a file holds several answers."""

_BATCHES = (batches.OPENAI, batches.ANTHROPIC)


def read_files(
    paths: Sequence[Path], reader: str, dataset: Dataset, _configs: Sequence[str] = ()
) -> Inputs:
    """Read the predictions of one model.

    Args:
        paths: the files, each read in the same format; beside batches their requests.
        reader: one of :data:`READERS`.
        dataset: whose questions were answered; other tools' rows are told by its words.

    Raises:
        DataRefused: a file cannot be read, is given twice, or two files state different models.
        WrongUse: a file holds several answers to a question and none is chosen.
    """
    check_paths(paths)
    if reader in UNIFIEDQA:
        found = [_read_unifiedqa(path, reader) for path in paths]
    elif reader == OURS:
        found = [_read_ours(path) for path in paths]
    else:
        found = _read_foreign(paths, reader, dataset)
    headers = {path: header for own in found for path, header in own.headers.items()}
    check_one_model(headers)
    faults = [
        fault if len(paths) == 1 else fault._replace(kind=f"{fault.kind} in {own.records[0].name}")
        for own in found
        for fault in own.faults
    ]
    return Inputs(
        pl.concat([own.rows for own in found]),
        headers,
        [record for own in found for record in own.records],
        faults,
        [note for own in found for note in own.notes],
    )


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


def _read_foreign(paths: Sequence[Path], reader: str, dataset: Dataset | None) -> list[Inputs]:
    if dataset is None:
        raise WrongUse(f"--reader {reader} needs the dataset: its words tell which row is which.")
    name, _, chosen = reader.partition(":")
    requests, prompts = _requests(paths) if name in _BATCHES else ([], {})
    answers = [path for path in paths if path not in requests]
    if not answers:
        raise DataRefused(f"{paths[0]} holds requests alone; give the batch's output with it.")
    questions = questions_of(dataset)
    found = []
    for path in answers:
        file = FOREIGN[name](path, chosen or None)
        batches.with_requests(file, prompts)
        found.append(_joined(path, reader, file, questions))
    nothing = pl.DataFrame(schema=SCHEMA)
    records = (record_of(path, sha256_of_file(path), REQUESTS, None) for path in requests)
    return [*found, *(Inputs(nothing, {}, [record], []) for record in records)]


def _requests(paths: Sequence[Path]) -> tuple[list[Path], dict[str, str]]:
    """Return the request files among some, and what they asked by ``custom_id``."""
    own, prompts = [], dict[str, str]()
    for path in paths:
        told = recognise(path)
        if told is not None and told.reader == REQUESTS:
            own.append(path)
            prompts |= batches.read_requests(path)
    return own, prompts


def _joined(path: Path, reader: str, file: ForeignFile, questions: Questions) -> Inputs:
    answered = answers_to(questions, file.rows)
    header = _header(file.model)
    notes = [*file.notes, *(f"{path.name}: {note}" for note in answered.notes)]
    return Inputs(
        answered.rows,
        {path: header} if header else {},
        [record_of(path, sha256_of_file(path), reader, header)],
        [*file.faults, *answered.faults],
        notes,
    )


def _header(model: str | None) -> Header | None:
    """Return what a file of another tool says of its model."""
    if model is None:
        return None
    return Header(
        contract_version=CONTRACT_VERSION,
        dataset=DatasetReference(stem="bbq"),
        model=ModelReference(name=model),
    )
