"""Draws the stories of a report as one self-contained HTML page."""

import base64
import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import jinja2
from markupsafe import Markup

from evenhand.scorer import __version__
from evenhand.scorer.report.blocks import Facts, Section, Story
from evenhand.scorer.report.reading import ModelResult


class Pages(NamedTuple):
    """What a page or a Markdown text is drawn from."""

    stories: list[Story]
    facts: Facts
    cautions: list[str]
    sections: list[Section]
    """Sections of all stories, then how everything was made."""


def html(pages: Pages, results: Sequence[ModelResult]) -> str:
    """Return the page; the same input gives the same text."""
    environment = _environment()
    style, script = (_asset(environment, name) for name in ("page.css", "page.js"))
    findings = [finding for story in pages.stories for finding in story.findings]
    return environment.get_template("page.html.jinja").render(
        title=title(pages, results),
        policy=_policy(style, script),
        # Both are our own files; whatever comes from a metric file is escaped.
        style=Markup(style),  # noqa: S704
        script=Markup(script),  # noqa: S704
        stories=pages.stories,
        facts=pages.facts,
        cautions=pages.cautions,
        sections=pages.sections,
        n_findings=len(findings),
        show_model=len(results) > 1,
        version=__version__,
    )


def title(pages: Pages, results: Sequence[ModelResult]) -> str:
    """Return the title of the report: benchmarks and models."""
    benchmarks = ", ".join(story.benchmark for story in pages.stories)
    return f"{benchmarks}: {', '.join(result.label for result in results)} · Evenhand report"


def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("evenhand.scorer.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )


def _asset(environment: jinja2.Environment, name: str) -> str:
    assert environment.loader is not None
    source, _, _ = environment.loader.get_source(environment, name)
    return source


def _policy(style: str, script: str) -> str:
    """Allow this page's own style and script by their hashes, and nothing else at all."""
    return (
        "default-src 'none'; "
        f"style-src {_source_hash(style)}; script-src {_source_hash(script)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _source_hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"
