"""BBQ's predictions of any format, as rows by id with what there is to say about the reading."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from evenhand.scorer.bbq import unifiedqa
from evenhand.scorer.bbq.answers import NO_MATCH
from evenhand.scorer.bbq.foreign_answers import answers_to
from evenhand.scorer.bbq.predictions import SCHEMA
from evenhand.scorer.bbq.questions import questions_of
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
        paths: the files, each read in the same format; beside batches their requests.
        reader: as ``--reader`` takes it.
        dataset: whose questions were answered; other tools' rows are told by its words.
        configs: those that are asked for; every row is read all the same.

    Raises:
        DataRefused: a file cannot be read, is given twice, or two files state different models.
        WrongUse: a file holds several answers to a question and none is chosen.
    """
    to_rows = {ANSWERS: _joined, unifiedqa.MATCHED_ANSWERS: _matched}
    return read_inputs(paths, reader, dataset, configs, to_rows=to_rows)


def _joined(dataset: Dataset, _configs: Sequence[str]) -> ToRows:
    """Return what joins a file of any tool with the dataset's questions."""
    questions = questions_of(dataset)

    def to_rows(path: Path, file: ForeignFile) -> FileRows:
        answered = answers_to(questions, file.rows)
        return FileRows(
            answered.rows,
            header_of_model(dataset, file.model),
            [*file.faults, *answered.faults],
            [*file.notes, *(f"{path.name}: {note}" for note in answered.notes)],
        )

    return to_rows


def _matched(_dataset: Dataset, _configs: Sequence[str]) -> ToRows:
    """Return what makes rows of the release; what it says of an answer stands."""
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
