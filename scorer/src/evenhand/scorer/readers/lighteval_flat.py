"""lighteval's details before version 0.11: flat rows, in Parquet.

The first versions wrote every value as its Python repr, later ones wrote lists. Shape: the code
of huggingface/lighteval (``logging/info_loggers.py``, ``logging/evaluation_tracker.py``, last in
0.10.0); no file of these versions is at hand.
"""

import ast
import math
from typing import Any

COLUMNS = ("full_prompt", "predictions")
"""Columns that identify such a file."""
READ = ("example", "full_prompt", "predictions", "choices", "specifics")

_LONGEST_LIST = 1 << 20
"""Longer reprs of lists are not parsed; those of three options have some hundred characters."""
_PAIR = 2


def nest(row: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Return a flat row as the ``doc`` and ``model_response`` of later versions.

    Args:
        row: the columns of :data:`READ` that the file has.

    Returns:
        ``query``, ``choices``, ``specific``; ``text`` and ``logprobs``, one of them empty. None
        where the row has another shape.
    """
    query = row.get("example") or row.get("full_prompt")
    predictions, choices = _value(row.get("predictions")), _value(row.get("choices")) or []
    if not isinstance(query, str) or not isinstance(choices, list):
        return None
    doc = {"query": query, "choices": choices, "specific": _value(row.get("specifics"))}
    if not isinstance(predictions, list) or not predictions:
        return doc, {}
    if all(isinstance(value, str) for value in predictions):
        return doc, {"text": predictions, "logprobs": []}
    return doc, {"text": [], "logprobs": _by_choice(predictions, len(choices))}


def _by_choice(predictions: list[Any], n_choices: int) -> list[float]:
    """Return a number for each option; the first of a pair (number, whether greedy).

    Twice as many numbers are those with and without the question; the tool takes the difference.
    """
    numbers = [_first(prediction) for prediction in predictions]
    known = [prediction for prediction in numbers if prediction is not None]
    if len(known) != len(numbers) or len(known) not in {n_choices, 2 * n_choices}:
        return []
    if len(known) == n_choices:
        return known
    pairs = zip(known[:n_choices], known[n_choices:], strict=True)
    return [asked - alone for asked, alone in pairs]


def _first(value: Any) -> float | None:
    if isinstance(value, list | tuple) and len(value) == _PAIR:
        value = value[0]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and not math.isnan(value) else None


def _value(written: Any) -> Any:
    """Return a value, also where it is written as its Python repr.

    >>> _value("[(-1.5, False), (-2.0, True)]"), _value(["B"]), _value("None"), _value("[nan]")
    ([(-1.5, False), (-2.0, True)], ['B'], None, None)
    """
    if not isinstance(written, str):
        return written
    if len(written) > _LONGEST_LIST:
        return None
    try:
        return ast.literal_eval(written)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
