"""Reads BBQ predictions of any format as rows by id, with faults and notes."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from evenhand.scorer.bbq import unifiedqa
from evenhand.scorer.bbq.answers import NO_MATCH
from evenhand.scorer.bbq.foreign_answers import answers_to
from evenhand.scorer.bbq.predictions import SCHEMA
from evenhand.scorer.bbq.questions import read_questions
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.inputs import Inputs, header_of_model, read_inputs
from evenhand.scorer.readers.foreign import ForeignFile
from evenhand.scorer.readers.prediction_format import FileRows, ToRows
from evenhand.scorer.readers.reader import ANSWERS


def read_files(
    paths: Sequence[Path], reader: str, dataset: Dataset, configs: Sequence[str] = ()
) -> Inputs:
    """Read the predictions of one model.

    Args:
        paths: the files, all in the same format; for batch APIs also the files of requests.
        reader: as ``--reader`` takes it.
        dataset: the dataset that was answered; other tools' rows are identified by its texts.
        configs: the requested configs; every row is read whatever they are.

    Raises:
        DataRefused: a file cannot be read or is given twice, or files state different models.
        WrongUse: a file holds several answers to a question and the reader selects none.
    """
    to_rows = {ANSWERS: _join_foreign_answers, unifiedqa.MATCHED_ANSWERS: _convert_matched_answers}
    return read_inputs(paths, reader, dataset, configs, to_rows=to_rows)


def _join_foreign_answers(dataset: Dataset, _configs: Sequence[str]) -> ToRows:
    """Return a function that joins rows of another tool's file with the dataset's questions."""
    questions = read_questions(dataset)

    def to_rows(path: Path, file: ForeignFile) -> FileRows:
        answered = answers_to(questions, file.rows)
        return FileRows(
            answered.rows,
            header_of_model(dataset, file.model),
            [*file.faults, *answered.faults],
            [*file.notes, *(f"{path.name}: {note}" for note in answered.notes)],
        )

    return to_rows


def _convert_matched_answers(_dataset: Dataset, _configs: Sequence[str]) -> ToRows:
    """Return a function that turns the release's rows into ours; their choices are final."""
    number = pl.col("example_id").cast(pl.String).str.zfill(5)
    is_unmatched = pl.col("choice").is_null()
    columns = (
        pl.concat_str("category", number, separator="-").alias("id"),
        pl.col("choice").alias("label"),
        "answer",
        *(pl.lit(None, pl.Float64).alias(f"score{place}") for place in range(3)),
        pl.when(is_unmatched).then(pl.lit(NO_MATCH)).alias("why_unscored"),
    )
    return lambda _path, answers: FileRows(answers.select(columns).select(*SCHEMA))
