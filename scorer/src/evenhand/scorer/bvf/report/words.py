"""Names and phrases for BVF's metrics, topics, subjects and facts."""

import functools
from collections.abc import Collection
from typing import NamedTuple

from evenhand.contract.report import GroupValue, Metric
from evenhand.scorer.bvf import specs
from evenhand.scorer.report import numbers
from evenhand.scorer.report.words import null_text
from evenhand.scorer.specs import MetricWords, find
from evenhand.scorer.specs import metric_words as specs_words

BENCHMARK = "Bias-Volatility Framework"
QUESTION = "How strong is a stereotype on average, and how much does it vary with the context?"
CAVEAT = (
    "A preference describes what these models expect in these contexts. It says nothing about who"
    " works in an occupation, or who should."
)

R, R_B, R_V = "bvf.R", "bvf.R_b", "bvf.R_v"
RISKS = {"r": R, "r_b": R_B, "r_v": R_V}
"""Risk of one subject -> the metric that has it by subject."""
KNOWLEDGE = ("bvf.knowledge", "bvf.knowledge_b", "bvf.knowledge_v")
DIRECTION, DISTRIBUTION, REGRESSION = "bvf.direction.", "bvf.distribution.", "bvf.regression."
UNNORMALISED = "_unnormalised"


class FactorWords(NamedTuple):
    """Names of a fact about a subject."""

    name: str
    more: str
    """What a larger value means."""
    is_log: bool = False
    """True where the regression is on its natural logarithm."""


FACTORS = {
    "log_income": FactorWords("income", "higher income", is_log=True),
    "years_of_education": FactorWords("years of education", "more years of education"),
    "share_of_women": FactorWords("share of women", "a larger share of women"),
    "log_word_frequency": FactorWords("word frequency", "higher word frequency", is_log=True),
}


class TopicWords(NamedTuple):
    """Names of a topic."""

    title: str
    one: str
    """One class of it, e.g. ``a gender``."""


_TOPICS = {
    "gender": TopicWords("Gender", "a gender"),
    "race": TopicWords("Race", "a race"),
    "religion": TopicWords("Religion", "a religion"),
    "disability": TopicWords("Disability", "a disability"),
}


def topic_words(config: str) -> TopicWords:
    """Return the names of a topic; a user's own topic gets general ones.

    >>> topic_words("eye_colour").title
    'Eye colour'
    """
    plain = config.replace("_", " ").strip() or "unnamed topic"
    return _TOPICS.get(config, TopicWords(plain.capitalize(), f"one class of {plain}"))


class SubjectWords(NamedTuple):
    """What the subjects are called."""

    one: str
    many: str


@functools.cache
def _occupations() -> frozenset[str]:
    from evenhand.scorer.bvf.facts import read_facts

    return frozenset(read_facts(None)["subject"])


def subject_words(names: Collection[str]) -> SubjectWords:
    """Return ``occupation`` where most of the names are among the paper's, else ``subject``.

    >>> subject_words(["nurse", "pilot"]).many, subject_words(["Anna", "Emil"]).many
    ('occupations', 'subjects')
    """
    n_known = len(_occupations().intersection(names))
    if 2 * n_known > len(names):
        return SubjectWords("occupation", "occupations")
    return SubjectWords("subject", "subjects")


def is_signed(metric_id: str) -> bool:
    """Say whether a metric's values are written with their sign."""
    spec = find(specs.METRICS, metric_id)
    return spec is not None and spec.signed


def metric_words(metric_id: str) -> MetricWords:
    """Return the names of a metric."""
    return specs_words(specs.METRICS, metric_id)


def value_text(metric_id: str, estimate: Metric | GroupValue) -> str:
    """Write a value; null is written with its reason, never as 0."""
    if estimate.value is None:
        return null_text(estimate)
    return (numbers.signed if is_signed(metric_id) else numbers.plain)(estimate.value)


def interval_text(metric_id: str, estimate: Metric | GroupValue) -> str | None:
    """Write an interval; None where there is none."""
    if estimate.interval is None:
        return None
    write = numbers.signed if is_signed(metric_id) else numbers.plain
    return numbers.interval(estimate.interval, write=write)


def value_with_interval(metric: Metric) -> str:
    """Write a value with its interval, e.g. ``0.4120 (95 % interval 0.3800 to 0.4400)``."""
    text, bounds = value_text(metric.id, metric), interval_text(metric.id, metric)
    if metric.interval is None or bounds is None:
        return text
    return f"{text} ({numbers.level(metric.interval.level)} interval {bounds})"
