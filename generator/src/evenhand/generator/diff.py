"""What changed between two versions of a dataset, and which version step that asks for."""

from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pyarrow.parquet as pq

from evenhand.contract.dataset import Manifest, read_manifest
from evenhand.contract.errors import DataRefused
from evenhand.generator.digest import digest_of_files

MAX_EXAMPLES = 5

_WORDS_OF_MANIFEST = ("licence", "content_warning", "protocol", "superseded_by")


class Step(IntEnum):
    """How much a version must go up."""

    NONE = 0
    PATCH = 1
    MINOR = 2
    MAJOR = 3


def _numbers(version: str) -> tuple[int, int, int]:
    major, minor, patch = (int(part) for part in version.partition("+")[0].split("."))
    return major, minor, patch


@dataclass(frozen=True, kw_only=True)
class Change:
    """One kind of change in one config."""

    config: str
    kind: str
    rows: int
    step: Step
    examples: list[dict[str, Any]] = field(default_factory=list)
    """At most five rows, by ``id``; a changed row shows the columns that differ, old and new."""


@dataclass(frozen=True, kw_only=True)
class Difference:
    """Everything that differs between two versions."""

    old: Manifest
    new: Manifest
    changes: list[Change]
    files: list[str]
    """Files outside of the configs, and fields of the manifest, that differ."""

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
        return stepped(self.old.version, self.step)

    @property
    def is_version_enough(self) -> bool:
        """Whether the new version's number says at least what changed."""
        return _numbers(self.new.version) >= _numbers(self.least_version)


def stepped(version: str, step: Step) -> str:
    """Raise a version by a step; what stands behind a ``+`` is dropped.

    >>> [stepped("1.2.3", step) for step in Step]
    ['1.2.3', '1.2.4', '1.3.0', '2.0.0']
    """
    major, minor, patch = _numbers(version)
    match step:
        case Step.MAJOR:
            return f"{major + 1}.0.0"
        case Step.MINOR:
            return f"{major}.{minor + 1}.0"
        case Step.PATCH:
            return f"{major}.{minor}.{patch + 1}"
        case Step.NONE:
            return f"{major}.{minor}.{patch}"


def difference(old: Path, new: Path) -> Difference:
    """Compare two dataset folders; the rows of both are checked against their digests.

    Raises:
        DataRefused: a folder is no dataset, or its rows are not what its manifest says.
    """
    manifests = read_manifest(old), read_manifest(new)
    if manifests[0].stem != manifests[1].stem:
        raise DataRefused(
            f"{old} is of {manifests[0].stem} and {new} of {manifests[1].stem};"
            " two versions of one benchmark were expected."
        )
    for folder, manifest in zip((old, new), manifests, strict=True):
        _check_digests(folder, manifest)
    splits = [
        {(config, split) for config, entries in manifest.configs.items() for split in entries}
        for manifest in manifests
    ]
    gone, come = splits[0] - splits[1], splits[1] - splits[0]
    changes = [_whole(manifests[0], name, "config removed", Step.MAJOR) for name in gone]
    changes += [_whole(manifests[1], name, "config added", Step.MINOR) for name in come]
    for config, split in splits[0] & splits[1]:
        one, other = (manifest.configs[config][split].content_digest for manifest in manifests)
        if one != other:
            changes += _row_changes(config, _rows(old, config, split), _rows(new, config, split))
    changes.sort(key=lambda change: (-change.step, change.config, change.kind))
    return Difference(
        old=manifests[0], new=manifests[1], changes=changes, files=_words_that_differ(*manifests)
    )


def _paths(folder: Path, config: str, split: str) -> list[Path]:
    return sorted((folder / config).glob(f"{split}-*.parquet"))


def _check_digests(folder: Path, manifest: Manifest) -> None:
    for config, splits in manifest.configs.items():
        for split, entry in splits.items():
            paths = _paths(folder, config, split)
            if not paths:
                raise DataRefused(f"{folder / config} holds no {split}-*.parquet.")
            columns = pq.read_schema(paths[0]).names
            digest = digest_of_files([str(path) for path in paths], columns)
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


def _row_changes(config: str, old: pl.LazyFrame, new: pl.LazyFrame) -> list[Change]:
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
    found = [
        _change_of_rows(config, kind, which.sort(), old, new)
        for kind, which in ids.items()
        if len(which)
    ]
    if not found:
        return [Change(config=config, kind="rows reordered", rows=len(both), step=Step.MINOR)]
    return found


def _change_of_rows(
    config: str, kind: str, ids: pl.Series, old: pl.LazyFrame, new: pl.LazyFrame
) -> Change:
    few = ids.head(MAX_EXAMPLES).implode()
    rows = [
        frame.filter(pl.col("id").is_in(few)).collect().sort("id").to_dicts()
        for frame in (old, new)
    ]
    if kind == "rows changed":
        examples = [_changed_columns(*pair) for pair in zip(*rows, strict=True)]
    else:
        examples = rows[0] or rows[1]
    step = Step.MINOR if kind == "rows added" else Step.MAJOR
    return Change(config=config, kind=kind, rows=len(ids), step=step, examples=examples)


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
