"""From rows (one a question) to examples (four questions each) as arrays of codes and scores."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenhand.contract import DataRefused
from evenhand.contract.unqover import QUESTIONS_PER_EXAMPLE

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

ITEM_COLUMNS = (
    "id",
    "template",
    "order",
    "polarity",
    "x1",
    "x2",
    "group1",
    "group2",
    "attribute",
    "attribute_kind",
)
"""The columns of an item that scoring reads; contexts and questions stay on the disk."""


@dataclass(frozen=True, slots=True)
class Examples:
    """The complete examples of one config, in an order that does not depend on the rows' order."""

    subjects: list[str]
    groups: list[str | None]
    """Group of each subject."""
    attributes: list[str]
    templates: list[str]
    strata: NDArray[np.int64]
    """Code of each template's attribute kind, shape [T]: resampling stays within it."""
    x1: Codes
    """Code of the subject named first in the pair, shape [E]; so are the next three."""
    x2: Codes
    attribute: Codes
    template: Codes
    scores_x1: Floats
    """S(x1) for the questions (a, 12), (a, 21), (not a, 12), (not a, 21); shape [E, 4]."""
    scores_x2: Floats
    n_unscored: int
    """Examples of which a question has no score; they are left out."""
    incomplete: list[str]
    """The first five of these, in words."""
    rows: NDArray[np.int64]
    """Row of each question in the items, shape [E, 4]; to find its text."""


def examples_of(items: pl.DataFrame, scores_x1: Floats, scores_x2: Floats) -> Examples:
    """Group the questions of one config into examples.

    Args:
        items: the columns of :data:`ITEM_COLUMNS` but for the id, in any row order.
        scores_x1: S(x1) of each row, NaN where there is none.
        scores_x2: S(x2) of each row, NaN where there is none.

    Raises:
        DataRefused: two rows are the same question, or a subject has two groups.
    """
    subjects = _names(items, "x1", "x2")
    codes = {name: _codes(items[name], subjects) for name in ("x1", "x2")}
    attributes, templates = _names(items, "attribute"), _names(items, "template")
    codes["attribute"] = _codes(items["attribute"], attributes)
    codes["template"] = _codes(items["template"], templates)
    shape = (len(templates), len(subjects), len(subjects), len(attributes))
    key = np.ravel_multi_index(
        (codes["template"], codes["x1"], codes["x2"], codes["attribute"]), shape
    )
    present, rows = _rows_by_question(items, key)
    is_scored = ~(np.isnan(scores_x1) | np.isnan(scores_x2))
    is_complete = ((rows >= 0) & is_scored[rows]).all(axis=1)
    rows, left_out = rows[is_complete], present[~is_complete]
    template, x1, x2, attribute = np.unravel_index(present[is_complete], shape)
    names = (templates, subjects, subjects, attributes)
    return Examples(
        subjects=subjects,
        groups=_groups(items, subjects),
        attributes=attributes,
        templates=templates,
        strata=_strata(items, codes["template"], len(templates)),
        x1=x1.astype(np.int32),
        x2=x2.astype(np.int32),
        attribute=attribute.astype(np.int32),
        template=template.astype(np.int32),
        scores_x1=scores_x1[rows],
        scores_x2=scores_x2[rows],
        n_unscored=len(left_out),
        incomplete=[_in_words(int(example), shape, names) for example in left_out[:5]],
        rows=rows,
    )


def _rows_by_question(
    items: pl.DataFrame, key: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return each example's key and the rows of its four questions, -1 where there is none."""
    question = 2 * _is_second(items, "polarity", "neg", "pos") + _is_second(items, "order", 21, 12)
    present, example = np.unique(key, return_inverse=True)
    slots = example * QUESTIONS_PER_EXAMPLE + question
    rows = np.full(len(present) * QUESTIONS_PER_EXAMPLE, -1, dtype=np.int64)
    rows[slots] = np.arange(len(slots))
    if np.count_nonzero(rows >= 0) != len(slots):
        # The later of two rows took the slot, so the earlier one is not found in it.
        earlier = np.flatnonzero(rows[slots] != np.arange(len(slots)))[0]
        later = rows[slots[earlier]]
        raise DataRefused(
            f"Rows {earlier + 1} and {later + 1} of the items are the same question (same template,"
            " subjects, attribute, polarity and order); keep one of the two."
        )
    return present, rows.reshape(-1, QUESTIONS_PER_EXAMPLE)


def _is_second(items: pl.DataFrame, column: str, second: Any, first: Any) -> NDArray[np.int64]:
    """Return 1 where the column has its second value and 0 where it has its first."""
    values = items[column]
    is_second = (values == second).fill_null(value=False).to_numpy()
    is_known = is_second | (values == first).fill_null(value=False).to_numpy()
    if not is_known.all():
        row = int(np.flatnonzero(~is_known)[0])
        raise DataRefused(
            f"Row {row + 1} of the items has {column} {values[row]!r};"
            f" it must be {first!r} or {second!r}."
        )
    return np.asarray(is_second, dtype=np.int64)


def _names(items: pl.DataFrame, *columns: str) -> list[str]:
    """Return the distinct values of columns, sorted, so that codes do not depend on row order."""
    names: set[str] = set()
    for column in columns:
        names.update(items[column].unique().cast(pl.String).to_list())
    return sorted(names)


def _codes(values: pl.Series, names: list[str]) -> Codes:
    code = values.cast(pl.String).cast(pl.Enum(names)).to_physical()
    return code.cast(pl.Int32).to_numpy()


def _groups(items: pl.DataFrame, subjects: list[str]) -> list[str | None]:
    """Return each subject's group, or refuse a subject that has two."""
    pairs = pl.concat(
        items.select(pl.col(name).cast(pl.String).alias("subject"), pl.col(group).cast(pl.String))
        .rename({group: "group"})
        .unique()
        for name, group in (("x1", "group1"), ("x2", "group2"))
    ).unique()
    twice = pairs.filter(pl.col("subject").is_duplicated()).sort("subject", "group")
    if len(twice):
        subject, first, second = twice["subject"][0], twice["group"][0], twice["group"][1]
        raise DataRefused(
            f"The subject {subject!r} is in the group {first!r} and in the group {second!r};"
            " a subject has one group."
        )
    group_of = dict(pairs.iter_rows())
    return [group_of[subject] for subject in subjects]


def _strata(items: pl.DataFrame, template: Codes, n_templates: int) -> NDArray[np.int64]:
    """Return one code for each distinct set of attribute kinds that a template goes with."""
    kinds = items["attribute_kind"].cast(pl.String)
    pairs = pl.DataFrame({"template": template, "kind": kinds}).unique().sort("template", "kind")
    sets = pairs.group_by("template", maintain_order=True).agg("kind")["kind"].to_list()
    known = sorted({tuple(kind) for kind in sets})
    codes = np.zeros(n_templates, dtype=np.int64)
    codes[:] = [known.index(tuple(kind)) for kind in sets]
    return codes


def _in_words(example: int, shape: tuple[int, ...], names: tuple[list[str], ...]) -> str:
    """Name an example by its slots.

    >>> _in_words(1, (1, 2), (["t00"], ["arab", "jewish"]))
    't00 / jewish'
    """
    parts = np.unravel_index(example, shape)
    return " / ".join(own[int(part)] for own, part in zip(names, parts, strict=True))
