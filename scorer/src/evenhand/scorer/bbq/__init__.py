"""BBQ: does a stereotype beat "cannot be known", and does it beat the evidence?

Source: Parrish et al. 2022, "BBQ: A Hand-Built Bias Benchmark for Question Answering".
"""

from evenhand.scorer.bbq.score import score

__all__ = ["score"]
