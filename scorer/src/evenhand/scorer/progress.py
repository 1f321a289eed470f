"""Progress on stderr: a bar on a terminal, a line every ten seconds in a log."""

import sys
import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars

_SECONDS_BETWEEN_LINES = 10.0


class Progress:
    """Counts the rows of one piece of work."""

    def __init__(self, label: str, *, total: int) -> None:
        """Start counting to ``total`` rows."""
        self._label, self._total, self._done = label, total, 0
        self._said = time.monotonic()
        console = Console(stderr=True, highlight=False, markup=False)
        self._bars = Bars(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._bars.add_task(label, total=total)

    def __enter__(self) -> Self:
        """Show the bar."""
        self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take the bar away."""
        self._bars.stop()

    def say(self, line: str) -> None:
        """Write one line."""
        if self._bars.disable:
            print(line, file=sys.stderr, flush=True)
        else:
            self._bars.console.print(line, soft_wrap=True)

    def advance(self, rows: int) -> None:
        """Go on by some rows."""
        self._done += rows
        self._bars.advance(self._task, rows)
        if self._bars.disable and time.monotonic() - self._said > _SECONDS_BETWEEN_LINES:
            self._said = time.monotonic()
            self.say(f"{self._label}: {self._done:,} of {self._total:,} rows")
