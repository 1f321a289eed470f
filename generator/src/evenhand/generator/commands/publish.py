"""Publish a dataset version on the Hub: verify the folder, upload all files in one commit, tag it,
and download the tag again to compare every digest. An interrupted run resumes where it stopped; a
version that is already published with the same content is left alone.

Refused are: a tag that exists with other content, a version number that is lower than the last one
or understates what changed since then (see `evenhand diff`), a sample, and a dataset without a
licence. --dry-run lists what would be done, file by file, and how it differs from what is there.

Log in with `hf auth login`, or set HF_TOKEN; the token is never shown.
"""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.contract import STEMS
from evenhand.contract.errors import DataRefused
from evenhand.contract.tables import add_format_option, render_rows

if TYPE_CHECKING:
    from evenhand.generator.hub.plan import Plan

EXAMPLE = f"evenhand publish datasets_out/{STEMS[0]}/1.0.0 --repo org/name --dry-run"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("folder", metavar="DIR", type=Path, help="folder of one dataset version")
    parser.add_argument(
        "--repo", metavar="ORG/NAME", required=True, help="repository on the Hub to publish to"
    )
    parser.add_argument(
        "--tag",
        metavar="TAG",
        help="tag to set: the version, or v and the version (default: the version)",
    )
    parser.add_argument(
        "--private",
        action="store_true",
        help="if the repository has to be created, make it private",
    )
    parser.add_argument(
        "--gated", action="store_true", help="readers must request access, which you grant by hand"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="report what would be done, without writing anything"
    )
    parser.add_argument(
        "--endpoint",
        metavar="URL",
        help="address of the Hub (default: HF_ENDPOINT, or https://huggingface.co)",
    )
    add_format_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Publish, or report what publishing would do."""
    from evenhand.generator.hub.client import Repository
    from evenhand.generator.hub.plan import make_plan, verified_candidate
    from evenhand.generator.hub.publish import publish
    from evenhand.generator.names import checked_repo
    from evenhand.generator.progress import Reporter

    repo = checked_repo(arguments.repo)
    candidate = verified_candidate(arguments.folder, arguments.tag)
    with Reporter() as reporter:
        repository = Repository(repo, endpoint=arguments.endpoint, say=reporter.say)
        if not repository.is_logged_in and not arguments.dry_run:
            raise DataRefused(
                f"You are not logged in, so nothing can be written to {repo}; run `hf auth login`,"
                " or set HF_TOKEN."
            )
        plan = make_plan(repository, candidate, reporter)
        if arguments.dry_run:
            _show(plan, repo, arguments.format)
            return 0
        if not plan.is_published:
            _warn_of_other_home(arguments.folder, repo, reporter.say)
        done = publish(repository, plan, reporter, private=arguments.private, gated=arguments.gated)
    print(f"dataset {done.name}")
    print(f"commit {done.commit}")
    print(f"manifest_digest {done.manifest_digest}")
    return 0


def _warn_of_other_home(folder: Path, repo: str, say: Any) -> None:
    """Say that the card names no place, or another one."""
    text = (folder / "README.md").read_text(encoding="utf-8") if _has_card(folder) else ""
    if f'"{repo}"' not in text:
        say(
            f"note: the card does not say how to load {repo}; `generate --repo {repo}` writes one"
            " that does"
        )


def _has_card(folder: Path) -> bool:
    return (folder / "README.md").is_file()


def _show(plan: "Plan", repo: str, form: str) -> None:
    """Print the plan: files, difference, and what would be done."""
    from evenhand.generator.commands.diff import difference_summary, difference_text

    rows = [
        {"action": one.action, "path": one.path, "bytes": one.bytes, "sha256": one.sha256}
        for one in plan.files
    ]
    if form == "json":
        summary = plan.difference and difference_summary(plan.difference)
        shown = {"verdict": _verdict(plan, repo), "files": rows, "difference": summary}
        print(json.dumps(shown, indent=2, ensure_ascii=False))
        return
    print(render_rows(rows, form))
    if form in {"csv", "jsonl"}:
        return
    if plan.difference is not None:
        print(f"\n{difference_text(plan.difference, form)}")
    print(f"\n{_verdict(plan, repo)}")


def _verdict(plan: "Plan", repo: str) -> str:
    """Say in one sentence what publishing would do."""
    name = f"{repo}@{plan.candidate.tag}"
    if plan.is_published:
        return f"{name} is published with the same content; there is nothing to do."
    if plan.is_committed:
        return f"{repo} holds these files already; they would be tagged {plan.candidate.tag}."
    counts = {
        action: sum(one.action == action for one in plan.files)
        for action in ("add", "replace", "same", "delete")
    }
    words = ", ".join(f"{n} {action}" for action, n in counts.items() if n)
    first = f"{repo} would be created; " if plan.is_new else ""
    return f"{first}one commit would be made ({words}) and tagged as {name}."
