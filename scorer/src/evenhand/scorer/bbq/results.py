"""The result of all scored categories: rows, answers, and the counts behind the metrics."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenhand.contract.bbq import CATEGORIES
from evenhand.scorer.bbq.choices import Choices
from evenhand.scorer.bbq.counts import (
    CONDITIONS,
    STATISTICS,
    Counts,
    Flags,
    count_rows,
    sum_by_question,
)
from evenhand.scorer.bbq.groups import group_rows
from evenhand.scorer.benchmark_scoring import EXAMPLES_PER_METRIC, Texts
from evenhand.scorer.faults import unscored_warnings
from evenhand.scorer.matching import configs_in, rows_in_config

ITEM_KINDS: dict[str, pl.DataType | type[pl.DataType]] = {
    "id": pl.String,
    "category": pl.String,
    "question_index": pl.String,
    "question_polarity": pl.String,
    "context_condition": pl.String,
    "ans0": pl.String,
    "ans1": pl.String,
    "ans2": pl.String,
    "answer_text": pl.List(pl.String),
    "answer_group": pl.List(pl.String),
    "label": pl.Int64,
    "unknown": pl.Int64,
    "target": pl.Int64,
    "label_type": pl.String,
    "subcategory": pl.String,
    "stereotyped_groups": pl.List(pl.String),
}
"""The columns of an item that scoring reads, with their types; texts are not among them."""


@dataclass(frozen=True, slots=True)
class Scored:
    """The result of all scored categories."""

    configs: list[str]
    items: pl.DataFrame
    """N rows, the columns of :data:`ITEM_KINDS`."""
    choices: Choices
    rows: Flags
    """Which statistics each row is counted in, shape [N, K]."""
    counts: Counts
    groups: dict[str, dict[str, Counts]]
    """Dimension -> group -> counts of its rows."""
    questions: list[tuple[str, str]]
    """Category and index of each question, by its code in ``counts``."""


def count_answers(items: pl.DataFrame, choices: Choices) -> Scored:
    """Count the rows by question, all together and in each group.

    Args:
        items: the columns of :data:`ITEM_KINDS` of N rows, of any number of categories.
        choices: the answer to each row.
    """
    items = items.with_columns(pl.col(name).cast(kind) for name, kind in ITEM_KINDS.items())
    configs = _in_order(items["category"].unique().to_list())
    rows = count_rows(items, choices.index)
    questions, question = _questions(items, configs)
    category_of = np.array([configs.index(category) for category, _ in questions], dtype=np.int64)
    counts = sum_by_question(rows, question, category_of)
    groups = {
        dimension: {
            name: sum_by_question(rows[places], question[places], category_of)
            for name, places in members.items()
        }
        for dimension, members in group_rows(items, configs).items()
    }
    return Scored(configs, items, choices, rows, counts, groups, questions)


def _questions(
    items: pl.DataFrame, configs: Sequence[str]
) -> tuple[list[tuple[str, str]], NDArray[np.int64]]:
    """Return the questions, category by category, and the code of each row's question."""
    rows = list(items.select("category", "question_index").iter_rows())
    order = {name: place for place, name in enumerate(configs)}
    # By length first, so that question 2 comes before question 10.
    known = sorted(set(rows), key=lambda name: (order[name[0]], len(name[1]), name[1]))
    place = {name: code for code, name in enumerate(known)}
    return known, np.array([place[name] for name in rows], dtype=np.int64)


def _in_order(configs: Sequence[str]) -> list[str]:
    """Return categories in the contract's order, followed by any others."""
    known = {name: place for place, name in enumerate(CATEGORIES)}
    return sorted(configs, key=lambda name: (known.get(name, len(known)), name))


def result_warnings(scored: Scored) -> list[str]:
    """Return warnings, by category, of unscored rows, with reasons, and of rows without target."""
    warnings = []
    why = pl.Series("why", scored.choices.why, dtype=pl.String)
    table = scored.items.select("id", "category", "target").with_columns(why)
    for config in scored.configs:
        rows = table.filter(pl.col("category") == config)
        warnings += unscored_warnings(config, rows["id"], rows["why"])
        if n_without := rows["target"].null_count():
            warnings.append(
                f"{config}: {n_without:,} of {len(rows):,} rows have no target and count only for"
                " accuracy."
            )
    return warnings


def unscored_reasons(scored: Scored) -> Mapping[str, Mapping[str, int]]:
    """Return category -> reason -> number of unscored rows."""
    category = scored.items["category"].to_list()
    reasons: dict[str, dict[str, int]] = {config: {} for config in scored.configs}
    for config, reason in zip(category, scored.choices.why, strict=True):
        if reason:
            reasons[config][reason] = reasons[config].get(reason, 0) + 1
    return reasons


def example_rows(scored: Scored, texts: Texts) -> list[dict[str, Any]]:
    """Return wrong answers that agree with the stereotype, in both conditions, with their texts."""
    places = {condition: _spread(scored, condition) for condition in CONDITIONS}
    ids = scored.items[np.concatenate(list(places.values()))].select("id")
    words: dict[str, Mapping[str, Any]] = {}
    for config in configs_in(ids["id"]):
        words |= texts(config, rows_in_config(ids, config)["id"])
    return [
        _example(scored, condition, int(place), words)
        for condition, chosen in places.items()
        for place in chosen
    ]


def _example(
    scored: Scored, condition: str, place: int, words: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    item = scored.items.row(place, named=True)
    return {
        "metric": f"bbq.bias_score.{condition}",
        "config": item["category"],
        "id": item["id"],
        "question_polarity": item["question_polarity"],
        "context": words[item["id"]]["context"],
        "question": words[item["id"]]["question"],
        "answers": [item["ans0"], item["ans1"], item["ans2"]],
        "choice": int(scored.choices.index[place]),
        "label": item["label"],
        "target": item["target"],
        "stereotyped_groups": item["stereotyped_groups"],
        "answer": scored.choices.text[place],
    }


def _spread(scored: Scored, condition: str) -> NDArray[np.int64]:
    """Return indices of such answers, one per question before the second of any question."""
    biased = scored.rows[:, STATISTICS.index(f"{condition}.biased")]
    is_wrong = scored.choices.index != scored.items["label"].to_numpy()
    places = np.flatnonzero(biased & is_wrong)
    names = scored.items[places].select("category", "question_index")
    seen: dict[tuple[str, str], int] = {}
    turns = []
    for name in names.iter_rows():
        seen[name] = turn = seen.get(name, -1) + 1
        turns.append(turn)
    ranked = np.argsort(np.array(turns, dtype=np.int64), kind="stable")
    return places[ranked[:EXAMPLES_PER_METRIC]]
