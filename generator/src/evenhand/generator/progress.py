"""Progress on stderr: bars on a terminal, plain lines in a log."""

import sys
from collections.abc import Callable
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


class Reporter:
    """Says on stderr what is being done and how far it is."""

    def __init__(self) -> None:
        console = Console(stderr=True, highlight=False, markup=False)
        self._bars = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )

    def __enter__(self) -> Self:
        """Show the bars."""
        self._bars.start()
        return self

    def __exit__(self, *error: object) -> None:
        """Take the bars away."""
        self._bars.stop()

    def say(self, line: str) -> None:
        """Write one line."""
        if self._bars.disable:
            print(line, file=sys.stderr, flush=True)
        else:
            self._bars.console.print(line, soft_wrap=True)

    def bar(self, label: str, total: int) -> Callable[[int], None]:
        """Start a bar of ``total`` steps, none in a log; return what moves it on by some steps."""
        task = self._bars.add_task(label, total=total)
        return lambda steps: self._bars.advance(task, steps)
