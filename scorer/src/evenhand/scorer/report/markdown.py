"""Draws the stories of a report in short, as Markdown: no drawings, no examples."""

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
    marked,
    table_of,
)
from evenhand.scorer.report.pages import Pages

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&$])")
_LINE_BREAKS = re.compile(r"\s*[\r\n\u2028\u2029]+\s*")


def draw(pages: Pages) -> str:
    """Return the report as Markdown."""
    several = len(pages.stories) > 1
    lines = [f"# {escaped(pages.title)}", ""]
    for text in dict.fromkeys(story.content_warning for story in pages.stories):
        lines += [f"> **Content warning.** {escaped(text)}", ""]
    lines += [*_facts(pages.facts), "## Findings", ""]
    lines += [line for text in pages.cautions for line in (f"> {escaped(text)}", "")]
    for story in pages.stories:
        lines += [f"### {escaped(story.benchmark)}: {escaped(story.question)}", ""] * several
        for finding in story.findings:
            lines += _finding(finding, show_model=len(pages.models) > 1, depth=3 + several)
        lines += [] if story.overview is None else _table(story.overview)
    for story in pages.stories:
        lines += [f"## {escaped(story.benchmark)}", ""] * several
        lines += [
            line for section in story.sections for line in _section(section, depth=2 + several)
        ]
    lines += [*_section(pages.made, depth=2), f"Written by Evenhand {escaped(__version__)}."]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    r"""Return text that Markdown shows as it is, on one line.

    >>> escaped("<b>a|b</b>")
    '\\<b\\>a\\|b\\</b\\>'
    """
    return _SPECIAL.sub(r"\\\1", _LINE_BREAKS.sub(" ", text))


def _finding(finding: Finding, *, show_model: bool, depth: int) -> list[str]:
    where = finding.config + (f", {finding.model}" if show_model else "")
    return [
        f"{'#' * depth} {escaped(where)}",
        "",
        f"**{escaped(finding.verdict)}**",
        "",
        *(f"- {escaped(text)}" for text in finding.support),
        "",
    ]


def _section(section: Section, *, depth: int) -> list[str]:
    name = section.title + (" (ours, in no paper)" if section.is_ours else "")
    lines = [f"{'#' * depth} {escaped(name)}", ""]
    lines += [escaped(section.lead), ""] if section.lead else []
    for block in section.blocks:
        lines += _block(block, depth=depth + 1)
    return lines


def _block(block: Block, *, depth: int) -> list[str]:
    match block:
        case Paragraph():
            lines = [("> " if block.notice else "") + escaped(block.text), ""]
        case Subheading():
            lines = [f"{'#' * depth} {escaped(block.text)}", ""]
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
            lines = [f"{'#' * depth} {escaped(block.summary)}", "", *inner]
        case _:
            lines = []
    return lines


def _matrix(figure: Figure) -> list[str]:
    """Write a matrix of numbers as a table; all other figures are left out."""
    assert isinstance(figure.chart, Matrix)
    return _table(table_of(figure.title, figure.chart))


def _table(table: Table) -> list[str]:
    rule = ["---:" if column.is_number else "---" for column in table.columns]
    head = [escaped(column.label) for column in table.columns]
    body = [[_cell(marked(cell), cell.note) for cell in row] for row in table.rows]
    lines = ["| " + " | ".join(row) + " |" for row in [head, rule, *body]]
    notes = [line for note in table.footnotes for line in (escaped(note), "")]
    return [f"**{escaped(table.caption)}**", "", *lines, "", *notes]


def _cell(text: str, note: str | None) -> str:
    return escaped(text) if note is None else f"{escaped(text)} ({escaped(note)})"


def _formula(formula: Formula) -> list[str]:
    source = escaped(formula.source)
    linked = f"[{source}]({formula.link})" if formula.link else source
    return [
        f"- **{escaped(formula.name)}**: `{formula.text}`. {escaped(formula.reading)} {linked}",
        "",
    ]


def _facts(facts: Facts) -> list[str]:
    return [
        *(f"- {escaped(name)}: {escaped('; '.join(values))}" for name, values in facts.rows),
        "",
    ]
