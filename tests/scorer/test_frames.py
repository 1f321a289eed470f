"""Rows in memory: whatever a notebook holds gives the same numbers, or is refused in a sentence."""

import importlib
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from evenhand.contract import DataRefused
from evenhand.contract.dataset import read_manifest
from evenhand.contract.report import Report
from evenhand.scorer import bbq, unqover

GOLDEN = Path(__file__).parents[1] / "golden"
STEMS = ("unqover", "bbq", "bvf")
FEW = {"resamples": 20}

Rows = list[dict[str, Any]]


def items_of(stem: str) -> Rows:
    """Return the golden items."""
    return pl.read_parquet(next((GOLDEN / stem).glob("*/*.parquet"))).to_dicts()


def predictions_of(stem: str) -> Rows:
    """Return the golden predictions; those of BBQ are labels, texts and scores in turn."""
    lines = (GOLDEN / f"{stem}_predictions.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def scored(stem: str, items: Any, predictions: Any) -> Report:
    """Score by the function that a notebook imports."""
    topics = read_manifest(GOLDEN / "bvf").provenance["topics"] if stem == "bvf" else None
    more = {"topics": topics} if topics else {}
    module = importlib.import_module(f"evenhand.scorer.{stem}")
    return module.score(items, predictions, **FEW, **more)


@pytest.fixture(scope="module")
def expected() -> dict[str, Report]:
    """Score lists of dicts of Python's own values."""
    return {stem: scored(stem, items_of(stem), predictions_of(stem)) for stem in STEMS}


def of_parquet(rows: Rows, **how: Any) -> pd.DataFrame:
    """Return a frame as pandas reads it from Parquet: lists are arrays."""
    stream = io.BytesIO()
    pl.DataFrame(rows, infer_schema_length=None).write_parquet(stream)
    stream.seek(0)
    return pd.read_parquet(stream, **how)


def of_numpy(value: Any) -> Any:
    """Return a value as numpy has it."""
    if isinstance(value, bool | dict) or value is None:
        return value
    return np.array(value) if isinstance(value, list) else np.array([value])[0]


def categorical(rows: Rows) -> pd.DataFrame:
    """Return a frame whose texts are categories."""
    frame = pd.DataFrame(rows)
    texts = [name for name in frame if any(isinstance(own, str) for own in frame[name])]
    return frame.astype(dict.fromkeys(texts, "category"))


FORMS: dict[str, Callable[[Rows], Any]] = {
    "polars": lambda rows: pl.DataFrame(rows, infer_schema_length=None),
    "polars, lazy": lambda rows: pl.LazyFrame(rows, infer_schema_length=None),
    "polars, coded ids": lambda rows: pl.DataFrame(rows, infer_schema_length=None).with_columns(
        pl.col("id").cast(pl.Categorical)
    ),
    "pandas": pd.DataFrame,
    "pandas, objects": lambda rows: pd.DataFrame(rows).astype(object),
    "pandas, nullable types": lambda rows: pd.DataFrame(rows).convert_dtypes(),
    "pandas, types of Arrow": lambda rows: pd.DataFrame(rows).convert_dtypes(
        dtype_backend="pyarrow"
    ),
    "pandas, categories": categorical,
    "pandas, of Parquet": of_parquet,
    "pandas, of Parquet with types of Arrow": lambda rows: of_parquet(
        rows, dtype_backend="pyarrow"
    ),
    "pandas, ids as index": lambda rows: pd.DataFrame(rows).set_index("id", drop=False),
    "pandas, part of a longer frame": lambda rows: pd.DataFrame([rows[0], *rows]).iloc[1:],
    "pandas, rows of it": lambda rows: pd.DataFrame(rows).to_dict("records"),
    "pyarrow": lambda rows: pa.Table.from_pandas(pd.DataFrame(rows)),
    "values of numpy": lambda rows: [
        {name: of_numpy(own) for name, own in row.items()} for row in rows
    ],
    "a generator": iter,
}


FORMS_OF_BVF = ("polars", "pandas", "pandas, types of Arrow", "pandas, categories", "pyarrow")
"""Its 120 subjects take longer; objects of probabilities are what it has of its own."""


@pytest.mark.parametrize(
    ("stem", "form"),
    [(own, form) for own in STEMS for form in (FORMS if own != "bvf" else FORMS_OF_BVF)],
)
def test_every_form_gives_the_same_metrics(expected, stem: str, form: str) -> None:
    """NaN, NA and None are all missing; categories, arrays and numbers of numpy are values."""
    made = scored(stem, FORMS[form](items_of(stem)), FORMS[form](predictions_of(stem)))

    assert made.metrics == expected[stem].metrics


@pytest.mark.parametrize("stem", ["unqover", "bbq"])
def test_predictions_that_went_through_csv_are_the_same(expected, stem: str) -> None:
    """Labels became floats beside missing ones, and lists their JSON."""
    text = pd.DataFrame(predictions_of(stem)).to_csv(index=False)

    made = scored(stem, items_of(stem), pd.read_csv(io.StringIO(text)))

    assert made.metrics == expected[stem].metrics


def test_records_of_the_contract_are_rows(expected) -> None:
    """What the contract calls an item and a prediction is taken as it is."""
    records = importlib.import_module("evenhand.contract.bbq")
    items = msgspec.convert(items_of("bbq"), list[records.Item], strict=False)
    predictions = msgspec.convert(predictions_of("bbq"), list[records.Prediction])

    assert bbq.score(items, predictions, **FEW).metrics == expected["bbq"].metrics


def test_columns_that_are_not_read_may_hold_anything(expected) -> None:
    """A frame of items may have columns of its own, even ones that make no table."""
    frame = pd.DataFrame(items_of("bbq"))
    frame["note"] = [object() for _ in range(len(frame))]

    assert bbq.score(frame, predictions_of("bbq"), **FEW).metrics == expected["bbq"].metrics


def refusals() -> Iterator[tuple[str, Any, Any, str]]:
    """Yield the benchmark, items, predictions, and what is said."""
    items, predictions = items_of("unqover"), predictions_of("unqover")
    frame = pd.DataFrame(predictions)
    yield "unqover", items, "predictions.jsonl", "Rows are a str"
    yield "unqover", items, {"id": ["a"]}, "Rows are a dict"
    yield "unqover", items, 7, "Rows are a int"
    yield "unqover", items, [1, 2], "A row is a int"
    yield "unqover", items, frame.drop(columns="id"), "lack the column id"
    yield "unqover", items, frame.assign(score_x1=True), "score_x1 is Boolean; it must be numbers"
    yield "unqover", items, frame.assign(score_x1="0.5"), "score_x1 is String; it must be numbers"
    yield "unqover", items, frame.assign(score_x1=float("nan")), "score_x1 that are not numbers"
    yield "unqover", items, frame.assign(score_x1=1.5), "score_x1 out of range"
    yield "unqover", items, frame.assign(id=1), "the column id is Int64; it must be text"
    yield "unqover", items, pd.concat([frame, frame["id"]], axis=1), "the column id twice"
    mixed = [{**predictions[0], "score_x1": [1]}, *predictions[1:]]
    yield "unqover", items, mixed, "The column score_x1 makes no table"
    turned = pd.DataFrame(items).assign(order="12")
    yield "unqover", turned, predictions, "The column order makes no table; it must be Int64"
    labels = pd.DataFrame(predictions_of("bbq")).assign(label=1.5)
    yield "bbq", items_of("bbq"), labels[["id", "label"]], "row 1: label is 1.5"
    yield "bbq", items_of("bbq"), labels[["id"]].assign(label=True), "row 1: label is true"
    whole = pd.DataFrame(items_of("bbq")).assign(target=0.5)
    yield "bbq", whole, predictions_of("bbq"), "The column target makes no table; it must be Int64"


@pytest.mark.parametrize(("stem", "items", "predictions", "said"), [*refusals()])
def test_what_makes_no_rows_is_refused(stem, items, predictions, said) -> None:
    """One sentence that names the column; nothing of polars or pandas comes through."""
    with pytest.raises(DataRefused) as refused:
        scored(stem, items, predictions)

    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_report_is_a_table_in_a_notebook(expected) -> None:
    """It prints as one, shows as one, and gives its rows for a frame."""
    report = unqover.score(items_of("unqover"), predictions_of("unqover"), **FEW)

    assert str(report).startswith("config ")
    assert report._repr_html_().startswith("<table>")
    assert len(pd.DataFrame(report.rows())) == len(expected["unqover"].metrics)
    groups = pl.DataFrame(report.group_rows("unqover.gamma", "subject"), infer_schema_length=None)
    assert groups["subject"].to_list() == list(expected["unqover"].metrics[-2].by["subject"])
