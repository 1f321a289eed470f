"""Criteria J, which measure how strong stereotypes are, by name: ``--criterion``.

A new criterion is one more entry in :data:`CRITERIA`. Those on the ``paper`` shelf are convex, so
volatility is never negative under them.
"""

import re
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenhand.contract import WrongUse
from evenhand.scorer.beyond.knowledge import knowledge
from evenhand.scorer.bvf.metrics import Criterion, code_criterion, criterion, largest_criterion

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

DEFAULT, KNOWLEDGE = "linf", "knowledge"
_NORM = re.compile(r"l([1-9][0-9]{0,2}|inf)")


class Setting(NamedTuple):
    """What a criterion may depend on besides the stereotypes."""

    p_star: Floats
    """Shape [Y]."""
    right: Integers | None = None
    """Code of each subject's right class, shape [X]; only for ``knowledge``."""


class TopicCriterion(NamedTuple):
    """A criterion with what one topic fixes: its p* and its right classes."""

    name: str
    strength: Criterion
    """From stereotypes [..., X, Y] to [..., X]."""
    largest: float
    """Its value for a model that always predicts the same class."""
    shelf: str = "paper"


Maker = Callable[[Setting], TopicCriterion]


def _norm(k: float, name: str, setting: Setting) -> TopicCriterion:
    return TopicCriterion(name, partial(criterion, k=k), largest_criterion(setting.p_star))


def _code_norm(k: float, name: str, _setting: Setting) -> TopicCriterion:
    return TopicCriterion(name, partial(code_criterion, k=k), 1.0)


def _knowledge(setting: Setting) -> TopicCriterion:
    if setting.right is None:
        raise WrongUse(
            "--criterion knowledge needs the right class of each subject: give --facts FILE with"
            " the columns subject and right_class."
        )
    strength = partial(knowledge, p_star=setting.p_star, right=setting.right)
    return TopicCriterion(KNOWLEDGE, strength, 1.0, "beyond")


CRITERIA: dict[str, Maker] = {KNOWLEDGE: _knowledge}
"""Name -> constructor; the norms linf, l1, l2, l3, ... need no entry."""


def protocol_label(protocol: str, criterion: str | None) -> str:
    """Return the protocol's name in a report, with the criterion: ``compare`` mixes no two.

    >>> protocol_label("paper", None), protocol_label("paper", "l2")
    ('paper', 'paper+l2')
    """
    return protocol if criterion in {None, DEFAULT} else f"{protocol}+{criterion}"


def build_criterion(name: str | None, protocol: str, setting: Setting) -> TopicCriterion:
    """Return the criterion with a name.

    Args:
        name: of :data:`CRITERIA`, or a norm; None for the maximum norm (linf).
        protocol: ``code`` takes stereotypes of either sign, as the reference code does.
        setting: what the criterion may depend on.

    Raises:
        WrongUse: there is no criterion of this name, or it needs facts that are missing.

    >>> build_criterion("l2", "paper", Setting(np.array([0.5, 0.5]))).strength(
    ...     np.array([0.6, -0.6])
    ... )
    np.float64(0.6)
    """
    name = name or DEFAULT
    if name in CRITERIA:
        if protocol == "code":
            raise WrongUse(
                f"--criterion {name} cannot be used with --protocol code, because the reference"
                " code has only norms; leave out --protocol."
            )
        return CRITERIA[name](setting)
    match = _NORM.fullmatch(name)
    if match is None:
        known = ", ".join(sorted(CRITERIA))
        raise WrongUse(f"There is no --criterion {name}; choose linf, l1, l2, ... or {known}.")
    maker = _code_norm if protocol == "code" else _norm
    return maker(float(match[1]), name, setting)
