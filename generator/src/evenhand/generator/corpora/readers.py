"""Documents of corpus files, one reader a kind; memory does not grow with the file."""

from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from evenhand.contract.errors import DataRefused
from evenhand.generator.corpora.files import CorpusSource
from evenhand.generator.corpora.mediawiki import articles
from evenhand.generator.corpora.sentences import split_blocks
from evenhand.generator.corpora.streams import MAX_LINE_BYTES, chunks, decode, decode_stream, lines

TEXT_FIELD = "text"
BLOCK_CHARACTERS = 1 << 16
"""Longest part of a document that is handed on; longer documents are cut between sentences."""

_ROWS_AT_ONCE = 64


class Block(NamedTuple):
    """A document, or a part of a long one."""

    text: str
    begins_document: bool


def blocks(source: CorpusSource, text_field: str = TEXT_FIELD) -> Iterator[Block]:
    """Yield the documents of a file in order, long ones in parts.

    Args:
        source: the file.
        text_field: where the text of a record or a column of a table stands.

    Raises:
        DataRefused: the file is damaged, not UTF-8, or not what its ending says; a record lacks
            the field. The sentence names file and line, row or byte.
    """
    if source.kind == "text":
        yield from _text_blocks(source.path)
        return
    for document in _documents(source, text_field):
        is_first = True
        for part in split_blocks(document, BLOCK_CHARACTERS) if document else ("",):
            yield Block(part, is_first)
            is_first = False


def _documents(source: CorpusSource, text_field: str) -> Iterator[str]:
    match source.kind:
        case "json":
            return _json_documents(source.path, text_field)
        case "parquet":
            return _parquet_documents(source.path, text_field)
        case "arrow":
            return _arrow_documents(source.path, text_field)
        case "mediawiki":
            return articles(source.path)
    return _json_lines(source.path, text_field)


def _text_blocks(path: Path) -> Iterator[Block]:
    """Yield a plain text, which is one document."""
    buffer, is_first = "", True
    for text in decode_stream(path):
        buffer += text.replace("\r\n", "\n")
        *whole, buffer = list(split_blocks(buffer, BLOCK_CHARACTERS)) or [""]
        for part in whole:
            yield Block(part, is_first)
            is_first = False
    if buffer:
        yield Block(buffer, is_first)


def _json_lines(path: Path, text_field: str) -> Iterator[str]:
    for number, offset, line in lines(path):
        yield _record_text(
            _json_value(line, path, f"line {number}", offset), text_field, path, number
        )


def _json_documents(path: Path, text_field: str) -> Iterator[str]:
    """Yield the documents of a JSON array, or of JSON lines under the wrong ending."""
    head = (part.removeprefix(BOM_UTF8).strip()[:1] for part in chunks(path))
    first = next(filter(None, head), b"")
    if first != b"[":
        yield from _json_lines(path, text_field)
        return
    content = bytearray()
    for chunk in chunks(path):
        content += chunk
        if len(content) > MAX_LINE_BYTES:
            raise DataRefused(
                f"{path} is one JSON array of more than {MAX_LINE_BYTES:,} bytes; write one"
                " document a line (.jsonl), which is read without holding it in memory."
            )
    records = _json_value(bytes(content.removeprefix(BOM_UTF8)), path, "the array", 0)
    for number, record in enumerate(records, start=1):
        yield _record_text(record, text_field, path, number)


def _json_value(content: bytes, path: Path, what: str, offset: int) -> Any:
    try:
        return msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        decode(content, path, offset)
        raise DataRefused(f"{path}: {what} is not JSON: {error}.") from error


def _record_text(record: Any, text_field: str, path: Path, number: int) -> str:
    """Return the text of a record: a text itself, or one that has a field for it."""
    if isinstance(record, str):
        return record
    if not isinstance(record, dict):
        raise DataRefused(
            f"{path}: record {number} is neither a text nor an object with the field"
            f" `{text_field}`."
        )
    if text_field not in record:
        raise DataRefused(
            f"{path}: record {number} lacks the field `{text_field}`; it has"
            f" {', '.join(map(str, record)) or 'none'}. --text-field names another."
        )
    text = record[text_field]
    if text is None:
        return ""
    if not isinstance(text, str):
        raise DataRefused(
            f"{path}: record {number}: the field `{text_field}` holds no text but"
            f" {type(text).__name__}."
        )
    return text


def _parquet_documents(path: Path, text_field: str) -> Iterator[str]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as table:
            _check_column(table.schema_arrow, text_field, path)
            batches = table.iter_batches(batch_size=_ROWS_AT_ONCE, columns=[text_field])
            yield from _texts(batches)
    except pa.ArrowException as error:
        raise DataRefused(
            f"{path} is not a complete Parquet file: {str(error).rstrip('.')}."
        ) from error


def _arrow_documents(path: Path, text_field: str) -> Iterator[str]:
    import pyarrow as pa

    try:
        with pa.memory_map(str(path)) as content, pa.ipc.open_stream(content) as stream:
            _check_column(stream.schema, text_field, path)
            for batch in stream:
                column = batch.select([text_field])
                rows = range(0, batch.num_rows, _ROWS_AT_ONCE)
                yield from _texts(column.slice(row, _ROWS_AT_ONCE) for row in rows)
    except (pa.ArrowException, FileNotFoundError) as error:
        raise DataRefused(f"{path} is not a complete shard of a dataset: {error}.") from error


def _check_column(schema: Any, text_field: str, path: Path) -> None:
    import pyarrow as pa

    if text_field not in schema.names:
        raise DataRefused(
            f"{path} lacks the column `{text_field}`; it has {', '.join(schema.names)}."
            " --text-field names another."
        )
    kind = schema.field(text_field).type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        raise DataRefused(f"{path}: the column `{text_field}` holds no text but {kind}.")


def _texts(batches: Iterable[Any]) -> Iterator[str]:
    for batch in batches:
        for text in batch.column(0).to_pylist():
            yield text or ""
