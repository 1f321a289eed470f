"""Write a blank predictions file, for somebody who runs a model and has no Evenhand.

FILE holds the questions with the columns to fill in left empty; FILE.instructions.md is one page
that says how. What comes back goes to `evenhand check` and `evenhand score`.
"""

import argparse
import sys
from pathlib import Path

EXAMPLE = "evenhand template datasets_out/bbq/1.0.0 --config Age --out age.csv"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("dataset", metavar="DATASET", help="folder of one dataset version")
    parser.add_argument(
        "--config", metavar="C", action="append", default=[],
        help="write this config only (may be repeated; default: all)",
    )  # fmt: skip
    parser.add_argument("--overwrite", action="store_true", help="replace existing files")
    parser.add_argument(
        "--out", metavar="FILE", type=Path, required=True, help="file to write: .jsonl or .csv"
    )


def run(arguments: argparse.Namespace) -> int:
    """Write both files and say what to do with them."""
    from evenhand.scorer.blank import write_blank
    from evenhand.scorer.datasets import open_dataset

    dataset = open_dataset(arguments.dataset)
    written = write_blank(dataset, arguments.config, arguments.out, overwrite=arguments.overwrite)
    print(f"{arguments.out}: {written.rows:,} questions to fill in")
    print(f"{written.page}: how to fill them in")
    print(
        f"next, when it comes back: evenhand check {arguments.dataset} {arguments.out}",
        file=sys.stderr,
    )
    return 0
