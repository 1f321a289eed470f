"""Say what changed between two versions of a dataset: configs and rows that were added, removed
or changed, with up to five examples each, and the least step of the version that this asks for.
MAJOR: an existing row changed or went, so old numbers are no longer comparable. MINOR: rows or
configs were added and every old row stands. PATCH: only words around the data changed.
"""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.contract.tables import add_format_option, render_rows

if TYPE_CHECKING:
    from evenhand.generator.diff import Change, Difference

EXAMPLE = "evenhand diff datasets_out/unqover/1.0.0 datasets_out/unqover/1.1.0"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("old", metavar="OLD", type=Path, help="folder of the older version")
    parser.add_argument("new", metavar="NEW", type=Path, help="folder of the newer version")
    add_format_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the difference; it is no failure that there is one."""
    from evenhand.generator.diff import difference

    found = difference(arguments.old, arguments.new)
    form = arguments.format
    if form == "json":
        print(json.dumps(_summary(found), indent=2, ensure_ascii=False))
    elif form in {"csv", "jsonl"}:
        print(render_rows([_row(change) for change in found.changes], form))
    else:
        print(_text(found, form))
    return 0


def _row(change: "Change") -> dict[str, Any]:
    return {
        "config": change.config,
        "change": change.kind,
        "rows": change.rows,
        "step": change.step.name,
    }


def _summary(found: "Difference") -> dict[str, Any]:
    return {
        "old": {"version": found.old.version, "manifest_digest": found.old.manifest_digest},
        "new": {"version": found.new.version, "manifest_digest": found.new.manifest_digest},
        "step": found.step.name,
        "reason": found.reason,
        "least_version": found.least_version,
        "is_version_enough": found.is_version_enough,
        "changes": [{**_row(change), "examples": change.examples} for change in found.changes],
        "files": found.files,
    }


def _text(found: "Difference", form: str) -> str:
    parts = [f"{found.old.stem} {found.old.version} -> {found.new.version}"]
    if found.changes:
        parts.append(render_rows([_row(change) for change in found.changes], form))
    for change in found.changes:
        if change.examples:
            lines = [json.dumps(row, ensure_ascii=False) for row in change.examples]
            parts.append("\n".join([f"{change.config}, {change.kind}:", *lines]))
    verdict = "is enough" if found.is_version_enough else "says less than that"
    parts.append(
        f"least step: {found.step.name} ({found.least_version} or higher), because {found.reason};"
        f" {found.new.version} {verdict}."
    )
    return "\n\n".join(parts)
