"""Print a few rows of a benchmark: complete examples, drawn over templates, subjects and
attributes. A table shows the texts; --format json or jsonl shows all columns.
"""

import argparse
import textwrap
from pathlib import Path
from typing import Any

from evenhand.contract import STEMS
from evenhand.contract.tables import add_format_option, printable, render_rows
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
    text = render_rows(rows, arguments.format)
    if arguments.format == "table" and len(text.partition("\n")[0]) > _WIDEST:
        text = "\n\n".join(map(_below_each_other, rows))
    print(text)
    return 0


_WIDEST = 200
"""Characters of a table's line; rows of longer texts are no table that a person can read."""
_WIDTH = 100


def _below_each_other(row: dict[str, Any]) -> str:
    """Return a row as one line a field, long texts wrapped behind their names."""
    margin = max(map(len, row)) + 2
    return "\n".join(_field(name, value, margin) for name, value in row.items())


def _field(name: str, value: object, margin: int) -> str:
    lines = textwrap.wrap(printable(str(value)), width=_WIDTH - margin)
    return name.ljust(margin) + f"\n{' ' * margin}".join(lines)


def _smallest(catalogue: Any) -> str | None:
    smallest = min(catalogue, key=lambda row: row["rows"], default=None)
    return None if smallest is None else str(smallest["config"])
