"""lighteval: a details Parquet (``details_<task>_<time>.parquet``) with its three structs.

Rows are shuffled and ``doc.id`` numbers the evaluated split, so a row is identified by what the
task put into ``doc.specific`` or by its text. Shape: files of 0.13.0; for versions before 0.11 see
``lighteval_flat``.
"""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evenhand.contract import DataRefused, WrongUse
from evenhand.scorer.faults import FaultList, excerpt
from evenhand.scorer.readers import lighteval_flat
from evenhand.scorer.readers.foreign import FAILED, ForeignAnswer, ForeignFile
from evenhand.scorer.readers.parquet import read_rows, read_schema
from evenhand.scorer.readers.prompts import letter_place, lettered_options
from evenhand.scorer.readers.reader import ANSWERS, Form, Mark, NoAnswers, Reader
from evenhand.scorer.readers.streams import MAX_ANSWERS

NAME = "lighteval"
COLUMNS = ("doc", "model_response")
OLD_COLUMNS = lighteval_flat.COLUMNS
"""Columns of the flat rows that versions before 0.11 wrote."""
NO_ROWS = (
    "{path} is a results file of lighteval: it holds averages and no rows; give the"
    " details_<task>_<time>.parquet of the same run, which `--save-details` writes."
)

_SHAPE = (
    "A row has doc with query and choices, and model_response with text and logprobs; before 0.11"
    " full_prompt, predictions and choices."
)
_Row = tuple[Any, Any]
"""The ``doc`` and the ``model_response`` of one row."""


def read(path: Path, chosen: str | None = None) -> ForeignFile:
    """Read the answers of one task.

    Args:
        path: the details file.
        chosen: the number of the sampled text that counts, from 0; needed where there are several.

    Raises:
        DataRefused: the file is cut off or has other columns.
        WrongUse: a row has several texts and none is chosen, or the choice is no number.
    """
    if chosen is not None and not (chosen.isascii() and chosen.isdigit()):
        raise WrongUse(f"--reader {NAME}:{chosen}: give the number of a sampled text, from 0.")
    faults, details = FaultList(), ForeignFile([])
    for number, (doc, response) in enumerate(_rows(path), 1):
        if not isinstance(doc, dict) or not isinstance(response, dict) or not doc.get("query"):
            faults.add("rows that are no details", _SHAPE, f"row {number}")
            continue
        answer = _identify(number, doc)
        _take(path, answer, doc, response, chosen)
        details.rows.append(answer)
    details.faults = faults.to_list()
    return details


def _rows(path: Path) -> Iterator[_Row]:
    names = read_schema(path).names()
    if set(COLUMNS) <= set(names):
        for row in read_rows(path, COLUMNS, limit=MAX_ANSWERS).iter_rows(named=True):
            yield row["doc"], row["model_response"]
    elif set(OLD_COLUMNS) <= set(names):
        columns = [name for name in lighteval_flat.READ if name in names]
        for row in read_rows(path, columns, limit=MAX_ANSWERS).iter_rows(named=True):
            yield lighteval_flat.nest(row) or (None, None)
    else:
        raise DataRefused(f"{path} has the columns {excerpt(', '.join(names[:9]))}. {_SHAPE}")


def _identify(number: int, doc: dict[str, Any]) -> ForeignAnswer:
    specific = doc.get("specific")
    key = specific if isinstance(specific, dict) else {}
    category, example = key.get("category"), key.get("example_id")
    is_key = isinstance(category, str) and isinstance(example, int)
    query = str(doc["query"])
    return ForeignAnswer(
        place=f"row {number} (doc {doc['id']})" if doc.get("id") else f"row {number}",
        category=category if is_key else None,
        example_id=example if is_key else None,
        prompt=query,
        options=_options(query, doc.get("choices")),
    )


def _options(query: str, choices: Any) -> tuple[str, ...] | None:
    """Return the choices; where they are letters, the texts that the query shows after them."""
    texts = [str(text).strip() for text in choices or ()]
    if texts and all(letter_place(text, len(texts)) is not None for text in texts):
        return lettered_options(query)
    return tuple(texts) or lettered_options(query)


def _take(
    path: Path,
    answer: ForeignAnswer,
    doc: dict[str, Any],
    response: dict[str, Any],
    chosen: str | None,
) -> None:
    """Take the log-probabilities of the choices, or the text."""
    texts, scores = response.get("text") or [], response.get("logprobs") or []
    if not texts and len(scores) == len(doc.get("choices") or ()) and scores:
        is_whole = all(isinstance(score, float) and not math.isnan(score) for score in scores)
        answer.scores, answer.why = (tuple(scores), None) if is_whole else (None, FAILED)
        return
    if chosen is None and len(texts) > 1:
        raise WrongUse(
            f"{path}, {answer.place} holds {len(texts)} sampled texts; say which counts, e.g."
            f" `--reader {NAME}:0`."
        )
    place = int(chosen or 0)
    if place < len(texts) and isinstance(texts[place], str):
        answer.answer = texts[place]
    else:
        answer.why = FAILED


READER = Reader(
    name=NAME,
    help="lighteval: details_<task>_<time>.parquet of --save-details",
    choice="[:N]",
    choice_help="the number of the sampled text that counts, from 0",
    yields=ANSWERS,
    read=read,
    marks=tuple(
        Mark(
            why="Parquet with the columns of lighteval's details",
            forms=(Form.PARQUET,),
            names=frozenset(columns),
        )
        for columns in (COLUMNS, OLD_COLUMNS)
    ),
    # A results file has keys that other tools use too, so all its keys are required.
    no_answers=tuple(
        NoAnswers(mark=Mark(why="averages", names=frozenset(keys)), sentence=NO_ROWS)
        for keys in ({"config_general"}, {"config_general", "results", "versions"})
    ),
)
