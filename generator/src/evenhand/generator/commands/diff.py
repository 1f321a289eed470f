"""Report what changed between two versions of a dataset: the configs and rows that were added,
removed or changed, with up to five examples each, the templates and word lists behind them, and the
smallest version step that these changes require.
MAJOR: an existing row was changed or removed, so old numbers are no longer comparable. MINOR: rows
or configs were added and every old row is unchanged. PATCH: only text around the data changed.

A version is a folder, or org/name@tag after `evenhand pull`; --pull downloads it first if needed.
--changelog prints a draft CHANGELOG entry instead.
"""

import argparse
import json
from typing import TYPE_CHECKING, Any

from evenhand.contract import STEMS
from evenhand.contract.tables import add_format_option, render_rows

if TYPE_CHECKING:
    from pathlib import Path

    from evenhand.generator.diff import Change, Difference

EXAMPLE = f"evenhand diff datasets_out/{STEMS[0]}/1.0.0 datasets_out/{STEMS[0]}/1.1.0"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("old", metavar="OLD", help="the older version: a folder, or org/name@tag")
    parser.add_argument("new", metavar="NEW", help="the newer version: a folder, or org/name@tag")
    parser.add_argument(
        "--pull", action="store_true", help="download an org/name@tag that has not been pulled yet"
    )
    parser.add_argument("--changelog", action="store_true", help="print a draft CHANGELOG entry")
    add_format_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the difference; the exit code is 0 whether or not there is one."""
    from evenhand.generator.changelog import changelog_entry
    from evenhand.generator.diff import difference

    folders = [_folder(name, pull=arguments.pull) for name in (arguments.old, arguments.new)]
    change = difference(*folders)
    form = arguments.format
    if arguments.changelog:
        print(changelog_entry(change), end="")
    elif form == "json":
        print(json.dumps(difference_summary(change), indent=2, ensure_ascii=False))
    elif form in {"csv", "jsonl"}:
        print(render_rows([_row(change) for change in change.changes], form))
    else:
        print(difference_text(change, form))
    return 0


def _folder(name: str, *, pull: bool) -> "Path":
    """Return the folder of a version, fetched where that was asked for."""
    from evenhand.contract.dataset import HUB_NAME, PULL_FOLDER, dataset_folder

    if pull and HUB_NAME.fullmatch(name) and not PULL_FOLDER.joinpath(*name.split("@", 1)).is_dir():
        from evenhand.generator.commands.pull import pull_version

        return pull_version(name).folder
    return dataset_folder(name)


def _row(change: "Change") -> dict[str, Any]:
    return {
        "config": change.config,
        "change": change.kind,
        "rows": change.rows,
        "step": change.step.name,
    }


def difference_summary(difference: "Difference") -> dict[str, Any]:
    """Return the difference for programs."""
    return {
        "old": {
            "version": difference.old.version,
            "manifest_digest": difference.old.manifest_digest,
        },
        "new": {
            "version": difference.new.version,
            "manifest_digest": difference.new.manifest_digest,
        },
        "step": difference.step.name,
        "reason": difference.reason,
        "least_version": difference.least_version,
        "is_version_enough": difference.is_version_enough,
        "changes": [
            {**_row(change), "templates": change.templates, "examples": change.examples}
            for change in difference.changes
        ],
        "content": [{"file": one.file, "change": one.kind} for one in difference.content],
        "options": [
            {"name": one.name, "old": one.old, "new": one.new} for one in difference.options
        ],
        "files": difference.files,
    }


def difference_text(difference: "Difference", form: str) -> str:
    """Return the difference for people."""
    parts = [f"{difference.old.stem} {difference.old.version} -> {difference.new.version}"]
    if difference.changes:
        parts.append(render_rows([_row(change) for change in difference.changes], form))
    parts += [_examples(change) for change in difference.changes if change.examples]
    behind = [f"{one.kind}: {one.file}" for one in difference.content]
    behind += [f"{one.name}: {one.old} -> {one.new}" for one in difference.options]
    if behind:
        parts.append("\n".join(["behind it:", *behind]))
    verdict = "is enough" if difference.is_version_enough else "says less than that"
    parts.append(
        f"least step: {difference.step.name} ({difference.least_version} or higher), because"
        f" {difference.reason}; {difference.new.version} {verdict}."
    )
    return "\n\n".join(parts)


def _examples(change: "Change") -> str:
    of = ", ".join(f"{name} {n:,}" for name, n in change.templates.items())
    heading = f"{change.config}, {change.kind}{f' (rows per template: {of})' if of else ''}:"
    lines = [json.dumps(row, ensure_ascii=False) for row in change.examples]
    return "\n".join([heading, *lines])
