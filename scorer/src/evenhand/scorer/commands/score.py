"""Compute metrics from predictions, with intervals and null references; no model runs.

DATASET is the folder of one dataset version; where the files describe themselves, as those of some
benchmarks' own code do, give the benchmark's name in its place. Beside the metric JSON (--out
NAME.json) stand its sufficient statistics (NAME.parts.parquet), which `compare` and `report` read,
and the strongest examples (NAME.examples.jsonl).
"""

import argparse
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.contract import STEMS, WrongUse
from evenhand.contract.options import CommandParser, add_options, options_of
from evenhand.contract.tables import add_format_option, printable, render_rows
from evenhand.scorer.benchmark import benchmark, declared_options
from evenhand.scorer.commands.reader_choice import choose, hinting

if TYPE_CHECKING:
    from evenhand.contract.report import Report

EXAMPLE = (
    "evenhand score datasets_out/unqover/1.0.0 --predictions predictions.parquet --out metrics.json"
)


DATASET_HELP = f"folder of one dataset version, or the name of a benchmark ({', '.join(STEMS)})"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("dataset", metavar="DATASET", help=DATASET_HELP)
    parser.add_argument(
        "--predictions", metavar="FILE", nargs="+", type=Path, required=True,
        help="predictions of one model: JSONL, CSV, TSV (.gz, .zst) or Parquet, or another tool's"
        " file (see --reader); - for stdin",
    )  # fmt: skip
    parser.add_argument(
        "--config", metavar="C", action="append", default=[],
        help="score this config only (may be repeated; default: all that occur in the files)",
    )  # fmt: skip
    add_reader_option(parser)
    parser.add_argument(
        "--protocol", choices=("paper", "code"),
        help="how the model was read: as the paper says, or as its code does (default: what the"
        " file's header says, else paper)",
    )  # fmt: skip
    parser.add_argument(
        "--allow-missing", action="store_true",
        help="leave out and count the examples that have an unscored question",
    )  # fmt: skip
    parser.add_argument(
        "--bootstrap", choices=("percentile", "bca"), default="percentile",
        help="bootstrap method of the intervals where there are 30 clusters or more (default:"
        " percentile)",
    )  # fmt: skip
    parser.add_argument(
        "--seed", metavar="N", type=int, default=0,
        help="random seed of the resampling (default: 0)",
    )  # fmt: skip
    parser.add_argument(
        "--resamples", metavar="N", type=int, default=10_000,
        help="number of bootstrap resamples (default: 10000)",
    )  # fmt: skip
    parser.add_argument(
        "--level", metavar="P", type=float, default=0.95,
        help="nominal coverage of the intervals (default: 0.95)",
    )  # fmt: skip
    add_format_option(parser)
    parser.add_argument(
        "--out", metavar="metrics.json", type=Path, required=True, help="metric JSON to write"
    )
    add_options(parser, "score", declared_options())


def add_reader_option(parser: argparse.ArgumentParser) -> None:
    """Declare ``--reader``."""
    help_text = (
        "format of the predictions (default: auto, which detects the format from the first record"
        " and reports it)"
    )
    action = parser.add_argument(
        "--reader", metavar="NAME", default="auto",
        help=f"{help_text}; with DATASET before it, --help lists the formats",
    )  # fmt: skip
    if isinstance(parser, CommandParser):
        # Readers import polars, which takes longer than all the rest of a help page.
        parser.describe(action, lambda stem: f"{help_text}; {stem}: {_readers(stem)}")


def _readers(stem: str) -> str:
    """List the readers of a benchmark, for ``--help``."""
    from evenhand.scorer.readers.registry import offered_readers, spellings

    return ", ".join(spellings(offered_readers(benchmark(stem))))


def run(arguments: argparse.Namespace) -> int:
    """Score, write the three files, and print what came out."""
    from evenhand.scorer.outcome import write_outcome
    from evenhand.scorer.readers.stdin import with_stdin
    from evenhand.scorer.scoring import Settings, score_files
    from evenhand.scorer.statistics import Sampling, check_sampling

    sampling = Sampling(arguments.seed, arguments.resamples, arguments.level, arguments.bootstrap)
    check_sampling(sampling)
    check_out(arguments.out)
    with with_stdin(arguments.predictions) as paths:
        chosen = choose(arguments.dataset, arguments.reader, paths)
        settings = Settings(
            configs=tuple(arguments.config),
            allow_missing=arguments.allow_missing,
            protocol=arguments.protocol,
            sampling=sampling,
            options=options_of(arguments, "score", chosen.benchmark.stem, declared_options()),
        )
        with hinting(chosen, paths):
            outcome = score_files(
                chosen.benchmark.stem, paths, chosen.dataset, chosen.reader, settings
            )
        report = write_outcome(outcome, arguments.out)
    for warning in report.warnings:
        print(f"warning: {printable(warning)}", file=sys.stderr)
    tables = outcome.tables()
    if arguments.format not in {"table", "md"}:
        # A program gets one table; the others stand in NAME.parts.parquet.
        tables = tables[:1]
    print("\n\n".join(render_rows(rows, arguments.format) for rows in tables if rows))
    for note in _without_interval(report):
        print(f"note: {printable(note)}", file=sys.stderr)
    print(f"next: {_report_command(arguments.out)}", file=sys.stderr)
    return 0


_NAMED = 3


def _without_interval(report: "Report") -> list[str]:
    """Say of the values without an interval why, each reason once."""
    by_reason: dict[str, list[str]] = {}
    for metric in report.metrics:
        if metric.value is not None and metric.interval is None and metric.why_no_interval:
            by_reason.setdefault(metric.why_no_interval, []).append(metric.id)
    return [
        f"no interval of {', '.join(ids[:_NAMED])}{', ...' if len(ids) > _NAMED else ''}: {reason}"
        for reason, names in by_reason.items()
        if (ids := list(dict.fromkeys(names)))
    ]


def _report_command(out: Path) -> str:
    """Return the command that turns the metric JSON into a page, ready to be pasted into a shell.

    Every benchmark has a report, and the page stands beside its metric JSON.
    """
    page = out.with_suffix(".html")
    words = ["evenhand", "report", str(out), *(["--overwrite"] if page.exists() else [])]
    return shlex.join([*words, "--out", str(page)])


def check_out(path: Path) -> None:
    """Refuse a place where nothing can be written before any work is done."""
    if path.is_dir():
        raise WrongUse(f"--out {path} is a folder; give the name of a file, e.g. metrics.json.")
    if not path.parent.is_dir():
        raise WrongUse(f"--out {path}: the folder {path.parent} does not exist; make it first.")
