"""Turn the official release of a benchmark into a dataset folder, row by row as it was released.
Known faults of the data are kept and reported. Official data stays where it is; nothing is fetched.

--from names the folder of the release, or one of its files; where a benchmark can import something
else in its place, an option of its own names that.

`evenhand import STEM --help` shows the options of one benchmark.
"""

import argparse
from pathlib import Path

from evenhand.contract import WrongUse
from evenhand.contract.options import add_options, options_of
from evenhand.generator.benchmark import (
    Benchmark,
    ImportSettings,
    benchmark,
    declared_options,
    examples,
)
from evenhand.generator.commands.output import add_output_options, write_version
from evenhand.generator.commands.stem_argument import add_stem_argument
from evenhand.generator.places import refuse_existing_folder

EXAMPLE = examples("import")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_stem_argument(parser)
    parser.add_argument("--from", metavar="PATH", dest="source", type=Path, help="the release")
    parser.add_argument(
        "--config", metavar="C", action="append", default=[], help="a config; may be repeated"
    )
    add_options(parser, "import", declared_options())
    add_output_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read the release and write the version."""
    from evenhand.generator.build import checked_version

    checked_version(arguments.version)
    options = options_of(arguments, "import", arguments.stem, declared_options())
    declared = benchmark(arguments.stem)
    source = _source(arguments, declared)
    refuse_existing_folder(arguments.out, overwrite=arguments.overwrite)
    settings = ImportSettings(
        source=source,
        configs=tuple(arguments.config),
        seed=arguments.seed,
        limit=arguments.limit,
        options=options,
    )
    return write_version(arguments, declared.official.prepare_import(settings))


def _source(arguments: argparse.Namespace, declared: Benchmark) -> Path:
    """Return what is imported.

    Raises:
        WrongUse: nothing is named, or several things are.
    """
    flags = {"--from": "source"}
    flags |= {flag: flag.removeprefix("--").replace("-", "_") for flag in declared.sources}
    named: dict[str, Path] = {
        flag: path for flag, name in flags.items() if (path := getattr(arguments, name))
    }
    if len(named) != 1:
        what = f"{' and '.join(named)} exclude each other" if named else "nothing is named"
        raise WrongUse(
            f"`evenhand import {declared.stem}` imports what {' or '.join(flags)} names; {what}."
        )
    return next(iter(named.values()))
