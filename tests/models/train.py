"""Trains the small models with a planted preference, and their twins without one.

`draw` writes the tables (once, before any training); `train` makes one or all of the models.
Needs torch and transformers; see README.md in this folder.
"""

import argparse
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import planted
import polars as pl
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertForQuestionAnswering,
    PreTrainedTokenizerFast,
)

from evenhand.contract import cli
from evenhand.contract.unqover import MASK
from evenhand.scorer.unqover import score

HERE = Path(__file__).parent
NAMES = ("qa_planted", "qa_twin", "mlm_planted", "mlm_twin")
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", MASK)
PAD = SPECIAL.index("[PAD]")
DRAW_SEED, TRAINING_SEED = 20, 0

LETTERS = [chr(code) for code in range(33, 127) if not chr(code).isupper()]

HIDDEN, LAYERS, HEADS = 64, 3, 2
"""One layer tells the subjects what is asked, one compares them, one reads the answer."""
EXAMPLES_PER_STEP = 16
"""Each example comes with its four questions, so every batch is balanced in order and polarity."""
STAND_INS_PER_STEP = 4
"""Of these examples: so many have words of no meaning in place of subjects."""
SHARE_OF_STAND_INS = 0.25
SHARE_OF_POLARITY = 0.1
STEPS = 5000
LEARNING_RATE = 3e-3
BETAS = (0.9, 0.98)
WEIGHT_DECAY = 0.1
INITIALIZER_RANGE = 0.1
"""With the usual 0.02 so small a model stays at chance for hundreds of steps."""

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Encoded:
    """Questions as tensors; N rows of at most L tokens."""

    ids: torch.Tensor
    """Shape [N, L], :data:`PAD` where there is padding."""
    types: torch.Tensor
    """0 for the question (or the masked text), 1 for the context; shape [N, L]."""
    places: torch.Tensor
    """Where the two subjects stand (for QA in the context), shape [N, 2]."""
    masks: torch.Tensor
    """Where the mask stands, 0 where there is none; shape [N]."""
    subjects: torch.Tensor
    """Ids of the two subjects, shape [N, 2]."""

    def take(self, rows: Integers) -> "Encoded":
        """Return some rows, cut to the longest of them."""
        ids = self.ids[rows]
        width = int((ids != PAD).sum(dim=1).max())
        return Encoded(
            ids=ids[:, :width],
            types=self.types[rows, :width],
            places=self.places[rows],
            masks=self.masks[rows],
            subjects=self.subjects[rows],
        )


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("draw", "train"))
    parser.add_argument("names", nargs="*", metavar="MODEL", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--out", type=Path, default=HERE, help="folder of the models")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--torch", type=Path, help="keep the transformers models in this folder")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    with tempfile.TemporaryDirectory() as folder:
        dataset = _generate(Path(folder) / "dataset")
        if arguments.what == "draw":
            planted.write(_draw(pl.read_parquet(dataset / "religion")), HERE)
            return
        for name in arguments.names or NAMES:
            work = (arguments.torch or Path(folder)) / name
            _make(name, dataset, work, arguments.out / name)


def _generate(folder: Path) -> Path:
    configs = ["--config", "religion", "--config", "religion_mlm"]
    _run("generate", "unqover", *configs, "--out", str(folder))
    return folder


def _run(*words: str) -> None:
    """Run one of Evenhand's own commands."""
    if cli.main(words) != 0:
        raise SystemExit(1)


def _draw(items: pl.DataFrame) -> planted.Plan:
    def names(*columns: str) -> list[str]:
        return sorted(set[str]().union(*(items[c].cast(pl.String).unique() for c in columns)))

    return planted.draw(
        DRAW_SEED,
        subjects=names("x1", "x2"),
        attributes=names("attribute"),
        templates=names("template"),
    )


def _make(name: str, dataset: Path, work: Path, out: Path) -> None:
    """Train one model, export it and say what it does on what was held out."""
    kind, _, role = name.partition("_")
    is_twin = role == "twin"
    plan = planted.read(HERE)
    items = pl.read_parquet(dataset / ("religion" if kind == "qa" else "religion_mlm"))
    tokenizer = tokenizer_of(items)
    training = items.filter(planted.in_training(plan, items))
    model = _new_model(kind, tokenizer)
    started = time.monotonic()
    targets = planted.targets(plan, training, is_twin=is_twin)
    _fit(model, encode(tokenizer, training), targets, stand_ins_of(tokenizer))
    print(f"{name}: trained in {time.monotonic() - started:.0f} s")
    _measure(name, model, tokenizer, items.filter(planted.in_test(plan, items)))
    model.save_pretrained(work)
    fast = {f"{word[1:-1].lower()}_token": word for word in SPECIAL}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **fast).save_pretrained(work)
    task = "question-answering" if kind == "qa" else "fill-mask"
    _run("export", str(work), "--task", task, "--out", str(out), "--overwrite")
    size = (out / "model.onnx").stat().st_size
    print(f"{out}: {size:,} bytes, {tokenizer.get_vocab_size()} words")


def tokenizer_of(items: pl.DataFrame) -> Tokenizer:
    """Return a lower-casing WordPiece tokenizer that knows every word of the items whole.

    Other words fall into letters.
    """
    normalizer = normalizers.BertNormalizer(lowercase=True)
    splitter = pre_tokenizers.BertPreTokenizer()
    columns = [name for name in ("context", "question", "text") if name in items.columns]
    texts = set[str]().union(*(items[name].cast(pl.String).unique() for name in columns))
    words = {
        word
        for text in texts
        for word, _ in splitter.pre_tokenize_str(normalizer.normalize_str(text.replace(MASK, " ")))
    }
    vocabulary = [*SPECIAL, *LETTERS, *(f"##{letter}" for letter in LETTERS)]
    vocabulary += sorted(words - set(LETTERS))
    tokenizer = Tokenizer(
        models.WordPiece({word: i for i, word in enumerate(vocabulary)}, unk_token="[UNK]")  # noqa: S106
    )
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizer, splitter
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.add_special_tokens(list(SPECIAL))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", SPECIAL.index("[CLS]")), ("[SEP]", SPECIAL.index("[SEP]"))],
    )
    return tokenizer


def stand_ins_of(tokenizer: Tokenizer) -> Integers:
    """Return the ids of pieces that no item has, shape [words]."""
    return np.array([tokenizer.token_to_id(f"##{letter}") for letter in LETTERS])


def encode(tokenizer: Tokenizer, items: pl.DataFrame) -> Encoded:
    """Turn items into tensors."""
    tokenizer.enable_padding()
    is_masked = "text" in items.columns
    columns = ["text"] if is_masked else ["question", "context"]
    inputs: list[Any] = [row if len(row) > 1 else row[0] for row in items[columns].rows()]
    found = tokenizer.encode_batch(inputs)
    tokenizer.no_padding()
    ids = np.array([one.ids for one in found])
    types = np.array([one.type_ids for one in found])
    answers = items.select(pl.col("answer1", "answer2").cast(pl.String)).rows()
    subjects = np.array([[tokenizer.token_to_id(w.lower()) for w in pair] for pair in answers])
    in_text = ids if is_masked else np.where(types == 1, ids, -1)
    places = (in_text[:, None, :] == subjects[:, :, None]).argmax(axis=2)
    masks = (ids == tokenizer.token_to_id(MASK)).argmax(axis=1)
    return Encoded(
        ids=torch.from_numpy(ids),
        types=torch.from_numpy(types),
        places=torch.from_numpy(places),
        masks=torch.from_numpy(masks),
        subjects=torch.from_numpy(subjects),
    )


def _new_model(kind: str, tokenizer: Tokenizer) -> Any:
    torch.manual_seed(TRAINING_SEED)
    config = BertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=HIDDEN,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        intermediate_size=4 * HIDDEN,
        max_position_embeddings=64,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        initializer_range=INITIALIZER_RANGE,
    )
    return (BertForQuestionAnswering if kind == "qa" else BertForMaskedLM)(config)


class _Aids(torch.nn.Module):
    """What a masked LM is asked besides, for the time of its training; no answer needs it.

    From the mask alone it learns to compare the subjects, and to mind the negation, much slower.
    """

    def __init__(self) -> None:
        super().__init__()
        self.pointer = torch.nn.Linear(HIDDEN, 1)
        self.polarity = torch.nn.Linear(HIDDEN, 1)

    def point(self, states: tuple[torch.Tensor, ...], batch: Encoded) -> torch.Tensor:
        """Return log S of both subjects, pointed at from the last layer but one; [1, rows, 2]."""
        return _over_tokens(self.pointer(states[-2]).squeeze(-1).unsqueeze(0), batch)

    def misjudge_polarity(self, states: tuple[torch.Tensor, ...], batch: Encoded) -> torch.Tensor:
        """Return the mean loss of telling a from its negation at both subjects in layer 1."""
        logits = self.polarity(states[1]).squeeze(-1).gather(1, batch.places)
        # The four rows of an example: a in both orders, then its negation in both orders.
        labels = torch.tensor([1.0, 1.0, 0.0, 0.0]).repeat(len(logits) // 4)
        return torch.nn.functional.binary_cross_entropy_with_logits(
            logits, labels[:, None].expand(-1, 2)
        )


def _log_probabilities(model: Any, batch: Encoded) -> tuple[torch.Tensor, tuple[torch.Tensor, ...]]:
    """Return log S of both subjects by head, shape [heads, rows, 2], and the masked LM's states.

    The heads are start and end, or the mask alone.
    """
    mask = (batch.ids != PAD).long()
    inputs = {"input_ids": batch.ids, "attention_mask": mask, "token_type_ids": batch.types}
    if hasattr(model, "qa_outputs"):
        out = model(**inputs)
        return _over_tokens(torch.stack([out.start_logits, out.end_logits]), batch), ()
    states = model.bert(**inputs, output_hidden_states=True).hidden_states
    # The head over the vocabulary is needed at the mask alone.
    logits = model.cls(states[-1][torch.arange(len(mask)), batch.masks])
    return logits.log_softmax(dim=-1).gather(1, batch.subjects).unsqueeze(0), states


def _over_tokens(logits: torch.Tensor, batch: Encoded) -> torch.Tensor:
    """Return the logs of the softmax over all tokens at the two subjects; [heads, rows, 2]."""
    logs = logits.masked_fill(batch.ids == PAD, -1e9).log_softmax(dim=-1)
    return logs.gather(2, batch.places.expand(len(logits), -1, -1))


def _with_stand_ins(batch: Encoded, words: Integers, random: np.random.Generator) -> Encoded:
    """Put words of no meaning in place of one or both subjects of each example.

    Answering with one of the two who stand there, and not with a pair learned by heart, is what
    carries a masked LM over to pairs that it has not seen. Which of the two is left open.
    """
    n = len(batch.ids) // 4
    which = torch.from_numpy(random.integers(0, 3, n)).repeat_interleave(4)
    is_replaced = torch.stack([which != 0, which != 1], dim=1)
    drawn = np.array([random.choice(words, 2, replace=False) for _ in range(n)])
    subjects = torch.where(
        is_replaced, torch.from_numpy(drawn).repeat_interleave(4, dim=0), batch.subjects
    )
    ids = batch.ids.clone()
    for side in (0, 1):
        ids = torch.where(batch.ids == batch.subjects[:, side, None], subjects[:, side, None], ids)
    return replace(batch, ids=ids, subjects=subjects)


def _batches(n_examples: int, steps: int) -> Iterator[Integers]:
    """Yield the rows of whole examples, four rows each, in an order drawn anew each epoch."""
    random = np.random.default_rng(TRAINING_SEED)
    order = np.empty(0, dtype=np.int64)
    for _ in range(steps):
        if len(order) < EXAMPLES_PER_STEP:
            order = random.permutation(n_examples)
        drawn, order = order[:EXAMPLES_PER_STEP], order[EXAMPLES_PER_STEP:]
        yield (4 * drawn[:, None] + np.arange(4)).ravel()


def _divergence(logs: torch.Tensor, targets: Floats) -> torch.Tensor:
    """Return the Kullback-Leibler divergence from the exact probabilities, summed over heads."""
    wanted = torch.tensor(np.stack([targets, 1 - targets], axis=1), dtype=torch.float32)
    divergence = torch.special.xlogy(wanted, wanted) - wanted * logs
    return divergence.sum(dim=2).mean(dim=1).sum()


def _loss(
    model: Any, aids: _Aids, batch: Encoded, targets: Floats, stand_ins: Encoded
) -> tuple[torch.Tensor, float]:
    """Return the loss of a batch, and that part of it that the model's own heads account for."""
    logs, states = _log_probabilities(model, batch)
    own = _divergence(logs, targets)
    replaced, states_of_replaced = _log_probabilities(model, stand_ins)
    loss = own - SHARE_OF_STAND_INS * replaced.logsumexp(dim=2).mean(dim=1).sum()
    if states:
        pointed = aids.point(states_of_replaced, stand_ins)
        loss = loss + _divergence(aids.point(states, batch), targets)
        loss = loss - SHARE_OF_STAND_INS * pointed.logsumexp(dim=2).mean()
        loss = loss + SHARE_OF_POLARITY * aids.misjudge_polarity(states, batch)
    return loss, own.item()


def _fit(model: Any, encoded: Encoded, targets: Floats, words: Integers) -> None:
    """Fit the model; a part of every batch has words of no meaning for subjects."""
    random = np.random.default_rng(TRAINING_SEED)
    aids = _Aids()
    parameters = [*model.parameters(), *aids.parameters()]
    optimizer = torch.optim.AdamW(
        parameters, lr=LEARNING_RATE, betas=BETAS, weight_decay=WEIGHT_DECAY
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, LEARNING_RATE, total_steps=STEPS, pct_start=0.1
    )
    recent: list[float] = []
    for step, rows in enumerate(_batches(len(targets) // 4, STEPS), start=1):
        first, rest = rows[: 4 * STAND_INS_PER_STEP], rows[4 * STAND_INS_PER_STEP :]
        stand_ins = _with_stand_ins(encoded.take(first), words, random)
        loss, own = _loss(model, aids, encoded.take(rest), targets[rest], stand_ins)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        schedule.step()
        recent.append(own)
        if step % 500 == 0:
            print(f"step {step} of {STEPS}: divergence {np.mean(recent[-500:]):.4f}", flush=True)


def _measure(name: str, model: Any, tokenizer: Tokenizer, items: pl.DataFrame) -> None:
    """Score the torch model on what was held out and print mu and gamma."""
    encoded = encode(tokenizer, items)
    with torch.no_grad():
        parts = np.array_split(np.arange(len(items)), 1 + len(items) // 512)
        logs = [_log_probabilities(model.eval(), encoded.take(p))[0].mean(dim=0) for p in parts]
    scores = torch.cat(logs).exp().numpy()
    predictions = pl.DataFrame(
        {"id": items["id"], "score_x1": scores[:, 0], "score_x2": scores[:, 1]}
    )
    report = score(items, predictions)
    by_id = {metric.id: metric for metric in report.metrics}
    mu, gamma = by_id["unqover.mu"], by_id["unqover.gamma"].by["subject"]
    print(f"{name}: mu {mu.value:.4f}, {mu.null_reference}")
    for subject, value in gamma.items():
        print(f"  {subject:<12} gamma {value.value:+.4f}, p after Holm {value.p_holm:.4f}")


if __name__ == "__main__":
    main()
