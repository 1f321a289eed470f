"""CSV and TSV row by row, as Evenhand's format specifies them: UTF-8, with standard quoting.

Each row is read by itself, so that a faulty row is named and the others are read. A table that is
written otherwise is for ``plain_tables``, or for the reader of any table.
"""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evenhand.contract import DataRefused
from evenhand.scorer.readers.plain_tables import SEPARATORS
from evenhand.scorer.readers.streams import read_text_lines
from evenhand.scorer.readers.table_text import LONGEST_FIELD


class StrictTable:
    """A table whose first line holds the names of its columns."""

    def __init__(self, path: Path, suffix: str) -> None:
        """Read the names.

        Args:
            path: the file.
            suffix: ``.csv`` or ``.tsv``.

        Raises:
            DataRefused: no UTF-8, or the first line is no row of a table.
        """
        csv.field_size_limit(LONGEST_FIELD)
        self._path = path
        self._reader: csv.DictReader[str] = csv.DictReader(
            read_text_lines(path), delimiter=SEPARATORS[suffix], restkey="", strict=True
        )
        try:
            self.names = list(self._reader.fieldnames or [])
        except csv.Error as error:
            raise self._refusal(error) from error

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the cells of each row by column; surplus cells are under the key None.

        Raises:
            DataRefused: a line is no row of a table.
        """
        try:
            yield from self._reader
        except csv.Error as error:
            raise self._refusal(error) from error

    def _refusal(self, error: csv.Error) -> DataRefused:
        return DataRefused(
            f"{self._path}, line {self._reader.line_num} is no row of a table: {error}."
        )
