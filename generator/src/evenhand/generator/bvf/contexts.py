"""The contexts file: what `mine bvf` writes and `generate bvf` reads.

JSONL (``.gz`` too). The first line, ``{"evenhand_contexts": {...}}``, says how the contexts were
mined; then one context a line, by falling count, then in the order of the alphabet. A file of one's
own may lack the first line, the weights and the examples. The original's tables, CSV with the
columns ``template,frequency``, are read as well.
"""

import csv
import gzip
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, TypeVar

import msgspec

from evenhand.contract.bvf import SUBJECT_SLOT, WORD_SLOT
from evenhand.contract.errors import DataRefused
from evenhand.generator.bvf.options import Form, ProtocolName

FORMAT = 1
"""Grows when the file's lines change their meaning."""
TABLE_COLUMNS = ["template", "frequency"]
"""Columns of the original's tables of mined contexts."""

# Counts are small and contexts short: a table beyond this was not written by a miner.
_MAX_BYTES = 2 << 30
_MAX_CHARACTERS = 2000
_SUM_TOLERANCE = 1e-6

_Line = TypeVar("_Line", bound=msgspec.Struct)


class CorpusFile(msgspec.Struct, frozen=True, kw_only=True):
    """One file that was read."""

    name: str
    """Its name without folders above the one that was given."""
    sha256: str
    bytes: int


class MiningHeader(msgspec.Struct, frozen=True, kw_only=True):
    """How contexts were mined. It carries no time, so a second run gives the same bytes."""

    format: int
    topic: str
    form: Form
    classes: dict[str, list[str]]
    """Class of Y -> words, in the order of the list."""
    protocol: ProtocolName
    corpus: list[CorpusFile]
    text_field: str
    limit: int | None
    """Documents that were read at most; null for all."""
    min_count: int
    """Contexts found less often than this were left out."""
    language: str
    spacy_model: str
    """Name of the package, e.g. ``en_core_web_sm``."""
    spacy_model_version: str
    spacy_version: str
    coreference: str | None
    """The component that said what refers to what; null for the written rules."""
    rules_version: str
    lists_sha256: str = ""
    """Over the word lists that the rules used: occupations, people, cues, irregular verbs."""
    generator_version: str
    n_documents: int
    n_sentences: int
    n_too_long: int
    """Sentences that were left out because they are longer than any sentence."""
    n_parsed: int
    """Sentences that could hold a context by their words, and were parsed."""
    n_matched: int
    """Contexts found, counted as often as they were found."""
    n_contexts: int
    """Distinct contexts in the file."""


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """One context with how often it was found."""

    context: str
    """E.g. ``The [X] said that [Y]``."""
    count: Annotated[int, msgspec.Meta(ge=1)]
    weight: Annotated[float, msgspec.Meta(gt=0.0, le=1.0)] | None = None
    """Its share of the counts of the file's contexts; they add up to 1."""
    example: str | None = None
    """The first sentence of the corpus in which it was found."""


class MinedContexts(msgspec.Struct, frozen=True, kw_only=True):
    """What a contexts file holds; every context has its weight."""

    header: MiningHeader | None
    """Null for a table, and for a file without its first line."""
    contexts: list[Context]


class _HeaderLine(msgspec.Struct, frozen=True, kw_only=True):
    evenhand_contexts: MiningHeader


def header_line(header: MiningHeader) -> bytes:
    """Return the first line of a contexts file."""
    return msgspec.json.encode(_HeaderLine(evenhand_contexts=header)) + b"\n"


def read_contexts(path: Path) -> MinedContexts:
    """Read a contexts file, or one of the original's tables (``.csv``).

    Raises:
        DataRefused: the file is missing, not UTF-8 or empty; a line is no context; a context lacks
            ``[X]`` or ``[Y]``, stands twice, or was found less than once; weights do not add up to
            1. The sentence names file, line and field.
    """
    lines = _text(path).split("\n")
    if path.name.removesuffix(".gz").endswith(".csv"):
        header, numbered = None, list(_table_rows(lines, path))
    else:
        header, numbered = _json_rows(lines, path)
    if not numbered:
        raise DataRefused(f"{path} holds no context; mine a larger corpus or a lower --min-count.")
    _refuse_duplicates(numbered, path)
    contexts = [context for _, context in numbered]
    return MinedContexts(header=header, contexts=_with_weights(contexts, path))


def _text(path: Path) -> str:
    if path.is_dir():
        raise DataRefused(f"{path} is a folder; give the contexts file itself.")
    if not path.is_file():
        raise DataRefused(f"{path} does not exist; `evenhand mine bvf --out {path}` writes it.")
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as stream:
            content = stream.read(_MAX_BYTES + 1)
    except (gzip.BadGzipFile, EOFError) as error:
        raise DataRefused(f"{path} is not a complete gzip file: {error}.") from error
    if len(content) > _MAX_BYTES:
        raise DataRefused(f"{path} has more than {_MAX_BYTES:,} bytes; raise --min-count.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataRefused(
            f"{path}: the byte at offset {error.start:,} is not UTF-8; save the file as UTF-8."
        ) from error


def _json_rows(
    lines: list[str], path: Path
) -> tuple[MiningHeader | None, list[tuple[int, Context]]]:
    """Return the header and the numbered contexts of a JSONL file."""
    header = None
    numbered = []
    for number, line in enumerate(lines, start=1):
        place = f"{path}:{number}"
        if number == 1 and line.startswith('{"evenhand_contexts"'):
            header = _decode_lines(line, _HeaderLine, place).evenhand_contexts
        elif line.strip():
            numbered.append((number, _check_context(_decode_lines(line, Context, place), place)))
    if header is not None and header.format > FORMAT:
        raise DataRefused(
            f"{path}:1: format {header.format} is newer than {FORMAT}; update evenhand-generator."
        )
    return header, numbered


def _decode_lines(line: str, kind: type[_Line], place: str) -> _Line:
    try:
        return msgspec.json.decode(line, type=kind)
    except msgspec.DecodeError as error:
        raise DataRefused(
            f"{place}: {str(error).rstrip('.')}; a line like"
            ' {"context": "The [X] said that [Y]", "count": 9} was expected.'
        ) from error


def _table_rows(lines: Iterable[str], path: Path) -> Iterator[tuple[int, Context]]:
    """Yield the numbered rows of a table ``template,frequency``."""
    reader = csv.reader(io.StringIO("\n".join(lines)), strict=True)
    try:
        columns = next(reader, [])
        if columns != TABLE_COLUMNS:
            raise DataRefused(
                f"{path}:1: the columns are {', '.join(columns) or 'missing'};"
                f" {','.join(TABLE_COLUMNS)} was expected."
            )
        for row in reader:
            if row:
                place = f"{path}:{reader.line_num}"
                yield reader.line_num, _check_context(_row_context(row, place), place)
    except csv.Error as error:
        raise DataRefused(f"{path}:{reader.line_num}: is not valid CSV: {error}.") from error


def _row_context(row: list[str], place: str) -> Context:
    if len(row) != 2:
        raise DataRefused(f"{place}: has {len(row)} fields; template and frequency were expected.")
    template, frequency = row
    if not frequency.isascii() or not frequency.isdigit() or int(frequency) < 1:
        raise DataRefused(
            f"{place}: field `frequency` is `{frequency}`; a whole number above 0 was expected."
        )
    return Context(context=template, count=int(frequency))


def _check_context(context: Context, place: str) -> Context:
    """Refuse a context that cannot be filled."""
    text = context.context
    for slot, what in ((SUBJECT_SLOT, "subject"), (WORD_SLOT, "read word")):
        if (n := text.count(slot)) != 1:
            raise DataRefused(
                f"{place}: the context `{text[:80]}` holds {slot} {n} times;"
                f" it must hold it once, where the {what} goes."
            )
    if len(text) > _MAX_CHARACTERS or not text.isprintable():
        raise DataRefused(
            f"{place}: the context `{text[:40]!r}` is longer than {_MAX_CHARACTERS:,} characters"
            " or holds one that cannot be printed."
        )
    return context


def _refuse_duplicates(numbered: list[tuple[int, Context]], path: Path) -> None:
    seen: dict[str, int] = {}
    for number, context in numbered:
        first = seen.setdefault(context.context, number)
        if first != number:
            raise DataRefused(
                f"{path}:{number}: the context `{context.context}` is already in line {first};"
                " add the counts up."
            )


def _with_weights(contexts: list[Context], path: Path) -> list[Context]:
    """Return the contexts, each with its weight: as written, else by its count."""
    given = [context.weight for context in contexts if context.weight is not None]
    if not given:
        total = sum(context.count for context in contexts)
        return [
            msgspec.structs.replace(context, weight=context.count / total) for context in contexts
        ]
    if len(given) < len(contexts):
        raise DataRefused(
            f"{path}: some contexts have a weight and some have none; give all of them or none."
        )
    if abs(sum(given) - 1) > _SUM_TOLERANCE:
        raise DataRefused(
            f"{path}: the weights add up to {sum(given):.6g}, not to 1; leave them out and they"
            " are taken from the counts."
        )
    return contexts
