"""The words in which BBQ's numbers are reported."""

# ruff: noqa: RUF001, RUF002 - true minus signs, times signs and apostrophes

from collections.abc import Callable

from evenhand.contract.report import GroupValue, Metric
from evenhand.scorer.bbq import specs
from evenhand.scorer.bbq.counts import AMBIGUOUS, DISAMBIGUATED
from evenhand.scorer.report import numbers
from evenhand.scorer.report.words import null_text

BENCHMARK = "BBQ"
QUESTION = (
    "Does the model fall back on stereotypes when the context gives no answer, and even when it"
    " gives one?"
)
CAVEAT = (
    "A score near 0 does not prove that a model is unbiased: answers that agree with stereotypes in"
    " some questions and contradict them in others cancel out. The questions cover stereotypes from"
    " U.S. English-speaking contexts, in short texts."
)

CONDITIONS = {AMBIGUOUS: "Ambiguous contexts", DISAMBIGUATED: "Disambiguated contexts"}

_CATEGORIES = {
    "Age": "Age",
    "Disability_status": "Disability status",
    "Gender_identity": "Gender identity",
    "Nationality": "Nationality",
    "Physical_appearance": "Physical appearance",
    "Race_ethnicity": "Race and ethnicity",
    "Religion": "Religion",
    "SES": "Socio-economic status",
    "Sexual_orientation": "Sexual orientation",
    "Race_x_SES": "Race × socio-economic",
    "Race_x_gender": "Race × gender",
}
_LABEL_TYPES = {"label": "identity labels", "name": "proper names"}
_GROUPS = {
    "M": "men, boys",
    "F": "women, girls",
    "lowSES": "low socio-economic status",
    "highSES": "high socio-economic status",
    "nonOld": "not old",
    "trans": "transgender people",
}


def category_title(name: str) -> str:
    """Return the title of a category; a category that is not the paper's keeps its name.

    >>> category_title("Race_x_gender")
    'Race × gender'
    """
    return _CATEGORIES.get(name, name.replace("_", " "))


def group_title(dimension: str, name: str) -> str:
    """Return the title of a group.

    >>> group_title("subcategory", "SES/work")
    'Socio-economic status: work'
    """
    if dimension == "category":
        return category_title(name)
    if dimension == "label_type":
        return _LABEL_TYPES.get(name, name)
    if dimension == "stereotyped_group":
        return _GROUPS.get(name, name)
    category, slash, group = name.partition("/")
    return f"{category_title(category)}: {group}" if slash else name


BIAS = {name: f"bbq.bias_score.{name}" for name in CONDITIONS}
ACCURACY = {name: f"bbq.accuracy.{name}" for name in CONDITIONS}
COST = "bbq.accuracy_cost"
ALIGNED = "bbq.ambiguous_errors_aligned"


def is_signed(base: str) -> bool:
    """Return whether a metric's values are written with a sign."""
    return any(spec.signed for spec in specs.METRICS if spec.base == base)


def writer(base: str) -> Callable[[float], str]:
    """Return the function that writes a metric's values in running text, as percentages."""
    return numbers.signed_percent if is_signed(base) else numbers.percent


def short(base: str, value: float) -> str:
    """Write a value as a percentage without the % sign, for a column that says so.

    >>> short("bbq.accuracy_cost", -0.02166)
    '−2.17'
    """
    write = numbers.signed if is_signed(base) else numbers.plain
    return write(100 * value, digits=2)


def short_interval(base: str, number: Metric | GroupValue) -> str | None:
    """Write an interval in the same way; None where there is none."""
    if number.interval is None:
        return None
    return numbers.interval(number.interval, write=lambda value: short(base, value))


def value_text(base: str, number: Metric | GroupValue) -> str:
    """Write a value as a percentage; null is written with its reason, never as 0."""
    return null_text(number) if number.value is None else writer(base)(number.value)
