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
from evenhand.contract.cli import _CONTRACT_COMMANDS
from evenhand.contract.commands import COMMANDS
from evenhand.contract.files import canonical_json
from evenhand.contract.predictions import HEADER_KEY
from evenhand.contract.schemas import (
    FOLDER,
    KINDS,
    committed_schema,
    generate_schema,
    schema_path,
)

ROOT = Path(__file__).parents[2]
NAMES = [entry.name for entry in COMMANDS]


def test_the_table_of_commands_is_what_the_packages_offer() -> None:
    """A command is in the static table if and only if a package has it."""
    offered = {point.name for point in entry_points(group="evenhand.commands")} | set(
        _CONTRACT_COMMANDS
    )

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
    importlib.import_module({**modules, **_CONTRACT_COMMANDS}[name]).configure(parser)

    assert [action.dest for action in parser._actions if not action.help] == []


@pytest.mark.parametrize("stem", STEMS)
@pytest.mark.parametrize("kind", KINDS)
def test_committed_schemas_are_those_of_the_types(stem: str, kind: str) -> None:
    """A changed record shows as a changed schema (`make docs` writes them)."""
    assert schema_path(stem, kind).read_bytes() == canonical_json(generate_schema(stem, kind))


@pytest.mark.parametrize("stem", STEMS)
@pytest.mark.parametrize("kind", KINDS)
def test_schemas_are_valid_json_schema(stem: str, kind: str) -> None:
    """Every schema is itself valid under draft 2020-12."""
    from jsonschema import Draft202012Validator

    schema = committed_schema(stem, kind)
    Draft202012Validator.check_schema(schema)

    assert Draft202012Validator(schema).is_valid({"id": 1}) is False


@pytest.mark.parametrize("stem", STEMS)
def test_golden_files_satisfy_their_schemas(stem: str) -> None:
    """Every row of predictions, the metric JSON and the manifest are what the schemas describe."""
    from jsonschema import Draft202012Validator

    golden = ROOT / "tests/golden"
    lines = (golden / f"{stem}_predictions.jsonl").read_text(encoding="utf-8").splitlines()
    records = [("predictions", json.loads(line)) for line in lines]
    records.append(("metrics", json.loads((golden / f"{stem}_metrics.json").read_bytes())))
    records.append(("manifest", json.loads((golden / stem / "evenhand.json").read_bytes())))
    validators = {kind: Draft202012Validator(committed_schema(stem, kind)) for kind in KINDS}

    for kind, record in records:
        validators["header" if HEADER_KEY in record else kind].validate(
            record.get(HEADER_KEY, record)
        )


def test_no_other_schema_is_committed() -> None:
    """The folder holds the schemas that are printed, each once."""
    printed = {schema_path(stem, kind) for stem in STEMS for kind in KINDS}

    assert set(FOLDER.iterdir()) == printed


def test_printed_schema_names_its_benchmark_and_refers_to_nothing_outside() -> None:
    """`evenhand schema` prints one document, whose references it holds itself."""
    run = subprocess.run(
        [sys.executable, "-m", "evenhand.contract.cli", "schema", STEMS[-1], "metrics"],
        capture_output=True,
        text=True,
        check=True,
    )
    schema = json.loads(run.stdout)

    assert schema["title"] == f"Evenhand {STEMS[-1]} metrics"
    assert set(re.findall(r'"\$ref": "#/\$defs/(\w+)"', run.stdout)) == set(schema["$defs"])
    assert run.stdout.count('"$ref"') == run.stdout.count('"$ref": "#/$defs/')


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
