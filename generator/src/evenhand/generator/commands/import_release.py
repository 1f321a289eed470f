"""Convert the official release of a benchmark to a dataset folder, row by row as it was released.
Known faults in the data are kept and reported. The release is only read; nothing is downloaded.

--from names the release; some benchmarks can import something else in its place, which an option of
theirs names.

`evenhand import STEM --help` shows the options of one benchmark.
"""

import argparse
from pathlib import Path
from typing import Any

from evenhand.contract import WrongUse
from evenhand.contract.options import Option, add_options, options_of
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
    parser.add_argument(
        "--config",
        metavar="C",
        action="append",
        default=[],
        help="import only this config; may be repeated (default: all)",
    )
    add_options(parser, "import", _options())
    add_output_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read the release and write the version."""
    from evenhand.generator.build import checked_version

    checked_version(arguments.version)
    options = options_of(arguments, "import", arguments.stem, _options())
    declared = benchmark(arguments.stem)
    source = _source(options, declared)
    refuse_existing_folder(arguments.out, overwrite=arguments.overwrite)
    settings = ImportSettings(
        source=source,
        configs=tuple(arguments.config),
        seed=arguments.seed,
        limit=arguments.limit,
        options=options,
    )
    return write_version(arguments, declared.official.prepare_import(settings))


def _options() -> dict[str, tuple[Option, ...]]:
    """Return benchmark -> its options, among them ``--from``, which means its own release."""
    return {
        stem: (
            Option(
                command="import",
                flag="--from",
                metavar="PATH",
                type=Path,
                help=benchmark(stem).release,
            ),
            *options,
        )
        for stem, options in declared_options().items()
    }


def _source(options: dict[str, Any], declared: Benchmark) -> Path:
    """Take ``--from`` out of the options and return what is imported.

    Raises:
        WrongUse: nothing is named, or several things are.
    """
    sources: dict[str, Path | None] = {"--from": options.pop("from")}
    sources |= {flag: options[flag.removeprefix("--")] for flag in declared.sources}
    named = {flag: path for flag, path in sources.items() if path is not None}
    if len(named) != 1:
        what = f"{' and '.join(named)} exclude each other" if named else "nothing is named"
        raise WrongUse(
            f"`evenhand import {declared.stem}` imports what {' or '.join(sources)} names; {what}."
        )
    return next(iter(named.values()))
