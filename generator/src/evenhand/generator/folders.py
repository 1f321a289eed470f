"""Where content is looked up: a user's folder of templates and lists before ours."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from evenhand.contract.errors import DataRefused
from evenhand.contract.files import sha256_of_file


@dataclass(frozen=True, kw_only=True)
class Folders:
    """A user's folder, which may hold any part of the content, and ours, which holds all."""

    ours: Path
    user: Path | None

    def __post_init__(self) -> None:
        """Check that the user's folder is one.

        Raises:
            DataRefused: it is not.
        """
        if self.user is not None and not self.user.is_dir():
            raise DataRefused(f"{self.user} is not a folder; --templates names one.")

    def find(self, relative: str) -> Path:
        """Return a file of the user's, else ours, else the place where theirs is missing."""
        ours = self.ours / relative
        if self.user is None:
            return ours
        theirs = self.user / relative
        return theirs if theirs.is_file() or not ours.is_file() else ours

    def templates(self, name: str) -> list[Path]:
        """Return the user's ``<name>/*.jinja`` in order if there is one, else ours."""
        roots = [root for root in (self.user, self.ours) if root is not None]
        listings = (sorted((root / name).glob("*.jinja")) for root in roots)
        return next((paths for paths in listings if paths), [])


_PACKAGE = Path(__file__).parent


def content_name(path: Path) -> str:
    """Return a file's name with its folder's, e.g. ``Age/q01.jinja``.

    A file of ours that lies in no such folder is named after its benchmark.
    """
    folder = path.parent
    is_ours = folder.name == "templates" and folder.parent.parent == _PACKAGE
    return f"{folder.parent.name if is_ours else folder.name}/{path.name}"


def content_digests(paths: Iterable[Path]) -> dict[str, str]:
    """Return the sha256 of each file by its name and its folder's, in order."""
    names = {content_name(path): path for path in set(paths)}
    # By folder and then by name, as a slash sorts behind some characters of names.
    ordered = sorted(names, key=lambda name: name.split("/"))
    return {name: sha256_of_file(names[name]) for name in ordered}


def content_digest(paths: Iterable[Path]) -> str:
    """Return one sha256 over the names (with their folder's) and the bytes of files."""
    digest = hashlib.sha256()
    for name, sha256 in content_digests(paths).items():
        digest.update(f"{name}\n{sha256}\n".encode())
    return digest.hexdigest()
