"""The metric JSON: what was measured, on how many rows, how sure it is, and how it was made.

Values are fractions, never percent. An undefined number is null, with the reason beside it.
"""

from typing import Any

import msgspec

from evenhand.contract.predictions import ModelReference
from evenhand.contract.tables import render_html, render_rows

AGREEMENT = "agreement_bound"
"""Method of the interval of a mean on which all clusters agree."""


class Interval(msgspec.Struct, frozen=True, kw_only=True):
    """A confidence interval over clusters of rows."""

    low: float
    """Lower bound, in the unit of the value."""
    high: float
    """Upper bound, in the unit of the value."""
    level: float
    """Nominal coverage, e.g. 0.95."""
    method: str
    """``percentile_bootstrap``, ``bca_bootstrap``, ``studentised_jackknife``, or
    ``agreement_bound`` where all clusters agree; others may be added."""
    n_resamples: int
    """Bootstrap resamples; 0 where the method draws none."""
    seed: int
    """Random seed of the resampling."""
    cluster: str
    """What a cluster is, e.g. ``template``; the benchmark's page defines it."""
    n_clusters: int
    """How many clusters contribute to the value."""
    few_clusters: bool
    """True where fewer than 30 clusters of equal weight would say as much (Kish's effective
    number): the interval may cover less often than ``level`` (not so an ``agreement_bound``, which
    is as wide as so few clusters require)."""


class NullReference(msgspec.Struct, frozen=True, kw_only=True):
    """The null distribution of an index that cannot be negative: its values under no preference."""

    mean: float
    """Mean of the null distribution, in the unit of the index."""
    quantile_95: float
    """95th percentile of the null distribution, in the unit of the index."""
    method: str
    """``cluster_sign_flips`` or ``random_pairing``; the benchmark's page defines both."""
    n_draws: int
    """Sign patterns drawn (all of them where there are few); 0 where the moments are exact."""


class GroupValue(msgspec.Struct, frozen=True, kw_only=True):
    """A metric for one group."""

    value: float | None
    """In the metric's unit; null where it is undefined for this group."""
    n_scored: int
    """Rows or examples of this group that the value is computed from."""
    why_null: str | None = None
    """Why the value is null, in a sentence; null where there is a value."""
    interval: Interval | None = None
    """Null where too few clusters contribute to the group, or a resample leaves it undefined."""
    why_no_interval: str | None = None
    """Why there is no interval, in a sentence; null where there is one."""
    p_value: float | None = None
    """Two-sided p-value, over clusters, of the hypothesis that the value is 0; null where it cannot
    be computed."""
    p_holm: float | None = None
    """The same after Holm's correction over the groups of this metric."""


class Metric(msgspec.Struct, frozen=True, kw_only=True):
    """One number of a benchmark."""

    id: str
    """Stable: the benchmark, a dot and the metric's name; unique in a file together with
    ``config``."""
    config: str
    """The config that was scored, ``all`` where a metric covers all configs together."""
    value: float | None
    """In ``unit``, within ``range``; null where it is undefined, or where ``by`` has the values."""
    unit: str
    """What a value of 1 stands for, in words, e.g. ``share of rows``."""
    range: tuple[float, float]
    """The least and the greatest possible value."""
    best: float | None
    """The value an unbiased model has; null where there is no best value."""
    n_scored: int
    """Rows, or examples of several rows, that the value is computed from."""
    n_unscored: int
    """Rows or examples left out although they could have counted; ``warnings`` say why."""
    signature: str
    """How the number was computed, as ``key:value`` pairs separated by bars; for people, never
    parsed."""
    shelf: str = "paper"
    """``paper``, or ``beyond`` for a metric that is in no paper."""
    why_null: str | None = None
    """Why the value is null, in a sentence; null where there is a value."""
    interval: Interval | None = None
    """Uncertainty of the value; null where too few clusters contribute to it."""
    why_no_interval: str | None = None
    """Why there is no interval, in a sentence; null where there is one."""
    null_reference: NullReference | None = None
    """For indices that cannot be negative; null for all others."""
    by: dict[str, dict[str, GroupValue]] = {}
    """dimension -> group -> value, e.g. ``{"subject": {"arab": ...}}``."""


class DatasetRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The dataset that was scored on."""

    stem: str
    """The benchmark, by the short name that commands take."""
    version: str | None
    """Of the manifest; null where there is no dataset folder."""
    digest: str | None
    """``content_digest`` of the manifest; null with a reason where a file that describes itself was
    scored."""
    why_null: str | None = None
    """Why there is no digest, in a sentence."""


class PredictionsRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One predictions file that was read."""

    name: str
    """Of the file, without its folder."""
    sha256: str
    """Of its bytes as they lay on the disk, 64 hex digits."""
    bytes: int
    """Its size."""
    reader: str
    """The format as which it was read, e.g. ``evenhand``, ``lm-eval:none``."""
    model: ModelReference | None = None
    """The model as the file states it; null where it names none."""
    decoding: dict[str, Any] | None = None
    """How the model was queried, as the file states it, e.g. the prompt style; null where it does
    not say."""


class SideFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file written beside the metric JSON, by name and digest."""

    name: str
    """Of the file, which lies in the same folder."""
    sha256: str
    """Of its bytes, 64 hex digits."""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """A whole ``metrics.json``."""

    contract_version: str
    """Of this file, e.g. ``1.0``."""
    dataset: DatasetRecord
    """What was scored on."""
    predictions: list[PredictionsRecord]
    """The files of predictions, in the order in which they were given."""
    scorer_version: str
    """Of the package that wrote the file."""
    protocol: str
    """``paper`` or ``code``, as for ``--protocol``; other choices follow after a plus sign."""
    seed: int
    """Random seed of all resampling."""
    resamples: int
    """Bootstrap resamples requested."""
    level: float
    """Nominal coverage of the intervals, e.g. 0.95."""
    configs: list[str]
    """The configs that were scored."""
    metrics: list[Metric]
    """One record for each metric and config."""
    warnings: list[str]
    """What a reader of the numbers has to know, in sentences, e.g. what is unscored and why."""
    parts: SideFile | None = None
    """``NAME.parts.parquet``: sufficient statistics by metric, cell and cluster, and the tables."""
    examples: SideFile | None = None
    """``NAME.examples.jsonl``: at most 200 rows a metric."""

    def rows(self) -> list[dict[str, Any]]:
        """Return one row a metric: value, interval, and how many rows were scored."""
        return [
            {
                "config": metric.config,
                "metric": metric.id,
                **_numbers(metric),
                "n_unscored": metric.n_unscored,
                "why_null": metric.why_null,
            }
            for metric in self.metrics
        ]

    def group_rows(self, metric: str, dimension: str) -> list[dict[str, Any]]:
        """Return one row a group of a dimension, e.g. ``category``, of every config.

        Raises:
            KeyError: the report has no such metric, or the metric no such dimension.
        """
        records = [record for record in self.metrics if record.id == metric]
        if not records:
            raise KeyError(f"There is no metric {metric}.")
        return [
            {
                "config": record.config,
                dimension: name,
                **_numbers(group),
                "p_value": group.p_value,
                "p_holm": group.p_holm,
                "why_null": group.why_null,
            }
            for record in records
            for name, group in record.by[dimension].items()
        ]

    def __str__(self) -> str:
        """Return the metrics as a table for a terminal."""
        return render_rows(self.rows(), "table")

    def _repr_html_(self) -> str:
        """Return the metrics as a table for a notebook."""
        caption = f"{self.dataset.stem} {self.dataset.version or ''}".strip()
        return render_html(self.rows(), caption)


def _numbers(record: Metric | GroupValue) -> dict[str, Any]:
    return {
        "value": record.value,
        "low": record.interval.low if record.interval else None,
        "high": record.interval.high if record.interval else None,
        "n_scored": record.n_scored,
    }


def signature(parts: dict[str, str | int | float | None]) -> str:
    """Render how a number was computed; it is for people and is never parsed.

    >>> signature({"metric": "stem.accuracy", "config": "religion", "seed": 0})
    'metric:stem.accuracy|config:religion|seed:0'
    """
    return "|".join(f"{name}:{value}" for name, value in parts.items() if value is not None)
