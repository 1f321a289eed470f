"""List the benchmarks that can be generated, with their configs and the size of each."""

import argparse

from evenhand.contract import STEMS
from evenhand.contract.tables import add_format_option, render_rows

EXAMPLE = "evenhand list --format json"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_format_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print one row per config."""
    from evenhand.generator.benchmark import benchmark

    rows = [
        {"benchmark": stem, **row} for stem in STEMS for row in benchmark(stem).generate.catalogue()
    ]
    print(render_rows(rows, arguments.format))
    return 0
