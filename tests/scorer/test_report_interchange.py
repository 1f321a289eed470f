"""Metric files in other tools' formats: their fields, their signs, and what they leave out."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from evenhand.contract import CONTRACT_VERSION, STEMS
from evenhand.contract.files import canonical_json
from evenhand.contract.predictions import ModelReference
from evenhand.contract.report import (
    DatasetRecord,
    GroupValue,
    Interval,
    Metric,
    PredictionsRecord,
    Report,
)
from evenhand.scorer.report.interchange import FORMS
from evenhand.scorer.report.interchange.yaml_text import yaml_text

Run = Callable[..., tuple[int, str, str]]
Convert = Callable[..., Any]

STATED = {
    "eval-results": ("--dataset-repo", "org/bbq"),
    "model-index": ("--dataset-repo", "org/bbq"),
    "lm-eval": (),
    "every-eval-ever": ("--date", "2026-01-15", "--organization", "Lab", "--relationship",
                        "third_party"),
}  # fmt: skip


def bounds(low: float, high: float) -> Interval:
    """Make an interval of 50 questions."""
    return Interval(
        low=low,
        high=high,
        level=0.95,
        method="percentile_bootstrap",
        n_resamples=10_000,
        seed=0,
        cluster="question",
        n_clusters=50,
        few_clusters=False,
    )


def metric(name: str, value: float | None, **changes: object) -> Metric:
    """Make a signed metric over all configs, of 200 rows."""
    plain = Metric(
        id=name,
        config="all",
        value=value,
        unit="difference of shares",
        range=(-1.0, 1.0),
        best=0.0,
        n_scored=198,
        n_unscored=2,
        signature=f"metric:{name}",
    )
    return msgspec.structs.replace(plain, **changes)


BIAS = "bbq.bias_score.ambiguous.pooled"
ACCURACY = "bbq.accuracy.ambiguous.pooled"
ALIGNED = "bbq.ambiguous_errors_aligned.pooled"
COST = "bbq.accuracy_cost.pooled"
METRICS = (
    metric(
        BIAS, -0.25, interval=bounds(-0.4, 0.1),
        by={"category": {
            "Age": GroupValue(value=-0.5, n_scored=120),
            "SES": GroupValue(value=None, n_scored=0, why_null="Every answer is UNKNOWN."),
        }},
    ),
    metric(ACCURACY, 0.6, range=(0.0, 1.0), best=1.0, interval=bounds(0.5, 0.7)),
    metric(ALIGNED, 0.8, range=(0.0, 1.0), best=0.5, interval=bounds(0.7, 0.9)),
    metric(COST, None, why_null="No row is nonaligned."),
)  # fmt: skip


def report(*metrics: Metric, model: str | None = "org/tiny", **changes: object) -> Report:
    """Make a metric file of BBQ on two categories."""
    plain = Report(
        contract_version=CONTRACT_VERSION,
        dataset=DatasetRecord(stem="bbq", version="1.0.0", digest="d" * 64),
        predictions=[
            PredictionsRecord(
                name="p.jsonl",
                sha256="a" * 64,
                bytes=10,
                reader="evenhand",
                model=None if model is None else ModelReference(name=model, precision="fp32"),
            )
        ],
        scorer_version="0.1.0",
        protocol="paper",
        seed=7,
        resamples=10_000,
        level=0.95,
        configs=["Age", "SES"],
        metrics=list(metrics or METRICS),
        warnings=[],
    )
    return msgspec.structs.replace(plain, **changes)


@pytest.fixture
def convert(evenhand: Run, tmp_path: Path) -> Convert:
    """Return metric files in a format, read back, with what was said on stderr."""

    def run(form: str, *words: str, reports: tuple[Report, ...] = ()) -> tuple[Any, str]:
        paths = [tmp_path / f"m{i}.json" for i in range(len(reports) or 1)]
        for path, own in zip(paths, reports or (report(),), strict=True):
            path.write_bytes(canonical_json(own))
        code, out, err = evenhand("report", *paths, "--as", form, *STATED[form], *words)
        assert code == 0, err
        is_json = form in {"lm-eval", "every-eval-ever"}
        return (json.loads(out) if is_json else yaml.safe_load(out)), err

    return run


@pytest.mark.parametrize("form", FORMS)
def test_a_null_metric_is_left_out_and_said(convert, form) -> None:
    """What is undefined stands in no file as a number, and stderr gives the reason."""
    content, err = convert(form)

    assert COST not in json.dumps(content)
    assert any(COST in line and "null: No row is nonaligned." in line for line in err.splitlines())
    assert ("bias_score.ambiguous.pooled of SES is left out" in err) == (form != "eval-results")


@pytest.mark.parametrize("form", FORMS)
def test_the_same_files_give_the_same_bytes(evenhand, tmp_path, form) -> None:
    """No time and no order that could change is written."""
    path = tmp_path / "m.json"
    path.write_bytes(canonical_json(report()))

    outs = [evenhand("report", path, "--as", form, *STATED[form])[1] for _ in range(2)]

    assert outs[0] == outs[1]


@pytest.mark.parametrize("form", ["eval-results", "lm-eval", "model-index"])
def test_no_date_stands_where_none_was_given(convert, form) -> None:
    """Only --date writes a time."""
    without, _ = convert(form)
    given_it, _ = convert(form, *(() if form == "model-index" else ("--date", "2026-01-15")))

    assert "date" not in json.dumps(without)
    assert ("date" in json.dumps(given_it)) == (form != "model-index")


def test_eval_results_round_trip_through_the_hubs_own_reader(convert) -> None:
    """huggingface_hub reads every entry and writes back just what stands in the file."""
    from huggingface_hub import eval_result_entries_to_yaml, parse_eval_result_entries

    options = ("--dataset-revision", "v1", "--date", "2026-01-15", "--source-url", "https://x.org/a",
               "--source-name", "Logs")  # fmt: skip
    content, _ = convert("eval-results", *options)

    entries = parse_eval_result_entries(content)

    assert eval_result_entries_to_yaml(entries) == content
    assert {entry.dataset_id for entry in entries} == {"org/bbq"}
    assert entries[0].date == "2026-01-15T00:00:00+00:00"
    assert (entries[0].source_url, entries[0].source_name) == ("https://x.org/a", "Logs")


def test_eval_results_hold_one_number_a_task_with_its_sign(convert) -> None:
    """Each metric is a task of its own, and a score below 0 stays below 0."""
    content, _ = convert("eval-results")

    values = {entry["dataset"]["task_id"]: entry["value"] for entry in content}
    notes = {entry["dataset"]["task_id"]: entry["notes"] for entry in content}

    assert len(values) == len(content)
    assert values == {BIAS: -0.25, ACCURACY: 0.6, ALIGNED: 0.8}
    assert notes[BIAS].startswith(
        "bias score, ambiguous contexts, all rows together; 0 is best, either side is worse;"
        " 95 % interval -0.4000 to 0.1000"
    )
    assert "n_scored 198, n_unscored 2" in notes[BIAS]


def test_metrics_of_two_configs_are_two_tasks(convert) -> None:
    """UnQover's metrics have a config each, which stands in the task's id."""
    own = report(
        metric("unqover.mu", 0.1, config="religion"),
        metric("unqover.mu", 0.2, config="ethnicity"),
        dataset=DatasetRecord(stem="unqover", version="1.0.0", digest="d" * 64),
        configs=["religion", "ethnicity"],
    )

    content, _ = convert("eval-results", reports=(own,))

    tasks = [entry["dataset"]["task_id"] for entry in content]
    assert tasks == ["unqover.mu.religion", "unqover.mu.ethnicity"]


def test_model_index_round_trips_through_huggingface_hub(convert) -> None:
    """The Hub's library reads it, finds model, dataset, config and values, and writes it back."""
    from huggingface_hub.repocard_data import (
        eval_results_to_model_index,
        model_index_to_eval_results,
    )

    content, _ = convert("model-index", "--source-url", "https://x.org/a")

    name, results = model_index_to_eval_results(content["model-index"])
    found = {(own.dataset_config, own.metric_type): own.metric_value for own in results}

    assert eval_results_to_model_index(name, results) == content["model-index"]
    assert name == "org/tiny"
    assert found == {(None, BIAS): -0.25, (None, ACCURACY): 0.6, (None, ALIGNED): 0.8,
                     ("Age", BIAS): -0.5}  # fmt: skip
    assert {(own.task_type, own.dataset_type, own.dataset_name) for own in results} == {
        ("multiple-choice", "org/bbq", "BBQ 1.0.0")
    }


def test_lm_eval_has_the_harness_fields(convert) -> None:
    """Task rows, group, counts, directions and model stand where the harness writes them."""
    content, _ = convert("lm-eval", "--dataset-repo", "org/bbq")

    whole = content["results"]["bbq"]
    assert whole[f"{BIAS},none"] == -0.25
    assert whole[f"{BIAS}_stderr,none"] == "N/A"
    assert (whole["name"], whole["alias"], whole["sample_len"]) == ("bbq", "bbq", 198)
    assert content["groups"]["bbq"] == whole
    assert content["group_subtasks"] == {"bbq": ["bbq_Age"], "bbq_Age": []}
    assert content["n-samples"]["bbq"] == {"original": 200, "effective": 198}
    assert content["higher_is_better"]["bbq"] == {ACCURACY: True}
    assert content["configs"]["bbq_Age"]["dataset_name"] == "Age"
    assert content["configs"]["bbq"]["dataset_path"] == "org/bbq"
    assert content["config"]["model_dtype"] == "fp32"
    assert content["model_name_sanitized"] == "org__tiny"
    assert content["versions"] == {"bbq": "1.0.0", "bbq_Age": "1.0.0"}
    assert content["task_hashes"]["bbq"] == "d" * 64


def test_lm_eval_does_not_count_rows_that_it_cannot_count(convert) -> None:
    """How many rows of one category are unscored stands in no metric file, so nothing is said."""
    content, _ = convert("lm-eval")

    assert "bbq_Age" not in content["n-samples"]


def test_lm_eval_counts_both_conditions_of_bbq(convert) -> None:
    """Ambiguous and disambiguated rows do not overlap: 198 + 198 scored of 200 + 200."""
    own = report(
        *(metric(f"bbq.accuracy.{name}.pooled", 0.5) for name in ("ambiguous", "disambiguated"))
    )

    content, _ = convert("lm-eval", reports=(own,))

    assert content["n-samples"]["bbq"] == {"original": 400, "effective": 396}


_TEXTS = {"type": "object", "additionalProperties": {"type": "string"}}
# The rules of Every Eval Ever's eval.schema.json for the fields that are written here.
_EEE = {
    "type": "object",
    "additionalProperties": False,
    "required": ["schema_version", "evaluation_id", "retrieved_timestamp", "source_metadata",
                 "model_info", "eval_library", "evaluation_results"],
    "properties": {
        "schema_version": {"const": "0.3.0"},
        "evaluation_id": {"type": "string"},
        "retrieved_timestamp": {"type": "string", "pattern": "^[0-9]+$"},
        "source_metadata": {
            "type": "object",
            "required": ["source_type", "source_organization_name", "evaluator_relationship"],
            "properties": {
                "source_name": {"type": "string"},
                "source_organization_url": {"type": "string"},
                "source_type": {"enum": ["documentation", "evaluation_run"]},
                "evaluator_relationship": {
                    "enum": ["first_party", "third_party", "collaborative", "other"]
                },
            },
        },
        "model_info": {
            "type": "object",
            "required": ["name", "id"],
            "properties": {"additional_details": _TEXTS},
        },
        "eval_library": {"type": "object", "required": ["name", "version"]},
        "evaluation_results": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["evaluation_name", "source_data", "metric_config", "score_details"],
                "properties": {
                    "source_data": {
                        "oneOf": [
                            {
                                "required": ["dataset_name", "source_type", "hf_repo"],
                                "properties": {
                                    "source_type": {"const": "hf_dataset"},
                                    "samples_number": {"type": "integer"},
                                    "additional_details": _TEXTS,
                                },
                            },
                            {
                                "required": ["dataset_name", "source_type"],
                                "properties": {
                                    "source_type": {"const": "other"},
                                    "additional_details": _TEXTS,
                                },
                            },
                        ]
                    },
                    "metric_config": {
                        "type": "object",
                        "required": ["lower_is_better", "score_type", "min_score", "max_score"],
                        "properties": {
                            "lower_is_better": {"type": "boolean"},
                            "score_type": {"const": "continuous"},
                            "min_score": {"type": "number"},
                            "max_score": {"type": "number"},
                        },
                    },
                    "score_details": {
                        "type": "object",
                        "required": ["score"],
                        "properties": {
                            "score": {"type": "number"},
                            "details": _TEXTS,
                            "uncertainty": {
                                "type": "object",
                                "properties": {
                                    "confidence_interval": {
                                        "required": ["lower", "upper"],
                                        "properties": {
                                            "confidence_level": {"minimum": 0, "maximum": 1}
                                        },
                                    },
                                    "num_samples": {"type": "integer"},
                                    "num_bootstrap_samples": {"type": "integer"},
                                },
                            },
                        },
                    },
                },
            },
        },
    },
}  # fmt: skip


@pytest.mark.parametrize("words", [(), ("--dataset-repo", "org/bbq", "--dataset-revision", "v1")])
def test_every_eval_ever_follows_its_schema(convert, words) -> None:
    """Required fields, closed words, texts in details, and every score inside its bounds."""
    content, _ = convert("every-eval-ever", *words)

    assert [error.message for error in Draft7Validator(_EEE).iter_errors(content)] == []
    for own in content["evaluation_results"]:
        limits = own["metric_config"]
        assert limits["min_score"] <= own["score_details"]["score"] <= limits["max_score"]
    assert content["evaluation_id"] == "evenhand-bbq/org/tiny/1768435200"
    assert content["retrieved_timestamp"] == "1768435200"
    results = content["evaluation_results"]
    assert len({own["evaluation_result_id"] for own in results}) == len(results)


def test_every_eval_ever_keeps_the_sign_in_details(convert) -> None:
    """-0.25 is written as 0.25, lower is better; its interval -0.4..0.1 as 0..0.4; both stand."""
    content, _ = convert("every-eval-ever")
    own = {one["evaluation_result_id"]: one for one in content["evaluation_results"]}[BIAS]

    assert own["metric_config"]["lower_is_better"] is True
    assert (own["metric_config"]["min_score"], own["metric_config"]["max_score"]) == (0.0, 1.0)
    assert own["score_details"]["score"] == 0.25
    details = own["score_details"]["details"]
    assert (details["signed_value"], details["signed_low"], details["signed_high"]) == (
        "-0.25", "-0.4", "0.1"
    )  # fmt: skip
    bounds_of = own["score_details"]["uncertainty"]["confidence_interval"]
    assert (bounds_of["lower"], bounds_of["upper"]) == (0.0, 0.4)


def test_every_eval_ever_measures_from_the_best_value(convert) -> None:
    """A share of 0.8 whose best is 0.5 is 0.3 away of at most 0.5; accuracy is as it is."""
    content, _ = convert("every-eval-ever")
    found = {own["evaluation_result_id"]: own for own in content["evaluation_results"]}

    aligned, accuracy = found[ALIGNED], found[ACCURACY]
    assert aligned["score_details"]["score"] == pytest.approx(0.3)
    assert aligned["metric_config"]["max_score"] == 0.5
    assert accuracy["score_details"]["score"] == 0.6
    assert accuracy["metric_config"]["lower_is_better"] is False


def test_every_eval_ever_has_no_place_for_a_number_without_a_best_value(convert) -> None:
    """It is left out, and stderr says why."""
    own = report(*METRICS, metric("bbq.mean", 0.4, best=None))

    content, err = convert("every-eval-ever", reports=(own,))

    assert "bbq.mean" not in json.dumps(content)
    assert "bbq.mean is left out" in err


@pytest.mark.parametrize("stem", STEMS)
@pytest.mark.parametrize("form", FORMS)
def test_every_benchmark_can_be_written(convert, form, stem) -> None:
    """A stem needs nothing of its own here."""
    own = report(
        metric(f"{stem}.score", 0.1),
        dataset=DatasetRecord(stem=stem, version=None, digest=None, why_null="It has none."),
    )

    content, _ = convert(form, reports=(own,))

    assert f"{stem}.score" in json.dumps(content)


def test_two_benchmarks_of_one_model_go_into_one_file(convert) -> None:
    """Each has its own place on the Hub."""
    other = report(
        metric("unqover.mu", 0.1, config="religion"),
        dataset=DatasetRecord(stem="unqover", version="1.0.0", digest="e" * 64),
        configs=["religion"],
    )
    repositories = ("--dataset-repo", "unqover=org/unqover", "--dataset-repo", "bbq=org/ours")

    content, _ = convert("eval-results", *repositories, reports=(report(), other))

    assert {entry["dataset"]["id"] for entry in content} == {"org/ours", "org/unqover"}


REFUSED = [
    ("eval-results", (), 1, "add --dataset-repo bbq=ORG/NAME."),
    (
        "model-index",
        ("--dataset-repo", "bbq"),
        2,
        "--dataset-repo bbq is not a name on the Hub; write ORG/NAME",
    ),
    ("model-index", ("--dataset-repo", "bold=org/x"), 2, "one of the files' benchmarks (bbq)"),
    ("every-eval-ever", (), 1, "add --date DATE, --organization NAME, --relationship first_party|"),
    (
        "every-eval-ever",
        ("--date", "tomorrow"),
        2,
        "--date tomorrow is not a date; write 2026-01-15",
    ),
    ("lm-eval", ("--model", "a", "--model", "b"), 2, "lm-eval is of one model; give --model once."),
    ("eval-results", ("--source-name", "Logs"), 2, "names the page of --source-url"),
    ("markdown", ("--date", "2026-01-15"), 2, "--date is for other tools' formats"),
]


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_missing_is_asked_for_by_its_option(evenhand, tmp_path, case) -> None:
    """One sentence names the option that states what no metric file knows."""
    form, words, code, sentence = case
    path = tmp_path / "m.json"
    path.write_bytes(canonical_json(report()))

    found, out, err = evenhand("report", path, "--as", form, *words)

    assert (found, out) == (code, "")
    assert sentence in err


def test_a_model_without_a_name_is_asked_for(evenhand, tmp_path) -> None:
    """Where the predictions had no header, --model says whose numbers these are."""
    path = tmp_path / "m.json"
    path.write_bytes(canonical_json(report(model=None)))

    code, _, err = evenhand("report", path, "--as", "lm-eval")
    named = evenhand("report", path, "--as", "lm-eval", "--model", "org/name")[1]

    assert code == 1
    assert f"{path} names no model" in err
    assert "add --model ORG/NAME." in err
    assert json.loads(named)["model_name"] == "org/name"


@pytest.mark.parametrize(
    ("second", "sentence"),
    [
        (report(model="org/other"), "is of the model org/tiny, but"),
        (report(), f"both hold {BIAS};"),
    ],
)
def test_files_that_do_not_go_together_are_refused(evenhand, tmp_path, second, sentence) -> None:
    """Two models, or one number twice, make no file of one model."""
    paths = [tmp_path / "a.json", tmp_path / "b.json"]
    for path, own in zip(paths, (report(), second), strict=True):
        path.write_bytes(canonical_json(own))

    code, out, err = evenhand("report", *paths, "--as", "lm-eval")

    assert (code, out) == (1, "")
    assert sentence in err


_SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
)  # fmt: skip
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner) | st.dictionaries(st.text("abc-_:# .yn1\u2028é"), inner),
    max_leaves=12,
)


@settings(deadline=None)
@given(_VALUES)
def test_the_yaml_means_what_was_written(value) -> None:
    """Any value comes back from a YAML reader as it was: no text turns into a number or a date."""
    assert yaml.safe_load(yaml_text(value)) == value
