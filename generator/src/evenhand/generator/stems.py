"""What every benchmark offers on the generator's side, and how a command gets at it."""

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, cast

from evenhand.generator.build import ConfigRows
from evenhand.generator.card import Card


@dataclass(frozen=True, kw_only=True)
class Options:
    """What a call of ``generate`` or ``show`` asks for."""

    configs: tuple[str, ...] = ()
    """Empty: all configs; with a folder of templates, those of which it holds a part."""
    seed: int = 0
    limit: int | None = None
    """Complete examples a config."""
    templates: Path | None = None
    tokenizer: Path | None = None
    header: str | None = None
    contexts: Path | None = None
    """BVF: mined contexts; None for ours."""
    topic: str | None = None
    """BVF: a topic's name, or the file of one's own."""
    subjects: Path | None = None
    """BVF: what contexts are filled with; None for the paper's occupations."""
    orders: tuple[str, ...] = ()
    """BVF: where the read word stands; empty for what suits the topic."""
    protocol: str | None = None
    language: str | None = None
    """BVF: of contexts whose file does not say it; None for English."""


@dataclass(frozen=True, kw_only=True)
class ImportOptions:
    """What a call of ``import`` asks for."""

    source: Path
    configs: tuple[str, ...] = ()
    seed: int = 0
    limit: int | None = None
    header: str | None = None
    tokenizer_family: str = "bert"
    files: dict[str, list[str]] = field(default_factory=dict)
    """Names of files in place of the usual ones, by kind (``subjects``, ``slots``, ...)."""
    from_templates: bool = False
    """The source holds the release's templates (bbq), which are rendered."""
    substring_faults: bool = False
    keep_templates: Path | None = None
    """Where the templates are written as Jinja."""


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """A version that was read and checked and is ready to be rendered and written."""

    card: Card
    n_rows: int
    provenance: dict[str, Any]
    made: list[str]
    """Sentences for the card's section on how it was made."""
    notes: list[str]
    """Lines for the person who runs the command."""
    configs: Callable[[], Iterator[ConfigRows]]
    """Renders the configs one after the other."""
    known_faults: tuple[str, ...] = ()
    """Faults of these rows, for the card."""


class StemModule(Protocol):
    """The package of one benchmark."""

    CARD: Card

    def prepare(self, options: Options) -> Prepared:
        """Read and check the content of a generated version."""

    def prepare_import(self, options: ImportOptions) -> Prepared:
        """Read and check an official release."""

    def catalogue(self) -> Iterator[dict[str, Any]]:
        """Yield the counts of each config, without rendering."""


def stem_module(stem: str) -> StemModule:
    """Import the package of a benchmark."""
    return cast("StemModule", importlib.import_module(f"evenhand.generator.{stem}"))
