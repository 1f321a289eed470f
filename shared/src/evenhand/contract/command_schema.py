"""Print the JSON Schema (draft 2020-12) of a benchmark's rows, the metric JSON or the manifest."""

import argparse

from evenhand.contract import STEMS
from evenhand.contract.schemas import KINDS, file_of

EXAMPLE = "evenhand schema unqover predictions"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("stem", metavar="STEM", choices=STEMS, help=f"one of: {', '.join(STEMS)}")
    parser.add_argument("kind", metavar="KIND", choices=KINDS, help=f"one of: {', '.join(KINDS)}")


def run(arguments: argparse.Namespace) -> int:
    """Print the committed schema."""
    print(file_of(arguments.stem, arguments.kind).read_text(encoding="utf-8"), end="")
    return 0
