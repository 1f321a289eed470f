"""Predict: a run that was killed anywhere goes on, and ends in the bytes of an unbroken one."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from evenhand.scorer.predict import engine as work
from evenhand.scorer.unqover import ask

QA = "question-answering"
SHARD_ROWS = 16
N_ROWS = 72

# Runs the command with small shards and is killed, for good, when it comes to the given point.
DRIVER = f"""
import os, shutil, signal, sys
from evenhand.contract.cli import main
from evenhand.scorer.predict import engine as work
from evenhand.scorer.unqover import ask

ask.SHARD_ROWS = {SHARD_ROWS}
point, count = sys.argv[1], int(sys.argv[2])
owner = shutil if point == "rmtree" else work
right, calls = getattr(owner, point), []

def last_time(*arguments, **options):
    calls.append(None)
    if len(calls) > count:
        os.kill(os.getpid(), signal.SIGKILL)
    return right(*arguments, **options)

setattr(owner, point, last_time)
sys.exit(main(sys.argv[3:]))
"""

POINTS = {
    "in the first shard": ("_predict_shard", 0, ".jsonl"),
    "in the third shard": ("_predict_shard", 2, ".parquet"),
    "while the shards are joined": ("_finish", 0, ".csv"),
    "before the folder of shards goes": ("rmtree", 1, ".jsonl.gz"),
}


@pytest.fixture(autouse=True)
def small_shards(monkeypatch) -> None:
    """Cut the 72 rows into five shards."""
    monkeypatch.setattr(ask, "SHARD_ROWS", SHARD_ROWS)


@pytest.fixture
def words(write_dataset, toy_items, exported):
    """Return the command for a file."""
    dataset = write_dataset({"toy": toy_items()})
    return lambda out: ["predict", dataset, "--model", exported("bert", QA), "--out", out]


@pytest.fixture
def computed(monkeypatch) -> list[int]:
    """Return the numbers of the shards that are computed from now on."""
    numbers, right = [], work._predict_shard

    def noted(run, shard, *arguments):
        numbers.append(shard.number)
        return right(run, shard, *arguments)

    monkeypatch.setattr(work, "_predict_shard", noted)
    return numbers


def _kill(words: list[object], point: str, count: int) -> None:
    command = [sys.executable, "-c", DRIVER, point, count, *words]
    done = subprocess.run([*map(str, command)], capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr


def _partial(out: Path) -> Path:
    return out.with_name(f"{out.name}.partial")


@pytest.mark.parametrize("case", POINTS)
def test_killed_run_goes_on(evenhand, words, computed, tmp_path, case) -> None:
    """Shards that were done are kept, and file and folder are those of an unbroken run."""
    point, count, suffix = POINTS[case]
    whole, broken = tmp_path / f"whole{suffix}", tmp_path / f"broken{suffix}"
    assert evenhand(*words(whole))[0] == 0
    computed.clear()
    _kill(words(broken), point, count)
    done = {int(path.stem[-5:]) for path in _partial(broken).glob("shard-*.parquet")}
    code, _, stderr = evenhand(*words(broken))
    assert code == 0, stderr
    assert sorted({*computed, *done}) == [0, 1, 2, 3, 4]
    assert not done & set(computed)
    assert broken.read_bytes() == whole.read_bytes()
    assert not _partial(broken).exists()


def test_half_written_shard_is_written_again(evenhand, words, computed, tmp_path) -> None:
    """What stands under a temporary name is no shard; only a renamed one counts."""
    out = tmp_path / "p.parquet"
    _kill(words(out), "_predict_shard", 1)
    (_partial(out) / ".shard-00001.parquet.tmp").write_bytes(b"PAR1 half of it")
    assert evenhand(*words(out))[0] == 0
    assert computed == [1, 2, 3, 4]
    assert not _partial(out).exists()


def test_partial_run_of_another_model_is_refused(evenhand, words, exported, tmp_path) -> None:
    """The shards of one model are not taken for those of another."""
    out = tmp_path / "p.parquet"
    _kill(words(out), "_predict_shard", 1)
    again = words(out)
    again[again.index("--model") + 1] = exported("distilbert", QA)
    code, _, stderr = evenhand(*again)
    assert code == 1
    assert ".partial holds the unfinished run" in stderr


def test_rows_are_read_a_shard_at_a_time(evenhand, words, monkeypatch, tmp_path) -> None:
    """No more rows than a shard has are scored at once, so memory does not grow with the data."""
    sizes, right = [], work._score

    def noted(run, rows, *arguments):
        sizes.append(len(rows))
        return right(run, rows, *arguments)

    monkeypatch.setattr(work, "_score", noted)
    assert evenhand(*words(tmp_path / "p.parquet"))[0] == 0
    assert sum(sizes) >= N_ROWS
    assert max(sizes) == SHARD_ROWS


def test_file_of_an_unbroken_run_is_kept_while_another_is_made(evenhand, words, tmp_path) -> None:
    """With --overwrite the old file stands until the new one is whole, whenever it is killed."""
    out = tmp_path / "p.csv"
    out.write_text("the old one\n", encoding="utf-8")
    for point in ("_predict_shard", "_finish"):
        _kill([*words(out), "--overwrite"], point, 0)
        assert out.read_text(encoding="utf-8") == "the old one\n"
    assert evenhand(*words(out), "--overwrite")[0] == 0
    assert out.read_text(encoding="utf-8").startswith("id,score_x1,score_x2\n")
