"""Joins predictions by id with the items they answer, and lists everything that does not fit.

An id begins with its config and a hyphen. What belongs to an id may be one row or, where a model
was asked several times, several: a benchmark joins its rows with these functions.
"""

import difflib
import re
from collections.abc import Iterable, Sequence

import polars as pl

from evenhand.contract import DataRefused
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.faults import FIRST, Fault, FaultList, excerpt

MISSING_IDS = "missing ids"
"""The kind of fault that ``--allow-missing`` permits."""

UNKNOWN_REMEDY = "They are not in the dataset; is it another config or version?"
MISSING_REMEDY = "Answer them, or add --allow-missing to leave them out."

IS_ANSWERED = "is_answered"


def suggestion(name: str, known: Sequence[str], others: Iterable[str] = ()) -> str:
    """Return a clause that names the config that is likely meant, empty where none is.

    Args:
        name: what was given.
        known: the configs that there are.
        others: configs of the benchmark outside the dataset; a name nearer to one of these gets no
            suggestion.

    >>> suggestion("gender identity", ["Age", "Gender_identity"])
    ' (is Gender_identity meant?)'
    """
    by_plain = {re.sub(r"[\W_]", "", config).casefold(): config for config in (*known, *others)}
    plain = re.sub(r"[\W_]", "", name).casefold()
    close = [plain] if plain in by_plain else difflib.get_close_matches(plain, by_plain, 1)
    meant = by_plain[close[0]] if close else None
    return f" (is {meant} meant?)" if meant and meant in known and meant != name else ""


def configs_in(ids: pl.Series) -> list[str]:
    """Return the configs that ids begin with, in alphabetical order.

    >>> configs_in(pl.Series(["religion-t00-a", "ethnicity_mlm-t00-a", "religion-t01-b"]))
    ['ethnicity_mlm', 'religion']
    """
    if ids.is_empty():
        return []
    first = str(ids[0]).split("-", 1)[0]
    if ids.str.starts_with(f"{first}-").all():  # most files hold one config: one quick pass
        return [first]
    return sorted(ids.str.split_exact("-", 1).struct.field("field_0").unique().to_list())


def rows_in_config(rows: pl.DataFrame, config: str) -> pl.DataFrame:
    """Return the rows whose id begins with a config."""
    begins = rows["id"].str.starts_with(f"{config}-")
    return rows if begins.all() else rows.filter(begins | (pl.col("id") == config))


def configs_to_score(
    dataset: Dataset, rows: pl.DataFrame, asked: Sequence[str], others: Sequence[str] = ()
) -> list[str]:
    """Return the configs that are scored, in the dataset's order.

    Args:
        dataset: the dataset's folder.
        rows: predictions, with ids.
        asked: the configs that ``--config`` names; empty for all that occur in the predictions.
        others: configs that the benchmark has elsewhere.

    Raises:
        DataRefused: a config that is asked for is not in the dataset, or no row is of one of its
            configs; the sentence suggests the spelling that is likely meant.
    """
    known = list(dataset.manifest.configs)
    for config in asked:
        if config not in known:
            raise DataRefused(
                f"{dataset.folder} has no config {config}{suggestion(config, known, others)};"
                f" it has {', '.join(known)}."
            )
    occurring = configs_in(rows["id"])
    answered = [config for config in known if config in occurring]
    if answered and asked and not set(asked) & set(answered):
        raise DataRefused(
            f"The predictions have no row of {', '.join(asked)}; theirs are of"
            f" {', '.join(answered)}. Name that with --config, or give the file of"
            f" {', '.join(asked)}."
        )
    scored = [config for config in known if config in (asked or occurring)]
    if not scored:
        first = excerpt(str(rows["id"][0])) if len(rows) else ""
        hint = suggestion(first.split("-", 1)[0], known, others)
        raise DataRefused(
            f"No id of the predictions belongs to a config of {dataset.folder}"
            f" ({', '.join(known)}); the first is {first!r}{hint}."
        )
    return scored


def ids_without_config(
    dataset: Dataset, rows: pl.DataFrame, others: Sequence[str] = ()
) -> list[Fault]:
    """Return the ids that begin with no config of the dataset."""
    faults, known = FaultList(), list(dataset.manifest.configs)
    for config in configs_in(rows["id"]):
        if config not in known:
            ids = rows_in_config(rows, config)["id"]
            remedy = (
                f"An id begins with its config ({', '.join(known)})"
                f"{suggestion(config, known, others)}; where --config names some, rows of others"
                " may be there."
            )
            faults.add_many("ids of no config", remedy, ids.head(FIRST).to_list(), len(ids))
    return faults.to_list()


def one_row_each(ids: pl.Series, rows: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Return the one row of each item, in the items' order.

    Args:
        ids: ids of the items.
        rows: ``id`` and anything else, in any order.
        faults: takes duplicate, unknown and missing ids.

    Returns:
        The columns of the rows, null where an item has none, and whether it has one
        (:data:`IS_ANSWERED`). Of two rows with one id the first counts.
    """
    is_answered = pl.lit(value=True).alias(IS_ANSWERED)
    if len(ids) == len(rows) and (ids == rows["id"]).all():  # as a file of ours is: no join
        return rows.with_columns(is_answered)
    once = rows.unique("id", keep="first", maintain_order=True)
    if len(once) != len(rows):
        twice = rows.filter(pl.col("id").is_duplicated())["id"].unique(maintain_order=True)
        remedy = "Keep one row for each question."
        faults.add_many("duplicate ids", remedy, twice.head(FIRST).to_list(), len(rows) - len(once))
    items = ids.alias("id").to_frame()
    unknown = once.join(items, on="id", how="anti", maintain_order="left")["id"]
    add_unknown(unknown, faults)
    joined = items.join(
        once.with_columns(is_answered), on="id", how="left", maintain_order="left", coalesce=True
    ).with_columns(pl.col(IS_ANSWERED).fill_null(value=False))
    add_missing(ids.filter(~joined[IS_ANSWERED]), faults)
    return joined


def add_unknown(ids: pl.Series, faults: FaultList) -> None:
    """Name the ids of predictions that the dataset lacks."""
    first = ids.unique(maintain_order=True).head(FIRST).to_list()
    faults.add_many("unknown ids", UNKNOWN_REMEDY, first, len(ids))


def add_missing(ids: pl.Series, faults: FaultList) -> None:
    """Name the ids of items that no prediction answers."""
    faults.add_many(MISSING_IDS, MISSING_REMEDY, ids.head(FIRST).to_list(), len(ids))
