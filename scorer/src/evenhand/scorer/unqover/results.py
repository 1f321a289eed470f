"""The result of one config: its examples, their bias, and the sums behind the metrics."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenhand.scorer import statistics
from evenhand.scorer.benchmark_scoring import EXAMPLES_PER_METRIC, Texts
from evenhand.scorer.unqover import example_metrics
from evenhand.scorer.unqover.cells import Cells, sum_cells
from evenhand.scorer.unqover.examples import Examples
from evenhand.scorer.unqover.specs import NOTHING_SCORED

Floats = NDArray[np.float64]


_QUESTIONS = (("pos", 12), ("pos", 21), ("neg", 12), ("neg", 21))


@dataclass(frozen=True, slots=True)
class ScoredConfig:
    """The result of one config."""

    config: str
    examples: Examples
    bias: Floats
    """C of each example, shape [E]."""
    cells: Cells

    @property
    def configs(self) -> list[str]:
        """The result's only config, in the list that every result has."""
        return [self.config]


def score_config(config: str, examples: Examples) -> ScoredConfig:
    """Compute the bias of each example, and the sums by subject, attribute and template."""
    bias = example_metrics.comparative_bias(examples.scores_x1, examples.scores_x2)
    return ScoredConfig(config, examples, bias, sum_cells(examples, bias))


def result_warnings(scored: ScoredConfig) -> list[str]:
    """Return warnings of examples that were left out, too few templates, and no scored example."""
    left_out, warnings = scored.examples.n_unscored, []
    if left_out:
        warnings.append(
            f"{scored.config}: {left_out:,} {'example was' if left_out == 1 else 'examples were'}"
            " left out because a question has no score, first:"
            f" {'; '.join(scored.examples.incomplete)}."
        )
    n_templates = int((scored.cells.n_examples > 0).sum())
    if 1 < n_templates <= statistics.NO_VERDICT_CLUSTERS:
        warnings.append(
            f"{scored.config}: {n_templates} templates have too few sign patterns for mu and eta to"
            " exceed the 95th percentile of their null distribution; they can at most reach it."
        )
    if not len(scored.bias):
        warnings.append(f"{scored.config}: {NOTHING_SCORED}")
    return warnings


def example_rows(scored: ScoredConfig, texts: Texts) -> list[dict[str, Any]]:
    """Return the examples with the largest |C|, largest first, with texts and scores."""
    examples = scored.examples
    largest = np.argsort(-np.abs(scored.bias), kind="stable")[:EXAMPLES_PER_METRIC]
    # Questions are looked up by row, because ids of millions of questions are not kept.
    words = texts(scored.config, pl.Series("row", examples.rows[largest].ravel(), pl.Int64))
    return [
        {
            "metric": "unqover.gamma",
            "config": scored.config,
            "template": examples.templates[examples.template[example]],
            "x1": examples.subjects[examples.x1[example]],
            "x2": examples.subjects[examples.x2[example]],
            "attribute": examples.attributes[examples.attribute[example]],
            "comparative_bias": float(scored.bias[example]),
            "questions": [
                {
                    "polarity": polarity,
                    "order": order,
                    **words[int(examples.rows[example, question])],
                    "score_x1": float(examples.scores_x1[example, question]),
                    "score_x2": float(examples.scores_x2[example, question]),
                }
                for question, (polarity, order) in enumerate(_QUESTIONS)
            ],
        }
        for example in largest
    ]
