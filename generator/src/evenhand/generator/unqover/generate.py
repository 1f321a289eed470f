"""From options to configs: which content, which subjects, which examples."""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from evenhand.contract.errors import DataRefused
from evenhand.contract.files import sha256_of_file
from evenhand.contract.unqover import QUESTIONS_PER_EXAMPLE
from evenhand.generator.benchmark import Prepared, Settings
from evenhand.generator.build import ConfigRows
from evenhand.generator.folders import content_name
from evenhand.generator.lists import describe_sources
from evenhand.generator.pieces import PieceCounter
from evenhand.generator.spelling import check_configs
from evenhand.generator.unqover.card import CARD
from evenhand.generator.unqover.content import Content, Library, subject_words
from evenhand.generator.unqover.counts import grid_statistics
from evenhand.generator.unqover.grid import Grid
from evenhand.generator.unqover.items import NEWS_HEADER, build_grid
from evenhand.generator.unqover.options import GenerateOptions
from evenhand.generator.unqover.sample import spread_sample

HEADERS = {"newsqa": NEWS_HEADER}
"""``--header`` -> the text before each paragraph."""


_SOURCES = (
    "Names, countries, groups and occupations are facts, each listed with its source. Scenes,"
    " questions and attributes were written for Evenhand."
)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What will be generated: read and checked, not yet rendered."""

    settings: Settings
    options: GenerateOptions
    contents: dict[str, Content]
    """config -> its content, with the subjects that it uses."""
    left_out: dict[str, list[str]]
    """masked config -> the words of its list that are not a single token (or not one word)."""
    library: Library

    def n_examples_in(self, config: str) -> int:
        """Return the number of examples that a config will have."""
        n = self.contents[config].n_examples
        return n if self.settings.limit is None else min(n, self.settings.limit)

    @property
    def n_rows(self) -> int:
        """Rows of all configs."""
        return sum(self.n_examples_in(name) for name in self.contents) * QUESTIONS_PER_EXAMPLE

    def provenance(self) -> dict[str, Any]:
        """Return what the manifest says about where the rows are from."""
        options = self.options
        classes = sorted({content.class_ for content in self.contents.values()})
        tokenizer = options.tokenizer and {"sha256": sha256_of_file(options.tokenizer)}
        return {
            "made_by": "generate",
            "templates": "evenhand" if options.templates is None else "user",
            "content_sha256": self.library.digest(classes),
            "content": self.library.digests(classes),
            "header": options.header,
            "limit": self.settings.limit,
            "tokenizer": tokenizer,
            "subjects_left_out": self.left_out,
        }


def config_names(library: Library) -> list[str]:
    """Return all configs that a library can make: each class, then each with a mask."""
    return [*library.classes, *(f"{name}_mlm" for name in library.classes)]


def plan(settings: Settings) -> Plan:
    """Read and check the content of the configs that are asked for.

    Raises:
        WrongUse: a config is unknown; the error names the near one.
        DataRefused: a file of the content is faulty.
    """
    options = GenerateOptions(**settings.options)
    library = Library(options.templates)
    names = _config_names(settings.configs, library)
    counter = None if options.tokenizer is None else PieceCounter(options.tokenizer)
    contents: dict[str, Content] = {}
    left_out: dict[str, list[str]] = {}
    for name in names:
        content = library.content(name.removesuffix("_mlm"))
        if name.endswith("_mlm"):
            content, left_out[name] = _one_piece(content, counter)
        contents[name] = content
    return Plan(
        settings=settings, options=options, contents=contents, left_out=left_out, library=library
    )


def _config_names(asked_for: tuple[str, ...], library: Library) -> list[str]:
    """Return the configs that are asked for, else those of a user's classes, else all."""
    known = config_names(library)
    check_configs(asked_for, known)
    classes = library.user_classes() or library.classes
    default = [name for name in known if name.removesuffix("_mlm") in classes]
    return list(dict.fromkeys(asked_for)) or default


def _one_piece(content: Content, counter: PieceCounter | None) -> tuple[Content, list[str]]:
    """Keep the subjects that can stand at a mask in every template of the class.

    Without a tokenizer those of one word are kept: no space and no hyphen.
    """

    def fits(word: str) -> bool:
        if counter is None:
            return not {" ", "-"} & set(word)
        return counter.n_pieces(word) == 1

    kept, left_out = [], []
    for subject, words in subject_words(content):
        if all(fits(word) for word in words):
            kept.append(subject)
        else:
            left_out.append(str(subject.word))
    reduced = dataclasses.replace(content, subjects=kept)
    if not kept or not reduced.pairs():
        raise DataRefused(
            f"Of the subjects of {content.class_} only {len(kept)} are a single token for this"
            " tokenizer, so there is no pair for a masked config; choose another tokenizer."
        )
    return reduced, left_out


def prepare(settings: Settings) -> Prepared:
    """Read and check what a version is made of; rendering begins when its configs are taken."""
    ready = plan(settings)
    return Prepared(
        card=CARD,
        n_rows=ready.n_rows,
        provenance=ready.provenance(),
        construction=_construction_lines(ready),
        notes=_notes(ready),
        configs=lambda: (items(ready, name) for name in ready.contents),
    )


def _construction_lines(ready: Plan) -> list[str]:
    whose = "a user's" if ready.options.templates else "Evenhand's"
    lines = [f"Rendered from {whose} templates and word lists by `evenhand generate unqover`."]
    if ready.options.templates is None:
        lines.append(_SOURCES)
    classes = list(dict.fromkeys(name.removesuffix("_mlm") for name in ready.contents))
    lines += [
        f"Sources of `{content_name(path)}`: {sources}."
        for path in ready.library.lists(classes)
        if (sources := describe_sources([path]))
    ]
    if ready.options.header:
        lines.append(f"Each paragraph begins with the news header `{NEWS_HEADER.strip()}`.")
    if ready.left_out:
        lines.append(_rule(ready).capitalize() + ".")
    lines += [
        f"Left out of `{name}`: {', '.join(words)}."
        for name, words in ready.left_out.items()
        if words
    ]
    return lines


def _notes(ready: Plan) -> list[str]:
    lines = []
    if ready.left_out and ready.options.tokenizer is None:
        lines.append(
            f"no --tokenizer: {_rule(ready)}; `predict` refuses those that are several tokens."
        )
    what = "one word" if ready.options.tokenizer is None else "a single token"
    lines += [
        f"{name}: left out, since they are not {what}: {', '.join(words)}"
        for name, words in ready.left_out.items()
        if words
    ]
    return lines


def _rule(ready: Plan) -> str:
    if ready.options.tokenizer is None:
        return "masked configs use all subjects of one word"
    return "masked configs use the subjects that the tokenizer encodes as a single token"


def items(ready: Plan, config: str) -> ConfigRows:
    """Render one config of a plan into rows that are ready to be written."""
    header = HEADERS[ready.options.header] if ready.options.header else ""
    grid = build_grid(config, ready.contents[config], header=header)
    return config_rows(grid, limit=ready.settings.limit, seed=ready.settings.seed)


def config_rows(grid: Grid, *, limit: int | None, seed: int) -> ConfigRows:
    """Return the rows of a grid, or of a sample of complete examples."""
    examples = spread_sample(grid, grid.n_examples if limit is None else limit, seed)
    return ConfigRows(
        name=grid.config,
        n_rows=len(examples) * QUESTIONS_PER_EXAMPLE,
        n_examples=len(examples),
        batches=lambda: grid.batches(examples),
        statistics=grid_statistics(grid, examples),
    )


def catalogue() -> Iterator[dict[str, Any]]:
    """Yield one row per config: its counts, without rendering anything."""
    ready = plan(Settings())
    for name, content in ready.contents.items():
        yield {
            "config": name,
            "rows": content.n_examples * QUESTIONS_PER_EXAMPLE,
            "examples": content.n_examples,
            "templates": len(content.templates),
            "subjects": len(content.subjects),
            "attributes": len(content.attributes),
        }
