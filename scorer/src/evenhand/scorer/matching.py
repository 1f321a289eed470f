"""Joining predictions to the items they answer, by id, with everything that does not fit."""

import difflib
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenhand.scorer.faults import FIRST, FaultList
from evenhand.scorer.unqover.prediction_rows import SCORES

Floats = NDArray[np.float64]

MISSING = "missing ids"


class Match(NamedTuple):
    """The scores of each item, in the items' order."""

    score_x1: Floats
    """S(x1), NaN where the predictions have none."""
    score_x2: Floats
    n_missing: int


def suggestion(name: str, known: Sequence[str], others: Iterable[str] = ()) -> str:
    """Return a clause that names the config that is likely meant, empty where none is.

    Args:
        name: what was given.
        known: the configs that there are.
        others: configs that there are elsewhere; nothing is suggested for what is nearer to one.

    >>> suggestion("gender identity", ["Age", "Gender_identity"])
    ' (is Gender_identity meant?)'
    """
    by_plain = {re.sub(r"[\W_]", "", own).casefold(): own for own in (*known, *others)}
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


def of_config(rows: pl.DataFrame, config: str) -> pl.DataFrame:
    """Return the rows whose id begins with a config; an id may be nothing else."""
    is_own = rows["id"].str.starts_with(f"{config}-")
    return rows if is_own.all() else rows.filter(is_own | (pl.col("id") == config))


def match(ids: pl.Series, predictions: pl.DataFrame, faults: FaultList) -> Match:
    """Find the scores of each item.

    Args:
        ids: ids of the items.
        predictions: ``id`` and two scores, in any order.
        faults: takes duplicate, unknown and missing ids.
    """
    if len(ids) == len(predictions) and (ids == predictions["id"]).all():
        return _match(predictions, 0)
    own = predictions.unique("id", keep="first", maintain_order=True)
    if len(own) != len(predictions):
        twice = predictions.filter(pl.col("id").is_duplicated())["id"].unique(maintain_order=True)
        faults.add_many(
            "duplicate ids",
            "Keep one row for each question.",
            twice.head(FIRST).to_list(),
            len(predictions) - len(own),
        )
    items = ids.alias("id").to_frame()
    unknown = own.join(items, on="id", how="anti", maintain_order="left")["id"]
    faults.add_many(
        "unknown ids",
        "They are not in the dataset; is it another version?",
        unknown.head(FIRST).to_list(),
        len(unknown),
    )
    joined = items.join(own, on="id", how="left", maintain_order="left", coalesce=True)
    is_missing = joined[SCORES[0]].is_null()
    n_missing = int(is_missing.sum())
    faults.add_many(
        MISSING,
        "Score them, or add --allow-missing to leave their examples out.",
        ids.filter(is_missing).head(FIRST).to_list(),
        n_missing,
    )
    return _match(joined.with_columns(pl.col(SCORES).fill_null(float("nan"))), n_missing)


def _match(rows: pl.DataFrame, n_missing: int) -> Match:
    return Match(rows[SCORES[0]].to_numpy(), rows[SCORES[1]].to_numpy(), n_missing)
