"""Run an exported model over a dataset and write a predictions file.

Needs onnxruntime and tokenizers (the extra `cpu` or `gpu`), no torch and no network. The same
command, given again, resumes a run that was killed; the file has the bytes of an unbroken run.
"""

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path

from evenhand.contract import WrongUse
from evenhand.contract.options import add_options, options_of
from evenhand.scorer.benchmark import declared_options

EXAMPLE = (
    "evenhand predict datasets_out/unqover/1.0.0 --config religion --model model/"
    " --out predictions.parquet"
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("dataset", metavar="DATASET", help="folder of one dataset version")
    parser.add_argument(
        "--config", metavar="C", action="append", default=[],
        help="predict this config only (may be repeated; default: all that fit the model's task)",
    )  # fmt: skip
    parser.add_argument(
        "--model",
        metavar="DIR",
        type=Path,
        required=True,
        help="folder that `evenhand export` wrote",
    )
    parser.add_argument(
        "--device", metavar="D", default="cpu",
        help="cpu (default), cuda, cuda:N, or auto: CUDA where it loads, else the CPU",
    )  # fmt: skip
    parser.add_argument(
        "--batch-tokens", metavar="N", type=int, default=4096,
        help="tokens per batch, padding included (default: 4096; causal-lm on a CPU: at most 512)",
    )  # fmt: skip
    parser.add_argument(
        "--threads", metavar="N", type=int, default=0,
        help="threads of onnxruntime (default: as onnxruntime chooses)",
    )  # fmt: skip
    parser.add_argument("--overwrite", action="store_true", help="replace an existing file")
    parser.add_argument(
        "--out", metavar="FILE", type=Path, required=True,
        help="file to write: .parquet, .jsonl, .jsonl.gz or .csv",
    )  # fmt: skip
    add_options(parser, "predict", declared_options())


def run(arguments: argparse.Namespace) -> int:
    """Predict, with a bar on a terminal and lines in a log."""
    if arguments.batch_tokens < 1 or arguments.threads < 0:
        raise WrongUse("--batch-tokens takes a number from 1 on, --threads from 0 on.")
    _require_runtime()
    from evenhand.scorer import predict as work
    from evenhand.scorer.datasets import open_dataset
    from evenhand.scorer.progress import Progress
    from evenhand.scorer.runtime.session import open_model

    work.output_suffix(arguments.out)
    dataset = open_dataset(arguments.dataset)
    stem = dataset.manifest.stem
    options = options_of(arguments, "predict", stem, declared_options())
    model = open_model(arguments.model, device=arguments.device, threads=arguments.threads)
    configs = work.fitting_configs(dataset, arguments.config, model)
    settings = work.load_asking(stem).resolve(
        work.Settings(arguments.batch_tokens, dataset.manifest.provenance, options), model
    )
    rows = sum(s.rows for c in configs for s in dataset.manifest.configs[c].values())
    with Progress(f"predict {_name_configs(configs)}", total=rows) as progress:
        n_rows = work.predict(
            dataset,
            model,
            work.make_header(dataset, configs, model, settings),
            settings=settings,
            out=arguments.out,
            overwrite=arguments.overwrite,
            say=progress.say,
            advance=progress.advance,
        )
    print(f"{arguments.out}: {n_rows:,} rows", file=sys.stderr)
    print(
        f"next: evenhand score {arguments.dataset} --predictions {arguments.out}"
        " --out metrics.json",
        file=sys.stderr,
    )
    return 0


_NAMED_CONFIGS = 3


def _name_configs(configs: list[str]) -> str:
    """Name a few configs and count many: every line of a log says what is being predicted."""
    return ", ".join(configs) if len(configs) <= _NAMED_CONFIGS else f"{len(configs)} configs"


def _require_runtime() -> None:
    for name in ("onnxruntime", "tokenizers", "jinja2"):
        if find_spec(name) is None:
            raise WrongUse(
                f"predict needs the package {name}, which is not installed: pip install"
                " 'evenhand-scorer[cpu]' (or [gpu], never both)."
            )
