"""Find contexts in a corpus and count them, for a benchmark whose rows are built from mined
contexts; `evenhand generate` fills them in. Sentences are preselected by their words, parsed by
spaCy in batches, and matched against syntactic rules. The result does not depend on the number of
workers. An interrupted run resumes where it stopped when the same command is run again.

A corpus is made up of files (.jsonl, .json, .txt, .md, .xml of MediaWiki, each also compressed as
.gz, .bz2 or .zst; .parquet), folders of them, and folders saved by `datasets`. Nothing is
downloaded.
"""

import argparse
from pathlib import Path

from evenhand.contract.options import add_options, options_of
from evenhand.generator.arguments import positive_number
from evenhand.generator.benchmark import (
    MineSettings,
    benchmark_that_offers,
    declared_options,
    examples,
    stems_that_offer,
)
from evenhand.generator.commands.stem_argument import add_stem_argument

EXAMPLE = examples("mine")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_stem_argument(parser, stems_that_offer("mine"))
    parser.add_argument(
        "--corpus",
        metavar="PATH",
        nargs="+",
        type=Path,
        required=True,
        help="files and folders to read",
    )
    parser.add_argument(
        "--out",
        metavar="FILE",
        type=Path,
        required=True,
        help="file to write the contexts to (.jsonl)",
    )
    parser.add_argument("--overwrite", action="store_true", help="replace the file if it exists")
    parser.add_argument(
        "--workers",
        metavar="N",
        type=positive_number,
        default=1,
        help="number of processes (default: 1)",
    )
    parser.add_argument(
        "--limit",
        metavar="N",
        type=positive_number,
        help="stop after N documents (default: read all)",
    )
    parser.add_argument(
        "--text-field",
        metavar="NAME",
        default="text",
        help="field of a record or column of a table that holds the text (default: text)",
    )
    add_options(parser, "mine", declared_options())


def run(arguments: argparse.Namespace) -> int:
    """Mine the corpus and print the file's sha256."""
    from evenhand.contract.files import sha256_of_file
    from evenhand.generator.places import check_output_file
    from evenhand.generator.progress import Reporter

    declared = benchmark_that_offers("mine", arguments.stem)
    options = options_of(arguments, "mine", arguments.stem, declared_options())
    check_output_file(arguments.out, "--out", overwrite=arguments.overwrite)
    settings = MineSettings(
        corpus=arguments.corpus,
        out=arguments.out,
        overwrite=arguments.overwrite,
        workers=arguments.workers,
        limit=arguments.limit,
        text_field=arguments.text_field,
        options=options,
    )
    with Reporter() as reporter:
        reporter.say(declared.mine.mine(settings, reporter))
    print(sha256_of_file(arguments.out))
    return 0
