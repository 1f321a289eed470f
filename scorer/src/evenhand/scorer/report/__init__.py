"""Metric files into one page a person can read, as HTML or Markdown.

Each benchmark tells its own story in a module of its own; a new one is one line in ``_STORIES``.
"""

import importlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from evenhand.contract.errors import DataRefused
from evenhand.scorer.report.blocks import Story
from evenhand.scorer.report.markdown import markdown
from evenhand.scorer.report.page import Pages, html
from evenhand.scorer.report.provenance import cautions, facts, made_section
from evenhand.scorer.report.reading import ModelResult, read_results

FORMS = ("html", "markdown")
Form = Literal["html", "markdown"]

# stem -> module with ``story(results) -> Story``
_STORIES = {"unqover": "evenhand.scorer.report.unqover"}


def render(paths: Sequence[Path], form: Form) -> str:
    """Return the report of one or several metric files (one a model) as text.

    Raises:
        DataRefused: a file cannot be read, or no story is known for its benchmark.
    """
    results = read_results(list(paths))
    pages = _pages(results)
    return html(pages, results) if form == "html" else markdown(pages, results)


def _pages(results: list[ModelResult]) -> Pages:
    by_stem: dict[str, list[ModelResult]] = {}
    for result in results:
        by_stem.setdefault(result.report.dataset.stem, []).append(result)
    stories = [_story_of(stem, own)(own) for stem, own in by_stem.items()]
    return Pages(
        stories=stories,
        facts=facts(results),
        cautions=[text for own in by_stem.values() for text in cautions(own)],
        sections=[*(part for story in stories for part in story.sections), made_section(results)],
    )


def _story_of(stem: str, results: list[ModelResult]) -> Callable[[Sequence[ModelResult]], Story]:
    if stem not in _STORIES:
        raise DataRefused(
            f"{results[0].path}: dataset.stem is {stem!r}, but this version reports on"
            f" {', '.join(_STORIES)}."
        )
    story: Callable[[Sequence[ModelResult]], Story] = importlib.import_module(_STORIES[stem]).story
    return story
