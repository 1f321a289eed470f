"""Write the golden files again: small datasets, made-up predictions, and their metrics.

A changed golden file is a changed product: read the difference before committing it. A benchmark's
names as arguments write these alone.
"""

import hashlib
import json
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from evenhand.contract.cli import main

FOLDER = Path(__file__).parent
Row = dict[str, Any]


def made_up_score(text: str) -> float:
    """Return a number in [0, 1) that depends on the text alone, with six digits."""
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16) % 1_000_000 / 1_000_000


def scores(item: Row) -> Row:
    """Return two made-up scores of an UnQover question."""
    name = item["id"]
    return {"score_x1": made_up_score(f"{name} 1"), "score_x2": made_up_score(f"{name} 2")}


def answer(item: Row) -> Row:
    """Return an answer of BBQ, in each way in which it may be given, sometimes none."""
    name = item["id"]
    place = int(3 * made_up_score(name))
    forms: tuple[Callable[[], Row], ...] = (
        lambda: {"label": place},
        lambda: {"answer": item[f"ans{place}"]},
        lambda: {"answer": "ABC"[place]},
        lambda: {"answer": "It depends on whom you ask."},
        lambda: {"scores": [made_up_score(f"{name} {own}") for own in range(3)]},
    )
    return forms[int(len(forms) * made_up_score(f"{name} form"))]()


def probabilities(item: Row) -> Row:
    """Return the made-up probability of a class of BVF, and the rest for the other."""
    own = made_up_score(item["id"])
    return {"p": {"male": own, "female": round(1 - own, 6)}}


class Golden(NamedTuple):
    """How the files of a benchmark are made."""

    config: str
    limit: int
    row_of: Callable[[Row], Row]


GOLDEN = {
    "unqover": Golden("religion", 20, scores),
    "bbq": Golden("Religion", 15, answer),
    "bvf": Golden("gender", 3, probabilities),
}


def write_predictions(stem: str) -> None:
    """Write one made-up row for each row of the golden dataset."""
    own = GOLDEN[stem]
    items = pl.read_parquet(FOLDER / stem / own.config / "*.parquet").to_dicts()
    lines = [json.dumps({"id": item["id"], **own.row_of(item)}) for item in items]
    path = FOLDER / f"{stem}_predictions.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def write_metrics(stem: str) -> None:
    """Score them; the side files are not kept, but for their digests in the metric JSON."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "metrics.json"
        run("score", FOLDER / stem, "--predictions", FOLDER / f"{stem}_predictions.jsonl",
            "--out", out)  # fmt: skip
        shutil.copy(out, FOLDER / f"{stem}_metrics.json")


def run(*words: object) -> None:
    """Run the command line, and stop when it refuses."""
    code = main([str(word) for word in words])
    if code:
        sys.exit(code)


if __name__ == "__main__":
    for name in sys.argv[1:] or GOLDEN:
        run(
            "generate", name, "--config", GOLDEN[name].config, "--limit", GOLDEN[name].limit,
            "--version", "1.0.0", "--overwrite", "--out", FOLDER / name,
        )  # fmt: skip
        write_predictions(name)
        write_metrics(name)
