"""Trains the multiple-choice model with planted preferences, and its twin without any.

`draw` writes the tables and the held-out items (once, before any training); `train` makes one or
both of the models. Needs torch and transformers; see README.md in this folder.
"""

import argparse
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import planted
import polars as pl
import scenes
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertForMultipleChoice, PreTrainedTokenizerFast

from evenhand.contract import cli
from evenhand.contract.files import atomic_path

HERE = Path(__file__).parent
NAMES = ("mc_planted", "mc_twin")
ITEMS = "items.parquet"
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
PAD, CLS, SEP = (SPECIAL.index(name) for name in ("[PAD]", "[CLS]", "[SEP]"))
DRAW_SEED, ITEMS_SEED, TRAINING_SEED = 30, 0, 0
LETTERS = [chr(code) for code in range(33, 127) if not chr(code).isupper()]

HIDDEN, LAYERS, HEADS = 64, 4, 2
SCENES_PER_STEP = 8
"""Each comes as four rows of three options: both polarities, with and without the evidence."""
SHARE_OF_AIDS = 0.3
STEPS = 3000
LEARNING_RATE = 2e-3
BETAS = (0.9, 0.98)
WEIGHT_DECAY = 0.1
INITIALIZER_RANGE = 0.1
"""With the usual 0.02 so small a model stays at chance for hundreds of steps."""
POSITION_BASE, POSITION_SCALE = 30.0, 0.5

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


class Row(NamedTuple):
    """A question with its three answers: the target, the other person, UNKNOWN."""

    context: str
    question: str
    answers: tuple[str, str, str]
    logits: list[float]
    """What is planted, in the answers' order."""
    target_is_stereotyped: bool
    stereotyped_worse: bool | None
    """Whether the stereotyped person did the worse thing; None where it is not said."""


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
    if arguments.what == "draw":
        planted.write(planted.draw(DRAW_SEED), HERE)
        write_held_out(planted.read(HERE))
        return
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.names or NAMES:
            _make(name, (arguments.torch or Path(folder)) / name, arguments.out / name)


def write_held_out(plan: planted.Plan) -> None:
    """Write the items that no model is trained on: neither their pairs nor their settings."""
    rows = []
    for category in scenes.CATEGORIES:
        wanted = list(scenes.scenes(category, plan.pairs[category], plan.settings))
        rows += scenes.rows_of(scenes.items(category, wanted, ITEMS_SEED))
    with atomic_path(HERE / ITEMS) as path:
        kinds = {"why_no_target": pl.String}
        pl.DataFrame(rows, schema_overrides=kinds).write_parquet(path, compression="zstd")


def _make(name: str, work: Path, out: Path) -> None:
    """Train one model, export it and say how often it does on held-out rows what was planted."""
    plan = planted.read(HERE)
    tokenizer = tokenizer_of()
    torch.manual_seed(TRAINING_SEED)
    model = _new_model(tokenizer)
    started = time.monotonic()
    teacher = Teacher(plan, is_twin=name.endswith("twin"))
    _fit(model, tokenizer, teacher)
    print(f"{name}: trained in {time.monotonic() - started:.0f} s")
    _measure(name, model, tokenizer, teacher)
    model.save_pretrained(work)
    fast = {f"{word[1:-1].lower()}_token": word for word in SPECIAL}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **fast).save_pretrained(work)
    if cli.main(["export", str(work), "--task", "multiple-choice", "--out", str(out),
                 "--overwrite"]) != 0:  # fmt: skip
        raise SystemExit(1)
    size = (out / "model.onnx").stat().st_size
    print(f"{out}: {size:,} bytes, {tokenizer.get_vocab_size()} words")


def _new_model(tokenizer: Tokenizer) -> BertForMultipleChoice:
    """Return an untrained model whose positions begin as waves of all lengths.

    From random positions a model this small does not find a word's neighbours, and so not who did
    what, in thousands of steps.
    """
    model = BertForMultipleChoice(_config(tokenizer))
    table = model.bert.embeddings.position_embeddings.weight
    angles = torch.arange(len(table))[:, None] / POSITION_BASE ** torch.linspace(0, 1, HIDDEN // 2)
    with torch.no_grad():
        table.copy_(POSITION_SCALE * torch.cat([angles.sin(), angles.cos()], dim=1))
    return model


def _config(tokenizer: Tokenizer) -> BertConfig:
    return BertConfig(
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


class Teacher:
    """Turns scenes into rows with the logits that are planted."""

    def __init__(self, plan: planted.Plan, *, is_twin: bool) -> None:
        self.plan = plan
        self._is_twin = is_twin
        self._leans = {category: plan.all_leans(category) for category in scenes.CATEGORIES}

    def rows(self, scene: scenes.Scene, random: np.random.Generator) -> list[Row]:
        """Return the four rows of a scene, in the order of ``scenes.items``."""
        worse_first = bool(random.integers(2))
        return [
            self._row(scene, is_negative, is_decided, worse_first, random)
            for is_negative in (True, False)
            for is_decided in (False, True)
        ]

    def _row(
        self,
        scene: scenes.Scene,
        is_negative: bool,
        is_decided: bool,
        worse_first: bool,
        random: np.random.Generator,
    ) -> Row:
        own = scene.category
        people = [f"The {person}" for person in (scene.stereotyped, scene.other)]
        target, other = people if is_negative else people[::-1]
        wording = scenes.UNKNOWN_WORDINGS[int(random.integers(len(scenes.UNKNOWN_WORDINGS)))]
        lean = np.array([self.plan.lean(scene, is_negative=is_negative)])
        condition = "disambig" if is_decided else "ambig"
        return Row(
            scenes.context_of(scene, is_decided=is_decided, worse_first=worse_first),
            f"Who {scenes.CATEGORIES[own].questions[scene.question][not is_negative]}?",
            (target, other, wording),
            planted.logits(
                float(planted.quantiles(self._leans[own], lean)[0]),
                self.plan.strength(own, condition, is_twin=self._is_twin),
                # Worse and negative, or better and non-negative: the target did what is asked.
                target_is_right=scene.stereotyped_worse if is_decided else None,
            ),
            is_negative,
            scene.stereotyped_worse if is_decided else None,
        )

    def training_scenes(self) -> list[scenes.Scene]:
        """Return all scenes whose pair and setting are not held out."""
        settings = [i for i in range(len(scenes.SETTINGS)) if i not in self.plan.settings]
        found = []
        for category, own in scenes.CATEGORIES.items():
            pairs = [(one, two) for one in own.stereotyped for two in own.other]
            kept = [pair for pair in pairs if pair not in self.plan.pairs[category]]
            found += scenes.scenes(category, kept, settings)
        return found

    def held_out_scenes(self) -> list[scenes.Scene]:
        """Return all scenes whose pair and setting are both held out."""
        return [
            scene
            for category in scenes.CATEGORIES
            for scene in scenes.scenes(category, self.plan.pairs[category], self.plan.settings)
        ]


class Encoded(NamedTuple):
    """Rows of three options as the model reads them, one sequence an option."""

    ids: torch.Tensor
    """Shape [3 rows, length]."""
    types: torch.Tensor
    mask: torch.Tensor
    told: torch.Tensor
    """Sequences whose answer is a person and whose text says who did what, shape [T]."""
    places: torch.Tensor
    """Where the text says what that person did, shape [T]."""
    worse: torch.Tensor
    """1 where that person did the worse thing, and 1 where the stereotyped one did; [T, 2]."""


def encode(tokenizer: Tokenizer, rows: Sequence[Row]) -> Encoded:
    """Turn rows into tensors."""
    tokenizer.enable_padding(pad_id=PAD, pad_token="[PAD]")  # noqa: S106
    found = tokenizer.encode_batch(
        [(row.context, f"{row.question} {answer}") for row in rows for answer in row.answers]
    )
    tokenizer.no_padding()
    ids, types, mask = (
        torch.tensor([getattr(one, name) for one in found])
        for name in ("ids", "type_ids", "attention_mask")
    )
    told = [
        (3 * place + option, row.answers[option].split()[1].lower(), *_worse(row, option))
        for place, row in enumerate(rows)
        if row.stereotyped_worse is not None
        for option in (0, 1)
    ]
    which = torch.tensor([sequence for sequence, *_ in told], dtype=torch.long)
    people = torch.tensor([tokenizer.token_to_id(word) for _, word, *_ in told], dtype=torch.long)
    # The setting names a person first, so the last mention of the text is the clause's.
    is_mention = (ids[which] == people[:, None]) & (types[which] == 0)
    places = (is_mention * torch.arange(ids.shape[1])).argmax(dim=1)
    worse = torch.tensor([own for _, _, *own in told], dtype=torch.float32)
    return Encoded(ids, types, mask, which, places, worse)


def _worse(row: Row, option: int) -> tuple[bool, bool]:
    """Return whether the person of an option, and whether the stereotyped one, was worse."""
    is_stereotyped = row.target_is_stereotyped == (option == 0)
    was_worse = bool(row.stereotyped_worse)
    return was_worse == is_stereotyped, was_worse


def tokenizer_of() -> Tokenizer:
    """Return a lower-casing WordPiece tokenizer that knows every word of the scenes whole.

    Other words fall into letters.
    """
    normalizer = normalizers.BertNormalizer(lowercase=True)
    splitter = pre_tokenizers.BertPreTokenizer()
    texts = [*scenes.SETTINGS, *scenes.UNKNOWN_WORDINGS, "Who the while"]
    for own in scenes.CATEGORIES.values():
        texts += [*own.stereotyped, *own.other, *(text for both in own.questions for text in both)]
    words = {
        word
        for text in texts
        for word, _ in splitter.pre_tokenize_str(normalizer.normalize_str(text))
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
        special_tokens=[("[CLS]", CLS), ("[SEP]", SEP)],
    )
    return tokenizer


class _Aids(torch.nn.Module):
    """What a model is asked besides, for the time of its training; no answer needs it.

    From its answers alone a model learns slowly to find in the text who did what.
    """

    def __init__(self) -> None:
        super().__init__()
        self.heads = torch.nn.ModuleList(torch.nn.Linear(HIDDEN, 1) for _ in range(3))

    def misjudge(self, states: tuple[torch.Tensor, ...], batch: Encoded) -> torch.Tensor:
        """Return the mean loss of telling who did the worse thing.

        In layer 1 each person tells of himself, in layer 2 of the stereotyped person, and in layer
        3 the first token does, from which the answer's logit is read in the end.
        """
        own, stereotyped = batch.worse.T
        seen = (
            (states[1][batch.told, batch.places], own),
            (states[2][batch.told, batch.places], stereotyped),
            (states[3][batch.told, 0], stereotyped),
        )
        return torch.stack(
            [
                torch.nn.functional.binary_cross_entropy_with_logits(head(state).squeeze(1), is_so)
                for head, (state, is_so) in zip(self.heads, seen, strict=True)
            ]
        ).sum()


def _run(
    model: BertForMultipleChoice, batch: Encoded
) -> tuple[torch.Tensor, tuple[torch.Tensor, ...]]:
    """Return the logits, shape [rows, 3], and the states of all layers."""
    ids, types, mask = (given.reshape(-1, 3, given.shape[1]) for given in batch[:3])
    out = model(input_ids=ids, token_type_ids=types, attention_mask=mask, output_hidden_states=True)
    return out.logits, out.hidden_states


def _batches(wanted: list[scenes.Scene], steps: int) -> Iterator[list[scenes.Scene]]:
    """Yield scenes in an order drawn anew each epoch."""
    random = np.random.default_rng(TRAINING_SEED)
    order = np.empty(0, dtype=np.int64)
    for _ in range(steps):
        if len(order) < SCENES_PER_STEP:
            order = random.permutation(len(wanted))
        drawn, order = order[:SCENES_PER_STEP], order[SCENES_PER_STEP:]
        yield [wanted[int(i)] for i in drawn]


def _divergence(found: torch.Tensor, rows: Sequence[Row]) -> torch.Tensor:
    """Return the mean Kullback-Leibler divergence from the planted probabilities."""
    wanted = torch.tensor([row.logits for row in rows], dtype=torch.float32).log_softmax(dim=1)
    return (wanted.exp() * (wanted - found.log_softmax(dim=1))).sum(dim=1).mean()


def _fit(model: BertForMultipleChoice, tokenizer: Tokenizer, teacher: Teacher) -> None:
    random = np.random.default_rng(TRAINING_SEED)
    aids = _Aids()
    parameters = [*model.parameters(), *aids.parameters()]
    optimizer = torch.optim.AdamW(
        parameters, lr=LEARNING_RATE, betas=BETAS, weight_decay=WEIGHT_DECAY
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, LEARNING_RATE, total_steps=STEPS, pct_start=0.1
    )
    recent: list[list[float]] = []
    for step, batch in enumerate(_batches(teacher.training_scenes(), STEPS), start=1):
        rows = [row for scene in batch for row in teacher.rows(scene, random)]
        # Apart, because rows with the evidence are nearly twice as long.
        untold, told = rows[::2], rows[1::2]
        encoded = encode(tokenizer, told)
        logits, states = _run(model, encoded)
        losses = [
            _divergence(_run(model, encode(tokenizer, untold))[0], untold),
            _divergence(logits, told),
            aids.misjudge(states, encoded),
        ]
        loss = (losses[0] + losses[1]) / 2 + SHARE_OF_AIDS * losses[2]
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        schedule.step()
        recent.append([part.item() for part in losses])
        if step % 250 == 0:
            means = np.mean(recent[-250:], axis=0).round(4).tolist()
            print(f"step {step} of {STEPS}: without evidence, with it, aids {means}", flush=True)


def _measure(
    name: str, model: BertForMultipleChoice, tokenizer: Tokenizer, teacher: Teacher
) -> None:
    """Print by category and condition how often target and other person were answered."""
    random = np.random.default_rng(ITEMS_SEED)
    wanted = teacher.held_out_scenes()
    rows = [row for scene in wanted for row in teacher.rows(scene, random)]
    model.eval()
    with torch.no_grad():
        parts = [rows[i : i + 128] for i in range(0, len(rows), 128)]
        logits = [_run(model, encode(tokenizer, part))[0] for part in parts]
        found = torch.cat(logits).argmax(dim=1).numpy()
    planned = np.array([row.logits for row in rows]).argmax(axis=1)
    category = np.repeat([scene.category for scene in wanted], 4)
    is_decided = np.tile([False, True, False, True], len(wanted))
    for own in scenes.CATEGORIES:
        for condition, is_own in (("ambig", ~is_decided), ("disambig", is_decided)):
            kept = (category == own) & is_own
            shares = [
                f"{np.mean(answers[kept] == 0) - np.mean(answers[kept] == 1):+.3f}"
                for answers in (planned, found)
            ]
            agreement = np.mean(planned[kept] == found[kept])
            print(f"{name} {own} {condition}: planted, found {shares}, same {agreement:.3f}")


if __name__ == "__main__":
    main()
