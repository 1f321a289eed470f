"""The rules of mining put together for one topic: which sentences to parse, what they give."""

import re
from collections.abc import Iterator
from pathlib import Path

from evenhand.generator.bvf.adjective import Descriptions
from evenhand.generator.bvf.reference import PRONOUNS, UNREAD, References
from evenhand.generator.bvf.skeleton import Skeletons
from evenhand.generator.bvf.subject_rules import NO_NAMES, Subjects, plural
from evenhand.generator.bvf.topics import (
    OUR_FOLDER,
    NamedTopic,
    cue_files,
    read_cues,
    read_words,
)
from evenhand.generator.bvf.tree import Tree
from evenhand.generator.corpora.sentences import ABBREVIATIONS
from evenhand.generator.parse import Parse

RULES_VERSION = "en-2"
"""Grows with every change of a rule that can change a context."""

_TOKEN = re.compile(r"[^\W\d_]+|,")
_LINKING = frozenset(
    {"am", "is", "s", "are", "was", "were", "be", "been", "being", "m", "re", "as"}
    | {"become", "becomes", "became", "becoming", "remain", "remains", "remained", "remaining"}
    | {"stay", "stays", "stayed", "staying"}
)


class Rules:
    """What is mined for a topic.

    Args:
        topic: the words of Y.
        occupations: a file with X; null for the paper's.
        has_coreference: a component says what refers to what, so the rules about subjects do not
            decide which sentences are parsed.
    """

    version = RULES_VERSION
    abbreviations = ABBREVIATIONS

    def __init__(
        self, topic: NamedTopic, occupations: Path | None = None, *, has_coreference: bool = False
    ) -> None:
        names = frozenset(word.lower() for word in read_words(occupations or "occupations"))
        cues = read_cues(topic)
        self.lists = [
            occupations or OUR_FOLDER / "occupations.tsv",
            *(OUR_FOLDER / name for name in ("people.tsv", "irregular_verbs.tsv")),
            *cue_files(topic),
        ]
        self._class_of = topic.class_by_word()
        self._people = names | frozenset(read_words("people"))
        self._has_coreference = has_coreference
        self._evidence = {**cues, **self._class_of}
        self._occupation_forms = names | {plural(word) for word in names}
        self._is_reference = topic.form == "reference"
        subjects = Subjects(self._class_of, cues, self._people)
        if self._is_reference:
            skeletons = Skeletons(frozenset(self._evidence))
            self._finder: References | Descriptions = References(
                self._class_of, subjects, skeletons
            )
        else:
            parts = {part for word in self._class_of for part in word.split()}
            self._finder = Descriptions(frozenset(parts), names, subjects, Skeletons(frozenset()))

    def is_candidate(self, sentence: str) -> bool:
        """Say whether a sentence can hold a context, by its words alone.

        What is left out here would give none after parsing either, so the filter saves time and
        changes nothing.
        """
        tokens = _TOKEN.findall(sentence)
        if self._is_reference:
            return self._may_refer(tokens)
        return not self._occupation_forms.isdisjoint(token.lower() for token in tokens)

    def contexts(self, parse: Parse) -> Iterator[str]:
        """Yield the contexts of a parsed sentence."""
        return self._finder.contexts(Tree(parse))

    def _may_refer(self, tokens: list[str]) -> bool:
        """Say whether a word of Y stands behind something that can be its subject."""
        subjects: set[str | None] = set()
        is_linked = False
        for i, token in enumerate(tokens):
            word = token.lower()
            class_ = self._class_of.get(word)
            if class_ is not None and i and word not in UNREAD:
                if self._has_coreference:
                    return True
                if (None in subjects or class_ in subjects) and (
                    word in PRONOUNS or is_linked or "," in tokens[max(0, i - 3) : i]
                ):
                    return True
                if word not in PRONOUNS and self._is_subject(tokens[i + 1 : i + 2]):
                    return True
            is_linked = is_linked or word in _LINKING
            if (told := self._evidence.get(word)) is not None:
                subjects.add(told)
            elif self._is_subject([token]):
                subjects.add(None)
        return False

    def _is_subject(self, tokens: list[str]) -> bool:
        """Say whether a token may be a subject that tells no class."""
        return any(
            token.lower() in self._people or (token[0].isupper() and token.lower() not in NO_NAMES)
            for token in tokens
        )
