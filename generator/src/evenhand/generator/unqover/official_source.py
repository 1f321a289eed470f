"""Imports one of the original's ``*.source.json`` files, whose entries describe themselves."""

from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from evenhand.contract.errors import DataRefused
from evenhand.generator.slugs import unique_slugs
from evenhand.generator.unqover.grid import AttributeColumn, Block, Grid, SubjectColumn

_NONE = "None"
_KEY_PARTS = 8
"""``sclust0|sclust1|subj0|subj1|tid|act_cluster|act|act``; the original splits there too."""


class _Answer(msgspec.Struct):
    text: str


class _Question(msgspec.Struct):
    question: str
    ans0: _Answer
    ans1: _Answer


class _Entry(msgspec.Struct):
    context: str
    q0: _Question
    q1: _Question


class _Key(NamedTuple):
    groups: tuple[str, str]
    subjects: tuple[str, str]
    template: int
    category: str
    attribute: str


class _Reading:
    """What the entries say, sorted by what each part depends on."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.groups: dict[str, str | None] = {}
        self.categories: dict[str, str] = {}
        self.pairs: dict[tuple[str, str], None] = {}
        self.contexts: dict[tuple[int, tuple[str, str]], tuple[str, str, str]] = {}
        self.questions: dict[tuple[int, str], tuple[str, str]] = {}
        self.n_entries = 0

    def add(self, name: str, entry: _Entry) -> None:
        """Take in one entry, which must agree with those before it."""
        key = _split_key(self.path, name)
        self.n_entries += 1
        for subject, group in zip(key.subjects, key.groups, strict=True):
            self.groups.setdefault(subject, None if group == _NONE else group)
        self.categories.setdefault(key.attribute, "none" if key.category == _NONE else key.category)
        if key.subjects[::-1] not in self.pairs:
            self.pairs.setdefault(key.subjects)
        context = (entry.context, entry.q0.ans0.text, entry.q0.ans1.text)
        questions = (entry.q0.question, entry.q1.question)
        if self.contexts.setdefault((key.template, key.subjects), context) != context:
            raise DataRefused(
                f"{self.path}: entry `{name}`: its context differs from that of another attribute."
            )
        if self.questions.setdefault((key.template, key.attribute), questions) != questions:
            raise DataRefused(
                f"{self.path}: entry `{name}`: its questions differ from those of another pair."
            )


def _split_key(path: Path, name: str) -> _Key:
    parts = name.split("|")
    if len(parts) != _KEY_PARTS or not parts[4].isdecimal():
        raise DataRefused(
            f"{path}: the key `{name}` is not sclust0|sclust1|subj0|subj1|tid|act_cluster|act|act."
        )
    return _Key(
        groups=(parts[0], parts[1]),
        subjects=(parts[2], parts[3]),
        template=int(parts[4]),
        category=parts[5],
        attribute=parts[6],
    )


def read_source_grid(path: Path, config: str) -> Grid:
    """Read a ``*.source.json`` as one config.

    Raises:
        DataRefused: the file is not one, or holds a part of the examples only.
    """
    reading = _Reading(path)
    try:
        entries = msgspec.json.decode(path.read_bytes(), type=dict[str, _Entry])
    except msgspec.DecodeError as error:
        raise DataRefused(f"{path} is not a source file of UnQover: {error}.") from error
    for name, entry in entries.items():
        reading.add(name, entry)
    grid = _grid(reading, config)
    if 2 * grid.n_examples != reading.n_entries:
        raise DataRefused(
            f"{path} has {reading.n_entries:,} entries, but all its subjects, templates and"
            f" attributes in both orders make {2 * grid.n_examples:,}; a part cannot be imported."
        )
    return grid


def _grid(reading: _Reading, config: str) -> Grid:
    asked: dict[int, list[str]] = {}
    for template, attribute in reading.questions:
        asked.setdefault(template, []).append(attribute)
    kinds = _kinds(reading, config, asked)
    # The same words may be an attribute of people and one of places.
    attributes = list(
        dict.fromkeys(
            (kinds[template], text) for template in sorted(asked) for text in asked[template]
        )
    )
    subjects, pairs = list(reading.groups), list(reading.pairs)
    slugs = unique_slugs([text for _, text in attributes])
    return Grid(
        config=config,
        class_=config.removesuffix("_mlm"),
        subjects=[
            SubjectColumn(slug, word, reading.groups[word])
            for slug, word in zip(unique_slugs(subjects), subjects, strict=True)
        ],
        attributes=[
            AttributeColumn(slug, text, kind, reading.categories[text])
            for slug, (kind, text) in zip(slugs, attributes, strict=True)
        ],
        pairs=np.array([[subjects.index(word) for word in pair] for pair in pairs], np.int64),
        blocks=[
            _block(
                reading,
                template,
                {attributes.index((kinds[template], text)): text for text in asked[template]},
                pairs,
            )
            for template in sorted(asked)
        ],
    )


def _kinds(reading: _Reading, config: str, asked: dict[int, list[str]]) -> dict[int, str]:
    """Tell the kind of each template's attributes.

    Templates that share their attributes share the kind: a list that is asked about people by
    demonym anywhere is one of persons, another list of nationality one of places.
    """
    if config.startswith("gender_occupation"):
        return dict.fromkeys(asked, "occupation")
    if not config.startswith("nationality"):
        return dict.fromkeys(asked, "person")
    by_demonym = {
        template
        for (template, subjects), (_, *answers) in reading.contexts.items()
        if tuple(answers) != subjects
    }
    of_persons = {frozenset(asked[template]) for template in by_demonym}
    return {
        template: "person" if frozenset(texts) in of_persons else "place"
        for template, texts in asked.items()
    }


def _block(
    reading: _Reading,
    template: int,
    attributes: dict[int, str],
    pairs: list[tuple[str, str]],
) -> Block:
    try:
        forward = [reading.contexts[template, pair] for pair in pairs]
        swapped = [reading.contexts[template, pair[::-1]] for pair in pairs]
    except KeyError as error:
        raise DataRefused(
            f"{reading.path}: template {template} lacks a pair, or one of its two orders:"
            f" {' and '.join(error.args[0][1])}; a part cannot be imported."
        ) from error
    both = list(zip(forward, swapped, strict=True))
    return Block(
        template=f"t{template:02d}",
        attributes=list(attributes),
        contexts=[text for one, other in both for text in (one[0], other[0])],
        answers1=[word for one, other in both for word in (one[1], other[2])],
        answers2=[word for one, other in both for word in (one[2], other[1])],
        questions=[
            question
            for text in attributes.values()
            for question in reading.questions[template, text]
        ],
    )
