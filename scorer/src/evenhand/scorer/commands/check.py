"""List all faults of a predictions file at once.

Faults are missing, unknown and duplicate ids, wrong types, values out of range, the digest of
another dataset, and rows that belong to no question. Exit code 1 when there are any. Reports also
how the file was read and which rows are unscored and why, and prints the next command.
"""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.contract.tables import add_format_option, printable, render_rows
from evenhand.scorer.commands.reader_choice import choose, hinting
from evenhand.scorer.commands.score import DATASET_HELP, add_reader_option

if TYPE_CHECKING:
    from evenhand.scorer.commands.reader_choice import Chosen
    from evenhand.scorer.faults import Fault

EXAMPLE = "evenhand check datasets_out/unqover/1.0.0 predictions.parquet"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("dataset", metavar="DATASET", help=DATASET_HELP)
    parser.add_argument(
        "predictions", metavar="FILE", nargs="+", type=Path,
        help="predictions of one model: JSONL, CSV, TSV (.gz, .zst) or Parquet, or another tool's"
        " file (see --reader), with the requests of a batch beside its output; - for stdin",
    )  # fmt: skip
    parser.add_argument(
        "--config", metavar="C", action="append", default=[],
        help="check this config only (may be repeated; default: all that occur in the files)",
    )  # fmt: skip
    add_reader_option(parser)
    add_format_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print coverage, faults and notes."""
    from evenhand.scorer.readers.stdin import with_stdin
    from evenhand.scorer.scoring import check_files

    with with_stdin(arguments.predictions) as paths:
        chosen = choose(arguments.dataset, arguments.reader, paths)
        with hinting(chosen, paths):
            coverage, faults, notes = check_files(
                chosen.benchmark.stem, paths, chosen.dataset, chosen.reader, arguments.config
            )
    print(_render(coverage, faults, arguments.format))
    for note in notes:
        print(f"note: {printable(note)}", file=sys.stderr)
    if faults:
        kinds = "kind" if len(faults) == 1 else "kinds"
        print(f"{len(faults)} {kinds} of fault", file=sys.stderr)
        _suggest(arguments, chosen, faults)
        return 1
    print(f"no faults; next: {_next(arguments, chosen.reader)}", file=sys.stderr)
    return 0


def _suggest(arguments: argparse.Namespace, chosen: "Chosen", faults: list["Fault"]) -> None:
    """Print the command that scores in spite of the faults, where they are missing rows alone."""
    if all(fault.kind.startswith("missing ids") for fault in faults):
        command = _next(arguments, chosen.reader)
        print(f"without the missing ones: {command} --allow-missing", file=sys.stderr)


def _render(coverage: list[dict[str, object]], faults: list["Fault"], form: str) -> str:
    """Return coverage and faults for people, the faults alone for programs."""
    if form in {"table", "md"}:
        lines = [f"- {printable(fault.sentence())}" for fault in faults]
        table = [render_rows(coverage, form)] if coverage else []
        return "\n".join([*table, *([""] if lines and table else []), *lines])
    rows = [
        {"fault": f.kind, "count": f.n, "first": "; ".join(f.first), "remedy": f.remedy}
        for f in faults
    ]
    return render_rows(rows, form)


def _next(arguments: argparse.Namespace, reader: str) -> str:
    words = ["evenhand score", arguments.dataset, "--predictions", *arguments.predictions]
    for config in arguments.config:
        words += ["--config", config]
    if reader != "evenhand":
        words += ["--reader", reader]
    return " ".join(str(word) for word in [*words, "--out metrics.json"])
