"""What `import bbq --templates` refuses, and the one sentence that says so."""

import re
from pathlib import Path
from typing import Any

import pytest

from evenhand.contract import DataRefused, WrongUse
from evenhand.generator.bbq import official
from evenhand.generator.benchmark import ImportSettings

NO_WORDS = {"Names": "", "Answer_negative": "The {{NAME2}} one"}


def settings_of(folder: Path, **values: Any) -> ImportSettings:
    """Return what a call that renders a folder of templates asks for."""
    shared = {name: values.pop(name) for name in ("configs", "seed") if name in values}
    return ImportSettings(source=folder, **shared, options={"templates": folder, **values})


def refusal_of(folder: Path, kind: type[Exception] = DataRefused, **options: Any) -> str:
    """Return the sentence with which a folder of templates is refused."""
    with pytest.raises(kind) as refusal:
        official.prepare_import(settings_of(folder, **options))
    return str(refusal.value)


@pytest.mark.parametrize(
    ("changed", "column", "message"),
    [
        # Statements, comments and slots that there are not.
        ({"Ambiguous_Context": "{% for x in y %}{% endfor %}"}, None, "holds `{% for x in y %}"),
        ({"Answer_negative": "The {{NAME2}} {# x #}"}, None, "holds `{# x #}`, which"),
        ({"Answer_negative": "{{ ''.__class__ }}"}, None, "holds `{{ ''.__class__ }}`, which"),
        ({"Answer_negative": "{{NAME3}}"}, None, "are {{NAME1}}, {{GEN1}}"),
        ({"Ambiguous_Context": "{{NAME1} met {{NAME2}}"}, None, "holds `{{NAME1} met `, which"),
        ({"Ambiguous_Context": "{NAME1}} met {{NAME2}}"}, None, "holds `}}`, which"),
        ({"Question_non_negative": "  "}, None, "is empty"),
        ({"Q_id": ""}, None, "is empty"),
        # Lists.
        ({"Names": "NAME1: [a, b; NAME2: [c]"}, None, "holds `NAME1: [a, b`; `NAME1: [first"),
        ({"Names": "NAME1: a, b; NAME2: c"}, None, "holds `NAME1: a, b`; `NAME1: [first, second]"),
        ({"Names": "NAME1: [a]; NAME1: [b]"}, None, "holds `NAME1: [b]`; `NAME1: [first"),
        ({"Names": "NAME1: [a]"}, None, "has no words for NAME2"),
        ({"Names": "NAME1: [a, , b]; NAME2: [c]"}, None, "has a place without a word"),
        ({"Names": "NAME1: []; NAME2: [c]"}, None, "has a place without a word"),
        ({"Names": f"NAME1: [{'a' * 121}]; NAME2: [c]"}, None, "a word has 121 characters; 120"),
        ({"Names": f"NAME1: [{'a, ' * 64}a]; NAME2: [c]"}, None, "a list has 65 words; 64 are"),
        ({"Names": "x" * 4097}, None, "has 4,097 characters; 4,096 are allowed"),
        ({"Lexical_diversity": "[lake, mill]"}, None, "holds `[lake, mill]`; `WORD1: [first"),
        ({"Known_stereotyped_groups": "old, poor"}, None, "is `old, poor`; a list like"),
        ({"Known_stereotyped_groups": "[" * 4000}, None, "a list like"),
        ({"Known_stereotyped_groups": "{'old': 1}"}, None, "is `{'old': 1}`; a list of texts"),
        ({"Known_stereotyped_groups": '["old", 3]'}, None, "holds '3'; texts of at most"),
        # Slots without words.
        ({"Lexical_diversity": ""}, "Ambiguous_Context", "has the slot {{WORD1}}, for which Lex"),
        (
            {"Answer_negative": "The {{NAME2}} {{GEN2}}"},
            None,
            "has the slot {{GEN2}}, for which Names lists no words",
        ),
        (NO_WORDS, "Names", "brings no words and "),
        # Categories.
        (
            {"Category": "Taste"},
            None,
            "is `Taste`, but the file is named after Age; the categories",
        ),
        (
            {"Category": "religon"},
            None,
            "is `religon`, but the file is named after Age; that is Re",
        ),
        # Answers that cannot be told apart.
        ({"Answer_negative": "The {{NAME1}} too"}, "Answer_non_negative", "names the same person"),
        (
            {"Names": "NAME1: [cook]; NAME2: [baker, cook]"},
            "Answer_negative",
            "both answers read `The cook` for `cook` and `cook`; they must differ",
        ),
    ],
)
def test_a_faulty_cell_is_named_with_file_row_and_column(
    official_templates, changed, column, message
) -> None:
    """One sentence: the place, what was there and what was expected."""
    folder = official_templates({}, changed)

    sentence = refusal_of(folder)

    assert f"new_templates - Age.csv: row 3, column {column or next(iter(changed))}: " in sentence
    assert message in sentence
    assert sentence.endswith(".")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"Known_stereotyped_var2": "X"}, "column Known_stereotyped_var2: is `X`; M or F was"),
        ({"Var2_info": '["M"]'}, "it must say of the two members of Names which is M and which F"),
        ({"Names": '["man", "woman", "x"]'}, "column Var2_info: is `["),
        ({"Names": "", "Var2_info": ""}, "column Names: is empty; words like"),
        ({"Known_stereotyped_race": '["Martian"]'}, "with `Martian` and the subcategory None no"),
    ],
)
def test_a_faulty_intersectional_cell_is_named(official_templates, changed, message) -> None:
    """The second dimension needs one of its two values and words for both."""
    row = {
        "Known_stereotyped_groups": None,
        "Names": '["man", "woman"]',
        "Lexical_diversity": "",
        "Known_stereotyped_race": '["Black"]',
        "Known_stereotyped_var2": "F",
        "Var2_info": '["M", "F"]',
        "Ambiguous_Context": "A {{NAME1}} {{GEN1}} met a {{NAME2}} {{GEN2}}.",
    }

    folder = official_templates({**row, **changed}, file="Race_x_gender")

    assert message in refusal_of(folder)


@pytest.mark.parametrize("column", ["Q_id", "Disambiguating_Context", "Known_stereotyped_groups"])
def test_a_missing_column_is_named(official_templates, column) -> None:
    """The sentence lists the columns that are there."""
    folder = official_templates({column: None})

    sentence = refusal_of(folder)

    assert f"new_templates - Age.csv: the column {column} is missing; there are" in sentence


def test_a_misspelled_column_is_suggested(official_templates) -> None:
    """`Answer_negativ` is near to the one that is missing."""
    folder = official_templates({"Answer_negative": None, "Answer_negativ": "The {{NAME2}}"})

    assert "Answer_negative is missing; is `Answer_negativ` meant?" in refusal_of(folder)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "Age.csv is empty; "),
        (b"Q_id,Category\n", "Age.csv is empty; "),
        (b"Q_id\n\xff\xfe\n", "not UTF-8"),
        (b"Q_id\n\x00\n", "zero byte"),
        (b'Q_id\n"1\n', "cannot be read as CSV ("),
        (b"Q_id,Q_id\n1,2\n", "column Q_id twice"),
        (b"Q_id\n" + b"1\n" * 2000, "has 2,001 rows; 2,000 are allowed."),
        (b"Q_id\n" + b"1" * (10 << 20), "has more than 10,485,760 bytes"),
    ],
)
def test_a_broken_file_is_refused(official_templates, content, message) -> None:
    """What is no table, before any cell is looked at."""
    folder = official_templates({})
    (folder / "new_templates - Age.csv").write_bytes(content)

    assert message in refusal_of(folder)


def test_a_row_with_too_many_cells_is_named(official_templates) -> None:
    """A comma outside of quotes must not shift the columns."""
    folder = official_templates({})
    path = folder / "new_templates - Age.csv"
    path.write_text(path.read_text() + "2," * 20 + "\n")

    assert re.search(r"row 3 .* 21 cells .* 15; .* comma", refusal_of(folder))


def test_a_table_without_contexts_has_no_template(official_templates) -> None:
    """Rows without a context are left out, and then nothing is left."""
    folder = official_templates({"Ambiguous_Context": ""})

    assert "Age.csv has no row with" in refusal_of(folder)


def test_folders_and_names_of_files_are_checked(official_templates, tmp_path: Path) -> None:
    """No folder, none of the files, a file of an unknown category, two of one, one not there."""
    (tmp_path / "empty").mkdir()
    assert "nowhere is not a folder; --templates" in refusal_of(tmp_path / "nowhere")
    assert "empty holds no templates;" in refusal_of(tmp_path / "empty")
    folder = official_templates({})
    assert "has no templates of SES; it has Age." in refusal_of(folder, configs=("SES",))
    (folder / "new_templates_-_Age.csv").write_text("x")
    assert "are both of Age; keep one." in refusal_of(folder)
    (folder / "new_templates_-_Age.csv").rename(folder / "new_templates - age.csv")
    sentence = refusal_of(folder)
    assert (
        "new_templates - age.csv is named after `age`, which is no category; is `Age`" in sentence
    )


def test_vocabularies_are_checked(official_templates) -> None:
    """A category without words, a kind of name that there is not, and too few names."""
    names = {"Names": "", "Lexical_diversity": "", "Ambiguous_Context": "{{NAME1}}, {{NAME2}}"}
    named = {**names, "Proper_nouns_only": "TRUE"}
    folder = official_templates(names, file="Physical_appearance")
    assert "vocabulary.csv has none of Physical_appearance; the slots" in refusal_of(folder)
    folder = official_templates(names, file="Religion")
    (folder / "new_templates - Physical_appearance.csv").unlink()
    assert "with `old` and the subcategory None no word of the vocabulary" in refusal_of(folder)
    (folder / "new_templates - Religion.csv").unlink()
    folder = official_templates(named)
    path = folder / "vocabulary_proper_names.csv"
    lines = path.read_text().splitlines()
    path.write_text("\n".join(line for line in lines if "OnlyM" not in line and "0" not in line))
    assert "has 6 first names" not in bbq_notes(folder)
    path.write_text(
        "\n".join(
            line
            for line in lines
            if "OnlyM" not in line and "OnlyF0" not in line and "OnlyF1" not in line
        )
    )
    assert "has 5 first names" in refusal_of(folder)
    path.write_text(path.read_text().replace(",first_only,", ",middle,"))
    assert "column First_last: is `middle`; first, last or first_only" in refusal_of(folder)


def bbq_notes(folder: Path) -> str:
    """Return the report of a folder that is not refused."""
    return "\n".join(official.prepare_import(settings_of(folder)).notes)


def test_names_of_a_race_that_has_none_are_refused(official_templates) -> None:
    """The sentence says which names are needed."""
    row = {"Names": "", "Proper_nouns_only": "TRUE", "Lexical_diversity": "WORD1: [lake]"}
    folder = official_templates(
        {**row, "Known_stereotyped_groups": '["Roma"]'}, file="Race_ethnicity"
    )

    assert "vocabulary_proper_names.csv has 0 first names of Roma; at least 5" in refusal_of(folder)


def test_too_many_rows_are_refused(official_templates, monkeypatch) -> None:
    """Two templates of 64 x 64 words give 32,768 rows; here the limit stands at 20,000."""
    words = ", ".join(f"w{i}" for i in range(64))
    others = ", ".join(f"o{i}" for i in range(64))
    lists = f"NAME1: [{words}]; NAME2: [{others}]"
    row = {"Names": lists, "Lexical_diversity": "WORD1: [lake]"}
    monkeypatch.setattr("evenhand.generator.bbq.official_questions.MAX_ROWS", 20_000)

    assert " 20,000 rows; " in refusal_of(official_templates(row, {**row, "Q_id": "2"}))


def test_a_text_that_grows_too_long_is_refused(official_templates) -> None:
    """2,000 characters are the limit of a rendered text."""
    context = "{{NAME1}} and {{NAME2}} " * 20
    row = {"Ambiguous_Context": context, "Names": f"NAME1: [{'x' * 110}]; NAME2: [y]"}
    folder = official_templates(row)

    assert "row 2, column Ambiguous_Context: " in (refusal := refusal_of(folder))
    assert " 2,000 characters" in refusal


def test_wrong_use_is_told(official_templates, tmp_path: Path, evenhand) -> None:
    """An unknown config, a negative seed, another stem, options that do not go together."""
    folder = official_templates({})
    assert "`Age`?" in refusal_of(folder, WrongUse, configs=("age",))
    assert "--seed is -1; " in refusal_of(folder, WrongUse, seed=-1)
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept/x").write_text("")
    assert "kept is not empty; " in refusal_of(folder, keep_templates=tmp_path / "kept")
    out = ("--out", tmp_path / "v")
    code, _, err = evenhand("import", "unqover", "--templates", folder, *out)
    assert code == 2
    assert re.search("--templates .* bbq.* unqover", err)
    code, _, err = evenhand("import", "bbq", "--from", folder, "--substring-faults", *out)
    assert code == 2
    assert re.search("--substring-faults .* --templates", err)
    code, _, err = evenhand("import", "bbq", *out)
    assert (code, "--from or --templates" in err) == (2, True)
    code, _, err = evenhand("import", "bbq", "--from", folder, "--templates", folder, *out)
    assert (code, "--from and --templates" in err) == (2, True)
    assert not (tmp_path / "v").exists()
