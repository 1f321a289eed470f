"""Turn an official release into a dataset folder. For unqover: the original's word_lists folder
(rendered to exactly its paragraphs and questions), or one of its *.source.json files. For bbq: the
folder of the official *.jsonl (any of the eleven categories, or one mixed file), or a mirror's
JSONL or Parquet; known faults of the data are kept and reported. With --templates instead of
--from: the release's folder of templates (*.csv, with both vocabularies), rendered into rows of the
same form; what the original draws at random is drawn with --seed. Official data stays where it is;
nothing is fetched.

For unqover, --subjects, --slots and --activities name other files of the folder than the usual
ones, e.g. a list of your own beside the original's.
"""

import argparse
from pathlib import Path

from evenhand.contract import STEMS, WrongUse
from evenhand.generator.commands.output import add_output_options, refuse_existing, write_version

EXAMPLE = """evenhand import bbq --from BBQ/data --out datasets_out/bbq_official/1.0.0
  evenhand import unqover --from word_lists --config ethnicity --out ethnicity_official"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("stem", metavar="STEM", choices=STEMS, help=f"one of: {', '.join(STEMS)}")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--from", metavar="PATH", dest="source", type=Path, help="the release")
    source.add_argument(
        "--templates", metavar="DIR", type=Path, help="bbq: the release's templates, to be rendered"
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
    parser.add_argument(
        "--keep-templates",
        metavar="DIR",
        type=Path,
        help="with --templates: write them as Jinja into a new folder too",
    )
    parser.add_argument(
        "--substring-faults",
        action="store_true",
        help="with --templates: tell whom an answer names as the original does, by substring:"
        " `men` is found in `women`, `African` in `African American`, nobody in `Latina woman`"
        " (default: by the answer's slots)",
    )
    add_output_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read the release and write the version."""
    from evenhand.generator.build import checked_version
    from evenhand.generator.stems import ImportOptions, stem_module

    checked_version(arguments.version)
    _check_templates(arguments)
    refuse_existing(arguments.out, overwrite=arguments.overwrite)
    named = {
        "subjects": arguments.subjects,
        "slots": arguments.slots and [arguments.slots],
        "activities": arguments.activities and [arguments.activities],
    }
    options = ImportOptions(
        source=arguments.source or arguments.templates,
        from_templates=arguments.templates is not None,
        substring_faults=arguments.substring_faults,
        keep_templates=arguments.keep_templates,
        configs=tuple(arguments.config),
        seed=arguments.seed,
        limit=arguments.limit,
        header=arguments.header,
        tokenizer_family=arguments.tokenizer_family,
        files={kind: names for kind, names in named.items() if names},
    )
    return write_version(arguments, stem_module(arguments.stem).prepare_import(options))


def _check_templates(arguments: argparse.Namespace) -> None:
    """Refuse what does not go with the official templates."""
    if arguments.templates is None:
        if arguments.keep_templates or arguments.substring_faults:
            raise WrongUse("--keep-templates and --substring-faults go with --templates alone.")
    elif arguments.stem != "bbq":
        raise WrongUse(
            f"--templates is for bbq; {arguments.stem} is imported with --from, and a folder of"
            f" your own templates is rendered by `evenhand generate {arguments.stem}`."
        )
