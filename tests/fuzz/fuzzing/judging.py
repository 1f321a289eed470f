"""What must be true of every command, and of every number that comes out of one."""

import json
import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fuzzing.bases import Base
from fuzzing.pool import Pool, Ran
from fuzzing.reading import Undecided, Unreadable
from fuzzing.stems import Stem

PEAK_BYTES = 1 << 30
SECONDS = 15.0
"""Of the processor."""
LONGEST_SENTENCE = 1500
RESAMPLES = "40"

SCORED, REFUSED, MISUSED, UNDECIDED = "scored", "refused", "misused", "undecided"

_READER = re.compile(r"^reader: (\S+) \(", re.MULTILINE)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_BROKEN = ("internal error", "Traceback", "panicked", "memory allocation", "Exception ignored")
_CLOSE = 1e-9


@dataclass
class Case:
    """One damaged file on the disk."""

    name: str
    """Which damage to which file, for a person."""
    base: Base
    """The file as it was."""
    damaged: Base
    paths: list[Path]
    """The damaged file, and those that are given with it."""


@dataclass
class Verdict:
    """What came of a case."""

    case: Case
    outcome: str
    faults: list[str] = field(default_factory=list)
    """What must not be; empty where all is well."""
    seconds: float = 0.0
    peak_bytes: int = 0
    sentence: str = ""


def judge(case: Case, pool: Pool, stem: Stem, folder: Path) -> Verdict:
    """Check and score a file, and compare what came out with the reference."""
    dataset, paths = case.damaged.dataset or str(folder), [str(path) for path in case.paths]
    out = case.paths[0].with_name("metrics.json")
    choice = ["--reader", case.damaged.reader] if case.damaged.reader != "auto" else []
    checked, scored = pool.run(
        ["check", dataset, *paths, *choice],
        ["score", dataset, "--predictions", *paths, *choice, "--resamples", RESAMPLES,
         "--out", str(out)],
    )  # fmt: skip
    verdict = Verdict(case, SCORED if scored.code == 0 else REFUSED)
    verdict.seconds = max(checked.seconds, scored.seconds)
    verdict.peak_bytes = max(checked.peak_bytes, scored.peak_bytes)
    verdict.sentence = scored.err
    for ran in (checked, scored):
        verdict.faults += [f"{ran.words[0]}: {fault}" for fault in _faults(ran)]
    if scored.code == 2:
        verdict.outcome = MISUSED
    # Incomplete examples of the original are listed by one, and left out and said by the other.
    is_incomplete = "examples without their other order" in checked.out
    if checked.code != scored.code and not is_incomplete:
        verdict.faults.append(f"check ended in {checked.code}, score in {scored.code}")
    if scored.code != 0 and out.exists():
        verdict.faults.append("score was refused and wrote a file")
    if scored.code == 0:
        _compare(verdict, stem, scored, out)
    return verdict


def _faults(ran: Ran) -> list[str]:
    if ran.escaped is not None:
        return [f"escaped: {ran.escaped}"]
    found = []
    if ran.code not in {0, 1, 2}:
        found.append(f"exit code {ran.code}")
    found += [f"says {word!r}: {ran.err[:400]}" for word in _BROKEN if word in ran.err + ran.out]
    if ran.seconds > SECONDS:
        found.append(f"took {ran.seconds:.1f} s")
    if ran.peak_bytes > PEAK_BYTES:
        found.append(f"took {ran.peak_bytes >> 20} MiB")
    if match := _CONTROL.search(ran.err + ran.out):
        found.append(f"wrote the control character {match[0]!r}")
    return found + _sentence_faults(ran)


def _sentence_faults(ran: Ran) -> list[str]:
    """Check that a refusal is one sentence in one line, and that `check` lists its faults."""
    said = [line for line in ran.err.splitlines() if not line.startswith(("reader: ", "note: "))]
    lengths = [len(line) for line in ran.err.splitlines()]
    found = (
        [f"a line of {max(lengths)} characters"]
        if max(lengths, default=0) > LONGEST_SENTENCE
        else []
    )
    if ran.code == 0:
        return found
    own = [line for line in said if line.startswith("evenhand: ")]
    if ran.words[0] == "check" and not own:
        is_listed = ran.out.strip() and any("of fault" in line for line in said)
        return found if is_listed else [*found, f"no fault is listed: {ran.err!r}"]
    if len(own) != 1 or len(said) != 1:
        found.append(f"not one sentence: {ran.err[:400]!r}")
    return found


def _compare(verdict: Verdict, stem: Stem, scored: Ran, out: Path) -> None:
    match = _READER.search(scored.err)
    base = verdict.case.damaged
    reader = match[1] if match else base.reader if base.reader != "auto" else "evenhand"
    found = numbers_of(json.loads(out.read_text(encoding="utf-8")))
    try:
        possible = stem.expected(reader, verdict.case.paths, base)
    except Unreadable as reason:
        if not _is_as_it_was(found, verdict.case, stem, out.parent):
            verdict.faults.append(f"scored by {reader}, but the reference cannot: {reason}")
        return
    except Undecided:
        verdict.outcome = UNDECIDED
        return
    wrong = [difference(found, numbers) for numbers in possible]
    if all(wrong):
        verdict.faults.append(f"another number than the reference's: {min(wrong, key=len)[:5]}")


def _is_as_it_was(found: dict[Any, Any], case: Case, stem: Stem, folder: Path) -> bool:
    """Say whether Parquet gives what it gave undamaged.

    Two libraries pass by different damage, to what neither needs: statistics, names of writers.
    """
    if not case.damaged.name.endswith(".parquet"):
        return False
    path = folder / f"undamaged.{case.base.name}"
    path.write_bytes(case.base.content)
    reader = (
        "lighteval"
        if "details" in case.base.name
        else "table"
        if "table" in path.name
        else "evenhand"
    )
    return any(not difference(found, own) for own in stem.expected(reader, [path], case.base))


def numbers_of(report: dict[str, Any]) -> dict[tuple[str, str, str, str], Any]:
    """Return every value and count of a metric JSON."""
    found = {}
    for metric in report["metrics"]:
        own = (metric["id"], metric["config"])
        found[*own, "", ""] = metric["value"]
        found[*own, "n", "scored"] = metric["n_scored"]
        found[*own, "n", "unscored"] = metric["n_unscored"]
        for dimension, groups in metric["by"].items():
            for name, group in groups.items():
                found[*own, dimension, name] = group["value"]
    return found


def difference(found: dict[Any, Any], numbers: dict[Any, Any]) -> list[str]:
    """Return where a metric JSON differs from the reference's numbers."""
    wrong = []
    for key, value in numbers.items():
        other = found.get(key, "nothing")
        is_same = other == value or (
            isinstance(other, int | float)
            and isinstance(value, int | float)
            and math.isclose(other, value, rel_tol=_CLOSE, abs_tol=_CLOSE)
        )
        if not is_same:
            wrong.append(f"{key}: {other} for {value}")
    return wrong
