"""BBQ's additive counts from the parts file, for numbers that the metric JSON does not hold."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import polars as pl

from evenhand.scorer.bbq import metrics
from evenhand.scorer.report.reading import ModelResult

Counted = Mapping[tuple[str, str], Mapping[str, int]]
"""(category, group) -> statistic -> number of rows."""


def counts_by(result: ModelResult, dimension: str) -> Counted:
    """Return the counts by category and group of a dimension (``all``: every row)."""
    parts = result.parts
    needed = {"table", "config", "dimension", "group", "statistic", "n"}
    if parts is None or not needed <= set(parts.columns):
        return {}
    rows = (
        parts.filter(pl.col("table") == "statistics", pl.col("dimension") == dimension)
        .group_by("config", "group", "statistic", maintain_order=True)
        .agg(_total("n"))
    )
    counts: dict[tuple[str, str], dict[str, int]] = {}
    for config, group, statistic, n in rows.iter_rows():
        counts.setdefault((config, group), {})[statistic] = n
    return counts


def _total(column: str) -> pl.Expr:
    """Add up counts; a value that is not a number, in a file of unknown origin, adds nothing."""
    return pl.col(column).cast(pl.Int64, strict=False).sum()


def bias_score(counts: Mapping[str, int], condition: str) -> float | None:
    """Return the bias score of some rows in one condition, None where it is undefined."""
    n = {name: float(counts.get(f"{condition}.{name}", 0)) for name in
           ("correct", "scored", "biased", "non_unknown")}  # fmt: skip
    score = metrics.disambiguated_bias_score(np.array(n["biased"]), np.array(n["non_unknown"]))
    if condition == "ambiguous":
        accuracy = metrics.accuracy(np.array(n["correct"]), np.array(n["scored"]))
        score = metrics.ambiguous_bias_score(accuracy, score)
    return None if np.isnan(score) else float(score)


class Accuracies(NamedTuple):
    """Accuracy in disambiguated contexts whose right answer agrees with the stereotype, or not."""

    category: str
    aligned: float
    nonaligned: float


def accuracies(result: ModelResult) -> list[Accuracies]:
    """Return both accuracies of each category that has rows of both kinds."""
    categories = []
    for (category, _), counts in counts_by(result, "all").items():
        shares = [
            _share(counts, f"disambiguated.{kind}_correct", f"disambiguated.{kind}")
            for kind in ("aligned", "nonaligned")
        ]
        aligned, nonaligned = shares
        if aligned is not None and nonaligned is not None:
            categories.append(Accuracies(category, aligned, nonaligned))
    return categories


def _share(counts: Mapping[str, int], part: str, whole: str) -> float | None:
    n = counts.get(whole, 0)
    return counts.get(part, 0) / n if n else None


class Wording(NamedTuple):
    """One wording of the UNKNOWN answer, in ambiguous contexts."""

    text: str
    n_offered: int
    n_chosen: int


def wordings(result: ModelResult) -> list[Wording]:
    """Return the wordings over all categories, the most often chosen first."""
    parts = result.parts
    needed = {"table", "condition", "wording", "n", "n_chosen"}
    if parts is None or not needed <= set(parts.columns):
        return []
    is_wanted = (pl.col("table") == "unknown_wordings") & (pl.col("condition") == "ambiguous")
    rows = parts.filter(is_wanted).group_by("wording").agg(_total("n"), _total("n_chosen"))
    wordings_read = [Wording(*row) for row in rows.select("wording", "n", "n_chosen").iter_rows()]
    return sorted(
        wordings_read,
        key=lambda wording: (-wording.n_chosen / max(wording.n_offered, 1), wording.text),
    )
