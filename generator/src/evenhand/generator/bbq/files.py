"""Finds and reads the files of a release: official JSONL, or a mirror's JSONL or Parquet."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from evenhand.contract.bbq import CATEGORIES
from evenhand.contract.errors import DataRefused
from evenhand.generator.bbq.rows import Row, fields_left_out, read_row
from evenhand.generator.bbq.spelling import checked_category

_ENDINGS = ("*.jsonl", "*.parquet")
_BOM = b"\xef\xbb\xbf"
_SHARD = re.compile(r"(?:[-_](?:test|train|validation))?(?:-\d+-of-\d+)?$")
_BY_PLAIN_NAME = {re.sub(r"\W|_", "", name).casefold(): name for name in CATEGORIES}


@dataclass(kw_only=True)
class Release:
    """All rows of a release by category, in the order of ``example_id``."""

    root: Path
    files: list[Path]
    rows: dict[str, list[Row]]
    left_out: list[str] = field(default_factory=list)
    """Names of fields that are no part of BBQ, such as a model's answers."""
    file_labels: list[str] = field(default_factory=list)
    """Names of all its files, read or not."""
    n_repeated: int = 0
    """Rows left out as another file holds them too, e.g. a mirror's file of all categories."""

    def file_label(self, path: Path) -> str:
        """Return a file's name below the folder that was given."""
        return path.name if self.root.is_file() else path.relative_to(self.root).as_posix()


def read_release(source: Path, configs: tuple[str, ...]) -> Release:
    """Read every file of a release.

    Args:
        source: the folder, or one file.
        configs: the categories that are wanted; empty: all.

    Raises:
        DataRefused: there is no such file, or a row is faulty; the sentence names file and line.
    """
    listing = _list_files(source)
    paths = [path for path in listing if _may_hold(path, configs)]
    release = Release(root=source, files=paths, rows={})
    release.file_labels = [release.file_label(path) for path in listing]
    first: dict[tuple[str, int], tuple[Path, str, Row]] = {}
    names: dict[str, None] = {}
    for path in paths:
        category = _file_category(path)
        count = 0
        for place, raw in _records(path):
            row = read_row(raw, place, category=category)
            checked_category(row.category, place)
            if _is_first(row, path, place, first):
                release.rows.setdefault(row.category, []).append(row)
            elif not configs or row.category in configs:
                release.n_repeated += 1
            names.update(dict.fromkeys(fields_left_out(raw)))
            count += 1
        if count == 0:
            raise DataRefused(f"{path} has no rows; an official file has one per line.")
    chosen = [name for name in CATEGORIES if name in release.rows]
    release.rows = {
        name: sorted(release.rows[name], key=lambda row: row.example_id)
        for name in chosen
        if not configs or name in configs
    }
    release.left_out = list(names)
    return release


def _list_files(source: Path) -> list[Path]:
    """Return the files of the folder itself, else of its ``data`` folder, else of those below.

    Two levels are looked at: the Hub's own conversion to Parquet is ``Age/test/0000.parquet``.
    """
    if source.is_file():
        _refuse_other_formats(source)
        return [source]
    if not source.is_dir():
        raise DataRefused(f"{source} does not exist; --from names the folder of the release.")
    for folder in ("", "data/", "*/", "*/*/"):
        paths = sorted(path for ending in _ENDINGS for path in source.glob(folder + ending))
        if paths:
            return paths
    raise DataRefused(
        f"{source} holds no *.jsonl or *.parquet{_what_it_holds(source)}; the release's folder"
        " `data` has one file per category, e.g. Age.jsonl."
    )


def _what_it_holds(folder: Path) -> str:
    """Name a file that may have been meant for one of the release."""
    others = sorted(p.name for p in folder.iterdir() if p.is_file() and not p.name.startswith("."))
    if any(name.endswith(".csv") and "template" in name for name in others):
        return ", but templates, which go in with --templates in place of --from"
    return f", but {others[0]}" if others else ""


_OTHER_FORMATS = (".csv", ".tsv", ".xlsx", ".gz", ".zst", ".zip", ".tar", ".arrow")


def _refuse_other_formats(path: Path) -> None:
    if path.suffix.lower() in _OTHER_FORMATS:
        raise DataRefused(
            f"{path} ends in {path.suffix}; the rows of BBQ are read from JSON lines (*.jsonl) or"
            " Parquet (*.parquet)."
        )


def _may_hold(path: Path, configs: tuple[str, ...]) -> bool:
    """Leave out a file that is named after a category that is not wanted."""
    return not configs or path.stem not in CATEGORIES or path.stem in configs


def _file_category(path: Path) -> str | None:
    """Return the category that a mirror's file or folder is named after."""
    for name in (_SHARD.sub("", path.stem), path.parent.name, path.parent.parent.name):
        category = _BY_PLAIN_NAME.get(re.sub(r"\W|_", "", name).casefold())
        if category:
            return category
    return None


def _is_first(
    row: Row, path: Path, place: str, first: dict[tuple[str, int], tuple[Path, str, Row]]
) -> bool:
    """Tell whether a row is new, or the same as one of another file.

    Raises:
        DataRefused: its number stands in this file already, or in another with other contents.
    """
    key = row.category, row.example_id
    file, where, same = first.setdefault(key, (path, place, row))
    if where == place:
        return True
    if file != path and same == row:
        return False
    raise DataRefused(
        f"{place}: field `example_id`: {row.example_id} of {row.category} stands in {where}"
        f" already{'' if same == row else ', with other contents'}; give each row once."
    )


def _records(path: Path) -> Iterator[tuple[str, Any]]:
    return _parquet_records(path) if path.suffix == ".parquet" else _json_records(path)


def _json_records(path: Path) -> Iterator[tuple[str, Any]]:
    decoder = msgspec.json.Decoder()
    with path.open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            content = line.removeprefix(_BOM).strip() if number == 1 else line.strip()
            if content:
                place = f"{path}:{number}"
                yield place, _decode(decoder, content, place)


def _decode(decoder: "msgspec.json.Decoder[Any]", content: bytes, place: str) -> Any:
    try:
        return decoder.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        reason = str(error).removeprefix("JSON is malformed: ")
        raise DataRefused(
            f"{place}: is broken ({reason}); a line is one JSON object, get the file again."
        ) from error


def _parquet_records(path: Path) -> Iterator[tuple[str, Any]]:
    number = 0
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches():
                for raw in batch.to_pylist():
                    number += 1
                    yield f"{path}: row {number}", raw
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise DataRefused(f"{path} cannot be read as Parquet ({reason}).") from error
