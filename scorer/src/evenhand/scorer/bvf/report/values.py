"""Looks up BVF's values for one topic in a metric file."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import factorial
from typing import NamedTuple

from evenhand.contract.report import GroupValue, Metric, Report
from evenhand.scorer.bvf.report.words import (
    DIRECTION,
    RISKS,
    SubjectWords,
    TopicWords,
    subject_words,
    topic_words,
)
from evenhand.scorer.report.reading import ModelResult

_FIRST = "male"
"""In the paper's figures on gender, values above 0 mean male."""
_ROUNDING = 1e-9
"""Smaller preferences are rounding errors of equal probabilities."""
_FEWEST_PATTERNS = 20
"""With fewer permutations, not even the largest value exceeds the 95th percentile."""


def find_metric(report: Report, metric_id: str, config: str) -> Metric | None:
    """Return one metric of one topic, or None where the file does not have it."""
    return next(
        (metric for metric in report.metrics if metric.id == metric_id and metric.config == config),
        None,
    )


def differs(value: GroupValue, report: Report) -> bool:
    """Say whether a preference differs from 0 after Holm's correction at the report's level."""
    return value.p_holm is not None and value.p_holm < 1 - report.level


def exceeds_chance(metric: Metric | None) -> bool:
    """Say whether a risk exceeds the 95th percentile of its null distribution."""
    if metric is None or metric.value is None or metric.null_reference is None:
        return False
    return metric.value > metric.null_reference.quantile_95


class Association(NamedTuple):
    """The class that a subject is most associated with."""

    name: str
    value: float
    """Its mean stereotype."""
    is_significant: bool
    """True where it differs from 0 after Holm's correction."""


@dataclass(frozen=True)
class TopicResult:
    """One model on one topic."""

    run: ModelResult
    config: str

    @property
    def report(self) -> Report:
        """The metric file."""
        return self.run.report

    @property
    def label(self) -> str:
        """The model's name."""
        return self.run.label

    @property
    def words(self) -> TopicWords:
        """Names of the topic."""
        return topic_words(self.config)

    @cached_property
    def nouns(self) -> SubjectWords:
        """The noun for the subjects."""
        return subject_words(list(self._groups("r")))

    @cached_property
    def directions(self) -> dict[str, Metric]:
        """Class -> its mean preference, in the order of the report."""
        by_class = {
            metric.id.removeprefix(DIRECTION): metric
            for metric in self.report.metrics
            if metric.config == self.config and metric.id.startswith(DIRECTION)
        }
        return {name: by_class[name] for name in sorted(by_class, key=lambda name: name != _FIRST)}

    @property
    def classes(self) -> list[str]:
        """The classes of Y."""
        return list(self.directions)

    @property
    def largest(self) -> float:
        """The largest possible stereotype, by which the risks are divided."""
        return max((metric.range[1] for metric in self.directions.values()), default=1.0)

    @property
    def is_two_sided(self) -> bool:
        """True for two classes, whose preferences are opposite."""
        return len(self.directions) == 2

    def metric(self, metric_id: str) -> Metric | None:
        """Return a metric of the topic."""
        return find_metric(self.report, metric_id, self.config)

    def values(self, risk: str) -> dict[str, float]:
        """Return subject -> ``r``, ``r_b`` or ``r_v``, where it has a value."""
        return {
            name: group.value
            for name, group in self._groups(risk).items()
            if group.value is not None
        }

    def _groups(self, risk: str) -> dict[str, GroupValue]:
        metric = self.metric(RISKS[risk])
        return {} if metric is None else metric.by.get("subject", {})

    @cached_property
    def ranking(self) -> list[str]:
        """The subjects that have a risk, the most stereotyped first."""
        risks = self.values("r")
        return sorted(risks, key=lambda name: (-risks[name], name))

    @cached_property
    def associations(self) -> dict[str, Association]:
        """Subject -> the class it is associated with; left out without one."""
        strongest: dict[str, Association] = {}
        for name, metric in self.directions.items():
            for subject, group in metric.by.get("subject", {}).items():
                best = strongest[subject].value if subject in strongest else _ROUNDING
                if group.value is not None and group.value > best:
                    strongest[subject] = Association(name, group.value, differs(group, self.report))
        return strongest

    def preference(self, name: str, subject: str) -> GroupValue | None:
        """Return the mean stereotype of a class about a subject."""
        metric = self.directions.get(name)
        return None if metric is None else metric.by.get("subject", {}).get(subject)

    @property
    def n_significant(self) -> int:
        """Number of subjects with a significant association."""
        return sum(association.is_significant for association in self.associations.values())

    @property
    def is_scored(self) -> bool:
        """True where the file has the risks, rather than the metrics of another criterion."""
        return self.metric(RISKS["r"]) is not None


def can_exceed(metrics: Iterable[Metric | None], n_classes: int) -> bool:
    """Say whether any model's bias risk could exceed its null reference.

    Permuting the classes within whole contexts gives (Y!)^(C - 1) distinct permutations, one of
    which is the observed one. With fewer than twenty it cannot lie above the 95th percentile.

    Args:
        metrics: of the same contexts; the interval of one of them has their number.
        n_classes: Y.
    """
    counts = [metric.interval.n_clusters for metric in metrics if metric and metric.interval]
    if not counts:
        return False
    n_patterns: int = factorial(n_classes) ** (max(counts) - 1)
    return n_patterns > _FEWEST_PATTERNS


def results_by_topic(results: Sequence[ModelResult]) -> Iterator[tuple[str, list[TopicResult]]]:
    """Yield each topic with the models that were scored on it, in order of first occurrence."""
    for config in list_configs(results):
        yield config, [TopicResult(run, config) for run in results if config in run.report.configs]


def list_configs(results: Iterable[ModelResult]) -> list[str]:
    """Return all topics in order of first occurrence."""
    return list(dict.fromkeys(config for result in results for config in result.report.configs))
