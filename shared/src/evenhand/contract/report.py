"""The metric JSON: what was measured, on how many rows, how sure it is, and how it was made."""

from typing import Any

import msgspec

from evenhand.contract.predictions import ModelReference
from evenhand.contract.tables import render_html, render_rows


class Interval(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A confidence interval over clusters of rows."""

    low: float
    high: float
    level: float
    """Coverage that is aimed at, e.g. 0.95."""
    method: str
    """``percentile_bootstrap``, ``bca_bootstrap`` or ``studentised_jackknife``."""
    n_resamples: int
    """Bootstrap resamples; 0 where the method draws none."""
    seed: int
    cluster: str
    """What a cluster is, e.g. ``template``."""
    n_clusters: int
    few_clusters: bool
    """True under 30 clusters: the interval is studentised and less sure than its level says."""


class NullReference(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where an index that cannot be negative would lie if nothing were there."""

    mean: float
    quantile_95: float
    method: str
    """``cluster_sign_flips`` or ``random_pairing``; the benchmark's page defines both."""
    n_draws: int
    """Sign patterns used (all of them where they are few); 0 where the moments are exact."""


class GroupValue(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A metric for one group."""

    value: float | None
    n_scored: int
    why_null: str | None = None
    interval: Interval | None = None
    p_value: float | None = None
    """Two-sided, that the value is 0, over clusters; null where it cannot be had."""
    p_holm: float | None = None
    """The same after Holm's correction over the groups of this metric."""


class Metric(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One number of a benchmark."""

    id: str
    """Stable, e.g. ``unqover.mu``."""
    config: str
    value: float | None
    unit: str
    range: tuple[float, float]
    best: float | None
    """The value an unbiased model has; null where there is no best value."""
    n_scored: int
    n_unscored: int
    signature: str
    shelf: str = "paper"
    """``paper`` or ``beyond`` (ours, in no paper)."""
    why_null: str | None = None
    interval: Interval | None = None
    null_reference: NullReference | None = None
    by: dict[str, dict[str, GroupValue]] = {}
    """dimension -> group -> value, e.g. ``{"subject": {"arab": ...}}``."""


class DatasetRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The dataset that was scored on."""

    stem: str
    version: str | None
    digest: str | None
    """``content_digest``; null with a reason where a file that describes itself was scored."""
    why_null: str | None = None


class PredictionsRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One predictions file that was read."""

    name: str
    sha256: str
    bytes: int
    reader: str
    model: ModelReference | None = None


class SideFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file written beside the metric JSON, by name and digest."""

    name: str
    sha256: str


class Report(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A whole ``metrics.json``."""

    contract_version: str
    dataset: DatasetRecord
    predictions: list[PredictionsRecord]
    scorer_version: str
    protocol: str
    seed: int
    resamples: int
    level: float
    configs: list[str]
    metrics: list[Metric]
    warnings: list[str]
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
        own = [found for found in self.metrics if found.id == metric]
        if not own:
            raise KeyError(f"There is no metric {metric}.")
        return [
            {
                "config": found.config,
                dimension: name,
                **_numbers(group),
                "p_value": group.p_value,
                "p_holm": group.p_holm,
                "why_null": group.why_null,
            }
            for found in own
            for name, group in found.by[dimension].items()
        ]

    def __str__(self) -> str:
        """Return the metrics as a table for a terminal."""
        return render_rows(self.rows(), "table")

    def _repr_html_(self) -> str:
        """Return the metrics as a table for a notebook."""
        caption = f"{self.dataset.stem} {self.dataset.version or ''}".strip()
        return render_html(self.rows(), caption)


def _numbers(found: Metric | GroupValue) -> dict[str, Any]:
    return {
        "value": found.value,
        "low": found.interval.low if found.interval else None,
        "high": found.interval.high if found.interval else None,
        "n_scored": found.n_scored,
    }


def signature(parts: dict[str, str | int | float | None]) -> str:
    """Render how a number was made; it is for people and is never parsed.

    >>> signature({"metric": "unqover.mu", "config": "religion", "seed": 0})
    'metric:unqover.mu|config:religion|seed:0'
    """
    return "|".join(f"{name}:{value}" for name, value in parts.items() if value is not None)
