"""One repository of the Hub: what Evenhand asks of it, patiently and in plain words."""

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from evenhand.contract.dataset import MANIFEST_NAME, Manifest, read_manifest
from evenhand.contract.errors import DataRefused
from evenhand.generator import __version__
from evenhand.generator.hub.at_once import at_once

if TYPE_CHECKING:
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete

Answer = TypeVar("Answer")
Say = Callable[[str], None]

_DATASET = "dataset"
OF_THE_HUB = frozenset({".gitattributes"})
"""Files that the Hub puts into every repository by itself."""


class Repository:
    """A dataset repository on the Hub."""

    def __init__(self, name: str, *, endpoint: str | None, say: Say) -> None:
        """Make ready to talk; nothing is asked yet.

        Args:
            name: ``org/name``.
            endpoint: address of the Hub; null for that of HF_ENDPOINT, else the usual one.
            say: told what is waited for.
        """
        _prepare_environment(endpoint)
        from huggingface_hub import HfApi, constants, get_token
        from huggingface_hub.utils.tqdm import disable_progress_bars

        # The environment says the same, but is read only when the library is imported first.
        constants.HF_HUB_DISABLE_XET = True
        # Progress is ours; two sets of bars would write over each other.
        disable_progress_bars()
        _pass_on_waiting(say)
        address = endpoint or constants.ENDPOINT
        self._api = HfApi(
            endpoint=address.rstrip("/"), library_name="evenhand", library_version=__version__
        )
        self.name = name
        self.endpoint = self._api.endpoint
        self.is_logged_in = get_token() is not None
        self._say = say

    def _ask(
        self, doing: str, call: Callable[[], Answer], *, is_client_patient: bool = False
    ) -> Answer:
        """Ask in plain words, and patiently where the client does not try again by itself."""
        from evenhand.generator.hub.patience import patiently, plain_words

        with plain_words(self.endpoint, self.name, doing):
            return call() if is_client_patient else patiently(call, self._say)

    def _ask_if_there(self, call: Callable[[], Answer]) -> Answer | None:
        """Return None where there is no such repository, revision or file."""
        from huggingface_hub.errors import (
            GatedRepoError,
            RemoteEntryNotFoundError,
            RepositoryNotFoundError,
            RevisionNotFoundError,
        )

        absent = (RepositoryNotFoundError, RevisionNotFoundError, RemoteEntryNotFoundError)

        def answer_or_none() -> Answer | None:
            try:
                return call()
            except absent as error:
                # Without a token the Hub answers 401 whether or not there is a repository.
                is_unknown = error.response.status_code == 404 or not self.is_logged_in
                if is_unknown and not isinstance(error, GatedRepoError):
                    return None
                raise

        return self._ask("read", answer_or_none)

    def refs(self) -> dict[str, dict[str, str]] | None:
        """Return ``{"branches": {name: commit}, "tags": {name: commit}}``, or None if not there."""
        refs = self._ask_if_there(lambda: self._api.list_repo_refs(self.name, repo_type=_DATASET))
        if refs is None:
            return None
        return {
            "branches": {one.name: one.target_commit for one in refs.branches},
            "tags": {one.name: one.target_commit for one in refs.tags},
        }

    def files(self, revision: str) -> dict[str, tuple[int, str | None]]:
        """Return path -> size and, where the Hub knows it, sha256, without the Hub's own files."""
        from huggingface_hub.hf_api import RepoFile

        listed = self._ask(
            "read",
            lambda: list(
                self._api.list_repo_tree(
                    self.name, recursive=True, revision=revision, repo_type=_DATASET
                )
            ),
            is_client_patient=True,
        )
        return {
            one.path: (one.size, one.lfs.sha256 if one.lfs else None)
            for one in listed
            if isinstance(one, RepoFile) and one.path not in OF_THE_HUB
        }

    def manifest(self, revision: str, into: Path) -> Manifest | None:
        """Download and read the manifest at a revision; None where it has none."""
        path = self._ask_if_there(lambda: self._fetch(MANIFEST_NAME, revision, into))
        return None if path is None else read_manifest(into)

    def download(
        self,
        sizes: Mapping[str, int],
        revision: str,
        into: Path,
        advance: Callable[[int], None] = lambda _: None,
    ) -> None:
        """Download files; those that an interrupted call left complete or in part are used.

        Args:
            sizes: path -> bytes.
            revision: a commit, so that what lies there already is known to be of it.
            into: the folder; the client keeps its notes in ``.cache`` below it.
            advance: told the bytes of each file that is there.
        """

        def one(path: str) -> str:
            self._ask("read", lambda: self._fetch(path, revision, into))
            return path

        for path in at_once(one, list(sizes)):
            advance(sizes[path])

    def _fetch(self, path: str, revision: str, into: Path) -> str:
        # A cache of its own: a copy from the user's cache would prove nothing about the Hub.
        return self._api.hf_hub_download(
            self.name,
            path,
            repo_type=_DATASET,
            revision=revision,
            local_dir=into,
            cache_dir=into / ".cache" / "none",
        )

    def create(self, *, private: bool, gated: bool) -> None:
        """Make the repository if there is none; set the gate before anything is in it."""
        self._ask(
            "create",
            lambda: self._api.create_repo(
                self.name, repo_type=_DATASET, private=private or None, exist_ok=True
            ),
        )
        if gated:
            self._ask(
                "gate",
                lambda: self._api.update_repo_settings(
                    self.name, repo_type=_DATASET, gated="manual"
                ),
            )

    def upload(self, addition: "CommitOperationAdd") -> None:
        """Send the content of one file, if it is large and not there yet; nothing shows it yet."""
        self._ask(
            "write to",
            lambda: self._api.preupload_lfs_files(
                self.name, [addition], repo_type=_DATASET, free_memory=False
            ),
            is_client_patient=True,
        )

    def commit(
        self,
        operations: "Sequence[CommitOperationAdd | CommitOperationDelete]",
        *,
        parent: str,
        message: str,
    ) -> str:
        """Put all changes into one commit on top of ``parent`` and return its id.

        Raises:
            DataRefused: the branch has moved on, or the Hub refused.
        """
        made = self._ask(
            "write to",
            lambda: self._api.create_commit(
                self.name,
                list(operations),
                repo_type=_DATASET,
                commit_message=message,
                parent_commit=parent,
            ),
        )
        return str(made.oid)

    def tag(self, name: str, *, commit: str, message: str) -> bool:
        """Tag a commit; false where the tag is there already, on whatever commit."""
        from huggingface_hub.errors import HfHubHTTPError

        def create() -> bool:
            try:
                self._api.create_tag(
                    self.name, tag=name, tag_message=message, revision=commit, repo_type=_DATASET
                )
            except HfHubHTTPError as error:
                if error.response.status_code == 409:
                    return False
                raise
            return True

        return self._ask("tag", create)


def _prepare_environment(endpoint: str | None) -> None:
    """Set what huggingface_hub reads when it is imported."""
    # With Xet an upload is several commits, and one call of it that fails cannot be repeated.
    os.environ["HF_HUB_DISABLE_XET"] = "1"
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    # Without this, the user's variable could forbid to switch the client's bars off.
    os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"
    if endpoint is not None:
        if not endpoint.startswith(("http://", "https://")):
            raise DataRefused(
                f"--endpoint {endpoint} is not an address; e.g. https://huggingface.co."
            )
        os.environ["HF_ENDPOINT"] = endpoint


def _pass_on_waiting(say: Say) -> None:
    """Say that the client waits, and nothing else of its log, which holds signed addresses."""
    logger = logging.getLogger("huggingface_hub")
    logger.handlers = [_WaitingHandler(say)]
    logger.propagate = False


class _WaitingHandler(logging.Handler):
    """Passes on the lines that say how long the client waits."""

    def __init__(self, say: Say) -> None:
        super().__init__(logging.WARNING)
        self._tell = say

    def emit(self, record: logging.LogRecord) -> None:
        """Pass on a line about a pause."""
        text = record.getMessage()
        if text.startswith(("Rate limited", "Retrying in")):
            self._tell(f"the Hub is busy: {text[0].lower()}{text[1:]}")


def tree_faults(manifest: Manifest, files: Mapping[str, tuple[int, Any]]) -> list[str]:
    """Compare a manifest with what the Hub lists, without downloading anything."""
    faults = [
        f"{path}: is not in the manifest"
        for path in sorted(files.keys() - {entry.path for entry in manifest.files})
        if path != MANIFEST_NAME
    ]
    for entry in manifest.files:
        size, sha256 = files.get(entry.path, (None, None))
        if size is None:
            faults.append(f"{entry.path}: is missing")
        elif size != entry.bytes or sha256 not in {None, entry.sha256}:
            faults.append(f"{entry.path}: differs")
    return faults
