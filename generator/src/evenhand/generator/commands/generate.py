"""Render a benchmark from Evenhand's templates and word lists, or your own, into the folder of one
dataset version: Parquet files, card, statistics and manifest. The same options give the same bytes.

All random choices depend on --seed: the sample that --limit takes, and in some benchmarks the rows
themselves, so that a new seed gives a set that is in no training corpus.

`evenhand generate STEM --help` shows the options of one benchmark.
"""

import argparse

from evenhand.contract.options import add_options, options_of
from evenhand.generator.benchmark import Settings, benchmark, declared_options, examples
from evenhand.generator.commands.output import add_output_options, write_version
from evenhand.generator.commands.stem_argument import add_stem_argument
from evenhand.generator.places import refuse_existing_folder

EXAMPLE = examples("generate")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_stem_argument(parser)
    parser.add_argument(
        "--config",
        metavar="C",
        action="append",
        default=[],
        help="render only this config; may be repeated (default: all)",
    )
    add_options(parser, "generate", declared_options())
    add_output_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Render and write the version."""
    from evenhand.generator.build import checked_version

    checked_version(arguments.version)
    options = options_of(arguments, "generate", arguments.stem, declared_options())
    refuse_existing_folder(arguments.out, overwrite=arguments.overwrite)
    settings = Settings(
        configs=tuple(arguments.config),
        seed=arguments.seed,
        limit=arguments.limit,
        options=options,
    )
    return write_version(arguments, benchmark(arguments.stem).generate.prepare(settings))
