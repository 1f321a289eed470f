"""Opening a dataset folder: its manifest, the columns that scoring needs, and its rows' digest."""

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from evenhand.contract import STEMS, DataRefused
from evenhand.contract.dataset import ContentDigest, Manifest, dataset_folder, read_manifest
from evenhand.scorer.frames import Kinds

_ROWS_AT_ONCE = 1 << 18
_HASHING_THREADS = 2
"""Some 100 MB; a multiple of the row groups that the generator writes."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """One version of a benchmark's dataset on the disk."""

    folder: Path
    manifest: Manifest

    def files(self, config: str, split: str) -> list[Path]:
        """Return the Parquet files of a split in order."""
        start = f"{config}/{split}-"
        names = [e.path for e in self.manifest.files if e.path.startswith(start)]
        paths = [self.folder / name for name in sorted(names)]
        if not paths:
            raise DataRefused(f"The manifest of {self.folder} names no file of {config}/{split}.")
        for path in paths:
            if not path.is_file():
                raise DataRefused(f"{path} is missing; `evenhand verify {self.folder}` says more.")
        return paths

    def scan(self, config: str) -> pl.LazyFrame:
        """Return a config's rows, all splits, in order, without reading them."""
        paths = [p for split in self.manifest.configs[config] for p in self.files(config, split)]
        return pl.scan_parquet(paths)

    def load(self, config: str, kinds: Kinds) -> pl.DataFrame:
        """Read columns of a config and check, in the same pass, that its rows are the manifest's.

        Args:
            config: name of the config.
            kinds: column -> its type; texts that repeat may become codes (``pl.Categorical``).

        Raises:
            DataRefused: a file is missing or damaged, the content digest differs, or the
                rows are not those of the benchmark's items.
        """
        columns = [pl.col(name).cast(kind) for name, kind in kinds.items()]
        parts = []
        for split, entry in self.manifest.configs[config].items():
            batches = self._batches(config, self.files(config, split))
            try:
                digest, selected = _digest_batches(batches, lambda rows: rows.select(columns))
            except pl.exceptions.PolarsError as error:
                raise DataRefused(
                    f"{self.folder}: the rows of {config} are no items of {self.manifest.stem}"
                    f" ({str(error).splitlines()[0]}); generate or import the dataset again."
                ) from error
            self._compare(config, split, digest, entry.content_digest)
            parts += selected
        return pl.concat(parts)

    def check_content(self, config: str) -> None:
        """Check that a config's rows are the manifest's, as :meth:`load` does.

        Raises:
            DataRefused: a file is missing or damaged, or the content digest differs.
        """
        for split, entry in self.manifest.configs[config].items():
            batches = self._batches(config, self.files(config, split))
            digest, _ = _digest_batches(batches, lambda rows: rows.clear())
            self._compare(config, split, digest, entry.content_digest)

    def _compare(self, config: str, split: str, digest: str, expected: str) -> None:
        if digest != expected:
            raise DataRefused(
                f"{self.folder}: the rows of {config}/{split} have the content digest {digest},"
                f" but the manifest says {expected}; get the dataset again from where it came."
            )

    def texts(
        self, config: str, keys: pl.Series, columns: Sequence[str]
    ) -> dict[Any, dict[str, Any]]:
        """Read the texts of a few rows.

        Args:
            config: name of the config.
            keys: ids, in a series named ``id``, or places of rows, in one named ``row``.
            columns: the wanted columns; those that the dataset lacks are left out.

        Returns:
            Key -> column -> value.
        """
        table = self.scan(config)
        present = [name for name in table.collect_schema().names() if name in columns]
        if keys.name == "row":
            keys, table = keys.cast(pl.UInt32), table.with_row_index("row")
        wanted = keys.unique().to_frame().lazy()
        rows = table.select(keys.name, *present).join(wanted, on=keys.name, how="semi")
        selected = rows.collect(engine="streaming")
        return {row.pop(keys.name): row for row in selected.iter_rows(named=True)}

    def read(self, config: str, columns: Sequence[str]) -> pl.DataFrame:
        """Read columns of a config unchecked; texts that repeat become codes, ids stay text."""
        try:
            return self.scan(config).select(_encode_columns(columns)).collect(engine="streaming")
        except (pl.exceptions.PolarsError, OSError) as error:
            raise self._unreadable(config, error) from error

    def _batches(self, config: str, paths: Sequence[Path]) -> Iterator[pl.DataFrame]:
        try:
            yield from read_batches(paths)
        except (pl.exceptions.PolarsError, OSError) as error:
            raise self._unreadable(config, error) from error

    def _unreadable(self, config: str, error: Exception) -> DataRefused:
        reason = str(error).splitlines()[0]
        return DataRefused(
            f"{self.folder}: the rows of {config} cannot be read ({reason});"
            f" `evenhand verify {self.folder}` says which file is damaged."
        )


def open_dataset(name: str) -> Dataset:
    """Open a dataset by its folder, or by ``org/name@tag`` where it was pulled.

    Raises:
        DataRefused: it is not there, not a dataset, or of a benchmark this version does not carry.
    """
    folder = dataset_folder(name)
    manifest = read_manifest(folder)
    if manifest.stem not in STEMS:
        raise DataRefused(
            f"{folder} is a dataset of {manifest.stem}; this version scores {', '.join(STEMS)}."
        )
    return Dataset(folder, manifest)


def content_digest(paths: Sequence[Path]) -> str:
    """Return the contract's digest of a table's rows in order; see ``ContentDigest``."""
    return _digest_batches(read_batches(paths), lambda rows: rows.clear())[0]


def read_batches(paths: Sequence[Path]) -> Iterator[pl.DataFrame]:
    """Yield the rows of Parquet files in order, at least one batch a file."""
    for path in paths:
        table = pl.scan_parquet(path)
        n_rows = int(table.select(pl.len()).collect().item())
        for start in range(0, max(1, n_rows), _ROWS_AT_ONCE):
            yield table.slice(start, _ROWS_AT_ONCE).collect()


def _digest_batches(
    batches: Iterator[pl.DataFrame], kept: Callable[[pl.DataFrame], pl.DataFrame]
) -> tuple[str, list[pl.DataFrame]]:
    """Return the digest of all batches, and what is to be kept of each.

    Hashing runs in separate threads, one batch behind the reading, a column at a time: it holds
    no interpreter lock, and no more than two batches are in memory.
    """
    digest, n_rows = ContentDigest([]), 0
    parts: list[pl.DataFrame] = []
    hashed: list[Future[None]] = []
    with ThreadPoolExecutor(_HASHING_THREADS) as pool:
        for batch in batches:
            if not parts:
                digest = ContentDigest(batch.columns)
            _wait(hashed)
            hashed = [pool.submit(_feed, digest, series) for series in batch.iter_columns()]
            parts.append(kept(batch))
            n_rows += len(batch)
    _wait(hashed)
    return digest.hexdigest(rows=n_rows), parts


def _wait(hashed: list[Future[None]]) -> None:
    for column in hashed:
        column.result()


def _encode_columns(columns: Sequence[str]) -> list[pl.Expr]:
    plain = {"id", "order"}
    return [
        pl.col(name) if name in plain else pl.col(name).cast(pl.Categorical) for name in columns
    ]


def _feed(digest: ContentDigest, series: pl.Series) -> None:
    lengths, values = _cell_bytes(series)
    digest.update(series.name, lengths=lengths, values=values)


def _compact_json(value: pl.Series | None) -> str | None:
    """Return the JSON that stands for a list in the digest."""
    if value is None:
        return None
    return json.dumps(value.to_list(), ensure_ascii=False, separators=(",", ":"))


def _cell_bytes(series: pl.Series) -> tuple[bytes, bytes]:
    if isinstance(series.dtype, pl.Categorical | pl.Enum):
        series = series.cast(pl.String)
    if isinstance(series.dtype, pl.List):
        series = pl.Series(series.name, [_compact_json(one) for one in series], pl.String)
    if series.dtype == pl.String:
        if len(series) and not series.null_count() and (series == series[0]).all():
            value = str(series[0]).encode()  # a column of one value, such as the class
            return np.full(len(series), len(value), "<i8").tobytes(), value * len(series)
        lengths = series.str.len_bytes().cast(pl.Int64).fill_null(-1).to_numpy()
        # As Binary the joined text is taken as it is, without decoding it to Python text and back.
        joined = series.str.join("", ignore_nulls=True).cast(pl.Binary).item()
        return lengths.astype("<i8").tobytes(), joined
    is_there = series.is_not_null().cast(pl.Int64).to_numpy().astype("<i8").tobytes()
    kind, zero = (pl.Float64, 0.0) if series.dtype.is_float() else (pl.Int64, 0)
    values: np.ndarray[tuple[int], np.dtype[np.generic]] = (
        series.cast(kind).fill_null(zero).to_numpy()
    )
    return is_there, values.astype("<f8" if kind is pl.Float64 else "<i8").tobytes()
