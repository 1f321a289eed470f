"""A few transfers at once, which Ctrl-C does not have to wait for.

huggingface_hub's own transfers of many files, and any pool of threads of the standard library, are
joined when the program ends: Ctrl-C would wait for the files that are on their way.
"""

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from queue import Empty, SimpleQueue
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

AT_ONCE = 4
"""Transfers; most of the time of a small file is spent waiting for answers."""

_LOOK_SECONDS = 0.2


def at_once(
    work: Callable[[Item], Result], items: Sequence[Item], *, n: int = AT_ONCE
) -> Iterator[Result]:
    """Do the work on all items in threads and yield each result as it comes.

    After an error no other item is begun, and those on the way are waited for. After Ctrl-C they
    are not: a large file would keep a person waiting for minutes.

    Raises:
        Exception: the first that the work raised.
    """
    waiting: SimpleQueue[Item] = SimpleQueue()
    done: SimpleQueue[tuple[Result, None] | tuple[None, Exception]] = SimpleQueue()
    is_over = threading.Event()
    for item in items:
        waiting.put(item)

    def go_on() -> None:
        while not is_over.is_set():
            try:
                item = waiting.get_nowait()
            except Empty:
                return
            try:
                done.put((work(item), None))
            except Exception as error:  # noqa: BLE001 - raised again where it is waited for
                done.put((None, error))

    # Daemons do not hold the program up when it ends; threads of a pool do.
    threads = [threading.Thread(target=go_on, daemon=True) for _ in range(min(n, len(items)))]
    for thread in threads:
        thread.start()
    try:
        for _ in items:
            yield _result(*_next(done))
    except Exception:
        is_over.set()
        for thread in threads:
            thread.join()
        raise
    finally:
        is_over.set()


def _next(done: "SimpleQueue[Item]") -> Item:
    """Wait, but look up now and then: Ctrl-C does not wake a thread that waits without end."""
    while True:
        with contextlib.suppress(Empty):
            return done.get(timeout=_LOOK_SECONDS)


def _result(result: Result | None, error: Exception | None) -> Result:
    if error is not None:
        raise error
    return result  # type: ignore[return-value]
