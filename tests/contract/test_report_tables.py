"""A report in a notebook and on a terminal."""

import pytest

from evenhand.contract.report import DatasetRecord, GroupValue, Interval, Metric, Report

INTERVAL = Interval(
    low=-0.1, high=0.3, level=0.95, method="percentile_bootstrap", n_resamples=100, seed=0,
    cluster="question", n_clusters=40, few_clusters=False,
)  # fmt: skip


def report() -> Report:
    """Return a report with a number, a null and a group whose name is hostile."""
    number = Metric(
        id="bbq.bias_score.ambiguous.macro", config="all", value=0.125, unit="share",
        range=(-1.0, 1.0), best=0.0, n_scored=4, n_unscored=1, signature="s", interval=INTERVAL,
        by={"category": {"<script>": GroupValue(value=0.25, n_scored=2, p_value=0.5, p_holm=1.0)}},
    )  # fmt: skip
    null = Metric(
        id="bbq.accuracy_cost.macro", config="all", value=None, unit="share", range=(-1.0, 1.0),
        best=0.0, n_scored=0, n_unscored=5, signature="s", why_null="No row <is> scored.",
    )  # fmt: skip
    return Report(
        contract_version="1.0", dataset=DatasetRecord(stem="bbq", version="1.0.0", digest="d"),
        predictions=[], scorer_version="0", protocol="paper", seed=0, resamples=100, level=0.95,
        configs=["Age"], metrics=[number, null], warnings=[],
    )  # fmt: skip


def test_a_report_prints_as_a_table() -> None:
    """One line a metric, the value with its interval, a null with its reason."""
    lines = str(report()).splitlines()

    assert lines[0].split() == [
        "config", "metric", "value", "low", "high", "n_scored", "n_unscored", "why_null",
    ]  # fmt: skip
    assert lines[1].split()[1:5] == [
        "bbq.bias_score.ambiguous.macro", "0.1250", "-0.1000", "0.3000",
    ]  # fmt: skip
    assert lines[2].endswith("No row <is> scored.")


def test_a_notebook_shows_an_escaped_table() -> None:
    """Nothing in a report becomes markup."""
    shown = report()._repr_html_()

    assert shown.startswith("<table><caption>bbq 1.0.0</caption>")
    assert "No row &lt;is&gt; scored." in shown
    assert "<is>" not in shown


def test_groups_are_rows() -> None:
    """A group has value, count and both p-values."""
    assert report().group_rows("bbq.bias_score.ambiguous.macro", "category") == [
        {
            "config": "all", "category": "<script>", "value": 0.25, "low": None, "high": None,
            "n_scored": 2, "p_value": 0.5, "p_holm": 1.0, "why_null": None,
        }
    ]  # fmt: skip
    with pytest.raises(KeyError):
        report().group_rows("bbq.none", "category")
