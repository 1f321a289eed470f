"""Word lists as tab-separated files: a header line, ``#`` comments, one entry a line."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from evenhand.contract.errors import DataRefused

KEY = re.compile(r"[a-z0-9_]+")
"""Keys and names of templates become parts of ids, which are joined by ``-``."""

_MAX_BYTES = 10 << 20
"""A word list of more than 10 MiB is not one."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One line of a list."""

    path: Path
    line: int
    values: dict[str, str]

    def refusal(self, field: str, what: str) -> DataRefused:
        """Return the error that names file, line and field."""
        return DataRefused(f"{self.path}:{self.line}: field `{field}` {what}.")


def read_list(
    path: Path,
    *,
    required: tuple[str, ...],
    optional: tuple[str, ...] = (),
    may_be_empty: tuple[str, ...] = (),
) -> list[Entry]:
    """Read a list and check its shape, its keys (where it has them) and its spaces.

    Args:
        path: the file.
        required: columns that must be there.
        optional: columns that may be there.
        may_be_empty: required columns that may be empty, besides ``source`` and ``review``.

    Raises:
        DataRefused: the sentence names file, line and field.
    """
    lines = _lines(path)
    try:
        number, header = next(lines)
    except StopIteration:
        raise DataRefused(f"{path} is empty; its first line must name the columns.") from None
    columns = header.split("\t")
    _check_header(path, number, columns, required, optional)
    entries = [_entry(path, number, columns, text) for number, text in lines]
    if not entries:
        raise DataRefused(f"{path} has no entries below its header.")
    _check_entries(entries, required, may_be_empty)
    return entries


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    if path.is_dir():
        raise DataRefused(f"{path} is a folder; give the list itself.")
    if not path.is_file():
        raise DataRefused(f"{path} does not exist; this list is needed.")
    if path.stat().st_size > _MAX_BYTES:
        raise DataRefused(f"{path} has more than {_MAX_BYTES:,} bytes; it is not a word list.")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataRefused(f"{path} is not UTF-8 text; save it as UTF-8.") from error
    for number, line in enumerate(text.split("\n"), start=1):
        content = line.removesuffix("\r")
        if content.strip() and not content.startswith("#"):
            yield number, content


def _check_header(
    path: Path,
    number: int,
    columns: list[str],
    required: tuple[str, ...],
    optional: tuple[str, ...],
) -> None:
    for name in required:
        if name not in columns:
            raise DataRefused(
                f"{path}:{number}: the column `{name}` is missing; the columns are"
                f" {', '.join(required)}, separated by tabs."
            )
    for name in columns:
        if name not in (*required, *optional):
            allowed = ", ".join((*required, *optional))
            raise DataRefused(
                f"{path}:{number}: the column `{name}` is unknown; the columns are {allowed}."
            )
    if len(set(columns)) < len(columns):
        raise DataRefused(f"{path}:{number}: a column is named twice.")


def _entry(path: Path, number: int, columns: list[str], text: str) -> Entry:
    fields = text.split("\t")
    if len(fields) != len(columns):
        raise DataRefused(
            f"{path}:{number}: has {len(fields)} fields, but the header has {len(columns)};"
            " fields are separated by single tabs."
        )
    return Entry(path=path, line=number, values=dict(zip(columns, fields, strict=True)))


_REMARKS = frozenset({"source", "review"})
"""Columns of free text, which may be empty."""


def _check_entries(
    entries: list[Entry], required: tuple[str, ...], may_be_empty: tuple[str, ...]
) -> None:
    filled = set(required) - _REMARKS - set(may_be_empty)
    for entry in entries:
        for name, value in entry.values.items():
            _check_field(entry, name, value, is_needed=name in filled)
        key = entry.values.get("key")
        if key is not None and not KEY.fullmatch(key):
            raise entry.refusal("key", f"is `{key}`; lower-case letters, digits and _ are allowed")
    if "key" in required:
        check_distinct(entries, "key")


def check_distinct(entries: list[Entry], *fields: str) -> None:
    """Refuse an entry that has the values of an earlier one in all of the fields.

    Raises:
        DataRefused: the sentence names both lines.
    """
    seen: dict[tuple[str, ...], int] = {}
    for entry in entries:
        values = tuple(entry.values[name] for name in fields)
        if values in seen:
            raise entry.refusal(
                fields[-1], f"is `{values[-1]}`, which is already in line {seen[values]}"
            )
        seen[values] = entry.line


def _check_field(entry: Entry, name: str, value: str, *, is_needed: bool) -> None:
    if is_needed and not value:
        raise entry.refusal(name, "is empty")
    if value != value.strip() and name not in _REMARKS:
        raise entry.refusal(name, f"is `{value}` with a space at its end; remove it")
    if not value.isprintable():
        raise entry.refusal(name, "holds a character that cannot be printed")


_ADDRESS = re.compile(r"https?://(?:www\.)?([^/\s]+)")
_WORK = re.compile(r"(?:seeds: )?([^,(]+?(?: et al\. \d{4}| \(\d{4}\)))")


def describe_sources(paths: Iterable[Path]) -> str:
    """Say where the entries of lists are from, with how many entries each source has.

    Args:
        paths: the lists; one without a column ``source`` says nothing.

    Returns:
        E.g. ``english4today.com (43), dotefl.com (11)``, the most frequent first: of an address its
        host, of a work its authors and year.
    """
    counts = Counter(name for path in paths for name in _sources(path))
    return ", ".join(f"{name} ({n:,})" for name, n in counts.most_common())


def _sources(path: Path) -> Iterator[str]:
    lines = [line.split("\t") for _, line in _lines(path)]
    if lines and "source" in lines[0]:
        place = lines[0].index("source")
        yield from (source_name(line[place]) for line in lines[1:] if len(line) > place)


def source_name(source: str) -> str:
    """Shorten the source of an entry.

    >>> source_name("Li et al. 2020, section 3"), source_name("https://www.x.org/a (lists it)")
    ('Li et al. 2020', 'x.org')
    """
    match = _WORK.match(source) or _ADDRESS.search(source)
    return match[1] if match else source.partition(",")[0].strip() or "not named"
