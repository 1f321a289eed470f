"""Tell differences between models from chance.

Every two models are compared on the same clusters (templates or questions): difference (B less A),
its interval and p-value, the p-value corrected over all rows that share a metric, the smallest
difference that such a test would detect, which model is higher, and which is better: nearer to the
best value. Three models or more are ranked too. Needs NAME.parts.parquet beside each NAME.json.
"""

import argparse
import sys
from pathlib import Path

from evenhand.contract import WrongUse
from evenhand.contract.tables import add_format_option, render_rows

EXAMPLE = "evenhand compare model_a.json model_b.json --by category"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "metrics",
        metavar="METRICS.json",
        nargs="+",
        type=Path,
        help="metric JSON of each model",
    )
    parser.add_argument(
        "--metric", metavar="ID", action="append", default=[],
        help="compare this metric only, or all whose ids begin with ID (may be repeated)",
    )  # fmt: skip
    parser.add_argument(
        "--by",
        metavar="DIMENSION",
        help="compare each group of a dimension, e.g. category, subject",
    )
    parser.add_argument(
        "--anyway", metavar="PART", action="append", default=[],
        help="compare although PART differs: contract, version, dataset, configs, protocol or"
        " precision (may be repeated)",
    )  # fmt: skip
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="random seed (default: 0)")
    parser.add_argument(
        "--resamples", metavar="N", type=int, default=10_000,
        help="number of sign flips, and of resamples for the ranks (default: 10000)",
    )  # fmt: skip
    parser.add_argument(
        "--level", metavar="P", type=float, default=0.95,
        help="nominal coverage of the intervals, and 1 less the significance level of the tests"
        " (default: 0.95)",
    )  # fmt: skip
    add_format_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Compare and print both tables."""
    from evenhand.scorer.comparison.guards import ANYWAY
    from evenhand.scorer.comparison.tables import compare, for_people
    from evenhand.scorer.statistics import Sampling, check_sampling

    if len(arguments.metrics) < 2:
        raise WrongUse("compare takes at least two metric files, one a model.")
    unknown = [part for part in arguments.anyway if part not in ANYWAY]
    if unknown:
        raise WrongUse(f"There is no --anyway {unknown[0]}; there are: {', '.join(ANYWAY)}.")
    sampling = Sampling(arguments.seed, arguments.resamples, arguments.level)
    check_sampling(sampling)
    comparison = compare(
        arguments.metrics,
        metrics=arguments.metric,
        by=arguments.by,
        anyway=arguments.anyway,
        sampling=sampling,
    )
    for warning in comparison.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    # A program gets the one table with full names, a person all of them with letters for models.
    is_for_people = arguments.format in {"table", "md"}
    tables = for_people(comparison) if is_for_people else [comparison.differences]
    print("\n\n".join(render_rows(rows, arguments.format) for rows in tables if rows))
    return 0
