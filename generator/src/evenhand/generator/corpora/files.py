"""Which files a corpus is made of, and what kind each of them is."""

import re
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from evenhand.contract.errors import DataRefused
from evenhand.generator.corpora.streams import COMPRESSIONS

Kind = Literal["json lines", "json", "text", "parquet", "mediawiki", "arrow"]

KINDS: dict[str, Kind] = {
    ".jsonl": "json lines",
    ".ndjson": "json lines",
    ".json": "json",
    ".txt": "text",
    ".text": "text",
    ".md": "text",
    ".parquet": "parquet",
    ".xml": "mediawiki",
}
_PART_OF_DUMP = re.compile(r"\.xml-p\d+p\d+")
_READABLE = f"{', '.join(KINDS)}, each but .parquet also with {', '.join(COMPRESSIONS)}"


class CorpusSource(NamedTuple):
    """One file to read."""

    path: Path
    name: str
    """As it is reported: without the folders above what was given."""
    kind: Kind


def corpus_sources(paths: list[Path]) -> list[CorpusSource]:
    """Return the files of a corpus in the order they are read.

    Args:
        paths: files; folders, whose readable files are taken in the order of their names; folders
            that ``datasets`` saved.

    Raises:
        DataRefused: a path is missing, unreadable, or given twice; a folder holds no readable file.
    """
    sources = [source for path in paths for source in _path_sources(path)]
    seen: set[Path] = set()
    for source in sources:
        place = source.path.resolve()
        if place in seen:
            raise DataRefused(f"{source.path} is given twice, so it would be counted twice.")
        seen.add(place)
    return sources


def _path_sources(path: Path) -> list[CorpusSource]:
    if path.is_dir():
        return _folder_sources(path)
    if not path.exists():
        raise DataRefused(f"{path} does not exist; --corpus names files and folders.")
    kind = file_kind(path)
    if kind is None:
        raise DataRefused(f"{path}: its ending is unknown; a corpus file ends with {_READABLE}.")
    return [CorpusSource(path, path.name, kind)]


def file_kind(path: Path) -> Kind | None:
    """Return what a file holds by its ending.

    >>> file_kind(Path("books.jsonl.zst")), file_kind(Path("notes.doc"))
    ('json lines', None)

    Wikipedia's dumps come in parts, whose pages stand behind the ending:

    >>> file_kind(Path("enwiki-20260101-pages-articles1.xml-p1p41242.bz2"))
    'mediawiki'
    """
    name = path.name
    ending = path.suffix
    if ending in COMPRESSIONS:
        ending = Path(name.removesuffix(ending)).suffix
        if ending == ".parquet":
            return None
    if _PART_OF_DUMP.fullmatch(ending):
        return "mediawiki"
    return KINDS.get(ending)


def _folder_sources(folder: Path) -> list[CorpusSource]:
    if (folder / "state.json").is_file() or (folder / "dataset_dict.json").is_file():
        return _dataset_sources(folder, folder.name)
    sources = [
        CorpusSource(path, f"{folder.name}/{path.relative_to(folder).as_posix()}", kind)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and (kind := file_kind(path)) is not None
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    ]
    if not sources:
        raise DataRefused(f"{folder} holds no file that can be read: {_READABLE}.")
    return sources


class _State(msgspec.Struct):
    """What ``datasets`` writes beside the shards of a saved dataset."""

    data_files: list[dict[str, str]] = msgspec.field(name="_data_files")
    indices: list[dict[str, str]] | None = msgspec.field(name="_indices_data_files", default=None)


class _Splits(msgspec.Struct):
    splits: list[str]


def _dataset_sources(folder: Path, name: str) -> list[CorpusSource]:
    """Return the shards of a dataset that ``save_to_disk`` wrote, without importing datasets."""
    try:
        splits = folder / "dataset_dict.json"
        if splits.is_file():
            names = msgspec.json.decode(splits.read_bytes(), type=_Splits).splits
            return [
                source
                for split in names
                for source in _dataset_sources(folder / split, f"{name}/{split}")
            ]
        state = msgspec.json.decode((folder / "state.json").read_bytes(), type=_State)
    except (msgspec.DecodeError, FileNotFoundError) as error:
        raise DataRefused(
            f"{folder} is not a complete folder of `save_to_disk` ({error}); save the dataset"
            " again."
        ) from error
    if state.indices:
        raise DataRefused(
            f"{folder} holds a dataset whose rows were selected or shuffled without copying; call"
            " flatten_indices() on it and save it again."
        )
    files = [file["filename"] for file in state.data_files]
    return [CorpusSource(folder / Path(file).name, f"{name}/{file}", "arrow") for file in files]
