"""Which answer agrees with the stereotype: every spelling of a group that the release uses."""

import msgspec
import pytest

from evenhand.generator.bbq.groups import canonical, find_group_name
from evenhand.generator.bbq.rows import Row
from evenhand.generator.bbq.targets import BOTH, NEITHER, NO_GROUPS, Targets, find_targets

UNKNOWN = ("Not known", "unknown")


def row(
    category: str,
    first: tuple[str, str],
    second: tuple[str, str],
    groups: list[str],
    *,
    answers: tuple[str, str] | None = None,
    question: str = "1",
    polarity: str = "neg",
) -> Row:
    """Return a row whose persons are answers 0 and 2; each is (text, info)."""
    shown = answers or (f"The {first[0]}", f"The {second[0]}")
    fields = {
        "category": category,
        "example_id": 0,
        "question_index": question,
        "question_polarity": polarity,
        "context_condition": "ambig",
        "context": "Two neighbours met.",
        "question": "Who sang?",
        "answers": (shown[0], UNKNOWN[0], shown[1]),
        "answer_text": (first[0], UNKNOWN[0], second[0]),
        "answer_group": (first[1], UNKNOWN[1], second[1]),
        "label": 1,
        "unknown": 1,
        "subcategory": "None",
        "stereotyped_groups": groups,
        "version": "a",
        "source": "",
    }
    return msgspec.convert(fields, Row)


def target(category: str, *rows: Row) -> int | None:
    """Return the target of the first of some rows of a category."""
    return find_targets(category, list(rows)).target[0]


def test_the_target_flips_for_the_non_negative_question() -> None:
    """The stereotyped person for neg, the other person for nonneg."""
    neg, nonneg = (
        row("Age", ("retiree", "old"), ("teen", "nonOld"), ["old"], polarity=polarity)
        for polarity in ("neg", "nonneg")
    )

    assert find_targets("Age", [neg, nonneg]).target == [0, 2]


@pytest.mark.parametrize(
    ("category", "first", "second", "groups"),
    [
        ("Age", ("retiree", "old"), ("teen", "nonOld"), ["old"]),
        ("Age", ("teen", "nonOld"), ("retiree", "old"), ["nonOld"]),
        ("Gender_identity", ("girl", "girl"), ("boy", "boy"), ["F"]),
        ("Gender_identity", ("woman", "woman"), ("man", "man"), ["F"]),
        ("Gender_identity", ("man", "man"), ("woman", "woman"), ["male"]),
        ("Gender_identity", ("Ann", "F"), ("Tom", "M"), ["women"]),
        ("Gender_identity", ("trans man", "trans_M"), ("man", "nonTrans_M"), ["transgender men"]),
        (
            "Gender_identity",
            ("trans woman", "trans_F"),
            ("woman", "nonTrans_F"),
            ["transgender women", "transgender men"],
        ),
        ("Race_ethnicity", ("African", "African"), ("White", "White"), ["African"]),
        (
            "Race_ethnicity",
            ("African American", "African American"),
            ("African", "African"),
            ["African American", "Black"],
        ),
        ("Race_ethnicity", ("Ana Rojas", "F-Latino"), ("Eve Weber", "F-White"), ["Latino"]),
        ("Race_ethnicity", ("Hispanic", "HIspanic"), ("White", "White"), ["Hispanic"]),
        ("SES", ("cashier", "lowSES"), ("judge", "highSES"), ["low SES"]),
        ("Nationality", ("Malian", "Africa"), ("Somali", "ArabStates"), ["Malian", "Guinean"]),
        ("Nationality", ("{Malian", "Africa"), ("Guinean", "Africa"), ["Malian"]),
        ("Disability_status", ("deaf", "disabled"), ("tall", "nonDisabled"), ["D/deaf"]),
        ("Physical_appearance", ("big", "obese"), ("slim", "nonObese"), ["obese"]),
        ("Sexual_orientation", ("gay", "gay"), ("straight", "straight"), ["gay"]),
        ("Religion", ("Sikh", "Sikh"), ("Hindu", "Hindu"), ["Sikh"]),
    ],
)
def test_the_stereotyped_person_is_found(category, first, second, groups) -> None:
    """In each spelling, whole and not by a part of another name, in either place."""
    assert target(category, row(category, first, second, groups)) == 0
    assert target(category, row(category, second, first, groups)) == 2


@pytest.mark.parametrize(
    ("category", "first", "second", "groups", "why"),
    [
        ("Gender_identity", ("woman", "woman"), ("girl", "girl"), ["F"], BOTH),
        ("Gender_identity", ("man", "man"), ("boy", "boy"), ["F"], NEITHER),
        ("Gender_identity", ("trans woman", "trans_F"), ("man", "M"), ["F"], NEITHER),
        (
            "Race_ethnicity",
            ("African", "African"),
            ("White", "White"),
            ["African American"],
            NEITHER,
        ),
        ("Nationality", ("Malian", "Africa"), ("Somali", "ArabStates"), ["Africa"], NEITHER),
        ("Religion", ("Sikh", "Sikh"), ("Hindu", "Hindu"), [], NO_GROUPS),
    ],
)
def test_a_row_without_target_says_why(category, first, second, groups, why) -> None:
    """Null and a reason, never a guess."""
    targets = find_targets(category, [row(category, first, second, groups)])

    assert (targets.target, targets.why_no_target) == ([None], [why])


def test_an_empty_info_is_recovered_from_the_answer() -> None:
    """From the same answer in another row, else from a group's name in the answer's words."""
    known = row("Age", ("retiree", "old"), ("teen", "nonOld"), ["old"])
    same_answer = row("Age", ("retiree", ""), ("teen", "nonOld"), ["old"])
    named = row(
        "Race_ethnicity",
        ("", ""),
        ("White", "White"),
        ["Latino"],
        answers=("The Latina lawyer", "The White one"),
    )

    assert target("Age", same_answer, known) == 0
    assert target("Race_ethnicity", named) == 0


def intersectional(first: str, second: str, groups: list[str], question: str = "7") -> Row:
    """Return a row of Race_x_gender from ``M-Black`` and the like, and its words."""
    nouns = {"M": "man", "F": "woman"}
    texts = [f"{info[2:]} {nouns[info[0]]}" for info in (first, second)]
    return row("Race_x_gender", (texts[0], first), (texts[1], second), groups, question=question)


BLACK_WOMEN = [
    intersectional("F-Black", "M-White", ["Black", "African American"]),
    intersectional("F-White", "F-Black", ["Black", "African American"]),
    intersectional("M-Black", "F-Black", ["Black", "African American"]),
]
"""The three comparisons of a question: both differ, race differs, gender differs."""


def test_the_second_dimension_follows_from_the_questions_own_rows() -> None:
    """A Black woman is in all three rows and a Black man in one, so it is about women."""
    targets = find_targets("Race_x_gender", BLACK_WOMEN)

    assert targets.second_dimension == {"7": "F"}
    assert targets.target == [0, 2, 2]
    assert set(targets.why_no_target) == {None}


def test_rows_that_differ_in_gender_alone_do_not_tell_the_second_dimension() -> None:
    """Without the other rows of the question the target is null, with that reason."""
    targets = find_targets("Race_x_gender", BLACK_WOMEN[2:])

    assert targets.target == [None]
    assert targets.why_no_target == ["the question's rows do not tell which gender is stereotyped"]


def test_questions_do_not_lend_each_other_their_second_dimension() -> None:
    """Another question about the same race may be about men."""
    about_men = [
        intersectional("M-Black", "F-White", ["Black"], "8"),
        intersectional("F-Black", "M-Black", ["Black"], "8"),
    ]

    targets = find_targets("Race_x_gender", [*BLACK_WOMEN, *about_men])

    assert targets.second_dimension == {"7": "F", "8": "M"}
    assert targets.target == [0, 2, 2, 0, 2]


def test_race_and_income_are_taken_from_the_info() -> None:
    """`lowSES-F-Black` is a Black person of low income; the gender of a name does not matter."""
    groups = ["Black", "African American"]
    rows = [
        row(
            "Race_x_SES",
            ("Tanisha Ware", "lowSES-F-Black"),
            ("Ida Weber", "lowSES-F-White"),
            groups,
        ),
        row(
            "Race_x_SES",
            ("x", "highSES-African American"),
            ("y", "lowSES-African American"),
            groups,
        ),
        row("Race_x_SES", ("x", "highSES-White"), ("y", "lowSES-White"), groups),
    ]

    targets = find_targets("Race_x_SES", rows)

    assert targets.second_dimension == {"1": "lowses"}
    assert targets.target == [0, 2, None]
    assert targets.why_no_target[2] == NEITHER


def test_a_person_of_the_intersectional_sets_is_recovered_from_the_words() -> None:
    """A Latina without any info is Latino and a woman."""
    groups = ["Hispanic", "Latino"]
    bare = row("Race_x_gender", ("", ""), ("White woman", "F-White"), groups,
               answers=("The Latina", "The White woman"), question="7")  # fmt: skip
    spoken = row("Race_x_gender", ("", ""), ("White woman", "F-White"), groups,
                 answers=("The Latina woman", "The White woman"), question="7")  # fmt: skip
    others = [intersectional("F-Latino", "M-White", groups)]

    assert target("Race_x_gender", spoken, *others) == 0
    assert find_targets("Race_x_gender", [bare, *others]).why_no_target[0] == NEITHER


def label_types(category: str, rows: list[Row]) -> list[str]:
    """Return the label types of rows."""
    targets: Targets = find_targets(category, rows)
    return targets.label_type


def test_questions_above_25_use_proper_names_in_two_categories() -> None:
    """Question 26 of Race_ethnicity and Gender_identity; elsewhere all are labels."""
    for category, expected in (
        ("Race_ethnicity", ["label", "name"]),
        ("Gender_identity", ["label", "name"]),
        ("SES", ["label", "label"]),
    ):
        pair = [row(category, ("x", "F"), ("y", "M"), ["F"], question=q) for q in ("25", "26")]
        assert label_types(category, pair) == expected


def test_intersectional_rows_with_proper_names_are_told_by_their_answers() -> None:
    """An answer that names a race is a label."""
    named = row("Race_x_gender", ("Mia Soto", "F-Latino"), ("Al Ryan", "M-White"), ["Latino"],
                answers=("Mia Soto", "Al Ryan"))  # fmt: skip

    assert label_types("Race_x_gender", [*BLACK_WOMEN, named]) == ["label"] * 3 + ["name"]


def test_names_are_compared_whole() -> None:
    """`old` is not in `nonOld`, `Asian` not in `Caucasian`, `man` not in `woman`."""
    assert canonical("nonOld") != canonical("old")
    assert find_group_name("The Caucasian woman", frozenset({"asian", "M"})) is None
