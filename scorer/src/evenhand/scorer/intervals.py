"""The interval of a value as the metric JSON has it, or why there is none."""

from typing import NamedTuple

import numpy as np

from evenhand.contract.report import AGREEMENT, Interval
from evenhand.scorer.inference.bounded import agreement_bound
from evenhand.scorer.statistics import FEW_CLUSTERS, Bounds, Sampling

NO_VALUE = "There is no value to be sure of."


class Sure(NamedTuple):
    """How sure a value is; one of the two is None."""

    interval: Interval | None
    why_none: str | None


class Clusters(NamedTuple):
    """What a value is made of."""

    n: int
    """How many clusters say something about it."""
    name: str
    """What one is, e.g. ``question``."""
    limits: tuple[float, float]
    """The least and the greatest value of the metric."""
    n_agreeing: int | None = None
    """Of a mean, how many clusters it is taken over, so that their agreement says how far it may be
    from the truth; None where the value is no mean."""
    n_effective: float | None = None
    """How many clusters of equal weight would say as much; None where all weigh alike."""

    @property
    def are_few(self) -> bool:
        """Whether so few clusters carry the value that its interval is flagged."""
        return (self.n if self.n_effective is None else self.n_effective) < FEW_CLUSTERS


def sure_of(
    value: float | None,
    bounds: Bounds | None,
    place: int | None,
    clusters: Clusters,
    sampling: Sampling,
    *,
    scale: float = 1.0,
) -> Sure:
    """Return the interval of one value.

    Args:
        value: in the metric's unit.
        bounds: of all values that were resampled together; None where nothing was.
        place: of this one among them; None where it is the only one.
        clusters: what it is made of.
        sampling: how was resampled.
        scale: from the unit of the bounds to that of the metric.
    """
    if value is None:
        return Sure(None, NO_VALUE)
    if bounds is None:
        return Sure(None, f"An interval needs two {clusters.name}s; {_few(clusters)} of it.")
    low, high, is_flat, all_agree = (
        side if place is None else side[place]
        for side in (bounds.low, bounds.high, bounds.is_flat, bounds.all_agree)
    )
    method, n_resamples, n = bounds.method, bounds.n_resamples, clusters.n
    low, high = float(low) * scale, float(high) * scale
    if all_agree:
        if clusters.n_agreeing is None:
            return Sure(None, _unanimous(clusters))
        method, n_resamples, n = AGREEMENT, 0, clusters.n_agreeing
        low, high = agreement_bound(value, n, level=sampling.level, limits=clusters.limits)
    elif is_flat:
        return Sure(None, _even(clusters))
    if np.isnan(low) or np.isnan(high):
        return Sure(None, _undefined(bounds, clusters))
    low, high = (float(np.clip(end, *clusters.limits)) for end in (low, high))
    interval = Interval(
        low=low,
        high=high,
        level=sampling.level,
        method=method,
        n_resamples=n_resamples,
        seed=sampling.seed,
        cluster=clusters.name,
        n_clusters=n,
        few_clusters=clusters.are_few,
    )
    return Sure(interval, None)


def _few(clusters: Clusters) -> str:
    return f"one {clusters.name} alone speaks" if clusters.n == 1 else "none speaks"


def _unanimous(clusters: Clusters) -> str:
    return f"All {clusters.n} {clusters.name}s agree, so no resampling of them can vary."


def _even(clusters: Clusters) -> str:
    return (
        f"Leaving out any one of the {clusters.n} {clusters.name}s moves it alike, from which no"
        " error can be told."
    )


def _undefined(bounds: Bounds, clusters: Clusters) -> str:
    if bounds.n_resamples:
        return f"Some resamples of the {clusters.n} {clusters.name}s leave it undefined."
    return f"Without one of the {clusters.n} {clusters.name}s it is undefined."
