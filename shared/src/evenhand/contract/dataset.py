"""The manifest of a dataset version (``evenhand.json``), its digests, and ``verify``."""

import hashlib
import json
import re
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from evenhand.contract.errors import DataRefused
from evenhand.contract.files import canonical_json, sha256_of_file

MANIFEST_NAME = "evenhand.json"

PULL_FOLDER = Path("datasets_out")
"""``evenhand pull`` puts datasets of the Hub here, as ``org/name/tag``; it is the only way in."""

HUB_NAME = re.compile(r"(?P<repo>[\w.-]+/[\w.-]+)@(?P<revision>[\w.+-]+)")
"""A dataset on the Hub at a tag or commit: ``org/name@1.0.0``."""

_TOP_LEVEL_IGNORED = frozenset({".gitattributes"})
"""Files that the Hub adds to every repository by itself; they are no part of a version."""


class Licence(msgspec.Struct, frozen=True, kw_only=True):
    """A licence as the Hub names it."""

    id: str
    """SPDX identifier in the Hub's lower-case spelling, e.g. ``apache-2.0``."""
    name: str
    """Its full name."""
    link: str
    """Where its text is: a URL, or a file in the version."""


class FileEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One file of the version, by its path below the folder."""

    path: str
    """Relative, with forward slashes."""
    sha256: str
    """Of its bytes, 64 hex digits."""
    bytes: int
    """Its size."""


class SplitEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One split of one config."""

    rows: int
    """Rows of the split."""
    examples: int
    """Complete examples: the rows of one example are scored together."""
    content_digest: str
    """Digest of this split's rows in order; see :class:`ContentDigest`."""


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What one published version is: counts, digests, licence, and how it was made."""

    stem: str
    """The benchmark, by the short name that commands take."""
    version: str
    """``MAJOR.MINOR.PATCH``, with ``+sample.N.SEED`` where it is a part of one."""
    contract_version: str
    """Of this file, e.g. ``1.0``."""
    generator_version: str
    """Of the package that made it."""
    seed: int
    """Random seed."""
    protocol: str | None
    """``paper`` or ``code`` where the two give different rows, else null."""
    licence: Licence
    """Licence of the rows."""
    content_warning: str
    """What readers should expect to find in the rows."""
    configs: dict[str, dict[str, SplitEntry]]
    """config -> split -> counts and digest."""
    files: list[FileEntry]
    """Every file of the folder except the manifest itself, sorted by path."""
    provenance: dict[str, Any]
    """Options and sources: templates' digest, tokenizer, the release that was imported."""
    content_digest: str
    """Digest of all configs' digests: :func:`combined_content_digest`."""
    superseded_by: str | None = None
    """The version that corrects this one; null where there is none."""
    manifest_digest: str = ""
    """sha256 of the canonical JSON of this manifest with this field empty."""


class ContentDigest:
    """The digest of a table's rows in order, independent of how Parquet stores them.

    Each column feeds two sha256 sums, in chunks of any size: ``lengths`` and ``values``.
    A string column feeds, row by row, its length in UTF-8 bytes as a signed 64-bit little-endian
    integer (-1 for null) to ``lengths`` and those bytes to ``values``. Any other column feeds one
    64-bit little-endian integer (1, or 0 for null) to ``lengths`` and the value to ``values``:
    integers and booleans as signed 64-bit, floats as IEEE 754 double, both little-endian, 0 for
    null. A list column is fed as the string column of each row's compact JSON (Python's
    ``json.dumps(value, ensure_ascii=False, separators=(",", ":"))``), null for null.
    The digest is the sha256 of the canonical JSON of
    ``{"rows": n, "columns": [[name, lengths hex, values hex], ...]}`` in column order.

    >>> digest = ContentDigest(["id"])
    >>> digest.update("id", lengths=(1).to_bytes(8, "little"), values=b"a")
    >>> digest.hexdigest(rows=1)[:12]
    '33bc24f2a93f'
    """

    def __init__(self, columns: list[str]) -> None:
        self._sums = {name: (hashlib.sha256(), hashlib.sha256()) for name in columns}

    def update(
        self, column: str, *, lengths: bytes | memoryview, values: bytes | memoryview
    ) -> None:
        """Feed the next rows of one column."""
        length_sum, value_sum = self._sums[column]
        length_sum.update(lengths)
        value_sum.update(values)

    def hexdigest(self, *, rows: int) -> str:
        """Return the digest of all rows fed so far."""
        columns = [[name, n.hexdigest(), v.hexdigest()] for name, (n, v) in self._sums.items()]
        return hashlib.sha256(canonical_json({"rows": rows, "columns": columns})).hexdigest()


def combined_content_digest(configs: dict[str, dict[str, SplitEntry]]) -> str:
    """Return the sha256 of the canonical JSON of ``{config: {split: content_digest}}``."""
    digests = {
        config: {split: entry.content_digest for split, entry in splits.items()}
        for config, splits in configs.items()
    }
    return hashlib.sha256(canonical_json(digests)).hexdigest()


def sealed(manifest: Manifest) -> Manifest:
    """Return the manifest with its ``manifest_digest`` filled in."""
    blank = msgspec.structs.replace(manifest, manifest_digest="")
    digest = hashlib.sha256(canonical_json(blank)).hexdigest()
    return msgspec.structs.replace(manifest, manifest_digest=digest)


def dataset_folder(name: str) -> Path:
    """Return the folder that a DATASET names: the folder itself, or where a pulled one lies.

    Raises:
        DataRefused: ``org/name@tag`` was not pulled; the sentence has the command that does it.
    """
    folder = Path(name)
    if folder.exists():
        return folder
    if HUB_NAME.fullmatch(name):
        pulled = PULL_FOLDER.joinpath(*name.split("@", 1))
        if not pulled.is_dir():
            raise DataRefused(
                f"{name} is not in {PULL_FOLDER}; get it with `evenhand pull {name}`."
            )
        return pulled
    versions = sorted(path.parent.name for path in (PULL_FOLDER / name).glob(f"*/{MANIFEST_NAME}"))
    if versions:
        raise DataRefused(f"{name} names no version; you have pulled {name}@{versions[-1]}.")
    return folder


def read_manifest(folder: Path) -> Manifest:
    """Read ``evenhand.json`` of a dataset folder.

    Raises:
        DataRefused: no folder, no manifest, or a manifest that is not one.
    """
    path = folder / MANIFEST_NAME
    if not folder.is_dir():
        raise DataRefused(f"{folder} is not a folder; a dataset is the folder of one version.")
    if not path.is_file():
        versions = sorted(p.parent.name for p in folder.glob(f"*/{MANIFEST_NAME}"))
        hint = f" Did you mean {folder / versions[-1]}?" if versions else ""
        raise DataRefused(f"{folder} has no {MANIFEST_NAME}, so it is not a dataset version.{hint}")
    try:
        return msgspec.json.decode(path.read_bytes(), type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DataRefused(f"{path} is not a manifest: {error}.") from error


def verify(folder: Path, *, expect: str | None = None) -> tuple[Manifest, list[str]]:
    """Check that a folder is what its manifest says, and return the manifest and all faults.

    Checked: the manifest's canonical form, its own digest, and each file's presence, size and
    sha256; that there is no other file; with ``expect``, that the manifest digest is the one that
    was obtained separately. The digest of the rows is checked by ``check``, ``score`` and ``diff``.

    Raises:
        DataRefused: there is no readable manifest at all.
    """
    manifest = read_manifest(folder)
    faults = _manifest_faults(folder, manifest, expect)
    listed = {entry.path for entry in manifest.files}
    for entry in manifest.files:
        faults += _file_faults(folder, entry)
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder).as_posix()
        is_listed = relative in listed or relative == MANIFEST_NAME
        if not path.is_dir() and not is_listed and relative not in _TOP_LEVEL_IGNORED:
            faults.append(f"{relative}: is not in the manifest.")
    return manifest, faults


def _manifest_faults(folder: Path, manifest: Manifest, expect: str | None) -> list[str]:
    faults = []
    content = (folder / MANIFEST_NAME).read_bytes()
    # Read without the record type, so that fields added by a later version stay in the digest.
    fields = json.loads(content)
    if content != canonical_json(fields):
        faults.append(f"{MANIFEST_NAME}: is not in canonical form, so it was edited.")
    digest = hashlib.sha256(canonical_json({**fields, "manifest_digest": ""})).hexdigest()
    if digest != manifest.manifest_digest:
        faults.append(
            f"{MANIFEST_NAME}: says manifest_digest {manifest.manifest_digest or '(empty)'}, "
            f"but its content gives {digest}."
        )
    if combined_content_digest(manifest.configs) != manifest.content_digest:
        faults.append(f"{MANIFEST_NAME}: content_digest does not match the digests of its configs.")
    if expect is not None and expect.lower() != digest:
        faults.append(f"{MANIFEST_NAME}: its digest is {digest}, but {expect} was expected.")
    return faults


def _file_faults(folder: Path, entry: FileEntry) -> list[str]:
    pure = PurePosixPath(entry.path)
    if pure.is_absolute() or ".." in pure.parts:
        return [f"{entry.path}: the manifest names a path outside the folder."]
    path = folder / pure
    if path.is_symlink() or not path.is_file():
        return [f"{entry.path}: is missing."]
    size = path.stat().st_size
    if size != entry.bytes:
        return [f"{entry.path}: has {size} bytes, but the manifest says {entry.bytes}."]
    digest = sha256_of_file(path)
    if digest != entry.sha256:
        return [f"{entry.path}: has sha256 {digest}, but the manifest says {entry.sha256}."]
    return []
