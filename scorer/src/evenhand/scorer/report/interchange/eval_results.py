"""The Hub's ``.eval_results/*.yaml``: a list, one entry a number.

Source: hub-docs, ``docs/hub/eval-results.md``. An entry's ``task_id`` holds one number, so each
metric has a task of its own: the metric's id, with the config where it is of one. A signed score
keeps its sign.
"""

from collections.abc import Sequence
from typing import Any

from evenhand.scorer.report.interchange.measured import Measured, Written, direction, measured
from evenhand.scorer.report.interchange.stated import Stated, check_one_model, repository_of
from evenhand.scorer.report.interchange.yaml_text import yaml_text
from evenhand.scorer.report.reading import ReadReport

_FORM = "eval-results"


def write(reports: Sequence[ReadReport], stated: Stated) -> Written:
    """Return the YAML of one model's numbers over all configs together."""
    check_one_model(reports)
    values, left_out = measured(reports, by_config=False)
    return Written(yaml_text([_entry(own, stated) for own in values]), left_out)


def _entry(own: Measured, stated: Stated) -> dict[str, Any]:
    stem = own.source.report.dataset.stem
    dataset = {
        "id": repository_of(own.source, stated, form=_FORM),
        "task_id": own.name,
        "revision": stated.dataset_revisions.get(stem),
    }
    source = {"url": stated.source_url, "name": stated.source_name}
    entry = {
        "dataset": _known(dataset),
        "value": own.value,
        "date": stated.date.isoformat() if stated.date else None,
        "source": _known(source) or None,
        "notes": _notes(own),
    }
    return _known(entry)


def _known(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _notes(own: Measured) -> str:
    report, words = own.source.report, [own.label]
    if direction(own.metric) == "towards":
        words.append(f"{own.metric.best:g} is best, either side is worse")
    if own.interval is not None:
        bounds = f"{own.interval.low:.4f} to {own.interval.high:.4f}"
        words.append(f"{100 * own.interval.level:g} % interval {bounds} ({own.interval.method})")
    words.append(f"n_scored {own.n_scored}, n_unscored {own.n_unscored}")
    words.append(f"protocol {report.protocol}")
    if report.dataset.version:
        words.append(f"dataset version {report.dataset.version}")
    return "; ".join([*words, f"Evenhand {report.scorer_version}"])
