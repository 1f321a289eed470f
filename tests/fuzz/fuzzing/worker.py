"""A long-lived process that runs the command line again and again, under a limit of memory.

A line of JSON on stdin is a command; a line on the first stdout is what came of it. The libraries
are imported once. What a command writes to file descriptors 1 and 2 is caught, so that words of a
library that passes by Python are seen too.
"""

import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

_REFERENCES = Path("/proc/self/clear_refs")
_STATUS = Path("/proc/self/status")
_LONGEST = 1 << 20
"""So much of what a command writes is handed back."""


def serve(limit_bytes: int) -> None:
    """Answer commands until stdin ends."""
    from evenhand.contract import STEMS
    from evenhand.scorer.benchmark import benchmark

    for stem in STEMS:
        benchmark(stem).part("scoring")
    resource.setrlimit(resource.RLIMIT_AS, (_kilobytes("VmSize") * 1024 + limit_bytes,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    answers = os.fdopen(os.dup(1), "w")
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        for line in sys.stdin:
            print(json.dumps(_run(json.loads(line), out.fileno(), err.fileno())), file=answers)
            answers.flush()


def _run(words: list[str], out: int, err: int) -> dict[str, Any]:
    from evenhand.contract.cli import main

    for own, place in ((out, 1), (err, 2)):
        os.ftruncate(own, 0)
        os.lseek(own, 0, os.SEEK_SET)
        os.dup2(own, place)
    # What Python gives a program whose output goes to a file or a terminal in UTF-8.
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
    _forget_peak()
    start, escaped = time.process_time(), None
    try:
        code = main(words)
    except BaseException as error:  # noqa: BLE001 - nothing may escape; what did is reported
        code, escaped = -1, f"{type(error).__name__}: {error}"[:500]
    sys.stdout.flush()
    sys.stderr.flush()
    return {
        "code": code,
        "escaped": escaped,
        "out": _text(out),
        "err": _text(err),
        "seconds": time.process_time() - start,
        "peak_bytes": _kilobytes("VmHWM") * 1024,
    }


def _text(place: int) -> str:
    return os.pread(place, _LONGEST, 0).decode(errors="replace")


def _forget_peak() -> None:
    """Make the system count the greatest use of memory from here."""
    if _REFERENCES.exists():
        _REFERENCES.write_text("5", encoding="ascii")


def _kilobytes(name: str) -> int:
    if not _STATUS.exists():
        return 0
    for line in _STATUS.read_text(encoding="utf-8").splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1])
    return 0


if __name__ == "__main__":
    serve(int(sys.argv[1]))
