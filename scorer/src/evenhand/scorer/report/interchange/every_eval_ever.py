"""Every Eval Ever's aggregate JSON: one record per model, one result per number.

Source: every_eval_ever, ``eval.schema.json``, version 0.3.0. ``lower_is_better`` is a boolean
there, so a score whose best value lies inside its range (0 for a signed bias score) is written as
its distance from that value, lower being better; ``details`` hold the value with its sign and its
interval. A number without a best value has no place there and is left out, which is reported.
"""

import json
from collections.abc import Sequence
from typing import Any

from evenhand.contract.errors import DataRefused
from evenhand.contract.predictions import ModelReference
from evenhand.contract.report import Interval
from evenhand.scorer.benchmark import benchmark
from evenhand.scorer.report.interchange import RELATIONSHIPS
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

SCHEMA_VERSION = "0.3.0"


def write(reports: Sequence[ReadReport], stated: Stated) -> Written:
    """Return the JSON of one model.

    Raises:
        DataRefused: the date, the organization or the relationship was not stated.
    """
    _check_stated(stated)
    model = stated_model(reports, stated)
    values, left_out = collect_results(reports, by_config=True)
    directed = [result for result in values if direction(result.metric) != "none"]
    undirected = dict.fromkeys(
        result.metric.id for result in values if direction(result.metric) == "none"
    )
    left_out += [
        f"{name} is left out: none of its values is better than another" for name in undirected
    ]
    assert stated.date is not None
    epoch = str(int(stated.date.timestamp()))
    stems = "+".join(dict.fromkeys(result.report.dataset.stem for result in reports))
    content = {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": f"evenhand-{stems}/{model.name}/{epoch}",
        "retrieved_timestamp": epoch,
        "source_metadata": _source(stated),
        "model_info": _model(model),
        "eval_library": {"name": "evenhand", "version": reports[0].report.scorer_version},
        "evaluation_results": [_result(result, stated) for result in directed],
    }
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    return Written(f"{text}\n", left_out)


def _check_stated(stated: Stated) -> None:
    needed = {
        "--date DATE": stated.date,
        "--organization NAME": stated.organization,
        f"--relationship {'|'.join(RELATIONSHIPS)}": stated.relationship,
    }
    missing = [option for option, value in needed.items() if value is None]
    if missing:
        raise DataRefused(
            "every-eval-ever requires the evaluator, their relationship to the model's developer,"
            f" and the date, which no metric file holds; add {', '.join(missing)}."
        )


def _source(stated: Stated) -> dict[str, Any]:
    named = {
        "source_name": stated.source_name,
        "source_organization_url": stated.source_url,
    }
    return {
        "source_type": "evaluation_run",
        "source_organization_name": stated.organization,
        "evaluator_relationship": stated.relationship,
        **{name: value for name, value in named.items() if value is not None},
    }


def _model(model: ModelReference) -> dict[str, Any]:
    said = {"revision": model.revision, "precision": model.precision, "sha256": model.sha256}
    return {
        "name": model.name,
        "id": model.name,
        "additional_details": {
            # Metric files do not say who served the model; this is the schema's word for that.
            "deployment_type": "unknown",
            "model_availability": "unknown",
            **{name: value for name, value in said.items() if value is not None},
        },
    }


def _result(result: MetricResult, stated: Stated) -> dict[str, Any]:
    stem = result.source.report.dataset.stem
    return {
        "evaluation_result_id": result.name
        if result.config == WHOLE
        else f"{result.config}/{result.metric.id}",
        "evaluation_name": stem if result.config == WHOLE else f"{stem}.{result.config}",
        "source_data": _data(result, stated),
        "metric_config": _metric(result),
        "score_details": _score(result),
    }


def _data(result: MetricResult, stated: Stated) -> dict[str, Any]:
    dataset = result.source.report.dataset
    name, repository = benchmark(dataset.stem).title, stated.dataset_repos.get(dataset.stem)
    details = {"digest": dataset.digest, "version": dataset.version}
    known = {name: value for name, value in details.items() if value is not None}
    if repository is None:
        kept = {"additional_details": known} if known else {}
        return {"dataset_name": name, "source_type": "other", "source_id": dataset.stem, **kept}
    config = {} if result.config == WHOLE else {"hf_config": result.config}
    revision = stated.dataset_revisions.get(dataset.stem)
    n_unscored = 0 if result.metric.n_unscored == 0 else result.n_unscored
    rows = {} if n_unscored is None else {"samples_number": result.n_scored + n_unscored}
    return {
        "dataset_name": name,
        "source_type": "hf_dataset",
        "hf_repo": repository,
        "hf_split": SPLIT,
        **config,
        **({} if revision is None else {"hf_revision": revision}),
        **rows,
        **({"additional_details": known} if known else {}),
    }


def _metric(result: MetricResult) -> dict[str, Any]:
    metric, way = result.metric, direction(result.metric)
    low, high = metric.range
    if way == "towards":
        assert metric.best is not None
        low, high = 0.0, max(metric.best - low, high - metric.best)
    report = result.source.report
    return {
        "metric_id": metric.id,
        "metric_name": result.label,
        "metric_unit": metric.unit,
        "lower_is_better": way != "higher",
        "score_type": "continuous",
        "min_score": low,
        "max_score": high,
        "metric_parameters": {"protocol": report.protocol, "seed": report.seed},
    }


def _score(result: MetricResult) -> dict[str, Any]:
    details = {"signature": result.metric.signature, "n_scored": str(result.n_scored)}
    if result.n_unscored is not None:
        details["n_unscored"] = str(result.n_unscored)
    score, bounds = result.value, result.interval
    if direction(result.metric) == "towards":
        best = result.metric.best or 0.0
        score = abs(result.value - best)
        details |= {
            "signed_value": repr(result.value),
            "score_is": f"distance of signed_value from {best:g}",
        }
        if bounds is not None:
            details |= {"signed_low": repr(bounds.low), "signed_high": repr(bounds.high)}
    kept = {} if bounds is None else {"uncertainty": _uncertainty(result, bounds)}
    return {"score": score, "details": details, **kept}


def _uncertainty(result: MetricResult, bounds: Interval) -> dict[str, Any]:
    low, high = bounds.low, bounds.high
    if direction(result.metric) == "towards":
        low, high = _distances(low, high, result.metric.best or 0.0)
    drawn = {"num_bootstrap_samples": bounds.n_resamples} if bounds.n_resamples else {}
    return {
        "confidence_interval": {
            "lower": low,
            "upper": high,
            "confidence_level": bounds.level,
            "method": f"{bounds.method} over {bounds.n_clusters} {bounds.cluster} clusters",
        },
        "num_samples": result.n_scored,
        **drawn,
    }


def _distances(low: float, high: float, best: float) -> tuple[float, float]:
    """Return the distances from ``best`` that an interval holds.

    >>> _distances(-0.1, 0.3, 0.0), _distances(0.25, 0.5, 1.0)
    ((0.0, 0.3), (0.5, 0.75))
    """
    ends = sorted(abs(end - best) for end in (low, high))
    return (0.0 if low <= best <= high else ends[0]), ends[1]
