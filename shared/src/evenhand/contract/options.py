"""Options that single benchmarks have: a benchmark declares them, the commands do the rest.

A command adds the options of all benchmarks, each in a group of ``--help`` that names its
benchmarks, and refuses an option that the benchmark at hand does not declare. So a new option
edits no command, and no benchmark has to know the options of another.
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from evenhand.contract import STEMS, WrongUse
from evenhand.contract.dataset import MANIFEST_NAME, dataset_folder
from evenhand.contract.errors import DataRefused


class Option(msgspec.Struct, frozen=True, kw_only=True):
    """One option of one command that a benchmark has."""

    command: str
    """E.g. ``score``."""
    flag: str
    """E.g. ``--criterion``."""
    help: str
    """What it does and what applies without it, in a clause."""
    type: Callable[[str], Any] = str
    """Reads a value; raises ``argparse.ArgumentTypeError`` in words for a person."""
    metavar: str | None = None
    """What stands for a value in ``--help``."""
    choices: tuple[str, ...] = ()
    """The values that are accepted; empty for any."""
    default: Any = None
    """What the benchmark gets where the option is not given."""
    is_switch: bool = False
    """It takes no value; given, it is True."""
    is_list: bool = False
    """It takes one value or more."""
    is_repeatable: bool = False
    """It may be given several times; its value is the list of all."""

    @property
    def name(self) -> str:
        """The name under which a benchmark gets the value, e.g. ``min_count``."""
        return self.flag.removeprefix("--").replace("-", "_")

    @property
    def shape(self) -> tuple[object, ...]:
        """How the flag is parsed; benchmarks that share a flag must agree on it."""
        return (self.type, self.is_switch, self.is_list, self.is_repeatable)


OptionsByBenchmark = Mapping[str, Sequence[Option]]
"""Benchmark -> its options, of all commands."""


class CommandParser(argparse.ArgumentParser):
    """A parser whose ``--help`` shows the options of one benchmark where the call names it."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._benchmark_actions: list[tuple[argparse.Action, dict[str, Option]]] = []
        self._descriptions: list[tuple[argparse.Action, Callable[[str], str]]] = []

    def add_option(
        self, group: "argparse._ArgumentGroup", options: dict[str, Option]
    ) -> argparse.Action:
        """Add one flag, given as benchmark -> what it means there."""
        action = add_option(group, options)
        self._benchmark_actions.append((action, options))
        return action

    def describe(self, action: argparse.Action, help_for: Callable[[str], str]) -> None:
        """Give an argument another help where the call names a benchmark: benchmark -> help."""
        self._descriptions.append((action, help_for))

    def narrow(self, words: Sequence[str]) -> None:
        """Hide from ``--help`` what the benchmark that one of the words names does not have."""
        stem = next((stem for word in words if (stem := stem_named(word))), None)
        if stem is None:
            return
        for action, options in self._benchmark_actions:
            option = options.get(stem)
            action.help = _help_text({stem: option}) if option else argparse.SUPPRESS
        for action, help_for in self._descriptions:
            action.help = help_for(stem).replace("%", "%%")


def stem_named(word: str) -> str | None:
    """Return the benchmark that a word of the command line names: itself, or its dataset's.

    >>> stem_named(STEMS[0]) == STEMS[0], stem_named("--help")
    (True, None)
    """
    if word in STEMS:
        return word
    try:
        manifest = dataset_folder(word) / MANIFEST_NAME
        stem = msgspec.json.decode(manifest.read_bytes()).get("stem")
    except (OSError, ValueError, AttributeError, DataRefused):
        return None  # what is wrong with the folder is reported when the command opens it
    return stem if stem in STEMS else None


def add_options(
    parser: argparse.ArgumentParser, command: str, all_options: OptionsByBenchmark
) -> None:
    """Add every benchmark's options of a command, in groups that name the benchmarks.

    Raises:
        ValueError: two benchmarks declare a flag in different shapes; a fault of the program.
    """
    by_flag: dict[str, dict[str, Option]] = {}
    for stem, options in all_options.items():
        for option in options:
            if option.command == command:
                by_flag.setdefault(option.flag, {})[stem] = option
    groups: dict[tuple[str, ...], argparse._ArgumentGroup] = {}
    for flag, same in by_flag.items():
        if len({option.shape for option in same.values()}) > 1:
            raise ValueError(f"{', '.join(same)} declare {flag} of {command} in different shapes.")
        stems = tuple(same)
        if stems not in groups:
            groups[stems] = parser.add_argument_group(f"options of {', '.join(stems)}")
        if isinstance(parser, CommandParser):
            parser.add_option(groups[stems], same)
        else:
            add_option(groups[stems], same)


def add_option(group: "argparse._ArgumentGroup", options: Mapping[str, Option]) -> argparse.Action:
    """Add one flag to a group; None stands for a flag that was not given."""
    option = next(iter(options.values()))
    settings: dict[str, Any] = {"dest": option.name, "default": None, "help": _help_text(options)}
    if option.is_switch:
        return group.add_argument(option.flag, action="store_true", **settings)
    if option.is_list:
        settings["nargs"] = "+"
    if option.is_repeatable:
        settings["action"] = "append"
    metavar = option.metavar or (f"{{{','.join(option.choices)}}}" if option.choices else None)
    return group.add_argument(option.flag, type=option.type, metavar=metavar, **settings)


def _help_text(options: Mapping[str, Option]) -> str:
    """Return what a flag means, benchmark by benchmark where they differ."""
    texts = {stem: option.help.replace("%", "%%") for stem, option in options.items()}
    if len(set(texts.values())) == 1:
        return next(iter(texts.values()))
    return "; ".join(f"{stem}: {text}" for stem, text in texts.items())


def options_of(
    arguments: argparse.Namespace, command: str, stem: str, all_options: OptionsByBenchmark
) -> dict[str, Any]:
    """Return the benchmark's options of a command by name, defaults where none was given.

    Raises:
        WrongUse: an option of other benchmarks was given, or a value that is no choice.
    """
    applicable = {
        option.name: option for option in all_options.get(stem, ()) if option.command == command
    }
    for other, options in all_options.items():
        for option in options:
            is_given = getattr(arguments, option.name, None) is not None
            if option.command == command and option.name not in applicable and is_given:
                raise WrongUse(
                    f"{option.flag} is an option of {other}, and this is {stem}; leave it out."
                )
    values = {}
    for name, option in applicable.items():
        value = getattr(arguments, name, None)
        _check_choice(option, value)
        values[name] = option.default if value is None else value
    return values


def _check_choice(option: Option, value: Any) -> None:
    for choice in value if isinstance(value, list) else [value]:
        if option.choices and choice is not None and choice not in option.choices:
            raise WrongUse(
                f"{option.flag} {choice} is not one of the choices: {', '.join(option.choices)}."
            )
