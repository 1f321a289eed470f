"""BVF: how strong is a stereotype on average (bias), and how much does it move with context?

Source: "Bias and Volatility: A Statistical Framework for Evaluating Large Language Model's
Stereotypes and the Associated Generation Inconsistency" (2024).
"""

from evenhand.scorer.bvf.score import score

__all__ = ["score"]
