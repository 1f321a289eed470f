"""Writes ``metrics.json`` and the two files beside it."""

import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenhand.contract.files import atomic_path, canonical_json, sha256_of_file, write_atomically
from evenhand.contract.report import Report, SideFile
from evenhand.scorer.bvf.scored import Scored
from evenhand.scorer.bvf.scoring import Outcome, TextsOf
from evenhand.scorer.bvf.tables import parts_of

EXAMPLES_PER_METRIC = 200
"""So many of the texts with the strongest stereotypes go into the examples file."""


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
        for scored in outcome.scored
        for row in example_rows(scored, outcome.texts)
    ]
    with atomic_path(parts) as temporary:
        protocol = outcome.report.protocol.partition("+")[0]
        tables = [parts_of(scored, protocol) for scored in outcome.scored]
        pl.concat(tables).write_parquet(temporary)
    write_atomically(examples, "".join(f"{row}\n" for row in rows).encode())
    report = msgspec.structs.replace(
        outcome.report,
        parts=SideFile(name=parts.name, sha256=sha256_of_file(parts)),
        examples=SideFile(name=examples.name, sha256=sha256_of_file(examples)),
    )
    write_atomically(path, canonical_json(report))
    return report


def example_rows(scored: Scored, texts: TextsOf) -> list[dict[str, Any]]:
    """Return the texts with the strongest stereotypes: each subject's first before any's second."""
    places = strongest(scored)
    items = scored.items[places].to_dicts()
    words = texts([item["id"] for item in items])
    return [
        {
            "metric": "bvf.R",
            "config": scored.config,
            "id": item["id"],
            "context": item["context"],
            "subject": item["x"],
            "text": words[item["id"]],
            "weight": item["weight"],
            "risk": float(scored.j[place] / scored.sums.largest),
            "p": dict(zip(scored.classes, scored.probabilities.p[place].tolist(), strict=True)),
        }
        for item, place in zip(items, places.tolist(), strict=True)
    ]


def strongest(scored: Scored) -> NDArray[np.int64]:
    """Return the places of such rows, at most :data:`EXAMPLES_PER_METRIC`."""
    rows = np.flatnonzero(scored.is_scored)
    found = pl.DataFrame({"row": rows, "subject": scored.subject[rows], "j": scored.j[rows]})
    turn = pl.col("j").rank("ordinal", descending=True).over("subject")
    ranked = found.with_columns(turn=turn).sort("turn", "j", "row", descending=[False, True, False])
    return ranked["row"].head(EXAMPLES_PER_METRIC).to_numpy()
