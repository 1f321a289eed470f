"""One row of the official templates as Jinja, and its texts for two persons.

The texts are the original's, with its repairs. Source of the repairs: what nyu-mll/BBQ does, as
its released rows show it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from evenhand.contract.errors import DataRefused
from evenhand.generator.bbq.official_cells import jinja_text
from evenhand.generator.bbq.official_table import Record
from evenhand.generator.restricted import MAX_TEXT_CHARACTERS, Parsed, parse

BLOCKS: Mapping[str, str] = {
    "ambiguous": "Ambiguous_Context",
    "disambiguating": "Disambiguating_Context",
    "negative_question": "Question_negative_stereotype",
    "nonnegative_question": "Question_non_negative",
    "negative_answer": "Answer_negative",
    "nonnegative_answer": "Answer_non_negative",
}
"""Block of a Jinja template -> column of the CSV file."""


@dataclass(frozen=True, slots=True)
class Person:
    """Who stands in one place of a template."""

    name: str
    """Fills {{NAME1}} or {{NAME2}}."""
    info: str
    """What the release calls the person's group, e.g. ``nonOld`` or ``F-Black``."""
    second: str | None = None
    """Fills {{GEN1}} or {{OCC1}}: the word for gender or occupation, intersectional only."""


@dataclass(frozen=True, slots=True)
class Pair:
    """What fills the slots of a template once."""

    first: Person
    second: Person
    words: tuple[str, str] = ("", "")
    subcategory: str | None = None
    """Of an intersectional pair: what the two persons differ in."""

    def swapped(self) -> "Pair":
        """Return the pair with the persons exchanged and all else the same."""
        return Pair(self.second, self.first, self.words, self.subcategory)

    def slots(self) -> dict[str, str]:
        """Return slot -> text, by the names that the Jinja templates use."""
        values = {"name1": self.first.name, "name2": self.second.name}
        values |= {"word1": self.words[0], "word2": self.words[1]}
        if self.first.second is not None and self.second.second is not None:
            for slot in ("gen", "occ"):
                values |= {f"{slot}1": self.first.second, f"{slot}2": self.second.second}
        return values


@dataclass(frozen=True, kw_only=True, slots=True)
class Texts:
    """The texts of one pair."""

    ambiguous: str
    disambiguating: str
    negative_question: str
    nonnegative_question: str
    negative_answer: str
    nonnegative_answer: str
    source: str


def jinja_source(record: Record) -> str:
    """Return the Jinja template of a row.

    Raises:
        DataRefused: a cell is blank, or holds what is neither text nor a slot.
    """
    blocks = [
        f"{{% block {name} %}}{jinja_text(record, column)}{{% endblock %}}"
        for name, column in BLOCKS.items()
    ]
    return "\n".join([*blocks, ""])


def parse_texts(record: Record) -> tuple[str, Parsed]:
    """Return a row's Jinja template, as text and compiled in the sandbox."""
    source = jinja_source(record)
    return source, parse(source, record.path, blocks=tuple(BLOCKS))


def render(template: Parsed, record: Record, pair: Pair) -> Texts:
    """Return the texts for a pair.

    Raises:
        DataRefused: a text is too long, or the two answers read the same.
    """
    slots, with_articles = pair.slots(), _begins_with_vowel(pair)
    texts = {}
    for name, column in BLOCKS.items():
        try:
            text = template.render(name, slots)
        except DataRefused as error:
            raise record.refusal(
                column,
                f"gives more than {MAX_TEXT_CHARACTERS:,} characters for {_pair_text(pair)}",
            ) from error
        texts[name] = repaired(_spaced(record.cell(column), text), with_articles=with_articles)
    if texts["negative_answer"] == texts["nonnegative_answer"]:
        raise record.refusal(
            "Answer_negative",
            f"both answers read `{texts['negative_answer']}` for {_pair_text(pair)}; they must"
            " differ",
        )
    # The original repairs all cells of a row, its notes too.
    source = repaired(record.cell("Notes"), with_articles=with_articles)
    return Texts(**texts, source=source)


def _pair_text(pair: Pair) -> str:
    return f"`{pair.first.name}` and `{pair.second.name}`"


def _spaced(cell: str, text: str) -> str:
    """Put the spaces back with which a cell begins and ends, as the release keeps them."""
    before, after = len(cell) - len(cell.lstrip()), len(cell.rstrip())
    return f"{cell[:before]}{text}{cell[after:]}"


def _begins_with_vowel(pair: Pair) -> bool:
    begins = (
        (person.name[:1] + (person.second or "")[:1]).lower()
        for person in (pair.first, pair.second)
    )
    return any(letter in "aeiou" for letters in begins for letter in letters)


_A_BEFORE_VOWEL = re.compile(r"(\s[aA])(\s[aeiouAEIOU])")


def repaired(text: str, *, with_articles: bool) -> str:
    """Repair a text as the original does.

    ``a`` at the beginning of a text stays, so does ``an`` before a consonant.

    >>> repaired("A old man met a old man and a European", with_articles=True)
    'A old man met an old man and a European'
    >>> repaired("The Latino woman and the lesbian man", with_articles=False)
    'The Latina woman and the lesbian woman'
    """
    text = text.replace("lesbian man", "lesbian woman").replace("Latino woman", "Latina woman")
    if not with_articles:
        return text
    return _A_BEFORE_VOWEL.sub(r"\1n\2", text).replace(" an European", " a European")
