"""The ``model-index`` of a model card: YAML to put into the head of a model's ``README.md``.

Source: hub-docs, ``modelcard.md``. The Hub calls it legacy; leaderboards and tools still read it. A
signed score keeps its sign.
"""

from collections.abc import Sequence
from typing import Any

from evenhand.contract.predictions import ModelReference
from evenhand.scorer.benchmark import benchmark
from evenhand.scorer.report.interchange.measured import WHOLE, Measured, Written, measured
from evenhand.scorer.report.interchange.stated import Stated, model_of, repository_of
from evenhand.scorer.report.interchange.yaml_text import yaml_text
from evenhand.scorer.report.reading import ReadReport

_FORM = "model-index"
SPLIT = "test"
"""Every benchmark of ours has this split alone."""


def write(reports: Sequence[ReadReport], stated: Stated) -> Written:
    """Return the YAML of one model: a result for all configs together and for each config."""
    model = model_of(reports, stated)
    values, left_out = measured(reports, by_config=True)
    places: dict[tuple[str, str], list[Measured]] = {}
    for own in values:
        places.setdefault((own.source.report.dataset.stem, own.config), []).append(own)
    results = [_result(own, model, stated) for own in places.values()]
    return Written(yaml_text({"model-index": [{"name": model.name, "results": results}]}), left_out)


def _result(values: list[Measured], model: ModelReference, stated: Stated) -> dict[str, Any]:
    first = values[0]
    dataset, stem = first.source.report.dataset, first.source.report.dataset.stem
    known = benchmark(stem)
    entry: dict[str, Any] = {
        "task": {"type": model.task or known.hub_task, "name": f"{known.title}: social bias"},
        "dataset": {
            "type": repository_of(first.source, stated, form=_FORM),
            "name": f"{known.title} {dataset.version}" if dataset.version else known.title,
            **({} if first.config == WHOLE else {"config": first.config}),
            "split": SPLIT,
        },
        "metrics": [_metric(own) for own in values],
    }
    if stem in stated.dataset_revisions:
        entry["dataset"]["revision"] = stated.dataset_revisions[stem]
    if stated.source_url is not None:
        named = {} if stated.source_name is None else {"name": stated.source_name}
        entry["source"] = named | {"url": stated.source_url}
    return entry


def _metric(own: Measured) -> dict[str, Any]:
    arguments: dict[str, Any] = {
        "protocol": own.source.report.protocol,
        "n_scored": own.n_scored,
    }
    if own.interval is not None:
        arguments |= {
            "low": own.interval.low,
            "high": own.interval.high,
            "level": own.interval.level,
        }
    return {"type": own.metric.id, "value": own.value, "name": own.label, "args": arguments}
