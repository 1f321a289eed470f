"""The values of metric files, one by one, as the other formats take them."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from evenhand.contract.errors import DataRefused
from evenhand.contract.report import GroupValue, Interval, Metric, Report
from evenhand.scorer.benchmark import benchmark
from evenhand.scorer.report.reading import ReadReport
from evenhand.scorer.specs import metric_words

WHOLE = "all"
"""The config of a metric over all configs together."""

Direction = Literal["higher", "lower", "towards", "none"]
"""Which way is better; ``towards``: the best value lies inside the range, as 0 for a signed
score; ``none``: no value is better than another."""


class Written(NamedTuple):
    """A file's text, and a sentence for each number that it leaves out."""

    text: str
    left_out: list[str]


class MetricResult(NamedTuple):
    """One number."""

    source: ReadReport
    metric: Metric
    config: str
    """:data:`WHOLE`, or the config."""
    value: float
    interval: Interval | None
    n_scored: int
    n_unscored: int | None
    """None for one of several configs: the metric file counts these for the whole."""

    @property
    def name(self) -> str:
        """The metric's id, with the config for a metric of one."""
        return self.metric.id if self.config == WHOLE else f"{self.metric.id}.{self.config}"

    @property
    def label(self) -> str:
        """The metric's name for people."""
        known = benchmark(self.source.report.dataset.stem).metrics
        return metric_words(known, self.metric.id).label


def direction(metric: Metric) -> Direction:
    """Say which way a metric is better."""
    if metric.best is None:
        return "none"
    if metric.best == metric.range[1]:
        return "higher"
    return "lower" if metric.best == metric.range[0] else "towards"


def collect_results(
    reports: Sequence[ReadReport], *, by_config: bool
) -> tuple[list[MetricResult], list[str]]:
    """Return all numbers, and a sentence for each that is null.

    Args:
        reports: metric files of one model.
        by_config: include the numbers of each config, where a metric is over several.

    Raises:
        DataRefused: two files hold the same number.
    """
    results: list[MetricResult] = []
    left_out: list[str] = []
    for read in reports:
        for metric in read.report.metrics:
            results += [_whole_result(read, metric)] if metric.value is not None else []
            left_out += _why_not(metric)
            if by_config:
                values, missing = _config_results(read, metric)
                results, left_out = results + values, left_out + missing
    _check_unique(results)
    return results, left_out


def _whole_result(read: ReadReport, metric: Metric) -> MetricResult:
    assert metric.value is not None
    return MetricResult(
        read, metric, metric.config, metric.value, metric.interval, metric.n_scored,
        metric.n_unscored,
    )  # fmt: skip


def _why_not(metric: Metric) -> list[str]:
    """Say that a metric is null; one that has values by group alone has no number to leave out."""
    if metric.value is not None:
        return []
    where = "" if metric.config == WHOLE else f" of {metric.config}"
    return [
        f"{metric.id}{where} is left out because it is null: {metric.why_null or 'no reason given'}"
    ]


def _config_results(read: ReadReport, metric: Metric) -> tuple[list[MetricResult], list[str]]:
    values, missing = [], []
    for config, group in config_values(read.report, metric):
        if group.value is None:
            reason = group.why_null or "no reason given"
            missing.append(f"{metric.id} of {config} is left out because it is null: {reason}")
            continue
        values.append(
            MetricResult(read, metric, config, group.value, group.interval, group.n_scored, None)
        )
    return values, missing


def config_values(report: Report, metric: Metric) -> Iterator[tuple[str, GroupValue]]:
    """Yield each config with its value, where a metric over all configs has values by config."""
    if metric.config != WHOLE:
        return
    for members in metric.by.values():
        if set(members) <= set(report.configs):
            yield from members.items()
            return


def _check_unique(results: Sequence[MetricResult]) -> None:
    seen: dict[str, ReadReport] = {}
    for result in results:
        first = seen.setdefault(f"{result.name} {result.config}", result.source)
        if first is not result.source:
            raise DataRefused(
                f"{first.path} and {result.source.path} both hold {result.name}; a file of one"
                " model has room for one of them: leave one metric file out."
            )
