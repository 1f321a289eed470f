"""Pulling a version: into ``datasets_out/org/name/tag``, whole and proven, or not at all."""

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from evenhand.contract.dataset import (
    MANIFEST_NAME,
    PULL_FOLDER,
    Manifest,
    sealed,
    verify,
)
from evenhand.contract.errors import DataRefused
from evenhand.contract.files import canonical_json, write_atomically
from evenhand.generator.hub.client import Repository
from evenhand.generator.names import tag_version
from evenhand.generator.progress import Reporter
from evenhand.generator.steps import version_numbers

_COMMIT = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True, kw_only=True)
class Revision:
    """A revision that never changes: a tag, or a commit."""

    label: str
    """The tag, or the commit's own id where there is no tag."""
    commit: str


@dataclass(frozen=True, kw_only=True)
class Pulled:
    """A version that lies in the pull folder."""

    name: str
    """``org/name@label``, which every command takes."""
    folder: Path
    commit: str
    manifest: Manifest


def newest_version(tags: dict[str, str]) -> str | None:
    """Return the tag of the highest version, or None where no tag is a version.

    >>> newest_version({"1.9.0": "a", "v1.10.0": "b", "draft": "c"})
    'v1.10.0'
    """
    versions = {tag: version for tag in tags if (version := tag_version(tag))}
    return max(versions, key=lambda tag: version_numbers(versions[tag]), default=None)


def resolve(repository: Repository, revision: str | None) -> Revision:
    """Find what to pull: the tag or commit that is named, else the newest version, else ``main``.

    Raises:
        DataRefused: there is no such repository or revision.
    """
    refs = repository.refs()
    if refs is None:
        raise DataRefused(
            f"There is no dataset {repository.name} on {repository.endpoint}, or it is private:"
            " check the name, and log in with `hf auth login` or set HF_TOKEN."
        )
    tags, branches = refs["tags"], refs["branches"]
    wanted = revision or newest_version(tags) or "main"
    if wanted in tags:
        return Revision(label=wanted, commit=tags[wanted])
    commit = wanted if _COMMIT.fullmatch(wanted) else branches.get(wanted)
    if commit is None:
        there = f"its tags are {', '.join(sorted(tags))}" if tags else "it has no tags"
        raise DataRefused(f"{repository.name} has no revision {wanted}; {there}.")
    return Revision(label=commit, commit=commit)


def pull(repository: Repository, revision: str | None, reporter: Reporter) -> Pulled:
    """Download a version and prove it, unless it lies there already.

    Raises:
        DataRefused: it is not there, is no version of Evenhand, or arrived damaged.
    """
    there = _folder(repository.name, revision) if revision else None
    if there is not None and there.is_dir():
        return _lying_there(repository.name, there)
    target = resolve(repository, revision)
    folder = _folder(repository.name, target.label)
    if folder.is_dir():
        return _lying_there(repository.name, folder)
    reporter.say(f"{repository.name}: {target.label} is commit {target.commit}")
    partial = folder.with_name(f".{target.label}.partial")
    partial.mkdir(parents=True, exist_ok=True)
    manifest = fetch(repository, target.commit, partial, reporter)
    pulled = Pulled(
        name=f"{repository.name}@{target.label}",
        folder=folder,
        commit=target.commit,
        manifest=manifest,
    )
    _put_into_place(partial, pulled, repository.endpoint)
    return pulled


def fetch(repository: Repository, commit: str, into: Path, reporter: Reporter) -> Manifest:
    """Download all files of a commit into a folder and prove that they are the manifest's.

    Files that are damaged are taken away, so that the next call gets them again.

    Raises:
        DataRefused: there is no manifest at that commit, or a file is damaged.
    """
    name = f"{repository.name} at {commit[:12]}"
    manifest = repository.manifest(commit, into)
    if manifest is None:
        raise DataRefused(f"{name} holds no {MANIFEST_NAME}, so it is not a dataset of Evenhand.")
    listed = repository.files(commit)
    missing = [entry.path for entry in manifest.files if entry.path not in listed]
    if missing:
        raise DataRefused(f"{name} lacks {', '.join(missing)}, which its manifest names.")
    for path in sorted(listed.keys() - {MANIFEST_NAME, *(one.path for one in manifest.files)}):
        reporter.say(f"left out, as it is not in the manifest: {path}")
    sizes = {entry.path: entry.bytes for entry in manifest.files}
    advance = reporter.bar("bytes", sum(sizes.values()))
    repository.download(sizes, commit, into, advance)
    # The client's notes stay until all is proven, for whoever has to go on from here.
    faults = _faults(into)
    if faults:
        raise DataRefused(
            f"{name} arrived damaged: {' '.join(faults)} Those files were taken away; run the"
            " same command again."
        )
    shutil.rmtree(into / ".cache", ignore_errors=True)
    return manifest


def _faults(folder: Path) -> list[str]:
    """Return what is wrong with a folder but for the client's notes, and remove files at fault."""
    _, faults = verify(folder)
    faults = [fault for fault in faults if not fault.startswith(".cache/")]
    for fault in faults:
        (folder / fault.partition(": ")[0]).unlink(missing_ok=True)
    return faults


def _folder(name: str, label: str) -> Path:
    return PULL_FOLDER / name / label


def _lying_there(name: str, folder: Path) -> Pulled:
    """Prove a version that was pulled before; the Hub is not asked."""
    manifest, faults = verify(folder)
    if faults:
        raise DataRefused(
            f"{folder} is not what was pulled: {' '.join(faults)} Remove the folder and pull again."
        )
    return Pulled(
        name=f"{name}@{folder.name}",
        folder=folder,
        commit=_recorded_commit(folder) or "unknown",
        manifest=manifest,
    )


def record_path(folder: Path) -> Path:
    """Return where it is written down which commit a pulled folder is of; not a part of it."""
    return folder.with_name(f"{folder.name}.pulled.json")


def _recorded_commit(folder: Path) -> str | None:
    import msgspec

    path = record_path(folder)
    if not path.is_file():
        return None
    return str(msgspec.json.decode(path.read_bytes(), type=dict[str, str]).get("commit"))


def _put_into_place(partial: Path, pulled: Pulled, endpoint: str) -> None:
    """Rename the proven folder, with a note of where it is from beside it."""
    record = {
        "commit": pulled.commit,
        "endpoint": endpoint,
        "manifest_digest": sealed(pulled.manifest).manifest_digest,
        "name": pulled.name,
    }
    write_atomically(record_path(pulled.folder), canonical_json(record))
    partial.rename(pulled.folder)
