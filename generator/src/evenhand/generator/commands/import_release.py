"""Turn an official release into a dataset folder. For unqover: the original's word_lists folder
(rendered to exactly its paragraphs and questions), or one of its *.source.json files. For bbq: the
folder of the official *.jsonl (any of the eleven categories, or one mixed file), or a mirror's
JSONL or Parquet; known faults of the data are kept and reported. Official data stays where it is;
nothing is fetched.

For unqover, --subjects, --slots and --activities name other files of the folder than the usual
ones, e.g. a list of your own beside the original's.
"""

import argparse
from pathlib import Path

from evenhand.contract import STEMS
from evenhand.generator.commands.output import add_output_options, refuse_existing, write_version

EXAMPLE = "evenhand import unqover --from word_lists --config ethnicity --out ethnicity_official"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("stem", metavar="STEM", choices=STEMS, help=f"one of: {', '.join(STEMS)}")
    parser.add_argument(
        "--from", metavar="PATH", dest="source", type=Path, required=True, help="the release"
    )
    parser.add_argument(
        "--config", metavar="C", action="append", default=[], help="a config; may be repeated"
    )
    parser.add_argument("--header", choices=("newsqa",), help="unqover's own news header")
    parser.add_argument(
        "--tokenizer-family",
        choices=("bert", "roberta"),
        default="bert",
        help="whose one-piece subjects a masked config takes (default: bert)",
    )
    parser.add_argument(
        "--subjects", metavar="NAME", nargs="+", help="one list, or two that are paired"
    )
    parser.add_argument("--slots", metavar="NAME", help="file of templates")
    parser.add_argument("--activities", metavar="NAME", help="file of attributes")
    add_output_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read the release and write the version."""
    from evenhand.generator.build import checked_version
    from evenhand.generator.stems import ImportOptions, stem_module

    checked_version(arguments.version)
    refuse_existing(arguments.out, overwrite=arguments.overwrite)
    named = {
        "subjects": arguments.subjects,
        "slots": arguments.slots and [arguments.slots],
        "activities": arguments.activities and [arguments.activities],
    }
    options = ImportOptions(
        source=arguments.source,
        configs=tuple(arguments.config),
        seed=arguments.seed,
        limit=arguments.limit,
        header=arguments.header,
        tokenizer_family=arguments.tokenizer_family,
        files={kind: names for kind, names in named.items() if names},
    )
    return write_version(arguments, stem_module(arguments.stem).prepare_import(options))
