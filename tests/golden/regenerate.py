"""Write the golden files again: small datasets, made-up predictions, and their metrics.

A changed golden file is a changed product: read the difference before committing it.
"""

import hashlib
import json
import shutil
import sys
import tempfile
from pathlib import Path

import polars as pl

from evenhand.contract.cli import main

FOLDER = Path(__file__).parent
DATASET = FOLDER / "unqover"
PREDICTIONS = FOLDER / "unqover_predictions.jsonl"
METRICS = FOLDER / "unqover_metrics.json"


def made_up_score(text: str) -> float:
    """Return a number in [0, 1) that depends on the text alone, with six digits."""
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16) % 1_000_000 / 1_000_000


def write_predictions() -> None:
    """Write one row of made-up scores for each question of the golden dataset."""
    rows = pl.read_parquet(DATASET / "religion" / "*.parquet")
    lines = [
        json.dumps(
            {
                "id": name,
                "score_x1": made_up_score(f"{name} 1"),
                "score_x2": made_up_score(f"{name} 2"),
            }
        )
        for name in rows["id"]
    ]
    PREDICTIONS.write_text("\n".join(lines) + "\n", encoding="utf-8")


def run(*words: object) -> None:
    """Run the command line, and stop when it refuses."""
    code = main([str(word) for word in words])
    if code:
        sys.exit(code)


if __name__ == "__main__":
    run(
        "generate", "unqover", "--config", "religion", "--limit", 20, "--version", "1.0.0",
        "--overwrite", "--out", DATASET,
    )  # fmt: skip
    run(
        "generate", "bbq", "--config", "Religion", "--limit", 15, "--version", "1.0.0",
        "--overwrite", "--out", FOLDER / "bbq",
    )  # fmt: skip
    write_predictions()
    # The side files are not kept: their digests stand in the metric JSON, under this name.
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "metrics.json"
        run("score", DATASET, "--predictions", PREDICTIONS, "--out", out)
        shutil.copy(out, METRICS)
