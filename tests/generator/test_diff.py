"""What changed between two versions, and the least step that it asks for."""

import json
import re
from pathlib import Path

import polars as pl
import pytest

from evenhand.contract.dataset import MANIFEST_NAME, read_manifest, sealed
from evenhand.contract.files import canonical_json
from evenhand.generator.changelog import COMPARABILITY, SOURCES_HEADING, SURROUNDINGS_HEADING
from evenhand.generator.diff import difference
from evenhand.generator.steps import Step

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
    report = difference(one, one)

    assert (report.changes, report.step, report.least_version) == ([], Step.NONE, "1.0.0")
    assert report.is_version_enough


def test_words_around_the_rows_are_a_patch(version) -> None:
    """The rows are the same, the card is not."""
    report = difference(version("one"), version("two", number="1.0.1"))

    assert (report.changes, report.step, report.least_version) == ([], Step.PATCH, "1.0.1")
    assert report.files == ["README.md", "croissant.json"]
    assert report.is_version_enough


def test_added_rows_are_a_minor_step(version) -> None:
    """One subject more: two pairs, two templates, two attributes, four rows each."""
    old = version("one", subjects_readers=LESS)
    new = version("two", number="1.1.0", subjects_readers=MORE)

    report = difference(old, new)

    assert kinds(old, new) == {"rows added": (2 * 2 * 2 * 4, "MINOR")}
    assert (report.step, report.least_version) == (Step.MINOR, "1.1.0")
    assert [len(change.examples) for change in report.changes] == [5, 5]


def test_removed_rows_are_a_major_step(version) -> None:
    """An old number is no longer comparable; 1.1.0 says less than that."""
    old = version("one", subjects_readers=MORE)
    new = version("two", number="1.1.0", subjects_readers=LESS)

    report = difference(old, new)

    assert kinds(old, new) == {"rows removed": (32, "MAJOR")}
    assert report.least_version == "2.0.0"
    assert not report.is_version_enough


def test_changed_rows_are_a_major_step_with_old_and_new(version) -> None:
    """Up to five rows show the columns that differ and no other."""
    old = version("one")
    attributes = (Path(old.parent) / "user/attributes/readers.tsv").read_text()
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

    report = difference(old, new)

    assert (report.step, report.files) == (Step.PATCH, ["the manifest's content_warning"])


def test_other_columns_are_a_major_step(version) -> None:
    """A reader of the old columns cannot read the new ones."""
    from evenhand.generator.digest import files_digest

    old, new = version("one"), version("two")
    path = new / "readers/test-00000-of-00001.parquet"
    pl.read_parquet(path).drop("attribute_kind").write_parquet(path)
    columns = pl.read_parquet(path).columns
    import msgspec

    configs = dict(read_manifest(new).configs)
    entry = configs["readers"]["test"]
    digest = files_digest([str(path)], columns).hexdigest()
    configs["readers"] = {"test": msgspec.structs.replace(entry, content_digest=digest)}
    reseal(new, configs=configs)

    assert kinds(old, new) == {"columns changed (attribute_kind)": (0, "MAJOR")}


def test_rows_that_are_not_those_of_the_manifest_are_refused(version, evenhand) -> None:
    """A version that was changed in place cannot be compared."""
    old, new = version("one"), version("two", subjects_readers=MORE)
    path = new / "readers/test-00000-of-00001.parquet"
    pl.read_parquet(path).head(44).write_parquet(path)

    code, _, err = evenhand("diff", old, new)

    assert code == 1
    assert "(44 rows, 48 in " in err


@pytest.mark.parametrize("changed", [0, 1], ids=["old", "new"])
def test_files_that_both_versions_share_are_checked_as_files(
    version, evenhand, monkeypatch, changed: int
) -> None:
    """Equal bytes are equal rows, which need not be read; a file that was changed is named."""
    versions = version("one"), version("two", number="1.0.1")
    monkeypatch.setattr("evenhand.generator.diff.files_digest", None)
    assert difference(*versions).step == Step.PATCH
    path = versions[changed] / "readers/test-00000-of-00001.parquet"
    path.write_bytes(path.read_bytes()[:-8] + bytes(8))

    code, _, err = evenhand("diff", *versions)

    assert code == 1
    assert f"{path} is not " in err
    assert f"`evenhand verify {versions[changed]}`" in err


def test_a_missing_file_is_refused(version, evenhand) -> None:
    """The folder of the config is named."""
    old, new = version("one"), version("two", subjects_readers=MORE)
    (new / "readers/test-00000-of-00001.parquet").unlink()

    code, _, err = evenhand("diff", old, new)

    assert (code, f"{new / 'readers'} holds no test-*.parquet." in err) == (1, True)


def test_two_benchmarks_are_not_two_versions(version, evenhand) -> None:
    """Only versions of one stem are compared."""
    old, new = version("one"), version("two")
    reseal(new, stem="other")

    code, _, err = evenhand("diff", old, new)

    assert code == 1
    assert f"{new} of other; " in err


@pytest.mark.parametrize("form", ["table", "md", "json", "jsonl", "csv"])
def test_diff_prints_for_people_and_programs(version, evenhand, form: str) -> None:
    """The step and the reason stand at the end of the table and in the JSON; the exit code is 0."""
    old = version("one", subjects_readers=LESS)
    new = version("two", number="1.0.1", subjects_readers=MORE)

    code, out, _ = evenhand("diff", old, new, "--format", form)

    assert code == 0
    if form == "json":
        report = json.loads(out)
        assert (report["step"], report["least_version"]) == ("MINOR", "1.1.0")
        assert report["is_version_enough"] is False
        assert len(report["changes"][0]["examples"]) == 5
    elif form in {"table", "md"}:
        assert re.fullmatch(
            r"least step: MINOR \(1\.1\.0 or higher\), .*: rows added in readers, rows added in"
            r" readers_mlm; 1\.0\.1 .*\.",
            out.rstrip().splitlines()[-1],
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


def test_templates_and_lists_behind_the_change_are_named(version) -> None:
    """The digests in both provenances say which file is new, gone or other."""
    old = version("one")
    changed = MORE.replace("Sunday", "Monday")
    new = version("two", number="2.0.0", subjects_readers=changed, **{"readers/t02.jinja": PLURAL})

    report = difference(old, new)

    assert [(one.kind, one.file) for one in report.content] == [
        ("added", "readers/t02.jinja"),
        ("changed", "subjects/readers.tsv"),
    ]
    added = next(one for one in report.changes if one.kind == "rows added")
    assert added.templates == {"t00": 16, "t01": 16, "t02": 24}


PLURAL = """\
{% set attribute_kind = "person" %}
{% block context %}Some {{ x1 }} readers saw some {{ x2 }} readers.{% endblock %}
{% block question %}Who {{ attribute | plural }}?{% endblock %}
{% block statement %}The {{ mask }} readers {{ attribute | plural }}.{% endblock %}
"""


def test_an_option_behind_the_change_is_named(version) -> None:
    """Another header is no other template."""
    report = difference(version("one"), version("two", "--header", "newsqa", number="2.0.0"))

    assert [(one.name, one.old, one.new) for one in report.options] == [("header", None, "newsqa")]
    assert report.content == []


def test_a_changelog_entry_is_drafted(version, evenhand) -> None:
    """Version, comparability, rows by template, and what is behind them, in Markdown."""
    old = version("one", subjects_readers=LESS)
    new = version("two", number="1.1.0", subjects_readers=MORE)

    code, out, _ = evenhand("diff", old, new, "--changelog")

    assert code == 0
    assert out == (
        f"## 1.1.0\n\n{COMPARABILITY[Step.MINOR].format(old='1.0.0')}\n\n"
        "### Added\n\n"
        "- `readers`: rows added, 32 rows of templates t00 (16), t01 (16),"
        " e.g. `readers-t00-evening-new-lied-neg-12`\n"
        "- `readers_mlm`: rows added, 32 rows of templates t00 (16), t01 (16),"
        " e.g. `readers_mlm-t00-evening-new-lied-neg-12`\n\n"
        f"### {SOURCES_HEADING}\n\n"
        "- changed: `subjects/readers.tsv`\n\n"
        f"### {SURROUNDINGS_HEADING}\n\n"
        "- README.md differs\n- croissant.json differs\n- statistics.json differs\n"
        "- the manifest's provenance differs\n"
    )


def test_the_entry_of_a_version_that_says_too_little_has_the_least_number(
    version, evenhand
) -> None:
    """The draft is right although the version is not."""
    old = version("one", subjects_readers=MORE)
    new = version("two", number="1.1.0", subjects_readers=LESS)

    out = evenhand("diff", old, new, "--changelog")[1]

    assert out.startswith(f"## 2.0.0\n\n{COMPARABILITY[Step.MAJOR].format(old='1.0.0')}\n")
    assert "### Removed\n\n- `readers`: rows removed, 32 rows" in out


def test_generate_refuses_a_number_that_says_too_little(version, evenhand, content) -> None:
    """With the version before, the finished folder is compared, and nothing of it stays."""
    old = version("one", subjects_readers=MORE)
    words = ("generate", "unqover", "--templates", content(subjects_readers=LESS))
    out = old.parent / "new/version"

    code, _, err = evenhand(*words, "--previous", old, "--version", "1.1.0", "--out", out)

    assert code == 1
    assert re.search(r"Version 1\.1\.0 .* since 1\.0\.0: .* 2\.0\.0 or higher", err)
    assert list(out.parent.iterdir()) == []
    code, _, _ = evenhand(*words, "--previous", old, "--version", "2.0.0", "--out", out)
    assert code == 0


def test_generate_refuses_to_go_back_before_it_renders(version, evenhand, content) -> None:
    """A number below the one before is refused at once."""
    old = version("one", number="1.2.0")

    code, _, err = evenhand(
        *("generate", "unqover", "--templates", content(), "--previous", old),
        *("--version", "1.1.9", "--out", old.parent / "new"),
    )

    assert code == 1
    assert re.search(f"Version 1.1.9 .* 1.2.0 of {old}", err)
    assert " 1.2.1 or higher." in err
    assert "rows" not in err


def test_a_sample_is_not_compared_with_a_whole_version(version, evenhand, content) -> None:
    """Wrong use: all rows that are not drawn would count as removed."""
    old = version("one")

    code, _, err = evenhand(
        *("generate", "unqover", "--templates", content(), "--previous", old, "--limit", 1),
        *("--out", old.parent / "new"),
    )

    assert code == 2
    assert re.search("--previous .* --limit", err)


def test_a_name_on_the_hub_that_was_not_pulled_names_the_command(
    version, evenhand, monkeypatch
) -> None:
    """`diff` reaches no network unless it is told to."""
    old = version("one")
    monkeypatch.chdir(old.parent)

    code, _, err = evenhand("diff", "org/name@1.0.0", old)

    assert code == 1
    assert "org/name@1.0.0 is not in datasets_out; " in err
    assert "`evenhand pull org/name@1.0.0`" in err


def test_a_name_on_the_hub_is_read_from_the_pull_folder(version, evenhand, monkeypatch) -> None:
    """The tag is a folder there."""
    old = version("datasets_out/org/name/1.0.0")
    monkeypatch.chdir(old.parents[3])

    assert "NONE (1.0.0 or higher)" in evenhand("diff", "org/name@1.0.0", old)[1]
    assert "you have pulled org/name@1.0.0." in evenhand("diff", "org/name", old)[2]
