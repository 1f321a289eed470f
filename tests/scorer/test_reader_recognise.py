"""Telling a format from the first record, whatever the file is called."""

import gzip
import json
import zipfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from evenhand.contract import DataRefused, WrongUse
from evenhand.scorer.bbq import BENCHMARK as BBQ
from evenhand.scorer.readers.recognise import reader_for, recognise
from evenhand.scorer.unqover import BENCHMARK as UNQOVER

ENTRY = {"q0": {"question": "Who?", "ans0": {"start": 0.5, "end": 0.5}}, "q1": {}}


def _file(path: Path, value: Any, **style: Any) -> Path:
    text = value if isinstance(value, str) else json.dumps(value, **style)
    path.write_text(text + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("value", "reader"),
    [
        ({"evenhand_header": {}}, "evenhand"),
        ({"id": "a", "label": 1}, "evenhand"),
        ({"id": "a", "score_x1": 0.5, "score_x2": 0.5}, "evenhand"),
        ({"doc_id": 0, "doc": {}, "filtered_resps": []}, "lm-eval"),
        ({"adapter_spec": {"method": "x"}, "request_states": []}, "helm"),
        ({"version": 2, "status": "success", "eval": {}}, "inspect"),
        ({"custom_id": "a", "response": {}, "error": None}, "openai-batch"),
        ({"custom_id": "a", "result": {"type": "expired"}}, "anthropic-batch"),
        ({"custom_id": "a", "method": "POST", "body": {}}, "requests"),
        ({"custom_id": "a", "params": {}}, "requests"),
        ({"example_id": 1, "unifiedqa-t5-11b_pred_race": "x"}, "unifiedqa"),
        ({"None|None|a|b|0|None|x|y": ENTRY}, "unqover"),
        ({"category": "Age", "example_id": 1, "prediction": "B"}, "table"),
    ],
)
def test_json_is_told_by_its_keys(tmp_path, value: dict[str, Any], reader: str) -> None:
    """On one line, indented, behind a byte order mark, and compressed."""
    plain = _file(tmp_path / "a.jsonl", value)
    packed = tmp_path / "a.jsonl.gz"
    packed.write_bytes(gzip.compress(b"\xef\xbb\xbf" + plain.read_bytes()))
    indented = _file(tmp_path / "b.jsonl", value, indent=2)

    for path in (plain, packed, indented):
        found = recognise(path)
        assert found is not None
        assert found.reader == reader


@pytest.mark.parametrize(
    ("text", "name", "reader"),
    [
        ("id,label\na,1", "a.csv", "evenhand"),
        ("id\tanswer\na\tx", "a.tsv", "evenhand"),
        ("id;label\na;1", "a.csv", "table"),
        ("id\tlabel\na\t1", "a.csv", "table"),
        ("id,label,note\na,1,x", "a.csv", "table"),
        ("id,prediction\na,1", "a.txt", "table"),
        ("example_id,category,answer\n1,Age,x", "a.csv", "table"),
        ('[{"doc_id": 0, "filtered_resps": []}]', "a.jsonl", "lm-eval"),
        ("just some words", "a.csv", None),
        ("[1, 2]", "a.json", None),
        ('{"a": 1}', "a.json", None),
    ],
)
def test_text_is_told_by_its_first_line(tmp_path, text: str, name: str, reader) -> None:
    """Ours has our columns and the delimiter that the name says; every other table is a table."""
    found = recognise(_file(tmp_path / name, text))

    assert (found.reader if found else None) == reader


def test_binary_files(tmp_path) -> None:
    """Parquet by its columns, archives by their members, UTF-16 by its mark."""
    details, ours = tmp_path / "a.parquet", tmp_path / "b.parquet"
    pl.DataFrame([{"doc": "x", "metric": "y", "model_response": "z"}]).write_parquet(details)
    pl.DataFrame([{"id": "x", "scores": [1, 2, 3]}]).write_parquet(ours)
    log = tmp_path / "c.eval"
    with zipfile.ZipFile(log, "w") as archive:
        archive.writestr("header.json", "{}")
    text = tmp_path / "d.csv"
    text.write_bytes("id,label\n".encode("utf-16"))
    readers = ["lighteval", "evenhand", "inspect", "table"]

    for path, reader in zip((details, ours, log, text), readers, strict=True):
        found = recognise(path)
        assert found is not None
        assert found.reader == reader


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"results": {}, "configs": {}}, "averages .*samples_<task>"),
        ({"config_general": {}, "results": {}}, "averages .*details_<task>"),
        ([{"instance_id": "id0", "stats": []}], "holds statistics by instance"),
        ([{"name": {"name": "x"}, "count": 1}], "holds averages"),
        ({"name": "bbq", "scenario_spec": {}}, "holds the run's settings"),
        ({"name": "bbq", "definition_path": "x"}, "holds the scenario's description"),
    ],
)
def test_files_of_averages_and_settings_name_the_one_with_the_rows(tmp_path, value, said) -> None:
    """They lie beside it, and are taken for it easily."""
    with pytest.raises(DataRefused, match=said):
        recognise(_file(tmp_path / "a.json", value))


def test_workbooks_and_other_archives(tmp_path) -> None:
    """A workbook is to be saved as CSV, another archive to be unpacked."""
    for member, said in (("xl/workbook.xml", "save the sheet as CSV"), ("a.csv", "unpack it")):
        path = tmp_path / "a.xlsx"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(member, "x")
        with pytest.raises(DataRefused, match=said):
            recognise(path)


def test_one_reader_for_all_files(tmp_path) -> None:
    """Request files do not count; runs of one file have to be chosen; what is unknown is said."""
    output = _file(tmp_path / "a.jsonl", {"custom_id": "a", "response": {}})
    requests = _file(tmp_path / "b.jsonl", {"custom_id": "a", "body": {}})
    runs = _file(tmp_path / "c.jsonl", {"unifiedqa-t5-11b_pred_race": "x"})
    odd = _file(tmp_path / "d.json", [1])
    broken = _file(tmp_path / "e.jsonl", '{"id": ')

    assert reader_for([output, requests], BBQ).reader == "openai-batch"
    assert reader_for([broken], BBQ).reader == "evenhand"
    assert reader_for([tmp_path / "none.csv"], BBQ).reader == "evenhand"
    with pytest.raises(DataRefused, match=r"requests; .*output"):
        reader_for([requests], BBQ)
    with pytest.raises(WrongUse, match="choose one: --reader unifiedqa:race or unifiedqa:arc"):
        reader_for([runs], BBQ)
    with pytest.raises(DataRefused, match=r"no(t| known) .*--reader"):
        reader_for([odd], BBQ)
    with pytest.raises(DataRefused, match=r"openai-batch \(.*does not read"):
        reader_for([output], UNQOVER)
    table = _file(tmp_path / "f.csv", "id;score_x1\na;1")
    assert reader_for([table], UNQOVER).reader == "evenhand"
