"""The content digest of Arrow tables, column by column, in step with writing."""

import json
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from evenhand.contract.dataset import ContentDigest


class TableDigest:
    """Feeds batches of rows to a :class:`ContentDigest`; columns are hashed in threads."""

    def __init__(self, columns: list[str]) -> None:
        self._digest = ContentDigest(columns)
        self._columns = columns
        self.rows = 0
        self.bytes = 0
        """What the rows take up in Arrow, which is what `datasets` counts; dictionaries are
        written out."""

    def update(self, table: pa.Table, pool: ThreadPoolExecutor) -> None:
        """Feed the next rows."""
        self.rows += table.num_rows
        self.bytes += sum(pool.map(lambda name: self._feed(name, table[name]), self._columns))

    def _feed(self, name: str, column: pa.ChunkedArray) -> int:
        n_bytes = 0
        for chunk in column.chunks:
            plain = _decode_dictionary(chunk)
            lengths, values = column_bytes(plain)
            self._digest.update(name, lengths=lengths, values=values)
            n_bytes += _size(plain)
        return n_bytes

    def hexdigest(self) -> str:
        """Return the digest of all rows fed so far."""
        return self._digest.hexdigest(rows=self.rows)


def _decode_dictionary(array: pa.Array) -> pa.Array:
    is_dictionary = pa.types.is_dictionary(array.type)
    return array.dictionary.take(array.indices) if is_dictionary else array


def _size(array: pa.Array) -> int:
    """Return the bytes of an array as Arrow reads it from Parquet.

    Which values are null is then written down for every number, for texts only where one is.
    """
    nulls = -(-len(array) // 8)
    is_text = pa.types.is_string(array.type) or pa.types.is_list(array.type)
    has_nulls = array.null_count > 0 or not is_text
    return int(array.nbytes) + nulls * (has_nulls - (array.buffers()[0] is not None))


def column_bytes(array: pa.Array) -> tuple[memoryview, memoryview]:
    """Return what one array feeds to ``lengths`` and to ``values`` of :class:`ContentDigest`."""
    array = _decode_dictionary(array)
    if pa.types.is_list(array.type) or pa.types.is_large_list(array.type):
        array = pa.array([_compact_json(value) for value in array.to_pylist()], pa.string())
    if pa.types.is_string(array.type) or pa.types.is_large_string(array.type):
        return _string_bytes(array.cast(pa.string()))
    return _number_bytes(array)


def _compact_json(value: list[Any] | None) -> str | None:
    """Return the JSON that stands for a list in the digest."""
    return None if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _string_bytes(array: pa.Array) -> tuple[memoryview, memoryview]:
    _, offsets_buffer, values_buffer = array.buffers()
    offsets = np.frombuffer(offsets_buffer, np.int32)[array.offset : array.offset + len(array) + 1]
    lengths = np.diff(offsets).astype("<i8")
    if array.null_count:
        is_null = array.is_null().to_numpy(zero_copy_only=False)
        # A null may hide bytes behind it; they are no part of the content.
        if lengths[is_null].any():
            return _string_bytes(pa.array(array.to_pylist(), pa.string()))
        lengths[is_null] = -1
    values = memoryview(values_buffer or b"")[offsets[0] : offsets[-1]] if len(array) else b""
    return memoryview(lengths.tobytes()), memoryview(values)


def _number_bytes(array: pa.Array) -> tuple[memoryview, memoryview]:
    is_float = pa.types.is_floating(array.type)
    lengths = pc.cast(array.is_valid(), pa.int64()).to_numpy(zero_copy_only=False)
    wide = array.cast(pa.float64() if is_float else pa.int64()).fill_null(0)
    values = wide.to_numpy(zero_copy_only=False).astype("<f8" if is_float else "<i8")
    return memoryview(lengths.astype("<i8").tobytes()), memoryview(values.tobytes())


def files_digest(paths: Iterable[str], columns: list[str]) -> TableDigest:
    """Return the digest of the rows of Parquet files in order, read a batch at a time."""
    digest = TableDigest(columns)
    with ThreadPoolExecutor(2) as pool:
        for path in paths:
            with pq.ParquetFile(path) as file:
                for batch in file.iter_batches(batch_size=1 << 17, columns=columns):
                    digest.update(pa.Table.from_batches([batch]), pool)
    return digest
