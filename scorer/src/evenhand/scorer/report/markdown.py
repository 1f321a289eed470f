"""Draws the stories of a report in short, as Markdown: no figures, no examples."""

import re
from collections.abc import Sequence

from evenhand.scorer import __version__
from evenhand.scorer.report.blocks import (
    Block,
    Details,
    Facts,
    Finding,
    Formula,
    Paragraph,
    Section,
    Subheading,
    Table,
)
from evenhand.scorer.report.page import Pages, title
from evenhand.scorer.report.reading import ModelResult

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&$])")
_LINE_BREAKS = re.compile(r"\s*[\r\n\u2028\u2029]+\s*")


def markdown(pages: Pages, results: Sequence[ModelResult]) -> str:
    """Return the report as Markdown; the same input gives the same text."""
    lines = [f"# {escaped(title(pages, results))}", ""]
    for story in pages.stories:
        lines += [f"> **Content warning.** {escaped(story.content_warning)}", ""]
    lines += [*_facts(pages.facts), "## Findings", ""]
    lines += [line for text in pages.cautions for line in (f"> {escaped(text)}", "")]
    for story in pages.stories:
        for finding in story.findings:
            lines += _finding(finding, show_model=len(results) > 1)
    for section in pages.sections:
        lines += _section(section)
    lines += [f"Written by Evenhand {escaped(__version__)}."]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    r"""Return text that Markdown shows as it is, on one line.

    >>> escaped("<b>a|b</b>")
    '\\<b\\>a\\|b\\</b\\>'
    """
    return _SPECIAL.sub(r"\\\1", _LINE_BREAKS.sub(" ", text))


def _finding(finding: Finding, *, show_model: bool) -> list[str]:
    where = finding.config + (f", {finding.model}" if show_model else "")
    return [
        f"### {escaped(where)}",
        "",
        f"**{escaped(finding.verdict)}**",
        "",
        *(f"- {escaped(text)}" for text in finding.support),
        "",
    ]


def _section(section: Section) -> list[str]:
    name = section.title + (" (ours, in no paper)" if section.is_ours else "")
    lines = [f"## {escaped(name)}", ""]
    lines += [escaped(section.lead), ""] if section.lead else []
    for block in section.blocks:
        lines += _block(block)
    return lines


def _block(block: Block) -> list[str]:
    match block:
        case Paragraph():
            lines = [("> " if block.notice else "") + escaped(block.text), ""]
        case Subheading():
            lines = [f"### {escaped(block.text)}", ""]
        case Table():
            lines = _table(block)
        case Formula():
            lines = _formula(block)
        case Facts():
            lines = _facts(block)
        case Details() if block.is_open:
            inner = [line for own in block.blocks for line in _block(own)]
            lines = [f"### {escaped(block.summary)}", "", *inner]
        case _:
            lines = []
    return lines


def _table(table: Table) -> list[str]:
    rule = ["---:" if column.is_number else "---" for column in table.columns]
    head = [escaped(column.label) for column in table.columns]
    body = [[_cell(cell.text, cell.note) for cell in row] for row in table.rows]
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
