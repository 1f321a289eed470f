"""Dataset and exported model -> predictions file.

``engine`` cuts a dataset into shards and goes on where a killed run stopped; ``asking`` says what a
benchmark brings, and each benchmark brings it in its module ``ask``.
"""

from evenhand.scorer.predict.asking import Settings, asking_of
from evenhand.scorer.predict.configs import fitting_configs
from evenhand.scorer.predict.engine import header_of, predict
from evenhand.scorer.predict.writers import suffix_of

__all__ = ["Settings", "asking_of", "fitting_configs", "header_of", "predict", "suffix_of"]
