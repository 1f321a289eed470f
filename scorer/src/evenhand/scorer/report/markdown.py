"""Writes the stories of a report in short, as Markdown: without figures and examples."""

import re

from evenhand.scorer import __version__
from evenhand.scorer.report.blocks import (
    Block,
    Details,
    Facts,
    Figure,
    Finding,
    Formula,
    Matrix,
    Paragraph,
    Section,
    Subheading,
    Table,
    mark_cell,
    matrix_table,
)
from evenhand.scorer.report.pages import Pages

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&$])")
_LINE_BREAKS = re.compile(r"\s*[\r\n\u2028\u2029]+\s*")


def draw(pages: Pages) -> str:
    """Return the report as Markdown."""
    several = len(pages.stories) > 1
    lines = [f"# {escape(pages.title)}", ""]
    for text in dict.fromkeys(story.content_warning for story in pages.stories):
        lines += [f"> **Content warning.** {escape(text)}", ""]
    lines += [*_facts(pages.facts), "## Findings", ""]
    lines += [line for text in pages.cautions for line in (f"> {escape(text)}", "")]
    for story in pages.stories:
        lines += [f"### {escape(story.benchmark)}: {escape(story.question)}", ""] * several
        for finding in story.findings:
            lines += _finding(finding, show_model=len(pages.models) > 1, depth=3 + several)
        lines += [] if story.overview is None else _table(story.overview)
    for story in pages.stories:
        lines += [f"## {escape(story.benchmark)}", ""] * several
        lines += [
            line for section in story.sections for line in _section(section, depth=2 + several)
        ]
    lines += [*_section(pages.made, depth=2), f"Written by Evenhand {escape(__version__)}."]
    return "\n".join(lines) + "\n"


def escape(text: str) -> str:
    r"""Return text that Markdown shows literally, on one line.

    >>> escape("<b>a|b</b>")
    '\\<b\\>a\\|b\\</b\\>'
    """
    return _SPECIAL.sub(r"\\\1", _LINE_BREAKS.sub(" ", text))


def _finding(finding: Finding, *, show_model: bool, depth: int) -> list[str]:
    where = finding.config + (f", {finding.model}" if show_model else "")
    return [
        f"{'#' * depth} {escape(where)}",
        "",
        f"**{escape(finding.verdict)}**",
        "",
        *(f"- {escape(text)}" for text in finding.support),
        "",
    ]


def _section(section: Section, *, depth: int) -> list[str]:
    name = section.title + (" (ours, in no paper)" if section.is_ours else "")
    lines = [f"{'#' * depth} {escape(name)}", ""]
    lines += [escape(section.lead), ""] if section.lead else []
    for block in section.blocks:
        lines += _block(block, depth=depth + 1)
    return lines


def _block(block: Block, *, depth: int) -> list[str]:
    match block:
        case Paragraph():
            lines = [("> " if block.notice else "") + escape(block.text), ""]
        case Subheading():
            lines = [f"{'#' * depth} {escape(block.text)}", ""]
        case Table():
            lines = _table(block)
        case Figure(chart=Matrix()):
            lines = _matrix(block)
        case Formula():
            lines = _formula(block)
        case Facts():
            lines = _facts(block)
        case Details() if block.is_open:
            inner = [line for inside in block.blocks for line in _block(inside, depth=depth + 1)]
            lines = [f"{'#' * depth} {escape(block.summary)}", "", *inner]
        case _:
            lines = []
    return lines


def _matrix(figure: Figure) -> list[str]:
    """Write a matrix of numbers as a table; all other figures are left out."""
    assert isinstance(figure.chart, Matrix)
    return _table(matrix_table(figure.title, figure.chart))


def _table(table: Table) -> list[str]:
    rule = ["---:" if column.is_number else "---" for column in table.columns]
    head = [escape(column.label) for column in table.columns]
    body = [[_cell(mark_cell(cell), cell.note) for cell in row] for row in table.rows]
    lines = ["| " + " | ".join(row) + " |" for row in [head, rule, *body]]
    notes = [line for note in table.footnotes for line in (escape(note), "")]
    return [f"**{escape(table.caption)}**", "", *lines, "", *notes]


def _cell(text: str, note: str | None) -> str:
    return escape(text) if note is None else f"{escape(text)} ({escape(note)})"


def _formula(formula: Formula) -> list[str]:
    source = escape(formula.source)
    linked = f"[{source}]({formula.link})" if formula.link else source
    return [
        f"- **{escape(formula.name)}**: `{formula.text}`. {escape(formula.reading)} {linked}",
        "",
    ]


def _facts(facts: Facts) -> list[str]:
    return [
        *(f"- {escape(name)}: {escape('; '.join(values))}" for name, values in facts.rows),
        "",
    ]
