"""What a benchmark is on the generator's side: a folder, its declaration and its parts.

The folder ``<stem>/`` declares ``BENCHMARK``, which imports nothing heavy, and holds modules of
fixed names that are imported when a command needs them:

========================  ==========================================================
``card``                  ``CARD``
``generate``              ``prepare(settings)`` and ``catalogue()``
``official``              ``prepare_import(settings)``
``mine``                  ``mine(settings, reporter)``, where ``mine`` is offered
``harness_task``          ``TASK``, where ``export-task`` is offered
========================  ==========================================================

What a benchmark alone can be told stands in its options; the commands add, explain and refuse them.
"""

import importlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from evenhand.contract import STEMS, WrongUse
from evenhand.contract.options import Option

if TYPE_CHECKING:
    from evenhand.generator.build import ConfigRows
    from evenhand.generator.card import Card
    from evenhand.generator.progress import Reporter


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a call of ``generate`` or ``show`` asks of a benchmark."""

    configs: tuple[str, ...] = ()
    """Empty: all configs, or those of which a user's content holds a part."""
    seed: int = 0
    limit: int | None = None
    """Complete examples per config."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """The benchmark's options by name; one that is left out has its default."""


@dataclass(frozen=True, kw_only=True)
class ImportSettings(Settings):
    """What a call of ``import`` asks of a benchmark."""

    source: Path
    """The release, or what an option names in its place."""


@dataclass(frozen=True, kw_only=True)
class MineSettings:
    """What a call of ``mine`` asks of a benchmark."""

    corpus: list[Path]
    out: Path
    overwrite: bool = False
    workers: int = 1
    limit: int | None = None
    """Documents."""
    text_field: str
    options: Mapping[str, Any] = field(default_factory=dict)
    """The benchmark's options by name; one that is left out has its default."""


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """A version whose content was read and checked, ready to be rendered and written."""

    card: "Card"
    n_rows: int
    provenance: dict[str, Any]
    construction: list[str]
    """Sentences for the card's section on how it was made."""
    notes: list[str]
    """Lines for the person who runs the command."""
    configs: "Callable[[], Iterator[ConfigRows]]"
    """Renders the configs one after the other."""
    known_faults: tuple[str, ...] = ()
    """Faults of these rows, for the card."""


@dataclass(frozen=True, kw_only=True)
class HarnessTask:
    """How lm-evaluation-harness asks and scores the rows of a benchmark."""

    prompt: Mapping[str, Any]
    """The harness's fields for question and answers: ``output_type``, ``doc_to_text``, ..."""
    metrics: Mapping[str, bool | None]
    """Metric -> whether more is better; null where neither is, and the harness draws no arrow."""
    code: Path
    """A module with ``process_results`` and a function for each metric, which is copied."""


class CardModule(Protocol):
    """``<stem>/card.py``."""

    CARD: "Card"


class GenerateModule(Protocol):
    """``<stem>/generate.py``."""

    def prepare(self, settings: Settings) -> Prepared:
        """Read and check the content of a generated version."""

    def catalogue(self) -> Iterator[dict[str, Any]]:
        """Yield one row per config with its counts, without rendering."""


class OfficialModule(Protocol):
    """``<stem>/official.py``."""

    def prepare_import(self, settings: ImportSettings) -> Prepared:
        """Read and check an official release."""


class MineModule(Protocol):
    """``<stem>/mine.py``."""

    def mine(self, settings: MineSettings, reporter: "Reporter") -> str:
        """Mine a corpus into a file and return a sentence on what was written."""


class HarnessTaskModule(Protocol):
    """``<stem>/harness_task.py``."""

    TASK: HarnessTask


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    """The declaration of one benchmark."""

    stem: str
    title: str
    options: tuple[Option, ...]
    """Of ``generate`` (and ``show``), ``import`` and ``mine``."""
    offers: frozenset[str] = frozenset()
    """The commands that not every benchmark has and this one does: ``mine``, ``export-task``."""
    examples: Mapping[str, str]
    """Command -> the words behind ``evenhand COMMAND`` of an example for ``--help``."""
    release: str
    """What ``import --from`` names, for ``--help``."""
    sources: tuple[str, ...] = ()
    """Flags of ``import`` that name something to import in place of ``--from``."""
    text_columns: tuple[str, ...]
    """The columns that ``show`` prints for people, in order."""
    rows_per_example: int = 1
    """The least number of rows that an example has."""
    template_column: str | None = None
    """The column that tells which template a row was made from, where there is one."""

    @property
    def card(self) -> CardModule:
        """What is said about the benchmark."""
        return cast("CardModule", self._part("card"))

    @property
    def generate(self) -> GenerateModule:
        """How a version is rendered from templates and lists."""
        return cast("GenerateModule", self._part("generate"))

    @property
    def official(self) -> OfficialModule:
        """How an official release is imported."""
        return cast("OfficialModule", self._part("official"))

    @property
    def mine(self) -> MineModule:
        """How a corpus is mined."""
        return cast("MineModule", self._part("mine"))

    @property
    def harness_task(self) -> HarnessTaskModule:
        """How lm-evaluation-harness asks and scores the rows."""
        return cast("HarnessTaskModule", self._part("harness_task"))

    def _part(self, name: str) -> object:
        return importlib.import_module(f"evenhand.generator.{self.stem}.{name}")


def benchmark(stem: str) -> Benchmark:
    """Return the declaration of a benchmark."""
    declared: Benchmark = importlib.import_module(f"evenhand.generator.{stem}").BENCHMARK
    return declared


def benchmark_that_offers(command: str, stem: str) -> Benchmark:
    """Return the declaration of a benchmark that has a command which not every one has.

    Raises:
        WrongUse: it does not have it; the sentence names those that do.
    """
    declared = benchmark(stem)
    if command not in declared.offers:
        raise WrongUse(
            f"`evenhand {command}` is not offered for {stem}, only for"
            f" {', '.join(stems_that_offer(command))}."
        )
    return declared


def stems_that_offer(command: str) -> tuple[str, ...]:
    """Return the benchmarks that have a command which not every one has."""
    return tuple(stem for stem in STEMS if command in benchmark(stem).offers)


def declared_options() -> dict[str, tuple[Option, ...]]:
    """Return benchmark -> its options, of all commands."""
    return {stem: benchmark(stem).options for stem in STEMS}


def examples(command: str) -> str:
    """Return the benchmarks' examples of a command, one per line, for ``--help``."""
    tails = [benchmark(stem).examples.get(command) for stem in STEMS]
    return "\n  ".join(f"evenhand {command} {tail}" for tail in tails if tail)
