"""The ``model-index`` of a model card: YAML to put into the head of a model's ``README.md``.

Source: hub-docs, ``modelcard.md``. The Hub calls it legacy; leaderboards and tools still read it. A
signed score keeps its sign.
"""

from collections.abc import Sequence
from typing import Any

from evenhand.contract.predictions import ModelReference
from evenhand.scorer.benchmark import benchmark
from evenhand.scorer.report.interchange.metric_results import (
    WHOLE,
    MetricResult,
    Written,
    collect_results,
)
from evenhand.scorer.report.interchange.stated import Stated, hub_repository, stated_model
from evenhand.scorer.report.interchange.yaml_text import yaml_text
from evenhand.scorer.report.reading import ReadReport

_FORM = "model-index"
SPLIT = "test"
"""The only split of Evenhand's datasets."""


def write(reports: Sequence[ReadReport], stated: Stated) -> Written:
    """Return the YAML of one model: a result for all configs together and for each config."""
    model = stated_model(reports, stated)
    values, left_out = collect_results(reports, by_config=True)
    places: dict[tuple[str, str], list[MetricResult]] = {}
    for group in values:
        places.setdefault((group.source.report.dataset.stem, group.config), []).append(group)
    results = [_result(group, model, stated) for group in places.values()]
    return Written(yaml_text({"model-index": [{"name": model.name, "results": results}]}), left_out)


def _result(values: list[MetricResult], model: ModelReference, stated: Stated) -> dict[str, Any]:
    first = values[0]
    dataset, stem = first.source.report.dataset, first.source.report.dataset.stem
    known = benchmark(stem)
    entry: dict[str, Any] = {
        "task": {"type": model.task or known.hub_task, "name": f"{known.title}: social bias"},
        "dataset": {
            "type": hub_repository(first.source, stated, form=_FORM),
            "name": f"{known.title} {dataset.version}" if dataset.version else known.title,
            **({} if first.config == WHOLE else {"config": first.config}),
            "split": SPLIT,
        },
        "metrics": [_metric(value) for value in values],
    }
    if stem in stated.dataset_revisions:
        entry["dataset"]["revision"] = stated.dataset_revisions[stem]
    if stated.source_url is not None:
        named = {} if stated.source_name is None else {"name": stated.source_name}
        entry["source"] = named | {"url": stated.source_url}
    return entry


def _metric(result: MetricResult) -> dict[str, Any]:
    arguments: dict[str, Any] = {
        "protocol": result.source.report.protocol,
        "n_scored": result.n_scored,
    }
    if result.interval is not None:
        arguments |= {
            "low": result.interval.low,
            "high": result.interval.high,
            "level": result.interval.level,
        }
    return {
        "type": result.metric.id,
        "value": result.value,
        "name": result.label,
        "args": arguments,
    }
