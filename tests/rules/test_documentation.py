"""The documentation cannot rot: commands, schemas and pages are compared with the code."""

import importlib
import json
import re
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from evenhand.contract import STEMS
from evenhand.contract.cli import _OWN_COMMANDS
from evenhand.contract.commands import COMMANDS
from evenhand.contract.files import canonical_json
from evenhand.contract.schemas import KINDS, file_of, schema_of

ROOT = Path(__file__).parents[2]
NAMES = [entry.name for entry in COMMANDS]


def test_the_table_of_commands_is_what_the_packages_offer() -> None:
    """A command is in the static table if and only if a package has it."""
    offered = {point.name for point in entry_points(group="evenhand.commands")} | set(_OWN_COMMANDS)

    assert sorted(NAMES) == sorted(offered)


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_help_with_an_example(name: str) -> None:
    """`evenhand COMMAND --help` explains itself and shows a line to copy."""
    run = subprocess.run(
        [sys.executable, "-m", "evenhand.contract.cli", name, "--help"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert f"example:\n  evenhand {name} " in run.stdout
    assert len(run.stdout.split("\n\n")[1]) > 40


@pytest.mark.parametrize("name", NAMES)
def test_every_option_has_its_help(name: str) -> None:
    """No option is left without a sentence."""
    import argparse

    modules = {point.name: point.value for point in entry_points(group="evenhand.commands")}
    parser = argparse.ArgumentParser()
    importlib.import_module({**modules, **_OWN_COMMANDS}[name]).configure(parser)

    assert [action.dest for action in parser._actions if not action.help] == []


@pytest.mark.parametrize("stem", STEMS)
@pytest.mark.parametrize("kind", KINDS)
def test_committed_schemas_are_those_of_the_types(stem: str, kind: str) -> None:
    """A changed record shows as a changed schema (`make docs` writes them)."""
    assert file_of(stem, kind).read_bytes() == canonical_json(schema_of(stem, kind))


@pytest.mark.parametrize("stem", STEMS)
@pytest.mark.parametrize("kind", KINDS)
def test_schemas_are_valid_json_schema(stem: str, kind: str) -> None:
    """Every schema is itself valid under draft 2020-12."""
    from jsonschema import Draft202012Validator

    Draft202012Validator.check_schema(json.loads(file_of(stem, kind).read_text()))

    assert Draft202012Validator(schema_of(stem, kind)).is_valid({"id": 1}) is False


def test_generated_pages_are_current() -> None:
    """The command line, the contract and the tables of metrics are what `make docs` would write."""
    run = subprocess.run(
        [sys.executable, ROOT / "docs/generate.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (run.returncode, run.stderr) == (0, "")


def test_every_field_of_the_contract_has_its_meaning() -> None:
    """docs/contract.md leaves no field of any record without a word."""
    page = (ROOT / "docs/contract.md").read_text(encoding="utf-8")

    fields = re.findall(r"^\| `(\w+)` \| `[^|]+` \| (?:yes|no) \| (.*) \|$", page, re.MULTILINE)

    assert len(fields) > 100
    assert [name for name, meaning in fields if not meaning.strip()] == []


def test_links_between_pages_lead_somewhere() -> None:
    """Every relative link of a Markdown page names a file that is there."""
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("*/README.md")]
    broken = [
        (page.relative_to(ROOT).as_posix(), target)
        for page in pages
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]

    assert broken == []
