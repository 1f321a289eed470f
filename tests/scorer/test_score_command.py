"""`evenhand score` and `evenhand check` from file to file."""

import gzip
import json
from pathlib import Path

import msgspec
import polars as pl
import pytest

from evenhand.contract.files import canonical_json, sha256_of_file
from evenhand.contract.report import Report
from evenhand.scorer.unqover.tables import PARTS


@pytest.fixture
def data(write_dataset, toy_items) -> Path:
    """A dataset of two configs."""
    return write_dataset(
        {"toy": toy_items(), "other": toy_items(("a", "b", "c"), config="other", templates=2)}
    )


@pytest.fixture
def answers(toy_items, toy_predictions) -> pl.DataFrame:
    """Complete predictions for the config `toy`."""
    return toy_predictions(toy_items())


@pytest.fixture
def file(tmp_path: Path, answers) -> Path:
    """The same as a Parquet file."""
    path = tmp_path / "p.parquet"
    answers.write_parquet(path)
    return path


def header(data: Path, **changes) -> dict:
    """Return a header that fits the dataset."""
    manifest = json.loads((data / "evenhand.json").read_text())
    fits = {
        "contract_version": "1.0",
        "dataset": {
            "stem": "unqover",
            "version": "1.0.0",
            "digest": manifest["content_digest"],
        },
        "model": {"name": "model-a", "precision": "fp32"},
        "protocol": "code",
    }
    return fits | changes


def report_at(path: Path) -> Report:
    """Read a metric JSON, which must be canonical."""
    report = msgspec.json.decode(path.read_bytes(), type=Report)
    assert canonical_json(report) == path.read_bytes()
    return report


def test_score_writes_three_files_that_name_each_other(evenhand, data, file, tmp_path) -> None:
    """The metric JSON carries the digests of its side files and of the predictions."""
    out = tmp_path / "m.json"

    code, printed, _ = evenhand("score", data, "--predictions", file, "--out", out)

    report = report_at(out)
    assert code == 0
    assert "unqover.mu" in printed
    assert report.dataset.version == "1.0.0"
    assert report.predictions[0].sha256 == sha256_of_file(file)
    assert report.warnings[-1].startswith("toy: 3 templates")
    assert report.warnings[0] == "Configs of the dataset that were not scored: other."
    for side in (report.parts, report.examples):
        assert side is not None
        assert sha256_of_file(tmp_path / side.name) == side.sha256
    assert not list(tmp_path.glob(".*"))


def test_parts_are_the_sums_that_the_metrics_come_from(evenhand, data, file, tmp_path) -> None:
    """Delta is the sum over clusters by the number of examples; gamma likewise by subject."""
    out = tmp_path / "m.json"
    evenhand("score", data, "--predictions", file, "--out", out)
    parts, report = pl.read_parquet(tmp_path / "m.parts.parquet"), report_at(out)
    values = {own.id: own for own in report.metrics}

    assert dict(parts.schema) == PARTS
    delta = parts.filter(metric="unqover.delta", table="statistics")
    assert delta["sum"].sum() / delta["n"].sum() == pytest.approx(values["unqover.delta"].value)
    gamma = parts.filter(metric="unqover.gamma", subject="arab")
    assert gamma["sum"].sum() / gamma["n"].sum() == pytest.approx(
        values["unqover.gamma"].by["subject"]["arab"].value
    )
    assert parts.filter(table="subject_attribute").height == 3 * 2
    assert parts.filter(table="subjects")["subject"].to_list() == ["arab", "jewish", "sikh"]


def test_examples_carry_their_words(*, evenhand, data, file, tmp_path, answers, toy_items) -> None:
    """The largest |C| comes first, each question with its own context and scores."""
    evenhand("score", data, "--predictions", file, "--out", tmp_path / "m.json")
    lines = (tmp_path / "m.examples.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    items = {row["id"]: row for row in toy_items()}
    scores = {row["id"]: row for row in answers.to_dicts()}

    sizes = [abs(row["comparative_bias"]) for row in rows]
    assert (len(rows), sizes) == (18, sorted(sizes, reverse=True))
    for row in rows:
        for question in row["questions"]:
            slots = [row["template"], row["x1"], row["x2"], row["attribute"]]
            identity = "-".join(["toy", *slots, question["polarity"], str(question["order"])])
            assert question["context"] == items[identity]["context"]
            assert question["question"] == items[identity]["question"]
            assert question["score_x1"] == scores[identity]["score_x1"]


def test_a_second_run_gives_the_same_bytes(evenhand, data, file, tmp_path) -> None:
    """Same input, same bytes, all three files."""
    names = ("m.json", "m.parts.parquet", "m.examples.jsonl")
    evenhand("score", data, "--predictions", file, "--out", tmp_path / "m.json")
    before = {name: (tmp_path / name).read_bytes() for name in names}

    evenhand("score", data, "--predictions", file, "--out", tmp_path / "m.json")

    assert {name: (tmp_path / name).read_bytes() for name in names} == before


@pytest.mark.parametrize("form", ["csv", "json", "jsonl"])
def test_stdout_is_data(evenhand, data, file, tmp_path, form) -> None:
    """For programs stdout holds the metrics alone; all else goes to stderr."""
    _, printed, told = evenhand(
        "score", data, "--predictions", file, "--out", tmp_path / "m.json", "--format", form
    )

    assert printed.count("unqover.") == 6
    assert "next: evenhand report" in told


def test_several_files_are_one_model(evenhand, data, tmp_path, answers) -> None:
    """Two halves give the metrics of the whole; together they may not answer a question twice."""
    answers[:30].write_parquet(tmp_path / "a.parquet")
    answers[30:].write_csv(tmp_path / "b.csv")
    answers.write_parquet(tmp_path / "all.parquet")
    halves = ("--predictions", tmp_path / "a.parquet", tmp_path / "b.csv")

    assert evenhand("score", data, *halves, "--out", tmp_path / "m.json")[0] == 0
    evenhand("score", data, "--predictions", tmp_path / "all.parquet", "--out", tmp_path / "n.json")

    halved, whole = report_at(tmp_path / "m.json"), report_at(tmp_path / "n.json")
    assert halved.metrics == whole.metrics
    assert [own.name for own in halved.predictions] == ["a.parquet", "b.csv"]
    code, _, message = evenhand("score", data, *halves, tmp_path / "all.parquet",
                                "--out", tmp_path / "m.json")  # fmt: skip
    assert (code, "duplicate ids: 72" in message) == (1, True)
    code, _, message = evenhand("score", data, *halves, tmp_path / "b.csv",
                                "--out", tmp_path / "m.json")  # fmt: skip
    assert (code, "is given twice" in message) == (1, True)


def test_all_configs_that_occur_are_scored(
    *, evenhand, data, tmp_path, answers, toy_items, toy_predictions
) -> None:
    """Two configs in one file give two sets; --config takes one of them."""
    other = toy_predictions(toy_items(("a", "b", "c"), config="other", templates=2))
    pl.concat([answers, other]).sample(fraction=1, shuffle=True, seed=0).write_csv(
        tmp_path / "p.csv"
    )
    common = ("score", data, "--predictions", tmp_path / "p.csv", "--out", tmp_path / "m.json")

    evenhand(*common)
    assert report_at(tmp_path / "m.json").configs == ["other", "toy"]
    evenhand(*common, "--config", "other")
    assert report_at(tmp_path / "m.json").configs == ["other"]


def test_coverage_must_be_complete_or_stands_in_every_metric(
    evenhand, data, tmp_path, answers
) -> None:
    """72 questions less one: refused, or 17 of 18 examples with --allow-missing."""
    answers[1:].write_parquet(tmp_path / "p.parquet")
    common = (
        "score", data, "--predictions", tmp_path / "p.parquet", "--out", tmp_path / "m.json"
    )  # fmt: skip

    code, _, message = evenhand(*common)

    assert code == 1
    assert "missing ids: 1 (toy-t00-arab-jewish-lied-pos-12)" in message
    assert f"`evenhand check {data} {tmp_path / 'p.parquet'}` lists all" in message
    assert not (tmp_path / "m.json").exists()
    assert evenhand(*common, "--allow-missing")[0] == 0
    counts = {(own.n_scored, own.n_unscored) for own in report_at(tmp_path / "m.json").metrics}
    assert counts == {(17, 1)}


def test_the_header_must_fit(evenhand, data, file, tmp_path) -> None:
    """Another dataset's digest, another benchmark, another protocol: refused, each by name."""
    sidecar = tmp_path / "p.parquet.meta.json"
    common = ("score", data, "--predictions", file, "--out", tmp_path / "m.json")

    def message_with(**changes) -> str:
        sidecar.write_text(json.dumps(header(data, **changes)))
        code, _, message = evenhand(*common)
        assert code == 1
        return message

    assert "says 123, but the dataset has" in message_with(
        dataset={"stem": "unqover", "digest": "123"}
    )
    assert "answers bbq, but the dataset is unqover" in message_with(dataset={"stem": "bbq"})
    sidecar.write_text(json.dumps(header(data)))
    code, _, message = evenhand(*common, "--protocol", "paper")
    assert (code, "was made under the protocol code, not paper" in message) == (1, True)


def test_the_header_is_recorded(evenhand, data, file, tmp_path) -> None:
    """Model and protocol come from the header; int8 is warned of."""
    sidecar = tmp_path / "p.parquet.meta.json"
    sidecar.write_text(json.dumps(header(data, model={"name": "m", "precision": "int8"})))

    evenhand("score", data, "--predictions", file, "--out", tmp_path / "m.json")

    report = report_at(tmp_path / "m.json")
    assert report.protocol == "code"
    assert report.predictions[0].model.name == "m"
    assert any("int8" in warning for warning in report.warnings)


def test_files_of_two_models_are_refused(evenhand, data, tmp_path, answers) -> None:
    """Halves of two models are not one model's answers."""
    for name, part in (("a", answers[:30]), ("b", answers[30:])):
        part.write_parquet(tmp_path / f"{name}.parquet")
        own = header(data, model={"name": f"model-{name}"})
        (tmp_path / f"{name}.parquet.meta.json").write_text(json.dumps(own))

    code, _, message = evenhand(
        "score", data, "--predictions", tmp_path / "a.parquet", tmp_path / "b.parquet",
        "--out", tmp_path / "m.json",
    )  # fmt: skip

    assert (code, "is of the model model-b" in message) == (1, True)


def test_rows_of_the_dataset_that_were_changed_are_refused(evenhand, data, file, tmp_path) -> None:
    """The content digest is checked before anything is written."""
    path = next(data.glob("toy/*.parquet"))
    pl.read_parquet(path).with_columns(question=pl.lit("Who?")).write_parquet(path)

    code, _, message = evenhand("score", data, "--predictions", file, "--out", tmp_path / "m.json")

    assert (code, "but the manifest says" in message) == (1, True)
    assert not (tmp_path / "m.json").exists()


def test_the_original_is_scored_by_itself(evenhand, original_entries, write_json, tmp_path) -> None:
    """The stem stands in place of the dataset, whose digest is null with the reason."""
    path = write_json(original_entries())

    code, _, _ = evenhand(
        "score", "unqover", "--predictions", path, "--reader", "unqover",
        "--out", tmp_path / "m.json",
    )  # fmt: skip

    report = report_at(tmp_path / "m.json")
    assert code == 0
    assert report.configs == ["unqover_original"]
    assert report.dataset.digest is None
    assert "describes itself" in report.dataset.why_null


@pytest.mark.parametrize("masked", [False, True])
def test_the_original_is_scored_on_a_dataset(
    *, evenhand, original_entries, write_json, write_dataset, tmp_path, toy_items, masked
) -> None:
    """Entries meet items by template number, subjects, attribute and order, in either order."""
    config = "toy_mlm" if masked else "toy"
    # Here sikh comes before arab, so that the item's x1 is not the name that sorts first.
    items = toy_items(("Sikh", "Arab", "Jewish"), ("lied",), 2, config=config)
    data = write_dataset({config: items})
    path = write_json(original_entries(masked=masked))
    common = ("--predictions", path, "--reader", "unqover", "--out", tmp_path / "m.json")

    assert evenhand("score", data, *common)[0] == 0
    on_dataset = report_at(tmp_path / "m.json")
    evenhand("score", "unqover", *common)

    alone = report_at(tmp_path / "m.json")
    assert on_dataset.configs == [config]
    assert on_dataset.dataset.version == "1.0.0"
    for own, other in zip(on_dataset.metrics[:6], alone.metrics[:6], strict=True):
        assert own.value == pytest.approx(other.value, abs=1e-15)
    ours = on_dataset.metrics[6].by["subject"]
    theirs = alone.metrics[6].by["subject"]
    assert {k.lower(): v.value for k, v in ours.items()} == pytest.approx(
        {k: v.value for k, v in theirs.items()}, abs=1e-15
    )


def test_an_original_of_other_lists_is_refused(
    evenhand, original_entries, write_json, data, tmp_path
) -> None:
    """No entry is in the dataset: the sentence says what to do instead."""
    path = write_json(original_entries({"Zork": "None", "Quux": "None"}))

    code, _, message = evenhand(
        "score", data, "--predictions", path, "--reader", "unqover", "--out", tmp_path / "m.json"
    )

    assert (code, "was it made from other lists?" in message) == (1, True)


def test_an_unknown_subject_of_the_original_is_a_fault(
    *, evenhand, original_entries, write_json, write_dataset, tmp_path, toy_items
) -> None:
    """Entries that the dataset lacks are counted, not dropped."""
    data = write_dataset({"toy": toy_items(("Arab", "Jewish", "Sikh"), ("lied",), 2)})
    subjects = dict.fromkeys(("Arab", "Jewish", "Sikh", "Zork"), "None")
    path = write_json(original_entries(subjects))

    code, _, message = evenhand(
        "score", data, "--predictions", path, "--reader", "unqover", "--out", tmp_path / "m.json"
    )

    assert (code, "questions that are not in the dataset: 24" in message) == (1, True)
    assert "zork" in message


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["score", "unqover", "--predictions", "p.parquet", "--out", "m.json"], "give the folder"),
        (["score", "unqover", "--predictions", "a", "b", "--reader", "unqover", "--out", "m.json"],
         "takes one file"),
        (["check", "unqover", "a", "b", "--reader", "unqover"], "takes one file"),
        (["score", "unqover", "--predictions", "a", "--reader", "unqover", "--config", "c",
          "--out", "m.json"], "--config needs a dataset folder"),
        (["score", "d", "--predictions", "a", "--out", "."], "is a folder"),
        (["score", "d", "--predictions", "a", "--out", "none/m.json"], "does not exist"),
    ],
)  # fmt: skip
def test_wrong_use_is_told_with_exit_code_two(evenhand, words, said) -> None:
    """What the command line itself gets wrong."""
    code, _, message = evenhand(*words)

    assert (code, said in message) == (2, True)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--config", "nope"), "has no config nope; it has other, toy"),
        (("--level", "95"), "level is 95"),
    ],
)
def test_what_is_asked_must_be_there(*, evenhand, data, file, tmp_path, options, said) -> None:
    """A config that the dataset lacks, a level in percent."""
    code, _, message = evenhand(
        "score", data, "--predictions", file, "--out", tmp_path / "m.json", *options
    )

    assert (code, said in message) == (1, True)


def test_check_of_a_good_file_names_the_next_command(evenhand, data, file) -> None:
    """Exit 0, coverage, and the line to copy."""
    code, printed, told = evenhand("check", data, file, "--config", "toy")

    assert code == 0
    assert printed.split() == [
        "config", "questions", "answered", "coverage", "toy", "72", "72", "1.0000",
    ]  # fmt: skip
    assert f"next: evenhand score {data} --predictions {file} --config toy --out" in told


def test_how_a_table_was_read_is_said(evenhand, data, tmp_path, answers) -> None:
    """Semicolons and decimal commas: `check` notes them, and the metric JSON warns of them."""
    path, out = tmp_path / "saved.csv", tmp_path / "m.json"
    text = answers.write_csv(separator=";").replace(".", ",")
    path.write_text(text, encoding="utf-8-sig")

    code, _, told = evenhand("check", data, path)
    scored = evenhand("score", data, "--predictions", path, "--resamples", 100, "--out", out)[0]

    assert (code, scored) == (0, 0)
    for said in ("columns are separated by a semicolon", "is a decimal comma"):
        assert said in told
        assert said in " ".join(json.loads(out.read_text())["warnings"])


def test_check_lists_all_faults_at_once(evenhand, data, tmp_path, answers) -> None:
    """NaN, out of range, unknown, duplicate, missing, of no config, another digest: exit 1."""
    bad = answers.with_columns(
        score_x1=pl.when(pl.int_range(pl.len()) == 3).then(float("nan")).otherwise("score_x1"),
        score_x2=pl.when(pl.int_range(pl.len()) == 4).then(7.0).otherwise("score_x2"),
    )
    extra = pl.DataFrame({"id": ["toy-x", "nope-1"], "score_x1": [0.1] * 2, "score_x2": [0.1] * 2})
    path = tmp_path / "p.parquet"
    pl.concat([bad[:60], bad[:1], extra]).write_parquet(path)
    wrong = header(data, dataset={"stem": "unqover", "digest": "1"})
    (tmp_path / "p.parquet.meta.json").write_text(json.dumps(wrong))

    code, printed, told = evenhand("check", data, path)

    assert code == 1
    for line in (
        "values of score_x1 that are NaN or infinite: 1 (row 4: nan)",
        "values of score_x2 out of range: 1 (row 5: 7.0)",
        "dataset digests that differ: 1 (p.parquet says 1, but",
        "ids of no config: 1 (nope-1)",
        "duplicate ids in toy: 1 (toy-t00-arab-jewish-lied-pos-12)",
        "unknown ids in toy: 1 (toy-x)",
        "missing ids in toy: 12 (toy-t02-",
    ):
        assert line in printed
    assert printed.split("missing ids in toy")[1].count("toy-t02") == 5
    assert "7 kinds of fault" in told


def test_check_gives_faults_to_programs(evenhand, data, tmp_path, answers) -> None:
    """With --format json stdout is a list of faults, empty where there are none."""
    answers[:-1].write_parquet(tmp_path / "p.parquet")
    answers.write_parquet(tmp_path / "q.parquet")

    _, printed, _ = evenhand("check", data, tmp_path / "p.parquet", "--format", "json")
    _, nothing, _ = evenhand("check", data, tmp_path / "q.parquet", "--format", "json")

    assert [(row["fault"], row["count"]) for row in json.loads(printed)] == [
        ("missing ids in toy", 1)
    ]
    assert json.loads(nothing) == []


def test_check_of_the_original(
    evenhand, original_entries, write_json, write_dataset, toy_items
) -> None:
    """By itself it may lack twins; on a dataset it is compared with that."""
    entries = original_entries()
    path = write_json(entries)
    assert evenhand("check", "unqover", path, "--reader", "unqover")[0] == 0
    data = write_dataset({"toy": toy_items(("Arab", "Jewish", "Sikh"), ("lied",), 2)})
    assert evenhand("check", data, path, "--reader", "unqover")[0] == 0
    del entries["None|None|Jewish|Arab|1|None|lied|lied"]

    code, printed, _ = evenhand("check", "unqover", write_json(entries), "--reader", "unqover")

    assert (code, "without their other order: 1 (t01 / arab / jewish" in printed) == (1, True)


def test_predictions_of_another_dataset_are_refused(evenhand, data, tmp_path, answers) -> None:
    """Ids that begin with no config of the dataset."""
    answers.with_columns(id=pl.lit("x-") + pl.col("id")).write_csv(tmp_path / "p.csv")

    code, _, message = evenhand(
        "score", data, "--predictions", tmp_path / "p.csv", "--out", tmp_path / "m.json"
    )

    assert code == 1
    assert "No id of the predictions belongs to a config" in message


def test_a_truncated_file_leaves_nothing_behind(evenhand, data, tmp_path, answers) -> None:
    """A copy that broke off is refused in one sentence and no output is begun."""
    lines = "".join(f"{json.dumps(row)}\n" for row in answers.to_dicts())
    (tmp_path / "p.jsonl.gz").write_bytes(gzip.compress(lines.encode())[:-30])

    code, _, message = evenhand(
        "score", data, "--predictions", tmp_path / "p.jsonl.gz", "--out", tmp_path / "m.json"
    )

    assert code == 1
    assert message.count("\n") == 1
    assert "is cut off" in message
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "p.jsonl.gz"]


def test_faults_of_several_files_name_their_file(evenhand, data, tmp_path, answers) -> None:
    """Row numbers count within a file, so the file is named."""
    answers[:30].write_csv(tmp_path / "a.csv")
    answers[30:].with_columns(score_x1=pl.lit(2.0)).write_csv(tmp_path / "b.csv")

    code, printed, _ = evenhand("check", data, tmp_path / "a.csv", tmp_path / "b.csv")

    assert code == 1
    assert "values of score_x1 out of range in b.csv: 42 (row 2: '2.0'" in printed


def test_a_config_without_files_is_refused(evenhand, data, file, tmp_path) -> None:
    """A manifest that lists no file for a config is not the dataset's own."""
    path = data / "evenhand.json"
    manifest = json.loads(path.read_text())
    manifest["files"] = []
    path.write_text(json.dumps(manifest))

    code, _, message = evenhand("score", data, "--predictions", file, "--out", tmp_path / "m.json")

    assert (code, "names no file of toy/test" in message) == (1, True)


def test_no_reader_is_hinted_at_that_the_benchmark_lacks(evenhand, data, tmp_path) -> None:
    """A table that cannot be read may look like a table of answers, which are not scored here."""
    path = tmp_path / "p.csv"
    path.write_text('id,note\na,"b\n', encoding="utf-8")

    code, _, said = evenhand("score", data, "--predictions", path, "--out", tmp_path / "m.json")

    assert code == 1
    assert "p.csv" in said
    assert "It looks like" not in said
