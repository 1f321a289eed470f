"""Puts BVF's findings, figures, tables, examples and methods in order."""

# ruff: noqa: RUF001 - apostrophes

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from evenhand.scorer.bvf.report import context_tables, tables
from evenhand.scorer.bvf.report.cells import Cells, cells_of, norms_of, quartiles_of
from evenhand.scorer.bvf.report.comparison import LEAD, comparison_blocks
from evenhand.scorer.bvf.report.drilldown import Texts, text_blocks
from evenhand.scorer.bvf.report.figures import class_figure, lean_figure
from evenhand.scorer.bvf.report.findings import finding, shared_axis
from evenhand.scorer.bvf.report.heat import heat_figure
from evenhand.scorer.bvf.report.methods import EXAMPLES, INTERVALS, NULLS, definitions
from evenhand.scorer.bvf.report.scatter import fact_figure, risk_figure
from evenhand.scorer.bvf.report.values import TopicResult, topics_of
from evenhand.scorer.bvf.report.words import (
    BENCHMARK,
    CAVEAT,
    FACTORS,
    QUESTION,
    topic_words,
)
from evenhand.scorer.bvf.specs import PAPER
from evenhand.scorer.report.blocks import (
    Block,
    Details,
    Figure,
    Paragraph,
    Section,
    Story,
    Subheading,
    Table,
)
from evenhand.scorer.report.formulas import formulas
from evenhand.scorer.report.reading import ModelResult
from evenhand.scorer.report.shelf import Shelf
from evenhand.scorer.report.words import CONTENT_WARNING

STEM = "bvf"

_SAME = 1e-9
"""What is below is rounding."""
_WRITTEN = 0.00005
"""What is below is written as 0."""
MOST_VOLATILE = 8
"""So many of the most volatile subjects are shown with the contexts that pull them."""

_Topics = Sequence[tuple[str, list[TopicResult]]]


class _Told(NamedTuple):
    """One model on one topic, with what lies beside its metric file."""

    own: TopicResult
    texts: Texts
    cells: Cells | None


def story(results: Sequence[ModelResult]) -> Story:
    """Tell all that the metric files say about BVF."""
    topics = list(topics_of(results))
    shelves = {result.label: Shelf(f"{STEM}-{place}") for place, result in enumerate(results)}
    told = {
        (config, own.label): _Told(own, Texts(own, shelves[own.label]), cells_of(own))
        for config, found in topics
        for own in found
    }
    axis = shared_axis([own for _, found in topics for own in found])
    sections = [
        _metrics_section(topics),
        _beyond_section(topics),
        _comparison_section(topics),
        *(_topic_section(found, told) for _, found in topics),
        _examples_section(told.values()),
        _methods_section(results),
    ]
    labels = [result.label for result in results]
    return Story(
        benchmark=BENCHMARK,
        question=QUESTION,
        content_warning=CONTENT_WARNING,
        findings=[finding(own, axis) for _, found in topics for own in found],
        sections=[section for section in sections if section.blocks],
        overview=tables.overview_table(topics, labels) if len(results) > 1 else None,
        shelves={shelf.name: shelf.examples for shelf in shelves.values() if shelf.examples},
    )


def _drawn(*found: Figure | Table | None) -> list[Block]:
    return [block for block in found if block is not None]


def _metrics_section(topics: _Topics) -> Section:
    blocks = [
        block
        for _, found in topics
        for table in [tables.metrics_table(found)]
        for block in [*_drawn(table), *(_order_blocks(found))]
    ]
    return Section(title="Metrics", blocks=blocks)


def _order_blocks(results: Sequence[TopicResult]) -> list[Block]:
    found = [(own, tables.order_table(own)) for own in results]
    return [
        Details(summary=f"Table: {_named(table.caption, own, results)}", blocks=[table])
        for own, table in found
        if table is not None
    ]


def _named(text: str, own: TopicResult, results: Sequence[TopicResult]) -> str:
    return text if len(results) == 1 else f"{text}, {own.label}"


def _beyond_section(topics: _Topics) -> Section:
    found = [tables.metrics_table(own, is_beyond=True) for _, own in topics]
    return Section(
        title="Beyond the paper",
        lead="The criterion, how well the right class is known, is Evenhand’s own and no bias.",
        blocks=_drawn(*found),
        is_ours=True,
    )


def _comparison_section(topics: _Topics) -> Section:
    blocks: list[Block] = []
    for config, found in topics:
        own = comparison_blocks([one for one in found if one.is_scored])
        title = [Subheading(text=topic_words(config).title)] if own and len(topics) > 1 else []
        blocks += [*title, *own]
    return Section(title="Models and corpora", lead=LEAD, blocks=blocks)


def _topic_section(
    results: Sequence[TopicResult], told: Mapping[tuple[str, str], _Told]
) -> Section:
    """Tell one topic: what all models show on the same axes, then each model by itself."""
    scored = [own for own in results if own.is_scored]
    words = topic_words(results[0].config)
    if not scored:
        return Section(title=words.title, blocks=[])
    blocks: list[Block] = [
        *_drawn(risk_figure(scored)),
        *(_lacking(own) for own in scored if told[own.config, own.label].cells is None),
        *_drawn(lean_figure(scored)),
    ]
    for place, own in enumerate(scored):
        of_model = _model_blocks(told[own.config, own.label])
        if len(scored) == 1:
            blocks += of_model
        else:
            blocks.append(
                Details(summary=own.label, blocks=of_model, is_open=place == 0, is_major=True)
            )
    return Section(title=words.title, lead=CAVEAT, blocks=blocks)


def _lacking(own: TopicResult) -> Paragraph:
    why = own.result.why_no_parts or "the parts file holds no contexts of this topic"
    return Paragraph(
        text=f"{own.label}: no box plots, no heat map and no other criteria: {why}.", notice=True
    )


def _model_blocks(told: _Told) -> list[Block]:
    own = told.own
    return [
        *_drawn(class_figure(own)),
        *_subject_blocks(told),
        *_spread_blocks(own),
        *([] if told.cells is None else _context_blocks(told, told.cells)),
        *_norm_blocks(own),
        *_fact_blocks(own),
    ]


def _subject_blocks(told: _Told) -> list[Block]:
    own, texts = told.own, told.texts
    if not own.ranked:
        return []
    n, many = len(own.ranked), own.called.many
    whole = tables.subject_table(own, texts, own.ranked, f"All {n} {many}")
    folded: list[Block] = [Details(summary=f"Table: all {n} {many}", blocks=[whole])]
    boxes = [
        tables.quartile_table(own, name, found)
        for name in (own.classes[:1] if own.is_two_sided else own.classes)
        for found in [quartiles_of(own, name)]
        if found
    ]
    folded += [Details(summary=f"Table: {table.caption}", blocks=[table]) for table in boxes]
    if n <= 2 * tables.ENDS:
        return [whole, *folded[1:]]
    names = [*own.ranked[: tables.ENDS], *own.ranked[-tables.ENDS :]]
    caption = f"The {tables.ENDS} most and the {tables.ENDS} least stereotyped of {n} {many}"
    return [tables.subject_table(own, texts, names, caption), *folded]


def _spread_blocks(own: TopicResult) -> list[Block]:
    table = tables.spread_table(own)
    return [] if table is None else [Details(summary=f"Table: {table.caption}", blocks=[table])]


def _context_blocks(told: _Told, cells: Cells) -> list[Block]:
    own = told.own
    volatility = own.values("r_v")
    moving = [name for name in volatility if volatility[name] >= _WRITTEN]
    ranked = sorted(moving, key=lambda name: (-volatility[name], name))[:MOST_VOLATILE]
    pulled = context_tables.moving_table(own, cells, told.texts, ranked)
    return [
        Subheading(text="From context to context"),
        *_drawn(heat_figure(own, cells)),
        *([pulled] if pulled.rows else []),
    ]


def _norm_blocks(own: TopicResult) -> list[Block]:
    """Return the risks under several norms, or that they are the same."""
    found = norms_of(own)
    if len(found) < 2:
        return []
    values = np.array([one[1:] for one in found])
    if np.ptp(values, axis=0).max() < _SAME:
        text = (
            "Other criteria: of two classes one alone has a positive stereotype, so all norms l¹,"
            " l², … l∞ give the same risks."
        )
        return [Paragraph(text=text)]
    return [context_tables.norm_table(own, found)]


def _fact_blocks(own: TopicResult) -> list[Block]:
    table = tables.regression_table(own)
    if table is None:
        return []
    drawn = [(factor, fact_figure(own, factor)) for factor in FACTORS]
    figures = [(factor, figure) for factor, figure in drawn if figure is not None]
    first: list[Block] = [figure for _, figure in figures[:1]]
    folded: list[Block] = [
        Details(summary=f"Figure: {figure.title.lower()}", blocks=[figure])
        for _, figure in figures[1:]
    ]
    return [Subheading(text="What the risk is associated with"), *first, *folded, table]


def _examples_section(told: Iterable[_Told]) -> Section:
    blocks = text_blocks([(one.own, one.texts) for one in told])
    return Section(title="Examples", lead=EXAMPLES, blocks=blocks)


def _methods_section(results: Sequence[ModelResult]) -> Section:
    ids = {metric.id for result in results for metric in result.report.metrics}
    return Section(
        title="Methods",
        lead=f"What each number means. Sections and equations are those of {PAPER.title}.",
        blocks=[
            *formulas(definitions(ids, {result.report.protocol for result in results})),
            Subheading(text="Intervals, tests and null distributions"),
            Paragraph(text=INTERVALS),
            Paragraph(text=NULLS),
        ],
    )
