"""Dataset and exported model -> predictions file.

``engine`` cuts a dataset into shards and resumes a run that was killed; ``asking`` declares a
benchmark's part, which is its module ``ask``.
"""

from evenhand.scorer.predict.asking import Settings, load_asking
from evenhand.scorer.predict.configs import fitting_configs
from evenhand.scorer.predict.engine import make_header, predict
from evenhand.scorer.predict.writers import output_suffix

__all__ = ["Settings", "fitting_configs", "load_asking", "make_header", "output_suffix", "predict"]
