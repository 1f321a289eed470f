"""Reading, hashing and writing files so that nothing is ever left half-written."""

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from evenhand.contract.errors import DataRefused

_CHUNK_BYTES = 1 << 20


def sha256_of_file(path: Path) -> str:
    """Return the sha256 of a file's bytes as 64 hex digits, read in chunks of 1 MiB."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def canonical_json(value: Any) -> bytes:
    """Return the one JSON form of a value: UTF-8, keys sorted, two spaces, one newline at the end.

    The same bytes come from ``json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False)``
    plus a newline, so that anyone can check a digest without Evenhand. NaN and infinity are
    refused with ValueError.
    """
    plain = msgspec.to_builtins(value)
    text = json.dumps(plain, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False)
    return text.encode() + b"\n"


def write_atomically(path: Path, content: bytes) -> None:
    """Write a whole file under a temporary name beside it and rename it into place."""
    with atomic_path(path) as temporary:
        temporary.write_bytes(content)


def check_place(path: Path) -> None:
    """Refuse a path that cannot be written to, before the work whose result goes there.

    Raises:
        DataRefused: the parent folder is missing or ``path`` is a folder.
    """
    if path.is_dir():
        raise DataRefused(f"{path} is a folder; give the name of a file to write.")
    if not path.parent.is_dir():
        raise DataRefused(f"The folder {path.parent} does not exist; make it first.")


@contextlib.contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside ``path``; rename it into place when the block succeeds.

    Raises:
        DataRefused: the parent folder is missing or ``path`` is a folder.
    """
    check_place(path)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        # mkstemp makes files for the owner alone; an output has the permissions of any new file.
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def atomic_folder(path: Path, *, overwrite: bool) -> Iterator[Path]:
    """Yield a temporary folder beside ``path``; swap it into place when the block succeeds.

    Raises:
        DataRefused: ``path`` exists and ``overwrite`` is false, or it is not a folder.
    """
    if path.is_symlink() or (path.exists() and not path.is_dir()):
        raise DataRefused(f"{path} exists and is not a folder; choose another --out.")
    if path.exists() and any(path.iterdir()) and not overwrite:
        raise DataRefused(f"The folder {path} exists; add --overwrite or choose another --out.")
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    try:
        yield temporary
        temporary.chmod(0o777 & ~_umask())
        _swap_folder(temporary, path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _swap_folder(new: Path, path: Path) -> None:
    """Rename ``new`` to ``path``; the old folder is put back if the rename fails."""
    if not path.exists():
        new.rename(path)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{path.name}.old.", dir=path.parent))
    path.rename(old / path.name)
    try:
        new.rename(path)
    except OSError:
        (old / path.name).rename(path)
        raise
    finally:
        shutil.rmtree(old, ignore_errors=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
