"""Damaged predictions: refused in one sentence, or scored as a slow reference scores them."""

import json
import os
import random
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fuzzing.bases import Base, lines_of, table_of
from fuzzing.cases import made, written
from fuzzing.damage import FAMILIES, KEEPS
from fuzzing.judging import MISUSED, REFUSED, SCORED, UNDECIDED, Verdict, judge
from fuzzing.stems import STEMS
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

SEED = int(os.environ.get("EVENHAND_FUZZ_SEED", "0"))
CASES = int(os.environ.get("EVENHAND_FUZZ_CASES", "500"))
"""How many in all; `make fuzz` runs ten times as many."""

DRAWN_CASES = CASES // 10
"""So many are drawn row by row, and made smaller where one fails."""
ROUNDS = 10
"""The damaged files come in so many parts, so that a failure shows before the end."""


class Judged:
    """What came of all cases so far."""

    def __init__(self, pool: Any, folders: dict[str, Path], bases: list[Base]) -> None:
        """Begin with none."""
        self.pool, self.folders, self.bases = pool, folders, bases
        self.outcomes: Counter[str] = Counter()
        self.kept: Counter[str] = Counter()
        self.slowest, self.largest = 0.0, 0

    def judge(self, name: str, base: Base, damaged: Base, folder: Path) -> Verdict:
        """Write a damaged file, run the commands on it, and keep it where something is wrong."""
        case, stem = written(name, base, damaged, folder), STEMS[base.stem]
        verdict = judge(case, self.pool, stem, self.folders[base.stem])
        self.outcomes[verdict.outcome] += 1
        self.slowest = max(self.slowest, verdict.seconds)
        self.largest = max(self.largest, verdict.peak_bytes)
        family = name.partition(": ")[2].partition(" of ")[0]
        if family in KEEPS:
            self.kept[f"{family} {verdict.outcome}"] += 1
        if not verdict.faults:
            shutil.rmtree(folder)
        return verdict

    def sentence(self) -> str:
        """Say what came of all cases in one line."""
        counts = ", ".join(f"{n} {name}" for name, n in sorted(self.outcomes.items()))
        return (
            f"fuzz: {self.outcomes.total()} damaged files, seed {SEED}: {counts};"
            f" slowest {self.slowest:.1f} s, largest {self.largest >> 20} MiB"
        )


@pytest.fixture(scope="module")
def judged(pool, folders, bases, tell) -> Iterator[Judged]:
    """Judge cases, and say at the end what came of them."""
    own = Judged(pool, folders, bases)
    yield own
    tell(own.sentence())


def told(verdicts: list[Verdict]) -> str:
    """Return what is wrong, with how to run each case again."""
    return "\n".join(
        f"{own.case.name} as {own.case.paths[0]}\n    " + "\n    ".join(own.faults)
        for own in verdicts
        if own.faults
    )


def test_undamaged_files_are_scored_as_the_reference_scores_them(judged, tmp_path: Path) -> None:
    """Every format of every benchmark is read, and the two ways of counting agree."""
    verdicts = [
        judged.judge(f"undamaged: {base.stem}/{base.name}", base, base, tmp_path / str(number))
        for number, base in enumerate(judged.bases)
    ]

    assert told(verdicts) == ""
    assert [own.case.name for own in verdicts if own.outcome != SCORED] == []


@pytest.mark.parametrize("part", range(ROUNDS))
def test_damaged_files_are_refused_or_scored_right(judged, tmp_path: Path, part: int) -> None:
    """No traceback, one sentence, under a GiB, within seconds, and never another number."""
    numbers = range(part, CASES - 2 * DRAWN_CASES, ROUNDS)

    verdicts = [
        judged.judge(*made(SEED, number, judged.bases), tmp_path / str(number))
        for number in numbers
    ]

    assert told(verdicts) == ""


_WORDS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.floats(0, 1),
    st.integers(-1, 3),
    st.text(max_size=8),
    st.sampled_from(
        ["", "A", "b", "(c)", "Not known", "1", "0.5", "\ud800", "\x1b[0m", "NaN", "="]
    ),
)
_VALUES = st.recursive(
    _WORDS,
    lambda own: st.lists(own, max_size=4) | st.dictionaries(st.text(max_size=4), own, max_size=3),
    max_leaves=6,
)
_FIELDS = st.sampled_from(
    ["id", "score_x1", "score_x2", "label", "answer", "scores", "context", "extra", "sample"]
)


def _rows(stem: str, bases: list[Base]) -> list[dict[str, Any]]:
    name = "mixed.jsonl" if stem == "bbq" else "scores.jsonl"
    own = next(base for base in bases if (base.stem, base.name) == (stem, name))
    return [json.loads(line) for line in own.content.splitlines()]


@seed(SEED)
@settings(
    max_examples=DRAWN_CASES,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(
    stem=st.sampled_from(["unqover", "bbq"]),
    changes=st.lists(st.tuples(st.integers(0, 10_000), _FIELDS, _VALUES), min_size=1, max_size=3),
)
def test_rows_with_any_values_are_refused_or_scored_right(
    judged, tmp_path_factory: pytest.TempPathFactory, stem: str, changes: list[Any]
) -> None:
    """Whatever JSON value stands in a field: it is one that may stand there, or it is refused."""
    rows = _rows(stem, judged.bases)
    for place, field, value in changes:
        rows[place % len(rows)][field] = value
    content = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    folder = tmp_path_factory.mktemp("drawn") / "case"

    drawn = Base(stem, "drawn.jsonl", content)
    verdict = judged.judge(f"drawn: {changes}", drawn, drawn, folder)

    assert told([verdict]) == ""


@seed(SEED)
@settings(
    max_examples=DRAWN_CASES,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(
    stem=st.sampled_from(["unqover", "bbq"]),
    suffix=st.sampled_from([".csv", ".tsv"]),
    changes=st.lists(
        st.tuples(
            st.integers(0, 10_000), st.integers(0, 10), st.text(max_size=6) | _WORDS.map(str)
        ),
        min_size=1,
        max_size=3,
    ),
)
def test_tables_with_any_cells_are_refused_or_scored_right(
    judged, tmp_path_factory: pytest.TempPathFactory, stem: str, suffix: str, changes: list[Any]
) -> None:
    """Whatever text stands in a cell, as it is and unquoted, also in the line of names."""
    name = "labels.csv" if stem == "bbq" else "scores.csv"
    own = next(base for base in judged.bases if (base.stem, base.name) == (stem, name))
    cells = [line.split(",") for line in own.content.decode().splitlines()]
    for row, column, text in changes:
        line = cells[row % len(cells)]
        line[column % len(line)] = text
    mark = "," if suffix == ".csv" else "\t"
    content = "".join(f"{mark.join(line)}\n" for line in cells).encode(errors="surrogatepass")
    folder = tmp_path_factory.mktemp("drawn") / "case"

    drawn = Base(stem, f"drawn{suffix}", content)
    verdict = judged.judge(f"drawn: {changes}", drawn, drawn, folder)

    assert told([verdict]) == ""


def test_what_says_the_same_is_scored(judged) -> None:
    """Blank lines, ends of lines, a byte order mark, another order of rows: none is refused."""
    wrong = {name: n for name, n in judged.kept.items() if not name.endswith(f" {SCORED}")}

    assert wrong == {}
    assert judged.kept.total() > CASES / 50


def test_the_damage_is_neither_too_small_nor_too_great(judged) -> None:
    """Files of both kinds come up, and the reference seldom leaves a case undecided."""
    total = judged.outcomes.total()

    assert judged.outcomes[SCORED] > total / 10
    assert judged.outcomes[REFUSED] + judged.outcomes[MISUSED] > total / 3
    assert judged.outcomes[UNDECIDED] < total / 50


def test_every_family_damages_some_file(bases) -> None:
    """A family that nothing fits would damage nothing in silence."""
    drawn = random.Random(SEED)  # noqa: S311 - nothing secret
    heavy = {"bomb", "long_line", "parquet_bomb"}
    names = [name for name in FAMILIES if name not in heavy]

    idle = [
        name
        for name in names
        if all(FAMILIES[name](base, drawn) in (None, base) for base in bases for _ in range(3))
    ]

    assert idle == []


def test_a_wrong_number_would_be_found(judged, tmp_path: Path) -> None:
    """The comparison is no formality: scores of another file are another number."""
    rows = _rows("unqover", judged.bases)
    base = Base("unqover", "a.jsonl", lines_of(rows))
    case = written("planted", base, base, tmp_path / "case")
    stem = STEMS["unqover"]

    class Turned:
        def expected(self, reader, paths, base):
            turned = [{**row, "score_x1": row["score_x2"], "score_x2": row["score_x1"]}
                      for row in rows]  # fmt: skip
            paths[0].write_bytes(table_of(turned)), paths[0].rename(paths[0].with_suffix(".csv"))
            return stem.expected(reader, [paths[0].with_suffix(".csv")], base)

    verdict = judge(case, judged.pool, Turned(), judged.folders["unqover"])

    assert "another number than the reference's" in told([verdict])
