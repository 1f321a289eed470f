"""The readers: those of this package, and those in the folders of benchmarks.

Modules are imported on demand, so ``--help`` of a command costs none of them.
"""

import importlib
import pkgutil
from collections.abc import Iterable, Iterator

from evenhand.contract import STEMS, WrongUse
from evenhand.scorer import readers as package
from evenhand.scorer.benchmark import Benchmark, benchmark
from evenhand.scorer.readers.reader import OURS, Reader


def general_readers() -> tuple[Reader, ...]:
    """Return the general readers by name, the fallback last."""
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
    modules = (importlib.import_module(f"{package.__name__}.{name}") for name in names)
    declared = (getattr(module, "READER", None) for module in modules)
    readers = [reader for reader in declared if isinstance(reader, Reader)]
    return tuple(sorted(readers, key=lambda reader: (reader.is_fallback, reader.name)))


def benchmark_readers(declared: Benchmark) -> Iterator[Reader]:
    """Yield the readers in a benchmark's folder, that of Evenhand's format first."""
    for name in declared.reader_modules:
        yield declared.part(name).READER


def offered_readers(declared: Benchmark) -> tuple[Reader, ...]:
    """Return a benchmark's readers: those in its folder, and general ones whose yield it takes."""
    general = (reader for reader in general_readers() if reader.yields in declared.reads)
    return (*benchmark_readers(declared), *general)


def known_readers(declared: Benchmark | None = None) -> tuple[Reader, ...]:
    """Return every reader whose files can be recognised.

    Args:
        declared: the benchmark at hand. Files of the others are recognised to be refused by name,
            but their rows in Evenhand's format are not distinguished from other tables, and a
            fallback that the benchmark does not take is left out.
    """
    if declared is None:
        stems = (benchmark(stem) for stem in STEMS)
        readers = (reader for one in stems for reader in benchmark_readers(one))
        return (*readers, *general_readers())
    others = (benchmark(stem) for stem in STEMS if stem != declared.stem)
    foreign = (reader for other in others for reader in benchmark_readers(other))
    formats = (reader for reader in foreign if reader.name != OURS)
    general = (
        reader
        for reader in general_readers()
        if reader.yields in declared.reads or not reader.is_fallback
    )
    return (*benchmark_readers(declared), *formats, *general)


def spellings(readers: Iterable[Reader]) -> tuple[str, ...]:
    """Return all values of ``--reader`` that name these readers."""
    return tuple(spelling for reader in readers for spelling in reader.spellings())


def chosen_reader(declared: Benchmark, spelling: str) -> tuple[Reader, str | None]:
    """Return the reader that ``--reader`` names, and the choice after its name.

    Raises:
        WrongUse: the benchmark has no such reader, or the reader no such choice.
    """
    readers = offered_readers(declared)
    for reader in readers:
        if reader.takes(spelling):
            return reader, spelling.partition(":")[2] or None
    raise WrongUse(
        f"There is no --reader {spelling}; there are: auto, {', '.join(spellings(readers))}."
    )
