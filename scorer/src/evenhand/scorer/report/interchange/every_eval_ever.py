"""Every Eval Ever's aggregate JSON: one record of one model, one result a number.

Source: every_eval_ever, ``eval.schema.json``, version 0.3.0. ``lower_is_better`` is a boolean
there, so a score whose best value lies inside its range (0 for a signed bias score) is written as
its distance from that value, lower being better; the value with its sign and its own interval stand
in ``details``. A number without a best value has no place there and is left out, which is said.
"""

import json
from collections.abc import Sequence
from typing import Any

from evenhand.contract.errors import DataRefused
from evenhand.contract.predictions import ModelReference
from evenhand.contract.report import Interval
from evenhand.scorer.benchmark import benchmark
from evenhand.scorer.report.interchange import RELATIONSHIPS
from evenhand.scorer.report.interchange.measured import (
    WHOLE,
    Measured,
    Written,
    direction,
    measured,
)
from evenhand.scorer.report.interchange.model_index import SPLIT
from evenhand.scorer.report.interchange.stated import Stated, model_of
from evenhand.scorer.report.reading import ReadReport

SCHEMA_VERSION = "0.3.0"


def write(reports: Sequence[ReadReport], stated: Stated) -> Written:
    """Return the JSON of one model.

    Raises:
        DataRefused: the date, the organization or the relationship was not stated.
    """
    _check_stated(stated)
    model = model_of(reports, stated)
    values, left_out = measured(reports, by_config=True)
    told = [own for own in values if direction(own.metric) != "none"]
    untold = dict.fromkeys(own.metric.id for own in values if direction(own.metric) == "none")
    left_out += [
        f"{name} is left out, for no value of it is better than another" for name in untold
    ]
    assert stated.date is not None
    epoch = str(int(stated.date.timestamp()))
    stems = "+".join(dict.fromkeys(own.report.dataset.stem for own in reports))
    content = {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": f"evenhand-{stems}/{model.name}/{epoch}",
        "retrieved_timestamp": epoch,
        "source_metadata": _source(stated),
        "model_info": _model(model),
        "eval_library": {"name": "evenhand", "version": reports[0].report.scorer_version},
        "evaluation_results": [_result(own, stated) for own in told],
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
            "every-eval-ever asks who evaluated, how they stand to the model's makers, and when,"
            f" which no metric file says; add {', '.join(missing)}."
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
            # Metric files do not say who served the model; the schema's word for that is this one.
            "deployment_type": "unknown",
            "model_availability": "unknown",
            **{name: value for name, value in said.items() if value is not None},
        },
    }


def _result(own: Measured, stated: Stated) -> dict[str, Any]:
    stem = own.source.report.dataset.stem
    return {
        "evaluation_result_id": own.name
        if own.config == WHOLE
        else f"{own.config}/{own.metric.id}",
        "evaluation_name": stem if own.config == WHOLE else f"{stem}.{own.config}",
        "source_data": _data(own, stated),
        "metric_config": _metric(own),
        "score_details": _score(own),
    }


def _data(own: Measured, stated: Stated) -> dict[str, Any]:
    dataset = own.source.report.dataset
    name, repository = benchmark(dataset.stem).title, stated.dataset_repos.get(dataset.stem)
    details = {"digest": dataset.digest, "version": dataset.version}
    known = {name: value for name, value in details.items() if value is not None}
    if repository is None:
        kept = {"additional_details": known} if known else {}
        return {"dataset_name": name, "source_type": "other", "source_id": dataset.stem, **kept}
    config = {} if own.config == WHOLE else {"hf_config": own.config}
    revision = stated.dataset_revisions.get(dataset.stem)
    n_unscored = 0 if own.metric.n_unscored == 0 else own.n_unscored
    rows = {} if n_unscored is None else {"samples_number": own.n_scored + n_unscored}
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


def _metric(own: Measured) -> dict[str, Any]:
    metric, way = own.metric, direction(own.metric)
    low, high = metric.range
    if way == "towards":
        assert metric.best is not None
        low, high = 0.0, max(metric.best - low, high - metric.best)
    report = own.source.report
    return {
        "metric_id": metric.id,
        "metric_name": own.label,
        "metric_unit": metric.unit,
        "lower_is_better": way != "higher",
        "score_type": "continuous",
        "min_score": low,
        "max_score": high,
        "metric_parameters": {"protocol": report.protocol, "seed": report.seed},
    }


def _score(own: Measured) -> dict[str, Any]:
    details = {"signature": own.metric.signature, "n_scored": str(own.n_scored)}
    if own.n_unscored is not None:
        details["n_unscored"] = str(own.n_unscored)
    score, bounds = own.value, own.interval
    if direction(own.metric) == "towards":
        best = own.metric.best or 0.0
        score = abs(own.value - best)
        details |= {
            "signed_value": repr(own.value),
            "score_is": f"distance of signed_value from {best:g}",
        }
        if bounds is not None:
            details |= {"signed_low": repr(bounds.low), "signed_high": repr(bounds.high)}
    kept = {} if bounds is None else {"uncertainty": _uncertainty(own, bounds)}
    return {"score": score, "details": details, **kept}


def _uncertainty(own: Measured, bounds: Interval) -> dict[str, Any]:
    low, high = bounds.low, bounds.high
    if direction(own.metric) == "towards":
        low, high = _distances(low, high, own.metric.best or 0.0)
    drawn = {"num_bootstrap_samples": bounds.n_resamples} if bounds.n_resamples else {}
    return {
        "confidence_interval": {
            "lower": low,
            "upper": high,
            "confidence_level": bounds.level,
            "method": f"{bounds.method} over {bounds.n_clusters} {bounds.cluster} clusters",
        },
        "num_samples": own.n_scored,
        **drawn,
    }


def _distances(low: float, high: float, best: float) -> tuple[float, float]:
    """Return the distances from ``best`` that an interval holds.

    >>> _distances(-0.1, 0.3, 0.0), _distances(0.25, 0.5, 1.0)
    ((0.0, 0.3), (0.5, 0.75))
    """
    ends = sorted(abs(end - best) for end in (low, high))
    return (0.0 if low <= best <= high else ends[0]), ends[1]
