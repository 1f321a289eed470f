"""Which format a file has, told from its first record and never from its name alone."""

import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import polars as pl

from evenhand.contract import DataRefused, WrongUse
from evenhand.contract.bbq import PREDICTION_COLUMNS
from evenhand.contract.predictions import HEADER_KEY
from evenhand.scorer.faults import shown
from evenhand.scorer.readers import (
    any_table,
    batches,
    helm,
    inspect_log,
    is_offered,
    lighteval,
    lm_eval,
)
from evenhand.scorer.readers.json_text import first_keys
from evenhand.scorer.readers.streams import head, kind_of
from evenhand.scorer.readers.table_text import DELIMITERS
from evenhand.scorer.unqover.prediction_rows import COLUMNS, QUESTION_COLUMNS

OURS, UNQOVER, UNIFIEDQA, REQUESTS = "evenhand", "unqover", "unifiedqa", "requests"

_HEAD_BYTES = 1 << 16
_PARQUET = b"PAR1"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_OWN_COLUMNS = {*PREDICTION_COLUMNS, *COLUMNS}
_FILLED_IN = {*COLUMNS, *QUESTION_COLUMNS}
_WORKBOOK = "xl/workbook.xml"
_UNIFIEDQA_FIELD = "unifiedqa-t5-11b_pred_"
_OWN_KINDS = (".jsonl", ".ndjson", ".csv", ".tsv", ".parquet")
_TABLE_DELIMITERS = {".csv": ",", ".tsv": "\t"}


class Recognised(NamedTuple):
    """A reader and what speaks for it."""

    reader: str
    why: str
    """What was seen, in a clause."""


def recognise(path: Path) -> Recognised | None:
    """Tell the format of a file; None where nothing fits.

    Raises:
        DataRefused: the file cannot be read, or is of a kind that holds no answers (averages,
            settings, a workbook), which is said.
    """
    start = head(path, _HEAD_BYTES)
    if start.startswith(inspect_log.ZIP_MAGIC):
        return _archive(path)
    if start.startswith(_PARQUET):
        return _parquet(path)
    if start.startswith(_UTF16):
        return Recognised(any_table.NAME, "text in UTF-16")
    text = start.decode(errors="replace").lstrip()
    if text.startswith("{"):
        return _object(path, text)
    if text.startswith("["):
        return _array(path, text)
    return _text(path, text)


def _archive(path: Path) -> Recognised:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise DataRefused(
            f"{path} is cut off or is no zip archive ({error}); copy it again."
        ) from error
    if any(name == "header.json" or name.startswith("_journal/") for name in names):
        return Recognised(inspect_log.NAME, "a zip archive with a log of inspect_ai")
    if _WORKBOOK in names:
        raise DataRefused(f"{path} is a workbook of Excel; save the sheet as CSV (UTF-8).")
    raise DataRefused(f"{path} is a zip archive; unpack it and give the file of predictions.")


def _parquet(path: Path) -> Recognised | None:
    try:
        names = set(pl.read_parquet_schema(path))
    except (pl.exceptions.PolarsError, OSError):
        return None
    if set(lighteval.COLUMNS) <= names or set(lighteval.OLD_COLUMNS) <= names:
        return Recognised(lighteval.NAME, "Parquet with the columns of lighteval's details")
    return _by_columns(sorted(names), is_own_kind=True)


def _object(path: Path, text: str) -> Recognised | None:
    """Tell JSON lines, or one JSON object, by the keys of the first object."""
    keys = first_keys(text, 1)
    own = set(keys)
    _refuse_averages(path, own)
    for marks, reader, why in _MARKS:
        if marks <= own:
            return Recognised(reader, why)
    if any(key.startswith(_UNIFIEDQA_FIELD) for key in keys):
        return Recognised(UNIFIEDQA, f"lines with a field {_UNIFIEDQA_FIELD}...")
    if keys and keys[0].count("|") >= 6 and "q0" in first_keys(text, 2):
        return Recognised(UNQOVER, "an object of entries with q0 and q1")
    return _by_columns(keys, is_own_kind=True) if kind_of(path) in any_table.JSON_KINDS else None


_MARKS: tuple[tuple[set[str], str, str], ...] = (
    ({HEADER_KEY}, OURS, "a header of ours"),
    ({"doc_id", "filtered_resps"}, lm_eval.NAME, "rows with doc_id and filtered_resps"),
    ({"adapter_spec", "request_states"}, helm.NAME, "adapter_spec and request_states"),
    ({"status", "eval"}, inspect_log.NAME, "an object with status and eval"),
    ({"custom_id", "response"}, batches.OPENAI, "lines with custom_id and response"),
    ({"custom_id", "result"}, batches.ANTHROPIC, "lines with custom_id and result"),
    ({"custom_id", "body"}, REQUESTS, "requests with custom_id and body"),
    ({"custom_id", "params"}, REQUESTS, "requests with custom_id and params"),
)


def _refuse_averages(path: Path, keys: set[str]) -> None:
    """Refuse files of averages and settings, which stand beside those with the rows."""
    if "config_general" in keys:
        raise DataRefused(lighteval.NO_ROWS.format(path=path))
    if "results" in keys and keys & {"versions", "configs", "n-shot"}:
        raise DataRefused(lm_eval.NO_ROWS.format(path=path))
    helm.refuse_other_file(path, keys - {"count"})


def _array(path: Path, text: str) -> Recognised | None:
    keys = set(first_keys(text, 2))
    helm.refuse_other_file(path, keys)
    if {"doc_id", "filtered_resps"} <= keys:
        return Recognised(lm_eval.NAME, "an array of rows with doc_id and filtered_resps")
    return None


def _text(path: Path, text: str) -> Recognised | None:
    """Tell a table by its line of names, with the delimiter that finds most names in it."""
    line = text.partition("\n")[0].strip("\r")
    fields = max((line.split(mark) for mark in DELIMITERS), key=len)
    if len(fields) < 2:
        return None
    delimiter = _TABLE_DELIMITERS.get(kind_of(path))
    names = [name.strip().strip('"') for name in fields]
    is_own_kind = delimiter is not None and len(line.split(delimiter)) == len(fields)
    return _by_columns(names, is_own_kind=is_own_kind and "\ufffd" not in text[:-3])


def _by_columns(names: Sequence[str], *, is_own_kind: bool) -> Recognised | None:
    """Tell our own rows, which have an id and no column that is not ours, from other tables."""
    is_filled_in = set(COLUMNS) <= set(names) <= _FILLED_IN
    named = [name for name in names if name]
    few = f"{', '.join(shown(name, 40) for name in named[:6])}{', ...' if len(named) > 6 else ''}"
    if is_own_kind and "id" in names and (set(names) <= _OWN_COLUMNS or is_filled_in):
        return Recognised(OURS, f"rows with {few}")
    return Recognised(any_table.NAME, f"a table with {few}")


def reader_for(paths: Sequence[Path], offered: Sequence[str]) -> Recognised:
    """Return the one reader for all files; our own where nothing is recognised.

    Args:
        paths: the files of one model; request files say nothing of the format.
        offered: the readers of the benchmark.

    Raises:
        WrongUse: the format holds several runs, of which one has to be chosen.
        DataRefused: the files have different formats, or one that the benchmark does not read.
    """
    told: dict[str, tuple[Path, Recognised]] = {}
    for path in paths:
        # A path that is no file is refused by our own reader, in its words.
        found = (recognise(path) if path.is_file() else None) or _by_name(path, offered)
        if found.reader == any_table.NAME and not is_offered(any_table.NAME, offered):
            found = Recognised(OURS, "a table")
        if found.reader != REQUESTS:
            told.setdefault(found.reader, (path, found))
    if not told:
        raise DataRefused(f"{paths[0]} holds requests; give the batch's output with it.")
    if len(told) > 1:
        said = ", ".join(f"{path.name} ({found.why})" for path, found in told.values())
        raise DataRefused(f"The files have different formats: {said}; give one format at a time.")
    ((path, found),) = told.values()
    _check_offered(path, found, offered)
    return found


def _by_name(path: Path, offered: Sequence[str]) -> Recognised:
    """Take a file of which nothing is recognised for ours, where its name says that it may be."""
    if path.is_file() and kind_of(path) not in _OWN_KINDS:
        raise DataRefused(
            f"{path} begins as no format that is known, and its name does not end in"
            f" {', '.join(_OWN_KINDS)}; formats that `--reader` takes: {', '.join(offered)}."
        )
    return Recognised(OURS, "nothing else fits")


def _check_offered(path: Path, found: Recognised, offered: Sequence[str]) -> None:
    if is_offered(found.reader, offered):
        return
    runs = [entry for entry in offered if entry.startswith(f"{found.reader}:")]
    if runs:
        raise WrongUse(
            f"{path} holds several runs ({found.why}); choose one: --reader {' or '.join(runs)}."
        )
    raise DataRefused(
        f"{path} looks like the format {found.reader} ({found.why}), which this benchmark does not"
        " read."
    )
