"""Columns that hold a score for each of the three answers: their names, and which score wins."""

import re
from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple


class Kind(Enum):
    """What the scores are, worded as in a sentence."""

    SCORES = "scores"
    PROBABILITIES = "probabilities"
    LOG_PROBABILITIES = "log-probabilities"
    COSTS = "costs"
    """The smallest wins; these are refused rather than silently negated."""


LISTS = {
    "scores": Kind.SCORES,
    "logits": Kind.SCORES,
    "probs": Kind.PROBABILITIES,
    "probabilities": Kind.PROBABILITIES,
    "logprobs": Kind.LOG_PROBABILITIES,
    "loglikelihoods": Kind.LOG_PROBABILITIES,
}
"""Names, without punctuation, of one column that holds a list of scores."""

_WORDS = {
    Kind.SCORES: "scores?|logits?|confidence|conf",
    Kind.PROBABILITIES: "p|pr|probs?|proba|probability|probabilities",
    Kind.LOG_PROBABILITIES: "logp|lp|logprobs?|logprobability|logprobabilities|loglikelihood|loglik"
    "|ll",
    Kind.COSTS: "nll|negloglikelihood|negativeloglikelihood|loss|ppl|perplexity|cost|rank",
}
_ANSWER = r"(?:ans|answer|option|choice|opt)?"
_PATTERNS = [
    (kind, re.compile(pattern))
    for kind, words in _WORDS.items()
    for pattern in (rf"(?:{words}){_ANSWER}(\d|[a-d])", rf"{_ANSWER}(\d|[a-d])(?:{words})")
]
_MARKS = ("012", "123", "abc")
_ROUNDING = 1e-6
"""The logarithm of a probability of 1, with the rounding error of half precision."""


class Family(NamedTuple):
    """Columns whose names differ only in the mark of the answer, in the order of the marks."""

    kind: Kind
    names: tuple[str, ...]
    is_whole: bool
    """True if there are three, one for each answer."""


def families(names: Sequence[str], plain: Sequence[str]) -> list[Family]:
    """Find the columns that hold one score per answer.

    Args:
        names: of all columns.
        plain: the same in lower case, without punctuation.

    Returns:
        Each family of two or more columns, in the order of its first column.

    >>> [family.names for family in families(["p_b", "p_a", "p_c", "x"], ["pb", "pa", "pc", "x"])]
    [('p_a', 'p_b', 'p_c')]
    """
    by_kind: dict[tuple[Kind, str], list[tuple[str, str]]] = {}
    for name, plain_text in zip(names, plain, strict=True):
        for kind, pattern in _PATTERNS:
            if match := pattern.fullmatch(plain_text):
                rest = f"{plain_text[: match.start(1)]} {plain_text[match.end(1) :]}"
                by_kind.setdefault((kind, rest), []).append((match[1], name))
                break
    return [
        Family(
            kind, tuple(name for _, name in sorted(marked)), _is_whole([mark for mark, _ in marked])
        )
        for (kind, _), marked in by_kind.items()
        if len(marked) > 1
    ]


def _is_whole(marks: list[str]) -> bool:
    return "".join(sorted(marks)) in _MARKS


def outside(kind: Kind, values: Sequence[float]) -> str | None:
    """Say what is wrong with scores of a kind, None where nothing is.

    >>> outside(Kind.PROBABILITIES, [0.2, 0.8, 0.0]), outside(Kind.LOG_PROBABILITIES, [-2.5, 1.0])
    (None, 'log-probabilities above 0')
    """
    if kind is Kind.PROBABILITIES and not all(0 <= value <= 1 for value in values):
        return "probabilities that are not from 0 to 1"
    if kind is Kind.LOG_PROBABILITIES and any(value > _ROUNDING for value in values):
        return "log-probabilities above 0"
    return None
