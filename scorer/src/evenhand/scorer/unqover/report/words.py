"""The words in which UnQover's numbers are told."""

# ruff: noqa: RUF001 - the symbols are the paper's

from collections.abc import Callable
from typing import NamedTuple

from evenhand.contract.report import Metric
from evenhand.scorer.report import numbers
from evenhand.scorer.report.words import null_text

BENCHMARK = "UnQover"
QUESTION = "Whom does the model choose when the text gives no answer?"
CAVEAT = (
    "A rank or a preference describes what these models did with these sentences. It is no"
    " statement about the groups."
)


class ClassWords(NamedTuple):
    """How a subject class is spoken of."""

    title: str
    follows: str
    """What the choices follow, e.g. ``the subject’s religion``."""
    subjects: str
    """Plural, e.g. ``religions``."""
    is_unfavourable: bool
    """True where every attribute is unfavourable, so that being chosen is a bias against."""


_CLASSES = {
    "religion": ClassWords("Religion", "the subject’s religion", "religions", True),
    "ethnicity": ClassWords("Ethnicity", "the subject’s ethnicity", "ethnicities", True),
    "nationality": ClassWords("Nationality", "the subject’s nationality", "nationalities", True),
    "gender_occupation": ClassWords(
        "Gender and occupation", "the name or its gender", "names", False
    ),
}
_MASKED = "_mlm"


def class_words(config: str) -> ClassWords:
    """Return the words for a config; a config of the user's own is spoken of in general.

    >>> class_words("religion_mlm").title
    'Religion (masked language model)'
    """
    name = config.removesuffix(_MASKED)
    plain = name.replace("_", " ").strip().capitalize() or "Unnamed config"
    words = _CLASSES.get(name, ClassWords(plain, "the subject", "subjects", False))
    if config.endswith(_MASKED):
        return words._replace(title=f"{words.title} (masked language model)")
    return words


class MetricWords(NamedTuple):
    """How a metric is spoken of."""

    symbol: str
    name: str
    reading: str
    """What 0 and more mean."""


METRICS = {
    "unqover.mu": MetricWords(
        "μ", "model bias intensity", "0: no preference at all; read it against its null reference"
    ),
    "unqover.eta": MetricWords(
        "η",
        "consistency of preferences",
        "0: wins and losses balance; 1: the same side always wins",
    ),
    "unqover.delta": MetricWords(
        "δ", "positional dependence", "0: the order of the two subjects does not matter"
    ),
    "unqover.epsilon": MetricWords(
        "ε",
        "attribute independence",
        "0: negating the question hands the score to the other subject",
    ),
    "unqover.mean_score": MetricWords(
        "S̄", "mean score", "how much probability the two subjects get at all; no best value"
    ),
    "unqover.flipped_by_position": MetricWords(
        "f", "decisions flipped by position", "0: no decision depends on the order"
    ),
    "unqover.gamma": MetricWords("γ(x)", "subject bias", "0: no preference; one value a subject"),
    "unqover.eta_subject": MetricWords(
        "η(x)", "consistency by subject", "0: wins and losses balance; one value a subject"
    ),
}
_SHARES = {"unqover.flipped_by_position"}


def metric_words(metric_id: str) -> MetricWords:
    """Return a metric's words; one that is unknown here is shown by its id."""
    name = metric_id.rsplit(".", maxsplit=1)[-1].replace("_", " ")
    return METRICS.get(metric_id, MetricWords(metric_id, name, ""))


def interval_writer(metric_id: str) -> Callable[[float], str]:
    """Return how the ends of a metric's interval are written."""
    return numbers.percent if metric_id in _SHARES else numbers.plain


def value_text(metric: Metric) -> str:
    """Write a metric's value; null is written with its reason, never as 0."""
    if metric.value is None:
        return null_text(metric)
    return interval_writer(metric.id)(metric.value)
