"""Writes ``metrics.json`` and the two files beside it."""

import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import polars as pl

from evenhand.contract.files import atomic_path, canonical_json, sha256_of_file, write_atomically
from evenhand.contract.report import Report, SideFile
from evenhand.scorer.unqover.in_memory import ScoredConfig
from evenhand.scorer.unqover.scoring import Outcome, Texts
from evenhand.scorer.unqover.tables import parts_of

EXAMPLES_PER_METRIC = 200
"""The examples with the largest |C| go into the examples file."""

_QUESTIONS = (("pos", 12), ("pos", 21), ("neg", 12), ("neg", 21))


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
    rows = [
        json.dumps(row, ensure_ascii=False)
        for scored, texts in zip(outcome.scored, outcome.texts, strict=True)
        for row in example_rows(scored, texts)
    ]
    with atomic_path(parts) as temporary:
        pl.concat(parts_of(scored) for scored in outcome.scored).write_parquet(temporary)
    write_atomically(examples, "".join(f"{row}\n" for row in rows).encode())
    report = msgspec.structs.replace(
        outcome.report,
        parts=SideFile(name=parts.name, sha256=sha256_of_file(parts)),
        examples=SideFile(name=examples.name, sha256=sha256_of_file(examples)),
    )
    write_atomically(path, canonical_json(report))
    return report


def example_rows(scored: ScoredConfig, texts: Texts) -> list[dict[str, Any]]:
    """Return the examples with the largest |C|, largest first, with words and scores."""
    own = scored.examples
    largest = np.argsort(-np.abs(scored.bias), kind="stable")[:EXAMPLES_PER_METRIC]
    words = texts(own.rows[largest].ravel())
    return [
        {
            "metric": "unqover.gamma",
            "config": scored.config,
            "template": own.templates[own.template[example]],
            "x1": own.subjects[own.x1[example]],
            "x2": own.subjects[own.x2[example]],
            "attribute": own.attributes[own.attribute[example]],
            "comparative_bias": float(scored.bias[example]),
            "questions": [
                {
                    "polarity": polarity,
                    "order": order,
                    **words[place * len(_QUESTIONS) + question],
                    "score_x1": float(own.scores_x1[example, question]),
                    "score_x2": float(own.scores_x2[example, question]),
                }
                for question, (polarity, order) in enumerate(_QUESTIONS)
            ],
        }
        for place, example in enumerate(largest)
    ]
