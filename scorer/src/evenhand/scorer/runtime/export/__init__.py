"""Turns a transformers model into ONNX and checks it against torch.

This is the only folder of Evenhand that imports torch and transformers. Each task is one module,
named as the task with ``_`` for ``-``; ``tasks`` says what it brings.
"""

from evenhand.scorer.runtime.export.writing import export

__all__ = ["export"]
