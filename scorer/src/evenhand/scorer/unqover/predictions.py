"""UnQover predictions in Evenhand's format: two scores for each question."""

import math
from collections.abc import Callable, Sequence
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from evenhand.contract import DataRefused
from evenhand.contract.unqover import Prediction
from evenhand.scorer.faults import FaultList
from evenhand.scorer.readers import prediction_files
from evenhand.scorer.readers.json_text import once_loads
from evenhand.scorer.readers.parquet import read_rows, read_schema
from evenhand.scorer.readers.plain_tables import read_plain_table
from evenhand.scorer.readers.prediction_files import prediction_reader
from evenhand.scorer.readers.prediction_format import (
    ID_REMEDY,
    NO_ID,
    FileRows,
    PredictionFormat,
    check_columns,
)
from evenhand.scorer.readers.table_text import FIRST_ROW
from evenhand.scorer.unqover.prediction_rows import (
    COLUMNS,
    IN_RANGE,
    NUMBER,
    QUESTION_COLUMNS,
    SCHEMA,
    SCORES,
    check_scores,
)

_JSON = "Each line must be one JSON object."
_scores: Callable[[Prediction], tuple[float, float]] = attrgetter(*SCORES)


class _ScorePairs(PredictionFormat[Prediction]):
    """The format: two probabilities in each row, read by column because rows may be millions."""

    record = Prediction
    columns_beside = QUESTION_COLUMNS
    shape = f"A row has the columns {', '.join(COLUMNS)}, and no others except the dataset's."
    json_hint = "The original's output.json needs `--reader unqover`."

    def frame(self, records: Sequence[Prediction]) -> pl.DataFrame:
        """Return records as rows."""
        scores = np.fromiter(
            chain.from_iterable(map(_scores, records)), dtype=np.float64, count=2 * len(records)
        ).reshape(-1, 2)
        ids = [record.id for record in records]
        return pl.DataFrame(
            {"id": ids, "score_x1": scores[:, 0], "score_x2": scores[:, 1]}, schema=SCHEMA
        )

    def parse(self, line: bytes, place: str, faults: FaultList) -> Prediction | None:
        """Read a line field by field, so that every wrong field of a row is named, NaN too."""
        row = once_loads(line.decode())
        if not isinstance(row, dict):
            faults.add("lines that are not JSON objects", _JSON, place)
            return None
        for name in sorted(set(row) - {*COLUMNS, *QUESTION_COLUMNS}):
            faults.add("unknown columns", self.shape, f"{place}: {name}")
        for name in [name for name in COLUMNS if name not in row]:
            faults.add("missing columns", self.shape, f"{place}: {name}")
        scores = [_score(row, name, place, faults) for name in SCORES]
        identity = row.get("id")
        if isinstance(identity, str) and identity:
            return Prediction(id=identity, score_x1=scores[0], score_x2=scores[1])
        if "id" in row:
            faults.add(NO_ID, ID_REMEDY, f"{place}: {identity!r}")
        return None

    def table(self, path: Path, suffix: str) -> FileRows:
        """Return the rows of a table, with NaN for scores that are refused."""
        if suffix == ".parquet":
            return self._parquet(path)
        table = read_plain_table(path, suffix, SCORES.__contains__)
        check_columns(str(path), table.texts.columns, self)
        numbers = (pl.col(name).str.strip_chars().cast(pl.Float64, strict=False) for name in SCORES)
        rows = table.texts.select("id", *numbers)
        return check_scores(rows, texts=table.texts, first_row=FIRST_ROW, notes=table.notes)

    def _parquet(self, path: Path) -> FileRows:
        """Read Parquet with a text column ``id`` and two columns of numbers."""
        schema = read_schema(path)
        check_columns(str(path), list(schema), self)
        _check_types(path, schema)
        rows = read_rows(path, COLUMNS)
        return check_scores(rows.select(pl.col(name).cast(kind) for name, kind in SCHEMA.items()))


FORMAT = _ScorePairs()
READER = prediction_reader(FORMAT)


def read_predictions(path: Path) -> FileRows:
    """Read a predictions file in Evenhand's format; its suffix says how.

    Raises:
        DataRefused: the file cannot be read at all; faults of rows are in the result.
    """
    return prediction_files.read_predictions(path, FORMAT)


def _score(row: dict[str, Any], name: str, place: str, faults: FaultList) -> float:
    """Return a score, or NaN if the value is not a score."""
    if name not in row:
        return math.nan
    value, quoted = row[name], f"{place}: {name} {row[name]!r}"
    if isinstance(value, bool) or not isinstance(value, int | float):
        faults.add("scores that are not numbers", NUMBER, quoted)
    elif isinstance(value, float) and not math.isfinite(value):
        faults.add("scores that are NaN or infinite", IN_RANGE, quoted)
    elif not 0 <= value <= 1:
        faults.add("scores out of range", IN_RANGE, quoted)
    else:
        return float(value)
    return math.nan


def _check_types(path: Path, schema: pl.Schema) -> None:
    if not isinstance(schema["id"], pl.String | pl.Categorical | pl.Enum):
        raise DataRefused(f"{path}: the column id is {schema['id']}; it must be text.")
    for name in SCORES:
        if not schema[name].is_numeric():
            raise DataRefused(
                f"{path}: the column {name} is {schema[name]}; it must be a number from 0 to 1."
            )
