"""What publishing would do; what can be refused is refused here, before a byte is sent."""

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from evenhand.contract import WrongUse
from evenhand.contract.dataset import MANIFEST_NAME, FileEntry, Manifest, read_manifest, verify
from evenhand.contract.errors import DataRefused
from evenhand.contract.files import sha256_of_file
from evenhand.generator.diff import Difference, difference, refuse_small_step, splits_that_differ
from evenhand.generator.hub.client import Repository, tree_faults
from evenhand.generator.hub.pull import newest_version
from evenhand.generator.names import tag_version
from evenhand.generator.progress import Reporter
from evenhand.generator.steps import refuse_going_back

MAIN = "main"
_NO_LICENCE = frozenset({"", "none", "unknown", "unlicensed"})
_PUT_THERE_BY_OTHERS = frozenset({"README.md"})
"""The Hub's page for a new dataset writes a card; it may be written over."""

Action = Literal["add", "replace", "same", "delete"]


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A proven folder that somebody wants to publish."""

    folder: Path
    manifest: Manifest
    files: list[FileEntry]
    """All files of the folder, the manifest among them; each was hashed once."""
    tag: str


@dataclass(frozen=True, kw_only=True)
class FilePlan:
    """What happens to one file of the repository."""

    path: str
    bytes: int | None
    sha256: str | None
    action: Action


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What publishing does, step by step."""

    candidate: Candidate
    is_new: bool
    """Whether the repository has to be created."""
    head: str | None
    """Commit of ``main`` on which the new one goes."""
    is_committed: bool
    """Whether ``main`` holds these very files, from a call that was interrupted."""
    is_published: bool
    """Whether the tag is there with these very files: nothing is left to do."""
    files: list[FilePlan]
    previous: str | None
    """Tag of the version before."""
    difference: Difference | None
    """From the version before to this one."""


def verified_candidate(folder: Path, tag: str | None) -> Candidate:
    """Prove a folder and check that it may be published at all.

    Raises:
        WrongUse: the tag stands for another version.
        DataRefused: the folder is not what its manifest says, is a sample, or has no licence.
    """
    manifest = read_manifest(folder)
    if "+" in manifest.version:
        raise DataRefused(
            f"{folder} is {manifest.version}, a sample; a published version holds all rows, so"
            " generate it without --limit."
        )
    _check_licence(folder, manifest)
    if tag is not None and tag_version(tag) != manifest.version:
        raise WrongUse(
            f"--tag {tag} is not the version of {folder}; it may be {manifest.version} or"
            f" v{manifest.version}."
        )
    _, faults = verify(folder)
    if faults:
        raise DataRefused(f"{folder} is not what its manifest says: {' '.join(faults)}")
    path = folder / MANIFEST_NAME
    manifest_entry = FileEntry(
        path=path.name, sha256=sha256_of_file(path), bytes=path.stat().st_size
    )
    files = sorted([*manifest.files, manifest_entry], key=lambda entry: entry.path)
    return Candidate(folder=folder, manifest=manifest, files=files, tag=tag or manifest.version)


def _check_licence(folder: Path, manifest: Manifest) -> None:
    licence = manifest.licence
    if licence.id.strip().lower() in _NO_LICENCE:
        raise DataRefused(
            f"{folder} has no licence; nobody may use a dataset without one, so name it on the"
            " card and generate the version again."
        )
    if licence.id == "other" and not (licence.name.strip() and licence.link.strip()):
        raise DataRefused(
            f"{folder} has the licence `other` without name or link; the Hub asks for both."
        )


def make_plan(repository: Repository, candidate: Candidate, reporter: Reporter) -> Plan:
    """Look at what is there and say what has to be done; nothing is written.

    Raises:
        DataRefused: the tag holds other files, the version goes back or says less than what
            changed, or the repository holds something else.
    """
    refs = repository.refs()
    if refs is None:
        return _plan(candidate, is_new=True)
    tags = refs["tags"]
    head = refs["branches"].get(MAIN)
    if candidate.tag in tags:
        _check_published(repository, candidate, tags[candidate.tag])
        return _plan(candidate, head=head, is_published=True, there=_digests(candidate))
    previous = newest_version(tags)
    if previous is not None:
        refuse_going_back(
            previous.removeprefix("v"), candidate.manifest.version, where=repository.name
        )
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        workplace = Path(name)
        there, is_committed = _head(repository, candidate, head, workplace / "head")
        change = None
        if previous is not None:
            change = _difference(
                repository,
                candidate,
                reporter,
                tag=previous,
                commit=tags[previous],
                into=workplace / "previous",
            )
            refuse_small_step(change)
    return _plan(
        candidate,
        head=head,
        is_committed=is_committed,
        there=there,
        previous=previous,
        difference=change,
    )


def _plan(
    candidate: Candidate,
    *,
    is_new: bool = False,
    head: str | None = None,
    is_committed: bool = False,
    is_published: bool = False,
    there: Mapping[str, str | None] | None = None,
    previous: str | None = None,
    difference: Difference | None = None,
) -> Plan:
    return Plan(
        candidate=candidate,
        is_new=is_new,
        head=head,
        is_committed=is_committed,
        is_published=is_published,
        files=list(_file_plans(candidate, there or {})),
        previous=previous,
        difference=difference,
    )


def _digests(candidate: Candidate) -> dict[str, str | None]:
    return {entry.path: entry.sha256 for entry in candidate.files}


def _file_plans(candidate: Candidate, there: Mapping[str, str | None]) -> Iterator[FilePlan]:
    """Compare path by path with what is at the head (path -> sha256, where it is known)."""
    for entry in candidate.files:
        action: Action = "replace" if entry.path in there else "add"
        if there.get(entry.path) == entry.sha256:
            action = "same"
        yield FilePlan(path=entry.path, bytes=entry.bytes, sha256=entry.sha256, action=action)
    for path in sorted(there.keys() - _digests(candidate).keys()):
        yield FilePlan(path=path, bytes=None, sha256=None, action="delete")


def _check_published(repository: Repository, candidate: Candidate, commit: str) -> None:
    """Accept a tag that holds these very files."""
    refuse_other_content(repository, candidate, commit)
    faults = tree_faults(candidate.manifest, repository.files(commit))
    if faults:
        raise DataRefused(
            f"{repository.name}@{candidate.tag} has the manifest of {candidate.folder}, but not its"
            f" files ({'; '.join(faults)}); a published version is never changed, so publish under"
            " the next number."
        )


def refuse_other_content(repository: Repository, candidate: Candidate, commit: str) -> None:
    """Refuse a tag that is taken by other files.

    Raises:
        DataRefused: the manifest at the commit is another one, or there is none.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        published = repository.manifest(commit, Path(name))
    if published is None or published.manifest_digest != candidate.manifest.manifest_digest:
        raise DataRefused(
            f"{repository.name}@{candidate.tag} is published with other content; a published"
            " version is never changed, so give this one a number of its own (`evenhand diff` says"
            " which)."
        )


def _head(
    repository: Repository, candidate: Candidate, head: str | None, into: Path
) -> tuple[dict[str, str | None], bool]:
    """Return path -> sha256 of what ``main`` holds, and whether that is this version already."""
    if head is None:
        return {}, False
    listed = repository.files(head)
    manifest = repository.manifest(head, into)
    if manifest is None:
        foreign = sorted(listed.keys() - _PUT_THERE_BY_OTHERS)
        if foreign:
            raise DataRefused(
                f"{repository.name} holds files that are not a dataset of Evenhand"
                f" ({', '.join(foreign[:5])}); choose another repository."
            )
        return {path: sha256 for path, (_, sha256) in listed.items()}, False
    is_ours = manifest.manifest_digest == candidate.manifest.manifest_digest
    known = {entry.path: entry.sha256 for entry in manifest.files}
    known[MANIFEST_NAME] = sha256_of_file(into / MANIFEST_NAME)
    there = {path: known.get(path) for path in listed}
    return there, is_ours and not tree_faults(manifest, listed)


def _difference(
    repository: Repository,
    candidate: Candidate,
    reporter: Reporter,
    *,
    tag: str,
    commit: str,
    into: Path,
) -> Difference:
    """Compare with the version before; only configs whose rows differ are downloaded."""
    before = repository.manifest(commit, into)
    if before is None:
        raise DataRefused(
            f"{repository.name}@{tag} holds no {MANIFEST_NAME}, so it is not a dataset of Evenhand;"
            " choose another repository."
        )
    configs = {config for config, _ in splits_that_differ(before, candidate.manifest)}
    needed = [entry for entry in before.files if entry.path.split("/")[0] in configs]
    if needed:
        reporter.say(f"comparing with {tag}: {', '.join(sorted(configs))}")
        repository.download({entry.path: entry.bytes for entry in needed}, commit, into)
    for entry in needed:
        if sha256_of_file(into / entry.path) != entry.sha256:
            raise DataRefused(
                f"{repository.name}@{tag}: {entry.path} arrived damaged; run the command again."
            )
    return difference(into, candidate.folder, trusted="equal digests")
