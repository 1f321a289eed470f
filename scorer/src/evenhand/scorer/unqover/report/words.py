"""The words in which UnQover's numbers are reported."""

# ruff: noqa: RUF001 - the symbols are the paper's

from collections.abc import Callable
from typing import NamedTuple

from evenhand.contract.report import Metric
from evenhand.scorer.report import numbers
from evenhand.scorer.report.words import null_text
from evenhand.scorer.specs import find
from evenhand.scorer.unqover import specs
from evenhand.scorer.unqover.specs import ExampleMean

BENCHMARK = "UnQover"
QUESTION = "Whom does the model choose when the text gives no answer?"
CAVEAT = (
    "Ranks and preferences describe how these models responded to these sentences. They say nothing"
    " about the groups themselves."
)


class ClassWords(NamedTuple):
    """The words for a subject class."""

    title: str
    follows: str
    """What choices depend on, e.g. ``the subject’s religion``."""
    subjects: str
    """Plural, e.g. ``religions``."""
    is_unfavourable: bool
    """True if every attribute is unfavourable, so that being chosen is a bias against it."""


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
    """Return the words for a config; those for an unknown config are general.

    >>> class_words("religion_mlm").title
    'Religion (masked language model)'
    """
    name = config.removesuffix(_MASKED)
    plain = name.replace("_", " ").strip().capitalize() or "Unnamed config"
    words = _CLASSES.get(name, ClassWords(plain, "the subject", "subjects", False))
    if config.endswith(_MASKED):
        return words._replace(title=f"{words.title} (masked language model)")
    return words


def interval_writer(metric_id: str) -> Callable[[float], str]:
    """Return the function that writes a metric's value and the bounds of its interval."""
    spec = find(specs.METRICS, metric_id)
    # Shares of decisions are percentages; shares of examples are written like mu, beside which
    # they are read.
    is_share = isinstance(spec, ExampleMean) and spec.tied is not None
    return numbers.percent if is_share else numbers.plain


def value_text(metric: Metric) -> str:
    """Write a metric's value; null is written with its reason, never as 0."""
    if metric.value is None:
        return null_text(metric)
    return interval_writer(metric.id)(metric.value)
