"""Writes BVF's metrics as records: value, interval, test, null reference, and the same by group."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evenhand.contract import CONTRACT_VERSION
from evenhand.contract.report import (
    GroupValue,
    Metric,
    NullReference,
    signature,
)
from evenhand.scorer import __version__, statistics
from evenhand.scorer.bvf import null_references, specs
from evenhand.scorer.bvf.criteria import KNOWLEDGE
from evenhand.scorer.bvf.distributions import spread
from evenhand.scorer.bvf.estimates import Estimates, Layout, estimate_values
from evenhand.scorer.bvf.regressions import (
    Points,
    Regression,
    factor_points,
    has_statsmodels,
    regression,
)
from evenhand.scorer.bvf.results import Scored
from evenhand.scorer.bvf.specs import (
    NOTHING_SCORED,
    RISKS,
    BvfMetric,
    Direction,
    Risk,
    Slope,
    Summary,
)
from evenhand.scorer.bvf.sums import WEIGHT, Sums
from evenhand.scorer.intervals import NO_VALUE, Clusters, Sure, sure_of
from evenhand.scorer.provenance import Provenance

Floats = NDArray[np.float64]

NOT_RESAMPLED = "Only the metric's main value is resampled over contexts."
_ROUNDING = 1e-12
"""How far rounding can put a value outside its range; e.g. Jensen's inequality keeps R^v >= 0."""


def topic_metrics(scored: Scored, provenance: Provenance) -> list[Metric]:
    """Return all metrics of one topic."""
    points = factor_points(scored.facts) if has_statsmodels() else {}
    return MetricWriter(scored, points, provenance).metrics()


class MetricWriter:
    """Turns the scores of one topic into metrics."""

    def __init__(
        self, scored: Scored, points: Mapping[str, Points], provenance: Provenance
    ) -> None:
        self.scored, self.points, self.provenance = scored, points, provenance
        self.layout = Layout(
            len(scored.subjects),
            len(scored.classes),
            tuple(points),
            tuple(
                (spec, variant)
                for spec in specs.METRICS
                if isinstance(spec, Summary)
                for variant in spec.parts
            ),
        )
        self.estimates = estimate_values(scored.sums, self.layout, points, provenance.sampling)
        self.n_scored = int(scored.is_scored.sum())

    def metrics(self) -> list[Metric]:
        """Return all metrics, in the order of their declarations."""
        return [metric for spec in specs.METRICS for metric in self._metrics_for(spec)]

    def _metrics_for(self, spec: BvfMetric) -> Iterator[Metric]:
        shelf, is_code = self.scored.criterion.shelf, self.provenance.protocol == "code"
        if isinstance(spec, Direction):
            yield from (self._direction(spec, code) for code in range(len(self.scored.classes)))
        elif isinstance(spec, Risk):
            # The reference code has no other risks than the normalised ones.
            if spec.shelf == shelf and (spec.is_normalised or not is_code):
                yield self._risk(spec)
        elif shelf == "paper":
            if isinstance(spec, Slope):
                yield from self._slopes(spec)
            else:
                yield from (self._summary(spec, variant) for variant in spec.parts)

    def _risk(self, spec: Risk) -> Metric:
        """Return a risk; where it is normalised, also by subject and by word order."""
        scale = 1.0 if spec.is_normalised else self.scored.criterion.largest
        null = self._null_references[spec.part] if spec.shelf == "paper" else None
        scaled = null and NullReference(
            mean=null.mean * scale,
            quantile_95=null.quantile_95 * scale,
            method=null.method,
            n_draws=null.n_draws,
        )
        return self._metric(
            spec,
            self.layout.overall(spec.part),
            limits=spec.range or (0.0, scale),
            null=scaled,
            scale=scale,
            by=self._parts_of_risk(spec),
            is_mean=spec.part == 0,
        )

    def _parts_of_risk(self, spec: Risk) -> dict[str, dict[str, GroupValue]]:
        if spec.range is None:
            return {}
        places, is_mean = self.layout.subjects(spec.part), spec.part == 0
        by = {"subject": self._by_subject(places, spec.range, is_mean=is_mean)}
        if spec.shelf == "paper" and len(self.scored.orders) > 1:
            by["order"] = self._by_order(spec.part, spec.range)
        return by

    def _direction(self, spec: Direction, code: int) -> Metric:
        """Return the mean preference for a class, over subjects and by subject."""
        limits = (-1.0, float(1 / self.scored.p_star[code] - 1))
        places = self.layout.directions(code)
        by = {"subject": self._by_subject(places, limits, is_mean=True, is_tested=True)}
        return self._metric(
            spec,
            self.layout.direction(code),
            variant=self.scored.classes[code],
            limits=limits,
            by=by,
            is_mean=True,
        )

    def _summary(self, spec: Summary, variant: str) -> Metric:
        """Return a summary of a risk over subjects, with its distribution where the spec asks."""
        n, by = len(self.scored.subjects), {}
        if spec.is_spread:
            values = spread(self.estimates.value[self.layout.subjects(spec.parts[variant])])
            by = {
                name: GroupValue(value=value, n_scored=n, why_no_interval=NOT_RESAMPLED)
                for name, value in values.items()
            }
        assert spec.range is not None
        return self._metric(
            spec,
            self.layout.summary(spec, variant),
            variant=variant,
            limits=spec.range,
            by={"statistic": by} if by else {},
        )

    def _slopes(self, spec: Slope) -> Iterator[Metric]:
        """Yield the regression of each risk on each factor."""
        risks = [self.estimates.value[self.layout.subjects(risk)] for risk in range(3)]
        fits = {
            (factor, risk): regression(points, values)
            for factor, points in self.points.items()
            for risk, values in enumerate(risks)
        }
        p_holm = {
            risk: statistics.holm(_p_values([fits[name, risk] for name in self.points]))
            for risk in range(3)
        }
        n_rows = self.scored.n_by_subject
        for at, (factor, points) in enumerate(self.points.items()):
            # Slope weights add up to 0, so for risks from 0 to 1 no slope is steeper than half of
            # their absolute sum.
            steepest = float(np.abs(points.slope_weights).sum() / 2)
            yield self._metric(
                spec,
                self.layout.slope(at, 0),
                variant=factor,
                limits=(-steepest, steepest),
                by={
                    name: _fit_rows(fits[factor, risk], len(points.subjects), p_holm[risk][at])
                    for risk, name in enumerate(RISKS)
                },
                n_scored=int(n_rows[points.subjects].sum()),
            )

    @cached_property
    def _null_references(self) -> list[NullReference | None]:
        scored, sampling = self.scored, self.provenance.sampling
        is_scored, sums, p_star = scored.is_scored, scored.sums, scored.p_star
        rows = null_references.ScoredRows(
            subject=scored.subject[is_scored],
            n_answers=scored.probabilities.n_answers[is_scored],
            weight=scored.items["weight"].to_numpy()[is_scored],
            p=scored.probabilities.p[is_scored],
        )
        total, volatility = null_references.risk_references(sums, rows, p_star, sampling)
        return [total, null_references.bias_reference(sums, p_star, sampling), volatility]

    def _by_subject(
        self,
        places: slice,
        limits: tuple[float, float],
        *,
        is_mean: bool,
        is_tested: bool = False,
    ) -> dict[str, GroupValue]:
        scored, estimates = self.scored, self.estimates
        p_holm = statistics.holm(estimates.p_value[places])
        # A context counts for a subject if at least one of its rows is scored.
        n_contexts = (scored.sums.values[..., WEIGHT] > 0).sum(axis=0)
        at = range(*places.indices(len(estimates.value)))
        sure = [
            self._sure(estimates, place, limits, n_agreeing=int(n) if is_mean else None)
            for place, n in zip(at, n_contexts, strict=True)
        ]
        return {
            subject: GroupValue(
                value=_number_or_none(_clip_rounding(estimates.value[place], limits)),
                n_scored=int(n),
                why_null=None if n else f"No row about {subject!r} is scored.",
                interval=one.interval,
                why_no_interval=one.why_none,
                p_value=_number_or_none(estimates.p_value[place]) if is_tested else None,
                p_holm=_number_or_none(corrected) if is_tested else None,
            )
            for subject, n, corrected, place, one in zip(
                scored.subjects, scored.n_by_subject, p_holm, at, sure, strict=True
            )
        }

    def _by_order(self, risk: int, limits: tuple[float, float]) -> dict[str, GroupValue]:
        """Return a risk for each position of the slot."""
        scored, place = self.scored, self.layout.overall(risk)
        by_order = {}
        for order in scored.orders:
            is_in_order = (scored.items["order"] == order).to_numpy()
            layout = self.layout._replace(factors=())
            sums = scored.partial_sums(is_in_order)
            values = estimate_values(sums, layout, {}, self.provenance.sampling)
            value = _number_or_none(_clip_rounding(values.value[place], limits))
            n_agreeing = values.n_clusters if risk == 0 else None
            sure = self._sure(values, place, limits, n_agreeing=n_agreeing)
            by_order[order] = GroupValue(
                value=value,
                n_scored=int((is_in_order & scored.is_scored).sum()),
                why_null=None if value is not None else self._why_null(sums),
                interval=sure.interval,
                why_no_interval=sure.why_none,
            )
        return by_order

    def _metric(
        self,
        spec: BvfMetric,
        place: int,
        *,
        limits: tuple[float, float],
        variant: str = "",
        null: NullReference | None = None,
        by: dict[str, dict[str, GroupValue]] | None = None,
        scale: float = 1.0,
        n_scored: int | None = None,
        is_mean: bool = False,
    ) -> Metric:
        value = _number_or_none(_clip_rounding(self.estimates.value[place] * scale, limits))
        n_agreeing = self.estimates.n_clusters if is_mean else None
        sure = self._sure(self.estimates, place, limits, scale, n_agreeing)
        metric_id = spec.id_for(variant)
        return Metric(
            id=metric_id,
            config=self.scored.config,
            value=value,
            unit=spec.unit.format(variant),
            range=limits,
            best=spec.best,
            n_scored=self.n_scored if n_scored is None else n_scored,
            n_unscored=len(self.scored.items) - self.n_scored,
            signature=self._signature(metric_id),
            shelf=self.scored.criterion.shelf,
            why_null=None if value is not None else self._why_null(self.scored.sums),
            interval=sure.interval,
            why_no_interval=sure.why_none,
            null_reference=null,
            by=by or {},
        )

    def _why_null(self, sums: Sums) -> str:
        """Name the subjects without a scored row."""
        weight = sums.values[..., WEIGHT].sum(axis=0)
        if not weight.any():
            return NOTHING_SCORED
        unknown = [self.scored.subjects[code] for code in np.flatnonzero(weight == 0)]
        more = ", ..." if len(unknown) > 5 else ""
        head = "1 subject has" if len(unknown) == 1 else f"{len(unknown):,} subjects have"
        return f"{head} no scored row ({', '.join(unknown[:5])}{more})."

    def _sure(
        self,
        estimates: Estimates,
        place: int,
        limits: tuple[float, float],
        scale: float = 1.0,
        n_agreeing: int | None = None,
    ) -> Sure:
        value = _number_or_none(_clip_rounding(estimates.value[place] * scale, limits))
        clusters = Clusters(
            estimates.n_clusters, "context", limits, n_agreeing, estimates.n_effective
        )
        return sure_of(
            value, estimates.bounds, place, clusters, self.provenance.sampling, scale=scale
        )

    def _reads_facts(self, metric_id: str) -> bool:
        """Say whether a metric depends on facts about the subjects."""
        is_regression = metric_id.startswith("bvf.regression.")
        return is_regression or self.scored.criterion.name == KNOWLEDGE

    def _signature(self, metric_id: str) -> str:
        dataset, sampling = self.provenance.dataset, self.provenance.sampling
        return signature(
            {
                "bench": dataset.stem,
                "version": dataset.version,
                "data": dataset.digest[:12] if dataset.digest else "none",
                "contract": CONTRACT_VERSION,
                "metric": metric_id,
                "config": self.scored.config,
                "protocol": self.provenance.protocol,
                "criterion": self.scored.criterion.name,
                "orders": "+".join(self.scored.orders),
                "facts": (
                    self.provenance.extra.get("facts") if self._reads_facts(metric_id) else None
                ),
                "seed": sampling.seed,
                "resamples": sampling.resamples,
                "level": sampling.level,
                "scorer": __version__,
            }
        )


def _fit_rows(fit: Regression | None, n: int, p_holm: float) -> dict[str, GroupValue]:
    """Return the statistics of a regression; the coefficient carries the test."""
    if fit is None:
        why = "A subject with this fact has no scored row."
        none = GroupValue(value=None, n_scored=n, why_null=why, why_no_interval=NO_VALUE)
        return {"coefficient": none}
    values = {
        name: GroupValue(
            value=_number_or_none(np.float64(value)), n_scored=n, why_no_interval=NOT_RESAMPLED
        )
        for name, value in fit._asdict().items()
    }
    values["coefficient"] = GroupValue(
        value=fit.coefficient,
        n_scored=n,
        why_no_interval=NOT_RESAMPLED,
        p_value=_number_or_none(np.float64(fit.p_value)),
        p_holm=_number_or_none(np.float64(p_holm)),
    )
    return values


def _p_values(fits: Sequence[Regression | None]) -> Floats:
    return np.array([np.nan if fit is None else fit.p_value for fit in fits])


def _clip_rounding(value: float, limits: tuple[float, float]) -> np.float64:
    """Return a value, moved to its limit if rounding put it just outside."""
    low, high = limits
    if low - _ROUNDING < value < low:
        return np.float64(low)
    return np.float64(high if high < value < high + _ROUNDING else value)


def _number_or_none(value: np.float64) -> float | None:
    return None if np.isnan(value) else float(value)
