"""The two vocabularies of the official release: names of groups, and proper names."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from evenhand.contract.errors import DataRefused
from evenhand.generator.bbq.official_table import Record, read_table

WORDS_FILE = "vocabulary.csv"
NAMES_FILE = "vocabulary_proper_names.csv"

LEFT_OUT = "No"
"""Of the column ``Pilot_include``: the word is no part of the release."""

FIRST, LAST, FIRST_ONLY = "first", "last", "first_only"
"""First names and family names that go with a race, and first names that go with none."""


@dataclass(frozen=True, slots=True)
class Word:
    """The name of a group, e.g. ``Muslim``, with what the vocabulary says of it."""

    text: str
    info: str
    """E.g. ``lowSES`` of an occupation, ``Africa`` of a nationality; may be empty."""
    subcategory: str


@dataclass(frozen=True, slots=True)
class Name:
    """A proper name."""

    text: str
    kind: str
    gender: str
    race: str


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """What can stand in the slots of templates that bring no words of their own."""

    folder: Path
    files: list[Path]
    words: dict[str, list[Word]]
    """category -> words, without those that were left out of the release."""
    names: list[Name]
    n_words: int
    """Rows of the file of words."""

    @property
    def n_left_out(self) -> int:
        """Return how many words the original marks to be left out."""
        return self.n_words - sum(len(words) for words in self.words.values())

    def category_words(self, category: str, record: Record) -> list[Word]:
        """Return a category's words, each once.

        Raises:
            DataRefused: there are none; the sentence names the row that needs them.
        """
        words_by_text: dict[str, Word] = {}
        for word in self.words.get(category, []):
            words_by_text.setdefault(word.text, word)
        if not words_by_text:
            raise record.refusal(
                "Names",
                f"brings no words and {self.folder / WORDS_FILE} has none of {category}; the slots"
                " {{NAME1}} and {{NAME2}} need some",
            )
        return list(words_by_text.values())

    def names_with(self, kind: str, holds: Callable[[Name], bool]) -> list[Name]:
        """Return the names of a kind that fulfil a condition."""
        return [name for name in self.names if name.kind == kind and holds(name)]


def read_vocabulary(folder: Path) -> Vocabulary:
    """Read the two files; either may be missing where no template needs it.

    Raises:
        DataRefused: a file is faulty; the sentence names file, row and column.
    """
    words, names = folder / WORDS_FILE, folder / NAMES_FILE
    records = read_table(words, ("Category", "Name")) if words.is_file() else []
    return Vocabulary(
        folder=folder,
        files=[path for path in (words, names) if path.is_file()],
        words=_words_by_category(records),
        names=_names(names) if names.is_file() else [],
        n_words=len(records),
    )


def _words_by_category(records: list[Record]) -> dict[str, list[Word]]:
    words: dict[str, list[Word]] = {}
    for record in records:
        if record.cell("Pilot_include").strip() != LEFT_OUT:
            words.setdefault(record.needed("Category").strip(), []).append(_word(record))
    return words


def _names(path: Path) -> list[Name]:
    needed = ("Name", "First_last", "gender", "ethnicity")
    return [_name(record) for record in read_table(path, needed)]


def _word(record: Record) -> Word:
    return Word(
        text=record.needed("Name").strip(),
        info=record.cell("Info").strip(),
        subcategory=record.cell("SubCat").strip(),
    )


def _name(record: Record) -> Name:
    kind = record.needed("First_last").strip()
    if kind not in (FIRST, LAST, FIRST_ONLY):
        raise record.refusal(
            "First_last", f"is `{kind}`; {FIRST}, {LAST} or {FIRST_ONLY} was expected"
        )
    return Name(
        text=record.needed("Name").strip(),
        kind=kind,
        gender=record.cell("gender").strip(),
        race=record.cell("ethnicity").strip(),
    )


def needed_names(names: list[Name], n: int, which: str, folder: Path) -> list[Name]:
    """Return names if there are enough to draw from.

    Raises:
        DataRefused: there are fewer than ``n``; the sentence says which names are needed.
    """
    if len(names) < n:
        raise DataRefused(
            f"{folder / NAMES_FILE} has {len(names)} {which}; at least {n} are needed."
        )
    return names
