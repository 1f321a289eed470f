"""Our own question templates: two contexts and two questions about two persons, one file each.

A template sets what it is about and has four blocks. Its slots are ``one`` and ``two`` (the persons
in the order of their mention) in the ambiguous context; ``negative`` and ``nonnegative`` (the right
answers of the two questions) in the disambiguating one; and any words of its own.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from jinja2 import nodes

from evenhand.contract.errors import DataRefused
from evenhand.generator.bbq.people import KINDS, NAME
from evenhand.generator.english import Word
from evenhand.generator.restricted import (
    Parsed,
    Setting,
    block_shape,
    parse,
    quote_names,
    read_source,
    refusal,
    slots,
)

PERSONS_OF: Mapping[str, tuple[str, ...]] = {
    "ambiguous": ("one", "two"),
    "disambiguating": ("negative", "nonnegative"),
    "negative_question": (),
    "nonnegative_question": (),
}
"""Block -> the slots for persons that must stand in it, each once, in no other block."""
_QUESTIONS = ("negative_question", "nonnegative_question")
_PERSONS = ("one", "two", "negative", "nonnegative")

NO_SOURCE = "none found"
MAX_ATTESTED = 300
"""Characters; a quotation, not a page."""

_NEEDED = ("subcategory", "stereotype", "stereotyped", "people", "source", "attested")
_OPTIONAL = ("others", "noun")
_WORDS = "words_"
_FILE = re.compile(r"q(\d{2,3})")


@dataclass(frozen=True, kw_only=True)
class Question:
    """A checked template."""

    index: str
    """Becomes ``question_index``: ``7`` of ``q07.jinja``."""
    path: Path
    settings: Mapping[str, Setting]
    words: Mapping[str, tuple[str, ...]]
    """Slot -> the words of which one fills it."""
    _parsed: Parsed = field(repr=False)

    def __getitem__(self, name: str) -> str:
        """Return what the template sets, empty where it sets nothing."""
        return self.settings[name].value if name in self.settings else ""

    @property
    def stereotyped(self) -> tuple[str, ...]:
        """The groups that the stereotype is about."""
        return _split_list(self["stereotyped"])

    @property
    def others(self) -> tuple[str, ...]:
        """The groups of the other person; empty: all that are not stereotyped."""
        return _split_list(self["others"])

    def refusal(self, setting: str, what: str) -> DataRefused:
        """Return the error that names file, line and setting."""
        return refusal(self.path, self.settings[setting].line, f"`{setting}`: {what}")

    def block(self, name: str) -> nodes.Block:
        """Return a block as it was parsed."""
        return self._parsed.blocks[name]

    def ambiguous(self, one: Word, two: Word, words: Mapping[str, str]) -> str:
        """Return the context that does not tell."""
        return self._parsed.render("ambiguous", {**words, "one": one, "two": two})

    def disambiguating(self, negative: Word, nonnegative: Word, words: Mapping[str, str]) -> str:
        """Return what is added to it and tells."""
        persons = {"negative": negative, "nonnegative": nonnegative}
        return self._parsed.render("disambiguating", {**words, **persons})

    def question(self, polarity: str, words: Mapping[str, str]) -> str:
        """Return the question; ``polarity`` is ``negative`` or ``nonnegative``."""
        return self._parsed.render(f"{polarity}_question", words)


def read_question(path: Path) -> Question:
    """Read and check one template file.

    Raises:
        DataRefused: the file is no template of this kind; the sentence names file and line.
    """
    if not _FILE.fullmatch(path.stem):
        raise DataRefused(f"{path}: a question's file is called q01.jinja, q02.jinja, ...")
    return parse_question(read_source(path), path)


def parse_question(source: str, path: Path) -> Question:
    """Check the text of a template; ``path`` names it in errors."""
    parsed = parse(source, path, blocks=tuple(PERSONS_OF))
    words = _checked_settings(parsed)
    used: set[str] = set()
    for name, block in parsed.blocks.items():
        used.update(_check_slots(block, name, words, path))
    for name in words:
        if name not in used:
            line = parsed.settings[_WORDS + name].line
            raise refusal(path, line, f"`{_WORDS}{name}` is set, but no slot `{name}` uses it")
    number = _FILE.fullmatch(path.stem)
    question = Question(
        index=str(int(number[1])) if number else path.stem,
        path=path,
        settings=parsed.settings,
        words=words,
        _parsed=parsed,
    )
    _check_source(question)
    _check_questions(question)
    return question


def _split_list(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split("|") if part.strip())


def _checked_settings(parsed: Parsed) -> dict[str, tuple[str, ...]]:
    """Check what is set, and return the words of each word slot."""
    words = {}
    for name, setting in parsed.settings.items():
        if name.startswith(_WORDS):
            words[name.removeprefix(_WORDS)] = _checked_words(name, setting, parsed.path)
        elif name not in (*_NEEDED, *_OPTIONAL):
            allowed = quote_names((*_NEEDED, *_OPTIONAL, f"{_WORDS}..."))
            raise refusal(
                parsed.path, setting.line, f"`set {name}` is unknown; a question sets {allowed}"
            )
        elif not setting.value.strip() and name != "attested":
            raise refusal(parsed.path, setting.line, f"`{name}` is empty")
    for name in _NEEDED:
        if name not in parsed.settings:
            raise DataRefused(
                f"{parsed.path}: `{name}` is missing; a question sets {quote_names(_NEEDED)}."
            )
    people, line = parsed.settings["people"]
    if people not in KINDS:
        raise refusal(parsed.path, line, f"`people` is `{people}`; `label` or `name` was expected")
    if people == NAME and "noun" in parsed.settings:
        line = parsed.settings["noun"].line
        raise refusal(parsed.path, line, "`noun` goes with labels, not with names; leave it out")
    return words


def _checked_words(name: str, setting: Setting, path: Path) -> tuple[str, ...]:
    words = _split_list(setting.value)
    if name.removeprefix(_WORDS) in ("", *_PERSONS):
        raise refusal(path, setting.line, f"`{name}` cannot be the name of a word's slot")
    if len(words) < 2 or len(set(words)) < len(words):
        raise refusal(
            path, setting.line, f"`{name}`: two or more different words were expected, between |"
        )
    return words


def _check_slots(
    block: nodes.Block, name: str, words: Mapping[str, tuple[str, ...]], path: Path
) -> list[str]:
    """Refuse unknown and misplaced slots, and ask for each person once; return the slots."""
    wanted = PERSONS_OF[name]
    seen: list[str] = []
    for slot in slots(block):
        if slot.name not in words:
            _check_person(slot, name, seen, path)
        seen.append(slot.name)
    persons = [slot for slot in seen if slot in _PERSONS]
    missing = [slot for slot in wanted if slot not in persons]
    if missing:
        raise refusal(
            path,
            block.lineno,
            f"block `{name}` has no slot `{missing[0]}`; it needs {quote_names(wanted)}",
        )
    if name == "ambiguous" and persons != list(wanted):
        raise refusal(path, block.lineno, f"block `{name}` must show `one` before `two`")
    return seen


def _check_person(slot: nodes.Name, block: str, seen: list[str], path: Path) -> None:
    wanted = PERSONS_OF[block]
    if slot.name not in _PERSONS:
        known = (
            f"for persons there are {quote_names(_PERSONS)}, for words `set {_WORDS}{slot.name}`"
        )
        what = f"the slot `{slot.name}` is undefined; {known}"
    elif slot.name not in wanted:
        allowed = f"it has {quote_names(wanted)}" if wanted else "a question names no person"
        what = f"the slot `{slot.name}` does not belong here; {allowed}"
    elif slot.name in seen:
        what = f"the slot `{slot.name}` stands twice; once is allowed"
    else:
        return
    raise refusal(path, slot.lineno, f"block `{block}`: {what}")


def _check_source(question: Question) -> None:
    """A source comes with the words that attest the stereotype, and these with a source."""
    source, attested = question["source"], question["attested"]
    if source == NO_SOURCE and attested:
        raise question.refusal("attested", f"stands without a source, which is `{NO_SOURCE}`")
    if source != NO_SOURCE and not attested:
        raise question.refusal("attested", "is empty; quote the sentence that attests it")
    if len(attested) > MAX_ATTESTED:
        raise question.refusal(
            "attested", f"has {len(attested)} characters; quote {MAX_ATTESTED} at most"
        )


def _check_questions(question: Question) -> None:
    shapes = {name: block_shape(question.block(name)) for name in _QUESTIONS}
    for name, shape in shapes.items():
        if not shape.endswith("?"):
            raise DataRefused(
                f"{question.path}: block `{name}` is `{shape}`; it must end in a question mark."
            )
    if len(set(shapes.values())) == 1:
        shape = shapes[_QUESTIONS[0]]
        raise DataRefused(f"{question.path}: both questions are `{shape}`; opposites are asked.")
