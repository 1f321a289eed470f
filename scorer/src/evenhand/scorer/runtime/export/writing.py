"""Writes the folder of an exported model: graph, tokenizer and card, checked against torch."""

from importlib.metadata import version
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer

from evenhand.contract.errors import DataRefused, WrongUse
from evenhand.contract.files import atomic_folder, canonical_json, sha256_of_file
from evenhand.scorer.runtime.export.source import Source, load, silence
from evenhand.scorer.runtime.export.tasks import TaskModule, task_module
from evenhand.scorer.runtime.export.tied import store_tied_once
from evenhand.scorer.runtime.model_card import (
    CARD_NAME,
    CHAT_NAME,
    MODEL_NAME,
    TOKENIZER_NAME,
    Chat,
    ModelCard,
    Precision,
    Probe,
    Task,
)
from evenhand.scorer.runtime.precision import to_precision
from evenhand.scorer.runtime.probe import PROBE_LENGTHS, PROBE_SEED
from evenhand.scorer.runtime.session import open_session

OPSET = 17
TOLERANCE: dict[Precision, float] = {"fp32": 1e-4, "fp16": 2e-2, "int8": 2.5e-1}
"""Allowed difference of a logit, as a fraction of the larger of 1 and the largest logit."""


def export(
    model: str, *, task: Task, precision: Precision, out: Path, overwrite: bool
) -> ModelCard:
    """Write ``model.onnx``, ``tokenizer.json`` and ``model.json`` into the folder ``out``.

    ``chat_template.jinja`` goes with them where the tokenizer has a chat template.

    ``model`` is a local folder (no network is touched) or a Hub id. Weights come from
    safetensors only, and code from the Hub is never run.

    Raises:
        WrongUse: ``out`` is the model's folder, or contains it.
        DataRefused: the model cannot be loaded, is of another task, or the exported model differs
            from torch by more than the tolerance.
    """
    model_folder = Path(model).resolve()
    if out.resolve() in {model_folder, *model_folder.parents}:
        raise WrongUse(f"--out {out} would replace the model itself; choose another folder.")
    exporter = task_module(task)
    with atomic_folder(out, overwrite=overwrite) as folder, silence():
        source = load(model, task, exporter.LOADER)
        exporter.refuse_unfit(source)
        _write_onnx(source, exporter, folder / MODEL_NAME)
        to_precision(folder / MODEL_NAME, precision)
        if task == "causal-lm":
            store_tied_once(folder / MODEL_NAME, int(source.model.config.vocab_size))
        source.tokenizer.save(str(folder / TOKENIZER_NAME))
        if source.chat_template is not None:
            (folder / CHAT_NAME).write_text(source.chat_template, encoding="utf-8", newline="")
        probe = _probe(source, exporter, precision, folder / MODEL_NAME)
        card = _card(source, task, precision, probe, folder)
        (folder / CARD_NAME).write_bytes(canonical_json(card))
    return card


def _write_onnx(source: Source, of_task: TaskModule, path: Path) -> None:
    names, arrays = of_task.input_names(source.model), of_task.example_inputs(source.model)
    # The exporter restores the mode of each module, and a new module is in training mode.
    graph = of_task.build_graph(source.model).eval()
    try:
        # The older exporter takes a second; the newer one takes ten and refuses length 1.
        torch.onnx.export(
            graph,
            tuple(torch.from_numpy(arrays[name]) for name in names),
            str(path),
            input_names=names,
            output_names=of_task.output_names(source.model),
            dynamic_axes=of_task.dynamic_axes(source.model),
            opset_version=OPSET,
            dynamo=False,
        )
    except Exception as error:  # a family that does not fit the graph may raise anything
        reason = " ".join(str(error).split())[:200].rstrip(".")
        raise DataRefused(
            f"{source.name} cannot be exported: {type(source.model).__name__} does not take the"
            f" inputs of the graph ({reason})."
        ) from error


def _probe(source: Source, of_task: TaskModule, precision: Precision, path: Path) -> Probe:
    """Compare the file with torch on single rows and on a padded batch; refuse a difference."""
    lengths = sorted({min(n, source.max_length) for n in PROBE_LENGTHS})
    session = open_session(path, device="cpu")
    difference = largest = 0.0
    for ours, theirs in of_task.compare_outputs(source, session, lengths):
        # NaN is greater than nothing, so by itself it would pass.
        gaps = np.nan_to_num(np.abs(ours - theirs), nan=np.inf)
        difference = max(difference, float(gaps.max()))
        largest = max(largest, float(np.abs(theirs).max()))
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


def _card(
    source: Source, task: Task, precision: Precision, probe: Probe, folder: Path
) -> ModelCard:
    names = task_module(task).input_names(source.model)
    return ModelCard(
        name=source.name,
        revision=source.revision,
        task=task,
        architecture=type(source.model).__name__,
        inputs=names,
        outputs=task_module(task).output_names(source.model),
        max_length=source.max_length,
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
        probe=probe,
        versions={name: version(name) for name in ("onnxruntime", "torch", "transformers")},
        decoder_start=getattr(source.model.config, "decoder_start_token_id", None),
        chat=_chat(source, folder),
    )


def _chat(source: Source, folder: Path) -> Chat | None:
    if source.chat_template is None:
        return None
    return Chat(sha256=sha256_of_file(folder / CHAT_NAME), special_tokens=source.special_tokens)


def _lower_cases(tokenizer: Tokenizer) -> bool:
    """Say whether the tokenizer ignores case."""
    return list(tokenizer.encode("Aa Bb").ids) == list(tokenizer.encode("aa bb").ids)
