"""The argument STEM, the benchmark that a command is about."""

import argparse
from collections.abc import Sequence

from evenhand.contract import STEMS
from evenhand.generator.benchmark import benchmark


def add_stem_argument(parser: argparse.ArgumentParser, stems: Sequence[str] = STEMS) -> None:
    """Add STEM, whose help names the benchmarks that the command is for."""
    titles = ", ".join(f"{stem} ({benchmark(stem).title})" for stem in stems)
    parser.add_argument("stem", metavar="STEM", choices=STEMS, help=f"one of: {titles}")
