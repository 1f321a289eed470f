"""Detects a file's format by comparing its first record with the marks that readers declare."""

import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import polars as pl

from evenhand.contract import DataRefused, WrongUse
from evenhand.scorer.benchmark import Benchmark
from evenhand.scorer.readers.json_text import first_keys
from evenhand.scorer.readers.plain_tables import SEPARATORS
from evenhand.scorer.readers.reader import (
    OURS,
    PREDICTION_SUFFIXES,
    PROMPTS,
    FirstRecord,
    Form,
    Mark,
    Reader,
)
from evenhand.scorer.readers.registry import known_readers, offered_readers, spellings
from evenhand.scorer.readers.streams import file_kind, head
from evenhand.scorer.readers.table_text import DELIMITERS

_HEAD_BYTES = 1 << 16
_ZIP, _PARQUET, _UTF16 = b"PK\x03\x04", b"PAR1", (b"\xff\xfe", b"\xfe\xff")
_WORKBOOK = "xl/workbook.xml"


class Recognised(NamedTuple):
    """A reader and the reason for it."""

    reader: str
    why: str
    """What was seen, in a clause."""
    is_prompts: bool = False
    """True if the file holds prompts alone."""


def recognise(path: Path, readers: Iterable[Reader] | None = None) -> Recognised | None:
    """Detect the format of a file; None where no mark fits.

    Args:
        path: the file.
        readers: those whose marks are compared; all by default.

    Raises:
        DataRefused: the file cannot be read, or is of a kind that holds no answers (averages,
            settings, a workbook).
    """
    record = first_record(path)
    if record is None:
        return None
    candidates = known_readers() if readers is None else tuple(readers)
    _refuse_without_answers(path, record, candidates)
    marks = [(mark, reader) for reader in candidates for mark in reader.marks]
    matching = [(mark, reader) for mark, reader in marks if mark.matches(record)]
    if matching:
        mark, reader = max(matching, key=_by_weight)
        return Recognised(reader.name, mark.clause(record), reader.yields == PROMPTS)
    if record.form is Form.ZIP:
        what = (
            "a workbook of Excel; save the sheet as CSV (UTF-8)"
            if _WORKBOOK in record.names
            else "a zip archive; unpack it and give the file of predictions"
        )
        raise DataRefused(f"{path} is {what}.")
    return None


def _by_weight(candidate: tuple[Mark, Reader]) -> tuple[bool, int]:
    mark, reader = candidate
    return not reader.is_fallback, mark.weight()


def _refuse_without_answers(path: Path, record: FirstRecord, readers: Sequence[Reader]) -> None:
    """Refuse files of averages and settings, which stand beside those with the rows."""
    kinds = [kind for reader in readers for kind in reader.no_answers]
    matching = [kind for kind in kinds if kind.mark.matches(record)]
    if matching:
        heaviest = max(matching, key=lambda kind: kind.mark.weight())
        raise DataRefused(heaviest.sentence.format(path=path))


def first_record(path: Path) -> FirstRecord | None:
    """Return what the beginning of a file shows, None where its form is unknown.

    Raises:
        DataRefused: the file cannot be read.
    """
    start, suffix = head(path, _HEAD_BYTES), file_kind(path)
    if start.startswith(_ZIP):
        return FirstRecord(Form.ZIP, _members(path), suffix)
    if start.startswith(_PARQUET):
        return _parquet(path, suffix)
    if start.startswith(_UTF16):
        return FirstRecord(Form.UTF16, (), suffix)
    text = start.decode(errors="replace").lstrip()
    if text.startswith(("{", "[")):
        depth, form = (1, Form.OBJECT) if text.startswith("{") else (2, Form.ARRAY)
        names, inner = (tuple(first_keys(text, level)) for level in (depth, depth + 1))
        return FirstRecord(form, names, suffix, inner)
    return _table(text, suffix)


def _members(path: Path) -> tuple[str, ...]:
    try:
        with zipfile.ZipFile(path) as archive:
            return tuple(archive.namelist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise DataRefused(
            f"{path} is cut off or is no zip archive ({error}); copy it again."
        ) from error


def _parquet(path: Path, suffix: str) -> FirstRecord | None:
    try:
        names = tuple(sorted(pl.read_parquet_schema(path)))
    except (pl.exceptions.PolarsError, OSError):
        return None
    return FirstRecord(Form.PARQUET, names, suffix)


def _table(text: str, suffix: str) -> FirstRecord | None:
    """Split the first line by the delimiter that yields the most names."""
    line = text.partition("\n")[0].strip("\r")
    fields = max((line.split(mark) for mark in DELIMITERS), key=len)
    if len(fields) < 2:
        return None
    delimiter = SEPARATORS.get(suffix)
    has_delimiter = delimiter is not None and len(line.split(delimiter)) == len(fields)
    names = tuple(name.strip().strip('"') for name in fields)
    is_as_named = has_delimiter and "\ufffd" not in text[:-3]  # the head may end inside a letter
    return FirstRecord(Form.TABLE, names, suffix, is_as_named=is_as_named)


def reader_for(paths: Sequence[Path], declared: Benchmark) -> Recognised:
    """Return the one reader for all files; Evenhand's where nothing is recognised.

    Args:
        paths: the files of one model; files of prompts do not decide the format.
        declared: the benchmark whose predictions they are.

    Raises:
        WrongUse: the format holds several runs, of which one has to be chosen.
        DataRefused: the files have different formats, or one that the benchmark does not read.
    """
    readers = known_readers(declared)
    seen: dict[str, tuple[Path, Recognised]] = {}
    for path in paths:
        # A path that is no file is refused by the reader of Evenhand's format, in its words.
        format_ = (recognise(path, readers) if path.is_file() else None) or _by_name(path, declared)
        if not format_.is_prompts:
            seen.setdefault(format_.reader, (path, format_))
    if not seen:
        raise DataRefused(f"{paths[0]} holds requests; give the batch's output with it.")
    if len(seen) > 1:
        each = ", ".join(f"{path.name} ({format_.why})" for path, format_ in seen.values())
        raise DataRefused(f"The files have different formats: {each}; give one format at a time.")
    ((path, format_),) = seen.values()
    _check_offered(path, format_, declared)
    return format_


def _by_name(path: Path, declared: Benchmark) -> Recognised:
    """Take a file without a mark for one in Evenhand's format, if its suffix allows that."""
    if path.is_file() and file_kind(path) not in PREDICTION_SUFFIXES:
        offered = ", ".join(spellings(offered_readers(declared)))
        raise DataRefused(
            f"{path} begins like no known format, and its name does not end in"
            f" {', '.join(PREDICTION_SUFFIXES)}; formats that `--reader` takes: {offered}."
        )
    return Recognised(OURS, "nothing else fits")


def _check_offered(path: Path, format_: Recognised, declared: Benchmark) -> None:
    reader = next((one for one in offered_readers(declared) if one.name == format_.reader), None)
    if reader is None:
        raise DataRefused(
            f"{path} looks like the format {format_.reader} ({format_.why}), which this benchmark"
            " does not read."
        )
    if reader.choices:
        runs = " or ".join(reader.spellings())
        raise WrongUse(f"{path} holds several runs ({format_.why}); choose one: --reader {runs}.")
