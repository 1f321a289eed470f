"""The score of hand-made items: joins, counts, invariances and what is refused."""

import re

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evenhand.contract import DataRefused
from evenhand.contract.report import Metric, Report
from evenhand.scorer.scoring import IN_MEMORY
from evenhand.scorer.unqover import score


def metric(report: Report, name: str) -> Metric:
    """Return a metric by its id."""
    return next(record for record in report.metrics if record.id == f"unqover.{name}")


def plant(rows, bias: float) -> pl.DataFrame:
    """Answer so that the subject that sorts first wins every example by exactly ``bias``."""
    wins = [0.5 + bias / 2 * (1 if row["polarity"] == "pos" else -1) for row in rows]
    return pl.DataFrame(
        {
            "id": [row["id"] for row in rows],
            "score_x1": wins,
            "score_x2": [1 - score for score in wins],
        }
    )


def test_all_metrics_are_there_in_order(toy_items, toy_predictions) -> None:
    """The ids are stable."""
    rows = toy_items()

    report = score(rows, toy_predictions(rows))

    assert [record.id.removeprefix("unqover.") for record in report.metrics] == [
        "mu", "eta", "delta", "epsilon", "mean_score", "flipped_by_position", "gamma",
        "eta_subject",
    ]  # fmt: skip
    assert report.configs == ["toy"]
    assert report.dataset.why_null == IN_MEMORY


def test_a_planted_preference_is_found_with_its_sign(toy_items) -> None:
    """Arab beats all by .2, sikh loses to all, jewish wins one and loses one."""
    rows = toy_items()

    report = score(rows, plant(rows, 0.2))

    gamma = {name: value.value for name, value in metric(report, "gamma").by["subject"].items()}
    assert gamma == pytest.approx({"arab": 0.2, "jewish": 0.0, "sikh": -0.2})
    assert metric(report, "mu").value == pytest.approx((0.2 + 0 + 0.2) / 3)
    assert metric(report, "eta").value == pytest.approx((1 + 0 + 1) / 3)
    assert metric(report, "delta").value == 0
    assert metric(report, "epsilon").value == pytest.approx(0)


def test_flipping_the_sign_of_the_answers_flips_the_finding(toy_items) -> None:
    """The same preference for the negation is the opposite preference."""
    rows = toy_items()

    gamma = metric(score(rows, plant(rows, -0.2)), "gamma").by["subject"]

    assert gamma["arab"].value == pytest.approx(-0.2)


def test_constant_scores_are_unbiased(toy_items) -> None:
    """Everything is 0 and tied, p-values are 1, and nothing is divided by 0."""
    rows = toy_items()
    same = pl.DataFrame([{"id": row["id"], "score_x1": 0.5, "score_x2": 0.5} for row in rows])

    report = score(rows, same)

    for name in ("mu", "eta", "delta", "epsilon", "flipped_by_position"):
        assert metric(report, name).value == 0
    assert metric(report, "flipped_by_position").by["decision"]["tied"].value == 1
    assert {value.p_holm for value in metric(report, "gamma").by["subject"].values()} == {1.0}


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(toy_items, toy_predictions, random) -> None:
    """Items and predictions in any order give the same report, to the last bit."""
    rows, shuffled = toy_items(), toy_items()
    predictions = toy_predictions(rows)
    random.shuffle(shuffled)
    order = random.sample(range(len(rows)), len(rows))

    assert score(shuffled, predictions[order]).metrics == score(rows, predictions).metrics


def test_swapping_the_subjects_of_a_pair_changes_nothing(toy_items, toy_predictions) -> None:
    """Which of two subjects is called x1 is a name alone."""
    rows = toy_items()
    predictions = toy_predictions(rows)
    turned = [row | {"x1": row["x2"], "x2": row["x1"], "order": 33 - row["order"]} for row in rows]
    swapped = predictions.rename({"score_x1": "score_x2", "score_x2": "score_x1"})

    ours, theirs = score(rows, predictions), score(turned, swapped)

    for ours_value, other in zip(ours.metrics[:6], theirs.metrics[:6], strict=True):
        assert ours_value.value == pytest.approx(other.value, abs=1e-15)
    for name, ours_value in metric(ours, "gamma").by["subject"].items():
        other = metric(theirs, "gamma").by["subject"][name]
        assert ours_value.value == pytest.approx(other.value, abs=1e-15)


def test_gammas_of_all_subjects_cancel(toy_items, toy_predictions) -> None:
    """What one subject wins another loses: weighted by examples they add up to 0."""
    rows = toy_items()

    subjects = metric(score(rows, toy_predictions(rows)), "gamma").by["subject"].values()

    assert sum(subject.value * subject.n_scored for subject in subjects) == pytest.approx(
        0, abs=1e-12
    )


def test_pandas_frames_and_lists_are_taken(toy_items, toy_frame, toy_predictions) -> None:
    """Whatever holds the rows, the report is the same."""
    pandas = pytest.importorskip("pandas")
    rows = toy_items()
    predictions = toy_predictions(rows)
    expected = score(toy_frame(rows), predictions).metrics

    assert score(rows, predictions.to_dicts()).metrics == expected
    assert score(pandas.DataFrame(rows), pandas.DataFrame(predictions.to_dicts())).metrics == (
        expected
    )
    assert score(toy_frame(rows).lazy(), predictions.lazy()).metrics == expected


def test_what_holds_no_rows_is_refused(toy_items) -> None:
    """A number is no table, and a table needs its columns."""
    with pytest.raises(DataRefused, match="Rows are a int"):
        score(toy_items(), 3)
    with pytest.raises(DataRefused, match="The predictions lack the column score_x2"):
        score(toy_items(), [{"id": "a", "score_x1": 1}])


def test_groups_share_what_their_subjects_win(toy_items, toy_predictions) -> None:
    """Female names against male ones: the two groups' gamma are each other's opposite."""
    groups = {"anne": "female", "bob": "male", "carl": "male", "dora": "female"}
    rows = toy_items(tuple(groups), templates=4, groups=groups)

    gamma = metric(score(rows, toy_predictions(rows)), "gamma")

    female, male = gamma.by["group"]["female"], gamma.by["group"]["male"]
    assert female.value == pytest.approx(-male.value, abs=1e-15)
    names = gamma.by["subject"]
    assert female.value == pytest.approx((names["anne"].value + names["dora"].value) / 2)
    assert female.p_holm == female.p_value  # one test, not two
    assert names["anne"].p_holm >= names["anne"].p_value


def test_each_config_is_scored_by_itself(toy_items, toy_predictions) -> None:
    """Two configs in one file give two sets of metrics."""
    rows = toy_items() + toy_items(("a", "b"), config="other")

    report = score(rows, toy_predictions(rows))

    assert report.configs == ["other", "toy"]
    assert [record.config for record in report.metrics] == ["other"] * 8 + ["toy"] * 8
    alone = toy_items()
    only = toy_predictions(rows).filter(pl.col("id").str.starts_with("toy-"))
    assert score(alone, only).metrics == report.metrics[8:]


def test_missing_rows_are_refused_unless_allowed(toy_items, toy_predictions) -> None:
    """Without one of its four questions an example is left out, and counted, everywhere."""
    rows = toy_items()
    predictions = toy_predictions(rows)[1:]
    with pytest.raises(DataRefused, match=r"missing ids: 1 \(toy-t00-arab-jewish-lied-pos-12\)"):
        score(rows, predictions)

    report = score(rows, predictions, allow_missing=True)

    assert {(record.n_scored, record.n_unscored) for record in report.metrics} == {(17, 1)}
    assert re.match("toy: 1 .*t00 / arab / jewish / lied", report.warnings[0])
    complete = [row for row in rows if "t00-arab-jewish-lied" not in row["id"]]
    rest = predictions.filter(pl.col("id").is_in([row["id"] for row in complete]))
    values = [record.value for record in score(complete, rest).metrics]
    assert [record.value for record in report.metrics] == values


def test_a_refusal_in_python_names_the_argument(toy_items, toy_predictions) -> None:
    """No option of the command line is advised to whoever calls the function."""
    rows = toy_items()

    with pytest.raises(DataRefused) as refused:
        score(rows, toy_predictions(rows)[1:])

    assert "pass allow_missing=True" in str(refused.value)
    assert "--" not in str(refused.value)


def test_nothing_complete_is_null_with_the_reason(toy_items, toy_predictions) -> None:
    """No number is made up where no example has its four questions."""
    rows = toy_items()

    report = score(rows, toy_predictions(rows)[:1], allow_missing=True)

    for record in report.metrics:
        assert record.value is None
        assert record.why_null
        assert record.interval is None
        assert record.null_reference is None
    for name, subject in metric(report, "gamma").by["subject"].items():
        assert (subject.value, subject.n_scored, subject.p_value) == (None, 0, None)
        assert repr(name) in subject.why_null


def test_a_template_without_complete_examples_is_no_cluster(toy_items, toy_predictions) -> None:
    """Intervals count the templates that have examples."""
    rows = toy_items()
    predictions = toy_predictions(rows).filter(~pl.col("id").str.starts_with("toy-t01"))

    report = score(rows, predictions, allow_missing=True)

    mu = metric(report, "mu")
    assert mu.interval is not None
    assert mu.interval.n_clusters == 2
    assert mu.null_reference is not None
    assert mu.null_reference.n_draws == 4


@pytest.mark.parametrize(
    ("change", "fact"),
    [
        (lambda p: pl.concat([p, p[:1]]), "duplicate ids: 1 "),
        (lambda p: p.with_columns(id=pl.col("id") + "x"), "unknown ids: 72 "),
        (lambda p: p.with_columns(score_x1=pl.lit(1.5)), "out of range: 72 "),
        (lambda p: p.with_columns(score_x2=pl.lit(float("nan"))), "NaN or infinite: 72 "),
    ],
)
def test_predictions_that_do_not_fit_are_refused(toy_items, toy_predictions, change, fact) -> None:
    """Duplicate and unknown ids, NaN, out of range."""
    rows = toy_items()

    with pytest.raises(DataRefused, match=fact):
        score(rows, change(toy_predictions(rows)))


@pytest.mark.parametrize(
    ("column", "value", "facts"),
    [
        ("polarity", "maybe", r"Row 1 .*polarity 'maybe'.*'pos' or 'neg'"),
        ("order", 21, r"Rows 1 and 2 .*same question"),
        ("group1", "female", r"'arab' .*'female' .*None"),
    ],
)
def test_items_that_contradict_themselves_are_refused(
    toy_items, toy_predictions, column, value, facts
) -> None:
    """An unknown polarity, the same question twice, a subject of two groups."""
    rows = toy_items()
    predictions = toy_predictions(rows)
    rows[0][column] = value

    with pytest.raises(DataRefused, match=facts):
        score(rows, predictions)


@pytest.mark.parametrize(
    ("setting", "fact"),
    [({"level": 95}, "level is 95"), ({"resamples": 0}, "at least 1"), ({"seed": -1}, "negative")],
)
def test_settings_that_make_no_interval_are_refused(toy_items, toy_predictions, setting, fact):
    """A level of 95 was meant as .95."""
    rows = toy_items()

    with pytest.raises(DataRefused, match=fact):
        score(rows, toy_predictions(rows), **setting)


def test_kinds_of_attributes_are_strata(toy_items, toy_predictions) -> None:
    """Six templates of two kinds leave 6 - 2 degrees of freedom to the interval."""
    rows = toy_items(templates=6, kinds=("person", "place"))
    for row in rows:  # an attribute goes with templates of its own kind
        row["attribute"] = f"{row['attribute']} {row['attribute_kind']}"
    one_kind = [row | {"attribute_kind": "person"} for row in rows]
    predictions = toy_predictions(rows)

    two, one = (
        metric(score(item_rows, predictions), "mean_score") for item_rows in (rows, one_kind)
    )

    assert two.value == one.value
    assert two.interval != one.interval


def test_many_templates_get_a_bootstrap_and_drawn_signs(toy_items, toy_predictions) -> None:
    """With 30 templates and more nothing is flagged, and the seed decides."""
    rows = toy_items(("a", "b"), ("lied",), templates=32)
    predictions = toy_predictions(rows)

    report = score(rows, predictions, resamples=500)

    mu = metric(report, "mu")
    assert mu.interval is not None
    assert mu.null_reference is not None
    assert (mu.interval.method, mu.interval.few_clusters) == ("percentile_bootstrap", False)
    assert (mu.interval.n_resamples, mu.null_reference.n_draws) == (500, 500)
    assert score(rows, predictions, resamples=500) == report
    assert metric(score(rows, predictions, resamples=500, seed=1), "mu") != mu


def test_an_unbiased_model_lies_inside_its_null_reference(toy_items, toy_predictions) -> None:
    """With no preference planted, mu and eta pass the 95 % quantile about 1 time in 20."""
    above = {"mu": 0, "eta": 0, "delta": 0, "epsilon": 0}
    runs = 60
    for seed in range(runs):
        rows = toy_items(templates=8)
        report = score(rows, toy_predictions(rows, seed))
        for name in above:
            record = metric(report, name)
            above[name] += record.value > record.null_reference.quantile_95

    assert max(above.values()) / runs <= 0.15


def test_a_planted_bias_lies_above_its_null_reference(toy_items, toy_predictions) -> None:
    """A preference in all of 8 templates is one of 2 patterns in 256."""
    rows = toy_items(templates=8)
    noise = toy_predictions(rows).with_columns(pl.col("score_x1", "score_x2") * 0.2)
    planted = plant(rows, 0.5).with_columns(pl.col("score_x1", "score_x2") * 0.8)
    both = planted.with_columns(
        score_x1=pl.col("score_x1") + noise["score_x1"],
        score_x2=pl.col("score_x2") + noise["score_x2"],
    )

    report = score(rows, both)

    for name in ("mu", "eta"):
        record = metric(report, name)
        assert record.value > record.null_reference.quantile_95
    assert metric(report, "gamma").by["subject"]["arab"].p_holm < 0.05


def test_few_templates_are_warned_of(toy_items, toy_predictions) -> None:
    """Up to 5 templates, mu can reach the quantile of its reference but not pass it."""
    rows = toy_items(templates=4)

    report = score(rows, plant(rows, 0.5))

    assert re.match("toy: .*\\b4 templates\\b.*95", report.warnings[0])
    mu = metric(report, "mu")
    assert mu.value == pytest.approx(mu.null_reference.quantile_95)


def test_order_dependence_passes_its_null_reference(toy_items) -> None:
    """A model that always takes the first subject has delta 1, far above chance pairing."""
    rows = toy_items(templates=8)
    first = pl.DataFrame(
        [
            {"id": row["id"], "score_x1": float(row["order"] == 12),
             "score_x2": float(row["order"] == 21)}
            for row in rows
        ]
    )  # fmt: skip

    report = score(rows, first)

    delta = metric(report, "delta")
    assert delta.value == 1
    assert delta.null_reference.quantile_95 < 0.7
    assert metric(report, "flipped_by_position").value == 1
    assert metric(report, "mu").value == 0


def test_values_are_finite_where_they_are_not_null(toy_items, toy_predictions) -> None:
    """No NaN leaves the scorer: canonical JSON would refuse it."""
    rows = toy_items(("a", "b"), ("lied",), templates=1)

    report = score(rows, toy_predictions(rows))

    for record in report.metrics:
        values = [
            record.value,
            *(group.value for by in record.by.values() for group in by.values()),
        ]
        assert all(value is None or np.isfinite(value) for value in values)
        assert record.interval is None


def test_a_sparse_design_is_scored_as_any_other(toy_items, toy_predictions) -> None:
    """With few of many possible pairs, keys are sorted instead of marked: 19 of 190 pairs."""
    names = tuple("abcdefghijklmnopqrst")
    rows = [row for row in toy_items(names, ("lied",), 2) if ord(row["x2"]) - ord(row["x1"]) == 1]

    report = score(rows, toy_predictions(rows))

    assert metric(report, "mu").n_scored == 19 * 2
    ends = metric(report, "gamma").by["subject"]
    assert (ends["a"].n_scored, ends["b"].n_scored) == (2, 4)


def test_a_subject_of_one_template_has_no_interval(toy_items, toy_predictions) -> None:
    """The only cluster of a subject says nothing about how clusters differ."""
    rows = [
        row
        for row in toy_items(templates=6)
        if row["template"] == "t00" or "sikh" not in (row["x1"], row["x2"])
    ]

    sikh = metric(score(rows, toy_predictions(rows)), "gamma").by["subject"]["sikh"]

    assert sikh.value is not None
    assert (sikh.interval, sikh.p_value, sikh.p_holm) == (None, None, None)
    assert re.search("one of the 6 templates", sikh.why_no_interval)


def test_templates_that_all_agree_are_no_certainty(toy_items) -> None:
    """By hand: of 6 templates the others are at most 1 - .025^(1/6) = .4593 of all.

    So a subject that always wins has an eta of 1 - 2 * .4593 at the least. The index over subjects
    and attributes is no mean of templates, and has a reason in place of an interval.
    """
    rows = toy_items(("arab", "jewish"), templates=6)
    wins = [float((row["x1"] == "arab") == (row["polarity"] == "pos")) for row in rows]
    scores = pl.DataFrame(
        {"id": [row["id"] for row in rows], "score_x1": wins, "score_x2": [1 - w for w in wins]}
    )

    report = score(rows, scores)

    arab = metric(report, "eta_subject").by["subject"]["arab"]
    assert arab.value == 1.0
    assert arab.interval.method == "agreement_bound"
    assert (arab.interval.low, arab.interval.high) == (pytest.approx(0.0815, abs=5e-5), 1.0)
    eta = metric(report, "eta")
    assert (eta.value, eta.interval) == (1.0, None)
    assert eta.why_no_interval == "All 6 templates agree, so no resampling of them can vary."


@pytest.mark.parametrize("column", ["attribute", "template", "x1", "attribute_kind"])
def test_an_item_without_a_slot_is_refused(toy_items, toy_frame, toy_predictions, column) -> None:
    """Every slot but the group has a value."""
    rows = toy_items()
    predictions = toy_predictions(rows)
    rows[3][column] = None

    with pytest.raises(DataRefused, match=f"column {column} .*row without a value"):
        score(toy_frame(rows), predictions)


def test_no_predictions_give_no_metrics(toy_items, toy_predictions) -> None:
    """An empty table names no config."""
    rows = toy_items()

    assert score(rows, toy_predictions(rows).clear()).metrics == []
