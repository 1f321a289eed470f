"""The ``evenhand`` command: finds the sub-commands of the packages that are installed.

A sub-command is a module with ``EXAMPLE``, ``configure(parser)`` and ``run(arguments)``; packages
name theirs in the entry point group ``evenhand.commands``. Only the module of the command that
was called is imported, so that ``evenhand --help`` answers at once.
"""

import argparse
import difflib
import importlib
import os
import sys
import traceback
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, entry_points, version
from typing import Protocol

from evenhand.contract import STEMS
from evenhand.contract.commands import COMMANDS, CommandEntry
from evenhand.contract.errors import DataRefused, WrongUse
from evenhand.contract.options import CommandParser
from evenhand.contract.tables import printable

DISTRIBUTIONS = ("evenhand-contract", "evenhand-generator", "evenhand-scorer")
_CONTRACT_COMMANDS = {
    "schema": "evenhand.contract.command_schema",
    "verify": "evenhand.contract.command_verify",
}
_DATASET = f"datasets_out/{STEMS[0]}/1.0.0"
_EXAMPLES = f"""\
examples:
  evenhand generate {STEMS[0]} --out {_DATASET}
  evenhand predict {_DATASET} --model DIR --out predictions.parquet
  evenhand score {_DATASET} --predictions predictions.parquet --out metrics.json
  evenhand report metrics.json --out report.html

`evenhand COMMAND --help` explains a command. Data goes to stdout, progress to stderr.
Exit codes: 0 done, 1 the data was refused, 2 wrong use.
"""


class CommandModule(Protocol):
    """What a sub-command's module offers."""

    EXAMPLE: str

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Declare the command's arguments."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Do the work and return the exit code."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code (0, 1 or 2)."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        code = _dispatch(words)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of stdout is gone (``| head``); without this Python complains at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except BaseException as error:  # polars panics derive from BaseException, not Exception
        if isinstance(error, SystemExit | GeneratorExit):
            raise
        if os.environ.get("EVENHAND_TRACEBACK"):
            traceback.print_exc()
        message, code = _error_message(error)
        print(f"evenhand: {printable(message)}", file=sys.stderr)
    return code


def _dispatch(words: list[str]) -> int:
    if not words or words[0] in {"-h", "--help", "help"}:
        print(_overview())
        return 0
    if words[0] == "--version":
        print(_versions())
        return 0
    return _run_command(words[0], words[1:])


def _error_message(error: BaseException) -> tuple[str, int]:
    """Return the message shown for an error, and the exit code."""
    match error:
        case DataRefused():
            return str(error), 1
        case WrongUse():
            return str(error), 2
        case KeyboardInterrupt():
            return "stopped.", 130
        case MemoryError():
            return "there is not enough memory for this; split the files, for example by config.", 1
        case OSError():
            where = f"{error.filename}: " if error.filename else ""
            return f"{where}{error.strerror or error}.", 1
    return (
        f"internal error ({type(error).__name__}: {error}); this is a bug in Evenhand."
        " Run again with EVENHAND_TRACEBACK=1 and report what it prints."
    ), 1


def _run_command(name: str, words: list[str]) -> int:
    module = _load(name)
    parser = CommandParser(
        prog=f"evenhand {name}",
        description=_description(name, module),
        epilog=f"example:\n  {module.EXAMPLE.strip()}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    module.configure(parser)
    if {"-h", "--help"} & set(words):
        parser.narrow(words)
    try:
        arguments = parser.parse_args(words)
    except SystemExit as stop:
        return int(stop.code or 0)
    return module.run(arguments)


def _load(name: str) -> CommandModule:
    """Import the module of a command, or say which package has it."""
    if name in _CONTRACT_COMMANDS:
        return importlib.import_module(_CONTRACT_COMMANDS[name])
    for point in entry_points(group="evenhand.commands", name=name):
        module: CommandModule = point.load()
        return module
    entries = {entry.name: entry for entry in COMMANDS}
    if name in entries:
        package = entries[name].distribution
        raise WrongUse(
            f"`{name}` is a command of {package}, which is not installed: pip install {package}."
        )
    matches = difflib.get_close_matches(name, entries, n=1)
    hint = f" Did you mean `{matches[0]}`?" if matches else ""
    raise WrongUse(f"There is no command `{name}`.{hint} `evenhand --help` lists them all.")


def _description(name: str, module: CommandModule) -> str:
    """Take the module's docstring, which is written for the reader of ``--help``."""
    summary = {entry.name: entry.summary for entry in COMMANDS}.get(name, "")
    return (module.__doc__ or summary).strip()


def _overview() -> str:
    installed = {point.name for point in entry_points(group="evenhand.commands")}
    lines = [
        "usage: evenhand COMMAND [options]",
        "",
        "Build social-bias benchmark datasets and score language models on them, offline.",
        "",
    ]
    for distribution in DISTRIBUTIONS:
        commands = [entry for entry in COMMANDS if entry.distribution == distribution]
        lines += _section(distribution, commands, installed | set(_CONTRACT_COMMANDS))
    return "\n".join(lines) + "\n" + _EXAMPLES


def _section(distribution: str, commands: list[CommandEntry], available: set[str]) -> list[str]:
    if not any(entry.name in available for entry in commands):
        names = ", ".join(entry.name for entry in commands)
        return [f"{distribution} is not installed; it has: {names}", ""]
    return [
        f"{distribution}:",
        *(f"  {entry.name:<12} {entry.summary}" for entry in commands if entry.name in available),
        "",
    ]


def _versions() -> str:
    lines = []
    for distribution in DISTRIBUTIONS:
        try:
            lines.append(f"{distribution} {version(distribution)}")
        except PackageNotFoundError:
            lines.append(f"{distribution} is not installed")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
