"""The original's ``output.json`` as examples, or as rows for a dataset of Evenhand's."""

from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenhand.contract import DataRefused
from evenhand.scorer.unqover.output_json import OriginalEntries

CONFIG = "unqover_original"
"""Name of the config of a file without a dataset; the file does not name its class."""

NO_GROUP = "none"

SLOTS = ("template", "x1", "x2", "attribute", "order")
"""The slots that identify an entry."""


def config_name(entries: OriginalEntries) -> str:
    """Return the config's name, which differs for a QA model and a masked LM."""
    return f"{CONFIG}_mlm" if entries.is_masked else CONFIG


def entry_questions(
    entries: OriginalEntries, path: Path
) -> tuple[pl.DataFrame, NDArray[np.float64], NDArray[np.float64]]:
    """Turn entries into rows of questions, two per entry, with S of x1 and x2.

    x1 is the subject whose name sorts first, so that both orders of a pair are matched. Answers
    belong to subjects by their position in the key, never by their text, which for a country is
    often its demonym.

    Returns:
        The item columns that scoring reads, S(x1) and S(x2): first all positive questions in the
        order of the entries, then all negative ones.

    Raises:
        DataRefused: a subject without a group beside others that have one, a subject in two
            groups, a subject paired with itself, or a duplicate entry.
    """
    keys = entries.keys
    first, second = (keys[name].cast(pl.String) for name in ("first", "second"))
    _check_groups(keys, path)
    if (first == second).any():
        raise DataRefused(f"{path}: {first.filter(first == second)[0]!r} is paired with itself.")
    is_swapped = (first > second).to_numpy()
    half = pl.DataFrame(
        {
            "template": _template_names(keys["template"]),
            "order": np.where(is_swapped, 21, 12),
            **_sides(keys, is_swapped),
            "attribute": keys["attribute"],
            "attribute_kind": _attribute_kinds(keys),
        }
    )
    _check_twice(half, path)
    polarity = pl.Enum(["pos", "neg"])
    items = pl.concat(
        half.with_columns(pl.lit(name, dtype=polarity).alias("polarity")) for name in ("pos", "neg")
    )
    scores = entries.scores.reshape(-1, 2, 2)
    scores = np.where(is_swapped[:, None, None], scores[:, :, ::-1], scores)
    return items, scores[:, :, 0].T.ravel(), scores[:, :, 1].T.ravel()


def _sides(keys: pl.DataFrame, is_swapped: NDArray[np.bool_]) -> dict[str, pl.Series]:
    """Assign the subject and group of each position to x1 and x2."""
    swapped = pl.lit(pl.Series(is_swapped))
    sides: dict[str, pl.Series] = {}
    for x1, x2, first, second in (
        ("x1", "x2", "first", "second"),
        ("group1", "group2", "group_first", "group_second"),
    ):
        pair = keys.select(
            pl.when(swapped).then(second).otherwise(first).alias(x1),
            pl.when(swapped).then(first).otherwise(second).alias(x2),
        )
        sides |= {x1: pair[x1], x2: pair[x2]}
    for group in ("group1", "group2"):
        sides[group] = sides[group].cast(pl.String).replace(NO_GROUP, None).cast(pl.Categorical)
    return sides


def _template_names(numbers: pl.Series) -> pl.Series:
    return numbers.replace_strict(
        {number: f"t{number:02}" for number in numbers.unique().to_list()},
        return_dtype=pl.Categorical,
    )


def _check_groups(keys: pl.DataFrame, path: Path) -> None:
    """Refuse a subject without a group if others have one, and a subject with two groups."""
    pairs = pl.concat(
        keys.select(pl.col(subject).cast(pl.String).alias("subject"),
                    pl.col(group).cast(pl.String).alias("group")).unique()
        for subject, group in (("first", "group_first"), ("second", "group_second"))
    ).unique().sort("subject", "group")  # fmt: skip
    known = sorted(set(pairs["group"]) - {NO_GROUP})
    unknown = pairs.filter(pl.col("group") == NO_GROUP)["subject"]
    if known and len(unknown):
        raise DataRefused(
            f"{path}: the subject {unknown[0]!r} has no group, but others are {' or '.join(known)};"
            " every subject needs its group."
        )
    twice = pairs.filter(pl.col("subject").is_duplicated())
    if len(twice):
        raise DataRefused(
            f"{path}: the subject {twice['subject'][0]!r} is {twice['group'][0]} in one entry and"
            f" {twice['group'][1]} in another; a subject has one group."
        )


def _check_twice(half: pl.DataFrame, path: Path) -> None:
    codes = [half[name].cast(pl.Categorical).to_physical() for name in SLOTS[:4]]
    key = np.zeros(len(half), dtype=np.int64)
    for code in codes:
        key = key * (int(code.max()) + 1) + code.cast(pl.Int64).to_numpy()  # type: ignore[arg-type]
    key = key * 2 + (half["order"].to_numpy() == 21)
    _, where, count = np.unique(key, return_index=True, return_counts=True)
    if (count > 1).any():
        row = half.row(int(where[count > 1][0]), named=True)
        raise DataRefused(
            f"{path}: the entry {slot_text(row)} occurs twice (names are compared in lower case);"
            " keep one."
        )


def _attribute_kinds(keys: pl.DataFrame) -> pl.Series:
    """Return the kind of each attribute: attributes that share a template are of one kind.

    The file does not state which attributes go with which templates, but their combinations show
    it.
    """
    pairs = (
        keys.select(pl.col("attribute").cast(pl.String), "template")
        .unique()
        .sort("template", "attribute")
    )
    kind_of_attribute: dict[str, int] = {}
    for number, attributes in enumerate(pairs.group_by("template", maintain_order=True)
                                        .agg("attribute")["attribute"].to_list()):  # fmt: skip
        touched = {
            kind_of_attribute[attribute]
            for attribute in attributes
            if attribute in kind_of_attribute
        }
        kind = min(touched, default=number)
        for attribute, old in kind_of_attribute.items():
            if old in touched:
                kind_of_attribute[attribute] = kind
        kind_of_attribute |= dict.fromkeys(attributes, kind)
    names = {attribute: f"k{kind:02}" for attribute, kind in kind_of_attribute.items()}
    return keys["attribute"].cast(pl.String).replace_strict(names, return_dtype=pl.Categorical)


def match_answers(items: pl.DataFrame, questions: pl.DataFrame) -> pl.DataFrame:
    """Return the questions of the original that are items of a dataset, with the items' ids.

    Args:
        items: the columns that scoring reads, with ids.
        questions: item columns as from :func:`entry_questions`, and the two scores.

    Returns:
        ``id``, ``score_x1``, ``score_x2`` and the ``row`` in the questions; x1 is that of the item.
    """
    x1, x2 = (pl.col(name).cast(pl.String).str.to_lowercase() for name in ("x1", "x2"))
    number = pl.col("template").cast(pl.String).str.extract(r"(\d+)$").cast(pl.Int32, strict=False)
    is_turned = x1 > x2
    # In the questions x1 is the name that sorts first; an item may have it second. Then its order
    # is the other one: 12 and 21 add up to 33.
    order = pl.when(is_turned).then(33 - pl.col("order")).otherwise("order")
    slots = items.select(
        "id",
        is_turned.alias("is_turned"),
        number.alias("template"),
        pl.min_horizontal(x1, x2).alias("x1"),
        pl.max_horizontal(x1, x2).alias("x2"),
        pl.col("attribute").cast(pl.String).str.to_lowercase(),
        pl.col("polarity").cast(pl.String),
        order.cast(pl.Int32).alias("order"),
    )
    names = ["template", "x1", "x2", "attribute", "polarity", "order"]
    keyed = questions.select(
        number.alias("template"),
        *(pl.col(name).cast(pl.String) for name in names[1:5]),
        pl.col("order").cast(pl.Int32),
        "score_x1",
        "score_x2",
        pl.int_range(pl.len()).alias("row"),
    )
    both = slots.join(keyed, on=names, how="inner", maintain_order="left")
    turned, first, second = pl.col("is_turned"), pl.col("score_x1"), pl.col("score_x2")
    return both.select(
        "id",
        pl.when(turned).then(second).otherwise(first).alias("score_x1"),
        pl.when(turned).then(first).otherwise(second).alias("score_x2"),
        "row",
    )


def slot_text(question: dict[str, object]) -> str:
    """Return a question's slots as text.

    >>> slot_text({"template": "t01", "x1": "arab", "x2": "sikh", "attribute": "lied", "order": 12})
    't01 / arab / sikh / lied / 12'
    """
    return " / ".join(str(question[name]) for name in SLOTS)
