"""Facts about occupations: pay, education, share of women, employment.

The table beside this module holds figures of the U.S. Bureau of Labor Statistics for the paper's
120 occupations; it also says which official title is used for which short name.
"""

import io
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

import numpy as np
import polars as pl

from evenhand.contract import DataRefused
from evenhand.contract.files import sha256_of_file

TABLE = "occupation_facts.tsv"
SUBJECT, EMPLOYMENT, RIGHT_CLASS = "subject", "employment", "right_class"
OURS = Path("occupations")
"""Name of the table that is included in Evenhand."""

NUMBERS = (EMPLOYMENT, "income", "years_of_education", "share_of_women", "word_frequency")
"""People employed in thousands; median annual wage in US dollars; years of the typical entry-level
education; from 0 to 1; any count above 0."""

_POSITIVE = (EMPLOYMENT, "income", "word_frequency")


def read_facts(paths: Path | Sequence[Path] | None) -> pl.DataFrame:
    """Return ``subject``, Float64 columns of :data:`NUMBERS`, and ``right_class``; null if unknown.

    Args:
        paths: one or more tables, TSV or CSV (``.csv``), with the column ``subject`` and any of the
            others; no two tables may fill the same column. The name ``occupations``, like None,
            stands for the table included in Evenhand.

    Raises:
        DataRefused: a file cannot be read, lacks ``subject``, repeats a subject, has an invalid
            value, or a column that another table fills.
    """
    first, *others = table_paths(paths)
    joined = _table(first)
    for path in others:
        joined = _join(joined, _table(path), path)
    return joined


def table_paths(paths: Path | Sequence[Path] | None) -> list[Path]:
    """Return the paths of the tables, at least one."""
    if paths is None:
        return [OURS]
    return [paths] if isinstance(paths, Path) else list(paths) or [OURS]


def tables_digest(paths: Path | Sequence[Path] | None) -> str | None:
    """Return the tables' digest for a signature; None for the included table alone."""
    names = [
        sha256_of_file(path)[:12] if path != OURS else str(OURS) for path in table_paths(paths)
    ]
    return None if names == [str(OURS)] else "+".join(names)


def _join(known: pl.DataFrame, further: pl.DataFrame, path: Path) -> pl.DataFrame:
    """Add the columns of a further table, and its subjects."""
    columns = _filled_columns(further)
    if both := sorted(_filled_columns(known) & columns):
        raise DataRefused(
            f"{path}: another table of --facts also has the column {both[0]}; remove it from one of"
            " them."
        )
    every = known.drop(columns).join(
        further.select(SUBJECT, *columns),
        on=SUBJECT,
        how="full",
        coalesce=True,
        maintain_order="left_right",
    )
    return every.select(known.columns)


def _filled_columns(table: pl.DataFrame) -> set[str]:
    """Return the columns of facts that are not empty."""
    columns = (*NUMBERS, RIGHT_CLASS)
    return {name for name in columns if table[name].null_count() < len(table)}


def _table(path: Path) -> pl.DataFrame:
    """Read one table."""
    if path == OURS:
        content, name = resources.files(__package__).joinpath(TABLE).read_bytes(), TABLE
    else:
        content, name = _content(path), str(path)
    separator = "," if name.endswith(".csv") else "\t"
    try:
        rows = pl.read_csv(content, separator=separator, infer_schema=False, comment_prefix="#")
    except pl.exceptions.PolarsError as error:
        reason = str(error).split("\n", 1)[0]
        raise DataRefused(f"{name} cannot be read as a table: {reason}.") from error
    if SUBJECT not in rows.columns:
        raise DataRefused(
            f"{name} lacks the column {SUBJECT} (it has {', '.join(rows.columns)}); further columns"
            f" may be {', '.join((*NUMBERS, RIGHT_CLASS))}."
        )
    twice = rows.filter(pl.col(SUBJECT).is_duplicated())[SUBJECT]
    if len(twice):
        raise DataRefused(
            f"{name}: the subject {twice[0]} occurs twice; keep one row for each subject."
        )
    return rows.select(
        pl.col(SUBJECT).str.strip_chars(),
        *(_numbers(rows, column, name) for column in NUMBERS),
        (pl.col(RIGHT_CLASS) if RIGHT_CLASS in rows.columns else pl.lit(None, pl.String)).alias(
            RIGHT_CLASS
        ),
    )


def match_facts(facts: pl.DataFrame, subjects: list[str]) -> pl.DataFrame:
    """Return the facts about subjects, in their order; nulls for subjects not in the table."""
    names = pl.DataFrame({SUBJECT: subjects}, schema={SUBJECT: pl.String})
    return names.join(facts, on=SUBJECT, how="left", maintain_order="left")


def right_classes(
    facts: pl.DataFrame, classes: list[str], place: str
) -> np.ndarray[tuple[int], np.dtype[np.int64]] | None:
    """Return the code of each subject's right class, None where no subject has one.

    Raises:
        DataRefused: only some subjects have one, or one is not a class of Y.
    """
    names = facts[RIGHT_CLASS]
    if names.null_count() == len(names):
        return None
    for subject, name in facts.select(SUBJECT, RIGHT_CLASS).iter_rows():
        if name not in classes:
            fault = "has no right_class" if name is None else f"has the right_class {name!r}"
            raise DataRefused(
                f"{place}: the subject {subject} {fault}; one of {', '.join(classes)} was expected."
            )
    return np.array([classes.index(name) for name in names], dtype=np.int64)


def _content(path: Path) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataRefused(f"--facts {path} cannot be read ({error.strerror}).") from error
    try:
        content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataRefused(f"{path} is not UTF-8; save the file as UTF-8.") from error
    if not content.strip():
        raise DataRefused(f"{path} is empty; it must have one row for each subject.")
    return io.BytesIO(content).read().removeprefix(b"\xef\xbb\xbf")


def _numbers(rows: pl.DataFrame, column: str, name: str) -> pl.Series:
    if column not in rows.columns:
        return pl.repeat(None, len(rows), dtype=pl.Float64, eager=True).alias(column)
    texts = rows[column].str.strip_chars().replace("", None)
    values = texts.cast(pl.Float64, strict=False)
    high = 1.0 if column == "share_of_women" else float("inf")
    is_bad = texts.is_not_null() & ~(values.is_between(0, high) & values.is_finite()).fill_null(
        value=False
    )
    if column in _POSITIVE:
        is_bad = is_bad | (values <= 0).fill_null(value=False)
    for at in is_bad.arg_true().head(1):
        expected = "a share from 0 to 1" if high == 1 else "a number above 0"
        raise DataRefused(
            f"{name}: {column} of {rows[SUBJECT][at]} is {texts[at]!r}; {expected} was expected"
            " (leave the cell empty if it is unknown)."
        )
    return values
