"""Finds BVF's numbers of one topic in a metric file."""

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
"""In the paper's figures of gender above 0 is male."""
_ROUNDING = 1e-9
"""A preference of less is that of even probabilities, rounded."""
_FEWEST_PATTERNS = 20
"""One pattern of so many is 5 % of them: of fewer, none lies above the 95 % quantile."""


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
    """Say whether a risk is above where 95 of 100 would lie if nothing were there."""
    if metric is None or metric.value is None or metric.null_reference is None:
        return False
    return metric.value > metric.null_reference.quantile_95


class Association(NamedTuple):
    """The class that a subject is tied to most."""

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
        """How the topic is spoken of."""
        return topic_words(self.config)

    @cached_property
    def nouns(self) -> SubjectWords:
        """What the subjects are called."""
        return subject_words(list(self._groups("r")))

    @cached_property
    def directions(self) -> dict[str, Metric]:
        """Class -> its mean preference, in the order in which the classes are told."""
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
        """The largest stereotype there can be, what the risks are divided by."""
        return max((metric.range[1] for metric in self.directions.values()), default=1.0)

    @property
    def is_two_sided(self) -> bool:
        """True where what one class wins the other loses."""
        return len(self.directions) == 2

    def metric(self, metric_id: str) -> Metric | None:
        """Return a metric of the topic."""
        return find_metric(self.report, metric_id, self.config)

    def values(self, risk: str) -> dict[str, float]:
        """Return subject -> ``r``, ``r_b`` or ``r_v``, of those that have one."""
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
        """Subject -> the class that it is tied to; nothing where no class is preferred."""
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
        """How many subjects are tied to their class by more than chance."""
        return sum(association.is_significant for association in self.associations.values())

    @property
    def is_scored(self) -> bool:
        """True where the file has the risks, and not another criterion's numbers."""
        return self.metric(RISKS["r"]) is not None


def can_exceed(metrics: Iterable[Metric | None], n_classes: int) -> bool:
    """Say whether any model's bias risk could lie above its null reference.

    Exchanging the classes of whole contexts gives (Y!)^(C - 1) patterns that differ. The observed
    one is one of them, so of fewer than twenty it cannot be beyond 95 %.

    Args:
        metrics: over the same contexts, of which one with an interval says how many they are.
        n_classes: Y.
    """
    counts = [metric.interval.n_clusters for metric in metrics if metric and metric.interval]
    if not counts:
        return False
    n_patterns: int = factorial(n_classes) ** (max(counts) - 1)
    return n_patterns > _FEWEST_PATTERNS


def results_by_topic(results: Sequence[ModelResult]) -> Iterator[tuple[str, list[TopicResult]]]:
    """Yield each topic with the models that were scored on it, in the order in which they occur."""
    for config in list_configs(results):
        yield config, [TopicResult(run, config) for run in results if config in run.report.configs]


def list_configs(results: Iterable[ModelResult]) -> list[str]:
    """Return all topics in the order in which they first occur."""
    return list(dict.fromkeys(config for result in results for config in result.report.configs))
