"""The Hub's ``.eval_results/*.yaml``: a list, one entry per number.

Source: hub-docs, ``docs/hub/eval-results.md``. An entry's ``task_id`` holds one number, so each
metric has a task of its own: the metric's id, with the config where it is of one. A signed score
keeps its sign.
"""

from collections.abc import Sequence
from typing import Any

from evenhand.scorer.report.interchange.metric_results import (
    MetricResult,
    Written,
    collect_results,
    direction,
)
from evenhand.scorer.report.interchange.stated import Stated, check_one_model, hub_repository
from evenhand.scorer.report.interchange.yaml_text import yaml_text
from evenhand.scorer.report.reading import ReadReport

_FORM = "eval-results"


def write(reports: Sequence[ReadReport], stated: Stated) -> Written:
    """Return the YAML of one model's numbers over all configs together."""
    check_one_model(reports)
    values, left_out = collect_results(reports, by_config=False)
    return Written(yaml_text([_entry(result, stated) for result in values]), left_out)


def _entry(result: MetricResult, stated: Stated) -> dict[str, Any]:
    stem = result.source.report.dataset.stem
    dataset = {
        "id": hub_repository(result.source, stated, form=_FORM),
        "task_id": result.name,
        "revision": stated.dataset_revisions.get(stem),
    }
    source = {"url": stated.source_url, "name": stated.source_name}
    entry = {
        "dataset": _drop_missing(dataset),
        "value": result.value,
        "date": stated.date.isoformat() if stated.date else None,
        "source": _drop_missing(source) or None,
        "notes": _notes(result),
    }
    return _drop_missing(entry)


def _drop_missing(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _notes(result: MetricResult) -> str:
    report, words = result.source.report, [result.label]
    if direction(result.metric) == "towards":
        words.append(f"{result.metric.best:g} is best, either side is worse")
    if result.interval is not None:
        bounds = f"{result.interval.low:.4f} to {result.interval.high:.4f}"
        words.append(
            f"{100 * result.interval.level:g} % interval {bounds} ({result.interval.method})"
        )
    words.append(f"n_scored {result.n_scored}, n_unscored {result.n_unscored}")
    words.append(f"protocol {report.protocol}")
    if report.dataset.version:
        words.append(f"dataset version {report.dataset.version}")
    return "; ".join([*words, f"Evenhand {report.scorer_version}"])
