"""Declarations of metrics: what is always true of a metric, stated once.

A benchmark declares its metrics in ``METRICS`` of ``evenhand.scorer.<stem>.specs``. From that are
written: unit, range and best value in the metric JSON; the heads of the terminal's tables; names,
readings and methods in the report; labels in the formats of other tools; and the tables of metrics
in the documentation. A new metric is its function and one declaration.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

MINUS = "\N{MINUS SIGN}"


class Paper(NamedTuple):
    """Where definitions come from."""

    short: str
    """As it is cited, e.g. ``Li et al. 2020``."""
    title: str
    """With authors and year, for the head of a list of definitions."""
    link: str | None = None


@dataclass(frozen=True, kw_only=True)
class Definition:
    """A formula, of a metric or of a quantity that metrics are made of."""

    id: str
    """Of a metric the id, a variable part of which stands in braces: ``accuracy_cost.{mean}``
    behind the benchmark's name; of anything else its symbol."""
    symbol: str = ""
    """As the paper writes it; empty where it has none."""
    heading: str = ""
    """What stands above the formula; a metric's label unless another one is given."""
    formula: str
    """In one line of plain text."""
    mathml: str
    """The same in MathML, through :mod:`evenhand.scorer.mathml`."""
    explanation: str
    """What the formula runs over, and what about it is not obvious."""
    section: str
    """Of the paper, with numbers of equations and tables where there are any."""
    paper: Paper

    @property
    def title(self) -> str:
        """What stands above the formula, with its symbol."""
        if self.symbol:
            return f"{self.symbol} · {self.heading}"
        return self.heading[:1].upper() + self.heading[1:]

    @property
    def source(self) -> str:
        """The paper and the place in it."""
        return f"{self.paper.short}, {self.section}"


@dataclass(frozen=True, kw_only=True)
class MetricSpec(Definition):
    """A metric, or a family of metrics whose ids differ in one part."""

    function: Callable[..., Any]
    """The formula in code, of which the docstring is the definition."""
    unit: str
    range: tuple[float, float] | None
    """None where it depends on the data; then the metric JSON has that of the data."""
    range_text: str = ""
    """How a range that depends on the data is written."""
    best: float | None
    """The value of an ideal model, to which nearer is better; None where no value is better."""
    signed: bool = False
    """True where the sign is a direction and 0 is neither, so that it is tested against 0."""
    label: str
    """Name for people, in running text; ``{}`` stands for the variable part of the id."""
    short: str
    """Head of its column in a terminal's tables."""
    column: str
    """Head of its column in the report's tables, and its name in narrow figures."""
    reading: str
    """How to read 0, the ends of the range and the sign, in a few words."""
    why_null: str
    """What is missing where there is no value."""
    variants: Mapping[str, str] = field(default_factory=dict)
    """Variable part of the id -> its wording; empty where it may be anything."""

    def __post_init__(self) -> None:
        """Take the label as heading where no other is given."""
        if not self.heading:
            object.__setattr__(self, "heading", self.label)

    @property
    def base(self) -> str:
        """The id without its variable part."""
        return self.id.partition("{")[0].removesuffix(".")

    def variant(self, metric_id: str) -> str | None:
        """Return the variable part of an id, empty where it has none; None for another metric's."""
        before, brace, after = self.id.partition("{")
        if not brace:
            return "" if metric_id == self.id else None
        after = after.partition("}")[2]
        name = metric_id.removeprefix(before).removesuffix(after)
        if not name or metric_id != f"{before}{name}{after}":
            return None
        return name if name in self.variants or not self.variants else None

    def id_for(self, variant: str) -> str:
        """Return the id of one metric of the family."""
        before, brace, after = self.id.partition("{")
        return f"{before}{variant}{after.partition('}')[2]}" if brace else self.id

    def label_for(self, metric_id: str) -> str:
        """Return the label of one metric of the family."""
        name = self.variant(metric_id) or ""
        words = self.variants.get(name, name)
        if "{}" in self.label:
            return self.label.format(words)
        return f"{self.label}, {words}" if words else self.label

    @property
    def range_words(self) -> str:
        """The range as text, with true minus signs."""
        if self.range is None:
            return self.range_text
        low, high = (f"{end:g}".replace("-", MINUS) for end in self.range)
        return f"[{low}, {high}]"


Spec = TypeVar("Spec", bound=MetricSpec)


def find(specs: Iterable[Spec], metric_id: str) -> Spec | None:
    """Return the declaration of a metric; None for one that this version does not know."""
    return next((spec for spec in specs if spec.variant(metric_id) is not None), None)


class MetricWords(NamedTuple):
    """The wording for a metric."""

    symbol: str
    label: str
    reading: str


def metric_words(specs: Iterable[MetricSpec], metric_id: str) -> MetricWords:
    """Return the wording for a metric; one that this version does not know is named by its id.

    >>> metric_words([], "stem.accuracy.ambiguous.pooled").label
    'accuracy, ambiguous, pooled'
    """
    spec = find(specs, metric_id)
    if spec is not None:
        return MetricWords(spec.symbol, spec.label_for(metric_id), spec.reading)
    label = metric_id.split(".", maxsplit=1)[-1].replace("_", " ").replace(".", ", ")
    return MetricWords("", label, "")


def reported_specs(specs: Iterable[Spec], metric_ids: Iterable[str]) -> list[Spec]:
    """Return the declarations of the metrics with these ids; one of several with one definition."""
    ids = list(metric_ids)
    first: dict[tuple[str, str], Spec] = {}
    for spec in specs:
        if any(spec.variant(metric_id) is not None for metric_id in ids):
            first.setdefault((spec.heading, spec.formula), spec)
    return list(first.values())
