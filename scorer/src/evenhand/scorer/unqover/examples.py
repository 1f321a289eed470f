"""Groups rows (one per question) into examples (four questions each), as arrays."""

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
"""The columns of an item that scoring reads; contexts and questions stay on disk."""


_DENSE_KEYS_PER_ROW = 4
"""Up to this ratio of possible keys to rows, a table of all keys is quicker than sorting."""


@dataclass(frozen=True, slots=True)
class Examples:
    """The complete examples of one config, in an order independent of the order of rows."""

    subjects: list[str]
    groups: list[str | None]
    """Group of each subject."""
    attributes: list[str]
    templates: list[str]
    strata: NDArray[np.int64]
    """Code of each template's attribute kind, shape [T]: templates are resampled within it."""
    x1: Codes
    """Code of the pair's first subject, shape [E]; the next three fields likewise."""
    x2: Codes
    attribute: Codes
    template: Codes
    scores_x1: Floats
    """S(x1) for the questions (a, 12), (a, 21), (not a, 12), (not a, 21); shape [E, 4]."""
    scores_x2: Floats
    n_unscored: int
    """Number of examples left out because a question has no score."""
    incomplete: list[str]
    """The first five of these, by their slots."""
    rows: NDArray[np.int64]
    """Row of each question in the items, shape [E, 4], to look up its text."""


def group_examples(items: pl.DataFrame, scores_x1: Floats, scores_x2: Floats) -> Examples:
    """Group the questions of one config into examples.

    Args:
        items: the columns of :data:`ITEM_COLUMNS` except the id, in any row order.
        scores_x1: S(x1) of each row, NaN if there is none.
        scores_x2: S(x2) of each row, NaN if there is none.

    Raises:
        DataRefused: two rows are the same question, or a subject has two groups.
    """
    subjects, (x1, x2) = _encode(items["x1"], items["x2"])
    attributes, (attribute,) = _encode(items["attribute"])
    templates, (template,) = _encode(items["template"])
    groups = _groups(items, subjects, x1, x2)
    strata = _strata(items["attribute_kind"], template, len(templates))
    shape = (len(templates), len(subjects), len(subjects), len(attributes))
    key = np.ravel_multi_index((template, x1, x2, attribute), shape)
    present, rows = _rows_by_question(items, key, int(np.prod(shape)))
    is_scored = ~(np.isnan(scores_x1) | np.isnan(scores_x2))
    is_complete = ((rows >= 0) & is_scored[rows]).all(axis=1)
    rows, left_out = rows[is_complete], present[~is_complete]
    codes = np.unravel_index(present[is_complete], shape)
    template, x1, x2, attribute = (code.astype(np.int32) for code in codes)
    names = (templates, subjects, subjects, attributes)
    return Examples(
        subjects=subjects,
        groups=groups,
        attributes=attributes,
        templates=templates,
        strata=strata,
        x1=x1,
        x2=x2,
        attribute=attribute,
        template=template,
        scores_x1=scores_x1[rows],
        scores_x2=scores_x2[rows],
        n_unscored=len(left_out),
        incomplete=[_slot_text(int(example), shape, names) for example in left_out[:5]],
        rows=rows,
    )


def _rows_by_question(
    items: pl.DataFrame, key: NDArray[np.int64], n_keys: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return each example's key and the rows of its four questions, -1 for a missing one."""
    question = 2 * _is_second(items, "polarity", "neg", "pos") + _is_second(items, "order", 21, 12)
    present, example = _distinct(key, n_keys)
    slots = example * QUESTIONS_PER_EXAMPLE + question
    rows = np.full(len(present) * QUESTIONS_PER_EXAMPLE, -1, dtype=np.int64)
    rows[slots] = np.arange(len(slots))
    if np.count_nonzero(rows >= 0) != len(slots):
        # Of two rows in one slot the later one overwrites the earlier.
        earlier = np.flatnonzero(rows[slots] != np.arange(len(slots)))[0]
        later = rows[slots[earlier]]
        raise DataRefused(
            f"Rows {earlier + 1} and {later + 1} of the items are the same question (same template,"
            " subjects, attribute, polarity and order); keep one of the two."
        )
    return present, rows.reshape(-1, QUESTIONS_PER_EXAMPLE)


def _distinct(key: NDArray[np.int64], n_keys: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct keys, sorted, and each key's index among them.

    >>> [part.tolist() for part in _distinct(np.array([7, 3, 7]), 9)]
    [[3, 7], [1, 0, 1]]
    """
    if n_keys > _DENSE_KEYS_PER_ROW * len(key):
        return np.unique(key, return_inverse=True)
    # A full design has nearly every key, so marking them is many times quicker than sorting.
    is_present = np.zeros(n_keys, dtype=np.bool_)
    is_present[key] = True
    place = np.cumsum(is_present, dtype=np.int64) - 1
    return np.flatnonzero(is_present), place[key]


def _is_second(items: pl.DataFrame, column: str, second: Any, first: Any) -> NDArray[np.int64]:
    """Return 1 for rows with a column's second value and 0 for rows with its first."""
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


def _encode(*columns: pl.Series) -> tuple[list[str], list[Codes]]:
    """Return the distinct texts of columns, sorted, and the code of each value.

    They are sorted so that codes do not depend on the order of rows.

    >>> _encode(pl.Series(["b", "a"]), pl.Series(["b", "c"]))
    (['a', 'b', 'c'], [array([1, 0], dtype=int32), array([1, 2], dtype=int32)])
    """
    coded = [_encode_with_null(column) for column in columns]
    if any(None in names for names, _ in coded):
        raise DataRefused(f"The column {columns[0].name} of the items has a row without a value.")
    names = sorted({str(name) for values, _ in coded for name in values})
    place = {name: code for code, name in enumerate(names)}
    return names, [
        np.array([place[str(name)] for name in values], dtype=np.int32)[code]
        for values, code in coded
    ]


def _encode_with_null(column: pl.Series) -> tuple[list[str | None], Codes]:
    """Return the distinct values of a column, including null, and the code of each value.

    It uses the codes that polars keeps for categorical text, many times quicker than hashing.
    """
    coded = column if column.dtype == pl.Categorical else column.cast(pl.Categorical)
    physical = coded.to_physical()
    n_codes = int(physical.max() or 0) + 2  # type: ignore[arg-type]
    code = physical.fill_null(n_codes - 1).to_numpy()
    row_by_code = np.full(n_codes, -1, dtype=np.int64)
    row_by_code[code] = np.arange(len(code))  # any row with the code will do
    present = np.flatnonzero(row_by_code >= 0)
    place = np.zeros(n_codes, dtype=np.int32)
    place[present] = np.arange(len(present))
    return coded.gather(row_by_code[present]).cast(pl.String).to_list(), place[code]


def _pairs(first: Codes, second: Codes, n_second: int) -> list[tuple[int, int]]:
    """Return the distinct pairs of two codes, sorted.

    >>> _pairs(np.array([1, 0, 1]), np.array([0, 2, 0]), 3)
    [(0, 2), (1, 0)]
    """
    present = np.flatnonzero(np.bincount(first * n_second + second))
    return [divmod(int(pair), n_second) for pair in present]


def _groups(items: pl.DataFrame, subjects: list[str], x1: Codes, x2: Codes) -> list[str | None]:
    """Return each subject's group; refuse a subject that has two."""
    group_by_code: dict[int, str | None] = {}
    for subject, column in ((x1, "group1"), (x2, "group2")):
        names, group = _encode_with_null(items[column])
        for subject_code, code in _pairs(subject, group, len(names)):
            name = names[code]
            if group_by_code.setdefault(subject_code, name) != name:
                raise DataRefused(
                    f"The subject {subjects[subject_code]!r} has the group"
                    f" {group_by_code[subject_code]!r} in one row and {name!r} in another; give it"
                    " one group."
                )
    return [group_by_code[subject] for subject in range(len(subjects))]


def _strata(kinds: pl.Series, template: Codes, n_templates: int) -> NDArray[np.int64]:
    """Return a code for each template's set of attribute kinds."""
    names, (kind,) = _encode(kinds)
    kinds_by_template: list[tuple[int, ...]] = [()] * n_templates
    for template_code, code in _pairs(template, kind, len(names)):
        kinds_by_template[template_code] += (code,)
    known = sorted(set(kinds_by_template))
    return np.array(
        [known.index(template_kinds) for template_kinds in kinds_by_template], dtype=np.int64
    )


def _slot_text(example: int, shape: tuple[int, ...], names: tuple[list[str], ...]) -> str:
    """Return an example's slots as text.

    >>> _slot_text(1, (1, 2), (["t00"], ["arab", "jewish"]))
    't00 / jewish'
    """
    parts = np.unravel_index(example, shape)
    return " / ".join(slot_names[int(part)] for slot_names, part in zip(names, parts, strict=True))
