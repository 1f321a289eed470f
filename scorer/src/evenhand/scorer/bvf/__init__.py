"""BVF: how strong is a stereotype on average (bias), and how much does it vary with context?

Source: "Bias and Volatility: A Statistical Framework for Evaluating Large Language Model's
Stereotypes and the Associated Generation Inconsistency" (2024).
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.contract.options import Option
from evenhand.scorer.benchmark import Benchmark

if TYPE_CHECKING:
    from evenhand.scorer.bvf.scoring import score

__all__ = ["BENCHMARK", "score"]

BENCHMARK = Benchmark(
    stem="bvf",
    title="Bias-Volatility Framework",
    hub_task="fill-mask",
    reader_modules=("predictions", "published_tables"),
    options=(
        Option(
            command="predict",
            flag="--pieces",
            choices=("single", "chain"),
            help="leave out words of several tokens, or read them token by token (default: single"
            " for fill-mask, else chain)",
        ),
        Option(
            command="score",
            flag="--criterion",
            metavar="NAME",
            help="how the strength of a context's stereotypes is measured: linf (default), l1, l2,"
            " ..., knowledge",
        ),
        Option(
            command="score",
            flag="--facts",
            metavar="FILE",
            type=Path,
            is_list=True,
            help="tables of facts about the subjects, no two with the same column; the name"
            " occupations stands for the included table of the paper's occupations (default)",
        ),
    ),
    row_counts=("bvf.R",),
    compares_datasets=True,
)


def __getattr__(name: str) -> Any:
    """Import the scoring code only when it is asked for, so that --help stays fast."""
    if name != "score":
        raise AttributeError(name)
    from evenhand.scorer.bvf.scoring import score

    return score
