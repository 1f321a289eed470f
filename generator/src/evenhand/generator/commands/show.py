"""Print a few rows of a benchmark: complete examples, sampled across templates, subjects and
attributes. The table shows the texts only; --format json or jsonl shows all columns. A benchmark's
options of `evenhand generate` apply here too.
"""

import argparse
import textwrap
from typing import Any

from evenhand.contract.options import add_options, options_of
from evenhand.contract.tables import add_format_option, printable, render_rows
from evenhand.generator.arguments import positive_number
from evenhand.generator.benchmark import (
    Benchmark,
    Settings,
    benchmark,
    declared_options,
    examples,
)
from evenhand.generator.commands.stem_argument import add_stem_argument

EXAMPLE = examples("show")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_stem_argument(parser)
    parser.add_argument(
        "--config",
        metavar="C",
        help="one config (default: the smallest, or the first in your templates)",
    )
    parser.add_argument(
        "--rows", metavar="N", type=positive_number, default=8, help="number of rows (default: 8)"
    )
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="random seed (default: 0)")
    add_options(parser, "generate", declared_options())
    add_format_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Render a sample and print it."""
    declared = benchmark(arguments.stem)
    options = options_of(arguments, "generate", arguments.stem, declared_options())
    config = arguments.config
    if config is None and not _is_content_given(arguments, declared):
        config = _smallest(declared.generate.catalogue())
    settings = Settings(
        configs=(config,) if config else (),
        seed=arguments.seed,
        limit=-(-arguments.rows // declared.rows_per_example),
        options=options,
    )
    shown = next(declared.generate.prepare(settings).configs())
    rows = [row for table in shown.batches() for row in table.to_pylist()][: arguments.rows]
    if arguments.format in {"table", "md"}:
        rows = [{name: row[name] for name in declared.text_columns if name in row} for row in rows]
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


def _is_content_given(arguments: argparse.Namespace, declared: Benchmark) -> bool:
    """Return whether an option names content of the user's, which may have other configs."""
    return any(
        getattr(arguments, option.name) is not None
        for option in declared.options
        if option.command == "generate"
    )


def _smallest(catalogue: Any) -> str | None:
    smallest = min(catalogue, key=lambda row: row["rows"], default=None)
    return None if smallest is None else str(smallest["config"])
