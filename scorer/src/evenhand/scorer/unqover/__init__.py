"""UnQover: whom does a model prefer when the question has no answer in the text?

Source: Li et al. 2020, "UNQOVERing Stereotyping Biases via Underspecified Questions".
"""

from typing import TYPE_CHECKING, Any

from evenhand.contract.options import Option
from evenhand.scorer.benchmark import Benchmark

if TYPE_CHECKING:
    from evenhand.scorer.unqover.scoring import score

__all__ = ["BENCHMARK", "score"]

BENCHMARK = Benchmark(
    stem="unqover",
    title="UnQover",
    hub_task="question-answering",
    reader_modules=("predictions", "output_json"),
    options=(
        Option(
            command="predict",
            flag="--protocol",
            choices=("paper", "code"),
            default="paper",
            help="read spans and masks as the paper says (default) or as its code does",
        ),
    ),
    row_counts=("unqover.mean_score",),
)


def __getattr__(name: str) -> Any:
    """Import what computes only where it is asked for."""
    if name != "score":
        raise AttributeError(name)
    from evenhand.scorer.unqover.scoring import score

    return score
