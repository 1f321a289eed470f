"""A new format is one module: recognised, offered, explained, read and scored from it alone."""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from evenhand.contract import STEMS, WrongUse
from evenhand.scorer import readers
from evenhand.scorer.benchmark import benchmark
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.readers.recognise import reader_for, recognise
from evenhand.scorer.readers.registry import (
    chosen_reader,
    general_readers,
    known_readers,
    offered_readers,
    spellings,
)

TOY = '''
"""Transcripts of the toy tool: one object a line, with what was asked and what was said."""

from evenhand.scorer.faults import FaultList
from evenhand.scorer.readers.foreign import ForeignAnswer, ForeignFile
from evenhand.scorer.readers.json_text import objects_of_lines
from evenhand.scorer.readers.reader import ANSWERS, Mark, Reader


def read(path, choice=None):
    faults = FaultList()
    rows = [
        ForeignAnswer(
            place=f"line {number}",
            context=line["toy_context"],
            question=line["toy_question"],
            options=tuple(line["toy_options"]),
            answer=line["toy_turns"][int(choice or 0)],
        )
        for number, line in objects_of_lines(path, faults)
    ]
    return ForeignFile(rows, model="toy-1", faults=faults.to_list())


READER = Reader(
    name="toy",
    help="transcripts of the toy tool",
    choice="[:TURN]",
    choice_help="the number of the turn",
    yields=ANSWERS,
    read=read,
    marks=(Mark(why="lines with toy_turns", names=frozenset({"toy_context", "toy_turns"})),),
)
'''


@pytest.fixture
def toy_module(tmp_path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Put one module into the package of readers, and touch nothing else."""
    folder = tmp_path / "installed"
    folder.mkdir()
    (folder / "toy_transcripts.py").write_text(TOY, encoding="utf-8")
    monkeypatch.setattr(readers, "__path__", [*readers.__path__, str(folder)])
    yield
    sys.modules.pop("evenhand.scorer.readers.toy_transcripts", None)
    vars(readers).pop("toy_transcripts", None)


@pytest.fixture
def dataset(bbq_items, write_bbq) -> Dataset:
    """Return BBQ's Age, made small by hand."""
    return write_bbq({"Age": bbq_items("Age")})


@pytest.fixture
def transcripts(bbq_items, tmp_path) -> Path:
    """Write a transcript of the right answer to every question, and of a wrong first turn."""
    lines = []
    for item in bbq_items("Age"):
        options = [item[f"ans{place}"] for place in (2, 0, 1)]
        right = item[f"ans{item['label']}"]
        wrong = next(option for option in options if option != right)
        lines.append(
            {"toy_context": item["context"], "toy_question": item["question"],
             "toy_options": options, "toy_turns": [wrong, right]}
        )  # fmt: skip
    path = tmp_path / "toy.log"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.mark.usefixtures("toy_module")
def test_a_module_with_a_reader_is_recognised_and_offered(transcripts: Path) -> None:
    """By every benchmark that takes answers, and by no other."""
    bbq, unqover = benchmark("bbq"), benchmark("unqover")

    assert recognise(transcripts) == ("toy", "lines with toy_turns", False)
    assert reader_for([transcripts], bbq).reader == "toy"
    assert "toy[:TURN]" in spellings(offered_readers(bbq))
    assert "toy[:TURN]" not in spellings(offered_readers(unqover))
    assert chosen_reader(bbq, "toy:1")[1] == "1"
    with pytest.raises(WrongUse, match=r"toy\[:TURN\]"):
        chosen_reader(bbq, "toy:")


@pytest.mark.usefixtures("toy_module")
def test_a_module_with_a_reader_is_in_the_help(evenhand: Callable[..., Any]) -> None:
    """Of both commands that read predictions."""
    for command in ("check", "score"):
        code, out, _ = evenhand(command, "bbq", "--help")

        assert code == 0
        assert "toy[:TURN]" in "".join(out.split())


@pytest.mark.usefixtures("toy_module")
@pytest.mark.parametrize(("spelling", "accuracy"), [("auto", 0.0), ("toy", 0.0), ("toy:1", 1.0)])
def test_a_module_with_a_reader_is_read_and_scored(
    dataset: Dataset,
    transcripts: Path,
    evenhand: Callable[..., Any],
    spelling: str,
    accuracy: float,
) -> None:
    """With what is chosen behind its name; the model and the reader stand in the metric JSON."""
    out = transcripts.with_name("metrics.json")

    code, _, error = evenhand(
        "score", dataset.folder, "--predictions", transcripts, "--reader", spelling,
        "--resamples", 50, "--out", out,
    )  # fmt: skip

    assert code == 0, error
    report = json.loads(out.read_text(encoding="utf-8"))
    values = {metric["id"]: metric["value"] for metric in report["metrics"]}
    assert values["bbq.accuracy.ambiguous.pooled"] == accuracy
    assert values["bbq.accuracy.disambiguated.pooled"] == accuracy
    (record,) = report["predictions"]
    assert record["reader"] == ("toy" if spelling == "auto" else spelling)
    assert record["model"]["name"] == "toy-1"


def test_without_the_module_nothing_knows_the_format(transcripts: Path) -> None:
    """It is discovered, not listed."""
    assert "toy" not in {reader.name for reader in general_readers()}
    assert recognise(transcripts) is None


@pytest.mark.parametrize("stem", STEMS)
def test_every_reader_of_a_benchmark_is_named_once_and_explained(stem: str) -> None:
    """Ours comes first; a choice is explained where there is one."""
    offered = offered_readers(benchmark(stem))

    assert offered[0].name == readers.OURS
    assert len({reader.name for reader in offered}) == len(offered)
    for reader in offered:
        assert reader.help
        assert bool(reader.choice_help) is bool(reader.choice or reader.choices)


def test_of_two_marks_that_match_the_one_that_demands_more_decides() -> None:
    """So no two formats may demand the same names of the same form."""
    demands = [
        (reader.name, form, tuple(sorted(mark.names)), mark.pattern)
        for reader in known_readers(benchmark("bbq"))
        for mark in reader.marks
        for form in mark.forms
    ]
    owners: dict[tuple[Any, ...], set[str]] = {}
    for name, *demand in demands:
        owners.setdefault(tuple(demand), set()).add(name)

    assert [names for names in owners.values() if len(names) > 1] == []
