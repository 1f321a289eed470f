"""List all faults of a predictions file at once: missing, unknown and duplicate ids, wrong types,
values out of range, another dataset's digest. Exit code 1 when there are any.
"""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.contract.tables import add_format_option, render_rows
from evenhand.scorer.commands.score import add_reader_option, stem_and_dataset

if TYPE_CHECKING:
    from evenhand.scorer.faults import Fault

EXAMPLE = "evenhand check datasets_out/unqover/1.0.0 predictions.parquet"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("dataset", metavar="DATASET", help="folder of one dataset version, or stem")
    parser.add_argument(
        "predictions", metavar="FILE", nargs="+", type=Path, help="predictions of one model"
    )
    parser.add_argument(
        "--config", metavar="C", action="append", default=[],
        help="check this config only (may be repeated; default: all that occur in the files)",
    )  # fmt: skip
    add_reader_option(parser)
    add_format_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print coverage and faults."""
    stem, dataset = stem_and_dataset(arguments.dataset, arguments.reader)
    coverage, faults = stem.check_files(
        arguments.predictions, dataset, arguments.reader, arguments.config
    )
    print(_rendered(coverage, faults, arguments.format))
    if faults:
        kinds = "kind" if len(faults) == 1 else "kinds"
        print(f"{len(faults)} {kinds} of fault", file=sys.stderr)
        return 1
    print(f"no faults; next: {_next(arguments)}", file=sys.stderr)
    return 0


def _rendered(coverage: list[dict[str, object]], faults: list["Fault"], form: str) -> str:
    """Return coverage and faults for people, the faults alone for programs."""
    if form in {"table", "md"}:
        lines = [f"- {fault.sentence()}" for fault in faults]
        return "\n".join([render_rows(coverage, form), *([""] if lines else []), *lines])
    rows = [
        {"fault": f.kind, "count": f.n, "first": "; ".join(f.first), "remedy": f.remedy}
        for f in faults
    ]
    return render_rows(rows, form)


def _next(arguments: argparse.Namespace) -> str:
    words = ["evenhand score", arguments.dataset, "--predictions", *arguments.predictions]
    for config in arguments.config:
        words += ["--config", config]
    if arguments.reader != "evenhand":
        words += ["--reader", arguments.reader]
    return " ".join(str(word) for word in [*words, "--out metrics.json"])
