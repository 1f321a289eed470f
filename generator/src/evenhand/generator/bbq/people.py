"""Who can stand in the slots of our own templates: labels of groups, and proper names."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from evenhand.contract.errors import DataRefused
from evenhand.generator.bbq.groups import parse_group_info
from evenhand.generator.bbq.targets import SECOND_DIMENSION
from evenhand.generator.english import Word, capitalise, definite, proper_name
from evenhand.generator.lists import Entry, check_distinct, read_list

LABEL, NAME = "label", "name"
KINDS = (LABEL, NAME)


@dataclass(frozen=True, kw_only=True)
class Person:
    """One line of ``people/<Category>.tsv``."""

    group: str
    """The group as the release spells it, e.g. ``nonOld`` or ``F-Black``."""
    kind: str
    word: str
    """As in a sentence, without article: ``78-year-old``, ``Keisha Jones``."""
    detail: str = ""
    """A finer group, which a template may name as well."""
    match: str = ""
    """The two persons of a pair have the same value here, where both have one."""

    def is_one_of(self, names: Iterable[str]) -> bool:
        """Return whether the person's group or finer group is among the names."""
        return self.group in names or (bool(self.detail) and self.detail in names)

    def in_text(self, noun: str) -> Word:
        """Return what fills a slot: a name, or the label with the noun it describes, if any."""
        if self.kind == NAME:
            return proper_name(self.word)
        return Word(f"{self.word} {noun}" if noun else self.word)

    def as_answer(self, noun: str) -> str:
        """Return the text of the answer that names this person."""
        return str(capitalise(definite(self.in_text(noun))))


def read_people(path: Path, category: str) -> list[Person]:
    """Read and check a list of people.

    Raises:
        DataRefused: the list is missing or faulty; the sentence names file, line and field.
    """
    entries = read_list(
        path, required=("group", "kind", "word", "source"), optional=("detail", "match")
    )
    check_distinct(entries, "kind", "word")
    return [_person(entry, category) for entry in entries]


def _person(entry: Entry, category: str) -> Person:
    values = entry.values
    if values["kind"] not in KINDS:
        raise entry.refusal("kind", f"is `{values['kind']}`; `label` or `name` was expected")
    dimension = SECOND_DIMENSION.get(category)
    if dimension is not None and not all(split_group(category, values["group"])):
        example = "F-Black" if dimension == "gender" else "lowSES-Black"
        raise entry.refusal(
            "group", f"is `{values['group']}`; {dimension} and race were expected, e.g. {example}"
        )
    return Person(
        group=values["group"],
        kind=values["kind"],
        word=values["word"],
        detail=values.get("detail", ""),
        match=values.get("match", ""),
    )


def split_group(category: str, group: str) -> tuple[str, str]:
    """Return race, and gender or SES, of an intersectional group; empty where it does not say.

    >>> split_group("Race_x_gender", "F-Black"), split_group("Race_x_SES", "lowSES-Latino")
    (('black', 'F'), ('latino', 'lowses'))
    """
    ses, gender, race = parse_group_info(group)
    second = gender if SECOND_DIMENSION[category] == "gender" else ses
    return race, second or ""


def official_group(category: str, group: str) -> str:
    """Return a group as ``stereotyped_groups`` spells it: of an intersectional one the race.

    >>> official_group("Race_x_gender", "F-Black"), official_group("Age", "old")
    ('Black', 'old')
    """
    return group.partition("-")[2] if category in SECOND_DIMENSION else group


def read_unknown_wordings(path: Path) -> list[str]:
    """Read the wordings of the answer that it cannot be known.

    Raises:
        DataRefused: the list is missing or faulty.
    """
    entries = read_list(path, required=("wording", "source"))
    check_distinct(entries, "wording")
    return [entry.values["wording"] for entry in entries]


def check_known(names: Iterable[str], people: list[Person]) -> None:
    """Check the groups that a template names.

    Raises:
        DataRefused: one is in no line of the list; the sentence lists those that are.
    """
    known = dict.fromkeys(
        name for person in people for name in (person.group, person.detail) if name
    )
    for name in names:
        if name not in known:
            raise DataRefused(f"`{name}` is in no line of the list; it has {', '.join(known)}")
