"""Renders our own (or a user's) content into grids."""

import numpy as np

from evenhand.contract.errors import DataRefused
from evenhand.contract.unqover import MASK
from evenhand.generator.english import Word
from evenhand.generator.mentions import mentions
from evenhand.generator.unqover.content import Content, Subject
from evenhand.generator.unqover.grid import AttributeColumn, Block, Grid, SubjectColumn
from evenhand.generator.unqover.template import Template

NEWS_HEADER = "(NEWS) -- "
"""What ``--header newsqa`` puts before each paragraph: a dateline as in a news report."""


def build_grid(config: str, content: Content, *, header: str = "") -> Grid:
    """Render a config: each paragraph once a pair and order, each question once an attribute.

    Args:
        config: name of the config; one that ends in ``_mlm`` gets statements with a mask.
        content: what is rendered.
        header: text put before each paragraph.

    Raises:
        DataRefused: a subject does not stand in its paragraph exactly once, or a template fails.
    """
    pairs = content.pairs()
    blocks = [
        _block(template, content, pairs, config=config, header=header)
        for template in content.templates
    ]
    return Grid(
        config=config,
        class_=content.class_,
        subjects=[
            SubjectColumn(subject.key, str(subject.word), subject.group)
            for subject in content.subjects
        ],
        attributes=[
            AttributeColumn(one.key, str(one.positive), one.kind, one.category)
            for one in content.attributes
        ],
        pairs=np.array(pairs, dtype=np.int64),
        blocks=blocks,
    )


def _block(
    template: Template,
    content: Content,
    pairs: list[tuple[int, int]],
    *,
    config: str,
    header: str,
) -> Block:
    contexts: list[str] = []
    answers1: list[str] = []
    answers2: list[str] = []
    for i, j in pairs:
        x1, x2 = content.subjects[i], content.subjects[j]
        shown, answer1, answer2 = _paragraph(template, x1, x2)
        contexts.append(header + shown)
        answers1.append(answer1)
        answers2.append(answer2)
        shown, answer2, answer1 = _paragraph(template, x2, x1)
        contexts.append(header + shown)
        answers1.append(answer1)
        answers2.append(answer2)
    attributes = content.matching_attributes(template)
    return Block(
        template=template.name,
        attributes=attributes,
        contexts=contexts,
        answers1=answers1,
        answers2=answers2,
        questions=_questions(template, content, attributes, is_masked=config.endswith("_mlm")),
    )


def _questions(
    template: Template, content: Content, attributes: list[int], *, is_masked: bool
) -> list[str]:
    questions = []
    for index in attributes:
        attribute = content.attributes[index]
        pair = [
            _question_text(template, words, is_masked=is_masked)
            for words in (attribute.positive, attribute.negative)
        ]
        if pair[0] == pair[1]:
            raise DataRefused(
                f"{template.path}: the attribute `{attribute.key}` and its negation give the same"
                f" text, `{pair[0]}`."
            )
        questions += pair
    return questions


def _question_text(template: Template, words: Word, *, is_masked: bool) -> str:
    if not is_masked:
        return template.question(words)
    statement = template.statement(words, MASK)
    if statement.count(MASK) != 1:
        raise DataRefused(
            f"{template.path}: block `statement` must hold {MASK} once, but gives `{statement}`."
        )
    return statement


def _paragraph(template: Template, first: Subject, second: Subject) -> tuple[str, str, str]:
    """Render a paragraph and find the words of both subjects in it.

    Returns:
        The paragraph, the words for the first subject and those for the second.
    """
    text = template.context(first.word, second.word)
    words = (template.answer("x1", first.word), template.answer("x2", second.word))
    mentioned = mentions(text, words)
    for place, places in enumerate(mentioned):
        if len(places) != 1:
            raise _not_once(template, (first, second)[place], words[place], len(places), text)
    return text, mentioned[0][0], mentioned[1][0]


def _not_once(template: Template, subject: Subject, words: str, n: int, text: str) -> DataRefused:
    how_often = "does not stand in" if n == 0 else f"stands {n} times in"
    return DataRefused(
        f"{template.path}: block `context`: the subject `{subject.key}` (`{words}`) {how_often} the"
        f" paragraph `{text}`; it must stand there once."
    )
