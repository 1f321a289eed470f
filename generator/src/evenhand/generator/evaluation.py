"""``eval.yaml``: the file that registers a dataset on the Hub as a benchmark.

The Hub takes a framework of its own list only, and looks at the file when it is pushed. So the file
is written where a framework of that list can ask the rows, or where the person who publishes names
one (``--register``), e.g. after theirs was listed.
"""

from typing import Any

from evenhand.generator.card import Card, Edition
from evenhand.generator.yaml_text import yaml_text

EVALUATION_NAME = "eval.yaml"
INSPECT = "inspect-ai"


def evaluation_yaml(edition: Edition) -> str | None:
    """Return the text of ``eval.yaml``, or None where no framework is known for the rows."""
    card = edition.card
    framework = edition.publication.framework or (INSPECT if card.inspect else None)
    if framework is None:
        return None
    described = {
        "name": card.name,
        "description": f"{card.summary} {_what_is_scored(card, framework)}",
        "evaluation_framework": framework,
        "tasks": [_task(card, one.name, framework) for one in edition.configs],
    }
    return yaml_text(described)


def _what_is_scored(card: Card, framework: str) -> str:
    if framework == INSPECT and card.inspect:
        return "Inspect computes accuracy; the bias scores are computed by `evenhand score`."
    return "Scores are computed by `evenhand score`."


def _task(card: Card, config: str, framework: str) -> dict[str, Any]:
    task: dict[str, Any] = {
        "id": f"{card.stem}_{config}".lower(),
        "config": config,
        "split": "test",
    }
    if framework == INSPECT and card.inspect:
        task |= {
            "field_spec": card.inspect.field_spec,
            "solvers": list(card.inspect.solvers),
            "scorers": list(card.inspect.scorers),
        }
    return task
