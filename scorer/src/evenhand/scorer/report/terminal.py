"""Writes the stories of a report as text for a terminal: findings in words, then the tables."""

import textwrap
from collections.abc import Iterator

from evenhand.scorer import __version__
from evenhand.scorer.report.blocks import (
    Block,
    Cell,
    Details,
    Figure,
    Finding,
    Matrix,
    Paragraph,
    Section,
    Story,
    Table,
    mark_cell,
    matrix_table,
)
from evenhand.scorer.report.pages import Pages

WIDTH = 100
"""Columns at which running text is wrapped; tables are as wide as they must be."""

_WIDEST = 60
"""Columns of a cell of words; a longer one is cut."""

_MOST_WITH_NOTES = 5
"""Tables of at most this many columns have room for intervals."""

_EVIDENCE = {
    "found": "EVIDENCE OF BIAS",
    "mixed": "MIXED",
    "none": "NO EVIDENCE OF BIAS",
    "unknown": "CANNOT BE SAID",
}


def draw(pages: Pages) -> str:
    """Return the report as plain text."""
    lines = [pages.title, "=" * min(len(pages.title), WIDTH), ""]
    for name, values in pages.facts.rows:
        lines += _wrap(f"{name}: {'; '.join(values)}")
    for text in pages.cautions:
        lines += ["", *_wrap(f"! {text}")]
    for story in pages.stories:
        lines += _story(story, show_model=len(pages.models) > 1)
    lines += ["", f"Evenhand {__version__}. Figures and examples: --as html."]
    return "\n".join(_one_line(line) for line in lines) + "\n"


def _one_line(text: str) -> str:
    """Drop control characters, which could move the cursor: the words may come from a file."""
    return "".join(character if character.isprintable() else " " for character in text).rstrip()


def _story(story: Story, *, show_model: bool) -> list[str]:
    lines = ["", f"{story.benchmark}: {story.question}", ""]
    for finding in story.findings:
        lines += _finding(finding, show_model=show_model)
    tables = [] if story.overview is None else [story.overview]
    tables += [table for section in story.sections for table in _tables(section)]
    for table in tables:
        lines += _table(table)
    return lines


def _finding(finding: Finding, *, show_model: bool) -> list[str]:
    where = finding.config + (f", {finding.model}" if show_model else "")
    lines = _wrap(f"{_EVIDENCE[finding.evidence]} ({where}). {finding.verdict}")
    for text in finding.support:
        lines += textwrap.wrap(text, WIDTH, initial_indent="  - ", subsequent_indent="    ")
    return [*lines, ""]


def _wrap(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, subsequent_indent="  ")


def _tables(section: Section) -> Iterator[Table]:
    """Yield what a section shows at first sight: its open tables and the matrices of numbers."""
    blocks: list[Block] = list(section.blocks)
    while blocks:
        block = blocks.pop(0)
        match block:
            case Table():
                yield block
            case Figure(chart=Matrix() as matrix):
                yield matrix_table(block.title, matrix)
            case Details() if block.is_open:
                blocks = [*block.blocks, *blocks]
            case Paragraph(notice=True):
                yield Table(caption=block.text, columns=[], rows=[])


def _table(table: Table) -> list[str]:
    if not table.columns:
        return [*_wrap(table.caption), ""]
    has_room = len(table.columns) <= _MOST_WITH_NOTES
    rows = [
        [_cell(cell, has_note=has_room and column.is_number)
         for cell, column in zip(row, table.columns, strict=True)]
        for row in table.rows
    ]  # fmt: skip
    head = [column.label for column in table.columns]
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    lines = [
        "  ".join(
            text.rjust(width) if column.is_number else text.ljust(width)
            for text, width, column in zip(row, widths, table.columns, strict=True)
        ).rstrip()
        for row in [head, *rows]
    ]
    notes = [line for note in table.footnotes for line in _wrap(note)]
    if not has_room and any(cell.note for row in table.rows for cell in row[1:]):
        notes.append("Intervals: --as markdown.")
    return [table.caption, *lines, *notes, ""]


def _cell(cell: Cell, *, has_note: bool) -> str:
    text = _one_line(mark_cell(cell))
    text = text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"
    return f"{text} ({_one_line(cell.note)})" if has_note and cell.note else text
