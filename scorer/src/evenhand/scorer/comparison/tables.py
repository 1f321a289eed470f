"""From metric files to the two tables that ``compare`` prints."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from evenhand.contract import WrongUse
from evenhand.scorer import statistics
from evenhand.scorer.comparable import Comparable, Key, build_comparables
from evenhand.scorer.comparison.guards import refuse_unlike, refuse_without_parts
from evenhand.scorer.comparison.paired import Difference, differences
from evenhand.scorer.comparison.ranks import ranks
from evenhand.scorer.comparison.verdicts import (
    Corrected,
    better,
    corrected,
    verdict,
    warnings_of,
)
from evenhand.scorer.outcome import Rows
from evenhand.scorer.report.reading import ModelResult, read_results
from evenhand.scorer.statistics import Sampling

Models = list[tuple[str, dict[Key, Comparable]]]


class Comparison(NamedTuple):
    """What came out, for people."""

    differences: Rows
    ranks: Rows
    warnings: list[str]


def compare(
    paths: Sequence[Path],
    *,
    metrics: Sequence[str] = (),
    by: str | None = None,
    anyway: Sequence[str] = (),
    sampling: Sampling = statistics.DEFAULT_SAMPLING,
) -> Comparison:
    """Compare every two of several metric files.

    Args:
        paths: metric JSONs, each with its parts beside it.
        metrics: beginnings of metric ids; empty: all.
        by: a dimension, to compare its groups; None for the metrics themselves.
        anyway: parts that may differ, of :data:`~evenhand.scorer.comparison.guards.ANYWAY`.
        sampling: seed, resamples and level.

    Raises:
        DataRefused: the files cannot be compared.
        WrongUse: a metric or dimension that they do not have.
    """
    results = read_results(list(paths))
    warnings = refuse_unlike(results, anyway)
    refuse_without_parts(results)
    models = [(result.label, _comparables(result)) for result in results]
    keys = _wanted(models, metrics, by)
    compared = differences(models, keys, sampling)
    return Comparison(
        differences=_difference_rows(compared, models, sampling),
        ranks=_rank_rows(models, keys, sampling) if by is None and len(models) > 2 else [],
        warnings=[*warnings, *warnings_of(compared, sampling)],
    )


def for_people(comparison: Comparison) -> list[Rows]:
    """Return three tables: letters of the models, differences and ranks with these letters.

    What a person rarely needs (the uncorrected p-value, the constant config) is left out.
    """
    names = dict.fromkeys(row[side] for row in comparison.differences for side in ("a", "b"))
    letters = {name: _letter(place) for place, name in enumerate(names)}
    configs = {row["config"] for row in comparison.differences}
    left_out = {"p", "n_clusters"} | ({"config"} if len(configs) == 1 else set())

    def short(row: dict[str, Any]) -> dict[str, Any]:
        short = {name: value for name, value in row.items() if name not in left_out}
        for side in ("a", "b", "model", "better"):
            if short.get(side) is not None:
                short[side] = letters[short[side]]
        if "verdict" in short:
            # The longer name first, for one may be part of another.
            for name in sorted(letters, key=len, reverse=True):
                short["verdict"] = short["verdict"].replace(f"{name} is ", f"{letters[name]} is ")
        return short

    models: Rows = [{"model": letter, "name": name} for name, letter in letters.items()]
    tables = (_once(comparison.differences), comparison.ranks)
    return [models, *([short(row) for row in rows] for rows in tables)]


def _once(rows: Rows) -> Rows:
    """Leave out the mean of the categories where a row is of one category alone.

    There it is the value of all rows together, which stands in a row of its own.
    """
    pooled = {row["metric"] for row in rows if "category" in row}
    return [
        row
        for row in rows
        if "category" not in row
        or not row["metric"].endswith(".macro")
        or f"{row['metric'].removesuffix('.macro')}.pooled" not in pooled
    ]


def _letter(place: int) -> str:
    """Return A to Z, then A2 to Z2 and so on."""
    turn, letter = divmod(place, 26)
    return chr(ord("A") + letter) + (str(turn + 1) if turn else "")


def _comparables(result: ModelResult) -> dict[Key, Comparable]:
    return {} if result.parts is None else build_comparables(result.parts, result.report)


def _wanted(models: Models, metrics: Sequence[str], by: str | None) -> list[Key]:
    """Return the keys that were asked for, in the order of the first file."""
    known = list(dict.fromkeys(key for _, numbers in models for key in numbers))
    dimensions = sorted({key.dimension for key in known if key.dimension})
    if by is not None and by not in dimensions:
        raise WrongUse(f"There is no --by {by}; there are: {', '.join(dimensions)}.")
    ids = sorted({key.metric for key in known})
    for name in metrics:
        if not any(metric.startswith(name) for metric in ids):
            raise WrongUse(f"There is no metric {name}; there are: {', '.join(ids)}.")
    return [
        key
        for key in known
        if key.dimension == by and (not metrics or key.metric.startswith(tuple(metrics)))
    ]


def _difference_rows(compared: list[Difference], models: Models, sampling: Sampling) -> Rows:
    """Return one row a difference, corrected over the rows of one metric and config."""
    numbers = dict(models)
    return [
        _row(difference, p_values, sampling)
        | {"better": better(difference, p_values, numbers, sampling)}
        for difference, p_values in zip(compared, corrected(compared, sampling), strict=True)
    ]


def _row(difference: Difference, p_values: Corrected, sampling: Sampling) -> dict[str, object]:
    return {
        "config": difference.key.config,
        "metric": difference.key.metric,
        **({difference.key.dimension: difference.key.group} if difference.key.dimension else {}),
        "a": difference.model_a,
        "b": difference.model_b,
        "value_a": difference.value_a,
        "value_b": difference.value_b,
        "b_less_a": difference.difference,
        "low": difference.low,
        "high": difference.high,
        "p": difference.p_value,
        "p_family": _known(p_values.family),
        "p_bh": _known(p_values.discovery),
        "detectable": difference.detectable,
        "n_clusters": difference.n_clusters,
        "verdict": verdict(difference, p_values.family, sampling),
    }


def _known(value: float) -> float | None:
    return None if np.isnan(value) else value


def _rank_rows(models: Models, keys: Sequence[Key], sampling: Sampling) -> Rows:
    return [
        {
            "config": rank.key.config,
            "metric": rank.key.metric,
            "model": rank.model,
            "value": rank.value,
            "rank": rank.rank,
            "rank_low": rank.low,
            "rank_high": rank.high,
            "share_first": rank.share_first,
        }
        for key in keys
        for rank in ranks(models, key, sampling)
    ]
