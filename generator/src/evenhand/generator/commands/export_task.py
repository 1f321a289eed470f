"""Write lm-evaluation-harness tasks that load a dataset made by Evenhand, for those who already use
the harness: one task per config, a group of them all (its numbers are means over the configs), and
one file with the metrics, which runs without Evenhand. With --repo the tasks load the dataset from
the Hub at its tag, otherwise from the folder. Only benchmarks whose metrics follow from the
likelihoods of given answers can be exported: the harness reads no answer spans, masked tokens or
word probabilities.
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
        "dataset",
        metavar="DATASET",
        help="folder of one version, or org/name@tag after `evenhand pull`",
    )
    parser.add_argument(
        "--config", metavar="C", action="append", default=[],
        help="export only this config; may be repeated (default: all)",
    )  # fmt: skip
    parser.add_argument(
        "--repo", metavar="NAME[@TAG]",
        help="load the dataset from the Hub, at this tag (default: the dataset's version)",
    )  # fmt: skip
    parser.add_argument("--overwrite", action="store_true", help="replace the folder if it exists")
    parser.add_argument(
        "--out", metavar="DIR", type=Path, required=True, help="folder to write the tasks to"
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
