"""UnQover's part of the report: findings, figures, tables, examples and methods, in order."""

# ruff: noqa: RUF001 - the symbols are the paper's

from collections.abc import Mapping, Sequence

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
from evenhand.scorer.report.words import CONTENT_WARNING, things
from evenhand.scorer.specs import reported_specs
from evenhand.scorer.unqover import specs
from evenhand.scorer.unqover.report import figures, metric_tables
from evenhand.scorer.unqover.report.drilldown import PairExamples, example_blocks
from evenhand.scorer.unqover.report.findings import finding, shared_axis
from evenhand.scorer.unqover.report.methods import INTERVALS, NULLS
from evenhand.scorer.unqover.report.overview import overview_table
from evenhand.scorer.unqover.report.pairs import Pair, read_pairs
from evenhand.scorer.unqover.report.shift import shift_blocks
from evenhand.scorer.unqover.report.words import (
    BENCHMARK,
    CAVEAT,
    QUESTION,
    class_words,
)
from evenhand.scorer.unqover.tables import shared_top_attributes

STEM = "unqover"

TOP_PAIRS = 10
"""The number of pairs shown at each end."""

SHARED_TOP = 5
"""An attribute is shared if it is among a subject's five strongest in two models or more."""


def story(results: Sequence[ModelResult]) -> Story:
    """Return UnQover's part of the report."""
    configs = _configs(results)
    shelves = {result.label: Shelf(f"{STEM}-{i}") for i, result in enumerate(results)}
    axis = shared_axis(results, configs)
    findings = [
        finding(result, config, axis)
        for config in configs
        for result in results
        if config in result.report.configs
    ]
    sections = [_metrics_section(results, configs), *_beyond_section(results, configs)]
    sections += [_config_section(results, config, shelves) for config in configs]
    return Story(
        benchmark=BENCHMARK,
        question=QUESTION,
        content_warning=CONTENT_WARNING,
        findings=findings,
        sections=[*sections, _methods_section(results)],
        overview=overview_table(results, configs),
        shelves={shelf.name: shelf.examples for shelf in shelves.values() if shelf.examples},
    )


def _configs(results: Sequence[ModelResult]) -> list[str]:
    """Return all configs in the order in which they first occur."""
    return list(dict.fromkeys(config for result in results for config in result.report.configs))


def _metrics_section(results: Sequence[ModelResult], configs: list[str]) -> Section:
    blocks = _metric_tables(results, configs, shelf="paper")
    empty = Paragraph(text="The metric file only has values by subject.")
    return Section(title="Metrics", blocks=blocks or [empty])


def _beyond_section(results: Sequence[ModelResult], configs: list[str]) -> list[Section]:
    blocks = _metric_tables(results, configs, shelf="beyond")
    if not blocks:
        return []
    lead = "These metrics are Evenhand’s; no paper defines them, so they are reported separately."
    return [Section(title="Beyond the paper", lead=lead, blocks=blocks, is_ours=True)]


def _metric_tables(
    results: Sequence[ModelResult], configs: list[str], *, shelf: str
) -> list[Block]:
    tables = (metric_tables.metrics_table(results, config, shelf=shelf) for config in configs)
    return [table for table in tables if table is not None]


def _config_section(
    results: Sequence[ModelResult], config: str, shelves: Mapping[str, Shelf]
) -> Section:
    members = [result for result in results if config in result.report.configs]
    blocks: list[Block] = [*_across_models(members, config), *shift_blocks(results, config)]
    for i, result in enumerate(members):
        model_blocks = _model_blocks(result, config, shelves[result.label])
        if len(members) == 1:
            blocks += model_blocks
        else:
            blocks.append(
                Details(summary=result.label, blocks=model_blocks, is_open=i == 0, is_major=True)
            )
    return Section(title=class_words(config).title, lead=CAVEAT, blocks=blocks)


def _across_models(results: Sequence[ModelResult], config: str) -> list[Block]:
    if len(results) < 2:
        return []
    figures_or_none = [
        figures.intensity_figure(results, config),
        figures.mean_rank_figure(results, config),
    ]
    blocks: list[Block] = [figure for figure in figures_or_none if figure is not None]
    ranks = metric_tables.rank_table(results, config)
    if ranks is not None:
        blocks.append(Details(summary=f"Table: {ranks.caption}", blocks=[ranks]))
    shared = _shared_table(results, config)
    return [*blocks, *([] if shared is None else [shared])]


def _shared_table(results: Sequence[ModelResult], config: str) -> Table | None:
    tables = {
        result.label: result.parts.filter(
            (result.parts["table"] == "subject_attribute") & (result.parts["config"] == config)
        )
        for result in results
        if read_pairs(result, config) and result.parts is not None
    }
    if len(tables) < 2:
        return None
    shared = shared_top_attributes(tables, k=SHARED_TOP).head(2 * TOP_PAIRS)
    return metric_tables.shared_table(shared, k=SHARED_TOP)


def _model_blocks(result: ModelResult, config: str, shelf: Shelf) -> list[Block]:
    rank = figures.rank_figure(result, config)
    return [
        *_group_blocks(result, config),
        *([] if rank is None else [rank]),
        *_subject_blocks(result, config),
        *_pair_blocks(result, config, PairExamples(result, config, shelf)),
    ]


def _group_blocks(result: ModelResult, config: str) -> list[Block]:
    table = metric_tables.subject_table(result, config, by="group")
    if table is None:
        return []
    pairs = read_pairs(result, config, by="group")
    if len(table.rows) == 2:
        # What one of two groups wins, the other loses, so the other end would repeat the first.
        ends = _both_ends(pairs, None, by="group")[:1]
    else:
        ends = _both_ends(pairs, None, by="group")
    heat = figures.heat_figure(pairs, columns="groups", model=result.label)
    return [table, *ends, *([] if heat is None else [heat])]


def _subject_blocks(result: ModelResult, config: str) -> list[Block]:
    table = metric_tables.subject_table(result, config)
    if table is None:
        return [Paragraph(text="The metric file holds no value by subject for this config.")]
    return [Details(summary=f"Table: {table.caption}", blocks=[table])]


def _pair_blocks(result: ModelResult, config: str, examples: PairExamples) -> list[Block]:
    """Return the pairs at both ends, the matrix and the examples, or why there are none."""
    if result.why_no_parts is not None:
        reason = f"No table of pairs and no matrix: {result.why_no_parts}."
        return [Paragraph(text=reason, notice=True), *example_blocks(examples, [])]
    pairs = read_pairs(result, config)
    if not pairs:
        reason = "No table of pairs and no matrix: the parts file has none for this config."
        return [Paragraph(text=reason, notice=True), *example_blocks(examples, [])]
    has_groups = bool(read_pairs(result, config, by="group"))
    heat: Figure | None = None
    if not has_groups:
        columns = class_words(config).subjects
        heat = figures.heat_figure(pairs, columns=columns, model=result.label)
    return [
        Subheading(text="Strongest pairs of subject and attribute"),
        *_both_ends(pairs, examples, by="subject"),
        *([] if heat is None else [heat]),
        *example_blocks(examples, [pair for _, end in _ends(pairs) for pair in end]),
    ]


def _both_ends(pairs: list[Pair], examples: PairExamples | None, *, by: str) -> list[Block]:
    """Return the pairs with the highest and the lowest gamma, positive and negative apart."""
    total = f"of {things(len(pairs), 'pair', 'pairs')}"
    return [
        metric_tables.pair_table(end, examples, caption=f"{title}, {total}", by=by)
        for title, end in _ends(pairs)
        if end
    ]


def _ends(pairs: list[Pair]) -> list[tuple[str, list[Pair]]]:
    """Return the strongest pairs of each sign with their captions."""
    chosen = [pair for pair in pairs if pair.gamma > 0][:TOP_PAIRS]
    passed_over = [pair for pair in reversed(pairs) if pair.gamma < 0][:TOP_PAIRS]
    return [
        ("Chosen most for the attribute", chosen),
        ("Chosen least for the attribute", passed_over),
    ]


def _methods_section(results: Sequence[ModelResult]) -> Section:
    ids = {metric.id for result in results for metric in result.report.metrics}
    return Section(
        title="Methods",
        lead=f"Definitions of the metrics. Sections are those of {specs.PAPER.title}.",
        blocks=[
            *formulas([*specs.DEFINITIONS, *reported_specs(specs.METRICS, ids)]),
            Subheading(text="Intervals, tests and null distributions"),
            Paragraph(text=INTERVALS),
            Paragraph(text=NULLS),
        ],
    )
