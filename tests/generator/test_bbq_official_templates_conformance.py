"""The official templates of Age, Religion and Race_x_gender, beside the released rows."""

import itertools
import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evenhand.generator.bbq.official_draws import SLOT_WORDS
from evenhand.generator.bbq.official_jinja import Pair, Person
from evenhand.generator.bbq.official_questions import Rendered, render_templates
from evenhand.generator.bbq.official_templates import (
    OfficialTemplate,
    TemplateFile,
    read_templates,
    template_files,
    template_folder,
)
from evenhand.generator.bbq.official_vocabulary import read_vocabulary
from evenhand.generator.bbq.rows import Row, read_row
from evenhand.generator.bbq.targets import find_targets

CONFORMANCE = os.environ.get("EVENHAND_CONFORMANCE")

pytestmark = [
    pytest.mark.conformance,
    pytest.mark.skipif(CONFORMANCE is None, reason="EVENHAND_CONFORMANCE is not set"),
]
RELEASE = Path(CONFORMANCE or "") / "bbq"
DRAWN = {
    "Age": ["3", "17", "19", "20", "21", "24", "25"],
    "Religion": [str(number) for number in range(1, 26)],
}
"""Questions for which the original draws words or persons: those with Lexical_diversity, and all
of Religion."""


def templates_of(category: str) -> TemplateFile:
    """Read the official templates of a category."""
    return read_templates(category, template_files(template_folder(RELEASE))[category])


def rendered_as(category: str, **options: Any) -> Rendered:
    """Render the official templates of a category."""
    settings = {"seed": 0, "substring_faults": False, **options}
    vocabulary = read_vocabulary(template_folder(RELEASE))
    return render_templates(templates_of(category), vocabulary, **settings)


def released(category: str) -> Iterator[Row]:
    """Yield the released rows."""
    path = RELEASE / "data" / f"{category}.jsonl"
    for line in path.read_text(encoding="utf-8").splitlines():
        yield read_row(json.loads(line), path.name, category=None)


def content(row: Row) -> tuple[Any, ...]:
    """Return all of a row but what is drawn for any group of four: order and wording of UNKNOWN."""
    infos = zip(row.answers, row.answer_text, row.answer_group, strict=True)
    persons = frozenset(info for i, info in enumerate(infos) if i != row.unknown)
    right = row.answers[row.label] if row.label != row.unknown else "UNKNOWN"
    return (
        *(row.category, row.question_index, row.question_polarity, row.context_condition),
        *(row.context, row.question, persons, right),
        *(row.subcategory, row.stereotyped_groups, row.version, row.source),
    )


@pytest.mark.parametrize("switch", [False, True])
def test_questions_without_draws_give_the_released_rows(switch) -> None:
    """18 questions of Age: the same rows, each as often, whoever tells whom an answer names."""
    ours = rendered_as("Age", substring_faults=switch)

    assert ours.random_parts == {SLOT_WORDS: dict.fromkeys(DRAWN["Age"])}
    wanted = Counter(
        content(row) for row in released("Age") if row.question_index not in DRAWN["Age"]
    )
    counts = Counter(content(row) for row in ours.rows if row.question_index not in DRAWN["Age"])
    assert counts == wanted
    assert wanted.total() == 2328


@pytest.mark.parametrize(("category", "expected"), [("Age", 3680), ("Religion", 1200)])
def test_every_question_has_as_many_rows_as_in_the_release(category, expected) -> None:
    """The counts of the paper, question by question and version by version."""
    ours = rendered_as(category, seed=7)

    assert len(ours.rows) == expected
    count = Counter((row.question_index, row.version) for row in ours.rows)
    assert count == Counter((row.question_index, row.version) for row in released(category))


def texts_that_a_draw_can_give(template: OfficialTemplate, row: Row) -> Iterator[tuple[Any, ...]]:
    """Yield context, question and right answer for all words, the persons those of a row."""
    persons = [
        Person(row.answer_text[i], row.answer_group[i]) for i in range(3) if i != row.unknown
    ]
    for pair in itertools.permutations(persons):
        for words in itertools.product(*(words or ("",) for words in template.words)):
            texts = template.render(Pair(*pair, words))
            told = f"{texts.ambiguous.strip()} {texts.disambiguating}".strip()
            context = told if row.context_condition == "disambig" else texts.ambiguous.strip()
            is_neg = row.question_polarity == "neg"
            question = texts.negative_question if is_neg else texts.nonnegative_question
            right = texts.negative_answer if is_neg else texts.nonnegative_answer
            answers = {texts.negative_answer, texts.nonnegative_answer}
            yield context, question.strip(), right, answers, texts.source


@pytest.mark.parametrize("category", ["Age", "Religion"])
def test_every_released_row_is_one_that_a_draw_can_give(category) -> None:
    """With the row's own persons and some words, a template gives its texts to the letter."""
    by_question = {(one.question, one.version): one for one in templates_of(category).templates}

    for row in released(category):
        right = row.answers[row.label] if row.context_condition == "disambig" else None
        answers = {answer for i, answer in enumerate(row.answers) if i != row.unknown}
        template = by_question[row.question_index, row.version]
        assert any(
            (context, question, named, source) == (row.context, row.question, answers, row.source)
            and right in {told, None}
            for context, question, told, named, source in texts_that_a_draw_can_give(template, row)
        ), row


def test_religions_are_drawn_as_in_the_release() -> None:
    """Both orders of a stereotyped religion and five that are not; `Orthodox` is left out."""
    for rows in (rendered_as("Religion", seed=3).rows, list(released("Religion"))):
        pairs = Counter()
        for row in rows[::4]:
            groups = {group for i, group in enumerate(row.answer_group) if i != row.unknown}
            assert len(groups & set(row.stereotyped_groups)) == 1
            assert "Orthodox" not in groups
            pairs[row.question_index, frozenset(groups)] += 1
        assert set(pairs.values()) == {2}
        assert len(pairs) == 150


def test_the_targets_are_those_of_the_released_rows() -> None:
    """In the questions without draws each content has one target, the same in both."""
    ours = rendered_as("Age").rows
    by_content = [
        {
            content(row): row.answers[target]
            for row, target in zip(rows, find_targets("Age", rows).target, strict=True)
            if row.question_index not in DRAWN["Age"] and target is not None
        }
        for rows in (ours, list(released("Age")))
    ]
    assert by_content[0] == by_content[1]
    assert len(by_content[0]) == 2328


def test_race_and_gender_has_as_many_rows_as_mirrors_say() -> None:
    """15,960, the count on the card of the mirror walledai/BBQ; its rows were not at hand.

    19 questions with names give 5 x 5 x 3 x 2 x 4 = 600 rows each, 15 with two races 240, 8 with
    one 120. All have a target.
    """
    ours = rendered_as("Race_x_gender")

    assert len(ours.rows) == 19 * 600 + 15 * 240 + 8 * 120 == 15_960
    assert set(find_targets("Race_x_gender", ours.rows).why_no_target) == {None}
    assert ours.n_faulty > 0
