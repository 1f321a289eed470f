"""The shards of a run: which rows each holds, and the folder of finished ones.

``<FILE>.partial/`` holds finished shards under their final names (atomic rename) and
``state.json``, which identifies their run.
"""

import contextlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evenhand.contract import DataRefused
from evenhand.contract.files import write_atomically
from evenhand.scorer.datasets import Dataset

_STATE_NAME = "state.json"


@dataclass(frozen=True)
class Shard:
    """Rows ``start`` to ``start + rows`` of a config."""

    number: int
    config: str
    start: int
    rows: int

    @property
    def name(self) -> str:
        """The file's name in the partial folder."""
        return f"shard-{self.number:05d}.parquet"


def cut_into_shards(dataset: Dataset, configs: list[str], *, rows: int) -> list[Shard]:
    """Cut the rows of configs into shards of a given size; none holds rows of two configs."""
    cuts = [(c, start) for c in configs for start in range(0, n_rows(dataset, [c]), rows)]
    return [
        Shard(number, config, start, min(rows, n_rows(dataset, [config]) - start))
        for number, (config, start) in enumerate(cuts)
    ]


def n_rows(dataset: Dataset, configs: list[str]) -> int:
    """Return the number of rows of configs, over all splits."""
    splits = [split for config in configs for split in dataset.manifest.configs[config].values()]
    return sum(split.rows for split in splits)


def partial_path(out: Path) -> Path:
    """Return the folder that holds the shards of a file."""
    return out.with_name(out.name + ".partial")


def is_done(out: Path, shard: Shard, state: bytes) -> bool:
    """Say whether the folder holds a shard of this very run."""
    return _read_state(out) == state and (partial_path(out) / shard.name).is_file()


def refuse_what_stands(out: Path, state: bytes, *, overwrite: bool) -> None:
    """Refuse an output that has no folder, or that may not replace a file or a run."""
    standing = _read_state(out)
    if not out.parent.is_dir():
        raise DataRefused(f"The folder {out.parent} does not exist; make it first.")
    if out.is_dir():
        raise DataRefused(f"{out} is a folder; give the name of a file to write.")
    # A run that was killed when its file was already in place is resumed like any other.
    if out.exists() and not overwrite and standing != state:
        raise DataRefused(f"{out} exists; add --overwrite or choose another --out.")
    if standing not in {None, state} and not overwrite:
        raise DataRefused(
            f"{partial_path(out)} holds the unfinished run of another model, dataset or option;"
            " finish it with the same options, or add --overwrite to throw it away."
        )


@contextlib.contextmanager
def partial_folder(out: Path, state: bytes) -> Iterator[Path]:
    """Yield the folder of finished shards; an empty one is removed when the rows are refused."""
    folder = partial_path(out)
    if _read_state(out) != state:
        # Shards without a state are left by a clean-up that was killed: their run is unknown.
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        write_atomically(folder / _STATE_NAME, state)
    try:
        yield folder
    except DataRefused:
        if not any(folder.glob("shard-*")):
            shutil.rmtree(folder)
        raise


def _read_state(out: Path) -> bytes | None:
    """Return the state of the shards beside a file, or None where there are none."""
    path = partial_path(out) / _STATE_NAME
    return path.read_bytes() if path.is_file() else None
