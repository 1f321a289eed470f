"""`import bbq`: official lines and mirrors become one dataset, faults stand in a report."""

import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from evenhand.contract import DataRefused
from evenhand.contract.bbq import ITEM_COLUMNS, Item
from evenhand.contract.dataset import Manifest, read_manifest, verify
from evenhand.generator.bbq import official
from evenhand.generator.bbq.faults import (
    A_BEFORE_VOWEL,
    AN_BEFORE_CONSONANT,
    CONTRADICTING_LABEL,
    MONTHER,
    NO_ANSWER_GROUP,
    NO_STEREOTYPED_GROUP,
    REPEATED_ROW,
    SAME_ANSWERS,
    STRAY_BRACE,
)
from evenhand.generator.bbq.targets import NEITHER
from evenhand.generator.benchmark import ImportSettings
from evenhand.generator.build import Recipe, build
from evenhand.generator.diff import difference


def import_bbq(source: Path, out: Path, **options: Any) -> Manifest:
    """Import and write a version."""
    ready = official.prepare_import(ImportSettings(source=source, **options))
    recipe = Recipe(
        card=ready.card,
        version="1.0.0",
        seed=0,
        provenance=ready.provenance,
        construction=ready.construction,
        known_faults=ready.known_faults,
    )
    return build(out, recipe, ready.configs(), overwrite=True)


def notes(source: Path, **options: Any) -> str:
    """Return what the person who runs the command reads on stderr."""
    return "\n".join(official.prepare_import(ImportSettings(source=source, **options)).notes)


def rows_of(folder: Path, config: str) -> list[dict[str, Any]]:
    """Return the rows of a config."""
    return pl.read_parquet(folder / config / "*.parquet").to_dicts()


@pytest.fixture
def release(tmp_path: Path, group_of_four, write_jsonl) -> Path:
    """Return a release of two categories, two examples each."""
    for category in ("Age", "SES"):
        groups = [group_of_four(n, category=category, question=str(n)) for n in range(2)]
        write_jsonl(tmp_path / f"data/{category}.jsonl", [row for group in groups for row in group])
    return tmp_path / "data"


def test_every_official_field_is_kept_and_four_are_added(
    release: Path, tmp_path: Path, group_of_four
) -> None:
    """A row holds its official values, flattened, and id, unknown, target and label type."""
    import_bbq(release, tmp_path / "v")

    rows = rows_of(tmp_path / "v", "Age")
    official = group_of_four(question="0")[3]
    assert list(rows[0]) == list(ITEM_COLUMNS)
    assert rows[3] == {
        "id": "Age-00003",
        **{name: official[name] for name in ITEM_COLUMNS if name in official},
        "answer_text": ["baker", "Undetermined", "pensioner"],
        "answer_group": ["nonOld", "unknown", "old"],
        **official["additional_metadata"],
        "unknown": 1,
        "target": 0,
        "why_no_target": None,
        "label_type": "label",
    }
    assert [row["target"] for row in rows[:4]] == [2, 2, 0, 0]


def test_a_version_is_whole_and_the_same_every_time(release: Path, tmp_path: Path) -> None:
    """`verify` finds no fault; the second run gives the same manifest."""
    manifests = [import_bbq(release, tmp_path / name) for name in ("one", "two")]

    assert verify(tmp_path / "one")[1] == []
    assert manifests[0] == manifests[1]
    assert manifests[0].configs["SES"]["test"].rows == 8
    assert manifests[0].configs["SES"]["test"].examples == 2
    assert manifests[0].licence.id == "cc-by-4.0"
    statistics = json.loads((tmp_path / "one/statistics.json").read_text())["configs"]["Age"]
    assert statistics["templates"] == 2
    assert statistics["groups"] == {
        "total": 2,
        "answers_by_group": {"nonOld": 8, "old": 8},
    }
    assert statistics["unknown_wordings"] == {"Undetermined": 8}


def test_rows_are_items_of_the_contract(release: Path, tmp_path: Path) -> None:
    """Each row passes the contract's record."""
    import msgspec

    import_bbq(release, tmp_path / "v")
    for row in rows_of(tmp_path / "v", "Age"):
        assert msgspec.convert(row, Item).id == row["id"]


def test_datasets_opens_lists_as_lists(release: Path, tmp_path: Path, monkeypatch) -> None:
    """`load_dataset` reads the three list columns as lists of strings, as the card says."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    from datasets import List, Value, load_dataset

    import_bbq(release, tmp_path / "v")
    rows = load_dataset(str(tmp_path / "v"), "Age", split="test", cache_dir=str(tmp_path / "cache"))

    assert rows.features["answer_text"] == List(Value("string"))
    assert rows.features["target"] == Value("int64")
    assert rows[0]["stereotyped_groups"] == ["old"]


def test_list_columns_are_stored_by_dictionary(release: Path, tmp_path: Path) -> None:
    """The few groups of a category are written once."""
    import pyarrow.parquet as pq

    import_bbq(release, tmp_path / "v")
    path = next((tmp_path / "v/Age").glob("*.parquet"))
    group = pq.ParquetFile(path).metadata.row_group(0)
    columns = {group.column(i).path_in_schema: group.column(i) for i in range(group.num_columns)}

    assert "RLE_DICTIONARY" in columns["answer_group.list.element"].encodings


def test_two_versions_are_compared_by_their_rows(release: Path, tmp_path: Path) -> None:
    """`diff` sees a changed list in a row."""
    import_bbq(release, tmp_path / "old")
    path = release / "Age.jsonl"
    path.write_text(path.read_text().replace('"nonOld"', '"young"', 1))
    import_bbq(release, tmp_path / "new")

    report = difference(tmp_path / "old", tmp_path / "new")

    assert [change.kind for change in report.changes] == ["rows changed"]
    assert report.changes[0].examples[0]["id"] == "Age-00000"


def test_one_file_may_hold_several_categories(release: Path, tmp_path: Path) -> None:
    """A mixed file gives the same rows as one file a category, in the same order."""
    lines = [(release / f"{name}.jsonl").read_text().splitlines() for name in ("SES", "Age")]
    mixed = tmp_path / "mixed.jsonl"
    mixed.write_text("\n".join(line for pair in zip(*lines, strict=True) for line in pair[::-1]))

    first, second = import_bbq(release, tmp_path / "a"), import_bbq(mixed, tmp_path / "b")

    assert first.content_digest == second.content_digest
    assert list(second.configs) == ["Age", "SES"]


def test_incomplete_groups_and_absent_categories_are_said(release: Path, tmp_path: Path) -> None:
    """Rows of a broken group of four stay, and stderr, card and manifest say how many there are."""
    path = release / "Age.jsonl"
    path.write_text("\n".join(path.read_text().splitlines()[1:]))

    text = notes(release)
    manifest = import_bbq(release, tmp_path / "v")

    assert re.search("Age: 7 rows; .* 3,680", text)
    assert re.search("Age: 1 groups of four .* incomplete", text)
    assert "not imported: Disability_status, Gender_identity" in text
    assert manifest.provenance["incomplete_examples"] == {"Age": 1}
    assert manifest.configs["Age"]["test"].rows == 7
    assert manifest.configs["Age"]["test"].examples == 1
    assert "are incomplete." in (tmp_path / "v/README.md").read_text()


def test_known_faults_are_kept_and_reported(tmp_path: Path, group_of_four, write_jsonl) -> None:
    """Counted in the manifest, named on the card and on stderr; the texts stay as they are."""
    texts = (
        "The monther sang.",
        "A {Thai guest sang.",
        "She met an unicorn.",
        "a elderly man sang.",
    )
    rows = [
        {**row, "context": text}
        for number, text in enumerate(texts)
        for row in group_of_four(number)
    ]
    again = {**rows[0], "example_id": 16}
    source = write_jsonl(tmp_path / "Age.jsonl", [*rows, again])

    manifest = import_bbq(source, tmp_path / "v")

    counts = {fault["fault"]: fault["rows"] for fault in manifest.provenance["known_faults"]}
    assert counts == {
        MONTHER: 5,
        STRAY_BRACE: 4,
        A_BEFORE_VOWEL: 4,
        AN_BEFORE_CONSONANT: 4,
        REPEATED_ROW: 1,
    }
    assert rows_of(tmp_path / "v", "Age")[0]["context"] == "The monther sang."
    sentence = f"Age: {MONTHER}, 5 rows (first: Age-00000)"
    assert f"- Kept as released: {sentence}." in (tmp_path / "v/README.md").read_text()
    assert f"known fault, kept as it is: {sentence}" in notes(source)


def test_a_row_without_target_is_kept(tmp_path: Path, group_of_four, write_jsonl) -> None:
    """Null with the reason; the reasons are counted."""
    info = {"ans0": ["man", "man"], "ans1": ["Unknown", "unknown"], "ans2": ["boy", "boy"]}
    source = write_jsonl(
        tmp_path / "x.jsonl", group_of_four(category="Gender_identity", answer_info=info)
    )

    manifest = import_bbq(source, tmp_path / "v")

    rows = rows_of(tmp_path / "v", "Gender_identity")
    assert {(row["target"], row["why_no_target"]) for row in rows} == {(None, NEITHER)}
    assert manifest.provenance["without_target"] == {"Gender_identity": {NEITHER: 4}}


def flattened(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row as mirrors flatten it, its label a float as pandas writes it."""
    plain = {name: value for name, value in row.items() if not isinstance(value, dict)}
    plain.update(row["additional_metadata"], label=float(row["label"]))
    for name, (text, info) in row["answer_info"].items():
        plain.update({f"{name}_text": text, f"{name}_info": info})
    return plain


def dotted(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row as pandas flattens it, lists written as text."""
    plain = {name: value for name, value in row.items() if not isinstance(value, dict)}
    for outer in ("answer_info", "additional_metadata"):
        for inner, value in row[outer].items():
            plain[f"{outer}.{inner}"] = str(value) if isinstance(value, list) else value
    return plain


def with_text(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row whose label, number and objects are texts."""
    return {
        **row,
        "label": str(row["label"]),
        "example_id": str(row["example_id"]),
        "question_index": int(row["question_index"]),
        "answer_info": json.dumps(row["answer_info"]),
        "additional_metadata": str(row["additional_metadata"]),
    }


def with_answer_label(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row without category, whose label has a mirror's name."""
    plain = {**row, "answer_label": row["label"]}
    return {name: plain[name] for name in plain if name not in {"label", "category"}}


def joined_twice(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row whose nested fields are columns joined by `__`, its label an answer's name."""
    plain = {name: value for name, value in row.items() if not isinstance(value, dict)}
    for outer in ("answer_info", "additional_metadata"):
        plain.update({f"{outer}__{inner}": value for inner, value in row[outer].items()})
    return {**plain, "label": f"ans{row['label']}"}


SHAPES = [dict, flattened, dotted, with_text, with_answer_label, joined_twice]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_mirrors_give_the_official_rows(release, tmp_path, shape, ending, write_jsonl) -> None:
    """Parquet or JSONL, nested or flat, labels as text or numbers: the same content digest."""
    for category in ("Age", "SES"):
        lines = (release / f"{category}.jsonl").read_text().splitlines()
        rows = [shape(json.loads(line)) for line in reversed(lines)]
        path = tmp_path / f"mirror/{category.lower()}/test-00000-of-00001.{ending}"
        write_jsonl(path, rows)
        if ending == "parquet":
            pl.DataFrame(rows).write_parquet(path)

    mirror = import_bbq(tmp_path / "mirror", tmp_path / "m")

    assert mirror.content_digest == import_bbq(release, tmp_path / "v").content_digest


def test_a_mirror_with_a_file_of_all_categories(release: Path, tmp_path, write_jsonl) -> None:
    """Two levels of folders, as the Hub converts them; rows that two files hold come once."""
    everything = []
    for category in ("Age", "SES"):
        lines = (release / f"{category}.jsonl").read_text().splitlines()
        rows = [json.loads(line) for line in lines]
        everything += rows
        write_jsonl(tmp_path / "mirror" / category / "test" / "0000.jsonl", rows)
    write_jsonl(tmp_path / "mirror" / "All" / "test" / "0000.jsonl", everything)

    mirror = import_bbq(tmp_path / "mirror", tmp_path / "m")

    assert mirror.content_digest == import_bbq(release, tmp_path / "v").content_digest
    assert mirror.provenance["rows_in_two_files"] == len(everything)
    assert "16 rows are in two" in notes(tmp_path / "mirror")


def test_answers_in_the_same_words_are_reported(tmp_path, group_of_four, write_jsonl) -> None:
    """Which of the two a model names cannot be told from its text."""
    source = write_jsonl(tmp_path / "Age.jsonl", group_of_four(ans0="The baker", ans1="the baker"))

    assert f"Age: {SAME_ANSWERS}, 4 rows (first: Age-00000)" in notes(source)


def test_a_version_of_ours_can_be_imported_again(release: Path, tmp_path: Path) -> None:
    """The Parquet files that the import writes are a mirror too."""
    first = import_bbq(release, tmp_path / "v")

    assert import_bbq(tmp_path / "v", tmp_path / "w").content_digest == first.content_digest


def test_rows_that_name_no_stereotyped_group_are_kept(tmp_path: Path, group_of_four, write_jsonl):
    """Null or empty in place of the list: no target, with the reason, and a known fault."""
    metadata = {"subcategory": None, "stereotyped_groups": None}
    source = write_jsonl(tmp_path / "Age.jsonl", group_of_four(additional_metadata=metadata))

    text = notes(source)

    assert "without target: Age: 4 rows, " in text
    assert f"Age: {NO_STEREOTYPED_GROUP}, 4 rows (first: Age-00000)" in text


def test_fields_that_are_no_part_of_bbq_are_left_out_and_named(
    tmp_path: Path, group_of_four, write_jsonl
) -> None:
    """A model's answers beside the rows, as in the release's results."""
    source = write_jsonl(tmp_path / "preds.jsonl", group_of_four(model_says="the baker"))

    assert "no part of BBQ: model_says" in notes(source)


def test_the_configs_asked_for_are_taken(release: Path, tmp_path: Path) -> None:
    """Other categories' files are not even read."""
    (release / "SES.jsonl").write_text("broken")

    assert list(import_bbq(release, tmp_path / "v", configs=("Age",)).configs) == ["Age"]
    with pytest.raises(DataRefused, match=r"no rows of Religion; its files: Age.jsonl\."):
        official.prepare_import(ImportSettings(source=release / "Age.jsonl", configs=("Religion",)))


def test_a_sample_takes_whole_groups_from_all_questions(
    tmp_path: Path, group_of_four, write_jsonl
) -> None:
    """Each question comes once before any comes twice; the seed decides which groups."""
    rows = [
        row for n in range(20) for row in group_of_four(n, question=["1", "2", "3"][min(n // 2, 2)])
    ]
    source = write_jsonl(tmp_path / "Age.jsonl", rows)
    import_bbq(source, tmp_path / "v", limit=4, seed=3)

    sample = rows_of(tmp_path / "v", "Age")

    assert len(sample) == 16
    assert {row["question_index"] for row in sample} == {"1", "2", "3"}
    assert len({row["example_id"] // 4 for row in sample}) == 4
    drawn = set()
    for seed in range(5):
        import_bbq(source, tmp_path / "w", limit=4, seed=seed)
        drawn.add(tuple(row["id"] for row in rows_of(tmp_path / "w", "Age")))
    assert len(drawn) > 1


def test_an_unknown_answer_without_info_is_told_by_its_wording(
    tmp_path: Path, group_of_four, write_jsonl
) -> None:
    """One of the release's ten wordings, and the fault is reported."""
    info = {"ans0": ["baker", "nonOld"], "ans1": ["", ""], "ans2": ["pensioner", "old"]}
    source = write_jsonl(tmp_path / "Age.jsonl", group_of_four(answer_info=info))

    import_bbq(source, tmp_path / "v")

    assert {row["unknown"] for row in rows_of(tmp_path / "v", "Age")} == {1}
    assert f"Age: {NO_ANSWER_GROUP}, 4 rows" in notes(source)


def test_a_label_that_contradicts_its_context_is_reported(
    tmp_path: Path, group_of_four, write_jsonl
) -> None:
    """An ambiguous row whose right answer is a person is kept, and counted."""
    source = write_jsonl(tmp_path / "Age.jsonl", group_of_four(label=0))

    assert f"Age: {CONTRADICTING_LABEL}, 2 rows" in notes(source)


def test_the_command_writes_a_version(release: Path, tmp_path: Path, evenhand) -> None:
    """`import bbq --from DIR --out DIR` reports on stderr and prints the digest."""
    code, out, err = evenhand("import", "bbq", "--from", release, "--out", tmp_path / "v")

    assert code == 0
    assert out == f"manifest_digest {read_manifest(tmp_path / 'v').manifest_digest}\n"
    assert "Age: 8 rows, 2 examples" in err
