"""BBQ's additive counts from the parts file: what the metric JSON has no room for."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import polars as pl

from evenhand.scorer.bbq import metrics
from evenhand.scorer.report.reading import ModelResult

Counted = Mapping[tuple[str, str], Mapping[str, int]]
"""(category, group) -> statistic -> rows."""


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
    found: dict[tuple[str, str], dict[str, int]] = {}
    for config, group, statistic, n in rows.iter_rows():
        found.setdefault((config, group), {})[statistic] = n
    return found


def _total(column: str) -> pl.Expr:
    """Add up counts; what is no count, in a file that somebody sent, counts for nothing."""
    return pl.col(column).cast(pl.Int64, strict=False).sum()


def bias_score(counts: Mapping[str, int], condition: str) -> float | None:
    """Return the bias score of some rows in one condition, None where it is undefined."""
    own = {name: float(counts.get(f"{condition}.{name}", 0)) for name in
           ("correct", "scored", "biased", "non_unknown")}  # fmt: skip
    score = metrics.disambiguated_bias_score(np.array(own["biased"]), np.array(own["non_unknown"]))
    if condition == "ambiguous":
        accuracy = metrics.accuracy(np.array(own["correct"]), np.array(own["scored"]))
        score = metrics.ambiguous_bias_score(accuracy, score)
    return None if np.isnan(score) else float(score)


class Accuracies(NamedTuple):
    """Accuracy in disambiguated contexts where the right answer agrees, and where it does not."""

    category: str
    aligned: float
    nonaligned: float


def accuracies(result: ModelResult) -> list[Accuracies]:
    """Return both accuracies of each category that has rows of both kinds."""
    found = []
    for (category, _), counts in counts_by(result, "all").items():
        shares = [
            _share(counts, f"disambiguated.{kind}_correct", f"disambiguated.{kind}")
            for kind in ("aligned", "nonaligned")
        ]
        aligned, nonaligned = shares
        if aligned is not None and nonaligned is not None:
            found.append(Accuracies(category, aligned, nonaligned))
    return found


def _share(counts: Mapping[str, int], part: str, whole: str) -> float | None:
    n = counts.get(whole, 0)
    return counts.get(part, 0) / n if n else None


class Wording(NamedTuple):
    """One wording of the answer that it cannot be known, in ambiguous contexts."""

    text: str
    n_offered: int
    n_chosen: int


def wordings(result: ModelResult) -> list[Wording]:
    """Return the wordings over all categories, the most chosen first."""
    parts = result.parts
    needed = {"table", "condition", "wording", "n", "n_chosen"}
    if parts is None or not needed <= set(parts.columns):
        return []
    is_wanted = (pl.col("table") == "unknown_wordings") & (pl.col("condition") == "ambiguous")
    rows = parts.filter(is_wanted).group_by("wording").agg(_total("n"), _total("n_chosen"))
    found = [Wording(*row) for row in rows.select("wording", "n", "n_chosen").iter_rows()]
    return sorted(found, key=lambda own: (-own.n_chosen / max(own.n_offered, 1), own.text))
