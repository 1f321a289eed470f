"""Predict's progress: a bar on a terminal, lines in a log, and a time a person can read."""

import pytest

from evenhand.scorer import progress
from evenhand.scorer.commands.predict import _name_configs
from evenhand.scorer.predict import engine
from evenhand.scorer.progress import Progress


def test_lines_in_a_log(capsys, monkeypatch) -> None:
    """Where stderr is no terminal, a line comes at most every few seconds, none with a bar."""
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    with Progress("predict toy", total=3_000) as shown:
        shown.advance(1_000)
        monkeypatch.setattr(progress, "_SECONDS_BETWEEN_LINES", -1.0)
        shown.advance(1_000)
        shown.say("a line [of] its own")
    captured = capsys.readouterr()
    assert captured.err == "predict toy: 2,000 of 3,000 rows\na line [of] its own\n"
    assert captured.out == ""


def test_many_configs_are_counted() -> None:
    """The line that comes again and again names up to three configs, and counts more."""
    assert _name_configs(["Age", "SES", "Religion"]) == "Age, SES, Religion"
    assert _name_configs(["Age", "SES", "Religion", "Nationality"]) == "4 configs"


def test_bar_on_a_terminal(capsys, monkeypatch) -> None:
    """On a terminal a bar shows the rows, goes at the end, and lines stand above it."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    with Progress("predict toy", total=3_000) as shown:
        shown.advance(1_500)
        shown.say("a line [of] its own")
    captured = capsys.readouterr()
    assert "1500/3000" in captured.err
    assert "a line [of] its own" in captured.err
    assert captured.out == ""


@pytest.mark.parametrize(
    ("seconds", "says"),
    [(0.2, "1 s"), (89, "89 s"), (600, "10 min"), (7_140, "119 min"), (13_000, "3.6 h")],
)
def test_durations(seconds, says) -> None:
    """Seconds under a minute and a half, then minutes, from two hours on hours."""
    assert engine._duration(seconds) == says
