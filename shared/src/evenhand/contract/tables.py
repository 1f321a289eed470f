"""One way to print rows for all commands: ``--format table|md|csv|json|jsonl``."""

import argparse
import csv
import html
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

FORMATS = ("table", "md", "csv", "json", "jsonl")

_NOTHING = "-"


def add_format_option(parser: argparse.ArgumentParser) -> None:
    """Declare ``--format`` with its default, ``table``."""
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default="table",
        help="output format on stdout (default: table)",
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


def render_html(rows: Sequence[Mapping[str, Any]], caption: str = "") -> str:
    """Render rows as an HTML table for notebooks; everything in it is escaped.

    >>> render_html([{"a": "<b>"}])
    '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>&lt;b&gt;</td></tr></tbody></table>'
    """
    columns = list(rows[0]) if rows else []
    head = "".join(f"<th>{html.escape(column)}</th>" for column in columns)
    body = "".join(f"<tr>{_html_cells(row, columns, rows)}</tr>" for row in rows)
    title = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def printable(text: str) -> str:
    r"""Return a file's text safe to print: characters that control a terminal are escaped.

    >>> printable("a\x1b[2Jb\u202ec\nd")
    'a\\x1b[2Jb\\u202ec\nd'
    """
    if text.isprintable():
        return text
    return "".join(
        mark if mark.isprintable() or mark == "\n" else mark.encode("unicode_escape").decode()
        for mark in text
    )


def _html_cells(
    row: Mapping[str, Any], columns: list[str], rows: Sequence[Mapping[str, Any]]
) -> str:
    styles = [' style="text-align:right"' if _is_number(rows, name) else "" for name in columns]
    return "".join(
        f"<td{style}>{html.escape(_cell(row.get(name)))}</td>"
        for name, style in zip(columns, styles, strict=True)
    )


def _cell(value: object) -> str:
    if value is None:
        return _NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4f}"
    if isinstance(value, int):
        return f"{value:,}"
    return printable(str(value)).replace("\n", "\\n")


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
