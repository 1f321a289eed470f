"""The rules of a language: English here, others as lists or from packages that bring them.

A package names a function in the entry point group ``evenhand.bvf_rules`` under a language code,
e.g. ``de``. It is called with the topic, the file of occupations (or null) and whether a component
says what refers to what, and returns a :class:`MiningRules`. It may be a
:class:`evenhand.generator.bvf.listed.ListedRules` over lists that the package holds.
"""

from collections.abc import Callable, Iterable
from importlib.metadata import entry_points
from pathlib import Path
from typing import Protocol

from evenhand.contract.errors import WrongUse
from evenhand.generator.bvf.listed import ListedRules
from evenhand.generator.bvf.rules import Rules
from evenhand.generator.bvf.topics import NamedTopic
from evenhand.generator.parse import Parse

GROUP = "evenhand.bvf_rules"


class MiningRules(Protocol):
    """What mining asks of a language."""

    @property
    def version(self) -> str:
        """Grows with every change that can change a context."""

    @property
    def lists(self) -> list[Path]:
        """The files of words that the rules read."""

    @property
    def abbreviations(self) -> frozenset[str]:
        """Words in lower case behind which a full stop ends no sentence."""

    def is_candidate(self, sentence: str) -> bool:
        """Say whether a sentence is worth parsing."""

    def contexts(self, parse: Parse) -> Iterable[str]:
        """Return the contexts of a parsed sentence."""


RulesMaker = Callable[[NamedTopic, Path | None, bool], MiningRules]


def rules_for(
    language: str,
    topic: NamedTopic,
    occupations: Path | None,
    *,
    has_coreference: bool,
    folder: Path | None = None,
) -> MiningRules:
    """Return the rules of a language for a topic.

    Args:
        language: code of two or three letters.
        topic: the words of Y.
        occupations: a file with X; null for those of the rules.
        has_coreference: a component says what refers to what.
        folder: with the rules as lists; null for those that are installed.

    Raises:
        WrongUse: no installed package has rules for the language, or the lists are of another.
        DataRefused: a list is faulty.
    """
    if folder is not None:
        return _folder_rules(folder, language, topic, occupations)
    if language == "en":
        return Rules(topic, occupations, has_coreference=has_coreference)
    for point in entry_points(group=GROUP, name=language):
        maker: RulesMaker = point.load()
        return maker(topic, occupations, has_coreference)
    others = sorted({point.name for point in entry_points(group=GROUP)} | {"en"})
    raise WrongUse(
        f"There are no rules for the language `{language}` of the spaCy model; there are rules for"
        f" {', '.join(others)}. docs/benchmarks/bvf.md says how a package brings more, or a"
        " folder of lists (--rules)."
    )


def _folder_rules(
    folder: Path, language: str, topic: NamedTopic, occupations: Path | None
) -> ListedRules:
    rules = ListedRules(folder, topic, occupations)
    if rules.settings.language != language:
        raise WrongUse(
            f"{folder} has rules for the language `{rules.settings.language}`, but the spaCy model"
            f" is one of `{language}`; name another with --spacy-model, or use --language"
            f" {rules.settings.language} if it knows both."
        )
    return rules
