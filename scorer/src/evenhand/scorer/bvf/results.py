"""Scores of one topic: rows, stereotypes, and the sums from which every metric is computed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenhand.contract.bvf import Topic
from evenhand.scorer.benchmark_scoring import EXAMPLES_PER_METRIC, Texts
from evenhand.scorer.bvf.criteria import KNOWLEDGE, Setting, TopicCriterion, build_criterion
from evenhand.scorer.bvf.facts import match_facts, right_classes
from evenhand.scorer.bvf.metrics import stereotype
from evenhand.scorer.bvf.probabilities import Probabilities
from evenhand.scorer.bvf.regressions import NO_STATSMODELS, factor_points, has_statsmodels
from evenhand.scorer.bvf.sums import Sums, sum_rows
from evenhand.scorer.faults import unscored_warnings

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

UNMATCHED = "left out, as not a word of Y"
ONE_CONTEXT = "volatility cannot be measured on a single context"
"""Warnings, without what they are about."""

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
    """Scores of one topic.

    N rows over C contexts, X subjects and Y classes.
    """

    config: str
    classes: list[str]
    p_star: Floats
    """Shape [Y]."""
    contexts: list[str]
    subjects: list[str]
    facts: pl.DataFrame
    """One row for each subject."""
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
    criterion: TopicCriterion
    protocol: str
    """``paper`` or ``code``."""
    sums: Sums
    absent_orders: Sequence[str] = ()
    """Word orders without any prediction; their texts are not among the rows."""

    @property
    def configs(self) -> list[str]:
        """The topic, in the list that results of all benchmarks have."""
        return [self.config]

    @property
    def is_scored(self) -> NDArray[np.bool_]:
        """Which rows have probabilities, shape [N]."""
        return ~np.isnan(self.j)

    @property
    def n_by_subject(self) -> Integers:
        """Scored rows of each subject, shape [X]."""
        return np.bincount(self.subject[self.is_scored], minlength=len(self.subjects))

    @property
    def orders(self) -> list[str]:
        """Positions of the slot, in alphabetical order."""
        return sorted(self.items["order"].unique().to_list())

    def partial_sums(self, is_used: NDArray[np.bool_]) -> Sums:
        """Return the sums of selected rows, over all contexts and subjects."""
        n_contexts, n_subjects = len(self.contexts), len(self.subjects)
        values = sum_rows(
            (self.context * n_subjects + self.subject)[is_used],
            self.s[is_used],
            self.j[is_used],
            self.items["weight"].to_numpy()[is_used],
            n_contexts=n_contexts,
            n_subjects=n_subjects,
        )
        return replace(self.sums, values=values)


def score_topic(
    config: str,
    items: pl.DataFrame,
    probabilities: Probabilities,
    topic: Topic,
    *,
    facts: pl.DataFrame,
    criterion_name: str | None,
    protocol: str,
    absent_orders: Sequence[str] = (),
) -> Scored:
    """Compute stereotypes, their strength, and the sums by context and subject.

    Args:
        config: name of the topic.
        items: the columns of :data:`ITEM_KINDS`.
        probabilities: of the same rows.
        topic: classes of Y, and the probabilities of an unbiased model.
        facts: facts about subjects, of which the topic's are taken.
        criterion_name: name of J, None for the paper's.
        protocol: ``paper`` or ``code``.
        absent_orders: word orders that were left out.
    """
    contexts, context = _codes(items["context"])
    subjects, subject = _codes(items["x"])
    classes = list(topic.classes)
    p_star = np.array(
        [topic.p_star[name] if topic.p_star else 1 / len(classes) for name in classes]
    )
    subject_facts = match_facts(facts, subjects)
    right = (
        right_classes(subject_facts, classes, "--facts") if criterion_name == KNOWLEDGE else None
    )
    criterion = build_criterion(criterion_name, protocol, Setting(p_star, right))
    s = stereotype(probabilities.p, p_star)
    scored = Scored(
        config=config,
        classes=classes,
        p_star=p_star,
        contexts=contexts,
        subjects=subjects,
        facts=subject_facts,
        items=items,
        context=context,
        subject=subject,
        probabilities=probabilities,
        s=s,
        j=_strengths(s, subject, criterion, len(subjects)),
        criterion=criterion,
        protocol=protocol,
        sums=_no_sums(items, criterion),
        absent_orders=absent_orders,
    )
    return replace(scored, sums=scored.partial_sums(np.ones(len(items), dtype=np.bool_)))


def _no_sums(items: pl.DataFrame, criterion: TopicCriterion) -> Sums:
    """Return empty sums with the weights of subjects and the criterion."""
    subjects = items.select("x", "weight_x").unique("x", keep="first", maintain_order=True)
    return Sums(
        values=np.zeros((0, 0, 0)),
        subject_weights=subjects["weight_x"].to_numpy(),
        strength=criterion.strength,
        largest=criterion.largest,
    )


def _codes(values: pl.Series) -> tuple[list[str], Integers]:
    """Return the distinct values in order of first occurrence, and each value's code."""
    names = values.unique(maintain_order=True).to_list()
    codes = values.replace_strict(names, range(len(names)), return_dtype=pl.Int64)
    return names, codes.to_numpy()


def _strengths(s: Floats, subject: Integers, criterion: TopicCriterion, n_subjects: int) -> Floats:
    """Return J of each row.

    Beyond the paper's norms a criterion may depend on the subject, so rows are broadcast to the
    shape [..., X, Y] and the value of their own subject is kept.
    """
    if criterion.shelf == "paper":
        return np.asarray(criterion.strength(s))
    strengths = np.full(len(s), np.nan)
    for code in range(n_subjects):
        rows = np.flatnonzero(subject == code)
        spread = np.broadcast_to(s[rows, None, :], (len(rows), n_subjects, s.shape[1]))
        strengths[rows] = criterion.strength(spread)[:, code]
    return strengths


def order_warnings(config: str, orders: Sequence[str]) -> list[str]:
    """Say which word orders were left out."""
    if not orders:
        return []
    slots = " or ".join(orders)
    return [f"{config}: left out the texts with the slot {slots}, none of which has a prediction."]


def unmatched_warnings(config: str, probabilities: Probabilities) -> list[str]:
    """Say how many answers match no class."""
    n = probabilities.n_unmatched
    return [f"{config}: {n:,} {'answer' if n == 1 else 'answers'} {UNMATCHED}."] if n else []


def result_warnings(scored: Scored) -> list[str]:
    """Say which rows are unscored and why, how many answers match no class, what is left out."""
    config, probabilities = scored.config, scored.probabilities
    warnings = [
        *order_warnings(config, scored.absent_orders),
        *unscored_warnings(config, scored.items["id"], probabilities.why),
        *unmatched_warnings(config, probabilities),
    ]
    if not has_statsmodels() and factor_points(scored.facts):
        warnings.append(f"{config}: {NO_STATSMODELS}")
    n_rows = np.bincount(scored.context[scored.is_scored])
    if len(n_rows) and (n_rows > 0).sum() == 1:
        warnings.append(f"{config}: {ONE_CONTEXT}.")
    return warnings


def example_rows(scored: Scored, texts: Texts) -> list[dict[str, Any]]:
    """Return the texts with the strongest stereotypes: one of every subject before any second."""
    places = _strongest_rows(scored)
    items = scored.items[places]
    words = texts(scored.config, items["id"])
    return [
        {
            "metric": "bvf.R",
            "config": scored.config,
            "id": item["id"],
            "context": item["context"],
            "subject": item["x"],
            "text": words[item["id"]]["text"],
            "weight": item["weight"],
            "risk": float(scored.j[place] / scored.sums.largest),
            "p": dict(zip(scored.classes, scored.probabilities.p[place].tolist(), strict=True)),
        }
        for item, place in zip(items.to_dicts(), places.tolist(), strict=True)
    ]


def _strongest_rows(scored: Scored) -> Integers:
    """Return the indices of these rows, at most :data:`EXAMPLES_PER_METRIC`."""
    rows = np.flatnonzero(scored.is_scored)
    table = pl.DataFrame({"row": rows, "subject": scored.subject[rows], "j": scored.j[rows]})
    turn = pl.col("j").rank("ordinal", descending=True).over("subject")
    ranked = table.with_columns(turn=turn).sort("turn", "j", "row", descending=[False, True, False])
    return ranked["row"].head(EXAMPLES_PER_METRIC).to_numpy()
