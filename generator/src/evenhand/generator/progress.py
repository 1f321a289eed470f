"""Progress on stderr: a bar on a terminal, plain lines in a log."""

import sys
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


class Reporter:
    """Says on stderr what is being done and how far it is."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False, markup=False)
        self._progress: Progress | None = None
        if self._console.is_terminal:
            self._progress = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
                console=self._console,
                transient=True,
            )

    def __enter__(self) -> Self:
        """Show the bars."""
        if self._progress is not None:
            self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take the bars away."""
        if self._progress is not None:
            self._progress.stop()

    def say(self, line: str) -> None:
        """Write one line."""
        if self._progress is not None:
            self._progress.console.print(line, soft_wrap=True)
        else:
            print(line, file=sys.stderr, flush=True)

    def bar(self, label: str, total: int) -> "Bar":
        """Start a bar of ``total`` steps (nothing is shown in a log)."""
        return Bar(self._progress, label, total)


class Bar:
    """One bar; it goes with its reporter."""

    def __init__(self, progress: Progress | None, label: str, total: int) -> None:
        self._progress = progress
        self._task = progress.add_task(label, total=total) if progress is not None else None

    def advance(self, n: int) -> None:
        """Go on by ``n`` steps."""
        if self._progress is not None and self._task is not None:
            self._progress.advance(self._task, n)
