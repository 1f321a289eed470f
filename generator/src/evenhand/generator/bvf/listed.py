"""Rules of a language as a folder of lists, for who brings no code: ``mine bvf --rules FOLDER``.

They find clauses that a listed verb reports, or predicates of occupations that a listed verb makes:

L1. A verb counts in the forms of the list for the topic's form (``reference.tsv`` or
    ``adjective.tsv``), which gives each form the context it stands for.
L2. It has a subject: a token that depends on it in one of the ways named as ``subject``. With a
    word of negation that depends on it, it gives nothing.
L3. *Reference*: the subject is one person: an occupation, a word of ``people.tsv`` or a word of Y.
L4. A clause depends on the verb in one of the ways named as ``clause``; the clause's subject is a
    word of Y, stands behind verb and subject, and no quotation mark, colon, semicolon or dash
    stands in between. Whether a conjunction leads the clause in makes no difference.
L5. A subject that tells its class (a word of Y, or a word of ``people.tsv`` with a class) agrees
    with the word. Where a component says what refers to what, it decides in place of L3 and L5.
L6. *Adjective*: the subject is an occupation.

Words are compared in lower case, one token each, in the forms that stand in the lists.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evenhand.contract.bvf import SUBJECT_SLOT, WORD_SLOT
from evenhand.contract.errors import DataRefused, WrongUse
from evenhand.generator.bvf.topics import OUR_FOLDER, NamedTopic, read_words
from evenhand.generator.bvf.tree import QUOTES, Tree
from evenhand.generator.lists import Entry, read_list
from evenhand.generator.parse import Parse

VERSION = "listed-1"
"""Grows with every change of L1 to L6 that can change a context."""

_NEEDED = ("language", "version", "subject", "clause")
_OPTIONAL = ("negation", "abbreviations")
_CODE = re.compile(r"[a-z]{2,3}")
_TOKEN = re.compile(r"[^\W\d_]+")
_BREAKS = QUOTES | frozenset(":;-–—„‚‘")  # noqa: RUF001 - quotation marks and dashes of print


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What ``language.tsv`` says."""

    language: str
    """Code of two or three letters, as the spaCy model has it."""
    version: str
    subject: tuple[str, ...]
    """Dependencies of a subject, e.g. ``nsubj``; German models say ``sb``."""
    clause: tuple[str, ...]
    """Dependencies of a reported clause, e.g. ``ccomp``; German models say ``oc``."""
    negation: frozenset[str]
    abbreviations: frozenset[str]
    """In lower case, without the full stop behind them, which ends no sentence."""


def read_settings(folder: Path) -> Settings:
    """Read ``language.tsv`` of a folder of rules: one ``key`` and ``value`` a line.

    Raises:
        DataRefused: the file or a key is missing, a key is unknown, or the language is no code.
    """
    path = folder / "language.tsv"
    entries = read_list(path, required=("key", "value"), optional=("source",))
    for entry in entries:
        if entry.values["key"] not in (*_NEEDED, *_OPTIONAL):
            allowed = ", ".join((*_NEEDED, *_OPTIONAL))
            raise entry.refusal("key", f"is `{entry.values['key']}`; the keys are {allowed}")
    values = {entry.values["key"]: entry.values["value"] for entry in entries}
    for key in _NEEDED:
        if key not in values:
            raise DataRefused(f"{path} lacks the key `{key}`; the keys are {', '.join(_NEEDED)}.")
    if not _CODE.fullmatch(values["language"]):
        raise DataRefused(
            f"{path}: the language is `{values['language']}`; a code like de was expected."
        )
    return Settings(
        language=values["language"],
        version=values["version"],
        subject=tuple(values["subject"].split()),
        clause=tuple(values["clause"].split()),
        negation=frozenset(values.get("negation", "").lower().split()),
        abbreviations=frozenset(
            word.strip(".") for word in values.get("abbreviations", "").lower().split()
        ),
    )


class ListedRules:
    """What is mined for a topic with the lists of a folder.

    Args:
        folder: with ``language.tsv`` (see :func:`read_settings`); ``reference.tsv`` or
            ``adjective.tsv`` with the columns ``verb`` and ``context``; and, if wanted,
            ``people.tsv`` with the columns ``word`` and ``class``.
        topic: the words of Y, in the language.
        occupations: a file with X; null for ``occupations.tsv`` of the folder.

    Raises:
        DataRefused: a list is missing or faulty; the sentence names file, line and field.
        WrongUse: the topic is one of Evenhand's, whose words are English.
    """

    def __init__(self, folder: Path, topic: NamedTopic, occupations: Path | None = None) -> None:
        self.settings = settings = read_settings(folder)
        _check_topic(topic, settings.language)
        self.version = f"{settings.language}-{settings.version}+{VERSION}"
        self.abbreviations = settings.abbreviations
        verbs, people = folder / f"{topic.form}.tsv", folder / "people.tsv"
        names = occupations or folder / "occupations.tsv"
        self._contexts = _read_contexts(verbs)
        self._class_of = topic.class_by_word()
        self._occupations = {word.lower() for word in read_words(names)}
        self._person_class = _read_people(people, topic) if people.is_file() else {}
        self._is_reference = topic.form == "reference"
        lists = [folder / "language.tsv", verbs, people, names, topic.path]
        self.lists = [path for path in lists if path.is_file()]

    def is_candidate(self, sentence: str) -> bool:
        """Say whether a sentence holds a listed verb, and a word of Y or an occupation."""
        words = {word.lower() for word in _TOKEN.findall(sentence)}
        others = self._class_of.keys() if self._is_reference else self._occupations
        return not (words.isdisjoint(self._contexts) or words.isdisjoint(others))

    def contexts(self, parse: Parse) -> Iterator[str]:
        """Yield the contexts of a parsed sentence in the order of their verbs."""
        tree = Tree(parse)
        finds = self._is_reported if self._is_reference else self._is_occupation
        for verb in range(len(tree)):
            context = self._contexts.get(tree.words[verb])
            if context is None or self._is_negated(tree, verb):
                continue
            subject = tree.child(verb, *self.settings.subject)
            if subject is not None and finds(tree, verb, subject):
                yield context

    def _is_negated(self, tree: Tree, verb: int) -> bool:
        return any(tree.words[i] in self.settings.negation for i in tree.children(verb))

    def _is_occupation(self, tree: Tree, _: int, subject: int) -> bool:
        return tree.words[subject] in self._occupations

    def _is_reported(self, tree: Tree, verb: int, subject: int) -> bool:
        """Say whether a clause of the verb has a word of Y that may mean the subject (L4)."""
        start = max(verb, subject)
        for clause in tree.children(verb, *self.settings.clause):
            word = tree.child(clause, *self.settings.subject)
            if word is None or word <= start or tree.words[word] not in self._class_of:
                continue
            is_broken = any(tree.texts[i] in _BREAKS for i in range(start + 1, word))
            if not is_broken and self._may_mean(tree, subject, word):
                return True
        return False

    def _may_mean(self, tree: Tree, subject: int, word: int) -> bool:
        """Say whether the word may mean the subject (L3, L5)."""
        if tree.clusters is not None:
            return any(subject in cluster and word in cluster for cluster in tree.clusters)
        name = tree.words[subject]
        told = self._class_of.get(name) or self._person_class.get(name)
        if told:
            return told == self._class_of[tree.words[word]]
        return name in self._occupations or name in self._person_class


def _check_topic(topic: NamedTopic, language: str) -> None:
    if OUR_FOLDER in topic.path.parents:
        raise WrongUse(
            f"The words of the topic {topic.name} are English, and the rules are those of"
            f" `{language}`; name a file with the columns class and word: --topic FILE."
        )


def _read_contexts(path: Path) -> dict[str, str]:
    """Return form of a verb, in lower case -> context."""
    contexts: dict[str, str] = {}
    for entry in read_list(path, required=("verb", "context"), optional=("source",)):
        verb, context = entry.values["verb"].lower(), entry.values["context"]
        if verb in contexts:
            raise entry.refusal("verb", f"is `{verb}`, which is already in an earlier line")
        if not context.count(SUBJECT_SLOT) == context.count(WORD_SLOT) == 1:
            raise entry.refusal(
                "context", f"is `{context}`; it must hold {SUBJECT_SLOT} and {WORD_SLOT} once each"
            )
        contexts[verb] = context
    return contexts


def _read_people(path: Path, topic: NamedTopic) -> dict[str, str]:
    """Return word for a person, in lower case -> class, empty where it tells none."""
    entries = read_list(path, required=("word",), optional=("class", "source"))
    return {entry.values["word"].lower(): _class(entry, topic) for entry in entries}


def _class(entry: Entry, topic: NamedTopic) -> str:
    name = entry.values.get("class", "")
    # The classes of another topic say nothing about this one.
    return name if name in topic.topic.classes else ""
