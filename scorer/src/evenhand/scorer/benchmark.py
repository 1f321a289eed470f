"""What every benchmark declares on the scorer's side, and how general code reaches its parts.

A benchmark is the folder ``evenhand.scorer.<stem>``. Its ``BENCHMARK`` holds what can be said
without opening a heavy library; the rest stands in modules of fixed names, each of which plugs into
the general module of the same name: ``specs``, ``scoring``, ``comparable``, ``blank``, ``report``,
and ``ask`` into ``predict``. Only the part that a command needs is imported.
"""

import importlib
from dataclasses import dataclass
from typing import Any, cast

from evenhand.contract import STEMS, DataRefused
from evenhand.contract.options import Option
from evenhand.contract.tables import printable
from evenhand.scorer.specs import MetricSpec


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    """One benchmark."""

    stem: str
    """Name of its folder, first part of its metric ids."""
    title: str
    """Name for people."""
    hub_task: str
    """The Hub's name of the task, where the predictions do not state one."""
    reads: tuple[str, ...] = ()
    """Yields of general readers that the benchmark takes, e.g. ``answers``."""
    reader_modules: tuple[str, ...] = ("predictions",)
    """Modules of the benchmark's folder that declare a ``READER``, that of our formats first."""
    options: tuple[Option, ...] = ()
    """Options of the commands that this benchmark has."""
    row_counts: tuple[str, ...] = ()
    """Metrics whose rows are disjoint and together are all rows."""
    compares_datasets: bool = False
    """True where runs of one model on several datasets are meant to be compared."""

    @property
    def metrics(self) -> tuple[MetricSpec, ...]:
        """What is always true of its metrics, in the order of the metric JSON."""
        return cast("tuple[MetricSpec, ...]", self.part("specs").METRICS)

    def part(self, name: str) -> Any:
        """Import a module of the benchmark, e.g. ``ask``; the caller knows its protocol."""
        return importlib.import_module(f"evenhand.scorer.{self.stem}.{name}")


def benchmark(stem: str) -> Benchmark:
    """Return the declaration of a benchmark.

    Raises:
        DataRefused: this version has no such benchmark; a later one may.
    """
    if stem not in STEMS:
        raise DataRefused(
            f"The benchmark {printable(stem)!r} is not one of this version ({', '.join(STEMS)});"
            " a later version of Evenhand may have it."
        )
    return cast("Benchmark", importlib.import_module(f"evenhand.scorer.{stem}").BENCHMARK)


def declared_options() -> dict[str, tuple[Option, ...]]:
    """Return the options of every benchmark, for all commands."""
    return {stem: benchmark(stem).options for stem in STEMS}
