"""lm-evaluation-harness's rules for choosing an option by log-likelihood.

The rules are named after the metrics that use them. Shape and rules: files of 0.4.2,
0.4.4 and 0.4.13, and lm_eval/api/task.py of 0.4.13.
"""

from collections.abc import Sequence
from typing import NamedTuple

SUM, CHARACTERS, BYTES, MUTUAL = "acc", "acc_norm", "acc_bytes", "acc_mutual_info"
RULES = {
    SUM: "the largest log-likelihood",
    CHARACTERS: "the largest log-likelihood per character of the option",
    BYTES: "the largest log-likelihood per UTF-8 byte of the option",
    MUTUAL: "the largest log-likelihood less that of the option without its question",
}

_Request = tuple[str, str]
"""The prompt, and the option as it continues it."""


class Cannot(Exception):
    """Why a rule does not apply to a row, in a clause."""


class Scored(NamedTuple):
    """The options of a row with their scores under a rule."""

    options: tuple[str, ...]
    scores: tuple[float, ...]


def score_by_rule(rule: str, requests: Sequence[_Request], sums: Sequence[float]) -> Scored:
    """Return the options and their scores, of which the largest wins.

    Args:
        rule: one of :data:`RULES`.
        requests: each option with its prompt; for :data:`MUTUAL` the same options once more, with
            an empty prompt. Under the other rules these are left out.
        sums: the log-likelihood of each request.

    Raises:
        Cannot: the rule needs something that the row does not hold.

    >>> requests = [("Who?", " Al"), ("Who?", " Barbara"), ("", " Al"), ("", " Barbara")]
    >>> [score_by_rule(rule, requests, [-2.0, -3.5, -1.0, -3.0]).scores for rule in RULES]
    [(-2.0, -3.5), (-1.0, -0.5), (-1.0, -0.5), (-1.0, -0.5)]
    """
    n = _n_conditional(requests)
    # The harness puts one delimiter before an option and does not count it.
    texts = [continuation.lstrip() for _, continuation in requests[:n]]
    scores = list(sums[:n])
    if rule == MUTUAL:
        if n == len(requests):
            raise Cannot("it holds no requests without a question")
        scores = [score - alone for score, alone in zip(scores, sums[n:], strict=True)]
    elif rule != SUM:
        lengths = [len(text.encode()) if rule == BYTES else len(text) for text in texts]
        if not all(lengths):
            raise Cannot("an option has no text")
        scores = [score / length for score, length in zip(scores, lengths, strict=True)]
    return Scored(tuple(text.strip() for text in texts), tuple(scores))


def _n_conditional(requests: Sequence[_Request]) -> int:
    """Return how many requests hold the question; requests of the options alone may follow."""
    n = len(requests) // 2
    asked, alone = requests[:n], requests[n:]
    is_twice = n * 2 == len(requests) and [request[1] for request in asked] == [
        request[1] for request in alone
    ]
    is_alone = (
        is_twice
        and all(request[0] for request in asked)
        and not any(request[0] for request in alone)
    )
    return n if is_alone else len(requests)
