"""Lists and templates of a user: every fault is one sentence with file, line and field."""

import re
from pathlib import Path

import pytest

from evenhand.contract import DataRefused, WrongUse
from evenhand.generator.benchmark import Settings
from evenhand.generator.unqover.content import Library, subject_pairs
from evenhand.generator.unqover.generate import items, plan, prepare

HEAD = "key\tword\tsource\n"
SUBJECTS = HEAD + "x\tA\tours\ny\tB\tours\n"
ATTRIBUTE_HEAD = (
    "key\tkind\tcategory\tpositive\tpositive_plural\tnegative\tnegative_plural\tsource\treview\n"
)
ATTRIBUTES = ATTRIBUTE_HEAD + "x\tperson\tc\tlied\t\ttold\t\tours\t\n"


def refusal(folder: Path, *configs: str) -> str:
    """Return the sentence with which a folder is refused, relative to it."""
    with pytest.raises(DataRefused) as caught:
        list(prepare(Settings(configs=configs, options={"templates": folder})).configs())
    return str(caught.value).replace(f"{folder}/", "")


SUBJECT_FAULTS = {
    "": "subjects/readers.tsv is empty; its first line must name the columns.",
    HEAD: "subjects/readers.tsv has no entries below its header.",
    "key\tsource\nx\ty\n": (
        "subjects/readers.tsv:1: the column `word` is missing; the columns are key, word, source,"
        " separated by tabs."
    ),
    "key\tword\tsource\tcolour\nx\ty\tz\tred\n": (
        "subjects/readers.tsv:1: the column `colour` is unknown; the columns are key, word, source,"
        " group, demonym, in_sentence."
    ),
    "key\tword\tsource\tword\nx\ty\tz\tw\n": ("subjects/readers.tsv:1: a column is named twice."),
    HEAD + "# why\nx\ty\n": (
        "subjects/readers.tsv:3: has 2 fields, but the header has 3; fields are separated by"
        " single tabs."
    ),
    HEAD + "X y\tWord\tours\n": (
        "subjects/readers.tsv:2: field `key` is `X y`; lower-case letters, digits and _ are"
        " allowed."
    ),
    HEAD + "x\tA\tours\n\nx\tB\tours\n": (
        "subjects/readers.tsv:4: field `key` is `x`, which is already in line 2."
    ),
    HEAD + "x\tA\tours\ny\tA\tours\n": (
        "subjects/readers.tsv:3: field `word` is `A`, which is already in line 2."
    ),
    HEAD + "x\t\tours\n": "subjects/readers.tsv:2: field `word` is empty.",
    HEAD + "x\tA \tours\n": (
        "subjects/readers.tsv:2: field `word` is `A ` with a space at its end; remove it."
    ),
    HEAD + "x\tA\x07\tours\n": (
        "subjects/readers.tsv:2: field `word` holds a character that cannot be printed."
    ),
    HEAD + "x\tA\tours\n": (
        "subjects/readers.tsv: at least two subjects (of two groups) are needed."
    ),
}


@pytest.mark.parametrize("text", SUBJECT_FAULTS)
def test_a_faulty_list_of_subjects_is_refused(content, text: str) -> None:
    """Each fault of a list names file, line and field."""
    assert refusal(content(subjects_readers=text), "readers") == SUBJECT_FAULTS[text]


ATTRIBUTE_FAULTS = {
    ATTRIBUTE_HEAD + "x\tperson\tc\tlied\tlied\tlied\tlied\tours\t\n": (
        "attributes/readers.tsv:2: field `negative` is the same as `positive`; a negation was"
        " expected."
    ),
    ATTRIBUTE_HEAD + "x\tplace\tc\twas far\t\twas near\t\tours\t\n": (
        "readers/t00.jinja: attribute_kind is `person`, but the kinds in attributes/readers.tsv"
        " are place."
    ),
    ATTRIBUTE_HEAD
    + "x\tperson\tc\tlied\t\ttold the truth\t\tours\t\ny\tplace\tc\tb\t\tc\t\tours\t\n": (
        "attributes/readers.tsv: no template of readers has the attribute_kind `place`."
    ),
    ATTRIBUTE_HEAD + "x\tperson\tc\tlied\t\ttold the truth\t\tours\t\n": (
        "readers/t01.jinja: block `question`: `lied` has no plural form in its list."
    ),
}


@pytest.mark.parametrize("text", ATTRIBUTE_FAULTS)
def test_a_faulty_list_of_attributes_is_refused(content, text: str) -> None:
    """An attribute needs a negation, a kind that has templates, and the forms they ask for."""
    assert refusal(content(attributes_readers=text), "readers") == ATTRIBUTE_FAULTS[text]


def test_a_header_is_written_down(content) -> None:
    """A header is written down on the card and in the provenance."""
    prepared = prepare(
        Settings(configs=("readers",), options={"templates": content(), "header": "newsqa"})
    )

    assert any("`(NEWS) --`" in line for line in prepared.construction)
    assert prepared.provenance["header"] == "newsqa"


def template(context: str, statement: str = "{{ mask }} {{ attribute }}.") -> str:
    """Return a template with the given blocks."""
    return (
        '{% set attribute_kind = "person" %}'
        f"{{% block context %}}{context}{{% endblock %}}"
        "{% block question %}Who {{ attribute }}?{% endblock %}"
        f"{{% block statement %}}{statement}{{% endblock %}}"
    )


@pytest.mark.parametrize(
    ("text", "how_often", "paragraph"),
    [
        (
            "{{ x1 }} met {{ x2 }} in a Tabloid.",
            "stands 2 times",
            "Tabloid met Evening in a Tabloid.",
        ),
        ("{{ x1 | upper }} met {{ x2 }}.", "does not stand", "TABLOID met Evening."),
        ("Pre{{ x1 }} met {{ x2 }}.", "does not stand", "PreTabloid met Evening."),
    ],
)
def test_a_subject_must_stand_in_its_paragraph_once(
    content, text: str, how_often: str, paragraph: str
) -> None:
    """Whoever scores must find each subject, and only once."""
    sentence = refusal(content(readers_t00=template(text)), "readers")

    assert sentence.startswith("readers/t00.jinja: block `context`: ")
    assert f"`tabloid` (`Tabloid`) {how_often}" in sentence
    assert f"`{paragraph}`; " in sentence


def test_a_mask_must_stand_in_its_statement_once(content) -> None:
    """A literal [MASK] beside the slot is one too many."""
    text = template("{{ x1 }} met {{ x2 }}.", "[MASK] and {{ mask }} {{ attribute }}.")

    sentence = refusal(content(readers_t00=text), "readers_mlm")

    assert sentence.startswith("readers/t00.jinja: block `statement` must hold [MASK] once")
    assert sentence.endswith(" `[MASK] and [MASK] was rude.`.")


def test_a_subject_within_another_is_found(content) -> None:
    """The longer one is found first: "Evening" also stands in "Evening Post"."""
    subjects = HEAD + "short\tEvening\tours\nlong\tEvening Post\tours\n"
    ready = plan(
        Settings(configs=("readers",), options={"templates": content(subjects_readers=subjects)})
    )

    rows = [row for table in items(ready, "readers").batches() for row in table.to_pylist()]

    assert {(row["answer1"], row["answer2"]) for row in rows} == {("Evening", "Evening Post")}


def test_a_subject_that_gets_a_capital_is_answered_with_it(content) -> None:
    """`answer1` and `answer2` are the words as they stand in that paragraph."""
    subjects = HEAD + "old\telderly\tours\nyoung\tyoung\tours\n"
    text = template("{{ x1 | capitalise }} people met {{ x2 }} people.")
    folder = content(subjects_readers=subjects, readers_t00=text, readers_t01=None)
    ready = plan(Settings(configs=("readers",), options={"templates": folder}))

    rows = next(items(ready, "readers").batches()).to_pylist()

    assert [(row["order"], row["x1"], row["answer1"], row["answer2"]) for row in rows[:2]] == [
        (12, "elderly", "Elderly", "young"),
        (21, "elderly", "elderly", "Young"),
    ]


def test_what_a_user_does_not_bring_is_ours(content) -> None:
    """A folder may hold one list only; the templates are then those of Evenhand."""
    folder = content(
        readers_t00=None,
        readers_t01=None,
        subjects_readers=None,
        attributes_readers=None,
        **{"subjects/religions.tsv": HEAD + "a\tAgnostic\tours\nb\tBaptist\tours\n"},
    )

    ready = plan(Settings(options={"templates": folder}))

    assert list(ready.contents) == ["religion", "religion_mlm"]
    assert len(ready.contents["religion"].templates) == 14
    assert [subject.key for subject in ready.contents["religion"].subjects] == ["a", "b"]


@pytest.mark.parametrize("name", ["Readers", "readers_mlm", "1st"])
def test_a_class_must_have_a_plain_name(tmp_path: Path, name: str) -> None:
    """The name becomes a config, so it is lower case and does not end in _mlm."""
    (tmp_path / name).mkdir()
    (tmp_path / name / "t00.jinja").touch()

    with pytest.raises(DataRefused, match=rf"{name}: .* lower-case letters"):
        Library(tmp_path)


def test_a_template_must_have_a_plain_name(content) -> None:
    """The name becomes a part of ids."""
    sentence = refusal(content(**{"readers/T-1.jinja": "x"}), "readers")

    assert re.fullmatch(r"readers/T-1\.jinja: .* lower-case letters, .* _\.", sentence)


def test_a_folder_with_nothing_of_the_layout_is_refused(tmp_path: Path) -> None:
    """A folder that was named by mistake is not passed over in silence."""
    with pytest.raises(DataRefused, match="holds no <class>/"):
        Library(tmp_path)
    with pytest.raises(DataRefused, match="nothing is not a folder; --templates "):
        Library(tmp_path / "nothing")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("subjects/religion.tsv", r" religions\.tsv\?"),
        (
            "attributes/zzz.tsv",
            r" occupations, nationality, ethnicity, religion, readers\. .* zzz/\*\.jinja\.",
        ),
    ],
)
def test_a_list_that_nothing_would_read_is_refused(content, name: str, hint: str) -> None:
    """A slip in the name of a file, or a class without templates, is not passed over in silence."""
    folder = content(**{name: SUBJECTS})

    assert re.fullmatch(f"{name} .* no class; .*{hint}", refusal(folder))


def test_a_missing_list_is_named(content) -> None:
    """A class of one's own needs its lists."""
    assert refusal(content(subjects_readers=None), "readers").startswith(
        "subjects/readers.tsv does not exist; "
    )


def test_a_negation_that_reads_the_same_is_refused(content) -> None:
    """In a plural template the plural forms must differ too."""
    text = ATTRIBUTE_HEAD + "x\tperson\tc\tlied\tate\ttold\tate\tours\t\n"

    assert re.fullmatch(
        r"readers/t01\.jinja: .* `x` .* negation .* same text, `Who ate\?`\.",
        refusal(content(attributes_readers=text), "readers"),
    )


def test_a_list_that_is_no_list_is_refused(content) -> None:
    """A file of many megabytes was named by mistake and is not read."""
    folder = content()
    (folder / "subjects/readers.tsv").write_bytes(b"x" * (10 << 20) + b"x")

    assert refusal(folder, "readers").startswith(
        "subjects/readers.tsv has more than 10,485,760 bytes; "
    )


def test_a_byte_order_mark_changes_nothing(content) -> None:
    """Editors on Windows put one before the names of the columns, and before a template."""
    folder = content()
    plain = Library(folder).content("readers")

    for path in folder.rglob("*.*"):
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())

    content_read = Library(folder).content("readers")
    assert (content_read.subjects, content_read.attributes) == (plain.subjects, plain.attributes)
    assert [one.settings for one in content_read.templates] == [
        one.settings for one in plain.templates
    ]


def test_a_list_that_is_no_text_is_refused(content) -> None:
    """Lists are UTF-8."""
    folder = content()
    (folder / "subjects/readers.tsv").write_bytes(b"key\xff")

    assert refusal(folder, "readers").startswith("subjects/readers.tsv is not UTF-8 text; ")


def test_an_unknown_config_suggests_the_near_one() -> None:
    """A slip of the finger gets the right name."""
    with pytest.raises(WrongUse, match=r" religon\. .* religion\?"):
        plan(Settings(configs=("religon",)))


def test_subjects_without_groups_are_all_paired() -> None:
    """x1 stands before x2 in the list: n (n - 1) / 2 pairs."""
    pairs = subject_pairs([None] * 15)

    assert len(pairs) == 105
    assert all(i < j for i, j in pairs)


def test_subjects_with_groups_are_paired_across_groups() -> None:
    """x1 is of the group that comes first: 2 * 1 pairs."""
    assert subject_pairs(["female", "male", "female"]) == [(0, 1), (2, 1)]
