"""Turns metric files into reports for people and into other tools' formats.

For people: a page (HTML), Markdown, or text for a terminal. Each benchmark tells its story in its
``report`` package. For tools: the formats of ``interchange``. Modules are imported on demand: the
tools' formats need no jinja2.
"""

import importlib
from collections.abc import Sequence
from pathlib import Path

FORMS = ("html", "markdown", "table")
"""The forms for people; :data:`evenhand.scorer.report.interchange.FORMS` are those for tools."""

_DRAWS = {"html": "page", "markdown": "markdown", "table": "terminal"}


def render(
    paths: Sequence[Path],
    form: str,
    *,
    names: Sequence[str] = (),
    baselines: Sequence[Path] = (),
) -> str:
    """Return the report of one or several metric files as text; the same files, the same text.

    Args:
        paths: the files; each is one model on one benchmark.
        form: one of :data:`FORMS`.
        names: names of the models, one per file of ``paths`` and ``baselines``; without any,
            those in the predictions.
        baselines: files to compare the others with, e.g. runs on the question without its context.

    Raises:
        DataRefused: a file cannot be read.
    """
    from evenhand.scorer.report.pages import build_pages
    from evenhand.scorer.report.reading import read_results

    results = read_results([*paths, *baselines], names, n_baselines=len(baselines))
    pages = build_pages(results)
    text: str = importlib.import_module(f"{__name__}.{_DRAWS[form]}").draw(pages)
    return text
