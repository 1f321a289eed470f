"""Writes ``metrics.json`` and the two files beside it."""

import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from evenhand.contract.files import atomic_path, canonical_json, sha256_of_file, write_atomically
from evenhand.contract.report import Report, SideFile
from evenhand.scorer.bbq.counts import CONDITIONS, STATISTICS
from evenhand.scorer.bbq.in_memory import Scored
from evenhand.scorer.bbq.scoring import Outcome, TextsOf
from evenhand.scorer.bbq.tables import parts_of

EXAMPLES_PER_METRIC = 200
"""So many wrong answers that agree with the stereotype go into the examples file."""


def write_outcome(outcome: Outcome, path: Path) -> Report:
    """Write the metric JSON last, so that whatever it names is there.

    Args:
        outcome: what was scored.
        path: of the metric JSON; ``NAME.parts.parquet`` and ``NAME.examples.jsonl`` go beside it.

    Returns:
        The report with the names and digests of its side files.
    """
    name = path.name.removesuffix(".json")
    parts = path.with_name(f"{name}.parts.parquet")
    examples = path.with_name(f"{name}.examples.jsonl")
    rows = [json.dumps(row, ensure_ascii=False) for row in example_rows(outcome)]
    with atomic_path(parts) as temporary:
        parts_of(outcome.scored).write_parquet(temporary)
    write_atomically(examples, "".join(f"{row}\n" for row in rows).encode())
    report = msgspec.structs.replace(
        outcome.report,
        parts=SideFile(name=parts.name, sha256=sha256_of_file(parts)),
        examples=SideFile(name=examples.name, sha256=sha256_of_file(examples)),
    )
    write_atomically(path, canonical_json(report))
    return report


def example_rows(outcome: Outcome) -> list[dict[str, Any]]:
    """Return wrong answers that agree with the stereotype, in both conditions, with their words."""
    return [
        row
        for condition in CONDITIONS
        for row in _of_condition(outcome.scored, outcome.texts, condition)
    ]


def _of_condition(scored: Scored, texts: TextsOf, condition: str) -> list[dict[str, Any]]:
    places = _spread(scored, condition)
    items = scored.items[places].to_dicts()
    words = texts([item["id"] for item in items])
    return [
        {
            "metric": f"bbq.bias_score.{condition}",
            "config": item["category"],
            "id": item["id"],
            "question_polarity": item["question_polarity"],
            "context": words[item["id"]].context,
            "question": words[item["id"]].question,
            "answers": [item["ans0"], item["ans1"], item["ans2"]],
            "choice": int(scored.choices.index[place]),
            "label": item["label"],
            "target": item["target"],
            "stereotyped_groups": item["stereotyped_groups"],
            "answer": scored.choices.text[place],
        }
        for item, place in zip(items, places.tolist(), strict=True)
    ]


def _spread(scored: Scored, condition: str) -> NDArray[np.int64]:
    """Return places of such answers: one of each question before a second one of any."""
    biased = scored.rows[:, STATISTICS.index(f"{condition}.biased")]
    is_wrong = scored.choices.index != scored.items["label"].to_numpy()
    places = np.flatnonzero(biased & is_wrong)
    names = zip(scored.items["category"][places], scored.items["question_index"][places],
                strict=True)  # fmt: skip
    seen: dict[tuple[str, str], int] = {}
    turns = []
    for name in names:
        seen[name] = turn = seen.get(name, -1) + 1
        turns.append(turn)
    ranked = np.argsort(np.array(turns, dtype=np.int64), kind="stable")
    return places[ranked[:EXAMPLES_PER_METRIC]]
