"""A model as transformers loads it from a folder or from the Hub."""

import contextlib
import json
import logging
import re
import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import torch
import transformers
from tokenizers import Tokenizer
from transformers import AutoTokenizer

from evenhand.contract.errors import DataRefused, WrongUse
from evenhand.scorer.runtime.model_card import TOKENIZER_NAME, Task, Token, special_token
from evenhand.scorer.runtime.probe import Vocabulary

_LARGEST_WEIGHTS = 2_000_000_000
"""Above 2 GB (protobuf's limit) ONNX spreads the weights over files that no digest covers."""
_HUB_ID = re.compile(r"[\w.-]+(/[\w.-]+)?")
_VOCABULARIES = ("vocab.txt", "vocab.json", "spiece.model", "sentencepiece.bpe.model")
"""Files that tokenizers of older models are made from."""

Result = TypeVar("Result")


class Source(NamedTuple):
    """A model as transformers loaded it, and what the card says of it."""

    name: str
    revision: str | None
    model: Any
    tokenizer: Tokenizer
    mask: Token | None
    pad: Token | None
    cls: Token | None
    sep: Token | None
    chat_template: str | None
    special_tokens: dict[str, str]
    """Name in a chat template -> text."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary that random inputs are drawn from."""
        special = (self.pad, self.cls, self.sep)
        return Vocabulary(
            self.model.config.vocab_size, *(token.id if token else None for token in special)
        )

    @property
    def max_length(self) -> int:
        """The number of tokens that the model's position embeddings allow."""
        positions = int(getattr(self.model.config, "max_position_embeddings", 512))
        embeddings = getattr(self.model.base_model, "embeddings", None)
        table = getattr(embeddings, "position_embeddings", None)
        # RoBERTa and its kin count positions from the pad token on, the table's padding_idx.
        padding = getattr(table, "padding_idx", None)
        if padding is not None:
            positions -= int(padding) + 1
        return min(positions, self._window or positions)

    @property
    def _window(self) -> int | None:
        """How far a token looks back in local attention."""
        config = self.model.config
        window: int | None = getattr(config, "sliding_window", None)
        return window if getattr(config, "use_sliding_window", True) else None


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Silence the log output of torch and transformers."""
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(logging.NOTSET)


def load(model: str, task: Task, loader: Any) -> Source:
    """Load a local folder, without the network, or a Hub id.

    Args:
        model: the folder or the id; a folder of GGUF weights holds one ``.gguf`` file.
        task: for the sentence of an error.
        loader: the Auto class of transformers for the task.

    Raises:
        DataRefused: it cannot be loaded from safetensors alone, has no weights for the task, its
            tokenizer is of another model, or it is too large for one file.
    """
    folder = Path(model)
    is_local = folder.is_dir()
    if not is_local and not _HUB_ID.fullmatch(model):
        raise DataRefused(f"{model} is neither a folder nor the id of a model on the Hub.")
    gguf = _gguf(folder)
    options = {"local_files_only": is_local, "trust_remote_code": False} | gguf
    weights = {} if gguf else {"use_safetensors": True}
    loaded, report = _call(
        model,
        f"as a {task} model with {'safetensors' if weights else 'GGUF'} weights",
        lambda: loader.from_pretrained(
            model,
            attn_implementation="eager",
            dtype=torch.float32,
            output_loading_info=True,
            **weights,
            **options,
        ),
    )
    if report["missing_keys"]:
        first = min(report["missing_keys"])
        raise DataRefused(
            f"{model} has no weights for {first}, so it was not trained for {task};"
            " choose the --task that it was trained for."
        )
    described = _call(
        model, "with its tokenizer", lambda: AutoTokenizer.from_pretrained(model, **options)
    )
    tokenizer = _call(
        model, "with a fast tokenizer", lambda: _fast_tokenizer(model, described, options)
    )
    if gguf:
        tokenizer = _without_foreign(tokenizer, int(loaded.config.vocab_size))
    local_name = Path(gguf.get("gguf_file", "")).stem or folder.resolve().name
    source = _source(local_name if is_local else model, loaded, described, tokenizer)
    _refuse_unfit(source)
    return source


def _gguf(folder: Path) -> dict[str, str]:
    """Return the arguments that name the one GGUF file of a folder without safetensors.

    Its weights are unpacked to fp32, and its tokenizer is the one in the file.
    """
    paths = sorted(folder.glob("*.gguf")) if not list(folder.glob("*.safetensors")) else []
    if not paths:
        return {}
    if len(paths) > 1:
        raise DataRefused(
            f"{folder} holds {len(paths)} GGUF files ({', '.join(path.name for path in paths)});"
            " put the one that is wanted into a folder of its own."
        )
    for name in ("gguf", "accelerate"):
        if find_spec(name) is None:
            raise WrongUse(
                f"{paths[0]} needs the package {name}, which is not installed: pip install"
                " 'evenhand-scorer[export,gguf]'."
            )
    return {"gguf_file": paths[0].name}


def _call(model: str, what: str, load: Callable[[], Result]) -> Result:
    """Run a loader of transformers and turn whatever it raises into one sentence."""
    try:
        return load()
    except Exception as error:
        reason = " ".join(str(error).split())[:300].rstrip(".")
        raise DataRefused(f"{model} cannot be loaded {what}: {reason}.") from error


def _fast_tokenizer(model: str, described: Any, options: dict[str, Any]) -> Tokenizer:
    """Return the model's ``tokenizer.json`` where there is one, without padding and truncation.

    The file is taken as it is, because transformers rebuilds the tokenizers of some families.
    """
    path = _find_file(model, TOKENIZER_NAME, options)
    if path is None:
        # Without any file transformers makes a tokenizer that knows the special tokens alone.
        known = "gguf_file" in options or any(_find_file(model, n, options) for n in _VOCABULARIES)
        if not known:
            raise FileNotFoundError("it has neither tokenizer.json nor a vocabulary file")
        tokenizer = Tokenizer.from_str(described.backend_tokenizer.to_str())
    else:
        tokenizer = Tokenizer.from_file(path)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _without_foreign(tokenizer: Tokenizer, n_words: int) -> Tokenizer:
    """Leave out special tokens that the model has no row for.

    To a GGUF tokenizer without ``<|endoftext|>`` transformers adds one, after the last row.
    """
    described = json.loads(tokenizer.to_str())
    known_tokens = [token for token in described["added_tokens"] if token["id"] < n_words]
    return Tokenizer.from_str(json.dumps(described | {"added_tokens": known_tokens}))


def _find_file(model: str, name: str, options: dict[str, Any]) -> str | None:
    """Return where a file of the model lies, or None where the model has no such file."""
    path: str | None = transformers.utils.cached_file(
        model,
        name,
        local_files_only=options["local_files_only"],
        _raise_exceptions_for_missing_entries=False,
    )
    return path


def _source(name: str, model: Any, described: Any, tokenizer: Tokenizer) -> Source:
    ids = tokenizer.get_vocab(with_added_tokens=True)
    return Source(
        name=name,
        revision=getattr(model.config, "_commit_hash", None),
        model=model.eval(),
        tokenizer=tokenizer,
        mask=special_token(described.mask_token, ids),
        pad=special_token(described.pad_token, ids),
        cls=special_token(described.cls_token, ids),
        sep=special_token(described.sep_token, ids),
        chat_template=_chat_template(described),
        special_tokens={
            name: text
            for name, text in described.special_tokens_map.items()
            if isinstance(text, str)
        },
    )


def _chat_template(described: Any) -> str | None:
    """Return the default template."""
    templates = getattr(described, "chat_template", None)
    template: str | None = templates.get("default") if isinstance(templates, dict) else templates
    return template


def _refuse_unfit(source: Source) -> None:
    """Refuse a model that would export but could not be run, whatever the task."""
    largest_id = max(source.tokenizer.get_vocab(with_added_tokens=True).values())
    n_words = int(source.model.config.vocab_size)
    if largest_id >= n_words:
        raise DataRefused(
            f"The tokenizer of {source.name} has the id {largest_id}, but the model has only"
            f" {n_words} words; they do not belong together."
        )
    if sum(weights.nbytes for weights in source.model.parameters()) > _LARGEST_WEIGHTS:
        raise DataRefused(f"{source.name} is larger than 2 GB, which one ONNX file cannot hold.")
