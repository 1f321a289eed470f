"""Render a benchmark from Evenhand's own templates and word lists (or yours, with --templates)
into the folder of one dataset version: Parquet files, card, statistics and manifest. The same
options give the same bytes. Without --config all configs are rendered.

For bbq the seed draws who meets whom, the words of each scene and the order of the answers: with a
seed of your own it is a set that no training corpus holds. For unqover it draws the sample of
--limit.

A masked config (`<class>_mlm`) needs subjects that are one piece for the model: name its
tokenizer.json with --tokenizer. Without one, all subjects of one word are used.
"""

import argparse
from pathlib import Path

from evenhand.contract import STEMS, WrongUse
from evenhand.generator.commands.output import add_output_options, refuse_existing, write_version

EXAMPLE = "evenhand generate unqover --config religion --out datasets_out/unqover/1.0.0"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("stem", metavar="STEM", choices=STEMS, help=f"one of: {', '.join(STEMS)}")
    parser.add_argument(
        "--config", metavar="C", action="append", default=[], help="a config; may be repeated"
    )
    parser.add_argument(
        "--templates",
        metavar="DIR",
        type=Path,
        help="your own templates and lists (unqover: <class>/*.jinja, subjects/*.tsv,"
        " attributes/*.tsv; bbq: <Category>/qNN.jinja, people/*.tsv); the rest is ours",
    )
    parser.add_argument(
        "--tokenizer", metavar="FILE", type=Path, help="tokenizer.json of the masked language model"
    )
    parser.add_argument(
        "--header", choices=("newsqa",), help="put a news dateline before each paragraph"
    )
    _add_options_of_bvf(parser)
    add_output_options(parser)


def _add_options_of_bvf(parser: argparse.ArgumentParser) -> None:
    """Declare what contexts are filled with, and how."""
    parser.add_argument(
        "--contexts",
        metavar="FILE",
        type=Path,
        help="bvf: contexts that `evenhand mine bvf` wrote, or a CSV template,frequency"
        " (default: ours)",
    )
    parser.add_argument(
        "--topic",
        metavar="T",
        help="bvf: gender, race, religion, disability, or a file with the columns class and word",
    )
    parser.add_argument(
        "--subjects",
        metavar="FILE",
        type=Path,
        help="bvf: list with the column word, and weight and text (the words for it in a sentence,"
        " with an article) if wanted (default: the paper's 120 occupations)",
    )
    parser.add_argument(
        "--language",
        metavar="CODE",
        help="bvf: of contexts whose file does not say it (default: en)",
    )
    parser.add_argument(
        "--order",
        choices=("last", "inside"),
        action="append",
        default=[],
        help="bvf: where the read word stands; may be repeated (default: last, and inside where the"
        " topic's words are adjectives)",
    )
    parser.add_argument(
        "--protocol",
        choices=("paper", "code"),
        help="bvf: code also takes the word that the paper has in both genders",
    )


def run(arguments: argparse.Namespace) -> int:
    """Render and write the version."""
    from evenhand.generator.build import checked_version
    from evenhand.generator.stems import Options, stem_module

    checked_version(arguments.version)
    refuse_existing(arguments.out, overwrite=arguments.overwrite)
    options = Options(
        configs=tuple(arguments.config),
        seed=arguments.seed,
        limit=arguments.limit,
        templates=arguments.templates,
        tokenizer=arguments.tokenizer,
        header=arguments.header,
        contexts=arguments.contexts,
        topic=arguments.topic,
        subjects=arguments.subjects,
        orders=tuple(arguments.order),
        protocol=arguments.protocol,
        language=arguments.language,
    )
    _check_stem(arguments)
    return write_version(arguments, stem_module(arguments.stem).prepare(options))


def _check_stem(arguments: argparse.Namespace) -> None:
    """Refuse options of BVF with another benchmark rather than pass them over."""
    given = [name for name in ("contexts", "topic", "subjects", "language", "order", "protocol")
             if getattr(arguments, name)]  # fmt: skip
    if given and arguments.stem != "bvf":
        raise WrongUse(f"--{given[0]} is for bvf; leave it out.")
