"""The command line, reference data, and the rule that conformance tests are never skipped."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from evenhand.contract.cli import main

# How long an example takes says how busy the machine is, not whether the code is right.
settings.register_profile("evenhand", deadline=None)
settings.load_profile("evenhand")


@pytest.fixture
def evenhand(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Return a function that runs a command here and returns exit code, stdout and stderr."""

    def run(*words: object) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main([str(word) for word in words])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


@pytest.fixture(scope="session")
def conformance() -> Path:
    """Return the folder of reference data, or skip with the reason."""
    folder = os.environ.get("EVENHAND_CONFORMANCE")
    if not folder:
        pytest.skip("EVENHAND_CONFORMANCE does not name the folder of reference data")
    return Path(folder)


def pytest_terminal_summary(terminalreporter, config) -> None:
    """Say how many conformance tests ran and how many were skipped."""
    ran, skipped = _conformance_counts(terminalreporter)
    terminalreporter.write_line(f"conformance tests: {ran} ran, {skipped} skipped")
    if skipped and os.environ.get("EVENHAND_CONFORMANCE"):
        terminalreporter.write_line(
            "ERROR: EVENHAND_CONFORMANCE is set, so no conformance test may be skipped", red=True
        )


def pytest_sessionfinish(session, exitstatus) -> None:
    """Fail the run when reference data is there and a conformance test was skipped."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("EVENHAND_CONFORMANCE") and _conformance_counts(reporter)[1]:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _conformance_counts(reporter) -> tuple[int, int]:
    def count(outcome: str) -> int:
        reports = reporter.stats.get(outcome, [])
        return sum("conformance" in getattr(report, "keywords", {}) for report in reports)

    return count("passed") + count("failed"), count("skipped")
