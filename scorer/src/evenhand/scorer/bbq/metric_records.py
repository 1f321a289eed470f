"""BBQ's metrics as records: value, interval, test and signature, also by group."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.contract import CONTRACT_VERSION
from evenhand.contract.report import GroupValue, Metric, signature
from evenhand.scorer import __version__, statistics
from evenhand.scorer.bbq import specs
from evenhand.scorer.bbq.counts import Counts, Flags
from evenhand.scorer.bbq.guarded import question_weights
from evenhand.scorer.bbq.specs import MEANS, CountedMetric
from evenhand.scorer.inference.clusters import effective_number
from evenhand.scorer.intervals import Clusters, Sure, sure_of
from evenhand.scorer.provenance import Provenance
from evenhand.scorer.statistics import Estimator, Sampling

Floats = NDArray[np.float64]

ALL = "all"
"""The config of every metric: all scored categories together; each category is under ``by``."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One metric over a set of rows."""

    value: float | None
    why_null: str | None
    n_scored: int
    n_unscored: int
    sure: Sure
    p_value: float | None


def build_metrics(
    counts: Counts,
    groups: Mapping[str, Mapping[str, Counts]],
    *,
    categories: Sequence[str],
    provenance: Provenance,
) -> list[Metric]:
    """Return all metrics.

    Args:
        counts: counts of all rows.
        groups: dimension -> group -> counts of its rows.
        categories: the category names, by code.
        provenance: for the signatures and the resampling.
    """
    sampling = provenance.sampling
    whole = measure(counts, categories=categories, sampling=sampling)
    by = {
        dimension: {
            name: measure(group_counts, categories=categories, sampling=sampling)
            for name, group_counts in members.items()
        }
        for dimension, members in groups.items()
    }
    scored = [categories[code] for code in np.unique(counts.category)]
    return [
        _metric(
            metric_id,
            spec,
            whole[metric_id],
            {
                dimension: _family(
                    spec, {name: values[metric_id] for name, values in members.items()}
                )
                for dimension, members in by.items()
                if members
            },
            _signature(metric_id, scored, provenance),
        )
        for spec in specs.METRICS
        for metric_id in (f"{spec.base}.{mean}" for mean in MEANS)
    ]


def measure(
    counts: Counts, *, categories: Sequence[str], sampling: Sampling
) -> dict[str, Measured]:
    """Return every metric over a set of rows, by its id."""
    by_id: dict[str, Measured] = {}
    for is_used, alike in _by_used_questions(counts).items():
        used = np.array(is_used, dtype=np.bool_)
        estimator = _estimator(counts, alike, used)
        strata = counts.category[used]
        values, bounds, p_values = _inference(estimator, strata, len(alike), counts, sampling)
        for place, (mean, spec) in enumerate(itertools.product(MEANS, alike)):
            metric_id = f"{spec.base}.{mean}"
            n_scored, n_unscored = spec.n_rows(counts)
            value = _number_or_none(values[place])
            why_null = None if value is not None else _why_null(metric_id, spec, counts, categories)
            by_id[metric_id] = Measured(
                value=value,
                why_null=why_null,
                n_scored=n_scored,
                n_unscored=n_unscored,
                sure=sure_of(value, bounds, place, _clusters(counts, spec, used, mean), sampling),
                p_value=_number_or_none(p_values[place]) if spec.signed else None,
            )
    return by_id


def _by_used_questions(counts: Counts) -> dict[tuple[bool, ...], list[CountedMetric]]:
    """Return flags of the used questions -> the metrics that use exactly these.

    Metrics that use the same questions share the resamples.
    """
    by_questions: dict[tuple[bool, ...], list[CountedMetric]] = {}
    for spec in specs.METRICS:
        by_questions.setdefault(tuple(spec.used_questions(counts).tolist()), []).append(spec)
    return by_questions


def _estimator(counts: Counts, alike: list[CountedMetric], used: Flags) -> Estimator:
    """Return a function of the used questions' weights to all macro, then all pooled values."""
    metrics = [spec.values for spec in alike]

    def estimator(weights: Floats) -> Floats:
        if used.all():
            return counts.macro_and_pooled(metrics, weights)
        # Unused questions keep their place, so that a category with no used question stays NaN.
        whole = np.zeros((len(weights), len(used)))
        whole[:, used] = weights
        return counts.macro_and_pooled(metrics, whole)

    return estimator


def _inference(
    estimator: Estimator,
    strata: NDArray[np.int64],
    n_metrics: int,
    counts: Counts,
    sampling: Sampling,
) -> tuple[Floats, statistics.Bounds | None, Floats]:
    """Return value, bounds and p-value of each macro and each pooled metric."""
    n_values = len(MEANS) * n_metrics
    if not len(strata):
        empty = np.full(n_values, np.nan)
        return empty, None, empty
    values = estimator(np.ones((1, len(strata))))[0]
    width = counts.sums.shape[1] * counts.n_categories + counts.sums.shape[0]
    # A stratum of one question has no variance between questions.
    strata = statistics.usable_strata(strata)
    bounds = statistics.interval(
        estimator, strata, sampling=sampling, limits=(-1.0, 1.0), width=width
    )
    p_values = np.full(n_values, np.nan)
    if len(strata) > 1:
        error = statistics.jackknife_standard_error(estimator, strata, width=width)
        freedom = statistics.degrees_of_freedom(strata)
        p_values = statistics.two_sided_p(values, error, freedom)
    return values, bounds, p_values


def _clusters(counts: Counts, spec: CountedMetric, used: Flags, mean: str) -> Clusters:
    assert spec.range is not None
    weights = question_weights(
        counts.sums[used], counts.category[used], spec, tuple(MEANS).index(mean)
    )
    return Clusters(
        n=int(used.sum()),
        name="question",
        limits=spec.range,
        n_agreeing=spec.n_agreeing(counts),
        n_effective=effective_number(weights),
    )


def _why_null(
    metric_id: str, spec: CountedMetric, counts: Counts, categories: Sequence[str]
) -> str:
    """Return the reason, for a macro mean with the categories in which it is undefined."""
    if metric_id.endswith(".pooled") or counts.n_categories == 1:
        return spec.why_null
    codes = np.unique(counts.category)
    undefined = [
        categories[code]
        for code in codes
        if np.isnan(spec.values(counts.sums[counts.category == code].sum(axis=0)))
    ]
    return f"Undefined in {', '.join(undefined)}: {spec.why_null}"


def _family(spec: CountedMetric, members: Mapping[str, Measured]) -> dict[str, GroupValue]:
    """Return the value of each group, with p-values corrected as one family."""
    p_holm = _holm(measured.p_value for measured in members.values())
    return {
        name: GroupValue(
            value=measured.value,
            n_scored=measured.n_scored,
            why_null=measured.why_null,
            interval=measured.sure.interval,
            why_no_interval=measured.sure.why_none,
            p_value=measured.p_value,
            p_holm=corrected if spec.signed else None,
        )
        for (name, measured), corrected in zip(members.items(), p_holm, strict=True)
    }


def _holm(p_values: Iterable[float | None]) -> list[float | None]:
    known = np.array([np.nan if p is None else p for p in p_values])
    return [_number_or_none(p) for p in statistics.holm(known)]


def _metric(
    metric_id: str,
    spec: CountedMetric,
    measured: Measured,
    by: dict[str, dict[str, GroupValue]],
    metric_signature: str,
) -> Metric:
    assert spec.range is not None
    return Metric(
        id=metric_id,
        config=ALL,
        value=measured.value,
        unit=spec.unit,
        range=spec.range,
        best=spec.best,
        n_scored=measured.n_scored,
        n_unscored=measured.n_unscored,
        signature=metric_signature,
        why_null=measured.why_null,
        interval=measured.sure.interval,
        why_no_interval=measured.sure.why_none,
        by=by,
    )


def _signature(metric_id: str, categories: Sequence[str], provenance: Provenance) -> str:
    dataset, sampling = provenance.dataset, provenance.sampling
    return signature(
        {
            "bench": dataset.stem,
            "version": dataset.version,
            "data": dataset.digest[:12] if dataset.digest else "none",
            "contract": CONTRACT_VERSION,
            "metric": metric_id,
            "config": "+".join(categories),
            "protocol": provenance.protocol,
            "seed": sampling.seed,
            "resamples": sampling.resamples,
            "level": sampling.level,
            "scorer": __version__,
        }
    )


def _number_or_none(value: float | np.float64) -> float | None:
    return None if np.isnan(value) else float(value)
