"""BVF's files: formats, faults told all at once, side files, comparison, the original's tables."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import polars as pl
import pytest

from evenhand.contract import DataRefused, WrongUse
from evenhand.contract.report import Report
from evenhand.scorer.bvf.files import check_files, score_files, tables, write_outcome
from evenhand.scorer.bvf.scoring import Outcome
from evenhand.scorer.comparison.comparable import Key, comparables_of
from evenhand.scorer.comparison.tables import compare
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.report.reading import read_results
from evenhand.scorer.statistics import Sampling
from evenhand.scorer.stems import Options

Rows = list[dict[str, Any]]
Make = Callable[..., Any]

FAST = Options(sampling=Sampling(resamples=200))


def score_at(dataset: Dataset, *paths: Path, options: Options = FAST) -> Outcome:
    """Score our own files."""
    return score_files(paths, dataset, "evenhand", options)


def write_lines(path: Path, rows: Rows, header: dict[str, Any] | None = None) -> Path:
    """Write rows as JSON lines, behind a header where one is given."""
    first = [{"evenhand_header": header}] if header else []
    path.write_text("".join(json.dumps(row) + "\n" for row in [*first, *rows]), encoding="utf-8")
    return path


@pytest.fixture
def dataset(bvf_items: Make, write_bvf: Make) -> Dataset:
    """A dataset of forty contexts and three subjects."""
    items = bvf_items([1 / 40] * 40, ("accountant", "cook", "nurse"))
    found: Dataset = write_bvf({"gender": items})
    return found


@pytest.fixture
def rows(dataset: Dataset, predicted: Make) -> Rows:
    """Pseudo-random predictions for all of them, which lean to one class."""
    items = dataset.scan("gender").collect().to_dicts()
    p = np.random.default_rng(0).uniform(0.3, 1.0, (3, 40))
    found: Rows = predicted(items, np.stack([p, 1 - p], axis=-1))
    return found


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
    ({"p": {"male": 0.5, "female": 0.6}}, "probabilities that do not add up to 1"),
    ({"p": {"male": 1.0}}, "rows that lack a class"),
    ({"p": {"male": 0.5, "female": 0.5, "other": 0.0}}, "classes that are not of Y"),
    ({"word_p": {"he": 0.5, "she": 0.1, "it": 0.1}}, "words that are not of Y"),
    ({"p": {"male": 0.5, "female": 0.5}, "answer": "he"}, "rows without exactly one of"),
    ({}, "rows without exactly one of"),
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

    found = check_files([path], dataset, "evenhand", [])

    assert any(own.kind.startswith(kind) for own in found.faults)
    with pytest.raises(DataRefused):
        score_at(dataset, path)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ('{"id": "ID", "p": {"male": 0.9, "female": 0.1, "male": 0.5}}', "rows with a field twice"),
        ('{"id": "ID", "answer": "he", "answer": "she"}', "rows with a field twice"),
        ('{"id": "ID", "p": {"male": NaN, "female": 0.1}}', "lines that are not JSON"),
        ('{"id": "ID", "p": {"male": 0.9', "lines that are not JSON"),
    ],
)
def test_a_line_that_says_two_things_or_none_is_named(
    dataset: Dataset, rows: Rows, tmp_path: Path, line: str, kind: str
) -> None:
    """A key that stands twice, NaN and a cut line are faults of that row."""
    path = write_lines(tmp_path / "p.jsonl", rows[1:])
    text = line.replace("ID", rows[0]["id"]) + "\n" + path.read_text(encoding="utf-8")
    path.write_text(text, encoding="utf-8")

    found = check_files([path], dataset, "evenhand", [])

    assert found.faults[0].kind.startswith(kind)
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

    found = check_files([path], dataset, "evenhand", [])

    kinds = {own.kind: own.n for own in found.faults}
    assert kinds == {
        "dataset digests that differ": 1,
        "values out of range in gender": 2,
        "unknown ids in gender": 1,
        "duplicate ids in gender": 1,
        "probabilities that do not add up to 1 in gender": 0 + 1,
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
        dataset, path, options=Options(allow_missing=True, sampling=Sampling(resamples=50))
    ).report

    assert {own.n_unscored for own in report.metrics} == {1}
    assert "gender: 1 of 120 rows are unscored: no prediction" in report.warnings[0]


def test_a_class_none_of_whose_words_was_read_is_refused(
    dataset: Dataset, rows: Rows, tmp_path: Path
) -> None:
    """A model without any word of a class has no probability for it, not 0."""
    path = write_lines(tmp_path / "p.jsonl", [{"id": r["id"], "word_p": {"he": 0.1}} for r in rows])

    found = check_files([path], dataset, "evenhand", [])

    assert [own.kind for own in found.faults] == ["classes without any word in gender"]
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

    assert "gender: 2 words of Y were not read from the model: man, woman." in report.warnings


def test_a_row_without_any_mass_is_unscored_and_says_so(
    dataset: Dataset, rows: Rows, tmp_path: Path
) -> None:
    """Zero for every word is no preference for any class; it is never split evenly."""
    words = [{"id": row["id"], "word_p": {"he": 0.2, "she": 0.1}} for row in rows]
    words[0]["word_p"] = {"he": 0.0, "she": 0.0}

    report = score_at(dataset, write_lines(tmp_path / "p.jsonl", words)).report

    assert report.metrics[0].n_unscored == 1
    assert "no word of Y has any probability" in report.warnings[0]


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("p.jsonl", b"", "is empty"),
        ("p.txt", b"x", "the name must end in"),
        ("nurse.json", b"[]", "needs `--reader bvf-table`"),
        ("p.csv", b"id,male\na,1\n", "has the unknown column male"),
        ("p.csv", b"p:male\n1\n", "lacks the column id"),
        ("p.csv", b"id,p:male\n\xff,1\n", "is not UTF-8"),
        ("p.parquet", b"PAR1....", "is cut off or is no Parquet file"),
        ("p.jsonl.gz", b"{}", "is damaged or not what its name says"),
    ],
)
def test_a_file_that_is_none_is_refused_in_one_sentence(
    dataset: Dataset, tmp_path: Path, name: str, content: bytes, sentence: str
) -> None:
    """The sentence names the file and what was expected."""
    path = tmp_path / name
    path.write_bytes(content)

    with pytest.raises(DataRefused, match=sentence) as refused:
        score_at(dataset, path)

    assert str(path) in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1


def test_text_in_a_table_is_no_number(dataset: Dataset, rows: Rows, tmp_path: Path) -> None:
    """A cell that is no number is quoted with its id; a line cut off is told from it."""
    path = tmp_path / "p.csv"
    lines = [f"{row['id']},{row['p']['male']},{row['p']['female']}" for row in rows]
    lines[3] = f"{rows[3]['id']},high,low"
    path.write_text("id,p:male,p:female\n" + "\n".join(lines), encoding="utf-8")

    found = check_files([path], dataset, "evenhand", [])

    assert found.faults[0].kind == "values that are no number"
    assert f"{rows[3]['id']}: p:male 'high'" in found.faults[0].first


def test_a_stem_is_no_dataset(tmp_path: Path) -> None:
    """The sentence names the folder that is meant and the command that makes it."""
    with pytest.raises(WrongUse, match="evenhand generate bvf"):
        score_files([tmp_path / "p.jsonl"], None, "evenhand", FAST)


def test_side_files_hold_the_tables(dataset: Dataset, rows: Rows, tmp_path: Path) -> None:
    """Statistics are the heat map, directions the box plots, examples the strongest texts."""
    outcome = score_at(dataset, write_lines(tmp_path / "p.jsonl", rows))
    report = write_outcome(outcome, tmp_path / "m.json")

    parts = pl.read_parquet(tmp_path / "m.parts.parquet")
    examples = [
        json.loads(line)
        for line in (tmp_path / "m.examples.jsonl").read_text(encoding="utf-8").splitlines()
    ]

    counts = dict(parts.group_by("table").len().iter_rows())
    assert counts["statistics"] == 120
    assert counts["directions"] == 6
    assert counts["subjects"] == 3
    heat = parts.filter(pl.col("table") == "statistics").row(0, named=True)
    classes = parts.filter(pl.col("table") == "classes")["class"].to_list()
    means = [total / heat["weight"] for total in heat["stereotypes"]]
    expected = {name: 2 * value - 1 for name, value in rows[0]["p"].items()}
    assert dict(zip(classes, means, strict=True)) == pytest.approx(expected)
    assert len(examples) == 120
    assert len({row["subject"] for row in examples[:3]}) == 3
    assert examples[0]["risk"] == max(row["risk"] for row in examples)
    assert "[Y]" in examples[0]["text"]
    assert msgspec.json.decode((tmp_path / "m.json").read_bytes(), type=Report) == report
    printed = tables(outcome, report)
    assert printed[1][0].keys() == {"config", "subject", "r", "r_b", "r_v", "preferred"}


def test_a_second_run_gives_the_same_bytes(dataset: Dataset, rows: Rows, tmp_path: Path) -> None:
    """Metric JSON, parts and examples do not differ between runs."""
    path = write_lines(tmp_path / "p.jsonl", rows)
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write_outcome(score_at(dataset, path), tmp_path / name / "m.json")

    for name in ("m.json", "m.parts.parquet", "m.examples.jsonl"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def values_of(report: Report) -> dict[Key, float | None]:
    """Return every number of a report by its key."""
    found: dict[Key, float | None] = {}
    for metric in report.metrics:
        found[Key(metric.config, metric.id)] = metric.value
        for dimension, groups in metric.by.items():
            for name, own in groups.items():
                found[Key(metric.config, metric.id, dimension, name)] = own.value
    return found


@pytest.mark.parametrize("options", [{}, {"criterion": "l2"}, {"protocol": "code"}])
def test_every_number_comes_back_from_its_parts(
    dataset: Dataset, rows: Rows, tmp_path: Path, options: dict[str, Any]
) -> None:
    """With weights of one each comparable is the number that the metric file prints."""
    own = Options(sampling=Sampling(resamples=50), **options)
    path = tmp_path / "m.json"
    write_outcome(score_at(dataset, write_lines(tmp_path / "p.jsonl", rows), options=own), path)
    result = read_results([path])[0]
    assert result.parts is not None

    found, printed = comparables_of(result.parts, result.report), values_of(result.report)

    by_subject_or_whole = {key for key in printed if key.dimension in {None, "subject"}}
    assert set(found) == by_subject_or_whole
    for key, one in found.items():
        value = one.value(np.ones((1, len(one.clusters))), one.sums, one.strata)[0]
        assert value == pytest.approx(printed[key], abs=1e-12), key


def test_a_stronger_stereotype_is_told_from_a_weaker_one(
    dataset: Dataset, rows: Rows, tmp_path: Path
) -> None:
    """`compare` finds that a model which doubles every stereotype has the higher R."""
    weak = [
        {"id": row["id"], "p": {k: 0.5 + (v - 0.5) / 2 for k, v in row["p"].items()}}
        for row in rows
    ]
    paths = []
    for name, own in (("weak", weak), ("strong", rows)):
        outcome = score_at(dataset, write_lines(tmp_path / f"{name}.jsonl", own))
        paths.append(tmp_path / f"{name}.json")
        write_outcome(outcome, paths[-1])

    found = compare(paths, metrics=["bvf.R"], sampling=Sampling(resamples=500)).differences

    row = next(own for own in found if own["metric"] == "bvf.R")
    assert row["b_less_a"] > 0
    assert row["p"] < 0.01


def test_unlike_criteria_are_not_compared(dataset: Dataset, rows: Rows, tmp_path: Path) -> None:
    """A report under l1 beside one under linf is refused by name."""
    paths = []
    for name in ("linf", "l1"):
        own = Options(sampling=Sampling(resamples=50), criterion=name)
        outcome = score_at(dataset, write_lines(tmp_path / f"{name}.jsonl", rows), options=own)
        paths.append(tmp_path / f"{name}.json")
        write_outcome(outcome, paths[-1])

    with pytest.raises(DataRefused, match="The protocol of"):
        compare(paths, sampling=Sampling(resamples=50))


def test_the_originals_tables_are_read(
    bvf_items: Make, write_bvf: Make, predicted: Make, tmp_path: Path
) -> None:
    """One JSON file an occupation, [p(male), count] a context in the order of the contexts."""
    counts = [5, 3, 2]
    items = bvf_items([own / 10 for own in counts], ("baker", "nurse"))
    dataset = write_bvf({"gender": items})
    p = {"baker": [0.9, 0.8, 0.4], "nurse": [0.1, 0.5, 0.3]}
    folder = tmp_path / "bert"
    folder.mkdir()
    for name, own in p.items():
        values = [list(pair) for pair in zip(own, counts, strict=True)]
        (folder / f"{name}_ero.json").write_text(json.dumps(values), encoding="utf-8")
    male = np.array(list(p.values()))
    ours = write_lines(tmp_path / "p.jsonl", predicted(items, np.stack([male, 1 - male], axis=-1)))

    found = score_files([folder], dataset, "bvf-table", FAST).report

    assert found.metrics == score_at(dataset, ours).report.metrics
    assert {own.reader for own in found.predictions} == {"bvf-table"}


@pytest.fixture
def three_contexts(bvf_items: Make, write_bvf: Make) -> Dataset:
    """A dataset of one subject and three contexts."""
    found: Dataset = write_bvf({"gender": bvf_items((0.5, 0.3, 0.2), ("nurse",))})
    return found


@pytest.mark.parametrize(
    ("name", "values", "sentence"),
    [
        ("nurse_ero.json", [[0.5, 5], [0.5, 3]], "has 2 contexts, but the dataset has 3"),
        ("nurse_ero.json", [[0.5, 3], [0.5, 5], [0.5, 2]], "has another share"),
        ("nurse_ero.json", [[1.5, 5], [0.5, 3], [0.5, 2]], "a probability is not from 0 to 1"),
        ("nurse_ero.json", [[0.5, 0.5, c] for c in (5, 3, 2)], "has 2 probabilities a context"),
        ("nurse_ero.json", {"a": 1}, "is not a JSON list"),
        ("clown_ero.json", [[0.5, 5]], "'clown', which is no subject"),
    ],
)
def test_tables_of_other_contexts_are_refused(
    three_contexts: Dataset, tmp_path: Path, name: str, values: object, sentence: str
) -> None:
    """Counts say whether the contexts, and their order, are the dataset's."""
    path = tmp_path / name
    path.write_text(json.dumps(values), encoding="utf-8")

    with pytest.raises(DataRefused, match=sentence):
        score_files([path], three_contexts, "bvf-table", FAST)


def test_the_command_takes_criterion_and_facts(
    dataset: Dataset, rows: Rows, evenhand: Make, tmp_path: Path
) -> None:
    """`score --criterion l2 --facts FILE` reaches the score; the table names the metrics."""
    facts = tmp_path / "facts.csv"
    text = "subject,income\naccountant,10\ncook,20\nnurse,40\n"
    facts.write_text(text, encoding="utf-8")
    path, out = write_lines(tmp_path / "p.jsonl", rows), tmp_path / "m.json"

    code, printed, error = evenhand(
        "score", dataset.folder, "--predictions", path, "--criterion", "l2", "--facts", facts,
        "--resamples", 50, "--out", out,
    )  # fmt: skip

    assert code == 0, error
    report = msgspec.json.decode(out.read_bytes(), type=Report)
    assert report.protocol == "paper+l2"
    assert "criterion:l2" in report.metrics[0].signature
    assert [own.id for own in report.metrics if "regression" in own.id] == [
        "bvf.regression.log_income"
    ]
    assert "bvf.R_b" in printed


@pytest.mark.parametrize("option", ["--criterion", "--facts"])
def test_other_benchmarks_refuse_these_options(
    write_dataset: Make, toy_items: Make, evenhand: Make, tmp_path: Path, option: str
) -> None:
    """Nothing is passed over in silence."""
    folder = write_dataset({"toy": toy_items()})
    path = write_lines(tmp_path / "p.jsonl", [{"id": "toy-1", "score_x1": 0.5, "score_x2": 0.5}])

    code, _, error = evenhand(
        "score", folder, "--predictions", path, option, "l2", "--out", tmp_path / "m.json"
    )

    assert code == 2
    assert f"{option} is for another benchmark (bvf)" in error
