"""Print the JSON Schema (draft 2020-12) of a benchmark's dataset rows (items), predictions rows,
the header of a predictions file, the metric JSON, or a dataset's manifest.
"""

import argparse

from evenhand.contract import STEMS
from evenhand.contract.files import canonical_json
from evenhand.contract.schemas import KINDS, committed_schema

EXAMPLE = f"evenhand schema {STEMS[0]} predictions"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("stem", metavar="STEM", choices=STEMS, help=f"one of: {', '.join(STEMS)}")
    parser.add_argument("kind", metavar="KIND", choices=KINDS, help=f"one of: {', '.join(KINDS)}")


def run(arguments: argparse.Namespace) -> int:
    """Print the committed schema."""
    schema = committed_schema(arguments.stem, arguments.kind)
    print(canonical_json(schema).decode(), end="")
    return 0
