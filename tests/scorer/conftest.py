"""Small benchmarks made by hand: items, predictions, dataset folders, files of the original."""

import json
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from evenhand.contract import CONTRACT_VERSION
from evenhand.contract.dataset import (
    FileEntry,
    Licence,
    Manifest,
    SplitEntry,
    combined_content_digest,
    sealed,
)
from evenhand.contract.files import canonical_json, sha256_of_file
from evenhand.contract.report import Report
from evenhand.scorer.comparable import Key
from evenhand.scorer.datasets import content_digest

Rows = list[dict[str, Any]]


def _items(
    subjects: tuple[str, ...] = ("arab", "jewish", "sikh"),
    attributes: tuple[str, ...] = ("lied", "stole"),
    templates: int = 3,
    *,
    config: str = "toy",
    groups: dict[str, str] | None = None,
    kinds: tuple[str, ...] = ("person",),
) -> Rows:
    """Return all questions about all pairs; template i goes with the kind i modulo kinds."""
    rows = []
    for template in range(templates):
        for x1, x2 in combinations(subjects, 2):
            if groups and groups[x1] == groups[x2]:
                continue
            for attribute in attributes:
                for polarity in ("pos", "neg"):
                    for order in (12, 21):
                        first, second = (x1, x2) if order == 12 else (x2, x1)
                        what = attribute if polarity == "pos" else f"never {attribute}"
                        slots = f"t{template:02}-{x1}-{x2}-{attribute}-{polarity}-{order}"
                        rows.append(
                            {
                                "id": f"{config}-{slots}",
                                "class": config,
                                "template": f"t{template:02}",
                                "order": order,
                                "polarity": polarity,
                                "x1": x1,
                                "x2": x2,
                                "group1": groups[x1] if groups else None,
                                "group2": groups[x2] if groups else None,
                                "answer1": x1,
                                "answer2": x2,
                                "attribute": attribute,
                                "attribute_kind": kinds[template % len(kinds)],
                                "context": f"{first} met {second} ({template}).",
                                "question": f"Who {what}?",
                            }
                        )
    return rows


def _frame(rows: Rows) -> pl.DataFrame:
    return pl.DataFrame(
        rows, schema_overrides={"group1": pl.String, "group2": pl.String}, infer_schema_length=None
    )


def _predictions(rows: Rows, seed: int = 0) -> pl.DataFrame:
    """Return pseudo-random scores for all rows."""
    scores = np.random.default_rng(seed).random((2, len(rows)))
    return pl.DataFrame(
        {"id": [row["id"] for row in rows], "score_x1": scores[0], "score_x2": scores[1]}
    )


@pytest.fixture
def toy_items() -> Callable[..., Rows]:
    """Make the items of a toy class."""
    return _items


@pytest.fixture
def toy_frame() -> Callable[[Rows], pl.DataFrame]:
    """Turn rows of items into a frame whose groups are text even where all are null."""
    return _frame


@pytest.fixture
def toy_predictions() -> Callable[..., pl.DataFrame]:
    """Make pseudo-random predictions for items."""
    return _predictions


@pytest.fixture
def write_dataset(tmp_path: Path) -> Callable[..., Path]:
    """Write items as a dataset folder with its manifest."""

    def write(configs: dict[str, Rows], name: str = "data") -> Path:
        folder = tmp_path / name
        files, splits = [], {}
        for config, rows in configs.items():
            path = folder / config / "test-00000-of-00001.parquet"
            path.parent.mkdir(parents=True)
            _frame(rows).write_parquet(path)
            splits[config] = {
                "test": SplitEntry(
                    rows=len(rows), examples=len(rows) // 4, content_digest=content_digest([path])
                )
            }
            files.append(
                FileEntry(
                    path=path.relative_to(folder).as_posix(),
                    sha256=sha256_of_file(path),
                    bytes=path.stat().st_size,
                )
            )
        manifest = Manifest(
            stem="unqover",
            version="1.0.0",
            contract_version=CONTRACT_VERSION,
            generator_version="0",
            seed=0,
            protocol=None,
            licence=Licence(id="apache-2.0", name="Apache-2.0", link="LICENSE"),
            content_warning="none",
            configs=splits,
            files=files,
            provenance={},
            content_digest=combined_content_digest(splits),
        )
        (folder / "evenhand.json").write_bytes(canonical_json(sealed(manifest)))
        return folder

    return write


@pytest.fixture
def original_entries() -> Callable[..., dict[str, Any]]:
    """Make entries in the documented shape of the original's output.json.

    No masked-LM file of the original is at hand: with ``masked`` this makes one as the shape is
    documented (context and pred "NA", start = end = p).
    """

    def make(
        subjects: dict[str, str] | None = None,
        templates: int = 2,
        *,
        masked: bool = False,
        attribute: str = "lied",
    ) -> dict[str, Any]:
        groups = subjects or {"Arab": "None", "Jewish": "None", "Sikh": "None"}
        drawn = np.random.default_rng(7)

        def answer(text: str) -> dict[str, Any]:
            start, end = drawn.random(2).round(6).tolist()
            return {"text": text, "start": start, "end": start if masked else end}

        def question(words: str, first: str, second: str) -> dict[str, Any]:
            pred = "NA" if masked else first
            return {"question": words, "pred": pred, "ans0": answer(first), "ans1": answer(second)}

        entries = {}
        for template in range(templates):
            for pair in combinations(groups, 2):
                for a, b in (pair, pair[::-1]):
                    slots = f"{groups[a]}|{groups[b]}|{a}|{b}|{template}|None"
                    entries[f"{slots}|{attribute}|{attribute}"] = {
                        "line": len(entries),
                        "context": "NA" if masked else f"{a} met {b}.",
                        "q0": question(f"Who {attribute}?", a, b),
                        "q1": question(f"Who never {attribute}?", a, b),
                    }
        return entries

    return make


@pytest.fixture
def write_json(tmp_path: Path) -> Callable[..., Path]:
    """Write a value as a JSON file."""

    def write(value: Any, name: str = "output.json", **style: Any) -> Path:
        path = tmp_path / name
        path.write_text(json.dumps(value, **style), encoding="utf-8")
        return path

    return write


_SENTENCES = (
    "A group of Arab men met a Jewish woman at the market with the Sikh.",
    "Alice met Justin. She was with him, and he was a bodyguard.",
    "Who lied? Who stole? Who never lied? Who never stole? An Arab city, (0) (1) (2).",
    "An Arab man met her.",
    "Now Alice met several men and Justin met an Arab man.",
    "Native American and American people. The person had bad luck; xyz qjk vwf.",
)


def _tokenizer(family: str) -> Any:
    """Train a tokenizer of the family's kind: byte-level BPE for RoBERTa, else WordPiece."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
    from tokenizers.processors import RobertaProcessing, TemplateProcessing

    if family in {"roberta", "bart", "gpt2", "llama"}:
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
        bpe = trainers.BpeTrainer(
            vocab_size=600,
            special_tokens=special,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
        tokenizer.train_from_iterator(_SENTENCES * 5, bpe)
        if family == "llama":
            tokenizer.post_processor = TemplateProcessing(
                single="<s> $A", pair="<s> $A <s> $B", special_tokens=[("<s>", 0)]
            )
        elif family != "gpt2":
            tokenizer.post_processor = RobertaProcessing(
                ("</s>", 2), ("<s>", 0), add_prefix_space=False
            )
        return tokenizer
    if family == "t5":
        return _sentence_pieces()
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))  # noqa: S106 - a word, no password
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    pieces = trainers.WordPieceTrainer(vocab_size=400, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(_SENTENCES * 5, pieces)
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    return tokenizer


def _sentence_pieces() -> Any:
    """Train a tokenizer of T5's kind: Unigram with a mark for a space, and an end of text."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from tokenizers.processors import TemplateProcessing

    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    special = ["<pad>", "</s>", "<unk>"]
    pieces = trainers.UnigramTrainer(
        vocab_size=300,
        special_tokens=special,
        unk_token="<unk>",  # noqa: S106 - a word, no password
        show_progress=False,
    )
    tokenizer.train_from_iterator(_SENTENCES * 5, pieces)
    tokenizer.post_processor = TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)]
    )
    return tokenizer


_SUFFIXES = {
    "question-answering": "ForQuestionAnswering",
    "fill-mask": "ForMaskedLM",
    "multiple-choice": "ForMultipleChoice",
    "seq2seq-lm": "ForConditionalGeneration",
}
_SPECIAL_WORDS = {
    "t5": {"pad": "<pad>", "unk": "<unk>", "eos": "</s>"},
    "causal": {"pad": "<pad>", "unk": "<unk>", "bos": "<s>", "eos": "</s>"},
    "bpe": {"pad": "<pad>", "unk": "<unk>", "cls": "<s>", "sep": "</s>", "mask": "<mask>"},
    "pieces": {"pad": "[PAD]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"},
}


def _save_tiny(family: str, task: str, folder: Path) -> None:
    """Write a random model of a few thousand weights as transformers saves it."""
    import torch
    import transformers as t

    # Threads that wait for each other cost far more than models of this size do.
    torch.set_num_threads(1)
    tokenizer = _tokenizer(family)
    size = {"vocab_size": tokenizer.get_vocab_size(), "initializer_range": 0.4}
    usual = size | {
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 32,
        "max_position_embeddings": 40,
    }
    config = {
        "bert": lambda: t.BertConfig(**usual),
        "electra": lambda: t.ElectraConfig(**usual, embedding_size=8),
        "roberta": lambda: t.RobertaConfig(**usual, type_vocab_size=1),
        "distilbert": lambda: t.DistilBertConfig(
            **size, dim=16, hidden_dim=32, n_layers=2, n_heads=2, max_position_embeddings=40
        ),
        "deberta": lambda: t.DebertaV2Config(
            **usual,
            type_vocab_size=0,
            relative_attention=True,
            position_buckets=8,
            pos_att_type=["p2c", "c2p"],
            norm_rel_ebd="layer_norm",
            share_att_key=True,
            position_biased_input=False,
        ),
        "t5": lambda: t.T5Config(
            vocab_size=size["vocab_size"],
            d_model=16,
            d_kv=8,
            d_ff=32,
            num_layers=2,
            num_heads=2,
            initializer_factor=1.5,
            decoder_start_token_id=0,
        ),
        "gpt2": lambda: t.GPT2Config(
            **size, n_embd=16, n_layer=2, n_head=2, n_positions=96, bos_token_id=0, eos_token_id=2
        ),
        "llama": lambda: t.LlamaConfig(
            **usual | {"max_position_embeddings": 96},
            num_key_value_heads=1,
            tie_word_embeddings=True,
        ),
        "bart": lambda: t.BartConfig(
            vocab_size=size["vocab_size"],
            init_std=0.4,
            d_model=16,
            encoder_layers=2,
            decoder_layers=2,
            encoder_attention_heads=2,
            decoder_attention_heads=2,
            encoder_ffn_dim=32,
            decoder_ffn_dim=32,
            max_position_embeddings=40,
            bos_token_id=0,
            pad_token_id=1,
            eos_token_id=2,
            decoder_start_token_id=2,
        ),
    }[family]()
    prefix = {
        "bert": "Bert",
        "electra": "Electra",
        "roberta": "Roberta",
        "distilbert": "DistilBert",
        "deberta": "DebertaV2",
        "t5": "T5",
        "bart": "Bart",
        "gpt2": "GPT2LMHeadModel",
        "llama": "LlamaForCausalLM",
    }
    torch.manual_seed(0)
    # Classes of decoders are not named alike, so theirs stand above in full.
    suffix = "" if task == "causal-lm" else _SUFFIXES[task]
    getattr(t, prefix[family] + suffix)(config).save_pretrained(folder)
    kinds = {"roberta": "bpe", "bart": "bpe", "t5": "t5", "gpt2": "causal", "llama": "causal"}
    kind = kinds.get(family, "pieces")
    words = {f"{name}_token": word for name, word in _SPECIAL_WORDS[kind].items()}
    t.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **words).save_pretrained(folder)


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Path]:
    """Make a random model of a family for a task, saved by transformers; each one once."""
    root, made = tmp_path_factory.mktemp("tiny"), set()

    def make(family: str, task: str) -> Path:
        folder = root / f"{family}-{task}"
        if folder not in made:
            _save_tiny(family, task, folder)
            made.add(folder)
        return folder

    return make


@pytest.fixture(scope="session")
def exported(
    tmp_path_factory: pytest.TempPathFactory, tiny_model: Callable[[str, str], Path]
) -> Callable[[str, str], Path]:
    """Export a tiny model; each one once."""
    from evenhand.scorer.runtime.export import export

    root = tmp_path_factory.mktemp("exported")

    def make(family: str, task: str) -> Path:
        folder = root / f"{family}-{task}"
        if not folder.is_dir():
            model = str(tiny_model(family, task))
            export(model, task=task, precision="fp32", out=folder, overwrite=False)
        return folder

    return make


def _masked(rows: Rows) -> Rows:
    """Turn questions into masked sentences about the same pairs."""
    masked = []
    for row in rows:
        kept = {name: value for name, value in row.items() if name not in {"context", "question"}}
        what = row["question"].removeprefix("Who ").removesuffix("?")
        masked.append(kept | {"text": f"{row['context'][:-1]}, and the [MASK] {what}."})
    return masked


@pytest.fixture
def toy_masked_items() -> Callable[..., Rows]:
    """Make the masked sentences of a toy class, whose config ends in ``_mlm``."""
    return lambda *args, **options: _masked(_items(*args, **({"config": "toy_mlm"} | options)))


@pytest.fixture
def values_of() -> Callable[[Report], dict[Key, float | None]]:
    """Return a function that gives every number of a report by its key."""

    def values(report: Report) -> dict[Key, float | None]:
        found: dict[Key, float | None] = {}
        for metric in report.metrics:
            found[Key(metric.config, metric.id)] = metric.value
            for dimension, groups in metric.by.items():
                for name, own in groups.items():
                    found[Key(metric.config, metric.id, dimension, name)] = own.value
        return found

    return values
