"""Writes UnQover's metrics as records: value, interval, tests, null reference, signature."""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

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
from evenhand.scorer.intervals import NO_VALUE, Clusters, Sure, sure_of
from evenhand.scorer.provenance import Provenance
from evenhand.scorer.statistics import Bounds, Estimator, NullMoments
from evenhand.scorer.unqover.cells import Cells
from evenhand.scorer.unqover.examples import Examples, negation_pools, positional_pools
from evenhand.scorer.unqover.results import NOTHING_SCORED, ScoredConfig

Floats = NDArray[np.float64]

BY_SUBJECT = "One value for each subject stands under `by`."


class _Kind(NamedTuple):
    """What is always true of a metric."""

    range: tuple[float, float]
    best: float | None


_SHARE, _SIGNED = _Kind((0.0, 1.0), 0.0), _Kind((-1.0, 1.0), 0.0)
_KINDS = {
    "unqover.mu": _SHARE,
    "unqover.eta": _SHARE,
    "unqover.delta": _SHARE,
    "unqover.epsilon": _SHARE,
    "unqover.mean_score": _Kind((0.0, 1.0), None),
    "unqover.flipped_by_position": _SHARE,
    "unqover.gamma": _SIGNED,
    "unqover.eta_subject": _SIGNED,
}
_UNITS = {
    "unqover.mu": "difference of probabilities",
    "unqover.eta": "share of examples",
    "unqover.delta": "difference of probabilities",
    "unqover.epsilon": "difference of probabilities",
    "unqover.mean_score": "probability",
    "unqover.flipped_by_position": "share of decisions",
    "unqover.gamma": "difference of probabilities",
    "unqover.eta_subject": "share of examples",
}


def config_metrics(scored: ScoredConfig, provenance: Provenance) -> list[Metric]:
    """Return all metrics of one config."""
    examples, cells = scored.examples, scored.cells
    writer = MetricWriter(examples, cells, scored.config, provenance)
    return [
        writer.index("unqover.mu", cells.mu, cells.mu_of_signs),
        writer.index("unqover.eta", cells.eta, cells.eta_of_signs),
        writer.mean("unqover.delta", "delta", positional_pools(examples)),
        writer.mean("unqover.epsilon", "epsilon", negation_pools(examples)),
        writer.mean("unqover.mean_score", "mean_score"),
        writer.flipped("unqover.flipped_by_position"),
        writer.by_subject("unqover.gamma", "gamma_x"),
        writer.by_subject("unqover.eta_subject", "eta_x"),
    ]


class MetricWriter:
    """Turns estimators into metrics of one config."""

    def __init__(
        self, examples: Examples, cells: Cells, config: str, provenance: Provenance
    ) -> None:
        self.examples, self.cells, self.config = examples, cells, config
        self.provenance, self.sampling = provenance, provenance.sampling
        # A template that is in the items but has no complete example is no cluster.
        self.is_used = cells.n_examples > 0
        self.strata = examples.strata[self.is_used]

    def index(self, name: str, estimator: Estimator, of_signs: Estimator) -> Metric:
        """Write an index that cannot be negative, with its null reference."""
        null = statistics.sign_flip_null(
            self._on_used(of_signs),
            len(self.strata),
            sampling=self.sampling,
            width=self.cells.width,
        )
        return self._number(
            name,
            estimator,
            width=self.cells.width,
            is_mean=False,
            null=_null_reference(null, "cluster_sign_flips"),
        )

    def mean(self, name: str, field: str, pools: Iterator[Floats] | None = None) -> Metric:
        """Write a mean over examples, with the reference of a random pairing where it has one."""
        null = statistics.random_pairing_null(pools) if pools is not None else None
        return self._number(
            name,
            partial(self.cells.mean, field),
            width=1,
            is_mean=True,
            null=_null_reference(null, "random_pairing"),
        )

    def flipped(self, name: str) -> Metric:
        """Write the share of flipped decisions, and beside it those that are tied or kept."""

        def kept(weights: Floats) -> Floats:
            return 1 - self.cells.mean("flipped", weights) - self.cells.mean("tied", weights)

        shares: dict[str, Estimator] = {
            "flipped": partial(self.cells.mean, "flipped"),
            "tied": partial(self.cells.mean, "tied"),
            "kept": kept,
        }
        by = {share: self._share(name, estimator) for share, estimator in shares.items()}
        return self._number(name, shares["flipped"], width=1, is_mean=True, by={"decision": by})

    def by_subject(self, name: str, estimator: str) -> Metric:
        """Write a metric that has one value for each subject, and for each group if there are."""
        by = {"subject": self._family(name, self.cells, self.examples.subjects, estimator)}
        groups = [group for group in self.examples.groups if group is not None]
        if groups and len(groups) == len(self.examples.subjects):
            cells = self.cells.by_group(groups)
            by["group"] = self._family(name, cells, sorted(set(groups)), estimator)
        return self._metric(name, value=None, why_null=BY_SUBJECT, sure=Sure(None, NO_VALUE), by=by)

    def _family(
        self, name: str, cells: Cells, names: list[str], estimator: str
    ) -> dict[str, GroupValue]:
        """Return the value of each subject or group, tested and corrected as one family."""
        function = self._on_used(getattr(cells, estimator))
        estimate = self._estimate(function, len(names))
        bounds = self._bounds(name, function, width=cells.width)
        error = np.full(len(names), np.nan)
        if len(self.strata) > 1:
            error = statistics.jackknife_standard_error(function, self.strata, width=cells.width)
        freedom = statistics.degrees_of_freedom(self.strata)
        p_values = statistics.two_sided_p(estimate, error, freedom)
        # Two groups are one test: what one wins, the other loses.
        p_holm = p_values if len(names) == 2 else statistics.holm(p_values)
        n = cells.n.sum(axis=(0, 2))
        # A template says something of a subject where it stands in one of its examples.
        n_templates = (cells.n.sum(axis=2) > 0).sum(axis=0)
        sure = [
            self._sure(name, _number_or_none(estimate[i]), bounds, i, int(n_templates[i]))
            for i in range(len(names))
        ]
        return {
            own: GroupValue(
                value=_number_or_none(estimate[i]),
                n_scored=int(n[i]),
                why_null=None if n[i] else f"No complete example has the subject {own!r}.",
                interval=sure[i].interval,
                why_no_interval=sure[i].why_none,
                p_value=_number_or_none(p_values[i]),
                p_holm=_number_or_none(p_holm[i]),
            )
            for i, own in enumerate(names)
        }

    def _share(self, name: str, estimator: Estimator) -> GroupValue:
        function = self._on_used(estimator)
        value = _number_or_none(self._estimate(function))
        bounds = self._bounds(name, function, width=1)
        sure = self._sure(name, value, bounds, n_agreeing=len(self.strata))
        return GroupValue(
            value=value,
            n_scored=len(self.examples.x1),
            why_null=None if value is not None else NOTHING_SCORED,
            interval=sure.interval,
            why_no_interval=sure.why_none,
        )

    def _number(
        self,
        name: str,
        estimator: Estimator,
        *,
        width: int,
        is_mean: bool,
        null: NullReference | None = None,
        by: dict[str, dict[str, GroupValue]] | None = None,
    ) -> Metric:
        function = self._on_used(estimator)
        value = _number_or_none(self._estimate(function))
        bounds = self._bounds(name, function, width=width)
        return self._metric(
            name,
            value=value,
            why_null=None if value is not None else NOTHING_SCORED,
            sure=self._sure(name, value, bounds, n_agreeing=len(self.strata) if is_mean else None),
            null_reference=null,
            by=by or {},
        )

    def _metric(
        self,
        name: str,
        *,
        value: float | None,
        why_null: str | None,
        by: dict[str, dict[str, GroupValue]],
        sure: Sure,
        null_reference: NullReference | None = None,
    ) -> Metric:
        return Metric(
            id=name,
            config=self.config,
            value=value,
            unit=_UNITS[name],
            range=_KINDS[name].range,
            best=_KINDS[name].best,
            n_scored=len(self.examples.x1),
            n_unscored=self.examples.n_unscored,
            signature=self._signature(name),
            why_null=why_null,
            interval=sure.interval,
            why_no_interval=sure.why_none,
            null_reference=null_reference,
            by=by,
        )

    def _signature(self, name: str) -> str:
        dataset = self.provenance.dataset
        return signature(
            {
                "bench": dataset.stem,
                "version": dataset.version,
                "data": dataset.digest[:12] if dataset.digest else "none",
                "contract": CONTRACT_VERSION,
                "metric": name,
                "config": self.config,
                "protocol": self.provenance.protocol,
                "seed": self.sampling.seed,
                "resamples": self.sampling.resamples,
                "level": self.sampling.level,
                "scorer": __version__,
            }
        )

    def _on_used(self, estimator: Estimator) -> Estimator:
        """Return the estimator as a function of the weights of the clusters that have examples."""
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

    def _bounds(self, name: str, function: Estimator, *, width: int) -> Bounds | None:
        return statistics.interval(
            function,
            self.strata,
            sampling=self.sampling,
            limits=_KINDS[name].range,
            width=width,
        )

    def _sure(
        self,
        name: str,
        value: float | None,
        bounds: Bounds | None,
        place: int | None = None,
        n_agreeing: int | None = None,
    ) -> Sure:
        clusters = Clusters(len(self.strata), "template", _KINDS[name].range, n_agreeing)
        return sure_of(value, bounds, place, clusters, self.sampling)


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
