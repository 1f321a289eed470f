"""Finds and reads the official templates: one CSV file a category, one question a row.

The columns differ from file to file and are read by header. Source of what they mean: the files of
nyu-mll/BBQ, ``templates/``, and its released rows.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from evenhand.contract.bbq import CATEGORIES
from evenhand.contract.errors import DataRefused
from evenhand.generator.bbq.official_cells import (
    PERSON_SLOTS,
    SECOND_SLOTS,
    either_list,
    slot_names,
    text_list,
    word_lists,
)
from evenhand.generator.bbq.official_jinja import BLOCKS, Pair, Texts, parse_texts, render
from evenhand.generator.bbq.official_table import Record, read_table
from evenhand.generator.bbq.spelling import near_category
from evenhand.generator.restricted import Parsed

NONE = "None"
"""What a row of the release holds where the template has no version or subcategory."""

SECOND_VALUES = {"Race_x_gender": ("M", "F"), "Race_x_SES": ("lowSES", "highSES")}
"""Intersectional category -> the values of what the persons differ in beside race."""

_FILE = re.compile(r"new_templates[ _]*-[ _]*(?P<category>.+)\.csv", re.IGNORECASE)
_NO_CATEGORY = "filler_items"
"""The release's further file: questions that were mixed in when its examples were validated."""

_NEEDED = ("Q_id", "Category", *BLOCKS.values())
_GROUPS = "Known_stereotyped_groups"
_RACES, _SECOND, _SECOND_INFO = (
    "Known_stereotyped_race",
    "Known_stereotyped_var2",
    "Var2_info",
)
_TOKEN = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")


@dataclass(frozen=True, kw_only=True)
class Second:
    """What the persons of an intersectional template differ in beside race."""

    target: str
    """The value that goes with the stereotype, e.g. ``F`` or ``lowSES``."""
    other: str
    target_words: tuple[str, ...]
    """Words for it, e.g. ``woman``; empty where the vocabulary or a proper name tells."""
    other_words: tuple[str, ...]
    gender: str
    """Of proper names, where the template's wording needs one; else empty."""


@dataclass(frozen=True, kw_only=True)
class OfficialTemplate:
    """One row of a file: a question with what can be drawn for it."""

    category: str
    record: Record
    question: str
    version: str
    subcategory: str
    groups: tuple[str, ...]
    """The stereotyped ones; in the intersectional templates the races."""
    names: tuple[tuple[str, ...], tuple[str, ...]] | None
    """What the row itself brings for {{NAME1}} and {{NAME2}}."""
    words: tuple[tuple[str, ...], tuple[str, ...]]
    """For {{WORD1}} and {{WORD2}}; empty where there are none."""
    infos: tuple[str, str]
    """The groups of the row's own names; empty where the names say them."""
    has_proper_names: bool
    second: Second | None
    answered: tuple[int | None, int | None]
    """Which person the negative and the non-negative answer name; None where they name neither."""
    jinja: str
    _parsed: Parsed = field(repr=False)

    def render(self, pair: Pair) -> Texts:
        """Return the texts for a pair."""
        return render(self._parsed, self.record, pair)


@dataclass(frozen=True, kw_only=True)
class TemplateFile:
    """The templates of one category."""

    category: str
    path: Path
    templates: list[OfficialTemplate]


def template_folder(source: Path) -> Path:
    """Return the folder that holds templates and vocabularies.

    Raises:
        DataRefused: there is none.
    """
    if not source.is_dir():
        raise DataRefused(f"{source} is not a folder; --templates names the release's `templates`.")
    for folder in (source, source / "templates"):
        if any(_FILE.fullmatch(path.name) for path in folder.glob("*.csv")):
            return folder
    raise DataRefused(
        f"{source} holds no templates; the release's folder `templates` has one file per category,"
        " e.g. `new_templates - Age.csv`."
    )


def template_files(folder: Path) -> dict[str, Path]:
    """Return category -> file, in the contract's order of the categories.

    Raises:
        DataRefused: a file is named after no category, or two after the same.
    """
    paths: dict[str, Path] = {}
    for path in sorted(folder.glob("*.csv")):
        match = _FILE.fullmatch(path.name)
        if not match or match["category"].casefold() == _NO_CATEGORY:
            continue
        category = match["category"]
        if category not in CATEGORIES:
            near = near_category(category)
            hint = f"is `{near}` meant?" if near else f"they are {', '.join(CATEGORIES)}."
            raise DataRefused(f"{path} is named after `{category}`, which is no category; {hint}")
        if category in paths:
            raise DataRefused(f"{path} and {paths[category]} are both of {category}; keep one.")
        paths[category] = path
    return {category: paths[category] for category in CATEGORIES if category in paths}


def read_templates(category: str, path: Path) -> TemplateFile:
    """Read the templates of one category; rows without a context are left out, as in the release.

    Raises:
        DataRefused: the file is faulty; the sentence names file, row and column.
    """
    special = (_RACES, _SECOND, _SECOND_INFO) if category in SECOND_VALUES else (_GROUPS,)
    records = read_table(path, (*_NEEDED, *special))
    templates = [_template(category, one) for one in records if one.cell("Ambiguous_Context")]
    if not templates:
        raise DataRefused(f"{path} has no row with an Ambiguous_Context; there is no template.")
    return TemplateFile(category=category, path=path, templates=templates)


def _template(category: str, record: Record) -> OfficialTemplate:
    _check_category(category, record)
    is_intersectional = category in SECOND_VALUES
    has_proper_names = record.cell("Proper_nouns_only").strip().upper() == "TRUE"
    words = word_lists(record, "Lexical_diversity", ("WORD1", "WORD2"))
    second = _second(category, record) if is_intersectional else None
    jinja, in_sandbox = parse_texts(record)
    template = OfficialTemplate(
        category=category,
        record=record,
        question=record.needed("Q_id").strip(),
        version=record.cells.get("version", NONE),
        subcategory=record.cell("Subcategory").strip() or NONE,
        groups=text_list(record, _RACES if is_intersectional else _GROUPS),
        names=None if is_intersectional else _names(record),
        words=(words.get("WORD1", ()), words.get("WORD2", ())),
        infos=(record.cell("NAME1_info").strip(), record.cell("NAME2_info").strip()),
        has_proper_names=has_proper_names,
        second=second,
        answered=_answered(record),
        jinja=jinja,
        _parsed=in_sandbox,
    )
    _check_slots(template)
    return template


def _check_category(category: str, record: Record) -> None:
    """Refuse a row of another category; the release spells them in many ways."""
    text = record.cell("Category").strip()
    if not set(_tokens(text)) <= set(_tokens(category)) and near_category(text) != category:
        near = near_category(text)
        hint = f"that is {near}" if near else f"the categories are {', '.join(CATEGORIES)}"
        raise record.refusal(
            "Category", f"is `{text}`, but the file is named after {category}; {hint}"
        )


def _tokens(category: str) -> list[str]:
    """Take a name apart, so that ``GenderIdentity`` and ``Gender_x_race`` are found.

    >>> _tokens("Gender_x_race") == _tokens("Race_x_gender"), _tokens("RaceEthnicity")
    (True, ['ethnicity', 'race'])
    """
    return sorted(token.casefold() for token in _TOKEN.findall(category))


def _names(record: Record) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    lists = word_lists(record, "Names", ("NAME1", "NAME2"))
    if len(lists) == 1:
        missing = "NAME2" if "NAME1" in lists else "NAME1"
        raise record.refusal("Names", f"has no words for {missing}")
    return (lists["NAME1"], lists["NAME2"]) if lists else None


def _second(category: str, record: Record) -> Second:
    values = SECOND_VALUES[category]
    target = record.needed(_SECOND).strip()
    if target not in values:
        raise record.refusal(_SECOND, f"is `{target}`; {' or '.join(values)} was expected")
    words, info = either_list(record, "Names"), text_list(record, _SECOND_INFO)
    if words and (len(words) != len(values) or sorted(info) != sorted(values)):
        raise record.refusal(
            _SECOND_INFO,
            f"is `{record.cell(_SECOND_INFO)[:60]}`; it must say of the two members of Names which"
            f" is {values[0]} and which {values[1]}",
        )
    place = info.index(target) if words else 0
    return Second(
        target=target,
        other=next(value for value in values if value != target),
        target_words=words[place] if words else (),
        other_words=words[1 - place] if words else (),
        gender=record.cell("Stated_gender_info").strip(),
    )


def _answered(record: Record) -> tuple[int | None, int | None]:
    """Tell from the slots of the answers whom they name; one tells of the other."""
    negative, other = (
        _person_in(record.cell(column)) for column in ("Answer_negative", "Answer_non_negative")
    )
    if negative is not None and negative == other:
        raise record.refusal("Answer_non_negative", "names the same person as Answer_negative")
    if negative is None and other is not None:
        return 1 - other, other
    if other is None and negative is not None:
        return negative, 1 - negative
    return negative, other


def _person_in(text: str) -> int | None:
    persons = {PERSON_SLOTS[slot] for slot in slot_names(text) if slot in PERSON_SLOTS}
    return persons.pop() if len(persons) == 1 else None


def _check_slots(template: OfficialTemplate) -> None:
    """Refuse a slot for which there are no words."""
    record = template.record
    empty = {
        slot for slot, words in zip(("WORD1", "WORD2"), template.words, strict=True) if not words
    }
    is_named_by_gender = template.category == "Race_x_gender" and template.has_proper_names
    if template.second is None or is_named_by_gender:
        empty.update(SECOND_SLOTS)
    elif template.category == "Race_x_gender" and not template.second.target_words:
        raise record.refusal("Names", 'is empty; words like ["man", "woman"] were expected')
    for column in BLOCKS.values():
        bare = next((slot for slot in slot_names(record.cell(column)) if slot in empty), None)
        if bare:
            where = "Lexical_diversity" if bare.startswith("WORD") else "Names"
            raise record.refusal(
                column, f"has the slot {{{{{bare}}}}}, for which {where} lists no words"
            )


def jinja_files(file: TemplateFile) -> Iterator[tuple[str, str]]:
    """Yield name and text of a Jinja file for each template."""
    for template in file.templates:
        record = template.record
        comment = f"{{# {file.path.name}, row {record.row} #}}\n"
        yield f"{file.category}/row{record.row:04d}.jinja", comment + template.jinja
