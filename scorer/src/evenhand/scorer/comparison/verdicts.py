"""What differences show, in words: which model is higher, and which is better."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenhand.scorer.comparable import Comparable, Key
from evenhand.scorer.comparison.paired import Difference, difference
from evenhand.scorer.inference.families import (
    benjamini_hochberg,
    holm,
    least_p_value,
    step_down_max_t,
)
from evenhand.scorer.inference.resampling import Sampling

Floats = NDArray[np.float64]

TOO_FEW = "too few clusters to say"
NO_DIFFERENCE = "no difference shown"
NEITHER_ABOVE_NULL = "neither above its null distribution: no verdict"
UNDEFINED = "undefined"


class Corrected(NamedTuple):
    """p-values of one difference, corrected over its family; NaN where there is none."""

    family: float
    """By step-down max-T: that no difference of the family is called one by chance."""
    discovery: float
    """By Benjamini and Hochberg: for the share of false ones among those found."""
    gap: float
    """By Holm, of equal distances from the best value."""


def corrected(compared: Sequence[Difference], sampling: Sampling) -> list[Corrected]:
    """Correct the tests of each family: the rows that share a metric and a config."""
    families: dict[tuple[str, str], list[int]] = {}
    for place, one in enumerate(compared):
        families.setdefault((one.key.config, one.key.metric), []).append(place)
    found: dict[int, Corrected] = {}
    for places in families.values():
        members = [compared[place] for place in places]
        found.update(zip(places, _corrected(members, sampling), strict=True))
    return [found[place] for place in range(len(compared))]


def _corrected(family: Sequence[Difference], sampling: Sampling) -> list[Corrected]:
    raw = np.array([_nan(member.p_value) for member in family])
    if len(family) == 1:  # nothing to correct for
        by_flips = raw
    else:
        statistics = np.array(
            [np.nan if member.p_value is None else member.statistic for member in family]
        )
        flips = step_down_max_t(statistics, _contributions(family), sampling)
        by_flips = np.maximum(raw, flips)  # no correction makes a single test surer
    gaps = holm(np.array([_nan(member.gap.p_value()) if member.gap else np.nan
                          for member in family]))  # fmt: skip
    rows = zip(by_flips, benjamini_hochberg(raw), gaps, strict=True)
    return [Corrected(*(float(p_value) for p_value in row)) for row in rows]


def _contributions(family: Sequence[Difference]) -> Floats:
    """Return what each cluster adds to each difference, [G, K]; NaN where it says nothing."""
    names = {name: None for member in family for name in member.clusters}
    place = {name: at for at, name in enumerate(names)}
    contributions = np.full((len(names), len(family)), np.nan)
    for column, member in enumerate(family):
        if len(member.contributions):
            contributions[[place[name] for name in member.clusters], column] = member.contributions
    return contributions


def verdict(compared: Difference, p_family: float, sampling: Sampling) -> str:
    """Say in words what a difference shows.

    >>> key = Key("all", "bbq.accuracy.ambiguous.macro")
    >>> clusters = tuple(f"q{place}" for place in range(40))
    >>> higher = Difference(key, "a", "b", 0.5, 0.7, 0.2, p_value=0.001, clusters=clusters)
    >>> verdict(higher, 0.002, Sampling()), verdict(higher, 0.2, Sampling())
    ('b is higher', 'no difference shown')
    """
    alpha = 1 - sampling.level
    if compared.difference is None:
        return UNDEFINED
    if np.isnan(p_family) or _is_too_few(compared, sampling):
        return TOO_FEW
    if compared.exceeds_null == (False, False):
        return NEITHER_ABOVE_NULL
    if p_family <= alpha:
        name = compared.model_b if compared.difference > 0 else compared.model_a
        return f"{name} is higher"
    if set(compared.exceeds_null) == {True, False}:
        name = compared.model_a if compared.exceeds_null[0] else compared.model_b
        return f"only {name} is above its null distribution; a difference is not shown"
    return NO_DIFFERENCE


def _is_too_few(compared: Difference, sampling: Sampling) -> bool:
    """Whether no pattern of signs is rare enough, or too few clusters have most of the weight."""
    n = compared.n_clusters
    return n < 2 or least_p_value(n, sampling) > 1 - sampling.level


def better(
    compared: Difference, corrected_p: Corrected, models: Mapping[str, Mapping[Key, Comparable]],
    sampling: Sampling,
) -> str | None:  # fmt: skip
    """Return the model that is surely nearer to the best value, or None.

    A signed value is no better for being lower: +.2 and -.2 are equally far from 0. Nor is a model
    that is significantly worse at what guards the metric: who names nobody has no bias.
    """
    told = verdict(compared, corrected_p.family, sampling)
    gap = compared.gap
    if gap is None or told in {UNDEFINED, TOO_FEW, NEITHER_ABOVE_NULL}:
        return None
    a, b = compared.model_a, compared.model_b
    comparable = models[a][compared.key]
    is_inside = comparable.best is not None and (
        comparable.limits[0] < comparable.best < comparable.limits[1]
    )
    p_value = corrected_p.gap if is_inside else corrected_p.family
    if np.isnan(p_value) or p_value > 1 - sampling.level or gap.value == 0:
        return None
    nearer, other = (a, b) if gap.value < 0 else (b, a)
    if _is_worse(nearer, other, comparable.guard, models, sampling):
        return None
    return nearer


def _is_worse(
    nearer: str,
    other: str,
    guard: Key | None,
    models: Mapping[str, Mapping[Key, Comparable]],
    sampling: Sampling,
) -> bool:
    """Whether a model is significantly below another in the number that guards a metric."""
    if guard is None or guard not in models[nearer] or guard not in models[other]:
        return False
    guarding = difference(
        guard, (other, models[other][guard]), (nearer, models[nearer][guard]), sampling
    )
    return (
        guarding.difference is not None
        and guarding.difference < 0
        and guarding.p_value is not None
        and guarding.p_value <= 1 - sampling.level
    )


def warnings_of(compared: Sequence[Difference], sampling: Sampling) -> list[str]:
    """Say once for how many rows no verdict was possible."""
    few = [one for one in compared if one.difference is not None and _is_too_few(one, sampling)]
    if not few:
        return []
    least = min(one.n_clusters for one in few)
    sentence = (
        f"{len(few)} of {len(compared)} differences rest on so few clusters (from {least}) that no"
        f" corrected p-value can fall below {1 - sampling.level:.2g}; their intervals stand, but no"
        " verdict is given."
    )
    return [sentence]


def _nan(value: float | None) -> float:
    return float("nan") if value is None else value
