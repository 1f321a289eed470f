"""The draft of a CHANGELOG entry, from a difference."""

from evenhand.generator.diff import Change, Difference
from evenhand.generator.steps import Step

_SECTIONS = {"added": "Added", "removed": "Removed", "changed": "Changed", "reordered": "Changed"}
COMPARABILITY = {
    Step.MAJOR: "Numbers of {old} and of this version are not comparable.",
    Step.MINOR: "Numbers of {old} stay comparable on the rows and configs that it has.",
    Step.PATCH: "Numbers of {old} stay comparable: no row changed.",
    Step.NONE: "Nothing differs from {old}.",
}
"""step -> the sentence of the entry on numbers of the older version."""

SOURCES_HEADING = "What is behind it"
SURROUNDINGS_HEADING = "Around the rows"


def changelog_entry(difference: Difference) -> str:
    """Return a section in Markdown, headed by the new version or the least that it may have.

    A draft: it says what changed and with what it goes together; why is for a person to say.
    """
    version = difference.new.version if difference.is_version_enough else difference.least_version
    lines = [f"## {version}", "", COMPARABILITY[difference.step].format(old=difference.old.version)]
    for heading in dict.fromkeys(_SECTIONS.values()):
        items = [_item(one) for one in difference.changes if _section(one) == heading]
        lines += _section_lines(heading, items)
    behind = [f"{one.kind}: `{one.file}`" for one in difference.content]
    behind += [f"`{one.name}`: `{one.old}` -> `{one.new}`" for one in difference.options]
    lines += _section_lines(SOURCES_HEADING, behind)
    lines += _section_lines(SURROUNDINGS_HEADING, [f"{name} differs" for name in difference.files])
    return "\n".join(lines) + "\n"


def _section(change: Change) -> str:
    """Return the heading of a change; kinds are worded as `rows added`, `columns changed (...)`."""
    return next(
        heading for word, heading in _SECTIONS.items() if word in change.kind.partition("(")[0]
    )


def _item(change: Change) -> str:
    text = f"`{change.config}`: {change.kind}, {change.rows:,} rows"
    if change.templates:
        text += f" of {_template_names(change.templates)}"
    if change.examples:
        text += f", e.g. `{change.examples[0]['id']}`"
    return text


def _template_names(templates: dict[str, int], at_most: int = 8) -> str:
    names = [f"{name} ({n:,})" for name, n in list(templates.items())[:at_most]]
    more = [f"{len(templates) - at_most:,} more"] if len(templates) > at_most else []
    return f"templates {', '.join([*names, *more])}"


def _section_lines(heading: str, items: list[str]) -> list[str]:
    return ["", f"### {heading}", "", *[f"- {item}" for item in items]] if items else []
