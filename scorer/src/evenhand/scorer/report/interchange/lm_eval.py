"""The ``results_*.json`` of lm-evaluation-harness, for tools that read it.

Source: lm-evaluation-harness, ``lm_eval/result_schema.py``. A benchmark with several configs under
one metric becomes a group with one task per config. Standard errors are ``N/A``, as the harness
writes where it has none: the intervals here are over clusters and stand in the metric JSON. A
signed score has no direction, so it stays out of ``higher_is_better``.
"""

import json
import re
from collections.abc import Sequence
from typing import Any

from evenhand.contract.predictions import ModelReference
from evenhand.contract.report import Report
from evenhand.scorer.benchmark import benchmark
from evenhand.scorer.report.interchange.metric_results import (
    WHOLE,
    MetricResult,
    Written,
    collect_results,
    direction,
)
from evenhand.scorer.report.interchange.model_index import SPLIT
from evenhand.scorer.report.interchange.stated import Stated, stated_model
from evenhand.scorer.report.reading import ReadReport

_FILTER = "none"
"""The harness's name for answers that were taken as they are."""

_NO_ERROR = "N/A"


def write(reports: Sequence[ReadReport], stated: Stated) -> Written:
    """Return the JSON of one model."""
    model = stated_model(reports, stated)
    values, left_out = collect_results(reports, by_config=True)
    tasks: dict[str, list[MetricResult]] = {}
    for group in values:
        tasks.setdefault(_task(group), []).append(group)
    results = {name: _result(name, group) for name, group in tasks.items()}
    groups = _groups(tasks)
    content = {
        "results": results,
        "groups": {name: results[name] for name in groups},
        "group_subtasks": groups | {name: [] for name in tasks if name not in groups},
        "configs": {name: _config(name, group[0], stated) for name, group in tasks.items()},
        "versions": {name: group[0].source.report.dataset.version for name, group in tasks.items()},
        "n-shot": {},
        "higher_is_better": {name: _directions(group) for name, group in tasks.items()},
        "n-samples": {name: _samples(group) for name, group in tasks.items() if _is_counted(group)},
        "config": _run(model, reports[0].report),
        **({} if stated.date is None else {"date": stated.date.timestamp()}),
        "model_source": "predictions",
        "model_name": model.name,
        "model_name_sanitized": re.sub(r'["<>:/|\\?*\[\]]+', "__", model.name),
        "task_hashes": _hashes(tasks),
        "evenhand_version": reports[0].report.scorer_version,
    }
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    return Written(f"{text}\n", left_out)


def _task(result: MetricResult) -> str:
    stem = result.source.report.dataset.stem
    return stem if result.config == WHOLE else f"{stem}_{result.config}"


def _groups(tasks: dict[str, list[MetricResult]]) -> dict[str, list[str]]:
    """Return each benchmark that has results as a whole, with the tasks of its configs."""
    stems = [subtasks[0].source.report.dataset.stem for subtasks in tasks.values()]
    members = {
        name: [task for task, stem in zip(tasks, stems, strict=True) if stem == name != task]
        for name in tasks
        if name in stems
    }
    return {name: subtasks for name, subtasks in members.items() if subtasks}


def _result(task: str, values: list[MetricResult]) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "name": task,
        "alias": task,
        "sample_len": _samples(values)["effective"],
    }
    for value in values:
        fields[f"{value.metric.id},{_FILTER}"] = value.value
        fields[f"{value.metric.id}_stderr,{_FILTER}"] = _NO_ERROR
    fields["sample_count"] = {f"{value.metric.id},{_FILTER}": value.n_scored for value in values}
    return fields


def _samples(values: list[MetricResult]) -> dict[str, int]:
    """Count rows: by the metrics that together cover all of them, else by the largest."""
    wanted = benchmark(values[0].source.report.dataset.stem).row_counts
    counting = [result for result in values if result.metric.id in wanted]
    if not counting:
        counting = [max(values, key=lambda result: result.n_scored)]
    effective = sum(result.n_scored for result in counting)
    unscored = sum(result.n_unscored or 0 for result in counting)
    return {"original": effective + unscored, "effective": effective}


def _is_counted(values: list[MetricResult]) -> bool:
    """Say whether the metric file states how many rows of these are unscored."""
    is_whole = all(result.n_unscored is not None for result in values)
    return is_whole or not any(result.metric.n_unscored for result in values)


def _config(task: str, result: MetricResult, stated: Stated) -> dict[str, Any]:
    dataset = result.source.report.dataset
    return {
        "task": task,
        "dataset_path": stated.dataset_repos.get(dataset.stem, dataset.stem),
        "dataset_name": None if result.config == WHOLE else result.config,
        "test_split": SPLIT,
        "metadata": {"version": dataset.version},
    }


def _directions(values: list[MetricResult]) -> dict[str, bool]:
    known = {"higher": True, "lower": False}
    return {result.metric.id: known[way] for result in values
            if (way := direction(result.metric)) in known}  # fmt: skip


def _run(model: ModelReference, report: Report) -> dict[str, Any]:
    said = {"model_dtype": model.precision, "model_revision": model.revision}
    return {
        "model": "predictions",
        "model_args": None,
        **{name: value for name, value in said.items() if value is not None},
        "limit": None,
        "bootstrap_iters": report.resamples,
        "numpy_seed": report.seed,
    }


def _hashes(tasks: dict[str, list[MetricResult]]) -> dict[str, str]:
    digests = {name: results[0].source.report.dataset.digest for name, results in tasks.items()}
    return {name: digest for name, digest in digests.items() if digest is not None}
