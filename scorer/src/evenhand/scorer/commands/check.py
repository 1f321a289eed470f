"""List all faults of a predictions file at once: missing, unknown and duplicate ids, wrong types,
values out of range, another dataset's digest. Exit code 1 when there are any.
"""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.contract import WrongUse
from evenhand.contract.tables import add_format_option, render_rows
from evenhand.scorer.commands.score import add_reader_option, check_stem_use, is_stem

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
    from evenhand.scorer.readers import UNQOVER

    if arguments.reader == UNQOVER and len(arguments.predictions) > 1:
        raise WrongUse("--reader unqover takes one file: the original writes one for a model.")
    if is_stem(arguments.dataset):
        check_stem_use(arguments)
        coverage, faults = _check_original(arguments.predictions[0])
    else:
        coverage, faults = _check_dataset(arguments)
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


def _check_original(path: Path) -> tuple[list[dict[str, object]], list["Fault"]]:
    from evenhand.scorer.faults import Fault
    from evenhand.scorer.readers import unqover_output
    from evenhand.scorer.unqover import original
    from evenhand.scorer.unqover.examples import examples_of

    entries = unqover_output.read(path)
    examples = examples_of(*original.questions_of(entries, path))
    config, n = original.config_of(entries), len(examples.x1) + examples.n_unscored
    row = {
        "config": config,
        "examples": n,
        "complete": len(examples.x1),
        "coverage": len(examples.x1) / n,
    }
    if not examples.n_unscored:
        return [row], []
    remedy = "`evenhand score` leaves them out and counts them."
    first = tuple(examples.incomplete)
    return [row], [Fault("examples without their other order", examples.n_unscored, first, remedy)]


def _check_dataset(
    arguments: argparse.Namespace,
) -> tuple[list[dict[str, object]], list["Fault"]]:
    from evenhand.scorer.datasets import open_dataset
    from evenhand.scorer.inputs import header_faults, read_inputs
    from evenhand.scorer.unqover.scoring import (
        Options,
        configs_to_score,
        ids_of_no_config,
        match_config,
        read_original,
    )

    dataset = open_dataset(arguments.dataset)
    options = Options(configs=tuple(arguments.config))
    if arguments.reader == "unqover":
        inputs = read_original(arguments.predictions[0], dataset, options)
    else:
        inputs = read_inputs(arguments.predictions)
    faults = [*inputs.faults, *header_faults(inputs.headers, dataset.manifest)]
    if not arguments.config:
        faults += ids_of_no_config(dataset, inputs.rows)
    coverage: list[dict[str, object]] = []
    for config in configs_to_score(dataset, inputs.rows, options.configs):
        items, found, own = match_config(dataset, inputs.rows, config)
        n = len(items)
        faults += [fault._replace(kind=f"{fault.kind} in {config}") for fault in own]
        coverage.append(
            {
                "config": config,
                "questions": n,
                "answered": n - found.n_missing,
                "coverage": (n - found.n_missing) / n if n else None,
            }
        )
    return coverage, faults
