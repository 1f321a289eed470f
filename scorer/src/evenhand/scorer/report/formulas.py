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
            id=own.base if isinstance(own, MetricSpec) else own.id,
            name=own.title,
            mathml=Markup(display(own.mathml)),  # noqa: S704 - no part comes from a file
            text=own.formula,
            reading=own.explanation,
            source=own.source,
            link=own.paper.link,
        )
        for own in definitions
    ]
