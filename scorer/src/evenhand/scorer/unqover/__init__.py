"""UnQover: whom does a model prefer when the question has no answer in the text?

Source: Li et al. 2020, "UNQOVERing Stereotyping Biases via Underspecified Questions".
"""

from evenhand.scorer.unqover.score import score

__all__ = ["score"]
