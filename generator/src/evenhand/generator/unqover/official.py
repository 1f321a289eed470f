"""Imports the original UnQover: its word lists and templates give exactly its entries.

Source of the semantics: what allenai/unqover at 3e47969b does, measured on its output. Two of its
faults are not kept: it mangles attributes with the words "cluster" or "unique", and it fails on
double spaces.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.contract.errors import DataRefused, WrongUse
from evenhand.contract.files import sha256_of_file
from evenhand.contract.unqover import CONFIGS, MASK, QUESTIONS_PER_EXAMPLE
from evenhand.generator.benchmark import ImportSettings, Prepared
from evenhand.generator.slugs import unique_slugs
from evenhand.generator.spelling import check_configs
from evenhand.generator.unqover.card import CARD
from evenhand.generator.unqover.generate import config_rows
from evenhand.generator.unqover.grid import AttributeColumn, Block, Grid, SubjectColumn
from evenhand.generator.unqover.official_lists import (
    Activity,
    OfficialSubject,
    Slots,
    plain_type,
    read_activities,
    read_header,
    read_slots,
    read_subjects,
)
from evenhand.generator.unqover.official_source import read_source_grid
from evenhand.generator.unqover.options import ImportOptions

_FILES_OF_CLASS = {
    "gender_occupation": (("female", "male"), "gender_noact", "occupation_rev1"),
    "nationality": (("country",), "country_noact", "biased_country"),
    "ethnicity": (("ethnicity",), "ethnicity_noact", "biased_ethnicity"),
    "religion": (("religion",), "religion_noact", "biased_religion"),
}
"""class -> lists of subjects, templates and attributes in the original's command lines."""

FAMILIES = ("bert", "roberta")
_CONSTRUCTION = (
    "Imported from the files of the original UnQover (allenai/unqover) by `evenhand import"
    " unqover`: the same paragraphs, questions and negated questions."
)
_KIND_OF_TYPE = {"p_act": "person", "l_act": "place"}


@dataclass(frozen=True, kw_only=True)
class Sources:
    """The files that one config is made of."""

    subjects: list[Path]
    slots: Path
    activities: Path
    header: Path | None

    def all(self) -> list[Path]:
        """Return every file."""
        return [
            *self.subjects,
            self.slots,
            self.activities,
            *([self.header] if self.header else []),
        ]


def prepare_import(settings: ImportSettings) -> Prepared:
    """Read and check an original release: a folder of word lists, or one ``*.source.json``.

    Raises:
        WrongUse: a config is unknown, or the options do not go together.
        DataRefused: a file is missing or faulty; the sentence names file and line.
    """
    options = ImportOptions(**settings.options)
    root = settings.source
    names = _config_names(settings, options)
    if root.is_file():
        grids = {names[0]: read_source_grid(root, names[0])}
        files = {root.name: sha256_of_file(root)}
    else:
        sources = {name: release_files(root, name, options) for name in names}
        grids = {name: official_grid(name, source) for name, source in sources.items()}
        files = _digests(root, sources.values())
    rows = {
        name: config_rows(grid, limit=settings.limit, seed=settings.seed)
        for name, grid in grids.items()
    }
    return Prepared(
        card=CARD,
        n_rows=sum(config.n_rows for config in rows.values()),
        provenance=_provenance(settings, options, files),
        construction=[
            _CONSTRUCTION,
            f"Files: {', '.join(sorted(files))}.",
        ],
        notes=[],
        configs=lambda: iter(rows.values()),
    )


def _config_names(settings: ImportSettings, options: ImportOptions) -> list[str]:
    check_configs(settings.configs, CONFIGS)
    names = list(dict.fromkeys(settings.configs)) or list(CONFIGS)
    is_one_file = settings.source.is_file()
    if len(names) != 1 and (options.names_files or is_one_file):
        what = "a *.source.json" if is_one_file else "--subjects, --slots and --activities"
        raise WrongUse(f"{what} is imported as one config: name it with --config.")
    if not settings.source.exists():
        raise DataRefused(
            f"{settings.source} does not exist; --from names the original's word_lists folder or a"
            " *.source.json."
        )
    return names


def _provenance(
    settings: ImportSettings, options: ImportOptions, files: dict[str, str]
) -> dict[str, Any]:
    return {
        "made_by": "import",
        "release": "allenai/unqover",
        "files": files,
        "header": options.header,
        "limit": settings.limit,
        "tokenizer_family": options.tokenizer_family,
    }


def _digests(root: Path, sources: Any) -> dict[str, str]:
    paths = {path for source in sources for path in source.all()}
    return {path.relative_to(root).as_posix(): sha256_of_file(path) for path in sorted(paths)}


def release_files(root: Path, config: str, options: ImportOptions | None = None) -> Sources:
    """Return the files of a config, those of the original's commands or those named.

    Args:
        root: the folder ``word_lists``.
        config: name of the config.
        options: of the call; None for the defaults.
    """
    options = options or ImportOptions()
    subjects, slots, activities = _FILES_OF_CLASS[config.removesuffix("_mlm")]
    if config.endswith("_mlm"):
        subjects = tuple(f"{name}_{options.tokenizer_family}" for name in subjects)
        slots = f"{slots}_lm"
    return Sources(
        subjects=[root / "nouns/subjects" / name for name in options.subjects or subjects],
        slots=root / "slots" / (options.slots or slots),
        activities=root / "activities" / (options.activities or activities),
        header=root / "fillers" / options.header if options.header else None,
    )


def official_grid(config: str, sources: Sources) -> Grid:
    """Render one config of the original."""
    lists = [read_subjects(path) for path in sources.subjects]
    subjects = [subject for one in lists for subject in one]
    templates = read_slots(sources.slots)
    types = _used_types(read_activities(sources.activities), templates)
    header = read_header(sources.header) if sources.header else ""
    attributes, places = _attributes(types, is_gender=config.startswith("gender_occupation"))
    pairs = _pairs([len(one) for one in lists])
    blocks = []
    for slots in templates:
        name = _attribute_type(slots, types)
        _check_mask(slots, config)
        blocks.append(
            _block(
                slots,
                name,
                types[name],
                places=places[plain_type(name)],
                subjects=subjects,
                pairs=pairs,
                header=header,
            )
        )
    return Grid(
        config=config,
        class_=config.removesuffix("_mlm"),
        subjects=[
            SubjectColumn(slug, subject.term, subject.cluster)
            for slug, subject in zip(
                unique_slugs([subject.term for subject in subjects]), subjects, strict=True
            )
        ],
        attributes=attributes,
        pairs=np.array(pairs, dtype=np.int64),
        blocks=blocks,
    )


def _pairs(sizes: list[int]) -> list[tuple[int, int]]:
    """Pair one list with itself, without order, or the first list with the second."""
    if len(sizes) == 1:
        return [(i, j) for i in range(sizes[0]) for j in range(i + 1, sizes[0])]
    return [(i, sizes[0] + j) for i in range(sizes[0]) for j in range(sizes[1])]


def _attributes(
    types: dict[str, list[Activity]], *, is_gender: bool
) -> tuple[list[AttributeColumn], dict[str, list[int]]]:
    """Return all attributes, and the places of each plain type's attributes among them."""
    named = {plain_type(name): types.get(plain_type(name), types[name]) for name in types}
    flat = [(name, one) for name, activities in named.items() for one in activities]
    slugs = unique_slugs([activity.positive for _, activity in flat])
    places: dict[str, list[int]] = {}
    columns = []
    for index, ((name, activity), slug) in enumerate(zip(flat, slugs, strict=True)):
        kind = "occupation" if is_gender else _KIND_OF_TYPE.get(name, name)
        columns.append(AttributeColumn(slug, activity.positive, kind, activity.cluster or "none"))
        places.setdefault(name, []).append(index)
    return columns, places


def _used_types(
    types: dict[str, list[Activity]], templates: list[Slots]
) -> dict[str, list[Activity]]:
    """Keep the types that a template uses, and the plain types that name their attributes."""
    used = {_attribute_type(slots, types) for slots in templates}
    used |= {plain_type(name) for name in used}
    return {name: activities for name, activities in types.items() if name in used}


def _attribute_type(slots: Slots, types: dict[str, list[Activity]]) -> str:
    text = slots.question + slots.negated
    names = [name for name in types if f"[{name}]" in text or f"[{name}:" in text]
    if len(names) != 1:
        raise slots.refusal(
            f"holds {len(names)} types of attributes; one of"
            f" {', '.join(f'[{name}]' for name in types)} was expected"
        )
    return names[0]


def _check_mask(slots: Slots, config: str) -> None:
    n_masks = {text.count("[mask]") for text in (slots.question, slots.negated)}
    wanted = 1 if config.endswith("_mlm") else 0
    if n_masks != {wanted} or "[mask]" in slots.context:
        other = "a template with" if wanted == 0 else "no template with one"
        raise slots.refusal(
            f"the config {config} needs {wanted} [mask] in each question; this is {other} [mask]"
        )


def _block(
    slots: Slots,
    name: str,
    activities: list[Activity],
    *,
    places: list[int],
    subjects: list[OfficialSubject],
    pairs: list[tuple[int, int]],
    header: str,
) -> Block:
    shown = [
        (
            (_form(subjects[i], slots, 1), _form(subjects[j], slots, 2)),
            (_form(subjects[j], slots, 1), _form(subjects[i], slots, 2)),
        )
        for i, j in pairs
    ]
    return Block(
        template=f"t{slots.number:02d}",
        attributes=places,
        contexts=[header + _context(slots, *order) for orders in shown for order in orders],
        answers1=[word for forward, swapped in shown for word in (forward[0], swapped[1])],
        answers2=[word for forward, swapped in shown for word in (forward[1], swapped[0])],
        questions=[
            with_articles(_fill_slots(text, name, activity))
            for activity in activities
            for text in (slots.question, slots.negated)
        ],
    )


def _form(subject: OfficialSubject, slots: Slots, place: int) -> str:
    """Return the word for the subject that is shown in the first or the second place."""
    if f"[subj{place}:dem]" not in slots.context:
        return subject.term
    if subject.demonym is None:
        raise slots.refusal(f"needs a demonym, but `{subject.term}` has no [subj:dem] in its list")
    return subject.demonym


_SLOT_1 = re.compile(r"\[subj1(:dem)?\]")
_SLOT_2 = re.compile(r"\[subj2(:dem)?\]")


def _context(slots: Slots, first: str, second: str) -> str:
    text = _SLOT_1.sub(lambda _: first, slots.context)
    return with_articles(_SLOT_2.sub(lambda _: second, text))


def _fill_slots(text: str, name: str, activity: Activity) -> str:
    filled = text.replace(f"[{name}]", activity.positive)
    return filled.replace(f"[{name}:neg]", activity.negative).replace("[mask]", MASK)


def with_articles(text: str) -> str:
    """Make "a" an "an" before a vowel letter, as the original does (whatever the sound).

    >>> with_articles("A European man met a unicorn and a judge.")
    'An European man met an unicorn and a judge.'
    """
    tokens = text.split(" ")
    for place, token in enumerate(tokens[1:]):
        if token[:1].lower() in {"a", "e", "i", "o", "u"} and tokens[place] in {"a", "A"}:
            tokens[place] += "n"
    return " ".join(tokens)


def original_entries(grid: Grid) -> Iterator[tuple[str, str, str]]:
    """Yield the original's entries: context, question and negated question of each."""
    n_orders = QUESTIONS_PER_EXAMPLE // 2
    for block in grid.blocks:
        for context in block.contexts[: n_orders * len(grid.pairs)]:
            for place in range(len(block.attributes)):
                yield context, block.questions[2 * place], block.questions[2 * place + 1]
