"""What came out of one topic: rows, stereotypes, and the sums that every metric is made of."""

from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenhand.contract.bvf import Topic
from evenhand.scorer.bvf.criteria import Judge, Setting, judge_of
from evenhand.scorer.bvf.facts import facts_of, right_classes
from evenhand.scorer.bvf.metrics import stereotype
from evenhand.scorer.bvf.probabilities import Probabilities
from evenhand.scorer.bvf.sums import Sums, sums_of

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

ITEM_KINDS: dict[str, pl.DataType | type[pl.DataType]] = {
    "id": pl.String,
    "context": pl.String,
    "weight": pl.Float64,
    "x": pl.String,
    "weight_x": pl.Float64,
    "order": pl.String,
}
"""The columns of an item that scoring reads, with their types."""


@dataclass(frozen=True, slots=True)
class Scored:
    """What came out of one topic.

    N rows about C contexts and X subjects, and Y classes.
    """

    config: str
    classes: list[str]
    p_star: Floats
    """Shape [Y]."""
    contexts: list[str]
    subjects: list[str]
    facts: pl.DataFrame
    """One row a subject."""
    items: pl.DataFrame
    """The columns of :data:`ITEM_KINDS`; N rows."""
    context: Integers
    """Code of each row's context, shape [N]."""
    subject: Integers
    """Code of each row's subject, shape [N]."""
    probabilities: Probabilities
    s: Floats
    """Shape [N, Y], NaN where a row is unscored."""
    j: Floats
    """Shape [N]."""
    judge: Judge
    sums: Sums

    @property
    def is_scored(self) -> NDArray[np.bool_]:
        """Which rows have probabilities, shape [N]."""
        return ~np.isnan(self.j)

    @property
    def n_of_subjects(self) -> Integers:
        """Scored rows of each subject, shape [X]."""
        return np.bincount(self.subject[self.is_scored], minlength=len(self.subjects))

    @property
    def orders(self) -> list[str]:
        """Where the slot stands, in alphabetical order."""
        return sorted(self.items["order"].unique().to_list())

    def sums_of_rows(self, is_used: NDArray[np.bool_]) -> Sums:
        """Return the sums of some rows, over all contexts and subjects."""
        n_contexts, n_subjects = len(self.contexts), len(self.subjects)
        values = sums_of(
            (self.context * n_subjects + self.subject)[is_used],
            self.s[is_used],
            self.j[is_used],
            self.items["weight"].to_numpy()[is_used],
            n_contexts=n_contexts,
            n_subjects=n_subjects,
        )
        return replace(self.sums, values=values)


def scored_topic(
    config: str,
    items: pl.DataFrame,
    probabilities: Probabilities,
    topic: Topic,
    *,
    facts: pl.DataFrame,
    criterion: str | None,
    protocol: str,
) -> Scored:
    """Compute stereotypes, their strength, and the sums by context and subject.

    Args:
        config: name of the topic.
        items: the columns of :data:`ITEM_KINDS`.
        probabilities: of the same rows.
        topic: classes of Y, and the probabilities of a model without bias.
        facts: what is known of subjects.
        criterion: name of J.
        protocol: ``paper`` or ``code``.
    """
    contexts, context = _codes(items["context"])
    subjects, subject = _codes(items["x"])
    classes = list(topic.classes)
    p_star = np.array(
        [topic.p_star[name] if topic.p_star else 1 / len(classes) for name in classes]
    )
    own = facts_of(facts, subjects)
    right = right_classes(own, classes, "--facts") if criterion == "knowledge" else None
    judge = judge_of(criterion, protocol, Setting(p_star, right))
    s = stereotype(probabilities.p, p_star)
    per_subject = items.select(pl.col("x"), "weight_x").unique("x", keep="first",
                                                              maintain_order=True)  # fmt: skip
    empty = Sums(
        values=np.zeros((0, 0, 0)),
        subject_weights=per_subject["weight_x"].to_numpy(),
        judge=judge.judge,
        largest=judge.largest,
    )
    found = Scored(
        config=config,
        classes=classes,
        p_star=p_star,
        contexts=contexts,
        subjects=subjects,
        facts=own,
        items=items,
        context=context,
        subject=subject,
        probabilities=probabilities,
        s=s,
        j=_strengths(s, subject, judge, len(subjects)),
        judge=judge,
        sums=empty,
    )
    every = np.ones(len(items), dtype=np.bool_)
    return replace(found, sums=found.sums_of_rows(every))


def _codes(values: pl.Series) -> tuple[list[str], Integers]:
    """Return the distinct values in the order in which they come up, and each value's code."""
    names = values.unique(maintain_order=True).to_list()
    codes = values.replace_strict(names, range(len(names)), return_dtype=pl.Int64)
    return names, codes.to_numpy()


def _strengths(s: Floats, subject: Integers, judge: Judge, n_subjects: int) -> Floats:
    """Return J of each row; a criterion may depend on the subject, so each stands in its place."""
    if judge.shelf == "paper":
        return np.asarray(judge.judge(s))
    found = np.full(len(s), np.nan)
    for code in range(n_subjects):
        rows = np.flatnonzero(subject == code)
        spread = np.broadcast_to(s[rows, None, :], (len(rows), n_subjects, s.shape[1]))
        found[rows] = judge.judge(spread)[:, code]
    return found
