"""What changed between two versions of a dataset, and which version step that asks for."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import msgspec
import polars as pl
import pyarrow.parquet as pq

from evenhand.contract import STEMS
from evenhand.contract.dataset import FileEntry, Manifest, read_manifest
from evenhand.contract.errors import DataRefused
from evenhand.contract.files import sha256_of_file
from evenhand.generator.benchmark import benchmark
from evenhand.generator.changes import (
    ContentChange,
    OptionChange,
    content_changes,
    option_changes,
)
from evenhand.generator.digest import files_digest
from evenhand.generator.steps import Step, next_version, version_numbers

MAX_EXAMPLES = 5

_WORDS_OF_MANIFEST = (
    *("licence", "content_warning", "protocol", "superseded_by"),
    *("contract_version", "generator_version", "seed", "provenance"),
)


@dataclass(frozen=True, kw_only=True)
class Change:
    """One kind of change in one config."""

    config: str
    kind: str
    rows: int
    step: Step
    examples: list[dict[str, Any]] = field(default_factory=list)
    """At most five rows, by ``id``; a changed row shows the columns that differ, old and new."""
    templates: dict[str, int] = field(default_factory=dict)
    """Template -> how many of the rows are of it, where rows name their template."""


@dataclass(frozen=True, kw_only=True)
class Difference:
    """Everything that differs between two versions."""

    old: Manifest
    new: Manifest
    changes: list[Change]
    files: list[str]
    """Files outside of the configs, and fields of the manifest, that differ."""

    @property
    def content(self) -> list[ContentChange]:
        """Templates, word lists and released files that differ: what is behind the changes."""
        return content_changes(self.old.provenance, self.new.provenance)

    @property
    def options(self) -> list[OptionChange]:
        """Options and findings of the provenance that differ, such as the seed of the draw."""
        old, new = ({"seed": one.seed, **one.provenance} for one in (self.old, self.new))
        return option_changes(old, new)

    @property
    def step(self) -> Step:
        """The least step."""
        words = Step.PATCH if self.files else Step.NONE
        return max([words, *(change.step for change in self.changes)])

    @property
    def reason(self) -> str:
        """Why that step, in one sentence."""
        worst = [change for change in self.changes if change.step == self.step]
        what = ", ".join(f"{change.kind} in {change.config}" for change in worst)
        return {
            Step.MAJOR: f"old numbers are no longer comparable: {what}",
            Step.MINOR: f"every old row stands as it was, and there is more: {what}",
            Step.PATCH: f"all rows are the same; {', '.join(self.files)} differ",
            Step.NONE: "nothing that is published differs",
        }[self.step]

    @property
    def least_version(self) -> str:
        """The lowest version that the new one may have."""
        return next_version(self.old.version, self.step)

    @property
    def is_version_enough(self) -> bool:
        """Whether the new version's number says at least what changed."""
        return version_numbers(self.new.version) >= version_numbers(self.least_version)


def difference(
    old: Path, new: Path, *, trusted: Literal["nothing", "equal digests"] = "nothing"
) -> Difference:
    """Compare two dataset folders.

    Args:
        old: folder of the older version.
        new: folder of the newer version.
        trusted: ``equal digests``: configs of the same content digest in both manifests are taken
            to be equal without looking at their rows, which then need not be there.

    Raises:
        DataRefused: a folder is no dataset, or its rows are not what its manifest says.
    """
    manifests = read_manifest(old), read_manifest(new)
    if manifests[0].stem != manifests[1].stem:
        raise DataRefused(
            f"{old} is of {manifests[0].stem} and {new} of {manifests[1].stem};"
            " two versions of one benchmark were expected."
        )
    differing = splits_that_differ(*manifests)
    same_bytes = _configs_of_the_same_files(*manifests)
    for folder, manifest in zip((old, new), manifests, strict=True):
        if trusted == "nothing":
            _check_files(folder, manifest, same_bytes)
        _check_digests(
            folder,
            manifest,
            differing if trusted == "equal digests" else _splits_outside(manifest, same_bytes),
        )
    splits = [_splits(manifest) for manifest in manifests]
    gone, come = splits[0] - splits[1], splits[1] - splits[0]
    changes = [_whole(manifests[0], name, "config removed", Step.MAJOR) for name in gone]
    changes += [_whole(manifests[1], name, "config added", Step.MINOR) for name in come]
    stem = manifests[1].stem
    column = benchmark(stem).template_column if stem in STEMS else None
    for config, split in differing:
        rows = _rows(old, config, split), _rows(new, config, split)
        changes += _row_changes(config, *rows, template_column=column)
    changes.sort(key=lambda change: (-change.step, change.config, change.kind))
    return Difference(
        old=manifests[0], new=manifests[1], changes=changes, files=_words_that_differ(*manifests)
    )


def splits_that_differ(old: Manifest, new: Manifest) -> set[tuple[str, str]]:
    """Return (config, split) of those that both have, with other rows."""
    return {
        (config, split)
        for config, split in _splits(old) & _splits(new)
        if old.configs[config][split].content_digest != new.configs[config][split].content_digest
    }


def refuse_small_step(change: Difference) -> None:
    """Refuse a version whose number says less than what changed.

    Raises:
        DataRefused: it does; the sentence has the least number and the reason.
    """
    if not change.is_version_enough:
        raise DataRefused(
            f"Version {change.new.version} says less than what changed since {change.old.version}:"
            f" {change.reason}; give it {change.least_version} or higher (`evenhand diff` shows the"
            " rows)."
        )


def _splits(manifest: Manifest) -> set[tuple[str, str]]:
    return {(config, split) for config, entries in manifest.configs.items() for split in entries}


def _paths(folder: Path, config: str, split: str) -> list[Path]:
    return sorted((folder / config).glob(f"{split}-*.parquet"))


def _configs_of_the_same_files(old: Manifest, new: Manifest) -> set[str]:
    """Return the configs whose files are the same bytes, and so the same rows, in both."""
    files = [
        {config: _config_files(manifest, config) for config in manifest.configs}
        for manifest in (old, new)
    ]
    return {
        config
        for config in files[0].keys() & files[1].keys()
        if files[0][config]
        and files[0][config] == files[1][config]
        and old.configs[config] == new.configs[config]
    }


def _config_files(manifest: Manifest, config: str) -> list[FileEntry]:
    return [entry for entry in manifest.files if entry.path.startswith(f"{config}/")]


def _splits_outside(manifest: Manifest, configs: set[str]) -> set[tuple[str, str]]:
    return {(config, split) for config, split in _splits(manifest) if config not in configs}


def _check_files(folder: Path, manifest: Manifest, configs: set[str]) -> None:
    """Check that files are those of the manifest; far faster than hashing their rows."""
    for config in sorted(configs):
        for entry in _config_files(manifest, config):
            path = folder / entry.path
            if not path.is_file() or sha256_of_file(path) != entry.sha256:
                raise DataRefused(
                    f"{path} is not the file of the manifest; run `evenhand verify {folder}`."
                )


def _check_digests(folder: Path, manifest: Manifest, which: set[tuple[str, str]]) -> None:
    for config, split in sorted(which):
        entry = manifest.configs[config][split]
        paths = _paths(folder, config, split)
        if not paths:
            raise DataRefused(f"{folder / config} holds no {split}-*.parquet.")
        columns = pq.read_schema(paths[0]).names
        digest = files_digest([str(path) for path in paths], columns)
        if digest.hexdigest() != entry.content_digest:
            raise DataRefused(
                f"{folder / config}: its rows are not those of the manifest"
                f" ({digest.rows:,} rows, {entry.rows:,} in the manifest);"
                f" run `evenhand verify {folder}`."
            )


def _whole(manifest: Manifest, name: tuple[str, str], kind: str, step: Step) -> Change:
    config, split = name
    return Change(config=config, kind=kind, rows=manifest.configs[config][split].rows, step=step)


def _rows(folder: Path, config: str, split: str) -> pl.LazyFrame:
    return pl.scan_parquet(_paths(folder, config, split))


def _row_changes(
    config: str, old: pl.LazyFrame, new: pl.LazyFrame, *, template_column: str | None
) -> list[Change]:
    """Compare the rows of one config by id."""
    columns = [frame.collect_schema().names() for frame in (old, new)]
    if columns[0] != columns[1]:
        differing = sorted(set(columns[0]) ^ set(columns[1])) or columns[1]
        kind = f"columns changed ({', '.join(differing)})"
        return [Change(config=config, kind=kind, rows=0, step=Step.MAJOR)]
    # One number a row keeps millions of rows small; it is compared within this process only.
    hashes = [
        frame.select("id", row=pl.struct(columns[0]).hash(seed=0)).collect() for frame in (old, new)
    ]
    both = hashes[0].join(hashes[1], on="id", how="inner", suffix="_new")
    ids = {
        "rows removed": hashes[0].join(hashes[1], on="id", how="anti")["id"],
        "rows added": hashes[1].join(hashes[0], on="id", how="anti")["id"],
        "rows changed": both.filter(pl.col("row") != pl.col("row_new"))["id"],
    }
    changes = [
        _row_change(config, kind, which.sort(), (old, new), template_column)
        for kind, which in ids.items()
        if len(which)
    ]
    if not changes:
        return [Change(config=config, kind="rows reordered", rows=len(both), step=Step.MINOR)]
    return changes


def _row_change(
    config: str,
    kind: str,
    ids: pl.Series,
    versions: tuple[pl.LazyFrame, pl.LazyFrame],
    template_column: str | None,
) -> Change:
    few = ids.head(MAX_EXAMPLES).implode()
    rows = [
        frame.filter(pl.col("id").is_in(few)).collect().sort("id").to_dicts() for frame in versions
    ]
    if kind == "rows changed":
        examples = [_changed_columns(*pair) for pair in zip(*rows, strict=True)]
    else:
        examples = rows[0] or rows[1]
    return Change(
        config=config,
        kind=kind,
        rows=len(ids),
        step=Step.MINOR if kind == "rows added" else Step.MAJOR,
        examples=examples,
        templates=_counts_by_template(ids, versions[kind == "rows added"], template_column),
    )


def _counts_by_template(ids: pl.Series, rows: pl.LazyFrame, column: str | None) -> dict[str, int]:
    """Count the rows of each template, in order of the templates' names."""
    if column is None or column not in rows.collect_schema().names():
        return {}
    chosen = rows.filter(pl.col("id").is_in(ids.implode()))
    counts = chosen.group_by(pl.col(column).cast(pl.String)).len().sort(column).collect()
    return dict(counts.iter_rows())


def _changed_columns(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    differing = {
        name: {"old": old[name], "new": new[name]} for name in old if old[name] != new[name]
    }
    return {"id": old["id"], **differing}


def _words_that_differ(old: Manifest, new: Manifest) -> list[str]:
    """Name what differs outside of the rows: files, and what the manifest says in words."""
    texts = [
        {
            entry.path: entry.sha256
            for entry in manifest.files
            if entry.path.split("/")[0] not in manifest.configs
        }
        for manifest in (old, new)
    ]
    files = sorted(path for path in texts[0] | texts[1] if texts[0].get(path) != texts[1].get(path))
    fields = [
        name
        for name in _WORDS_OF_MANIFEST
        if msgspec.to_builtins(getattr(old, name)) != msgspec.to_builtins(getattr(new, name))
    ]
    return files + [f"the manifest's {name}" for name in fields]
