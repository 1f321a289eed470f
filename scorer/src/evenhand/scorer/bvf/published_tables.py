"""Results written by the reference code: a JSON file for each occupation, named after it.

Its scripts write ``res/<model>/<occupation>_<anything>.json``: one list for each context, in the
order of the table of contexts: for gender the probability of `male` and the context's count, for
race the probabilities of seven words and the count, which its script then normalises
(EmpathYang/Prejudice-Volatility-Framework, ``gender_occ_batch.py`` and ``calculate.py``).
"""

import json
from pathlib import Path

import numpy as np

from evenhand.contract import DataRefused
from evenhand.scorer.readers.reader import Reader
from evenhand.scorer.readers.streams import whole

NAME = "bvf-table"

Numbers = np.ndarray[tuple[int, int], np.dtype[np.float64]]


CONTEXT_PROBABILITIES = "probabilities and a count by context"
"""What the reader yields: one row for each context, its probabilities and, last, its count."""


def read(path: Path, _choice: str | None = None) -> Numbers:
    """Read the numbers of one occupation.

    Raises:
        DataRefused: the file is not a list of equally long lists of numbers.
    """
    try:
        values: Numbers = np.array(json.loads(whole(path)), dtype=np.float64)
    except (ValueError, TypeError, RecursionError) as error:
        raise DataRefused(
            f"{path} is not a JSON list of equally long lists of numbers, one for each context."
        ) from error
    if values.ndim != 2 or values.shape[1] < 2:
        raise DataRefused(
            f"{path}: each context needs its probability and its count, e.g. [0.6, 9]."
        )
    if not ((values[:, :-1] >= 0) & (values[:, :-1] <= 1)).all():
        raise DataRefused(f"{path}: a probability is outside 0 to 1.")
    return values


READER = Reader(
    name=NAME,
    help="results of BVF's reference code: a JSON file for each occupation, or their folder",
    yields=CONTEXT_PROBABILITIES,
    read=read,
    folder_pattern="*.json",
)
