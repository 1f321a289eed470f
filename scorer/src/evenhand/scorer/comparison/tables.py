"""From metric files to the two tables that ``compare`` prints."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenhand.contract import WrongUse
from evenhand.scorer import statistics
from evenhand.scorer.comparable import Comparable, Key, build_comparables
from evenhand.scorer.comparison.guards import refuse_unlike, refuse_without_parts
from evenhand.scorer.comparison.paired import Difference, benjamini_hochberg, differences
from evenhand.scorer.comparison.ranks import ranks
from evenhand.scorer.outcome import Rows
from evenhand.scorer.report.reading import ModelResult, read_results
from evenhand.scorer.statistics import Sampling

Floats = NDArray[np.float64]
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
        differences=_difference_rows(compared, sampling.level),
        ranks=_rank_rows(models, keys, sampling) if by is None and len(models) > 2 else [],
        warnings=[*warnings, *_few(compared, sampling.level)],
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
        for side in ("a", "b", "model"):
            if side in short:
                short[side] = letters[short[side]]
        if "verdict" in short:
            higher = next((n for n in letters if short["verdict"] == f"{n} is higher"), None)
            short["verdict"] = f"{letters[higher]} is higher" if higher else short["verdict"]
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


def _difference_rows(compared: list[Difference], level: float) -> Rows:
    """Return one row a difference, corrected over the rows of one metric and config."""
    corrected: dict[int, tuple[float, float]] = {}
    families: dict[tuple[str, str], list[int]] = {}
    for place, difference in enumerate(compared):
        families.setdefault((difference.key.config, difference.key.metric), []).append(place)
    for places in families.values():
        p_values = np.array([_nan(compared[place].p_value) for place in places])
        both = zip(statistics.holm(p_values), benjamini_hochberg(p_values), strict=True)
        corrected.update(zip(places, both, strict=True))
    return [_row(difference, corrected[place], level) for place, difference in enumerate(compared)]


def _row(difference: Difference, corrected: tuple[float, float], level: float) -> dict[str, object]:
    holm, bh = (None if np.isnan(value) else float(value) for value in corrected)
    return {
        "config": difference.key.config,
        "metric": difference.key.metric,
        **({difference.key.dimension: difference.key.group} if difference.key.dimension else {}),
        "a": difference.model_a,
        "b": difference.model_b,
        "value_a": difference.value_a,
        "value_b": difference.value_b,
        "b_less_a": difference.difference,
        "low": None if difference.bounds is None else float(difference.bounds.low),
        "high": None if difference.bounds is None else float(difference.bounds.high),
        "p": difference.p_value,
        "p_holm": holm,
        "p_bh": bh,
        "detectable": difference.detectable,
        "n_clusters": difference.n_clusters,
        "verdict": verdict(difference, holm, level),
    }


def verdict(difference: Difference, p_holm: float | None, level: float) -> str:
    """Say in words what a difference shows.

    >>> key = Key("all", "bbq.accuracy.ambiguous.macro")
    >>> verdict(Difference(key, "a", "b", 0.5, 0.7, 0.2, None, 0.001, 0.1, 40), 0.002, 0.95)
    'b is higher'
    """
    if difference.difference is None:
        return "undefined"
    if p_holm is None or smallest_p_value(difference.n_clusters) > 1 - level:
        return "too few clusters to say"
    if p_holm > 1 - level:
        return "no difference shown"
    return f"{difference.model_b if difference.difference > 0 else difference.model_a} is higher"


def smallest_p_value(n_clusters: int) -> float:
    """Return the least p-value that swapping clusters can give.

    >>> smallest_p_value(5), smallest_p_value(6)
    (0.0625, 0.03125)
    """
    return float(2.0 ** (1 - n_clusters))


def _few(compared: list[Difference], level: float) -> list[str]:
    """Say once for how many rows no verdict was possible."""
    few = [
        difference for difference in compared if smallest_p_value(difference.n_clusters) > 1 - level
    ]
    if not few:
        return []
    least = min(difference.n_clusters for difference in few)
    sentence = (
        f"{len(few)} of {len(compared)} differences rest on so few clusters (from {least}) that no"
        f" p-value can fall below {1 - level:.2g}; their intervals stand, their tests say nothing."
    )
    return [sentence]


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


def _nan(value: float | None) -> float:
    return float("nan") if value is None else value
