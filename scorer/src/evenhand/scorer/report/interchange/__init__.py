"""Metric files in the formats that others read, one module a format.

Each module has ``write(results, stated) -> Written``. What a metric file cannot know (who ran it,
where the dataset lies on the Hub, when) is taken from what a person states; where a format asks for
it and nobody said it, the sentence of the refusal names the option.
"""

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from evenhand.scorer.report.interchange.metric_results import Written
    from evenhand.scorer.report.interchange.stated import Stated
    from evenhand.scorer.report.reading import ReadReport

FORMS = ("eval-results", "every-eval-ever", "lm-eval", "model-index")

RELATIONSHIPS = ("first_party", "third_party", "collaborative", "other")
"""How whoever evaluated stands to whoever made the model (Every Eval Ever's words)."""


class _Form(Protocol):
    """A module of this package."""

    def write(self, reports: "Sequence[ReadReport]", stated: "Stated") -> "Written":
        """Return the file's text and what it leaves out."""


def write(form: str, reports: "Sequence[ReadReport]", stated: "Stated") -> "Written":
    """Write one model's metric files in one of :data:`FORMS`.

    Raises:
        DataRefused: the files are of several models, two of them hold the same number, or the
            format needs what nobody stated.
    """
    name = f"{__name__}.{form.replace('-', '_')}"
    return cast("_Form", importlib.import_module(name)).write(reports, stated)
