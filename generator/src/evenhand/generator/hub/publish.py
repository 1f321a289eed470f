"""Publishing a version: one commit, one tag on it, and a download that proves it."""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.contract.dataset import FileEntry
from evenhand.contract.errors import DataRefused
from evenhand.generator.hub.at_once import at_once
from evenhand.generator.hub.client import Repository, tree_faults
from evenhand.generator.hub.plan import MAIN, Candidate, Plan, refuse_other_content
from evenhand.generator.hub.pull import fetch
from evenhand.generator.progress import Reporter

if TYPE_CHECKING:
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete


@dataclass(frozen=True, kw_only=True)
class Published:
    """A version that is on the Hub."""

    name: str
    """``org/name@tag``."""
    commit: str
    manifest_digest: str
    is_new: bool
    """False where it was there before."""


def publish(
    repository: Repository, plan: Plan, reporter: Reporter, *, private: bool, gated: bool
) -> Published:
    """Do what the plan says.

    Files that an interrupted call has sent are not sent again; a commit that it made is tagged.

    Raises:
        DataRefused: the Hub refused, somebody else was faster, or the Hub serves other bytes than
            were sent.
    """
    candidate = plan.candidate
    if plan.is_published:
        reporter.say(f"{repository.name}@{candidate.tag} is there already, with the same content")
        return _published(
            repository, candidate, _tagged_commit(repository, candidate), is_new=False
        )
    if plan.is_new or gated:
        repository.create(private=private, gated=gated)
    commit = plan.head if plan.is_committed else None
    if commit is None:
        commit = _commit(repository, plan, reporter)
    is_new = _tag(repository, candidate, commit)
    reporter.say(f"tagged {candidate.tag}; downloading it again to compare")
    _prove(repository, candidate, reporter)
    return _published(repository, candidate, commit, is_new=is_new)


def _published(
    repository: Repository, candidate: Candidate, commit: str, *, is_new: bool
) -> Published:
    return Published(
        name=f"{repository.name}@{candidate.tag}",
        commit=commit,
        manifest_digest=candidate.manifest.manifest_digest,
        is_new=is_new,
    )


def _commit(repository: Repository, plan: Plan, reporter: Reporter) -> str:
    """Send the files, then all changes as one commit on top of what was planned for."""
    candidate = plan.candidate
    head = plan.head or _head(repository)
    additions = _additions(candidate)
    _send(repository, candidate.files, additions, reporter)
    deletions = [one.path for one in plan.files if one.action == "delete"]
    operations: list[CommitOperationAdd | CommitOperationDelete] = [
        *additions,
        *_deletions(deletions),
    ]
    message = f"{candidate.manifest.stem} {candidate.manifest.version}"
    try:
        return repository.commit(operations, parent=head, message=message)
    except DataRefused:
        # A commit whose answer got lost looks like one that somebody else was faster with.
        landed = _landed(repository, candidate)
        if landed is None:
            raise
        return landed


def _send(
    repository: Repository,
    files: list[FileEntry],
    additions: "list[CommitOperationAdd]",
    reporter: Reporter,
) -> None:
    """Send the files, a few at once."""
    advance = reporter.bar("bytes", sum(entry.bytes for entry in files))

    def send(pair: "tuple[FileEntry, CommitOperationAdd]") -> FileEntry:
        entry, addition = pair
        repository.upload(addition)
        return entry

    pairs = list(zip(files, additions, strict=True))
    for number, entry in enumerate(at_once(send, pairs), start=1):
        advance(entry.bytes)
        reporter.say(f"sent {number} of {len(pairs)}: {entry.path} ({entry.bytes:,} bytes)")


def _head(repository: Repository) -> str:
    refs = repository.refs()
    if refs is None or MAIN not in refs["branches"]:
        raise DataRefused(f"{repository.name} was created, but has no branch {MAIN}; try again.")
    return refs["branches"][MAIN]


def _additions(candidate: Candidate) -> "list[CommitOperationAdd]":
    """Prepare the files for the client, with the digests that are known already."""
    from huggingface_hub import CommitOperationAdd

    additions = []
    for entry in candidate.files:
        addition = CommitOperationAdd(entry.path, candidate.folder / entry.path)
        addition.upload_info.sha256 = bytes.fromhex(entry.sha256)
        additions.append(addition)
    return additions


def _deletions(paths: list[str]) -> "list[CommitOperationDelete]":
    from huggingface_hub import CommitOperationDelete

    return [CommitOperationDelete(path, is_folder=False) for path in paths]


def _landed(repository: Repository, candidate: Candidate) -> str | None:
    """Return the head of ``main`` if it holds these very files."""
    refs = repository.refs()
    head = refs and refs["branches"].get(MAIN)
    if not head:
        return None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        manifest = repository.manifest(head, Path(name))
    if manifest is None or manifest.manifest_digest != candidate.manifest.manifest_digest:
        return None
    return None if tree_faults(manifest, repository.files(head)) else head


def _tag(repository: Repository, candidate: Candidate, commit: str) -> bool:
    """Tag the commit; a tag that somebody else was faster with must hold the same files."""
    message = f"manifest_digest {candidate.manifest.manifest_digest}"
    if repository.tag(candidate.tag, commit=commit, message=message):
        return True
    taken = _tagged_commit(repository, candidate)
    if taken != commit:
        refuse_other_content(repository, candidate, taken)
    return taken == commit


def _tagged_commit(repository: Repository, candidate: Candidate) -> str:
    refs = repository.refs()
    if refs is None or candidate.tag not in refs["tags"]:
        raise DataRefused(f"{repository.name} has lost its tag {candidate.tag}; publish again.")
    return refs["tags"][candidate.tag]


def _prove(repository: Repository, candidate: Candidate, reporter: Reporter) -> None:
    """Download the tag and compare every digest."""
    commit = _tagged_commit(repository, candidate)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        served = fetch(repository, commit, Path(name), reporter)
    faults = tree_faults(candidate.manifest, repository.files(commit))
    if served.manifest_digest != candidate.manifest.manifest_digest:
        faults.append(f"the manifest_digest is {served.manifest_digest}")
    if faults:
        raise DataRefused(
            f"{repository.name}@{candidate.tag} is tagged, but the Hub serves other files than were"
            f" sent: {'; '.join(faults)}. Delete the tag and publish again."
        )
