"""The launcher: one sentence for every refusal, and the right exit code."""

import argparse
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from evenhand.contract import cli
from evenhand.contract.commands import COMMANDS
from evenhand.contract.errors import DataRefused, WrongUse
from evenhand.contract.tables import FORMATS, render_rows

ROOT = Path(__file__).parents[2]
ROWS = [
    {"subject": "arab", "gamma": 0.25, "n": 1400, "few": True},
    {"subject": "a|b", "gamma": None, "n": 7, "few": False},
]


def run_with(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> int:
    """Run a command that ends in the given error."""

    def fail(arguments: argparse.Namespace) -> int:
        raise error

    module = SimpleNamespace(__doc__="Fail.", EXAMPLE="", configure=lambda _: None, run=fail)
    monkeypatch.setattr(cli, "_load", lambda _: module)
    return cli.main(["anything"])


@pytest.mark.parametrize(
    ("error", "code", "expected"),
    [
        (DataRefused("Row 3 is wrong."), 1, "evenhand: Row 3 is wrong.\n"),
        (WrongUse("No such config."), 2, "evenhand: No such config.\n"),
        (FileNotFoundError(2, "No such file", "x.csv"), 1, "evenhand: x.csv: No such file.\n"),
        (KeyboardInterrupt(), 130, "evenhand: stopped.\n"),
    ],
)
def test_each_refusal_is_one_sentence_with_its_exit_code(
    monkeypatch, capsys, error: BaseException, code: int, expected: str
) -> None:
    """Refused data exits with 1, wrong use with 2, an interrupt with 130."""
    assert run_with(monkeypatch, error) == code
    assert capsys.readouterr().err == expected


def test_an_internal_error_is_a_sentence_too(monkeypatch, capsys) -> None:
    """A bug of Evenhand is reported as one, without a traceback."""
    assert run_with(monkeypatch, ZeroDivisionError("by zero")) == 1
    error = capsys.readouterr().err
    assert "internal error (ZeroDivisionError: by zero)" in error
    assert "Traceback" not in error


def test_an_unknown_command_is_answered_with_the_nearest() -> None:
    """A typing slip gets the command that was meant."""
    with pytest.raises(WrongUse, match="Did you mean `verify`"):
        cli._load("verfy")


def test_a_command_of_a_missing_package_names_the_package(monkeypatch) -> None:
    """Without the scorer, `evenhand score` says what to install."""
    monkeypatch.setattr(cli, "entry_points", lambda **_: ())

    with pytest.raises(WrongUse, match="pip install evenhand-scorer"):
        cli._load("score")


def commands_of(distribution: str) -> list[str]:
    """Return a package's commands as the contract's table has them."""
    return [entry.name for entry in COMMANDS if entry.distribution == distribution]


def test_help_without_the_other_packages_lists_what_they_have(monkeypatch, capsys) -> None:
    """A lone contract shows its own commands, one a line, and names the rest by package."""
    monkeypatch.setattr(cli, "entry_points", lambda **_: ())

    assert cli.main(["--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    listed = [line.split()[0] for line in lines if line.startswith("  ") and "evenhand" not in line]
    absent = [line for line in lines if "is not installed" in line]

    assert listed == commands_of("evenhand-contract")
    assert absent == [
        f"{name} is not installed; it has: {', '.join(commands_of(name))}"
        for name in ("evenhand-generator", "evenhand-scorer")
    ]


@pytest.mark.parametrize("side", ["generator", "scorer"])
def test_the_table_of_commands_is_what_the_packages_have(side: str) -> None:
    """A command stands in the contract's table if its package names it, and only then."""
    project = tomllib.loads((ROOT / side / "pyproject.toml").read_text())["project"]
    points = project["entry-points"]["evenhand.commands"]

    assert set(commands_of(project["name"])) == set(points)


def test_wrong_arguments_exit_with_2(capsys) -> None:
    """Refusals of argparse keep their exit code."""
    assert cli.main(["schema", "unqover", "itemz"]) == 2
    assert "invalid choice" in capsys.readouterr().err


def test_versions_of_all_packages_are_printed(capsys) -> None:
    """`evenhand --version` answers for each of the three."""
    cli.main(["--version"])

    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == [
        "evenhand-contract",
        "evenhand-generator",
        "evenhand-scorer",
    ]


def test_a_closed_pipe_ends_quietly() -> None:
    """`evenhand ... | head` shows no complaint about the pipe."""
    program = f"{sys.executable} -m evenhand.contract.cli schema unqover items | head -c 1"

    run = subprocess.run(["sh", "-c", program], capture_output=True, text=True, check=True)

    assert (run.stdout, run.stderr) == ("{", "")


EXPECTED = {
    "table": "subject   gamma      n  few\narab     0.2500  1,400  yes\na|b           -      7  no",
    "csv": "subject,gamma,n,few\narab,0.25,1400,True\na|b,,7,False",
    "md": (
        "| subject | gamma | n | few |\n| --- | ---: | ---: | --- |\n"
        "| arab | 0.2500 | 1,400 | yes |\n| a\\|b | - | 7 | no |"
    ),
    "jsonl": (
        '{"subject": "arab", "gamma": 0.25, "n": 1400, "few": true}\n'
        '{"subject": "a|b", "gamma": null, "n": 7, "few": false}'
    ),
}


@pytest.mark.parametrize("form", EXPECTED)
def test_rows_are_rendered_in_every_format(form: str) -> None:
    """Numbers align right, a missing value is a dash, a bar is escaped in Markdown."""
    assert render_rows(ROWS, form) == EXPECTED[form]


@pytest.mark.parametrize("form", FORMATS)
def test_no_rows_are_no_error(form: str) -> None:
    """An empty table can be rendered in every format."""
    assert isinstance(render_rows([], form), str)
