"""Write tasks for lm-evaluation-harness that load a dataset of ours, so that people keep their
harness: a task per config, a group of all (its numbers are means over the configs), and one file
with the metrics, which does not need Evenhand. With --repo the tasks load the dataset from the Hub
at its tag, otherwise from the folder. Only for benchmarks whose metrics follow from likelihoods of
given answers: the harness reads no spans, masks or probabilities of words.
"""

import argparse
import shlex
import sys
from pathlib import Path

from evenhand.generator.benchmark import examples

EXAMPLE = examples("export-task")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "dataset", metavar="DATASET", help="folder of one version, or org/name@tag that was pulled"
    )
    parser.add_argument(
        "--config", metavar="C", action="append", default=[],
        help="this config only (may be repeated; default: all)",
    )  # fmt: skip
    parser.add_argument(
        "--repo", metavar="NAME[@TAG]",
        help="load from the Hub, at this tag (default: the dataset's version)",
    )  # fmt: skip
    parser.add_argument("--overwrite", action="store_true", help="replace an existing folder")
    parser.add_argument(
        "--out", metavar="DIR", type=Path, required=True, help="folder to write the tasks into"
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the tasks and print the command that runs them."""
    from evenhand.generator.harness_tasks import write_tasks

    names = write_tasks(
        arguments.dataset,
        arguments.config,
        arguments.out,
        repository=arguments.repo,
        overwrite=arguments.overwrite,
    )
    print("\n".join(names))
    folder = shlex.quote(str(arguments.out))
    print(
        f"next: lm_eval run --include_path {folder} --tasks {names[-1]} --log_samples"
        " --output_path out --model hf --model_args pretrained=MODEL",
        file=sys.stderr,
    )
    return 0
