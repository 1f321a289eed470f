"""Draws the stories of a report as one self-contained HTML page."""

import base64
import functools
import hashlib
import json
from collections.abc import Sequence
from typing import Any

import jinja2
from markupsafe import Markup

from evenhand.scorer import __version__
from evenhand.scorer.report.blocks import Example, Story, Table
from evenhand.scorer.report.pages import Pages


def draw(pages: Pages) -> str:
    """Return the page."""
    environment = _environment()
    style, script = (_asset(environment, name) for name in ("page.css", "page.js"))
    return environment.get_template("page.html.jinja").render(
        pages=pages,
        policy=_policy(style, script),
        # Both are files of this package; whatever comes from a metric file is escaped.
        style=Markup(style),  # noqa: S704
        script=Markup(script),  # noqa: S704
        warnings=list(dict.fromkeys(story.content_warning for story in pages.stories)),
        examples=_examples(pages.stories),
        version=__version__,
    )


@functools.cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("evenhand.scorer.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _asset(environment: jinja2.Environment, name: str) -> str:
    assert environment.loader is not None
    source, _, _ = environment.loader.get_source(environment, name)
    return source


def _policy(style: str, script: str) -> str:
    """Allow this page's style and script by their hashes, and nothing else."""
    return (
        "default-src 'none'; "
        f"style-src {_source_hash(style)}; script-src {_source_hash(script)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _source_hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


# What could end the element that holds the data, or begin another one, is written as an escape.
_ESCAPES = str.maketrans({sign: f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"})


def _examples(stories: Sequence[Story]) -> Markup:
    """Return the examples of all stories as JSON, which the page's script reads on demand."""
    shelves = {
        name: [_plain(example) for example in examples]
        for story in stories
        for name, examples in story.shelves.items()
    }
    text = json.dumps(shelves, ensure_ascii=False, separators=(",", ":"))
    return Markup(text.translate(_ESCAPES))  # noqa: S704 - escaped above


def _plain(example: Example) -> dict[str, Any]:
    """Return an example as the page's script reads it, without empty fields."""
    fields = {
        "title": example.title,
        "lines": example.lines,
        "choices": [[choice.text, choice.tags, choice.is_chosen] for choice in example.choices],
        "scores": None if example.scores is None else _plain_table(example.scores),
    }
    return {name: value for name, value in fields.items() if value}


def _plain_table(table: Table) -> dict[str, Any]:
    return {
        "columns": [[column.label, column.is_number] for column in table.columns],
        "rows": [[cell.text for cell in row] for row in table.rows],
    }
