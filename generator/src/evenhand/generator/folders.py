"""Where content is looked up: a user's folder of templates and lists before ours."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from evenhand.contract.errors import DataRefused


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
        own = self.user / relative
        return own if own.is_file() or not ours.is_file() else ours

    def templates(self, name: str) -> list[Path]:
        """Return the user's ``<name>/*.jinja`` in order if there is one, else ours."""
        roots = [root for root in (self.user, self.ours) if root is not None]
        found = (sorted((root / name).glob("*.jinja")) for root in roots)
        return next((paths for paths in found if paths), [])


def digest_of_content(paths: Iterable[Path]) -> str:
    """Return one sha256 over the names (with their folder's) and the bytes of files."""
    digest = hashlib.sha256()
    for path in sorted(set(paths), key=lambda path: path.parts[-2:]):
        name = "/".join(path.parts[-2:])
        digest.update(f"{name}\n{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()
