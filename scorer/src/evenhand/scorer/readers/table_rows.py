"""Turns the texts of a table's cells into answers; faults are named by row and column."""

import json
import math
import re
from collections import Counter
from collections.abc import Iterator

import polars as pl

from evenhand.scorer.faults import FaultList
from evenhand.scorer.readers.column_names import Columns
from evenhand.scorer.readers.decimal_signs import has_decimal_comma
from evenhand.scorer.readers.foreign import ForeignAnswer
from evenhand.scorer.readers.prompts import lettered_options
from evenhand.scorer.readers.score_columns import outside

_LABELS = {"0": 0, "1": 1, "2": 2, "ans0": 0, "ans1": 1, "ans2": 2}
_ANY_LABEL = r"^(?:-?\d+(?:\.0+)?|ans\d)$"
_FROM_ONE = "3"
_WHOLE = re.compile(r"0*(\d{1,7})(?:\.0+)?")
_NUMBER = re.compile(r"[+-]?(?:\d+(?:[.]\d*)?|[.]\d+)(?:[eE][+-]?\d+)?")
_COMMA_NUMBER = re.compile(r"[+-]?\d+,\d+(?:[eE][+-]?\d+)?")

# What spreadsheets make of text that looks like a date or a large number.
_DATE = re.compile(
    r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[ T].*)?"
    r"|(?:\d{1,2}[-. ]{1,2})?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[-. ]\d{1,4}"
    r"|\d{1,2}[-. ]{1,2}(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*(?:[-. ]\d{2,4})?",
    re.IGNORECASE,
)
_ROUNDED = re.compile(r"\d+(?:[.,]\d+)?[eE][+]?\d+")

_Cells = dict[str, str | None]


class TableRows:
    """The rows of one table."""

    def __init__(
        self, columns: Columns, texts: pl.DataFrame, *, first_row: int, faults: FaultList
    ) -> None:
        """Examine whole columns first: what one cell means depends on the others.

        Args:
            columns: the roles of the columns.
            texts: the columns that are used, as text.
            first_row: the number of the first row for a reader of the file.
            faults: takes the faults.
        """
        self._columns, self._texts, self._faults = columns, texts, faults
        self._first_row, self._n_blank, self._n_empty = first_row, 0, 0
        self._has_comma = any(has_decimal_comma(texts[name]) for name in columns.scores)
        self._is_labels = columns.answer is not None and _are_labels(texts[columns.answer])
        is_text = columns.answer is not None and not self._is_labels
        self._numbers = _bare_numbers(texts[str(columns.answer)] if is_text else pl.Series([""]))
        # Numbers among texts may count from 0 or from 1; a 0 and no 3 among them decides.
        self._has_labels = "0" in self._numbers and set(self._numbers) <= set(_LABELS)

    def notes(self) -> Iterator[str]:
        """Yield the notes for the user, once the rows are read."""
        if self._has_comma:
            yield f"the comma in {', '.join(self._columns.scores)} is a decimal comma."
        if self._is_labels:
            yield f"{self._columns.answer} holds answer numbers, 0 to 2."
            if self._lacks_zero():
                yield (
                    f"no 0 occurs in {self._columns.answer}: if its numbers count from 1, all are"
                    " read wrongly; subtract 1, or write A, B, C."
                )
        elif self._numbers:
            n = sum(self._numbers.values())
            yield f"{n:,} cells of {self._columns.answer} are a number alone and {self._as_what()}."
        if self._n_blank:
            yield f"{self._n_blank:,} rows without an answer are left out."
        if self._n_empty:
            yield f"{self._n_empty:,} empty rows are left out."

    def _lacks_zero(self) -> bool:
        digits = _bare_numbers(self._texts[str(self._columns.answer)])
        return bool(digits) and "0" not in digits and _FROM_ONE not in digits

    def _as_what(self) -> str:
        if self._has_labels:
            return "are read as the number of an answer, 0 to 2"
        return "may count from 0 or from 1, so they are unscored; write 0, 1, 2 or A, B, C"

    def answers(self) -> Iterator[ForeignAnswer]:
        """Yield the rows that can be read."""
        for number, row in enumerate(self._texts.iter_rows(named=True), self._first_row):
            if not any(cell and cell.strip() for cell in row.values()):
                self._n_empty += 1  # spreadsheets write such rows after the last one
                continue
            answer = self._identified(number, row)
            if answer and self._take(answer, number, row):
                yield answer

    def _identified(self, number: int, row: _Cells) -> ForeignAnswer | None:
        columns = self._columns
        example = self._example_id(number, row)
        identity = _stripped(row, columns.id)
        if example is None and columns.number and row[columns.number] is not None:
            return None
        if identity and (_DATE.fullmatch(identity) or _ROUNDED.fullmatch(identity)):
            remedy = "Export the column as text, or give category and example_id by themselves."
            place = f"row {number}, {columns.id}: {identity!r}"
            self._faults.add("ids that a spreadsheet changed", remedy, place)
            return None
        prompt = _stripped(row, columns.prompt)
        return ForeignAnswer(
            place=f"row {number}",
            id=identity,
            category=_stripped(row, columns.category),
            example_id=example,
            context=_stripped(row, columns.context),
            question=_stripped(row, columns.question),
            prompt=prompt,
            options=self._options(row) or lettered_options(prompt or ""),
        )

    def _options(self, row: _Cells) -> tuple[str, ...] | None:
        texts = [row[name] for name in self._columns.options]
        return tuple(map(str, texts)) if texts and None not in texts else None

    def _example_id(self, number: int, row: _Cells) -> int | None:
        """Return the number of ``61``, ``00061`` or ``61.0``; a date or a rounded one is none."""
        column = self._columns.number
        text = _stripped(row, column)
        if text is None:
            return None
        if match := _WHOLE.fullmatch(text):
            return int(match[1])
        remedy = "It must be a whole number; a spreadsheet may have changed it: export it as text."
        place = f"row {number}, {column}: {text!r}"
        self._faults.add("numbers of examples that are none", remedy, place)
        return None

    def _take(self, answer: ForeignAnswer, number: int, row: _Cells) -> bool:
        """Add a row's answer; False where nothing in it can be read."""
        columns = self._columns
        names = columns.scores or [str(columns.score_list or columns.answer)]
        is_text = not (columns.scores or columns.score_list or self._is_labels)
        if is_text and self._has_labels and _bare(row[names[0]]) in _LABELS:
            answer.label = _LABELS[_bare(row[names[0]])]
        elif is_text:
            answer.answer = row[names[0]] or ""
        elif not any(_stripped(row, name) for name in names):
            self._n_blank += 1
            return False
        elif self._is_labels:
            answer.label = self._label(number, row)
        elif columns.score_list:
            answer.scores = self._in_range(number, self._listed(number, row))
        else:
            answer.scores = self._in_range(number, self._scores(number, row))
        return is_text or answer.label is not None or answer.scores is not None

    def _label(self, number: int, row: _Cells) -> int | None:
        column = str(self._columns.answer)
        text, bare = (row[column] or "").strip(), _bare(row[column])
        if bare in _LABELS:
            return _LABELS[bare]
        remedy = "The number of an answer is 0, 1 or 2."
        if bare == _FROM_ONE:
            remedy += " Numbers from 1 to 3 are not guessed: subtract 1, or write A, B, C."
        self._faults.add("labels out of range", remedy, f"row {number}, {column}: {text!r}")
        return None

    def _scores(self, number: int, row: _Cells) -> tuple[float, ...] | None:
        values = {name: self._score((row[name] or "").strip()) for name in self._columns.scores}
        bad = [name for name, value in values.items() if not math.isfinite(value)]
        if bad:
            self._refuse_scores(number, bad[0], row)
            return None
        return tuple(values.values())

    def _in_range(self, number: int, values: tuple[float, ...] | None) -> tuple[float, ...] | None:
        """Refuse numbers that cannot be what their column's name says: the smallest might win."""
        columns = self._columns
        wrong = outside(columns.kind, values) if values is not None else None
        if wrong is None:
            return values
        place = (
            f"row {number}, {', '.join(columns.scores) or columns.score_list}: {list(values or ())}"
        )
        remedy = "Where the largest wins all the same, call the columns score_0, score_1, score_2."
        self._faults.add(wrong, remedy, place)
        return None

    def _score(self, text: str) -> float:
        """Return a number, NaN where it is none or its decimal sign is not the column's."""
        if self._has_comma and _COMMA_NUMBER.fullmatch(text):
            return float(text.replace(",", "."))
        is_number = bool(_NUMBER.fullmatch(text)) and not (self._has_comma and "." in text)
        return float(text) if is_number else math.nan

    def _listed(self, number: int, row: _Cells) -> tuple[float, ...] | None:
        name = str(self._columns.score_list)
        values = _number_list(row[name] or "")
        if values is None:
            self._refuse_scores(number, name, row)
        return values

    def _refuse_scores(self, number: int, name: str, row: _Cells) -> None:
        remedy = "A score is a finite number, with the same decimal sign in all rows."
        place = f"row {number}, {name}: {row[name]!r}"
        self._faults.add("scores that are no number", remedy, place)


def _number_list(text: str) -> tuple[float, ...] | None:
    """Return the numbers of a JSON list in one cell."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(values, list) or not all(type(value) in {int, float} for value in values):
        return None
    return tuple(map(float, values)) if all(map(math.isfinite, values)) and values else None


def _stripped(row: _Cells, column: str | None) -> str | None:
    text = row[column] if column else None
    return (text.strip() or None) if text else None


def _bare(cell: str | None) -> str:
    return re.sub(r"\.0+$", "", (cell or "").strip())


def _bare_numbers(values: pl.Series) -> Counter[str]:
    """Count the cells that are a one-digit number alone, by that digit."""
    texts = values.drop_nulls().str.strip_chars()
    return Counter(texts.filter(texts.str.contains(r"^\d(?:\.0+)?$")).str.head(1))


def _are_labels(values: pl.Series) -> bool:
    """Say whether a column holds numbers of answers and nothing else."""
    texts = values.drop_nulls().str.strip_chars()
    texts = texts.filter(texts.str.len_bytes() > 0)
    return len(texts) > 0 and bool(texts.str.contains(_ANY_LABEL).all())
