"""Puts BVF's findings, figures, tables, examples and methods in order."""

# ruff: noqa: RUF001 - apostrophes

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from evenhand.scorer.bvf.report import context_tables, tables
from evenhand.scorer.bvf.report.cells import Cells, read_cells, read_norms, read_quartiles
from evenhand.scorer.bvf.report.comparison import LEAD, comparison_blocks
from evenhand.scorer.bvf.report.drilldown import Texts, text_blocks
from evenhand.scorer.bvf.report.figures import class_figure, preference_figure
from evenhand.scorer.bvf.report.findings import finding, shared_axis
from evenhand.scorer.bvf.report.heat import heat_figure
from evenhand.scorer.bvf.report.methods import EXAMPLES, INTERVALS, NULLS, definitions
from evenhand.scorer.bvf.report.scatter import fact_figure, risk_figure
from evenhand.scorer.bvf.report.values import TopicResult, results_by_topic
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
NO_PARTS = "no box plots, no heat map and no other criteria"
"""What is missing where the parts file is."""
SAME_NORMS = (
    "Other criteria: with two classes only one of them can have a positive stereotype, so all norms"
    " l¹, l², … l∞ give the same risks."
)

_SAME = 1e-9
"""Smaller differences are rounding."""
_WRITTEN = 0.00005
"""Smaller values are written as 0."""
MOST_VOLATILE = 8
"""Number of the most volatile subjects that are shown with the contexts that move them."""

_Topics = Sequence[tuple[str, list[TopicResult]]]


class _RunOnTopic(NamedTuple):
    """One model on one topic, with what its side files hold."""

    result: TopicResult
    texts: Texts
    cells: Cells | None


def story(results: Sequence[ModelResult]) -> Story:
    """Put together all that the metric files say about BVF."""
    topics = list(results_by_topic(results))
    shelves = {run.label: Shelf(f"{STEM}-{place}") for place, run in enumerate(results)}
    runs = {
        (config, result.label): _RunOnTopic(
            result, Texts(result, shelves[result.label]), read_cells(result)
        )
        for config, on_topic in topics
        for result in on_topic
    }
    axis = shared_axis([result for _, on_topic in topics for result in on_topic])
    sections = [
        _metrics_section(topics),
        _beyond_section(topics),
        _comparison_section(topics),
        *(_topic_section(on_topic, runs) for _, on_topic in topics),
        _examples_section(runs.values()),
        _methods_section(results),
    ]
    labels = [run.label for run in results]
    return Story(
        benchmark=BENCHMARK,
        question=QUESTION,
        content_warning=CONTENT_WARNING,
        findings=[finding(result, axis) for _, on_topic in topics for result in on_topic],
        sections=[section for section in sections if section.blocks],
        overview=tables.overview_table(topics, labels) if len(results) > 1 else None,
        shelves={shelf.name: shelf.examples for shelf in shelves.values() if shelf.examples},
    )


def _present(*blocks: Figure | Table | None) -> list[Block]:
    return [block for block in blocks if block is not None]


def _metrics_section(topics: _Topics) -> Section:
    blocks = [
        block
        for _, results in topics
        for table in [tables.metrics_table(results)]
        for block in [*_present(table), *_order_blocks(results)]
    ]
    return Section(title="Metrics", blocks=blocks)


def _order_blocks(results: Sequence[TopicResult]) -> list[Block]:
    order_tables = [(result, tables.order_table(result)) for result in results]
    return [
        Details(summary=f"Table: {_title(table.caption, result, results)}", blocks=[table])
        for result, table in order_tables
        if table is not None
    ]


def _title(text: str, result: TopicResult, results: Sequence[TopicResult]) -> str:
    return text if len(results) == 1 else f"{text}, {result.label}"


def _beyond_section(topics: _Topics) -> Section:
    metric_tables = [tables.metrics_table(results, is_beyond=True) for _, results in topics]
    return Section(
        title="Beyond the paper",
        lead="The criterion, how well the right class is known, is Evenhand’s own and does not"
        " measure bias.",
        blocks=_present(*metric_tables),
        is_ours=True,
    )


def _comparison_section(topics: _Topics) -> Section:
    blocks: list[Block] = []
    for config, results in topics:
        compared = comparison_blocks([result for result in results if result.is_scored])
        if compared and len(topics) > 1:
            blocks.append(Subheading(text=topic_words(config).title))
        blocks += compared
    return Section(title="Models and corpora", lead=LEAD, blocks=blocks)


def _topic_section(
    results: Sequence[TopicResult], runs: Mapping[tuple[str, str], _RunOnTopic]
) -> Section:
    """Return one topic: all models on the same axes, then each model by itself."""
    scored = [result for result in results if result.is_scored]
    words = topic_words(results[0].config)
    if not scored:
        return Section(title=words.title, blocks=[])
    blocks: list[Block] = [
        *_present(risk_figure(scored)),
        *(
            _missing_parts_notice(result)
            for result in scored
            if runs[result.config, result.label].cells is None
        ),
        *_present(preference_figure(scored)),
    ]
    for place, result in enumerate(scored):
        model_blocks = _model_blocks(runs[result.config, result.label])
        if len(scored) == 1:
            blocks += model_blocks
        else:
            blocks.append(
                Details(
                    summary=result.label, blocks=model_blocks, is_open=place == 0, is_major=True
                )
            )
    return Section(title=words.title, lead=CAVEAT, blocks=blocks)


def _missing_parts_notice(result: TopicResult) -> Paragraph:
    why = result.run.why_no_parts or "the parts file holds no contexts of this topic"
    return Paragraph(text=f"{result.label}: {NO_PARTS}: {why}.", notice=True)


def _model_blocks(run: _RunOnTopic) -> list[Block]:
    return [
        *_present(class_figure(run.result)),
        *_subject_blocks(run),
        *_spread_blocks(run.result),
        *([] if run.cells is None else _context_blocks(run, run.cells)),
        *_norm_blocks(run.result),
        *_fact_blocks(run.result),
    ]


def _subject_blocks(run: _RunOnTopic) -> list[Block]:
    result, texts = run.result, run.texts
    if not result.ranking:
        return []
    n, many = len(result.ranking), result.nouns.many
    whole = tables.subject_table(result, texts, result.ranking, f"All {n} {many}")
    folded: list[Block] = [Details(summary=f"Table: all {n} {many}", blocks=[whole])]
    boxes = [
        tables.quartile_table(result, name, quartiles)
        for name in (result.classes[:1] if result.is_two_sided else result.classes)
        for quartiles in [read_quartiles(result, name)]
        if quartiles
    ]
    folded += [Details(summary=f"Table: {table.caption}", blocks=[table]) for table in boxes]
    if n <= 2 * tables.ENDS:
        return [whole, *folded[1:]]
    names = [*result.ranking[: tables.ENDS], *result.ranking[-tables.ENDS :]]
    caption = f"The {tables.ENDS} most and the {tables.ENDS} least stereotyped of {n} {many}"
    return [tables.subject_table(result, texts, names, caption), *folded]


def _spread_blocks(result: TopicResult) -> list[Block]:
    table = tables.spread_table(result)
    return [] if table is None else [Details(summary=f"Table: {table.caption}", blocks=[table])]


def _context_blocks(run: _RunOnTopic, cells: Cells) -> list[Block]:
    volatility = run.result.values("r_v")
    moving = [name for name in volatility if volatility[name] >= _WRITTEN]
    ranked = sorted(moving, key=lambda name: (-volatility[name], name))[:MOST_VOLATILE]
    table = context_tables.volatility_table(run.result, cells, run.texts, ranked)
    return [
        Subheading(text="Variation across contexts"),
        *_present(heat_figure(run.result, cells)),
        *([table] if table.rows else []),
    ]


def _norm_blocks(result: TopicResult) -> list[Block]:
    """Return the risks under several norms, or that they are the same."""
    norms = read_norms(result)
    if len(norms) < 2:
        return []
    values = np.array([norm[1:] for norm in norms])
    if np.ptp(values, axis=0).max() < _SAME:
        return [Paragraph(text=SAME_NORMS)]
    return [context_tables.norm_table(result, norms)]


def _fact_blocks(result: TopicResult) -> list[Block]:
    table = tables.regression_table(result)
    if table is None:
        return []
    figures = [figure for factor in FACTORS if (figure := fact_figure(result, factor)) is not None]
    folded = [
        Details(summary=f"Figure: {figure.title.lower()}", blocks=[figure])
        for figure in figures[1:]
    ]
    return [
        Subheading(text="What the risk is associated with"), *figures[:1], *folded, table,
    ]  # fmt: skip


def _examples_section(runs: Iterable[_RunOnTopic]) -> Section:
    blocks = text_blocks([(run.result, run.texts) for run in runs])
    return Section(title="Examples", lead=EXAMPLES, blocks=blocks)


def _methods_section(results: Sequence[ModelResult]) -> Section:
    ids = {metric.id for run in results for metric in run.report.metrics}
    return Section(
        title="Methods",
        lead=f"What each number means. Sections and equations are those of {PAPER.title}.",
        blocks=[
            *formulas(definitions(ids, {run.report.protocol for run in results})),
            Subheading(text="Intervals, tests and null distributions"),
            Paragraph(text=INTERVALS),
            Paragraph(text=NULLS),
        ],
    )
