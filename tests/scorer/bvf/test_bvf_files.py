"""BVF's predictions files: formats, a blank file that came back, faults told all at once."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from evenhand.contract import DataRefused, WrongUse
from evenhand.scorer.bvf import probabilities
from evenhand.scorer.bvf.predictions import NOT_NUMBERS
from evenhand.scorer.bvf.read import LEFT_OUT
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.outcome import Outcome
from evenhand.scorer.scoring import Settings, check_files, score_files
from evenhand.scorer.statistics import Sampling

Rows = list[dict[str, Any]]
Make = Callable[..., Any]

FAST = Settings(sampling=Sampling(resamples=200))


def score_at(dataset: Dataset, *paths: Path, options: Settings = FAST) -> Outcome[Any]:
    """Score our own files."""
    return score_files("bvf", paths, dataset, "evenhand", options)


def write_lines(path: Path, rows: Rows, header: dict[str, Any] | None = None) -> Path:
    """Write rows as JSON lines, behind a header where one is given."""
    first = [{"evenhand_header": header}] if header else []
    path.write_text("".join(json.dumps(row) + "\n" for row in [*first, *rows]), encoding="utf-8")
    return path


def test_every_format_gives_the_same_numbers(dataset: Dataset, rows: Rows, tmp_path: Path) -> None:
    """JSON lines, CSV and TSV with columns p:male, Parquet with a struct and with columns."""
    wide = pl.DataFrame(
        {"id": [row["id"] for row in rows]}
        | {f"p:{name}": [row["p"][name] for row in rows] for name in ("male", "female")}
    )
    paths = [write_lines(tmp_path / "a.jsonl", rows)]
    paths += [tmp_path / name for name in ("b.csv", "c.tsv", "d.parquet", "e.parquet")]
    wide.write_csv(paths[1])
    wide.write_csv(paths[2], separator="\t")
    wide.write_parquet(paths[3])
    pl.DataFrame(rows).write_parquet(paths[4])

    found = [score_at(dataset, path).report.metrics for path in paths]

    assert found[1:] == found[:1] * 4


def test_a_table_is_read_as_a_spreadsheet_saved_it(
    dataset: Dataset, rows: Rows, evenhand: Make, tmp_path: Path
) -> None:
    """Semicolons, decimal commas and a byte order mark are detected; both commands report them."""
    plain, saved = write_lines(tmp_path / "a.jsonl", rows), tmp_path / "b.csv"
    lines = [f"{row['id']};{row['p']['male']};{row['p']['female']}" for row in rows]
    text = "id;p:male;p:female\n" + "\n".join(lines).replace(".", ",")
    saved.write_text(text, encoding="utf-8-sig")

    report = score_at(dataset, saved).report
    code, _, error = evenhand("check", dataset.folder, saved)

    assert report.metrics == score_at(dataset, plain).report.metrics
    for said in ("a semicolon", "p:male, p:female"):
        assert said in " ".join(report.warnings)
        assert said in error
    assert code == 0


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_a_filled_blank_file_needs_no_option(
    dataset: Dataset, evenhand: Make, tmp_path: Path, suffix: str
) -> None:
    """What `template` writes comes back with answers; an empty one is unscored and no fault."""
    path = tmp_path / f"blank.{suffix}"
    assert evenhand("template", dataset.folder, "--out", path)[0] == 0
    rows = (pl.read_csv if suffix == "csv" else pl.read_ndjson)(path)
    assert rows.columns == ["id", "text", "answer"]
    said = pl.Series(["he", "she", None] * 40, dtype=pl.String)
    filled = rows.with_columns(answer=said)
    (filled.write_csv if suffix == "csv" else filled.write_ndjson)(path)

    code, out, error = evenhand("check", dataset.folder, path)
    report = score_at(dataset, path).report

    assert code == 0, out + error
    assert (report.metrics[0].n_scored, report.metrics[0].n_unscored) == (80, 40)


def test_two_files_are_one_model(dataset: Dataset, rows: Rows, tmp_path: Path) -> None:
    """Disjoint ids in two files score as one file; the report names both."""
    one = write_lines(tmp_path / "one.jsonl", rows[:50])
    two = write_lines(tmp_path / "two.jsonl", rows[50:])

    whole = score_at(dataset, write_lines(tmp_path / "all.jsonl", rows)).report
    found = score_at(dataset, one, two).report

    assert found.metrics == whole.metrics
    assert [own.name for own in found.predictions] == ["one.jsonl", "two.jsonl"]


FAULTY: tuple[tuple[dict[str, Any], str], ...] = (
    ({"p": {"male": 0.5, "female": 0.6}}, probabilities.WRONG_SUM),
    ({"p": {"male": 1.0}}, probabilities.MISSING_CLASS),
    ({"p": {"male": 0.5, "female": 0.5, "other": 0.0}}, probabilities.UNKNOWN_CLASS),
    ({"word_p": {"he": 0.5, "she": 0.1, "it": 0.1}}, probabilities.UNKNOWN_WORD),
    ({"p": {"male": 0.5, "female": 0.5}, "answer": "he"}, probabilities.NOT_ONE_KIND),
    ({}, probabilities.NOT_ONE_KIND),
    ({"p": {"male": 1.5, "female": 0.0}}, "rows that are no prediction"),
    ({"p": {"male": "x", "female": 0.0}}, "rows that are no prediction"),
    ({"probability": 0.5}, "rows that are no prediction"),
)


@pytest.mark.parametrize(("fields", "kind"), FAULTY)
def test_a_faulty_row_is_named(
    dataset: Dataset, rows: Rows, tmp_path: Path, fields: dict[str, Any], kind: str
) -> None:
    """`check` and `score` say what is wrong with one row of 120, and where."""
    rows[7] = {"id": rows[7]["id"]} | fields
    path = write_lines(tmp_path / "p.jsonl", rows)

    found = check_files("bvf", [path], dataset, "evenhand", [])

    assert any(own.kind.startswith(kind) for own in found.faults)
    with pytest.raises(DataRefused):
        score_at(dataset, path)


def test_what_stands_in_a_faulty_row_is_said(dataset: Dataset, rows: Rows, tmp_path: Path) -> None:
    """The field as it is, not what a decoder calls it; also where the line is broken behind it."""
    rows[7]["p"] = {"male": 1.5, "female": 0.0}
    path = write_lines(tmp_path / "p.jsonl", rows)
    with path.open("a", encoding="utf-8") as stream:
        stream.write('{"id": 5, nothing')

    (found,) = check_files("bvf", [path], dataset, "evenhand", []).faults[:1]

    assert found.n == 2
    assert found.first[0] == 'row 8: p is {"male": 1.5, "female": 0.0}'
    assert found.first[1].startswith("row 121: ")


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ('{"id": "ID", "p": {"male": 0.9, "female": 0.1, "male": 0.5}}', "field twice"),
        ('{"id": "ID", "answer": "he", "answer": "she"}', "field twice"),
        ('{"id": "ID", "p": {"male": NaN, "female": 0.1}}', "not JSON"),
        ('{"id": "ID", "p": {"male": 0.9', "not JSON"),
    ],
)
def test_a_line_that_says_two_things_or_none_is_named(
    dataset: Dataset, rows: Rows, tmp_path: Path, line: str, kind: str
) -> None:
    """A key that stands twice, NaN and a cut line are faults of that row."""
    path = write_lines(tmp_path / "p.jsonl", rows[1:])
    text = line.replace("ID", rows[0]["id"]) + "\n" + path.read_text(encoding="utf-8")
    path.write_text(text, encoding="utf-8")

    found = check_files("bvf", [path], dataset, "evenhand", [])

    assert kind in found.faults[0].kind
    assert found.faults[0].first[0].startswith("row 1")


def test_all_faults_at_once(dataset: Dataset, rows: Rows, tmp_path: Path) -> None:
    """Missing, unknown, twice, out of range, no sum and another dataset's digest in one answer."""
    wide = pl.DataFrame(
        {
            "id": [*(row["id"] for row in rows[3:]), "gender-c00099-cook", rows[5]["id"]],
            "p:male": [1.25, float("nan"), 0.5, *[0.75] * 116],
            "p:female": [0.0, 0.5, 0.9, *[0.25] * 116],
        }
    )
    path = tmp_path / "p.parquet"
    wide.write_parquet(path)
    header = {"contract_version": "1.0", "dataset": {"stem": "bvf", "digest": "0" * 64}}
    path.with_name("p.parquet.meta.json").write_text(json.dumps(header), encoding="utf-8")

    found = check_files("bvf", [path], dataset, "evenhand", [])

    kinds = {fault.kind: fault.n for fault in found.faults}
    assert [kinds.pop(kind) for kind in list(kinds) if "digest" in kind] == [1]
    assert kinds == {
        f"{probabilities.OUT_OF_RANGE} in gender": 2,
        "unknown ids in gender": 1,
        "duplicate ids in gender": 1,
        f"{probabilities.WRONG_SUM} in gender": 1,
        "missing ids in gender": 5,
    }
    assert found.coverage[0]["texts"] == 120


def test_what_is_missing_is_refused_unless_allowed(
    dataset: Dataset, rows: Rows, tmp_path: Path
) -> None:
    """Coverage below 100 % is refused; with --allow-missing it stands in every metric."""
    path = write_lines(tmp_path / "p.jsonl", rows[1:])

    with pytest.raises(DataRefused, match=r"missing ids: 1 \(gender-c00000-accountant\)"):
        score_at(dataset, path)
    report = score_at(
        dataset, path, options=Settings(allow_missing=True, sampling=Sampling(resamples=50))
    ).report

    assert {own.n_unscored for own in report.metrics} == {1}
    assert re.search(rf"gender: 1 of 120 .*: {probabilities.NOT_PREDICTED}", report.warnings[0])


def test_a_class_none_of_whose_words_was_read_is_refused(
    dataset: Dataset, rows: Rows, tmp_path: Path
) -> None:
    """A model without any word of a class has no probability for it, not 0."""
    path = write_lines(tmp_path / "p.jsonl", [{"id": r["id"], "word_p": {"he": 0.1}} for r in rows])

    found = check_files("bvf", [path], dataset, "evenhand", [])

    assert [own.kind for own in found.faults] == [f"{probabilities.CLASS_WITHOUT_WORD} in gender"]
    assert found.faults[0].first == ("female",)


def test_words_that_were_left_out_are_said(dataset: Dataset, rows: Rows, tmp_path: Path) -> None:
    """The header's list of words missing from the vocabulary becomes a warning."""
    words = [{"id": row["id"], "word_p": {"he": 0.2, "she": 0.1}} for row in rows]
    header = {
        "contract_version": "1.0",
        "dataset": {"stem": "bvf"},
        "decoding": {"words_left_out": {"gender": ["man", "woman"]}},
    }
    path = write_lines(tmp_path / "p.jsonl", words, header)

    report = score_at(dataset, path).report

    assert f"gender: 2 words of Y {LEFT_OUT}: man, woman." in report.warnings


def test_a_row_without_any_mass_is_unscored_and_says_so(
    dataset: Dataset, rows: Rows, tmp_path: Path
) -> None:
    """Zero for every word is no preference for any class; it is never split evenly."""
    words = [{"id": row["id"], "word_p": {"he": 0.2, "she": 0.1}} for row in rows]
    words[0]["word_p"] = {"he": 0.0, "she": 0.0}

    report = score_at(dataset, write_lines(tmp_path / "p.jsonl", words)).report

    assert report.metrics[0].n_unscored == 1
    assert probabilities.NO_WORD in report.warnings[0]


@pytest.mark.parametrize(
    ("name", "content", "fact"),
    [
        ("p.jsonl", b"", "is empty"),
        ("p.txt", b"x", r"\.jsonl, "),
        ("nurse.json", b"[]", "needs `--reader bvf-table`"),
        ("p.csv", b"id,male\na,1\n", "has the unknown column male"),
        ("p.csv", b"p:male\n1\n", "lacks the column id"),
        ("p.csv", b"id,p:male\n\x81,1\n", "UTF-8"),
        ("p.parquet", b"PAR1....", "Parquet file"),
        ("p.jsonl.gz", b"{}", "is damaged"),
    ],
)
def test_a_file_that_is_none_is_refused_in_one_sentence(
    dataset: Dataset, tmp_path: Path, name: str, content: bytes, fact: str
) -> None:
    """The sentence names the file and what was expected."""
    path = tmp_path / name
    path.write_bytes(content)

    with pytest.raises(DataRefused, match=fact) as refused:
        score_at(dataset, path)

    assert str(path) in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1


def test_text_in_a_table_is_no_number(dataset: Dataset, rows: Rows, tmp_path: Path) -> None:
    """A cell that is no number is quoted with its id; a line cut off is told from it."""
    path = tmp_path / "p.csv"
    lines = [f"{row['id']},{row['p']['male']},{row['p']['female']}" for row in rows]
    lines[3] = f"{rows[3]['id']},high,low"
    path.write_text("id,p:male,p:female\n" + "\n".join(lines), encoding="utf-8")

    found = check_files("bvf", [path], dataset, "evenhand", [])

    assert found.faults[0].kind == NOT_NUMBERS
    assert f"{rows[3]['id']}: p:male 'high'" in found.faults[0].first


def test_a_stem_is_no_dataset(tmp_path: Path) -> None:
    """The sentence names the folder that is meant and the command that makes it."""
    with pytest.raises(WrongUse, match="evenhand generate bvf"):
        score_files("bvf", [tmp_path / "p.jsonl"], None, "evenhand", FAST)
