"""Print a few rows of a benchmark: complete examples, drawn over templates, subjects and
attributes. A table shows the texts; --format json or jsonl shows all columns.
"""

import argparse
from pathlib import Path
from typing import Any

from evenhand.contract import STEMS
from evenhand.contract.tables import add_format_option, render_rows
from evenhand.generator.commands.output import positive

EXAMPLE = "evenhand show unqover --config religion --rows 8"

_TEXT_COLUMNS = (
    *("polarity", "order", "question_polarity", "context_condition"),
    *("context", "question", "text", "ans0", "ans1", "ans2", "label"),
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("stem", metavar="STEM", choices=STEMS, help=f"one of: {', '.join(STEMS)}")
    parser.add_argument(
        "--config", metavar="C", help="one config (default: the smallest, or the first of yours)"
    )
    parser.add_argument("--rows", metavar="N", type=positive, default=8, help="default: 8")
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="of the draw (default: 0)")
    parser.add_argument("--templates", metavar="DIR", type=Path, help="your own content")
    parser.add_argument("--tokenizer", metavar="FILE", type=Path, help="for masked configs")
    add_format_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Render a sample and print it."""
    from evenhand.generator.stems import Options, stem_module

    stem = stem_module(arguments.stem)
    config = arguments.config
    if config is None and arguments.templates is None:
        config = _smallest(stem.catalogue())
    options = Options(
        configs=(config,) if config else (),
        seed=arguments.seed,
        limit=-(-arguments.rows // 4),
        templates=arguments.templates,
        tokenizer=arguments.tokenizer,
    )
    shown = next(stem.prepare(options).configs())
    rows = [row for table in shown.batches() for row in table.to_pylist()][: arguments.rows]
    if arguments.format in {"table", "md"}:
        rows = [{name: row[name] for name in _TEXT_COLUMNS if name in row} for row in rows]
    print(render_rows(rows, arguments.format))
    return 0


def _smallest(catalogue: Any) -> str | None:
    smallest = min(catalogue, key=lambda row: row["rows"], default=None)
    return None if smallest is None else str(smallest["config"])
