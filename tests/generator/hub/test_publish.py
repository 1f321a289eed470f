"""`publish`: one commit, one tag, proven by a download; and all that is refused."""

import hashlib
import json
from pathlib import Path

import pytest

from evenhand.contract.dataset import read_manifest


def files_of(folder: Path) -> dict[str, bytes]:
    """Return path -> bytes of a dataset folder."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def test_a_version_is_one_commit_and_one_tag(hub, call, versions) -> None:
    """The tag holds the folder's very bytes, in one commit on top of the Hub's own."""
    folder = versions("1.0.0")

    code, out, err = call("publish", folder, "--repo", "org/name")

    assert code == 0, err
    repo = hub.repos["org/name"]
    assert repo.messages == ["initial commit", "unqover 1.0.0"]
    assert repo.tags == {"1.0.0": repo.branches["main"]}
    served = hub.files("org/name", "1.0.0")
    served.pop(".gitattributes")
    assert served == files_of(folder)
    assert out == (
        f"dataset org/name@1.0.0\ncommit {repo.branches['main']}\n"
        f"manifest_digest {read_manifest(folder).manifest_digest}\n"
    )
    assert "tagged 1.0.0; downloading it again to compare\n" in err
    assert hub.asked("GET", "/resolve/.*parquet") == 2
