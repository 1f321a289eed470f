"""Turns a transformers model into ONNX and checks it against torch.

This is the only file of Evenhand that imports torch and transformers.
"""

import contextlib
import inspect
import logging
import re
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import torch
import transformers
from numpy.typing import NDArray
from tokenizers import Tokenizer
from transformers import AutoModelForMaskedLM, AutoModelForQuestionAnswering, AutoTokenizer

from evenhand.contract.errors import DataRefused, WrongUse
from evenhand.contract.files import atomic_folder, canonical_json, sha256_of_file
from evenhand.scorer.runtime.model_card import (
    CARD_NAME,
    MODEL_NAME,
    TOKENIZER_NAME,
    ModelCard,
    Precision,
    Probe,
    Task,
    Token,
    special_token,
)
from evenhand.scorer.runtime.precision import to_precision
from evenhand.scorer.runtime.probe import (
    PROBE_LENGTHS,
    PROBE_SEED,
    Arrays,
    Vocabulary,
    probe_batch,
)

OPSET = 17
TOLERANCE: dict[Precision, float] = {"fp32": 1e-4, "fp16": 2e-2, "int8": 2.5e-1}
"""Allowed difference of a logit, as a share of the greater of 1 and the greatest logit."""

_LARGEST_WEIGHTS = 2_000_000_000
"""Above 2 GB (protobuf's limit) ONNX spreads the weights over files that no digest covers."""
_HUB_ID = re.compile(r"[\w.-]+(/[\w.-]+)?")
_LOADERS = {
    "question-answering": AutoModelForQuestionAnswering,
    "fill-mask": AutoModelForMaskedLM,
}
_OUTPUTS = {
    "question-answering": ["start_logits", "end_logits"],
    "fill-mask": ["mask_logits"],
}

_VOCABULARIES = ("vocab.txt", "vocab.json", "spiece.model", "sentencepiece.bpe.model")
"""Files that tokenizers of older models are made from."""

Result = TypeVar("Result")


class _Source(NamedTuple):
    """A model as transformers loaded it, and what the card says of it."""

    name: str
    revision: str | None
    model: torch.nn.Module
    tokenizer: Tokenizer
    mask: Token | None
    pad: Token | None
    cls: Token | None
    sep: Token | None


def export(
    model: str, *, task: Task, precision: Precision, out: Path, overwrite: bool
) -> ModelCard:
    """Write ``model.onnx``, ``tokenizer.json`` and ``model.json`` into the folder ``out``.

    ``model`` is a local folder (no network is touched) or a Hub id. Weights come from
    safetensors only, and code from the Hub is never run.

    Raises:
        WrongUse: ``out`` is the model's own folder, or one around it.
        DataRefused: the model cannot be loaded, is of another task, or the exported model differs
            from torch by more than the tolerance.
    """
    own = Path(model).resolve()
    if out.resolve() in {own, *own.parents}:
        raise WrongUse(f"--out {out} would replace the model itself; choose another folder.")
    with atomic_folder(out, overwrite=overwrite) as folder, _silence():
        source = _load(model, task)
        _refuse_unfit(source, task)
        graph = _graph_of(source.model, task)
        names = _input_names(source.model, task)
        _write_onnx(graph, names, task, folder / MODEL_NAME)
        to_precision(folder / MODEL_NAME, precision)
        source.tokenizer.save(str(folder / TOKENIZER_NAME))
        card = _card(source, task, precision, names, folder)
        (folder / CARD_NAME).write_bytes(canonical_json(card))
    return card


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Keep what torch and transformers say about their own workings off the screen."""
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(logging.NOTSET)


def _load(model: str, task: Task) -> _Source:
    folder = Path(model)
    is_local = folder.is_dir()
    if not is_local and not _HUB_ID.fullmatch(model):
        raise DataRefused(f"{model} is neither a folder nor the id of a model on the Hub.")
    options = {"local_files_only": is_local, "trust_remote_code": False}
    loaded, report = _call(
        model,
        f"as a {task} model with safetensors weights",
        lambda: _LOADERS[task].from_pretrained(
            model,
            use_safetensors=True,
            attn_implementation="eager",
            dtype=torch.float32,
            output_loading_info=True,
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
    return _source(folder.resolve().name if is_local else model, loaded, described, tokenizer)


def _call(model: str, what: str, load: Callable[[], Result]) -> Result:
    """Run a loader of transformers and turn whatever it raises into one sentence."""
    try:
        return load()
    except Exception as error:
        reason = " ".join(str(error).split())[:300].rstrip(".")
        raise DataRefused(f"{model} cannot be loaded {what}: {reason}.") from error


def _fast_tokenizer(model: str, described: Any, options: dict[str, Any]) -> Tokenizer:
    """Return the model's own ``tokenizer.json`` where there is one, unpadded and untruncated.

    The file is taken as it is, because transformers rebuilds the tokenizers of some families.
    """
    path = _file_of(model, TOKENIZER_NAME, options)
    if path is None:
        # Of nothing at all transformers makes a tokenizer that knows the special tokens alone.
        if not any(_file_of(model, name, options) for name in _VOCABULARIES):
            raise FileNotFoundError("it has neither tokenizer.json nor a vocabulary file")
        tokenizer = Tokenizer.from_str(described.backend_tokenizer.to_str())
    else:
        tokenizer = Tokenizer.from_file(path)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _file_of(model: str, name: str, options: dict[str, Any]) -> str | None:
    """Return where a file of the model lies, or None where the model has no such file."""
    path: str | None = transformers.utils.cached_file(
        model,
        name,
        local_files_only=options["local_files_only"],
        _raise_exceptions_for_missing_entries=False,
    )
    return path


def _source(name: str, model: Any, described: Any, tokenizer: Tokenizer) -> _Source:
    ids = tokenizer.get_vocab(with_added_tokens=True)
    return _Source(
        name=name,
        revision=getattr(model.config, "_commit_hash", None),
        model=model.eval(),
        tokenizer=tokenizer,
        mask=special_token(described.mask_token, ids),
        pad=special_token(described.pad_token, ids),
        cls=special_token(described.cls_token, ids),
        sep=special_token(described.sep_token, ids),
    )


def _refuse_unfit(source: _Source, task: Task) -> None:
    """Refuse what would export and could then not be run."""
    largest_id = max(source.tokenizer.get_vocab(with_added_tokens=True).values())
    n_words = int(source.model.config.vocab_size)
    if largest_id >= n_words:
        raise DataRefused(
            f"The tokenizer of {source.name} has the id {largest_id}, but the model has only"
            f" {n_words} words; they do not belong together."
        )
    if task == "fill-mask" and source.mask is None:
        raise DataRefused(f"The tokenizer of {source.name} has no mask token; fill-mask needs one.")
    if sum(weights.nbytes for weights in source.model.parameters()) > _LARGEST_WEIGHTS:
        raise DataRefused(f"{source.name} is larger than 2 GB, which one ONNX file cannot hold.")


class _SpanLogits(torch.nn.Module):  # type: ignore[misc]
    """The two logits of each token."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, *inputs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return start and end logits, both [batch, length]."""
        found = self.model(**dict(zip(_input_names(self.model, None), inputs, strict=True)))
        return found.start_logits, found.end_logits


class _MaskLogits(torch.nn.Module):  # type: ignore[misc]
    """The logits of the vocabulary at one position of each row.

    The head over the vocabulary is the dearest layer of a small model, so the position is taken
    before it.
    """

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        """Return the logits at the last input's positions, [batch, vocabulary]."""
        *usual, positions = inputs

        def keep_positions(_module: Any, _inputs: Any, output: Any) -> Any:
            hidden = output.last_hidden_state
            index = positions.reshape(-1, 1, 1).expand(-1, 1, hidden.shape[-1])
            output.last_hidden_state = hidden.gather(1, index)
            return output

        hook = self.model.base_model.register_forward_hook(keep_positions)
        try:
            named = dict(zip(_input_names(self.model, None), usual, strict=True))
            logits: torch.Tensor = self.model(**named).logits
        finally:
            hook.remove()
        return logits.squeeze(1)


def _graph_of(model: torch.nn.Module, task: Task) -> torch.nn.Module:
    graph = _SpanLogits(model) if task == "question-answering" else _MaskLogits(model)
    # The exporter puts the modes back as it found them, and a new module is in training mode.
    return graph.eval()


def _input_names(model: Any, task: Task | None) -> list[str]:
    """Return the graph's inputs in order; without a task those of the torch model alone."""
    names = ["input_ids", "attention_mask"]
    takes_types = "token_type_ids" in inspect.signature(model.forward).parameters
    if takes_types and getattr(model.config, "type_vocab_size", 0) > 1:
        names.append("token_type_ids")
    return [*names, "mask_positions"] if task == "fill-mask" else names


def _write_onnx(graph: torch.nn.Module, names: list[str], task: Task, path: Path) -> None:
    example = probe_batch([7, 5], names, Vocabulary(5, None, None, None))
    grid = {0: "batch", 1: "length"}
    axes = {name: {0: "batch"} if name == "mask_positions" else grid for name in names}
    vectors = _OUTPUTS[task]
    axes |= {name: {0: "batch"} if name == "mask_logits" else grid for name in vectors}
    # The older exporter takes a second; the newer one takes ten and refuses length 1.
    torch.onnx.export(
        graph,
        tuple(torch.from_numpy(example[name]) for name in names),
        str(path),
        input_names=names,
        output_names=vectors,
        dynamic_axes=axes,
        opset_version=OPSET,
        dynamo=False,
    )


def _probe(
    source: _Source, task: Task, precision: Precision, names: list[str], path: Path
) -> Probe:
    """Compare the file with torch on rows alone and padded together, or refuse."""
    from evenhand.scorer.runtime.session import open_session

    vocabulary = Vocabulary(
        source.model.config.vocab_size,
        *(None if token is None else token.id for token in (source.pad, source.cls, source.sep)),
    )
    lengths = sorted({min(n, _max_length(source.model)) for n in PROBE_LENGTHS})
    session = open_session(path, device="cpu")
    difference = largest = 0.0
    for batch in [[length] for length in lengths] + [lengths]:
        arrays = probe_batch(batch, names, vocabulary)
        for ours, theirs in zip(
            session.run(arrays), _torch_logits(source.model, task, arrays), strict=True
        ):
            is_real = arrays["attention_mask"] == 1 if task == "question-answering" else ...
            gaps = np.abs(ours - theirs)[is_real]
            # NaN is greater than nothing, so by itself it would pass.
            difference = max(difference, float(np.nan_to_num(gaps, nan=np.inf).max()))
            largest = max(largest, float(np.abs(theirs[is_real]).max()))
    if difference > TOLERANCE[precision] * max(1.0, largest):
        raise DataRefused(
            f"The exported {source.name} differs from torch by {difference:.2g} in a logit (the"
            f" greatest is {largest:.2g}), more than {precision} allows; it was not written."
        )
    return Probe(
        description=(
            f"random tokens (seed {PROBE_SEED}), each row alone and all rows padded in one batch"
        ),
        lengths=lengths,
        largest_difference=difference,
        largest_logit=largest,
        tolerance=TOLERANCE[precision],
    )


def _torch_logits(model: Any, task: Task, arrays: Arrays) -> list[NDArray[np.float32]]:
    """Return what the untouched torch model says, in the order of the graph's outputs."""
    usual = {n: torch.from_numpy(a) for n, a in arrays.items() if n != "mask_positions"}
    found = model(**usual)
    if task == "question-answering":
        return [found.start_logits.numpy(), found.end_logits.numpy()]
    rows = torch.arange(len(arrays["mask_positions"]))
    return [found.logits[rows, torch.from_numpy(arrays["mask_positions"])].numpy()]


def _max_length(model: Any) -> int:
    """Return how many tokens the model's table of positions holds."""
    positions = int(getattr(model.config, "max_position_embeddings", 512))
    embeddings = getattr(model.base_model, "embeddings", None)
    table = getattr(embeddings, "position_embeddings", None)
    # RoBERTa and its kin begin to count after the pad token, the padding_idx of the table.
    padding = getattr(table, "padding_idx", None)
    return positions if padding is None else positions - int(padding) - 1


def _card(
    source: _Source, task: Task, precision: Precision, names: list[str], folder: Path
) -> ModelCard:
    return ModelCard(
        name=source.name,
        revision=source.revision,
        task=task,
        architecture=type(source.model).__name__,
        inputs=names,
        outputs=_OUTPUTS[task],
        max_length=_max_length(source.model),
        vocabulary_size=int(source.model.config.vocab_size),
        uses_token_types="token_type_ids" in names,
        lower_cases=_lower_cases(source.tokenizer),
        mask=source.mask,
        pad=source.pad,
        cls=source.cls,
        sep=source.sep,
        precision=precision,
        opset=OPSET,
        model_sha256=sha256_of_file(folder / MODEL_NAME),
        tokenizer_sha256=sha256_of_file(folder / TOKENIZER_NAME),
        probe=_probe(source, task, precision, names, folder / MODEL_NAME),
        versions={name: version(name) for name in ("onnxruntime", "torch", "transformers")},
    )


def _lower_cases(tokenizer: Tokenizer) -> bool:
    """Say whether upper and lower case are one to the tokenizer."""
    return list(tokenizer.encode("Aa Bb").ids) == list(tokenizer.encode("aa bb").ids)
