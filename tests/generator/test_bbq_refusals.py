"""What `import bbq` refuses, and the one sentence that says so."""

from pathlib import Path

import pytest

from evenhand.contract import DataRefused, WrongUse
from evenhand.generator.bbq import generate, official
from evenhand.generator.benchmark import ImportSettings, Settings


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"label": 3}, "x.jsonl:1: field `label` is 3; 0, 1 or 2 was expected."),
        ({"label": "B"}, "x.jsonl:1: field `label` is 'B'; a whole number"),
        ({"label": True}, "x.jsonl:1: field `label` is True; a whole number"),
        ({"label": None}, "x.jsonl:1: field `label` is missing."),
        ({"example_id": -1}, "field `example_id` is -1; 0 or "),
        ({"example_id": 1.5}, "field `example_id` is 1.5; a whole number"),
        ({"context": 5}, "field `context`: expected `str`, got `int`."),
        ({"context": None}, "field `context` is missing; "),
        (
            {"example_id": None, "question_polarity": None},
            "fields `example_id`, `question_polarity` are missing; ",
        ),
        ({"label": "ans3"}, "field `label` is 'ans3'; a whole number"),
        ({"question_polarity": "pos"}, "`question_polarity` is 'pos'; neg or nonneg"),
        ({"context_condition": 1}, "`context_condition` is 1; ambig or disambig"),
        ({"ans2": " "}, "field `ans2` is empty; "),
        ({"category": "age"}, "field `category` is `age`; did you mean `Age`?"),
        ({"category": "RaceEthnicity"}, "`RaceEthnicity`; did you mean `Race_ethnicity`?"),
        ({"category": "Taste"}, "field `category` is `Taste`; the categories are Age, "),
        ({"answer_info": 7}, "field `answer_info` is not an object; "),
        ({"answer_info": {"ans0": ["a", "b"]}}, "field `answer_info` has no `ans1`"),
        ({"additional_metadata": None}, "(or `stereotyped_groups`) is missing"),
        ({"additional_metadata": "old"}, "field `additional_metadata` is the text 'old'"),
        ({"additional_metadata": {"stereotyped_groups": [1]}}, "holds 1; texts "),
        ({"additional_metadata": {"stereotyped_groups": 1}}, "is 1; a list of texts "),
        ({"answer_text": ["a"], "answer_group": ["b"]}, "has 1 members; "),
    ],
)
def test_a_faulty_field_is_named_with_file_and_line(
    tmp_path, changed, message, group_of_four, write_jsonl
) -> None:
    """One sentence: the place, the field, what was there and what was expected."""
    source = write_jsonl(tmp_path / "x.jsonl", group_of_four(**changed))

    with pytest.raises(DataRefused) as refusal:
        official.prepare_import(ImportSettings(source=source))

    assert message in str(refusal.value)


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (("old", "nonOld", "old"), "no answers are `unknown`; exactly one"),
        (("unknown", "unknown", "old"), "2 answers are `unknown` (ans0, ans1); exactly one"),
        (("old",), "has 1 members"),
    ],
)
def test_exactly_one_answer_must_be_unknown(
    tmp_path, groups, message, group_of_four, write_jsonl
) -> None:
    """None and two are refused; which answer cannot be known must not be guessed."""
    info = {
        f"ans{i}": ["x", group] if len(groups) == 3 else ["x"]
        for i, group in enumerate(groups * (3 // len(groups)))
    }
    source = write_jsonl(tmp_path / "x.jsonl", group_of_four(answer_info=info))

    with pytest.raises(DataRefused) as refusal:
        official.prepare_import(ImportSettings(source=source))

    assert message in str(refusal.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"example_id": 0,\n', "x.jsonl:1: is broken ("),
        (b"[1, 2]\n", "x.jsonl:1: is not an object; "),
        (b"\n  \n", "x.jsonl has no rows; "),
        (b'{"context": "\xff"}\n', "x.jsonl:1: is broken ("),
    ],
)
def test_a_broken_file_is_refused_with_its_line(tmp_path, content, message) -> None:
    """What is no line of JSON, and what has none."""
    (tmp_path / "x.jsonl").write_bytes(content)

    with pytest.raises(DataRefused) as refusal:
        official.prepare_import(ImportSettings(source=tmp_path / "x.jsonl"))

    assert message in str(refusal.value)


def test_other_broken_sources_are_refused(tmp_path: Path, group_of_four, write_jsonl) -> None:
    """No folder, no such files, files of other formats, broken Parquet, a row given twice."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad.parquet").write_bytes(b"PAR0")
    (tmp_path / "zipped").mkdir()
    (tmp_path / "zipped" / "Age.jsonl.gz").write_bytes(b"")
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "new_templates - Age.csv").write_text("Q_id\n")
    (tmp_path / "Age.csv").write_text("example_id\n0\n")
    twice = write_jsonl(tmp_path / "x.jsonl", group_of_four() * 2)
    for source, message in (
        (tmp_path / "nowhere", "does not exist; --from names the folder of the release."),
        (tmp_path / "zipped", "holds no *.jsonl or *.parquet, but Age.jsonl.gz; the release's"),
        (tmp_path / "t", "but templates, which go in with --templates in place of --from;"),
        (tmp_path / "Age.csv", "Age.csv ends in .csv; the rows of BBQ are read from JSON lines"),
        (tmp_path / "empty", "holds no *.jsonl or *.parquet; the release's folder `data`"),
        (tmp_path / "bad.parquet", "bad.parquet cannot be read as Parquet ("),
        (twice, "x.jsonl:5: field `example_id`: 0 of Age stands in"),
    ):
        with pytest.raises(DataRefused) as refusal:
            official.prepare_import(ImportSettings(source=source))
        assert message in str(refusal.value)


def test_a_row_that_two_files_give_differently_is_refused(
    tmp_path: Path, group_of_four, write_jsonl
) -> None:
    """Which of the two is the release's cannot be known."""
    write_jsonl(tmp_path / "Age.jsonl", group_of_four())
    write_jsonl(tmp_path / "All.jsonl", group_of_four(question="Who forgets things?"))

    with pytest.raises(DataRefused, match=r"All.jsonl:1: .* already, with other contents; give"):
        official.prepare_import(ImportSettings(source=tmp_path))


def test_a_sample_needs_a_complete_group(tmp_path: Path, group_of_four, write_jsonl) -> None:
    """Three rows of four are imported whole, but no example can be drawn from them."""
    source = write_jsonl(tmp_path / "Age.jsonl", group_of_four()[:3])

    assert official.prepare_import(ImportSettings(source=source)).n_rows == 3
    with pytest.raises(DataRefused, match="Age has no complete group of four to draw --limit"):
        official.prepare_import(ImportSettings(source=source, limit=1))


def test_wrong_use_is_told_before_any_file_is_read(tmp_path: Path) -> None:
    """A config in other letters."""
    source = tmp_path / "nowhere"

    with pytest.raises(WrongUse, match=r"religion; .* `Religion`"):
        official.prepare_import(ImportSettings(source=source, configs=("religion",)))
    with pytest.raises(WrongUse, match=r"religion; .* `Religion`"):
        generate.prepare(Settings(configs=("religion",)))
