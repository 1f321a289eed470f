"""BVF's numbers as functions of their contexts, from ``NAME.parts.parquet``."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenhand.contract.report import Metric, Report
from evenhand.scorer.bvf import brackets, specs
from evenhand.scorer.bvf.criteria import KNOWLEDGE, Setting, build_criterion
from evenhand.scorer.bvf.metrics import overall_risk
from evenhand.scorer.bvf.specs import BvfMetric, Direction, Risk, Slope, Summary
from evenhand.scorer.bvf.sums import WEIGHT, Sums
from evenhand.scorer.comparable import Comparable, Key
from evenhand.scorer.inference.estimates import Bracket
from evenhand.scorer.specs import find

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Value = Callable[[Sums, Floats], Floats]
"""From sums and weights [R, C] to values [R]."""


def comparables(parts: pl.DataFrame, report: Report) -> Sequence[Comparable]:
    """Return every metric of every topic, and risks and directions of every subject."""
    topics = {config: _Topic(parts, config, report.protocol) for config in report.configs}
    return [
        comparable
        for metric in report.metrics
        for comparable in topics[metric.config].comparables_for(metric)
    ]


class _Topic:
    """The sums of one topic."""

    def __init__(self, parts: pl.DataFrame, config: str, protocol: str) -> None:
        parts = parts.filter(pl.col("config") == config)
        tables = {str(name): table for (name,), table in parts.group_by("table")}
        rows = tables["statistics"]
        self.clusters = rows["cluster"].unique(maintain_order=True).to_list()
        self.subjects = rows["subject"].unique(maintain_order=True).to_list()
        classes = parts.filter(pl.col("table") == "classes")
        self.classes = classes["class"].to_list()
        self.factors = parts.filter(pl.col("table") == "factors")
        weights = tables["subjects"].select("subject", "weight")
        weight_by_subject = dict(weights.iter_rows())
        subject_weights = [weight_by_subject[subject] for subject in self.subjects]
        self.sums = self._sums(rows, classes, protocol, subject_weights)
        self.is_sublinear = str(classes["criterion"][0]) != KNOWLEDGE
        self.is_used = self.sums.values[..., WEIGHT].sum(axis=1) > 0

    def comparables_for(self, metric: Metric) -> Iterator[Comparable]:
        """Yield the metric, and its values by subject where it has them."""
        spec = find(specs.METRICS, metric.id)
        if spec is None:  # from a later version, whose metrics readers ignore
            return
        variant = spec.variant(metric.id) or ""
        whole = self._comparable(metric, Key(metric.config, metric.id), self._value(spec, variant))
        yield replace(whole, bracket=self._bracket(spec, None))
        for subject in metric.by.get("subject", {}):
            code = self.subjects.index(subject)
            by_subject = self._comparable(
                metric,
                Key(metric.config, metric.id, "subject", subject),
                self._subject_value(spec, variant, code),
            )
            weights = self.sums.values[:, code, WEIGHT]
            yield replace(by_subject, weights=weights, bracket=self._bracket(spec, code))

    def _value(self, spec: BvfMetric, variant: str) -> Value:
        match spec:
            case Risk(part=part, is_normalised=is_normalised):
                scale = 1.0 if is_normalised else self.sums.largest
                return lambda sums, w: (
                    scale * overall_risk(sums.risks(w)[part], sums.subject_weights)
                )
            case Direction():
                code = self.classes.index(variant)
                return lambda sums, w: overall_risk(
                    sums.directions(w)[..., code], sums.subject_weights
                )
            case Summary(parts=parts, value=value):
                return lambda sums, w: value(sums.risks(w)[parts[variant]])
            case Slope():
                return partial(self._slope, variant)

    def _subject_value(self, spec: BvfMetric, variant: str, subject: int) -> Value:
        if isinstance(spec, Risk):
            return lambda sums, w: sums.risks(w)[spec.part][:, subject]
        code = self.classes.index(variant)
        return lambda sums, w: sums.directions(w)[:, subject, code]

    def _bracket(
        self, spec: BvfMetric, subject: int | None
    ) -> Callable[[Floats, Integers, int], Bracket] | None:
        """Return the bracket of R^b or R^v, of one subject if given; None for means."""
        if not isinstance(spec, Risk) or spec.part == 0 or not self.is_sublinear:
            return None
        scale = 1.0 if spec.is_normalised else self.sums.largest
        estimate = brackets.bias if spec.part == 1 else brackets.volatility

        def bracket(sums: Floats, _strata: Integers, seed: int) -> Bracket:
            weights = self.sums.subject_weights
            if subject is not None:
                sums, weights = sums[:, [subject]], np.ones(1)
            selected = Sums(sums, weights, self.sums.strength, self.sums.largest)
            return estimate(selected, seed=seed) * scale

        return bracket

    def _slope(self, factor: str, sums: Sums, weights: Floats) -> Floats:
        rows = self.factors.filter(pl.col("factor") == factor)
        codes = [self.subjects.index(name) for name in rows["subject"]]
        slopes = rows["slope_weight"].to_numpy()
        return np.asarray(sums.risks(weights).total[:, codes] @ slopes)

    def _sums(
        self, rows: pl.DataFrame, classes: pl.DataFrame, protocol: str, weights: list[float]
    ) -> Sums:
        stereotypes = np.array(rows["stereotypes"].to_list(), dtype=np.float64)
        values = np.concatenate([rows.select("weight", "risk").to_numpy(), stereotypes], axis=1)
        name = str(classes["criterion"][0])
        p_star = classes["p_star"].to_numpy()
        right = self._right_classes(rows) if name == KNOWLEDGE else None
        criterion = build_criterion(name, protocol.partition("+")[0], Setting(p_star, right))
        return Sums(
            values=values.reshape(len(self.clusters), len(self.subjects), -1),
            subject_weights=np.array(weights),
            strength=criterion.strength,
            largest=criterion.largest,
        )

    def _right_classes(self, rows: pl.DataFrame) -> Integers:
        names = rows.unique("subject", keep="first", maintain_order=True)["class"]
        return np.array([self.classes.index(name) for name in names], dtype=np.int64)

    def _comparable(self, metric: Metric, key: Key, value: Value) -> Comparable:
        def resampled_value(weights: Floats, sums: Floats, _strata: Integers) -> Floats:
            resampled = Sums(sums, self.sums.subject_weights, self.sums.strength, self.sums.largest)
            return value(resampled, weights)

        return Comparable(
            key=key,
            limits=metric.range,
            best=metric.best,
            clusters=tuple(self.clusters),
            strata=np.zeros(len(self.clusters), dtype=np.int64),
            sums=self.sums.values,
            is_used=np.asarray(self.is_used),
            value=resampled_value,
            weights=brackets.context_weights(self.sums),
        )
