"""Other tools' real files, damaged: refused in one sentence or read, and never a traceback."""

import contextlib
import io
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from fuzzing.bases import Base
from fuzzing.cases import made, written
from fuzzing.judging import REFUSED, judge
from fuzzing.reading import Undecided

from evenhand.contract.cli import main

SEED = int(os.environ.get("EVENHAND_FUZZ_SEED", "0"))
CASES = int(os.environ.get("EVENHAND_FUZZ_CASES", "500")) // 10
LARGEST_BYTES = 2 << 20
KINDS = (".jsonl", ".json", ".eval", ".parquet")


class Unknown:
    """A benchmark whose answers the reference does not know: real models write anything."""

    def expected(self, *_: Any) -> list[dict[Any, Any]]:
        """Leave every number undecided."""
        raise Undecided


@pytest.fixture(scope="module")
def dataset(conformance: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Import the rows that the files answer."""
    folder = tmp_path_factory.mktemp("real") / "bbq"
    source = conformance / "third_party/data"
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        assert main(["import", "bbq", "--from", str(source), "--out", str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def files(conformance: Path) -> list[Base]:
    """Return the files of all tools that are small enough to be read many times."""
    paths = sorted(
        path
        for path in (conformance / "third_party").rglob("*")
        if path.suffix in KINDS and path.is_file() and path.stat().st_size < LARGEST_BYTES
    )
    return [Base("bbq", path.name.replace(":", "_"), path.read_bytes()) for path in paths]


@pytest.mark.conformance
def test_damaged_real_files_end_in_a_sentence(pool, dataset, files, tmp_path: Path) -> None:
    """Whatever happens to a log on its way, check and score say what is wrong with it."""
    faults, refused = [], 0
    for number in range(CASES):
        name, base, damaged = made(SEED, number, files)
        verdict = judge(
            written(name, base, damaged, tmp_path / str(number)), pool, Unknown(), dataset
        )
        refused += verdict.outcome == REFUSED
        faults += [f"{name}: {fault}" for fault in verdict.faults]
        shutil.rmtree(tmp_path / str(number))

    assert "\n".join(faults) == ""
    assert refused > CASES / 4
