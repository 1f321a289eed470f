"""The definitions of metrics as the report's methods show them."""

from collections.abc import Iterable

from markupsafe import Markup

from evenhand.scorer.mathml import display
from evenhand.scorer.report.blocks import Formula
from evenhand.scorer.specs import Definition, MetricSpec


def formulas(definitions: Iterable[Definition]) -> list[Formula]:
    """Return each definition with formula, explanation and source."""
    return [
        Formula(
            id=definition.base if isinstance(definition, MetricSpec) else definition.id,
            name=definition.title,
            mathml=Markup(display(definition.mathml)),  # noqa: S704 - no part comes from a file
            text=definition.formula,
            reading=definition.explanation,
            source=definition.source,
            link=definition.paper.link,
        )
        for definition in definitions
    ]
