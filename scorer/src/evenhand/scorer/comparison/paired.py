"""Differences of two models on the same clusters, with interval, test and what could be seen."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenhand.scorer.comparable import Comparable, Errors, Flags, Integers, Key
from evenhand.scorer.inference.bounded import GuardedDifference, GuardedError, unseen_of_errors
from evenhand.scorer.inference.clusters import (
    effective_degrees,
    effective_number,
    usable_strata,
)
from evenhand.scorer.inference.distances import DistanceGap
from evenhand.scorer.inference.estimates import (
    ZERO_ERROR,
    Bracket,
    Estimate,
    jackknife,
    unbiased,
)
from evenhand.scorer.inference.families import step_down_max_t
from evenhand.scorer.inference.power import detectable_effect
from evenhand.scorer.inference.resampling import Sampling

Floats = NDArray[np.float64]
Numbers = Mapping[Key, Comparable]
Models = Sequence[tuple[str, Numbers]]


class Difference(NamedTuple):
    """One metric of two models; ``None`` where it cannot be had."""

    key: Key
    model_a: str
    model_b: str
    value_a: float | None
    value_b: float | None
    difference: float | None
    """B less A."""
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    """Two-sided, of no difference; at most alpha if and only if the interval excludes 0."""
    statistic: float = np.nan
    """Distance from 0 in standard errors."""
    clusters: tuple[str, ...] = ()
    """Those that say something about either model."""
    contributions: Floats = np.zeros(0)
    """Of each cluster to the difference, shape [G]."""
    detectable: float | None = None
    """Smallest true difference that a test at this level finds with a power of 0.8."""
    n_effective: float = 0.0
    """Clusters of equal weight that would say as much."""
    exceeds_null: tuple[bool | None, bool | None] = (None, None)
    """Whether A and B are above their null distributions; None where there is none."""
    gap: DistanceGap | None = None
    """How much farther from the best value A is; of values with a best one."""

    @property
    def n_clusters(self) -> int:
        """How many clusters say something about either model."""
        return len(self.clusters)


def differences(models: Models, keys: Sequence[Key], sampling: Sampling) -> list[Difference]:
    """Compare every two models by every key that both have."""
    return [
        difference(key, (name_a, of_a[key]), (name_b, of_b[key]), sampling)
        for key in keys
        for (name_a, of_a), (name_b, of_b) in pairs(models)
        if key in of_a and key in of_b
    ]


def pairs(models: Models) -> Iterator[tuple[tuple[str, Numbers], tuple[str, Numbers]]]:
    """Return every two models, in their order."""
    for place, first in enumerate(models):
        for second in models[place + 1 :]:
            yield first, second


def difference(
    key: Key, a: tuple[str, Comparable], b: tuple[str, Comparable], sampling: Sampling
) -> Difference:
    r"""Estimate by how much a metric of model B differs from that of model A, and test it.

    Both are estimated over the same clusters, so what makes a cluster hard for both cancels: the
    standard error is that of the difference. Of a mean the interval is :math:`d \pm t\,SE`. Of an
    index that is no mean it reaches from the lower end of B less the upper end of A to the upper
    end of B less the lower end of A, so noise of unlike width is no difference.
    """
    one, two = aligned(a[1], b[1])
    used = one.is_used | two.is_used
    value_a, value_b = _value(one, used), _value(two, used)
    clusters = tuple(np.array(one.clusters)[used].tolist())
    nothing = Difference(key, a[0], b[0], value_a, value_b, None, clusters=clusters)
    if value_a is None or value_b is None:
        return nothing
    nothing = nothing._replace(difference=value_b - value_a)
    if len(clusters) < 2:
        return nothing
    pair = _Pair(one, two, used, sampling)
    if pair.is_undefined_without_one:
        return nothing
    low, high = pair.ends() or (None, None)
    contributions = pair.contributions()
    return nothing._replace(
        low=low,
        high=high,
        p_value=pair.p_value(contributions),
        statistic=pair.statistic(),
        contributions=contributions,
        detectable=pair.detectable(),
        n_effective=pair.n_effective,
        exceeds_null=(_exceeds(one, value_a), _exceeds(two, value_b)),
        gap=pair.gap(),
    )


def _value(comparable: Comparable, used: Flags) -> float | None:
    if not used.any():
        return None
    value = comparable.estimator(used)(np.ones((1, int(used.sum()))))[0]
    return None if np.isnan(value) else float(value)


def _exceeds(comparable: Comparable, value: float) -> bool | None:
    return None if comparable.null_95 is None else value > comparable.null_95


class _Pair:
    """The same number of two models over the same clusters."""

    def __init__(self, one: Comparable, two: Comparable, used: Flags, sampling: Sampling) -> None:
        self.one, self.two, self.used, self.sampling = one, two, used, sampling
        self.strata = usable_strata(one.strata[used])
        self.weights = (one.weights + two.weights)[used]
        self.n_effective = effective_number(self.weights)
        self.sides = [self._bracket(side) for side in (one, two)]
        self.difference = self.sides[1] - self.sides[0]
        # Of an index in brackets the plug-in value is the end that is split into no folds.
        self.plug_in = [_plug_in(side) for side in self.sides]
        self.guarded = self._guarded(sign=-1)
        self.freedom = (
            effective_degrees(self.weights, self.strata)
            if self.guarded is None
            else self.guarded.freedom
        )

    def _bracket(self, side: Comparable) -> Bracket:
        if side.bracket is not None:
            return side.bracket(side.sums[self.used], self.strata, self.sampling.seed)
        return unbiased(jackknife(side.estimator(self.used), self.strata, width=side.width))

    def _guarded(self, *, sign: int) -> GuardedError | None:
        """Return the error of B + sign A with what unseen clusters add, of bounded values."""
        if self.one.errors is None or self.two.errors is None or self.is_undefined_without_one:
            return None
        estimate = self.plug_in[1] + self.plug_in[0] * sign
        return GuardedError(
            influence=estimate.influence[0, :, 0],
            weights=self.weights,
            strata=self.strata,
            unseen=_unseen(self.one.errors, self.two.errors, self.used, self.strata, sign),
        )

    @property
    def is_undefined_without_one(self) -> bool:
        """Whether a cluster cannot be left out."""
        return bool(
            any(
                np.isnan(side.influence).any() or np.isnan(side.value).any()
                for side in self.plug_in
            )
        )

    @property
    def limits(self) -> tuple[float, float]:
        """The least and the greatest difference."""
        low, high = self.one.limits
        return low - high, high - low

    def ends(self) -> tuple[float, float] | None:
        """Return the interval; None where all clusters agree on the difference."""
        if self.guarded is not None:
            value = float(self.difference.low.value[0])
            return GuardedDifference(value, self.guarded, self.limits).interval(self.sampling.level)
        if max(float(end.standard_error[0]) for end in self._both_ends) < ZERO_ERROR:
            return None
        ends = self.difference.interval(self.freedom, self.sampling.level)
        low, high = (float(np.clip(end[0], *self.limits)) for end in ends)
        return low, high

    @property
    def _both_ends(self) -> tuple[Estimate, Estimate]:
        return self.difference.low, self.difference.high

    def p_value(self, contributions: Floats) -> float:
        """Return the two-sided p-value, by sign flips where there is no error to divide by."""
        if self.guarded is not None:
            value = float(self.difference.low.value[0])
            p_value = GuardedDifference(value, self.guarded, self.limits).p_value()
        else:
            tested = float(self.difference.p_value(self.freedom)[0])
            p_value = None if np.isnan(tested) else tested
        if p_value is None:
            p_value = step_down_max_t(
                np.array([np.inf]), contributions[:, None], self.sampling
            )[0]  # fmt: skip
        return float(p_value)

    def statistic(self) -> float:
        """Return the distance of the nearer end from 0 in standard errors, not below 0."""
        if self.guarded is not None:
            return _ratio(abs(float(self.difference.low.value[0])), self.guarded.standard_error)
        low, high = self._both_ends
        return max(
            _ratio(float(low.value[0]), float(low.standard_error[0])),
            _ratio(-float(high.value[0]), float(high.standard_error[0])),
            0.0,
        )

    def contributions(self) -> Floats:
        """Return what each cluster adds to the difference, [G]."""
        estimate = self.plug_in[1] - self.plug_in[0]
        share = float(estimate.value[0]) / len(self.strata)
        return np.asarray(estimate.influence[0, :, 0] + share)

    def detectable(self) -> float:
        """Return the smallest difference that would be found four times in five."""
        low, high = self._both_ends
        error = (
            max(float(low.standard_error[0]), float(high.standard_error[0]))
            if self.guarded is None
            else self.guarded.standard_error
        )
        gap = float(high.value[0] - low.value[0])
        return detectable_effect(error, self.freedom, self.sampling.level, gap=gap)

    def gap(self) -> DistanceGap | None:
        """Return how much farther from its best value A is than B."""
        if self.one.best is None or self.two.best is None:
            return None
        a, b = (
            float(estimate.value[0]) - best
            for estimate, best in zip(
                self.plug_in, (self.one.best, self.two.best), strict=True
            )
        )  # fmt: skip
        return DistanceGap(a, b, self._error(-1), self._error(1), self.freedom)

    def _error(self, sign: int) -> float:
        guarded = self._guarded(sign=sign)
        if guarded is not None:
            return guarded.standard_error
        return float((self.plug_in[1] + self.plug_in[0] * sign).standard_error[0])


def _plug_in(bracket: Bracket) -> Estimate:
    return bracket.high if len(bracket.high.influence) == 1 else bracket.low


def _ratio(value: float, error: float) -> float:
    if error < ZERO_ERROR:
        return np.inf if value > ZERO_ERROR else 0.0
    return value / error


def _unseen(a: Errors, b: Errors, used: Flags, strata: Integers, sign: int) -> Floats:
    """Return by how much an unseen cluster may move B + sign A, in the square, by stratum."""
    shares = [np.divide(errors.wrong, errors.rows, out=np.zeros(len(errors.rows)),
                        where=errors.rows > 0) for errors in (a, b)]  # fmt: skip
    rows = (a.rows + b.rows)[used] / 2
    moved = np.abs(shares[1] + sign * shares[0])[used] * rows
    return max(a.n_shares, b.n_shares) * unseen_of_errors(moved, rows, strata)


def aligned(a: Comparable, b: Comparable) -> tuple[Comparable, Comparable]:
    """Return both over the union of their clusters, in one order, zeros where one has none."""
    if a.clusters == b.clusters:
        return a, b
    strata = dict(zip((*a.clusters, *b.clusters), (*a.strata, *b.strata), strict=True))
    names = tuple(sorted(strata, key=lambda name: (strata[name], len(name), name)))
    return _spread(a, names, strata), _spread(b, names, strata)


def _spread(
    comparable: Comparable, names: tuple[str, ...], strata: dict[str, np.int64]
) -> Comparable:
    place = {name: at for at, name in enumerate(names)}
    at = np.array([place[name] for name in comparable.clusters], dtype=np.int64)

    def spread(values: Floats) -> Floats:
        whole = np.zeros((len(names), *values.shape[1:]))
        whole[at] = values
        return whole

    is_used = np.zeros(len(names), dtype=np.bool_)
    is_used[at] = comparable.is_used
    errors = comparable.errors
    return replace(
        comparable,
        clusters=names,
        strata=np.array([strata[name] for name in names], dtype=np.int64),
        sums=spread(comparable.sums),
        is_used=is_used,
        weights=spread(comparable.weights),
        errors=errors and Errors(spread(errors.wrong), spread(errors.rows), errors.n_shares),
    )
