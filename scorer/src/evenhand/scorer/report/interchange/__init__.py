"""Metric files in other tools' formats, one module per format.

Each module has ``write(results, stated) -> Written``. What a metric file cannot know (who ran it,
where the dataset is on the Hub, when) comes from options; where a format requires one that was not
given, the refusal names it.
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
"""Relationship of the evaluator to the model's developer (Every Eval Ever's terms)."""


class _Form(Protocol):
    """A module of this package."""

    def write(self, reports: "Sequence[ReadReport]", stated: "Stated") -> "Written":
        """Return the file's text and what it leaves out."""


def write(form: str, reports: "Sequence[ReadReport]", stated: "Stated") -> "Written":
    """Write one model's metric files in one of :data:`FORMS`.

    Raises:
        DataRefused: the files are of several models, two of them hold the same number, or the
            format requires an option that was not given.
    """
    name = f"{__name__}.{form.replace('-', '_')}"
    return cast("_Form", importlib.import_module(name)).write(reports, stated)
