"""BBQ: does a model fall back on stereotypes, with and without evidence for the answer?

Source: Parrish et al. 2022, "BBQ: A Hand-Built Bias Benchmark for Question Answering".
"""

from typing import TYPE_CHECKING, Any

from evenhand.contract.options import Option
from evenhand.scorer.benchmark import Benchmark

if TYPE_CHECKING:
    from evenhand.scorer.bbq.scoring import score

__all__ = ["BENCHMARK", "score"]

BENCHMARK = Benchmark(
    stem="bbq",
    title="BBQ",
    hub_task="multiple-choice",
    reads=("answers",),
    reader_modules=("predictions", "unifiedqa"),
    options=(
        Option(
            command="predict",
            flag="--style",
            metavar="S",
            help="style of the prompt: pair, pair-qonly (multiple-choice); race, arc, qonly,"
            " plain (seq2seq-lm, causal-lm); chat (causal-lm); default: the task's first",
        ),
        Option(
            command="predict",
            flag="--normalise",
            metavar="N",
            help="normalisation of answer scores by length: total, token, unconditional"
            " (seq2seq-lm, causal-lm; default: total)",
        ),
    ),
    row_counts=("bbq.accuracy.ambiguous.pooled", "bbq.accuracy.disambiguated.pooled"),
)


def __getattr__(name: str) -> Any:
    """Import the scoring code only when it is used, which keeps `evenhand --help` fast."""
    if name != "score":
        raise AttributeError(name)
    from evenhand.scorer.bbq.scoring import score

    return score
