"""Stores tied embeddings once: the head over the vocabulary is the embedding matrix transposed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper


def store_tied_once(path: Path, n_words: int) -> None:
    """Rewrite ``model.onnx`` with one copy of a matrix of ``n_words`` rows and its transpose.

    torch transposes the head's weights when it traces them, and does not see that they were the
    embedding's; that is 113 MB of 653 of a model with 135 million weights.
    """
    model = onnx.load(path)
    pairs = list(_tied(model.graph.initializer, n_words))
    for kept, turned in pairs:
        node = onnx.helper.make_node("Transpose", [kept.name], [turned.name], perm=[1, 0])
        model.graph.initializer.remove(turned)
        model.graph.node.insert(0, node)
    if pairs:
        onnx.save(model, path)


def _tied(weights: Any, n_words: int) -> Iterator[tuple[Any, Any]]:
    """Yield matrices with their transposes."""
    shapes = [(one, list(one.dims)) for one in weights if len(one.dims) == 2]
    for first, (n_rows, width) in shapes:
        for second, other in shapes:
            if n_rows == n_words and other == [width, n_rows] and second is not first:
                values = numpy_helper.to_array(first).T
                if np.array_equal(values, numpy_helper.to_array(second)):
                    yield first, second
