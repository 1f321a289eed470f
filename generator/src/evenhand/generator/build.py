"""Rows -> a dataset version: Parquet shards, card, statistics and manifest, in one stream."""

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from evenhand.contract import CONTRACT_VERSION, WrongUse
from evenhand.contract.dataset import (
    MANIFEST_NAME,
    FileEntry,
    Manifest,
    SplitEntry,
    combined_content_digest,
    sealed,
)
from evenhand.contract.files import atomic_folder, canonical_json, sha256_of_file
from evenhand.generator import __version__
from evenhand.generator.card import UNPUBLISHED, Card, Edition, Publication, card_text
from evenhand.generator.config_summary import ConfigSummary
from evenhand.generator.digest import TableDigest
from evenhand.generator.evaluation import EVALUATION_NAME, evaluation_yaml

SPLIT = "test"
"""A benchmark is for measuring, so all rows are of the split ``test``."""

MAX_SHARD_ROWS = 1 << 20
"""A new file begins after this many rows; a batch is never split over two files."""

_VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")


@dataclass(frozen=True, kw_only=True)
class ConfigRows:
    """The rows of one config, ready to be written."""

    name: str
    n_rows: int
    n_examples: int
    batches: Callable[[], Iterator[pa.Table]]
    """Each table holds complete examples, becomes one row group, and fits a shard a whole number
    of times but for the last one."""
    statistics: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How a version is made: what its manifest and its card say."""

    card: Card
    version: str
    seed: int
    provenance: dict[str, Any]
    construction: list[str]
    """Sentences for the card's section on how it was made."""
    publication: Publication = UNPUBLISHED
    known_faults: tuple[str, ...] = ()
    """Faults of the rows of this version, for the card."""


def checked_version(version: str) -> str:
    """Return the version if it is ``MAJOR.MINOR.PATCH``.

    Raises:
        WrongUse: it is not.
    """
    if not _VERSION.fullmatch(version):
        raise WrongUse(f"--version {version} is not MAJOR.MINOR.PATCH, e.g. 1.0.0.")
    return version


def sampled_version(version: str, limit: int | None, seed: int) -> str:
    """Return the version, marked where it holds a sample.

    >>> sampled_version("1.0.0", 100, 7)
    '1.0.0+sample.100.7'
    """
    return version if limit is None else f"{version}+sample.{limit}.{seed}"


def build(
    out: Path,
    recipe: Recipe,
    configs: Iterable[ConfigRows],
    *,
    overwrite: bool,
    advance: Callable[[int], None] = lambda _: None,
    check: Callable[[Path], None] = lambda _: None,
) -> Manifest:
    """Write a whole version; nothing is left if anything fails.

    Args:
        out: folder of the version.
        recipe: what the card and the manifest say.
        configs: the configs in order; each is taken when the one before is written.
        overwrite: whether a folder that is there may be replaced.
        advance: told the number of rows after each batch.
        check: given the finished folder before it is put into place; may refuse it.

    Returns:
        The manifest that was written.

    Raises:
        DataRefused: the folder is there already and ``overwrite`` is false.
    """
    with atomic_folder(out, overwrite=overwrite) as folder:
        summaries = [_write_config(folder, config, advance) for config in configs]
        rows = _entries(folder, "*/*.parquet")
        _write_words(folder, _edition(recipe, summaries), rows)
        manifest = _manifest([*rows, *_entries(folder, "*")], recipe, summaries)
        (folder / MANIFEST_NAME).write_bytes(canonical_json(manifest))
        check(folder)
    return manifest


def _edition(recipe: Recipe, configs: list[ConfigSummary]) -> Edition:
    return Edition(
        card=recipe.card,
        version=recipe.version,
        seed=recipe.seed,
        construction=recipe.construction,
        provenance=recipe.provenance,
        configs=configs,
        publication=recipe.publication,
        known_faults=recipe.known_faults,
    )


def _write_words(folder: Path, edition: Edition, rows: list[FileEntry]) -> None:
    """Write all that stands beside the rows: card, statistics, Croissant, ``eval.yaml``."""
    # It takes a second to import, which only a version that is written needs to wait for.
    from evenhand.generator.croissant import CROISSANT_NAME, croissant_json

    (folder / "README.md").write_text(card_text(edition), encoding="utf-8")
    statistics = {config.name: config.statistics for config in edition.configs}
    (folder / "statistics.json").write_bytes(
        canonical_json({"stem": edition.card.stem, "configs": statistics})
    )
    (folder / CROISSANT_NAME).write_bytes(croissant_json(edition, rows))
    registration = evaluation_yaml(edition)
    if registration is not None:
        (folder / EVALUATION_NAME).write_text(registration, encoding="utf-8")


def _entries(folder: Path, pattern: str) -> list[FileEntry]:
    """Name and hash files of the folder, in order of their paths."""
    entries = [
        FileEntry(
            path=path.relative_to(folder).as_posix(),
            sha256=sha256_of_file(path),
            bytes=path.stat().st_size,
        )
        for path in folder.glob(pattern)
        if path.is_file()
    ]
    return sorted(entries, key=lambda entry: entry.path)


def _write_config(
    folder: Path, config: ConfigRows, advance: Callable[[int], None]
) -> ConfigSummary:
    """Write the shards of a config and hash its rows in the same pass."""
    (folder / config.name).mkdir()
    writer = _ShardWriter(folder / config.name, config.n_rows)
    digest: TableDigest | None = None
    schema, first_row = None, dict[str, Any]()
    with contextlib.closing(writer), ThreadPoolExecutor(2) as pool:
        for table in config.batches():
            schema = table.schema
            first_row = first_row or table.slice(0, 1).to_pylist()[0]
            digest = digest or TableDigest(schema.names)
            written = pool.submit(writer.write, table)
            digest.update(table, pool)
            written.result()
            advance(table.num_rows)
    if digest is None or schema is None or digest.rows != config.n_rows:
        raise RuntimeError(f"{config.name}: {config.n_rows} rows were announced, others came")
    return ConfigSummary(
        name=config.name,
        features=[hub_feature(column) for column in schema],
        split=SplitEntry(
            rows=digest.rows, examples=config.n_examples, content_digest=digest.hexdigest()
        ),
        content_bytes=digest.bytes,
        file_bytes=sum(path.stat().st_size for path in writer.paths),
        statistics=config.statistics,
        first_row=first_row,
    )


_HUB_TYPES = {"double": "float64", "float": "float32", "halffloat": "float16"}
"""Arrow's name of a type -> that of the Hub and of ``datasets``, where the two differ."""


def hub_feature(column: pa.Field) -> dict[str, Any]:
    """Describe a column as the Hub's viewer and ``datasets`` do.

    >>> hub_feature(pa.field("a", pa.list_(pa.float64())))
    {'name': 'a', 'list': 'float64'}
    """
    return {"name": column.name, **_hub_type(column.type)}


def _hub_type(kind: pa.DataType) -> dict[str, Any]:
    if pa.types.is_dictionary(kind):
        return _hub_type(kind.value_type)
    if pa.types.is_struct(kind):
        return {"struct": [hub_feature(kind.field(place)) for place in range(kind.num_fields)]}
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        inner = _hub_type(kind.value_type)
        # A list of plain values or of structs names what it holds; a list of lists nests.
        return {"list": inner.get("dtype", inner.get("struct", inner))}
    return {"dtype": _HUB_TYPES.get(str(kind), str(kind))}


class _ShardWriter:
    """Writes ``test-00000-of-0000N.parquet`` and goes on to the next file when one is full."""

    def __init__(self, folder: Path, n_rows: int) -> None:
        n_shards = -(-n_rows // MAX_SHARD_ROWS)
        self.paths = [
            folder / f"{SPLIT}-{index:05d}-of-{n_shards:05d}.parquet" for index in range(n_shards)
        ]
        self._next = 0
        self._rows = MAX_SHARD_ROWS
        self._writer: pq.ParquetWriter | None = None

    def write(self, table: pa.Table) -> None:
        """Write one row group."""
        if self._rows + table.num_rows > MAX_SHARD_ROWS:
            self.close()
            self._writer = _parquet_writer(self.paths[self._next], table.schema)
            self._next += 1
            self._rows = 0
        assert self._writer is not None
        self._writer.write_table(table, row_group_size=table.num_rows)
        self._rows += table.num_rows

    def close(self) -> None:
        """Finish the file that is open."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None


def _parquet_writer(path: Path, schema: pa.Schema) -> pq.ParquetWriter:
    """Open a file whose columns read back as plain strings although they are dictionary-encoded.

    Neighbouring ids share a long beginning, which delta encoding stores once.
    """
    repeated = [column.name for column in schema if pa.types.is_dictionary(column.type)]
    # Parquet names the members of a list column so.
    repeated += [
        f"{column.name}.list.element" for column in schema if pa.types.is_list(column.type)
    ]
    distinct = [column.name for column in schema if pa.types.is_string(column.type)]
    return pq.ParquetWriter(
        path,
        schema,
        compression="zstd",
        use_dictionary=repeated,
        column_encoding=dict.fromkeys(distinct, "DELTA_BYTE_ARRAY"),
        dictionary_pagesize_limit=16 << 20,
        store_schema=False,
        write_statistics=True,
    )


def _manifest(files: list[FileEntry], recipe: Recipe, configs: list[ConfigSummary]) -> Manifest:
    entries = {config.name: {SPLIT: config.split} for config in configs}
    return sealed(
        Manifest(
            stem=recipe.card.stem,
            version=recipe.version,
            contract_version=CONTRACT_VERSION,
            generator_version=__version__,
            seed=recipe.seed,
            protocol=None,
            licence=recipe.card.licence,
            content_warning=recipe.card.content_warning,
            configs=entries,
            files=sorted(files, key=lambda entry: entry.path),
            provenance=recipe.provenance,
            content_digest=combined_content_digest(entries),
        )
    )
