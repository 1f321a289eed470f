"""One way to print rows for all commands: ``--format table|md|csv|json|jsonl``."""

import argparse
import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

FORMATS = ("table", "md", "csv", "json", "jsonl")

_NOTHING = "-"


def add_format_option(parser: argparse.ArgumentParser) -> None:
    """Declare ``--format`` with its default, ``table``."""
    parser.add_argument(
        "--format", choices=FORMATS, default="table", help="how stdout is written (default: table)"
    )


def render_rows(rows: Sequence[Mapping[str, Any]], form: str) -> str:
    """Render rows in one of :data:`FORMATS`; the columns are those of the first row.

    >>> print(render_rows([{"subject": "arab", "gamma": 0.12345678}], "table"))
    subject   gamma
    arab     0.1235
    """
    columns = list(rows[0]) if rows else []
    if form == "json":
        return json.dumps(list(rows), indent=2, ensure_ascii=False)
    if form == "jsonl":
        return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    if form == "csv":
        return _csv(columns, rows)
    cells = [[_cell(row.get(column)) for column in columns] for row in rows]
    if form == "md":
        return _markdown(columns, cells, rows)
    return _aligned(columns, cells, rows)


def _cell(value: object) -> str:
    if value is None:
        return _NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4f}"
    if isinstance(value, int):
        return f"{value:,}"
    return str(value)


def _is_number(rows: Sequence[Mapping[str, Any]], column: str) -> bool:
    kinds = {type(row.get(column)) for row in rows}
    return kinds <= {int, float, type(None)}


def _csv(columns: list[str], rows: Sequence[Mapping[str, Any]]) -> str:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, fieldnames=columns, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue().rstrip("\n")


def _markdown(columns: list[str], cells: list[list[str]], rows: Sequence[Mapping[str, Any]]) -> str:
    rule = ["---:" if _is_number(rows, column) else "---" for column in columns]
    escaped = [[text.replace("|", "\\|") for text in line] for line in cells]
    return "\n".join("| " + " | ".join(line) + " |" for line in [columns, rule, *escaped])


def _aligned(columns: list[str], cells: list[list[str]], rows: Sequence[Mapping[str, Any]]) -> str:
    widths = [max(len(line[i]) for line in [columns, *cells]) for i in range(len(columns))]
    right = [_is_number(rows, column) for column in columns]
    lines = [
        "  ".join(
            text.rjust(width) if is_right else text.ljust(width)
            for text, width, is_right in zip(line, widths, right, strict=True)
        ).rstrip()
        for line in [columns, *cells]
    ]
    return "\n".join(lines)
