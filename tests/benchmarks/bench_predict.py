"""How fast `evenhand predict` answers, beside the plain loop that most people would write.

Both read the same questions with the same small BERT (random weights, 2 layers of 64) and the same
number of threads. The loop runs torch in padded batches in the rows' order and tokenizes by
transformers. Prints rows a second of both, their ratio and the greatest difference of a score, and
returns 1 when a score differs by more than 1e-5 or the command is not the faster one.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers
from tokenizers.processors import TemplateProcessing
from transformers import (
    AutoModelForMaskedLM,
    AutoModelForQuestionAnswering,
    BertConfig,
    PreTrainedTokenizerFast,
)

from evenhand.contract.cli import main as evenhand
from evenhand.contract.unqover import MASK

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
CONFIGS = {"religion": "question-answering", "religion_mlm": "fill-mask"}
LOADERS = {
    "question-answering": AutoModelForQuestionAnswering,
    "fill-mask": AutoModelForMaskedLM,
}
LARGEST_DIFFERENCE = 1e-5

Scores = np.ndarray[tuple[int, int], np.dtype[np.float64]]


def main() -> int:
    """Compare both tasks and return 1 when a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=5_000, help="of four questions each")
    parser.add_argument("--batch", type=int, default=32, help="rows of a batch of the loop")
    parser.add_argument("--threads", type=int, default=1, help="of both")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tokenizer = make_tokenizer(folder)
        run("generate", "unqover", "--tokenizer", tokenizer, "--limit", arguments.examples,
            *(word for config in CONFIGS for word in ("--config", config)),
            "--out", folder / "data")  # fmt: skip
        missed = [compare(folder, config, arguments) for config in CONFIGS]
    return int(any(missed))


def run(*words: object) -> None:
    """Run a command of ours in this process."""
    if evenhand([str(word) for word in words]):
        raise SystemExit(f"the command failed: {' '.join(map(str, words))}")


def make_tokenizer(folder: Path) -> Path:
    """Train a WordPiece tokenizer on the dataset's own texts, so that subjects are one piece."""
    run("generate", "unqover", "--config", "religion", "--out", folder / "texts")
    rows = pl.read_parquet(folder / "texts" / "religion" / "*.parquet")
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))  # noqa: S106 - no secret
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    texts = [*rows["context"].unique(), *rows["question"].unique()]
    tokenizer.train_from_iterator(
        sorted(texts),
        trainers.WordPieceTrainer(
            vocab_size=1500, special_tokens=list(SPECIAL), show_progress=False
        ),
    )
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    path = folder / "tokenizer.json"
    tokenizer.save(str(path))
    return path


def save_model(folder: Path, task: str) -> None:
    """Save a random BERT and its tokenizer as transformers does."""
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_file=str(folder.parent / "tokenizer.json"),
        **{f"{text[1:-1].lower()}_token": text for text in SPECIAL},
    )
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=128,
        max_position_embeddings=64,
        initializer_range=0.3,
    )
    LOADERS[task].from_config(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def compare(folder: Path, config: str, arguments: argparse.Namespace) -> bool:
    """Time the command and the loop on one config, and return whether a target is missed."""
    task = CONFIGS[config]
    saved, exported, out = folder / task, folder / f"{task}.onnx", folder / f"{config}.parquet"
    save_model(saved, task)
    run("export", saved, "--task", task, "--out", exported)
    rows = pl.read_parquet(folder / "data" / config / "*.parquet")
    began = time.perf_counter()
    run("predict", folder / "data", "--config", config, "--model", exported,
        "--threads", arguments.threads, "--out", out)  # fmt: skip
    ours = time.perf_counter() - began
    loop = ask_questions if task == "question-answering" else fill_masks
    model = LOADERS[task].from_pretrained(saved).eval()
    tokenizer = PreTrainedTokenizerFast.from_pretrained(saved)
    began = time.perf_counter()
    expected = loop(model, tokenizer, rows, arguments.batch)
    theirs = time.perf_counter() - began
    found = pl.read_parquet(out).select("score_x1", "score_x2").to_numpy()
    difference = float(np.abs(found - expected).max())
    print(
        f"{config}: {len(rows):,} rows; evenhand {len(rows) / ours:,.0f} rows/s, torch loop"
        f" {len(rows) / theirs:,.0f} rows/s, ratio {theirs / ours:.1f}; greatest difference"
        f" {difference:.1e} (load {os.getloadavg()[0]:.1f})"
    )
    return difference > LARGEST_DIFFERENCE or ours > theirs


@torch.inference_mode()
def ask_questions(model: Any, tokenizer: Any, rows: pl.DataFrame, size: int) -> Scores:
    """Return S(x1) and S(x2) of questions by a plain padded loop over torch."""
    scores = np.zeros((len(rows), 2))
    for start in range(0, len(rows), size):
        part = rows[start : start + size]
        inputs = tokenizer(
            part["question"].to_list(), part["context"].to_list(),
            padding=True, return_offsets_mapping=True, return_token_type_ids=True,
            return_tensors="pt",
        )  # fmt: skip
        offsets = inputs.pop("offset_mapping").tolist()
        found = model(**inputs)
        logits = [x.double().numpy() for x in (found.start_logits, found.end_logits)]
        for i, row in enumerate(part.iter_rows(named=True)):
            place = [k for k, owner in enumerate(inputs.sequence_ids(i)) if owner == 1]
            p_start, p_end = (softmax(values[i, place]) for values in logits)
            span = [offsets[i][k] for k in place]
            for side in (0, 1):
                a, b = tokens_of(row["context"], row[f"answer{side + 1}"], span)
                scores[start + i, side] = np.sqrt(p_start[a] * p_end[b])
    return scores


def softmax(logits: np.ndarray) -> np.ndarray:
    """Return the probabilities of one row's logits."""
    powers = np.exp(logits - logits.max())
    return powers / powers.sum()


def tokens_of(context: str, words: str, offsets: list[list[int]]) -> tuple[int, int]:
    """Return the first and the last token of the words; no subject is part of another here."""
    begin = context.index(words)
    inside = [
        k for k, (low, high) in enumerate(offsets) if low < begin + len(words) and high > begin
    ]
    return inside[0], inside[-1]


@torch.inference_mode()
def fill_masks(model: Any, tokenizer: Any, rows: pl.DataFrame, size: int) -> Scores:
    """Return S(x1) and S(x2) of masked sentences by a plain padded loop over torch."""
    scores = np.zeros((len(rows), 2))
    for start in range(0, len(rows), size):
        part = rows[start : start + size]
        texts = [text.replace(MASK, tokenizer.mask_token) for text in part["text"]]
        inputs = tokenizer(texts, padding=True, return_tensors="pt")
        place = (inputs["input_ids"] == tokenizer.mask_token_id).int().argmax(-1)
        logits = model(**inputs).logits[torch.arange(len(part)), place]
        probabilities = logits.double().softmax(-1).numpy()
        for side in (0, 1):
            ids = tokenizer.convert_tokens_to_ids(
                [word.lower() for word in part[f"answer{side + 1}"]]
            )
            scores[start : start + size, side] = probabilities[np.arange(len(part)), ids]
    return scores


if __name__ == "__main__":
    raise SystemExit(main())
