"""Compute metrics from predictions, with intervals and null references; no model runs.

DATASET is the folder of one dataset version. A file of the original UnQover describes itself: give
`unqover` in its place with `--reader unqover`. Beside the metric JSON stand its sufficient
statistics (NAME.parts.parquet) and the strongest examples (NAME.examples.jsonl).
"""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.contract import STEMS, WrongUse
from evenhand.contract.tables import add_format_option, render_rows

if TYPE_CHECKING:
    from evenhand.contract.report import Report
    from evenhand.scorer.unqover.scoring import Options, Outcome

EXAMPLE = (
    "evenhand score datasets_out/unqover/1.0.0 --predictions predictions.parquet --out metrics.json"
)

TOP_PAIRS = 10


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("dataset", metavar="DATASET", help="folder of one dataset version, or stem")
    parser.add_argument(
        "--predictions", metavar="FILE", nargs="+", type=Path, required=True,
        help="predictions of one model: JSONL, CSV, TSV (.gz, .zst) or Parquet",
    )  # fmt: skip
    parser.add_argument(
        "--config", metavar="C", action="append", default=[],
        help="score this config only (may be repeated; default: all that occur in the files)",
    )  # fmt: skip
    add_reader_option(parser)
    parser.add_argument(
        "--protocol", choices=("paper", "code"),
        help="how the model was read (default: what the file's header says, else paper)",
    )  # fmt: skip
    parser.add_argument(
        "--allow-missing", action="store_true",
        help="leave out, and count, the examples of which a question has no score",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, help="of the resampling (default: 0)")
    parser.add_argument(
        "--resamples", type=int, default=10_000, help="bootstrap resamples (default: 10000)"
    )
    parser.add_argument(
        "--level", type=float, default=0.95, help="coverage the intervals aim at (default: 0.95)"
    )
    add_format_option(parser)
    parser.add_argument(
        "--out", metavar="metrics.json", type=Path, required=True, help="metric JSON to write"
    )


def add_reader_option(parser: argparse.ArgumentParser) -> None:
    """Declare ``--reader``."""
    parser.add_argument(
        "--reader", choices=("evenhand", "unqover"), default="evenhand",
        help="format of the predictions: ours, or the original's output.json (unqover)",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Score, write the three files, and print what came out."""
    from evenhand.scorer.statistics import Sampling
    from evenhand.scorer.unqover.outputs import write_outcome
    from evenhand.scorer.unqover.score import check_sampling
    from evenhand.scorer.unqover.scoring import Options

    sampling = Sampling(arguments.seed, arguments.resamples, arguments.level)
    check_sampling(sampling)
    options = Options(
        configs=tuple(arguments.config),
        allow_missing=arguments.allow_missing,
        protocol=arguments.protocol,
        sampling=sampling,
    )
    check_out(arguments.out)
    outcome = _outcome(arguments, options)
    report = write_outcome(outcome, arguments.out)
    for warning in report.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    print(rendered(outcome, report, arguments.format))
    print(f"next: evenhand report {arguments.out} --out report.html", file=sys.stderr)
    return 0


def check_out(path: Path) -> None:
    """Refuse a place where nothing can be written before any work is done."""
    if path.is_dir():
        raise WrongUse(f"--out {path} is a folder; give the name of a file, e.g. metrics.json.")
    if not path.parent.is_dir():
        raise WrongUse(f"--out {path}: the folder {path.parent} does not exist; make it first.")


def is_stem(dataset: str) -> bool:
    """Say whether a stem was given in place of a dataset."""
    return dataset in STEMS and not (Path(dataset) / "evenhand.json").is_file()


def _outcome(arguments: argparse.Namespace, options: "Options") -> "Outcome":
    from evenhand.scorer.datasets import open_dataset
    from evenhand.scorer.inputs import read_inputs
    from evenhand.scorer.readers import UNQOVER
    from evenhand.scorer.unqover.scoring import read_original, score_dataset, score_original

    paths: list[Path] = arguments.predictions
    is_original = arguments.reader == UNQOVER
    if is_original and len(paths) > 1:
        raise WrongUse("--reader unqover takes one file: the original writes one for a model.")
    if is_stem(arguments.dataset):
        check_stem_use(arguments)
        return score_original(paths[0], options)
    dataset = open_dataset(arguments.dataset)
    inputs = read_original(paths[0], dataset, options) if is_original else read_inputs(paths)
    check = f"evenhand check {arguments.dataset} {paths[0]}"
    if is_original:
        check += " --reader unqover"
    return score_dataset(dataset, inputs, options, check=check)


def check_stem_use(arguments: argparse.Namespace) -> None:
    """Refuse a stem in place of a dataset for files that do not describe themselves."""
    if arguments.reader != "unqover":
        raise WrongUse(
            f"`{arguments.dataset}` is a benchmark, not a dataset folder: give the folder, e.g."
            " datasets_out/unqover/1.0.0; only a file of the original (--reader unqover)"
            " describes itself."
        )
    if arguments.config:
        raise WrongUse("--config needs a dataset folder; the original's file has one config.")


def rendered(outcome: "Outcome", report: "Report", form: str) -> str:
    """Return the metrics; for people also the subjects and the strongest pairs."""
    from evenhand.scorer.unqover.tables import metric_rows, subject_rows, top_pair_rows

    tables = [metric_rows(report)]
    if form in {"table", "md"}:
        tables += [subject_rows(report), top_pair_rows(outcome.scored, TOP_PAIRS)]
    return "\n\n".join(render_rows(rows, form) for rows in tables if rows)
