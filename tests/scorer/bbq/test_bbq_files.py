"""BBQ from files: readers, faults, side files, and the same bytes twice."""

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest

from evenhand.contract import DataRefused, WrongUse
from evenhand.contract.report import Report
from evenhand.scorer.bbq import unifiedqa
from evenhand.scorer.bbq.answers import NO_MATCH
from evenhand.scorer.bbq.predictions import NOT_FINITE, NOT_ONE_ANSWER, read_predictions
from evenhand.scorer.bbq.scoring import NOTHING_SCORED
from evenhand.scorer.bbq.tables import group_table
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.outcome import write_outcome
from evenhand.scorer.readers.prediction_format import NO_PREDICTION
from evenhand.scorer.scoring import Settings, check_files, score_files
from evenhand.scorer.statistics import Sampling

Rows = list[dict[str, Any]]
FEW = Settings(sampling=Sampling(resamples=100))


def _write_lines(path: Path, rows: Rows) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def age(bbq_items, write_bbq) -> Dataset:
    """Return a dataset of Age and SES."""
    return write_bbq({"Age": bbq_items("Age"), "SES": bbq_items("SES")})


@pytest.fixture
def answers(bbq_items, tmp_path) -> Callable[..., Path]:
    """Write a label for each item of some categories."""

    def write(*categories: str, name: str = "preds.jsonl", label: int | None = None) -> Path:
        rows = [row for category in categories for row in bbq_items(category)]
        lines = [
            {"id": row["id"], "label": int(row["id"][-2:]) % 3 if label is None else label}
            for row in rows
        ]
        return _write_lines(tmp_path / name, lines)

    return write


def _score(dataset: Dataset, *paths: Path, reader: str = "evenhand", **options: Any) -> Report:
    settings = Settings(**({"sampling": FEW.sampling} | options))
    return score_files("bbq", paths, dataset, reader, settings).report


def test_side_files_and_the_same_bytes_twice(age, answers, tmp_path) -> None:
    """The metric JSON names its two side files, and a second run writes the same bytes."""
    written = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        outcome = score_files("bbq", [answers("Age", "SES")], age, "evenhand", FEW)
        report = write_outcome(outcome, folder / "metrics.json")
        written.append({path.name: path.read_bytes() for path in sorted(folder.iterdir())})

    assert written[0] == written[1]
    assert list(written[0]) == ["metrics.examples.jsonl", "metrics.json", "metrics.parts.parquet"]
    assert msgspec.json.decode(written[0]["metrics.json"], type=Report) == report
    assert report.dataset.digest == age.manifest.content_digest
    assert report.parts is not None
    assert report.parts.name == "metrics.parts.parquet"


def test_parts_are_enough_for_every_number(age, answers, tmp_path) -> None:
    """Accuracy follows from the counts of the parts, by category and of all rows."""
    outcome = score_files("bbq", [answers("Age", "SES")], age, "evenhand", FEW)
    report = write_outcome(outcome, tmp_path / "metrics.json")
    parts = pl.read_parquet(tmp_path / "metrics.parts.parquet")
    counts = parts.filter(pl.col("table") == "statistics", pl.col("dimension") == "all")

    def total(statistic: str) -> int:
        return int(counts.filter(pl.col("statistic") == statistic)["n"].sum())

    accuracy = next(m for m in report.metrics if m.id == "bbq.accuracy.ambiguous.pooled")
    assert accuracy.value == total("ambiguous.correct") / total("ambiguous.scored")
    assert set(counts["cluster"]) == {"1", "2", "3"}
    assert set(parts["table"]) == {"statistics", "unknown_wordings"}


def test_examples_are_wrong_answers_that_agree_with_the_bias(age, answers, tmp_path) -> None:
    """Each has its words, and every question comes once before one comes twice."""
    outcome = score_files("bbq", [answers("Age", label=0)], age, "evenhand", FEW)
    write_outcome(outcome, tmp_path / "metrics.json")
    text = (tmp_path / "metrics.examples.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]

    assert {row["metric"] for row in rows} == {
        "bbq.bias_score.ambiguous",
        "bbq.bias_score.disambiguated",
    }
    for row in rows:
        assert row["choice"] == row["target"] != row["label"]
        assert row["context"].startswith("The old man met")
        assert row["answers"] == ["The old man", "The young man", "Not known"]
    numbers = [int(row["id"][-2:]) // 8 for row in rows if row["metric"].endswith(".ambiguous")]
    assert numbers[:3] == [0, 1, 2]


def test_tables_for_people(age, answers) -> None:
    """Twelve metrics, the paper's numbers by category, label types, and UNKNOWN wordings."""
    outcome = score_files("bbq", [answers("Age", "SES", label=2)], age, "evenhand", FEW)
    metrics, categories, label_types, differing, wordings = outcome.tables()

    assert len(metrics) == 12
    assert [row["category"] for row in categories] == ["Age", "SES"]
    assert categories[0]["acc_ambig"] == 1.0
    assert [row["label_type"] for row in label_types] == ["label"]
    assert differing == []
    assert [row["unknown_wording"] for row in wordings] == ["Not known"]


def test_why_there_is_no_interval_is_said(write_bbq, bbq_items, tmp_path, evenhand) -> None:
    """One question cannot vary: the values have no interval, and stderr says why, once."""
    items = bbq_items("Age", questions=1)
    dataset = write_bbq({"Age": items}, "one")
    path = _write_lines(tmp_path / "one.jsonl", [{"id": row["id"], "label": 0} for row in items])

    code, out, error = evenhand(
        "score", dataset.folder, "--predictions", path, "--out", tmp_path / "one.json"
    )

    assert code == 0
    assert "bbq.accuracy.ambiguous.macro" in out
    notes = [line for line in error.splitlines() if line.startswith("note: ")]
    assert len(notes) == 1
    assert notes[0].startswith("note: no interval of bbq.accuracy.ambiguous.macro, ")
    assert notes[0].endswith(".")


def test_wordings_of_unknown_are_one_row_each(write_bbq, bbq_items, tmp_path) -> None:
    """Added over the categories, both conditions side by side; where none is offered, null.

    Age offers `Not known` in 12 rows of each condition, SES in 8 disambiguated rows, and `Unknown`
    in 8 ambiguous ones; the answers are UNKNOWN in all of Age and in none of SES.
    """
    age, ses = bbq_items("Age"), bbq_items("SES", questions=2)
    for row in ses:
        row["ans2"] = "Unknown" if row["context_condition"] == "ambig" else "Not known"
    dataset = write_bbq({"Age": age, "SES": ses}, "wordings")
    labels = [{"id": row["id"], "label": 2 if row in age else 0} for row in [*age, *ses]]
    path = _write_lines(tmp_path / "labels.jsonl", labels)
    outcome = score_files("bbq", [path], dataset, "evenhand", FEW)

    assert outcome.tables()[-1] == [
        {
            "unknown_wording": "Not known",
            "chosen_ambig": 1.0,
            "n_ambig": 12,
            "chosen_disambig": 12 / 20,
            "n_disambig": 20,
        },
        {
            "unknown_wording": "Unknown",
            "chosen_ambig": 0.0,
            "n_ambig": 8,
            "chosen_disambig": None,
            "n_disambig": 0,
        },
    ]


def test_every_format_says_the_same(tmp_path) -> None:
    """JSONL, gzip, CSV, TSV and Parquet of one file are read alike."""
    rows = [
        {"id": "Age-00000", "label": 1, "answer": None, "scores": None},
        {"id": "Age-00001", "label": None, "answer": 'He said "B", twice', "scores": None},
        {"id": "Age-00002", "label": None, "answer": None, "scores": [0.5, 0.25, 0.25]},
    ]
    full = [{name: value for name, value in row.items() if value is not None} for row in rows]
    jsonl = _write_lines(tmp_path / "a.jsonl", full)
    packed = tmp_path / "a.jsonl.gz"
    packed.write_bytes(gzip.compress(jsonl.read_bytes()))
    texts = pl.DataFrame(
        [row | {"scores": json.dumps(row["scores"]) if row["scores"] else None} for row in rows]
    )
    texts.write_csv(tmp_path / "a.csv")
    texts.write_csv(tmp_path / "a.tsv", separator="\t")
    pl.DataFrame(rows).write_parquet(tmp_path / "a.parquet")
    expected = read_predictions(jsonl)

    assert expected.faults == []
    assert len(expected.rows) == 3
    for name in ("a.jsonl.gz", "a.csv", "a.tsv", "a.parquet"):
        read = read_predictions(tmp_path / name)
        assert read.faults == []
        assert read.rows.equals(expected.rows), name


def test_an_empty_answer_of_a_table_is_an_answer(tmp_path) -> None:
    """Where a table has answers alone, an empty cell is what the model wrote."""
    path = tmp_path / "a.csv"
    path.write_text("id,answer\nAge-00000,\nAge-00001,B\n", encoding="utf-8")

    assert read_predictions(path).rows["answer"].to_list() == ["", "B"]


@pytest.mark.parametrize(
    ("line", "kind", "place"),
    [
        ('{"id": "Age-00001", "label": 3}', NO_PREDICTION, "row 2: label is 3"),
        ('{"id": "Age-00001", "label": -1}', NO_PREDICTION, "label is -1"),
        ('{"id": "Age-00001", "label": "1"}', NO_PREDICTION, 'label is "1"'),
        ('{"id": "Age-00001", "label": true}', NO_PREDICTION, "label is true"),
        (
            '{"id": "Age-00001", "scores": [1, 2]}',
            NO_PREDICTION,
            "scores is [1, 2]",
        ),
        (
            '{"id": "Age-00001", "choice": 1}',
            NO_PREDICTION,
            "unknown field `choice`",
        ),
        ('{"id": "Age-00001"}', NOT_ONE_ANSWER, "row 2: none of them"),
        (
            '{"id": "Age-00001", "label": 1, "answer": "B"}',
            NOT_ONE_ANSWER,
            "label and answer",
        ),
        ('{"id": "", "label": 1}', "rows without an id", "row 2"),
        ('{"id": "Age-00001", "lab', "lines that are not JSON (or cut off)", "row 2"),
        ('{"id": "Age-00001", "scores": [NaN, 1, 1]}', "lines that are not JSON", "row 2"),
    ],
)
def test_faulty_lines_are_named(tmp_path, line: str, kind: str, place: str) -> None:
    """Each faulty line is named by its row with what stands there; the others are read."""
    path = tmp_path / "preds.jsonl"
    path.write_text('{"id": "Age-00000", "label": 0}\n' + line + "\n", encoding="utf-8")
    read = read_predictions(path)

    assert len(read.rows) == 1
    assert read.faults[0].kind.startswith(kind)
    assert place in read.faults[0].first[0]


def test_scores_that_are_not_finite_are_named(tmp_path) -> None:
    """An infinite score in Parquet is a fault of its row."""
    path = tmp_path / "preds.parquet"
    pl.DataFrame([{"id": "Age-00000", "scores": [0.0, float("inf"), 1.0]}]).write_parquet(path)

    assert read_predictions(path).faults[0].kind == NOT_FINITE


@pytest.mark.parametrize(
    ("name", "content", "facts"),
    [
        ("preds.txt", b"x", r"\.jsonl.*\.csv"),
        ("preds.jsonl", b"", "is empty"),
        ("preds.jsonl", b'{"evenhand_header": 3}\n', "line 1 .*header"),
        ("preds.csv", b"id,choice\na,1\n", "unknown column choice"),
        ("preds.csv", b"label\n1\n", "lacks the column id"),
        ("preds.csv", b"id,answer\na,\xff\n", "UTF-8"),
        ("preds.csv", b"id,answer\n", "holds no rows"),
        ("preds.parquet", b"PAR1", "cut off.*Parquet"),
    ],
)
def test_files_that_cannot_be_read(tmp_path, name: str, content: bytes, facts: str) -> None:
    """One sentence names the file and what is wrong with it."""
    path = tmp_path / name
    path.write_bytes(content)

    with pytest.raises(DataRefused) as refused:
        read_predictions(path)

    assert re.search(facts, str(refused.value))
    assert str(path) in str(refused.value)


def test_header_is_checked_against_the_dataset(age, answers, tmp_path) -> None:
    """Predictions that state another dataset's digest are refused."""
    header = {
        "evenhand_header": {
            "contract_version": "1.0",
            "dataset": {"stem": "bbq", "version": "0.9.0", "digest": "sha256:other"},
            "model": {"name": "tiny", "precision": "fp16"},
        }
    }
    rows = answers("Age").read_text(encoding="utf-8")
    path = tmp_path / "with_header.jsonl"
    path.write_text(json.dumps(header) + "\n" + rows, encoding="utf-8")

    with pytest.raises(DataRefused, match="dataset digests that differ"):
        _score(age, path)

    header["evenhand_header"]["dataset"]["digest"] = age.manifest.content_digest  # type: ignore[index]
    path.write_text(json.dumps(header) + "\n" + rows, encoding="utf-8")
    report = _score(age, path)
    assert report.predictions[0].model is not None
    assert report.predictions[0].model.name == "tiny"
    assert any("fp16" in warning for warning in report.warnings)


def test_how_the_model_was_asked_is_kept(write_bbq, bbq_items, tmp_path) -> None:
    """The metric JSON holds the header's style; files of two styles are not one model's answers."""
    dataset = write_bbq({"Age": bbq_items("Age"), "SES": bbq_items("SES")})
    paths = []
    for category, style in (("Age", "race"), ("SES", "race"), ("SES", "plain")):
        header = {
            "contract_version": "1.0",
            "dataset": {"stem": "bbq"},
            "model": {"name": "tiny"},
            "decoding": {"style": style, "normalise": "token"},
        }
        labels = [{"id": row["id"], "label": 0} for row in bbq_items(category)]
        path = tmp_path / f"{category}-{style}.jsonl"
        paths.append(_write_lines(path, [{"evenhand_header": header}, *labels]))

    report = _score(dataset, paths[0], paths[1])
    assert [record.decoding for record in report.predictions] == 2 * [
        {"style": "race", "normalise": "token"}
    ]
    with pytest.raises(DataRefused, match=r"asked with style plain, normalise token, but .* race,"):
        _score(dataset, paths[0], paths[2])


@pytest.mark.parametrize(
    ("asked", "meant"), [("age", "Age"), ("Aeg", "Age"), ("ses", "SES"), ("S_E_S", "SES")]
)
def test_a_category_in_another_spelling_is_suggested(age, answers, asked, meant) -> None:
    """--config age says that Age is meant."""
    with pytest.raises(DataRefused, match=rf"no config {asked} \(is {meant} meant\?\); it has"):
        _score(age, answers("Age"), configs=(asked,))


def test_ids_in_another_spelling(age, tmp_path) -> None:
    """Ids that begin with `age-` are refused, and Age is suggested."""
    path = _write_lines(tmp_path / "preds.jsonl", [{"id": "age-00000", "label": 1}])

    with pytest.raises(DataRefused, match=r"the first is 'age-00000' \(is Age meant\?\)"):
        _score(age, path)


def test_predictions_of_another_category(age, answers) -> None:
    """Rows of a category that the dataset lacks are refused, unless --config chooses others."""
    path = answers("Age", "Religion")

    with pytest.raises(DataRefused, match=r"config: 24 \(Religion-00000") as refused:
        _score(age, path)

    assert "--config" in str(refused.value)
    assert _score(age, path, configs=("Age",)).configs == ["Age"]
    with pytest.raises(DataRefused, match=r"[Nn]o id.*config.*Age, SES"):
        _score(age, answers("Religion"))


def test_check_lists_coverage_and_faults(age, answers, tmp_path) -> None:
    """Missing rows are a fault; an answer that matches none is counted, and is none."""
    rows = [json.loads(line) for line in answers("Age").read_text(encoding="utf-8").splitlines()]
    rows[0] = {"id": rows[0]["id"], "answer": "the cashier"}
    path = _write_lines(tmp_path / "partial.jsonl", rows[:-1])
    coverage, faults, notes = check_files("bbq", [path], age, "evenhand", [])

    assert coverage == [
        {
            "config": "Age",
            "questions": 24,
            "answered": 23,
            "unscored": 1,
            "coverage": 23 / 24,
            "coverage_ambig": 1.0,
            "coverage_disambig": 11 / 12,
        }
    ]
    assert [(fault.kind, fault.n) for fault in faults] == [("missing ids in Age", 1)]
    (note,) = notes
    assert re.fullmatch(rf"Age: 1 .*{NO_MATCH} \(Age-00000 'the cashier'\)\.", note)


def test_check_says_when_nothing_is_scored(age, answers, tmp_path) -> None:
    """A blank file, or numbers in a column of texts: no fault, but no metric has a value either."""
    rows = [json.loads(line) for line in answers("Age").read_text(encoding="utf-8").splitlines()]
    numbers = [{"id": row["id"], "answer": "1"} for row in rows]
    path = _write_lines(tmp_path / "numbers.jsonl", numbers)
    _, faults, notes = check_files("bbq", [path], age, "evenhand", [])

    assert faults == []
    assert len(notes) == 2
    assert notes[1] == f"Age: {NOTHING_SCORED}"


def test_refusal_names_the_command_that_lists_all(age, answers, tmp_path) -> None:
    """A refusal names `evenhand check` with the same files and reader."""
    path = tmp_path / "partial.jsonl"
    path.write_text(answers("Age").read_text(encoding="utf-8").split("\n", 1)[1], encoding="utf-8")

    with pytest.raises(DataRefused, match=r"missing ids: 1 .*`evenhand check .*partial\.jsonl`"):
        _score(age, path)
    assert _score(age, path, allow_missing=True).metrics[0].n_unscored == 1


def test_two_files_of_one_run(age, answers) -> None:
    """Categories may come in files of their own; a file given twice is refused."""
    first, second = answers("Age", name="a.jsonl"), answers("SES", name="b.jsonl")

    assert _score(age, first, second).configs == ["Age", "SES"]
    assert [record.name for record in _score(age, first, second).predictions] == [
        "a.jsonl",
        "b.jsonl",
    ]
    with pytest.raises(DataRefused, match=r"a\.jsonl.*twice"):
        _score(age, first, first)


def test_faults_of_several_files_name_their_file(age, answers, tmp_path) -> None:
    """A faulty line of the second file is named with that file."""
    bad = tmp_path / "bad.jsonl"
    bad.write_text("{\n", encoding="utf-8")
    with pytest.raises(DataRefused, match=r"JSON.* in bad\.jsonl"):
        _score(age, answers("Age", name="good.jsonl"), bad)


def test_a_stem_in_place_of_a_dataset(answers) -> None:
    """BBQ's files do not describe themselves."""
    with pytest.raises(WrongUse, match=r"`bbq`.*dataset folder.*`evenhand import "):
        score_files("bbq", [answers("Age")], None, "evenhand", FEW)


def test_another_config_than_that_of_the_file_is_refused(age, answers) -> None:
    """Nothing of the config that is asked for is there: the sentence names what is."""
    with pytest.raises(DataRefused, match="have no row of SES; theirs are of Age") as refused:
        _score(age, answers("Age"), configs=("SES",))
    assert "--config" in str(refused.value)
    assert _score(age, answers("Age", "SES"), configs=("SES",)).metrics


def test_configs_that_were_not_scored_are_named(age, answers) -> None:
    """A report on a part of the dataset says which part is missing."""
    warnings = _score(age, answers("SES")).warnings

    assert re.search(r"not scored: Age\.", warnings[0])


def _official(row: dict[str, Any], text: Any) -> dict[str, Any]:
    pairs = zip(row["answer_text"], row["answer_group"], strict=True)
    return {
        "example_id": row["example_id"],
        "category": row["category"],
        "answer_info": {f"ans{place}": list(pair) for place, pair in enumerate(pairs)},
        **{name: row[name] for name in ("ans0", "ans1", "ans2", "label")},
        "unifiedqa-t5-11b_pred_race": text,
        "unifiedqa-t5-11b_pred_arc": "not known",
        "unifiedqa-t5-11b_pred_qonly": "the old man",
    }


def test_unifiedqa_runs_are_told_apart(age, bbq_items, tmp_path) -> None:
    """Of one file, race is half right, arc always UNKNOWN, question-only always the old man."""
    items = bbq_items("Age")
    lines = [_official(row, "the young man" if place % 2 else "the older chap")
             for place, row in enumerate(items)]  # fmt: skip
    path = _write_lines(tmp_path / "preds_Age.jsonl", lines)
    race, arc, qonly = (
        _score(age, path, reader=f"unifiedqa:{variant}") for variant in ("race", "arc", "qonly")
    )

    assert race.predictions[0].reader == "unifiedqa:race"
    assert re.match(rf"Age: 12 of 24 .*{NO_MATCH}", race.warnings[1])
    assert group_table(arc, "category")[0]["acc_ambig"] == 1.0
    assert group_table(qonly, "category")[0]["bias_ambig"] == 0.0


@pytest.mark.parametrize(
    ("text", "answers", "names", "choice"),
    [
        ("the grandson", ("The grandfather", "The grandson", "Unknown"), ("", "", ""), 1),
        ("The grandson.", ("The grandfather", "The grandson", "Unknown"), ("", "", ""), 1),
        (" unknown ", ("The grandfather", "The grandson", "Unknown."), ("", "", ""), 2),
        ("black man", ("Black man}", "White man", "Unknown"), ("", "", ""), 0),
        ("the one in the pantsu", ("The one in the pantsuit", "b", "c"), ("", "", ""), 0),
        ("o'brien", ("a", "OBrien", "c"), ("", "", ""), 1),
        ("same", ("Same", "same", "c"), ("", "", ""), 0),
        ("it was donna schneider", ("a", "b", "c"), ("Jon Lee", "Donna Schneider Jr", ""), 1),
        ("the older girl", ("The old man", "The young girl", "c"), ("old", "young", ""), None),
        ("the old one", ("The old man", "The young girl", "c"), ("old", "young", ""), 0),
        ("", ("a", "b", "c"), ("", "", ""), None),
    ],
)
def test_matching_of_the_unifiedqa_files(text, answers, names, choice) -> None:
    """The release's rules in their order; words of a name are whole words."""
    assert unifiedqa.match_option(text, answers, names) == choice


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda row: row | {"unifiedqa-t5-11b_pred_race": 3}, "unifiedqa-t5-11b_pred_race is no"),
        (
            lambda row: {k: v for k, v in row.items() if k != "ans1"},
            "missing required field `ans1`",
        ),
        (lambda row: [row], "Expected `object`"),
    ],
)
def test_faulty_unifiedqa_lines(bbq_items, tmp_path, change, sentence: str) -> None:
    """A line that is no official row is refused by file, line and field."""
    rows = [_official(row, "b") for row in bbq_items("Age")[:2]]
    path = _write_lines(tmp_path / "preds_Age.jsonl", [rows[0], change(rows[1])])

    with pytest.raises(DataRefused, match="line 2") as refused:
        unifiedqa.read(path, "race")

    assert sentence in str(refused.value)


def test_a_cut_unifiedqa_file(tmp_path) -> None:
    """A file that ends inside a line is refused by that line."""
    path = tmp_path / "preds_Age.jsonl"
    path.write_text('{"example_id": 1, "cat', encoding="utf-8")

    with pytest.raises(DataRefused, match="line 1"):
        unifiedqa.read(path, "arc")
