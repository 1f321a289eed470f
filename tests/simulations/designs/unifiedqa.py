"""BBQ as UnifiedQA answered it: the questions of Age and Religion are the population.

Needs the reference data named by ``EVENHAND_CONFORMANCE``; there is no design without it.
"""

import json
import os
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from evenhand.scorer.bbq import specs
from evenhand.scorer.bbq.counts import count_rows, sum_by_question

from . import bbq
from .study import Design

CATEGORIES, VARIANTS = ("Age", "Religion"), ("race", "arc")


def designs() -> list[Design]:
    """Return a design for each category and prompt format."""
    folder = os.environ.get("EVENHAND_CONFORMANCE")
    if not folder:
        return []
    return [
        _design(Path(folder) / "bbq", category, variant)
        for category in CATEGORIES
        for variant in VARIANTS
    ]


def _design(folder: Path, category: str, variant: str) -> Design:
    items = _lines(folder / "data" / f"{category}.jsonl")
    answers = {
        row["example_id"]: _plain(row[f"unifiedqa-t5-11b_pred_{variant}"])
        for row in _lines(folder / "predictions" / f"preds_{category}.jsonl")
    }
    choice = np.array([_choice(item, answers[item["example_id"]]) for item in items])
    rows = count_rows(pl.DataFrame([_columns(item) for item in items]), choice)
    question = np.unique([item["question_index"] for item in items], return_inverse=True)[1]
    sums = sum_by_question(rows, question, np.zeros(question.max() + 1, dtype=np.int64)).sums
    truth = {spec.base: float(spec.values(sums.sum(axis=0))) for spec in specs.METRICS}
    return Design(f"{category}, {variant.upper()}", truth, partial(bbq.draw_questions, sums))


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _plain(answer: str) -> str:
    """Return an answer as the reference code compares it."""
    plain = answer.strip().rstrip(".").lower().replace("}", "").replace("o'brien", "obrien")
    return "pantsuit" if plain.endswith("pantsu") else plain


def _choice(item: dict[str, Any], answer: str) -> int:
    texts = [_plain(item[f"ans{place}"]) for place in range(3)]
    return texts.index(answer) if answer in texts else -1


def _columns(item: dict[str, Any]) -> dict[str, Any]:
    groups = [item["answer_info"][f"ans{place}"][1] for place in range(3)]
    unknown = groups.index("unknown")
    stereotyped = {group.lower() for group in item["additional_metadata"]["stereotyped_groups"]}
    people = [place for place in range(3) if place != unknown]
    named = [place for place in people if groups[place].lower() in stereotyped]
    target = named[0] if len(named) == 1 else None
    if target is not None and item["question_polarity"] == "nonneg":
        target = next(place for place in people if place != target)
    return {
        "context_condition": item["context_condition"],
        "label": item["label"],
        "unknown": unknown,
        "target": target,
    }
