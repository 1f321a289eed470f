"""Workers that live as long as the test session; one that dies or hangs is a finding."""

import contextlib
import json
import os
import queue
import select
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

LIMIT_BYTES = 2 << 30
"""Of address space, beyond what the libraries take: a backstop; the use itself is measured."""
PATIENCE_SECONDS = 240.0
"""After so long a command is taken to hang; other work may share the processors."""

_WORKER = Path(__file__).with_name("worker.py")


@dataclass(frozen=True)
class Ran:
    """What came of a command."""

    words: tuple[str, ...]
    code: int
    escaped: str | None
    """An exception that the command line let through, or how the process ended."""
    out: str
    err: str
    seconds: float
    """Of the processor."""
    peak_bytes: int


class Pool:
    """A few workers."""

    def __init__(self, size: int, *, limit_bytes: int = LIMIT_BYTES) -> None:
        """Start the workers."""
        self._limit = limit_bytes
        self._free: queue.SimpleQueue[subprocess.Popen[str]] = queue.SimpleQueue()
        self._threads = ThreadPoolExecutor(size)
        for _ in range(size):
            self._free.put(self._started())

    def run(self, *commands: Sequence[str]) -> list[Ran]:
        """Run commands side by side and return what came of each."""
        return list(self._threads.map(self._ran, commands))

    def close(self) -> None:
        """End the workers."""
        self._threads.shutdown()
        while not self._free.empty():
            worker = self._free.get()
            _stdin(worker).close()
            worker.wait(timeout=30)
            _stdout(worker).close()

    def _started(self) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, str(_WORKER), str(self._limit)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            # Stacks and arenas of many threads are address space that says nothing of the use.
            env={**os.environ, "POLARS_MAX_THREADS": "1", "MALLOC_ARENA_MAX": "2"},
        )

    def _ran(self, words: Sequence[str]) -> Ran:
        worker = self._free.get()
        try:
            _stdin(worker).write(json.dumps(list(words)) + "\n")
            _stdin(worker).flush()
            is_ready, _, _ = select.select([_stdout(worker)], [], [], PATIENCE_SECONDS)
            answer = _stdout(worker).readline() if is_ready else ""
        except BrokenPipeError:
            answer, is_ready = "", [worker]
        if answer:
            ran = Ran(words=tuple(words), **json.loads(answer))
            if ran.escaped is None and "internal error" not in ran.err:
                self._free.put(worker)
                return ran
            # What went wrong once may go wrong again for that alone.
            _ended(worker, is_hanging=True)
            self._free.put(self._started())
            return ran
        how = _ended(worker, is_hanging=not is_ready)
        self._free.put(self._started())
        return Ran(tuple(words), -1, how, "", "", PATIENCE_SECONDS, 0)


def _ended(worker: "subprocess.Popen[str]", *, is_hanging: bool) -> str:
    """End a worker that gave no answer, and say what was wrong with it."""
    if is_hanging:
        worker.kill()
    code = worker.wait(timeout=30)
    with contextlib.suppress(BrokenPipeError):  # what it did not read is still to be written
        _stdin(worker).close()
    _stdout(worker).close()
    if is_hanging:
        return f"no answer in {PATIENCE_SECONDS:.0f} s"
    return f"the process ended by {signal.Signals(-code).name if code < 0 else code}"


def _stdin(worker: "subprocess.Popen[str]"):
    assert worker.stdin is not None
    return worker.stdin


def _stdout(worker: "subprocess.Popen[str]"):
    assert worker.stdout is not None
    return worker.stdout


@contextlib.contextmanager
def pool_of(size: int) -> Iterator[Pool]:
    """Yield a pool, and end its workers."""
    pool = Pool(size)
    try:
        yield pool
    finally:
        pool.close()
