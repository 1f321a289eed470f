"""The metric JSON of each benchmark, to the byte, and its side files as the contract has them."""

import importlib
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import polars as pl
import pytest

from evenhand.contract import STEMS
from evenhand.contract.cli import main
from evenhand.contract.files import canonical_json
from evenhand.contract.report import Report

FOLDER = Path(__file__).parent
AGAIN = (
    "{stem}_metrics.json is not what `evenhand score` writes now. If the change is meant, run"
    " `python tests/golden/regenerate.py {stem}`, read the difference and commit it with what"
    " caused it; numbers that move need a line in CHANGELOG.md."
)


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Score the golden predictions of every benchmark."""
    found = {}
    for stem in STEMS:
        found[stem] = tmp_path_factory.mktemp(stem) / "metrics.json"
        predictions = FOLDER / f"{stem}_predictions.jsonl"
        words = ["score", FOLDER / stem, "--predictions", predictions, "--out", found[stem]]
        assert main([str(word) for word in words]) == 0
    return found


def differences(old: Any, new: Any, place: str = "") -> list[str]:
    """Return where two JSON values differ, and how."""
    if type(old) is not type(new) or not isinstance(old, dict | list):
        return [] if old == new else [f"{place}: {old!r} became {new!r}"]
    if isinstance(old, list):
        old, new = dict(enumerate(old)), dict(enumerate(new))
    return [
        line
        for name in dict.fromkeys([*old, *new])
        for line in differences(old.get(name), new.get(name), f"{place}.{name}")
    ]


def told(stem: str, golden: bytes, made: bytes) -> str:
    """Say where two metric JSONs differ, and how to write the golden one again."""
    found = differences(json.loads(golden), json.loads(made)) or ["the form of the JSON alone"]
    return "\n".join([AGAIN.format(stem=stem), f"{len(found)} differences:", *found[:10]])


@pytest.mark.parametrize("stem", STEMS)
def test_the_metric_json_is_the_golden_one(scored, stem: str) -> None:
    """A change of any byte of a benchmark's output is seen here first."""
    golden = (FOLDER / f"{stem}_metrics.json").read_bytes()
    made = scored[stem].read_bytes()

    is_same = made == golden  # pytest would write out both
    assert is_same, told(stem, golden, made)


@pytest.mark.parametrize("stem", STEMS)
def test_the_golden_json_is_what_the_contract_describes(stem: str) -> None:
    """It decodes, and has no field that the record lacks."""
    golden = (FOLDER / f"{stem}_metrics.json").read_bytes()

    report = msgspec.json.decode(golden, type=Report)

    assert canonical_json(report) == golden
    assert report.dataset.stem == stem


@pytest.mark.parametrize("stem", STEMS)
def test_a_number_has_an_interval_or_the_reason_why_not(stem: str) -> None:
    """One of the two, and no interval passes for certainty."""
    golden = (FOLDER / f"{stem}_metrics.json").read_bytes()
    metrics = msgspec.json.decode(golden, type=Report).metrics
    groups = [own for metric in metrics for by in metric.by.values() for own in by.values()]

    for own in [*metrics, *groups]:
        assert (own.interval is None) is bool(own.why_no_interval)
        assert own.interval is None or own.interval.low < own.interval.high


def records(stem: str) -> ModuleType:
    """Return the contract's module of a benchmark."""
    return importlib.import_module(f"evenhand.contract.{stem}")


def as_rows(rows: list[dict[str, Any]], record: type[msgspec.Struct]) -> None:
    """Check that rows have the record's fields, all of them and no others, with their types."""
    found = msgspec.convert(rows, list[record])

    assert without_nulls(msgspec.to_builtins(found)) == without_nulls(rows)


@pytest.mark.parametrize("stem", STEMS)
def test_the_parts_have_the_columns_of_the_contract(scored, stem: str) -> None:
    """Each column stands in the record, in its order, and each row is one."""
    parts = pl.read_parquet(scored[stem].with_name("metrics.parts.parquet"))
    record = records(stem).Part

    assert parts.columns == [field.encode_name for field in msgspec.structs.fields(record)]
    as_rows(parts.to_dicts(), record)


@pytest.mark.parametrize("stem", STEMS)
def test_the_examples_have_the_fields_of_the_contract(scored, stem: str) -> None:
    """Each line is one record."""
    lines = scored[stem].with_name("metrics.examples.jsonl").read_text().splitlines()

    assert lines
    as_rows([json.loads(line) for line in lines], records(stem).Example)


def without_nulls(value: Any) -> Any:
    """Return a JSON value without the fields that are null."""
    if isinstance(value, list):
        return [without_nulls(own) for own in value]
    if not isinstance(value, dict):
        return value
    return {name: without_nulls(own) for name, own in value.items() if own is not None}
