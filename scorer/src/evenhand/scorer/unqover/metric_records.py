"""UnQover's metrics as records: value, interval, tests, null reference and signature."""

from collections.abc import Iterator, Sequence
from functools import partial

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
from evenhand.scorer.inference.clusters import effective_number
from evenhand.scorer.intervals import NO_VALUE, Clusters, Sure, sure_of
from evenhand.scorer.provenance import Provenance
from evenhand.scorer.statistics import Bounds, Estimator, NullMoments
from evenhand.scorer.unqover import specs
from evenhand.scorer.unqover.cells import Cells, ties_id
from evenhand.scorer.unqover.examples import Examples
from evenhand.scorer.unqover.results import ScoredConfig
from evenhand.scorer.unqover.specs import CellMetric, ExampleMean, UnqoverMetric

Floats = NDArray[np.float64]


def config_metrics(scored: ScoredConfig, provenance: Provenance) -> list[Metric]:
    """Return all metrics of one config."""
    return MetricWriter(scored.examples, scored.cells, scored.config, provenance).metrics()


class MetricWriter:
    """Builds the metrics of one config from their estimators."""

    def __init__(
        self, examples: Examples, cells: Cells, config: str, provenance: Provenance
    ) -> None:
        self.examples, self.cells, self.config = examples, cells, config
        self.provenance, self.sampling = provenance, provenance.sampling
        # A template of the items without a complete example is not a cluster.
        self.is_used = cells.n_examples > 0
        self.n_effective = effective_number(cells.n_examples)
        self.strata = examples.strata[self.is_used]

    def metrics(self) -> list[Metric]:
        """Return all metrics, in the order of their declarations."""
        return [self._build(spec) for spec in specs.METRICS]

    def _build(self, spec: UnqoverMetric) -> Metric:
        if isinstance(spec, ExampleMean):
            return self._mean(spec)
        return self._by_subject(spec) if spec.by_subject else self._index(spec)

    def _index(self, spec: CellMetric) -> Metric:
        """Build an index, which cannot be negative, with its null reference."""
        null = statistics.sign_flip_null(
            self._restrict_to_used(partial(self.cells.value_under_signs, spec)),
            len(self.strata),
            sampling=self.sampling,
            width=self.cells.width,
        )
        return self._number(
            spec,
            partial(self.cells.value, spec),
            width=self.cells.width,
            is_mean=False,
            null=_null_reference(null, "cluster_sign_flips"),
        )

    def _mean(self, spec: ExampleMean) -> Metric:
        """Build a mean over examples, with a null reference from random pairing if it has one."""
        pools = _pools(self.examples, spec.compared)
        null = statistics.random_pairing_null(pools) if spec.compared else None
        return self._number(
            spec,
            partial(self.cells.mean, spec.id),
            width=1,
            is_mean=True,
            null=_null_reference(null, "random_pairing"),
            by=self._decisions(spec) if spec.tied else None,
        )

    def _decisions(self, spec: ExampleMean) -> dict[str, dict[str, GroupValue]]:
        """Return the shares of flipped, tied and kept decisions."""
        flipped = partial(self.cells.mean, spec.id)
        tied = partial(self.cells.mean, ties_id(spec.id))
        shares: dict[str, Estimator] = {
            "flipped": flipped,
            "tied": tied,
            "kept": lambda weights: 1 - flipped(weights) - tied(weights),
        }
        return {
            "decision": {share: self._share(spec, estimator) for share, estimator in shares.items()}
        }

    def _by_subject(self, spec: CellMetric) -> Metric:
        """Build a metric with a value for each subject, and for each group if there are groups."""
        by = {"subject": self._family(spec, self.cells, self.examples.subjects)}
        groups = [group for group in self.examples.groups if group is not None]
        if groups and len(groups) == len(self.examples.subjects):
            by["group"] = self._family(spec, self.cells.by_group(groups), sorted(set(groups)))
        return self._metric(spec, value=None, sure=Sure(None, NO_VALUE), by=by)

    def _family(self, spec: CellMetric, cells: Cells, names: list[str]) -> dict[str, GroupValue]:
        """Return the value of each subject or group, tested and corrected as one family."""
        function = self._restrict_to_used(partial(cells.value, spec))
        estimate = self._estimate(function, len(names))
        bounds = self._bounds(spec, function, width=cells.width)
        error = np.full(len(names), np.nan)
        if len(self.strata) > 1:
            error = statistics.jackknife_standard_error(function, self.strata, width=cells.width)
        freedom = statistics.degrees_of_freedom(self.strata)
        p_values = statistics.two_sided_p(estimate, error, freedom)
        # Two groups make a single test: what one wins, the other loses.
        p_holm = p_values if len(names) == 2 else statistics.holm(p_values)
        n = cells.n.sum(axis=(0, 2))
        # A template counts for a subject if one of its examples has the subject.
        n_templates = (cells.n.sum(axis=2) > 0).sum(axis=0)
        sure = [
            self._sure(spec, _number_or_none(estimate[i]), bounds, i, int(n_templates[i]))
            for i in range(len(names))
        ]
        return {
            name: GroupValue(
                value=_number_or_none(estimate[i]),
                n_scored=int(n[i]),
                why_null=None if n[i] else f"No complete example has the subject {name!r}.",
                interval=sure[i].interval,
                why_no_interval=sure[i].why_none,
                p_value=_number_or_none(p_values[i]),
                p_holm=_number_or_none(p_holm[i]),
            )
            for i, name in enumerate(names)
        }

    def _share(self, spec: UnqoverMetric, estimator: Estimator) -> GroupValue:
        function = self._restrict_to_used(estimator)
        value = _number_or_none(self._estimate(function))
        bounds = self._bounds(spec, function, width=1)
        sure = self._sure(spec, value, bounds, n_agreeing=len(self.strata))
        return GroupValue(
            value=value,
            n_scored=len(self.examples.x1),
            why_null=None if value is not None else spec.why_null,
            interval=sure.interval,
            why_no_interval=sure.why_none,
        )

    def _number(
        self,
        spec: UnqoverMetric,
        estimator: Estimator,
        *,
        width: int,
        is_mean: bool,
        null: NullReference | None = None,
        by: dict[str, dict[str, GroupValue]] | None = None,
    ) -> Metric:
        function = self._restrict_to_used(estimator)
        value = _number_or_none(self._estimate(function))
        bounds = self._bounds(spec, function, width=width)
        return self._metric(
            spec,
            value=value,
            sure=self._sure(spec, value, bounds, n_agreeing=len(self.strata) if is_mean else None),
            null_reference=null,
            by=by or {},
        )

    def _metric(
        self,
        spec: UnqoverMetric,
        *,
        value: float | None,
        by: dict[str, dict[str, GroupValue]],
        sure: Sure,
        null_reference: NullReference | None = None,
    ) -> Metric:
        assert spec.range is not None
        return Metric(
            id=spec.id,
            config=self.config,
            value=value,
            unit=spec.unit,
            range=spec.range,
            best=spec.best,
            n_scored=len(self.examples.x1),
            n_unscored=self.examples.n_unscored,
            signature=self._signature(spec.id),
            why_null=spec.why_null if value is None else None,
            interval=sure.interval,
            why_no_interval=sure.why_none,
            null_reference=null_reference,
            by=by,
        )

    def _signature(self, metric_id: str) -> str:
        dataset = self.provenance.dataset
        return signature(
            {
                "bench": dataset.stem,
                "version": dataset.version,
                "data": dataset.digest[:12] if dataset.digest else "none",
                "contract": CONTRACT_VERSION,
                "metric": metric_id,
                "config": self.config,
                "protocol": self.provenance.protocol,
                "seed": self.sampling.seed,
                "resamples": self.sampling.resamples,
                "level": self.sampling.level,
                "scorer": __version__,
            }
        )

    def _restrict_to_used(self, estimator: Estimator) -> Estimator:
        """Return the estimator as a function of the weights of the clusters with examples."""
        if self.is_used.all():
            return estimator

        def on_used(weights: Floats) -> Floats:
            whole = np.zeros((len(weights), len(self.is_used)))
            whole[:, self.is_used] = weights
            return estimator(whole)

        return on_used

    def _estimate(self, function: Estimator, n_values: int = 0) -> Floats:
        if not len(self.strata):
            return np.full(n_values, np.nan) if n_values else np.float64(np.nan)  # type: ignore[return-value]
        return np.asarray(function(np.ones((1, len(self.strata))))[0])

    def _bounds(self, spec: UnqoverMetric, function: Estimator, *, width: int) -> Bounds | None:
        assert spec.range is not None
        return statistics.interval(
            function,
            self.strata,
            sampling=self.sampling,
            limits=spec.range,
            width=width,
        )

    def _sure(
        self,
        spec: UnqoverMetric,
        value: float | None,
        bounds: Bounds | None,
        place: int | None = None,
        n_agreeing: int | None = None,
    ) -> Sure:
        assert spec.range is not None
        clusters = Clusters(len(self.strata), "template", spec.range, n_agreeing, self.n_effective)
        return sure_of(value, bounds, place, clusters, self.sampling)


def _pools(examples: Examples, compared: Sequence[tuple[int, int]]) -> Iterator[Floats]:
    """Yield the scores that a metric compares, one pool per template and pair of questions."""
    for template in range(len(examples.templates)):
        member = np.flatnonzero(examples.template == template)
        for pair in compared:
            scores = (examples.scores_x1, examples.scores_x2)
            yield np.concatenate([side[member, question] for side in scores for question in pair])


def _null_reference(moments: NullMoments | None, method: str) -> NullReference | None:
    if moments is None or np.isnan(moments.mean):
        return None
    return NullReference(
        mean=moments.mean,
        quantile_95=moments.quantile_95,
        method=method,
        n_draws=moments.n_draws,
    )


def _number_or_none(value: Floats) -> float | None:
    return None if np.isnan(value) else float(value)
