"""Turn a transformers model into ONNX, checked against torch.

MODEL is a local folder or the id of a model on the Hub; only the latter touches the network. Writes
model.onnx, tokenizer.json and model.json. Needs the extra `export` (torch, transformers); what it
writes runs without them.
"""

import argparse
from pathlib import Path

from evenhand.contract import WrongUse

EXAMPLE = "evenhand export deepset/roberta-base-squad2 --task question-answering --out model/"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "model",
        metavar="MODEL",
        help="local folder (safetensors, or one GGUF file), or the id of a model on the Hub",
    )
    parser.add_argument(
        "--task", required=True,
        choices=("question-answering", "fill-mask", "multiple-choice", "causal-lm",
                 "seq2seq-lm"),
        help="task that the model was trained for",
    )  # fmt: skip
    parser.add_argument(
        "--precision", choices=("fp32", "fp16", "int8"), default="fp32",
        help="precision of the weights (default: fp32); metrics of different precisions are not"
        " comparable",
    )  # fmt: skip
    parser.add_argument("--overwrite", action="store_true", help="replace an existing folder")
    parser.add_argument(
        "--out", metavar="DIR", type=Path, required=True, help="folder to write the model into"
    )


def run(arguments: argparse.Namespace) -> int:
    """Export and say how close the file is to torch."""
    try:
        from evenhand.scorer.runtime.export import export
    except ImportError as error:
        raise WrongUse(
            f"export needs the package {error.name}, which is not installed: pip install"
            " 'evenhand-scorer[export]'."
        ) from error
    card = export(
        arguments.model,
        task=arguments.task,
        precision=arguments.precision,
        out=arguments.out,
        overwrite=arguments.overwrite,
    )
    print(f"{arguments.out}: {card.architecture} for {card.task}, {card.precision}")
    print(
        f"greatest difference against torch {card.probe.largest_difference:.1e}"
        f" of logits up to {card.probe.largest_logit:.1f}"
    )
    return 0
