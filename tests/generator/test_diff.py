"""What changed between two versions, and the least step that it asks for."""

import json
from pathlib import Path

import polars as pl
import pytest

from evenhand.contract.dataset import MANIFEST_NAME, read_manifest, sealed
from evenhand.contract.files import canonical_json
from evenhand.generator.diff import Step, difference

MORE = "key\tword\tsource\ntabloid\tTabloid\tours\nevening\tEvening\tours\nnew\tSunday\tours\n"
LESS = "key\tword\tsource\ntabloid\tTabloid\tours\nevening\tEvening\tours\n"


@pytest.fixture
def version(content, evenhand, tmp_path: Path):
    """Return a function that generates the small content under a name and a version."""

    def generate(name: str, *options: str, number: str = "1.0.0", **replaced: str) -> Path:
        evenhand(
            *("generate", "unqover", "--templates", content(**replaced), "--version", number),
            *(*options, "--out", tmp_path / name),
        )
        return tmp_path / name

    return generate


def kinds(old: Path, new: Path) -> dict[str, tuple[int, str]]:
    """Return kind of change -> rows and step, of the config `readers`."""
    return {
        change.kind: (change.rows, change.step.name)
        for change in difference(old, new).changes
        if change.config == "readers"
    }


def test_nothing_differs_between_a_version_and_itself(version) -> None:
    """No step is asked for."""
    one = version("one")
    found = difference(one, one)

    assert (found.changes, found.step, found.least_version) == ([], Step.NONE, "1.0.0")
    assert found.is_version_enough


def test_words_around_the_rows_are_a_patch(version) -> None:
    """The rows are the same, the card is not."""
    found = difference(version("one"), version("two", number="1.0.1"))

    assert (found.changes, found.step, found.least_version) == ([], Step.PATCH, "1.0.1")
    assert found.files == ["README.md"]
    assert found.is_version_enough


def test_added_rows_are_a_minor_step(version) -> None:
    """One subject more: two pairs, two templates, two attributes, four rows each."""
    old = version("one", subjects_readers=LESS)
    new = version("two", number="1.1.0", subjects_readers=MORE)

    found = difference(old, new)

    assert kinds(old, new) == {"rows added": (2 * 2 * 2 * 4, "MINOR")}
    assert (found.step, found.least_version) == (Step.MINOR, "1.1.0")
    assert [len(change.examples) for change in found.changes] == [5, 5]


def test_removed_rows_are_a_major_step(version) -> None:
    """An old number is no longer comparable; 1.1.0 says less than that."""
    old = version("one", subjects_readers=MORE)
    new = version("two", number="1.1.0", subjects_readers=LESS)

    found = difference(old, new)

    assert kinds(old, new) == {"rows removed": (32, "MAJOR")}
    assert found.least_version == "2.0.0"
    assert not found.is_version_enough


def test_changed_rows_are_a_major_step_with_old_and_new(version) -> None:
    """Up to five rows show the columns that differ and no other."""
    old = version("one")
    attributes = (Path(old.parent) / "own/attributes/readers.tsv").read_text()
    new = version("two", attributes_readers=attributes.replace("told the truth", "was frank"))

    change = difference(old, new).changes[0]

    assert kinds(old, new) == {"rows changed": (12, "MAJOR")}
    assert change.examples[0] == {
        "id": "readers-t00-evening-left_wing-lied-neg-12",
        "question": {"old": "Who told the truth?", "new": "Who was frank?"},
    }


def test_rows_in_another_order_are_a_minor_step(version) -> None:
    """Every old row stands, yet the digest differs."""
    groups = "key\tword\tgroup\tsource\n{}z\tZed\tlast\tours\n"
    a, b = "a\tAnn\tfirst\tours\n", "b\tBob\tfirst\tours\n"
    old = version("one", subjects_readers=groups.format(a + b))
    new = version("two", subjects_readers=groups.format(b + a))

    assert kinds(old, new) == {"rows reordered": (2 * 2 * 2 * 4, "MINOR")}


def test_whole_configs_come_and_go(version) -> None:
    """A config that is gone is MAJOR, a new one MINOR."""
    both = version("both")
    one = version("one", "--config", "readers")

    gone, come = difference(both, one), difference(one, both)

    assert [(c.config, c.kind, c.step) for c in gone.changes] == [
        ("readers_mlm", "config removed", Step.MAJOR)
    ]
    assert [(c.config, c.kind, c.step) for c in come.changes] == [
        ("readers_mlm", "config added", Step.MINOR)
    ]


def reseal(folder: Path, **changed: object) -> None:
    """Change the manifest of a folder and seal it again."""
    import msgspec

    manifest = msgspec.structs.replace(read_manifest(folder), **changed)
    (folder / MANIFEST_NAME).write_bytes(canonical_json(sealed(manifest)))


def test_what_the_manifest_says_in_words_is_a_patch(version) -> None:
    """Another content warning is no other row."""
    old, new = version("one"), version("two")
    reseal(new, content_warning="Read with care.")

    found = difference(old, new)

    assert (found.step, found.files) == (Step.PATCH, ["the manifest's content_warning"])


def test_other_columns_are_a_major_step(version) -> None:
    """A reader of the old columns cannot read the new ones."""
    from evenhand.generator.digest import digest_of_files

    old, new = version("one"), version("two")
    path = new / "readers/test-00000-of-00001.parquet"
    pl.read_parquet(path).drop("attribute_kind").write_parquet(path)
    columns = pl.read_parquet(path).columns
    import msgspec

    configs = dict(read_manifest(new).configs)
    entry = configs["readers"]["test"]
    digest = digest_of_files([str(path)], columns).hexdigest()
    configs["readers"] = {"test": msgspec.structs.replace(entry, content_digest=digest)}
    reseal(new, configs=configs)

    assert kinds(old, new) == {"columns changed (attribute_kind)": (0, "MAJOR")}


def test_rows_that_are_not_those_of_the_manifest_are_refused(version, evenhand) -> None:
    """A version that was changed in place cannot be compared."""
    old, new = version("one"), version("two")
    path = new / "readers/test-00000-of-00001.parquet"
    pl.read_parquet(path).head(44).write_parquet(path)

    code, _, err = evenhand("diff", old, new)

    assert code == 1
    assert "its rows are not those of the manifest (44 rows, 48 in the manifest)" in err


def test_a_missing_file_is_refused(version, evenhand) -> None:
    """The folder of the config is named."""
    old, new = version("one"), version("two")
    (new / "readers/test-00000-of-00001.parquet").unlink()

    code, _, err = evenhand("diff", old, new)

    assert (code, f"{new / 'readers'} holds no test-*.parquet." in err) == (1, True)


def test_two_benchmarks_are_not_two_versions(version, evenhand) -> None:
    """Only versions of one stem are compared."""
    old, new = version("one"), version("two")
    reseal(new, stem="other")

    code, _, err = evenhand("diff", old, new)

    assert code == 1
    assert "two versions of one benchmark were expected" in err


@pytest.mark.parametrize("form", ["table", "md", "json", "jsonl", "csv"])
def test_diff_prints_for_people_and_programs(version, evenhand, form: str) -> None:
    """The step and the reason stand at the end of the table and in the JSON; the exit code is 0."""
    old = version("one", subjects_readers=LESS)
    new = version("two", number="1.0.1", subjects_readers=MORE)

    code, out, _ = evenhand("diff", old, new, "--format", form)

    assert code == 0
    if form == "json":
        found = json.loads(out)
        assert (found["step"], found["least_version"]) == ("MINOR", "1.1.0")
        assert found["is_version_enough"] is False
        assert len(found["changes"][0]["examples"]) == 5
    elif form in {"table", "md"}:
        assert out.rstrip().splitlines()[-1] == (
            "least step: MINOR (1.1.0 or higher), because every old row stands as it was, and"
            " there is more: rows added in readers, rows added in readers_mlm; 1.0.1 says less"
            " than that."
        )
    else:
        assert "rows added" in out


def test_diff_of_equal_versions_says_so(version, evenhand) -> None:
    """Two lines: the versions, and that nothing differs."""
    one = version("one")

    assert evenhand("diff", one, one)[1] == (
        "unqover 1.0.0 -> 1.0.0\n\nleast step: NONE (1.0.0 or higher), because nothing that is"
        " published differs; 1.0.0 is enough.\n"
    )
