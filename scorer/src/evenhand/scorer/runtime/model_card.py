"""``model.json``: what an exported model is, so that it can be run without torch."""

from pathlib import Path
from typing import Any, Literal

import msgspec

from evenhand.contract.errors import DataRefused

MODEL_NAME = "model.onnx"
TOKENIZER_NAME = "tokenizer.json"
CHAT_NAME = "chat_template.jinja"
CARD_NAME = "model.json"

Task = Literal["question-answering", "fill-mask", "multiple-choice", "causal-lm", "seq2seq-lm"]
Precision = Literal["fp32", "fp16", "int8"]
TASKS: tuple[Task, ...] = (
    "question-answering",
    "fill-mask",
    "multiple-choice",
    "causal-lm",
    "seq2seq-lm",
)
PRECISIONS: tuple[Precision, ...] = ("fp32", "fp16", "int8")


class Token(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A special token."""

    text: str
    id: int


class Probe(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The comparison of ``model.onnx`` with the torch model, made at the export."""

    description: str
    lengths: list[int]
    """Tokens of each probe input; each ran alone and all ran padded in one batch."""
    largest_difference: float
    """Largest absolute difference of a logit."""
    largest_logit: float
    """Largest absolute logit of the torch model."""
    tolerance: float
    """The allowed difference, as a fraction of the larger of 1 and ``largest_logit``."""


class Chat(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The model's chat template, ``chat_template.jinja``."""

    sha256: str
    special_tokens: dict[str, str]
    """Special tokens that the template may name, e.g. ``bos_token``."""


class ModelCard(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """The whole of ``model.json``."""

    name: str
    """The Hub id, or the name of the local folder."""
    revision: str | None
    """The commit on the Hub; null for a local folder."""
    task: Task
    architecture: str
    """Class of the torch model, e.g. ``BertForMaskedLM``."""
    inputs: list[str]
    """``input_ids``, ``attention_mask`` [batch, length], ``token_type_ids`` where the model has
    two segments, and for fill-mask ``mask_positions`` [batch]; for seq2seq-lm also
    ``decoder_input_ids``, ``labels`` [options, longest] and ``prompt_of`` [options]; all int64.
    Those of causal-lm stand in ``export/causal_lm.py``."""
    outputs: list[str]
    """``start_logits``, ``end_logits`` [batch, length]; ``mask_logits`` [batch, vocabulary];
    ``choice_logits`` [batch]; ``label_log_probabilities`` [options, longest]; or
    ``log_probabilities`` [wanted], ``logits`` [read, vocabulary] and ``present``, the keys and
    values [layers, 2, batch, heads, kept, width]."""
    max_length: int
    """Tokens that the model can read, special tokens included."""
    vocabulary_size: int
    uses_token_types: bool
    lower_cases: bool
    """True where the tokenizer maps upper case to lower case."""
    mask: Token | None
    pad: Token | None
    cls: Token | None
    sep: Token | None
    precision: Precision
    opset: int
    model_sha256: str
    tokenizer_sha256: str
    probe: Probe
    versions: dict[str, str]
    """Packages used in the export."""
    decoder_start: int | None = None
    """What the decoder of a seq2seq model begins with."""
    chat: Chat | None = None


def read_model_card(folder: Path) -> ModelCard:
    """Read ``model.json`` of an exported model.

    Raises:
        DataRefused: there is no such folder or file, or it is not a model card.
    """
    path = folder / CARD_NAME
    if not path.is_file():
        what = "holds no model.json" if folder.is_dir() else "is not a folder"
        raise DataRefused(
            f"{folder} {what}; --model takes a folder that `evenhand export` has written."
        )
    try:
        return msgspec.json.decode(path.read_bytes(), type=ModelCard)
    except msgspec.DecodeError as error:
        raise DataRefused(
            f"{path} is not a model card ({error}); write the folder again with `evenhand export`."
        ) from error


def special_token(text: Any, ids: dict[str, int]) -> Token | None:
    """Return a special token with its id, or None where the vocabulary has no such token."""
    if not isinstance(text, str) or text not in ids:
        return None
    return Token(text=text, id=ids[text])
