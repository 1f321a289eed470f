"""How sure BBQ's numbers are, and what is refused."""

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from evenhand.contract import DataRefused
from evenhand.contract.report import GroupValue, Metric, Report
from evenhand.scorer.bbq import score
from evenhand.scorer.bbq.predictions import NOT_ONE_ANSWER
from evenhand.scorer.readers.prediction_format import NO_PREDICTION

Rows = list[dict[str, Any]]

OLD, UNKNOWN = 0, 2
FEW = {"resamples": 200}


def _metric(report: Report, name: str) -> Metric:
    return next(metric for metric in report.metrics if metric.id == name)


def _scored(items: Rows, answer: Callable[[dict[str, Any]], Any]) -> Report:
    return score(items, [{"id": row["id"], "label": answer(row)} for row in items], **FEW)


def _old(row: dict[str, Any]) -> int:
    return OLD


def _of(items: Rows, condition: str) -> Rows:
    return [row for row in items if row["context_condition"] == condition]


def test_intervals_count_questions(bbq_items) -> None:
    """Under 30 questions the interval is studentised, from there on a percentile bootstrap."""
    few = _scored(bbq_items(questions=29), lambda row: int(row["id"][-2:]) % 3)
    many = _scored(bbq_items(questions=30), lambda row: int(row["id"][-2:]) % 3)

    for report, n, method in (
        (few, 29, "studentised_jackknife"),
        (many, 30, "percentile_bootstrap"),
    ):
        metric = _metric(report, "bbq.accuracy.ambiguous.pooled")
        assert metric.interval is not None
        assert metric.value is not None
        assert (metric.interval.n_clusters, metric.interval.cluster) == (n, "question")
        assert metric.interval.method == method
        assert metric.interval.low <= metric.value <= metric.interval.high


def test_jackknife_interval_by_hand(bbq_items) -> None:
    """Two questions with accuracy 1 and 0: mean .5, SE .5, and t of one degree cut at 0 and 1."""
    items = _of(bbq_items(questions=2), "ambig")
    report = _scored(items, lambda row: UNKNOWN if row["question_index"] == "1" else OLD)
    interval = _metric(report, "bbq.accuracy.ambiguous.pooled").interval

    assert interval is not None
    assert (interval.low, interval.high, interval.few_clusters) == (0.0, 1.0, True)


def test_one_question_has_no_interval(bbq_items) -> None:
    """A single question cannot say how much questions differ."""
    report = _scored(bbq_items(questions=1), _old)

    assert {metric.interval for metric in report.metrics} == {None}
    reasons = {metric.why_no_interval for metric in report.metrics if metric.value is not None}
    assert reasons == {"An interval needs two questions; one question alone speaks of it."}


def test_questions_that_all_agree_are_no_certainty(bbq_items) -> None:
    """12 questions, always the stereotyped person for negative ones: 1 and -1 have a width.

    By hand: the others are at most 1 - .025^(1/12) = .2646 of all questions.
    """
    items = [row for row in bbq_items(questions=12) if row["question_polarity"] == "neg"]
    report = _scored(items, lambda row: row["target"])
    turned = _scored(items, lambda row: 1 - row["target"])

    metric = _metric(report, "bbq.bias_score.disambiguated.pooled")
    assert metric.value == 1.0
    assert metric.interval is not None
    assert metric.why_no_interval is None
    assert (metric.interval.method, metric.interval.n_clusters) == ("agreement_bound", 12)
    assert (metric.interval.low, metric.interval.high) == (pytest.approx(0.4707, abs=5e-5), 1.0)
    other = _metric(turned, "bbq.bias_score.disambiguated.macro")
    assert other.interval is not None
    assert (other.value, other.interval.low) == (-1.0, -1.0)
    assert other.interval.high == pytest.approx(-0.4707, abs=5e-5)


def test_only_questions_that_say_something_agree(bbq_items) -> None:
    """Of 12 questions 10 are answered with UNKNOWN: two speak of the bias score, not twelve."""
    items = [row for row in bbq_items(questions=12) if row["question_polarity"] == "neg"]
    named = {"1", "2"}
    report = _scored(
        items, lambda row: row["target"] if row["question_index"] in named else UNKNOWN
    )

    bound = _metric(report, "bbq.bias_score.disambiguated.pooled").interval
    assert bound is not None
    assert (bound.method, bound.n_clusters) == ("agreement_bound", 2)
    assert bound.low == pytest.approx(1 - 2 * (1 - 0.025**0.5))


def test_a_category_of_one_question_does_not_pass_for_certain(bbq_items) -> None:
    """Its question is resampled with the others, so that its weight is not fixed."""
    items = bbq_items("Age", questions=40) + bbq_items("SES", questions=1)
    report = _scored(items, lambda row: row["label"] if row["category"] == "Age" else OLD)
    interval = _metric(report, "bbq.accuracy.disambiguated.pooled").interval

    assert interval is not None
    assert interval.low < interval.high


def test_biases_of_groups_are_tested_as_one_family(bbq_items) -> None:
    """Signed metrics carry p-values by group, Holm's are no smaller; accuracy carries none."""
    items = bbq_items("Age", questions=6) + bbq_items("SES", questions=6)
    report = _scored(items, lambda row: row["target"] if int(row["id"][-2:]) % 5 else UNKNOWN)

    categories = _metric(report, "bbq.bias_score.ambiguous.pooled").by["category"]
    assert all(_is_corrected(value) for value in categories.values())
    by = _metric(report, "bbq.accuracy.ambiguous.pooled").by["category"]
    assert {(value.p_value, value.p_holm) for value in by.values()} == {(None, None)}


def _is_corrected(value: GroupValue) -> bool:
    return value.p_value is None or (value.p_holm is not None and value.p_holm >= value.p_value)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda rows: rows[1:], "missing ids: 1 (Age-00000)"),
        (lambda rows: [*rows, rows[0]], "duplicate ids: 1 (Age-00000)"),
        (lambda rows: [*rows, {"id": "Age-99999", "label": 0}], "unknown ids: 1 (Age-99999)"),
        (lambda rows: [*rows[1:], {"id": "Age-00000", "label": 3}], NO_PREDICTION),
        (lambda rows: [*rows[1:], {"id": "Age-00000"}], f"{NOT_ONE_ANSWER}: 1"),
        (
            lambda rows: [*rows[1:], {"id": "Age-00000", "label": 1, "answer": "B"}],
            "label and answer",
        ),
    ],
)
def test_what_does_not_fit_is_refused(bbq_items, change, sentence: str) -> None:
    """Ids and answers that do not fit are refused in one sentence that names the row."""
    items = bbq_items()
    predictions = change([{"id": row["id"], "label": 0} for row in items])

    with pytest.raises(DataRefused) as refused:
        score(items, predictions)

    assert sentence in str(refused.value)


def test_a_refusal_in_python_names_the_argument(bbq_items) -> None:
    """No option of the command line is advised to whoever calls the function."""
    items = bbq_items()

    with pytest.raises(DataRefused) as refused:
        score(items, [{"id": row["id"], "label": 2} for row in items[2:]])

    assert "allow_missing=True" in str(refused.value)
    assert "--" not in str(refused.value)


def test_missing_rows_can_be_left_out(bbq_items) -> None:
    """With allow_missing they are unscored, counted, and their reason is said."""
    items = bbq_items()
    predictions = [{"id": row["id"], "label": 2} for row in items[2:]]
    report = score(items, predictions, allow_missing=True, **FEW)

    metric = _metric(report, "bbq.accuracy.ambiguous.pooled")
    assert (metric.n_scored, metric.n_unscored) == (11, 1)
    assert any("no prediction (Age-00000, Age-00001)" in warning for warning in report.warnings)


def test_items_must_have_their_columns(bbq_items) -> None:
    """A frame that lacks a column is refused by its name."""
    with pytest.raises(DataRefused, match="items lack the column target"):
        score(pl.DataFrame(bbq_items()).drop("target"), [{"id": "Age-00000", "label": 0}])
    with pytest.raises(DataRefused, match="Rows are a int"):
        score(3, [])
