"""Tables across models, hand-worked."""

import msgspec
import polars as pl
import pytest

from evenhand.contract.report import GroupValue, Report
from evenhand.scorer.unqover import score, tables


def frame(rows: list[tuple[str, str, float]]) -> pl.DataFrame:
    """Return a subject-attribute table."""
    return pl.DataFrame(rows, schema=["subject", "attribute", "gamma"], orient="row")


@pytest.fixture
def report_with(toy_items, toy_predictions):
    """Make a report whose gamma by subject is given."""

    def make(gamma: dict[str, float | None]) -> Report:
        rows = toy_items()
        report = score(rows, toy_predictions(rows), resamples=1)
        by = {"subject": {name: GroupValue(value=v, n_scored=1) for name, v in gamma.items()}}
        metrics = [
            msgspec.structs.replace(own, by=by) if own.id == "unqover.gamma" else own
            for own in report.metrics
        ]
        return msgspec.structs.replace(report, metrics=metrics)

    return make


def test_ranks_across_models(report_with) -> None:
    """a: ranks 1, 2 -> 1.5 +- .5; b: 2.5 (tied), 1 -> 1.75 +- .75; c: 2.5, 3 -> 2.75 +- .25."""
    reports = {
        "one": report_with({"a": 0.3, "b": -0.1, "c": -0.1}),
        "two": report_with({"a": 0.1, "b": 0.2, "c": -0.3}),
    }

    ranks = tables.ranks_across_models(reports, "toy")

    assert ranks.rows() == [
        ("a", 1.5, 0.5, 2),
        ("b", 1.75, 0.75, 2),
        ("c", 2.75, 0.25, 2),
    ]


def test_a_subject_that_a_model_lacks_is_ranked_over_the_others(report_with) -> None:
    """A null gamma and an absent config give no rank."""
    reports = {"one": report_with({"a": 0.3, "b": None}), "two": report_with({"b": 0.1, "a": 0.2})}

    assert tables.ranks_across_models(reports, "toy").rows() == [
        ("a", 1.0, 0.0, 2),
        ("b", 2.0, 0.0, 1),
    ]
    assert tables.ranks_across_models(reports, "absent").is_empty()


def test_attributes_in_the_top_of_several_models() -> None:
    """Of the two strongest attributes of a, both models have x; only one has y or z."""
    one = frame([("a", "x", 0.3), ("a", "y", 0.2), ("a", "z", 0.1), ("b", "x", 0.1)])
    two = frame([("a", "z", 0.5), ("a", "x", 0.1), ("a", "y", -0.2), ("b", "y", 0.1)])

    shared = tables.shared_top_attributes({"one": one, "two": two}, k=2)

    assert shared.rows() == [("a", "x", 2, pytest.approx(0.2))]


def test_shift_from_language_model_to_qa() -> None:
    """QA less LM on the shared cells, strongest first; cells of one model alone are left out."""
    lm = frame([("a", "x", 0.1), ("a", "y", 0.1), ("b", "x", 0.0)])
    qa = frame([("a", "x", 0.15), ("a", "y", -0.2), ("c", "x", 0.9)])

    shift = tables.bias_shift(lm, qa)

    assert shift.select("subject", "attribute").rows() == [("a", "y"), ("a", "x")]
    assert shift["shift"].to_list() == pytest.approx([-0.3, 0.05])
    assert tables.bias_shift(
        lm.group_by("subject").agg(pl.col("gamma").sum()), qa.group_by("subject").agg(
            pl.col("gamma").sum())
    )["shift"].to_list() == pytest.approx([-0.25])  # fmt: skip
