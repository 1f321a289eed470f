"""Units mined by processes; what each gave lies in a file of its own, whole or not at all."""

import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import msgspec

from evenhand.contract.errors import DataRefused
from evenhand.contract.files import write_atomically
from evenhand.generator.bvf.contexts import Context
from evenhand.generator.bvf.frequencies import Occurrences
from evenhand.generator.bvf.languages import MiningRules, rules_for
from evenhand.generator.bvf.topics import NamedTopic
from evenhand.generator.bvf.units import Unit, UnitYield, mine_unit
from evenhand.generator.parse import Parser, load_parser
from evenhand.generator.progress import Reporter

_UNITS_PER_PROCESS = 2
"""Units that are handed out ahead: none is idle, and few are held in memory."""

_UNITS_PER_FOLDER = 1000
_UNITS_PER_LINE = 50
"""Progress is said each time so many units are done."""


@dataclass(frozen=True, kw_only=True)
class Tools:
    """What a process mines with; it can be sent to one."""

    topic: NamedTopic
    occupations: Path | None
    model: str
    language: str
    coreference: str | None
    rules: Path | None = None
    counted_words: tuple[str, ...] = ()
    """Subjects whose occurrences in the corpus are counted."""

    def load(self) -> "Miner":
        """Load rules and model."""
        rules = rules_for(
            self.language,
            self.topic,
            self.occupations,
            has_coreference=self.coreference is not None,
            folder=self.rules,
        )
        occurrences = Occurrences(self.counted_words) if self.counted_words else None
        return Miner(rules, load_parser(self.model, self.coreference), occurrences)


class Miner:
    """Mines units into files."""

    def __init__(
        self, rules: MiningRules, parser: Parser, occurrences: Occurrences | None = None
    ) -> None:
        self._rules = rules
        self._parser = parser
        self._occurrences = occurrences

    def mine(self, unit: Unit, path: Path) -> UnitYield:
        """Mine a unit and write what it gave."""
        unit_yield = mine_unit(unit, self._rules, self._parser, self._occurrences)
        write_atomically(path, msgspec.json.encode(unit_yield))
        return unit_yield


class Shards:
    """The files of a corpus's units.

    Args:
        folder: where they lie.
        tools: to mine those that are missing.
        workers: processes; 1 for this one alone.
        reporter: is told how far it is.
    """

    def __init__(self, folder: Path, tools: Tools, workers: int, reporter: Reporter) -> None:
        self._folder = folder
        self._tools = tools
        self._workers = workers
        self._reporter = reporter
        self._n_units = 0

    def mine(self, units: Iterable[Unit]) -> Iterator[UnitYield]:
        """Yield what each unit gave, in order; those that are there are not mined again."""
        n_sentences = n_parsed = 0
        for unit_yield in self._in_process(units) if self._workers == 1 else self._in_pool(units):
            self._n_units += 1
            n_sentences += unit_yield.n_sentences
            n_parsed += unit_yield.n_parsed
            if self._n_units % _UNITS_PER_LINE == 0:
                self._reporter.say(
                    f"{n_sentences:,} sentences read, {n_parsed:,} of them parsed"
                    f" ({self._n_units:,} units)"
                )
            yield unit_yield

    def streams(self) -> list[Callable[[], Iterable[Context]]]:
        """Return a function for each unit that opens its contexts."""
        return [partial(_contexts, self._path(number)) for number in range(self._n_units)]

    def _path(self, number: int) -> Path:
        folder = self._folder / f"{number // _UNITS_PER_FOLDER:06d}"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{number:09d}.json"

    def _in_process(self, units: Iterable[Unit]) -> Iterator[UnitYield]:
        miner: Miner | None = None
        for unit in units:
            path = self._path(unit.number)
            if path.is_file():
                yield _read(path)
            else:
                miner = miner or self._tools.load()
                yield miner.mine(unit, path)

    def _in_pool(self, units: Iterable[Unit]) -> Iterator[UnitYield]:
        """Hand units to processes, a few ahead of what is taken."""
        if self._tools.coreference is not None:
            # A component that is missing is said here, in one sentence, and not by a broken pool.
            self._tools.load()
        # `spawn` on every system: a forked process would inherit the threads' locks.
        pool = ProcessPoolExecutor(
            self._workers, get_context("spawn"), initializer=_start, initargs=(self._tools,)
        )
        waiting: deque[Future[UnitYield] | Path] = deque()
        try:
            for unit in units:
                path = self._path(unit.number)
                waiting.append(path if path.is_file() else pool.submit(_mine, unit, path))
                if len(waiting) >= _UNITS_PER_PROCESS * self._workers:
                    yield _result(waiting.popleft())
            while waiting:
                yield _result(waiting.popleft())
        except BrokenProcessPool as error:
            raise DataRefused(
                "A mining process ended before its work was done, perhaps for want of memory;"
                " run the command again with fewer --workers and it resumes where it stopped."
            ) from error
        finally:
            pool.shutdown(cancel_futures=True)


def _result(waiting: Future[UnitYield] | Path) -> UnitYield:
    return _read(waiting) if isinstance(waiting, Path) else waiting.result()


def _read(path: Path) -> UnitYield:
    return msgspec.json.decode(path.read_bytes(), type=UnitYield)


def _contexts(path: Path) -> Iterable[Context]:
    return _read(path).contexts


_miner: Miner | None = None
"""Of this process, where it is one of the pool."""


def _start(tools: Tools) -> None:
    """Make a process of the pool ready."""
    global _miner  # noqa: PLW0603 - a process of a pool has no other place for what it loads once
    # Ctrl-C goes to all processes; the one that started the others says what there is to say.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _miner = tools.load()


def _mine(unit: Unit, path: Path) -> UnitYield:
    assert _miner is not None
    return _miner.mine(unit, path)
