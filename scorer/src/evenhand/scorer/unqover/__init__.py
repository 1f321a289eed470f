"""UnQover: whom does a model choose when the text does not answer the question?

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
            help="score spans and masks as in the paper (default) or as in its code",
        ),
    ),
    row_counts=("unqover.mean_score",),
)


def __getattr__(name: str) -> Any:
    """Import the scoring code only when it is used, which keeps `evenhand --help` fast."""
    if name != "score":
        raise AttributeError(name)
    from evenhand.scorer.unqover.scoring import score

    return score
