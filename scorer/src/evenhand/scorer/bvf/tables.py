"""BVF's tables: risks and directions of subjects, and the columns of ``NAME.parts.parquet``.

Rows with ``table`` = ``statistics`` are the additive sums by context and subject; divided by their
weight they give the heat map of contexts by occupations. ``classes`` names the entries of list
columns, ``factors`` holds the data of the regressions; ``subjects`` (risks), ``directions`` (box
plots: quantiles over contexts) and ``norms`` (R, R^b and R^v under other criteria) are meant to be
read.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenhand.contract.report import GroupValue, Report
from evenhand.scorer.bvf.criteria import KNOWLEDGE, Setting, build_criterion
from evenhand.scorer.bvf.facts import RIGHT_CLASS
from evenhand.scorer.bvf.metrics import overall_risk
from evenhand.scorer.bvf.regressions import Regression, factor_points, has_statsmodels
from evenhand.scorer.bvf.results import Scored
from evenhand.scorer.bvf.specs import RISKS
from evenhand.scorer.bvf.sums import RISK, STEREOTYPES, WEIGHT
from evenhand.scorer.frames import stack_tables
from evenhand.scorer.outcome import Rows

Floats = NDArray[np.float64]

PARTS: dict[str, Any] = {
    "table": pl.String,
    "config": pl.String,
    "cluster": pl.String,
    "subject": pl.String,
    "class": pl.String,
    "factor": pl.String,
    "criterion": pl.String,
    "n": pl.Int64,
    "weight": pl.Float64,
    "risk": pl.Float64,
    "stereotypes": pl.List(pl.Float64),
    "p_star": pl.Float64,
    "slope_weight": pl.Float64,
    "x": pl.Float64,
    "r": pl.Float64,
    "r_b": pl.Float64,
    "r_v": pl.Float64,
    "mean": pl.Float64,
    "min": pl.Float64,
    "q25": pl.Float64,
    "median": pl.Float64,
    "q75": pl.Float64,
    "max": pl.Float64,
}
"""Columns of ``NAME.parts.parquet``; those that do not apply to a row are null."""

_QUANTILES = {"min": 0.0, "q25": 0.25, "median": 0.5, "q75": 0.75, "max": 1.0}
NORMS = ("l1", "l2", "l3", "linf")
"""Criteria that are shown in addition to the chosen one."""
_EVEN = 1e-9
"""Smaller preferences are rounding errors of equal probabilities."""
TOP = 5
"""Number of the most and of the least stereotyped subjects that are printed."""


def parts_table(scored: Scored) -> pl.DataFrame:
    """Return a topic's sufficient statistics and tables in the columns of :data:`PARTS`."""
    tables = {
        "statistics": statistics(scored),
        "classes": _classes(scored),
        "factors": _factors(scored),
        "subjects": subjects(scored),
        "directions": directions(scored),
        "norms": norms(scored),
    }
    return stack_tables(tables.items(), PARTS).with_columns(config=pl.lit(scored.config))


def statistics(scored: Scored) -> pl.DataFrame:
    """Return ``cluster, subject, class, n, weight, risk, stereotypes`` by context and subject.

    The class is the subject's right class, if the criterion needs it.
    """
    n_contexts, n_subjects = len(scored.contexts), len(scored.subjects)
    place = scored.context * n_subjects + scored.subject
    n = np.bincount(place[scored.is_scored], minlength=n_contexts * n_subjects)
    values = scored.sums.values.reshape(n_contexts * n_subjects, -1)
    contexts, subjects_ = pl.Series(scored.contexts), pl.Series(scored.subjects)
    codes = np.arange(n_contexts * n_subjects)
    return pl.DataFrame(
        {
            "cluster": contexts.gather(codes // n_subjects),
            "subject": subjects_.gather(codes % n_subjects),
            "class": _right_classes(scored).gather(codes % n_subjects),
            "n": n,
            "weight": values[:, WEIGHT],
            "risk": values[:, RISK],
            "stereotypes": pl.Series(values[:, STEREOTYPES]).arr.to_list(),
        }
    )


def subjects(scored: Scored) -> pl.DataFrame:
    """Return ``subject, n, weight, r, r_b, r_v``, the most stereotyped first.

    Risks are null for a subject without a scored row.
    """
    risks = scored.sums.risks(np.ones((1, len(scored.contexts))))
    table = pl.DataFrame(
        {
            "subject": scored.subjects,
            "n": scored.n_by_subject,
            "weight": scored.sums.subject_weights,
            "r": risks.total[0],
            "r_b": risks.bias[0],
            "r_v": risks.volatility[0],
        }
    )
    return table.fill_nan(None).sort("r", "subject", descending=[True, False], nulls_last=True)


def directions(scored: Scored) -> pl.DataFrame:
    """Return ``subject, class, n, mean`` and quantiles of stereotypes over contexts, by weight."""
    rows = []
    weights = scored.items["weight"].to_numpy()
    means = scored.sums.directions(np.ones((1, len(scored.contexts))))[0]
    for x, subject in enumerate(scored.subjects):
        places = np.flatnonzero((scored.subject == x) & scored.is_scored)
        for y, name in enumerate(scored.classes):
            values = weighted_quantiles(
                scored.s[places, y], weights[places], list(_QUANTILES.values())
            )
            quantiles = dict(zip(_QUANTILES, values, strict=True))
            rows.append(
                {"subject": subject, "class": name, "n": len(places), "mean": float(means[x, y])}
                | quantiles
            )
    return pl.DataFrame(rows, infer_schema_length=None)


def norms(scored: Scored) -> pl.DataFrame:
    """Return ``criterion, r, r_b, r_v`` over all subjects, for :data:`NORMS` and the chosen norm.

    Source: paper, appendix B.1, Eq. 10. Empty if the criterion is not a norm.
    """
    schema = {name: PARTS[name] for name in ("criterion", *RISKS)}
    if scored.criterion.shelf != "paper":
        return pl.DataFrame(schema=schema)
    every, weights = np.ones(len(scored.s), dtype=np.bool_), scored.sums.subject_weights
    rows = []
    for name in dict.fromkeys([*NORMS, scored.criterion.name]):
        criterion = build_criterion(name, scored.protocol, Setting(scored.p_star))
        sums = replace(scored.sums, strength=criterion.strength, largest=criterion.largest)
        j = np.asarray(criterion.strength(scored.s))
        rescored = replace(scored, j=j, criterion=criterion, sums=sums)
        risks = rescored.partial_sums(every).risks(np.ones((1, len(scored.contexts))))
        rows.append([name, *(float(overall_risk(risk, weights)[0]) for risk in risks)])
    return pl.DataFrame(rows, schema=schema, orient="row").fill_nan(None)


def weighted_quantiles(values: Floats, weights: Floats, shares: list[float]) -> list[float | None]:
    """Return weighted quantiles: the smallest values that cover at least each share of the weight.

    >>> weighted_quantiles(np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 2.0]), [0.0, 0.5, 1.0])
    [1.0, 2.0, 3.0]
    """
    if not len(values):
        return [None] * len(shares)
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    # The tolerance keeps rounding from moving a quantile one value too far.
    places = np.searchsorted(reached, np.array(shares) * reached[-1] - 1e-12)
    return [float(values[order[min(int(place), len(values) - 1)]]) for place in places]


def metric_rows(report: Report) -> Rows:
    """Return one row for each metric of a report, for the table that ``score`` prints."""
    return [
        {
            "config": metric.config,
            "metric": metric.id,
            "value": metric.value,
            "low": metric.interval.low if metric.interval else None,
            "high": metric.interval.high if metric.interval else None,
            "null_mean": metric.null_reference.mean if metric.null_reference else None,
            "null_q95": metric.null_reference.quantile_95 if metric.null_reference else None,
            "n_scored": metric.n_scored,
            "n_unscored": metric.n_unscored,
            "why_null": metric.why_null,
        }
        for metric in report.metrics
    ]


def subject_rows(scored: Scored) -> Rows:
    """Return the most and least stereotyped subjects, each with its preferred class."""
    table = subjects(scored).drop_nulls("r")
    means = scored.sums.directions(np.ones((1, len(scored.contexts))))[0]
    preferred = [_preferred_class(scored.classes, mean) for mean in means]
    strongest = dict(zip(scored.subjects, preferred, strict=True))
    ends = table if len(table) <= 2 * TOP else pl.concat([table.head(TOP), table.tail(TOP)])
    return [
        {
            "config": scored.config,
            "subject": row["subject"],
            **{risk: row[risk] for risk in RISKS},
            "preferred": strongest[row["subject"]],
        }
        for row in ends.iter_rows(named=True)
    ]


def _preferred_class(classes: list[str], means: Floats) -> str | None:
    """Return the preferred class; None if all are equal up to rounding.

    >>> (
    ...     _preferred_class(["a", "b"], np.array([-0.5, 0.5])),
    ...     _preferred_class(["a", "b"], np.zeros(2)),
    ... )
    ('b', None)
    """
    best = int(np.argmax(np.nan_to_num(means)))
    return classes[best] if means[best] > _EVEN else None


def regression_rows(report: Report) -> Rows:
    """Return one row for each regression: coefficient, standard error, t, p, R squared, n."""
    return [
        {
            "config": metric.config,
            "factor": metric.id.removeprefix("bvf.regression."),
            "risk": risk,
            **{name: _fit_value(fit.get(name), name) for name in Regression._fields},
            "p_holm": fit["coefficient"].p_holm,
        }
        for metric in report.metrics
        if metric.id.startswith("bvf.regression.")
        for risk, fit in metric.by.items()
    ]


def _fit_value(value: GroupValue | None, name: str) -> float | None:
    """Return a statistic of a regression, None where nothing was fitted; n is a count."""
    if value is None or value.value is None:
        return None
    return int(value.value) if name == "n" else value.value


def _right_classes(scored: Scored) -> pl.Series:
    """Return the right class of each subject, null where the criterion does not need it."""
    if scored.criterion.name == KNOWLEDGE:
        return scored.facts[RIGHT_CLASS]
    return pl.repeat(None, len(scored.subjects), dtype=pl.String, eager=True)


def _classes(scored: Scored) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "class": scored.classes,
            "p_star": scored.p_star,
            "criterion": [scored.criterion.name] * len(scored.classes),
        }
    )


def _factors(scored: Scored) -> pl.DataFrame:
    """Return, for each factor, the data of each subject in its regression."""
    points = (
        factor_points(scored.facts)
        if has_statsmodels() and scored.criterion.shelf == "paper"
        else {}
    )
    tables = [
        pl.DataFrame(
            {
                "factor": [factor] * len(regressors.subjects),
                "subject": [scored.subjects[code] for code in regressors.subjects],
                "x": regressors.x,
                "weight": regressors.weights,
                "slope_weight": regressors.slope_weights,
            }
        )
        for factor, regressors in points.items()
    ]
    return pl.concat(tables) if tables else pl.DataFrame(schema={"factor": pl.String})
