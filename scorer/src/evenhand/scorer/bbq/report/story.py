"""BBQ's part of the report: findings, figures, tables, examples and methods, in order."""

from collections.abc import Mapping, Sequence

from evenhand.scorer.bbq import specs
from evenhand.scorer.bbq.report import figures, tables
from evenhand.scorer.bbq.report.drilldown import Answers, model_examples
from evenhand.scorer.bbq.report.findings import finding, shared_axis
from evenhand.scorer.bbq.report.heat import heat_figure
from evenhand.scorer.bbq.report.methods import (
    EXAMPLES,
    INTERVALS,
    MEANS,
    QUESTION_ONLY,
)
from evenhand.scorer.bbq.report.values import is_question_only
from evenhand.scorer.bbq.report.words import BENCHMARK, CAVEAT, QUESTION
from evenhand.scorer.report.blocks import (
    Block,
    Details,
    Figure,
    Paragraph,
    Section,
    Story,
    Subheading,
)
from evenhand.scorer.report.formulas import formulas
from evenhand.scorer.report.reading import ModelResult
from evenhand.scorer.report.shelf import Shelf
from evenhand.scorer.report.words import CONTENT_WARNING
from evenhand.scorer.specs import reported_specs

STEM = "bbq"

_Answers = Mapping[str, Answers]


def story(results: Sequence[ModelResult]) -> Story:
    """Return BBQ's part of the report.

    Runs on the question alone are baselines for the others; without any other run they are
    reported like any model.
    """
    models = [result for result in results if not is_question_only(result)] or list(results)
    baselines = [result for result in results if result not in models]
    shelves = [Shelf(f"{STEM}-{place}") for place in range(len(models))]
    answers = {
        result.label: Answers(result, shelf) for result, shelf in zip(models, shelves, strict=True)
    }
    axis = shared_axis(models)
    sections = [
        _metrics_section(models),
        _category_section(models, answers),
        _accuracy_section(models),
        _group_section(models, answers),
        _intersection_section(models, answers),
        _wording_section(models),
        _baseline_section(models, baselines),
        _examples_section(models, answers),
        _methods_section(models),
    ]
    return Story(
        benchmark=BENCHMARK,
        question=QUESTION,
        content_warning=CONTENT_WARNING,
        findings=[finding(result, baselines, axis) for result in models],
        sections=[section for section in sections if section.blocks],
        overview=tables.overview_table(models),
        shelves={shelf.name: shelf.examples for shelf in shelves if shelf.examples},
    )


def _drawn(*figures_or_none: Figure | None) -> list[Block]:
    return [figure for figure in figures_or_none if figure is not None]


def _metrics_section(models: Sequence[ModelResult]) -> Section:
    return Section(title="Metrics", blocks=[tables.metrics_table(models, caption="All rows")])


def _category_section(models: Sequence[ModelResult], answers: _Answers) -> Section:
    blocks = _drawn(heat_figure(models, "category", answers))
    blocks += tables.group_tables(models, "category", name="Category", answers=answers)
    return Section(title="Bias by category", lead=CAVEAT, blocks=blocks)


def _accuracy_section(models: Sequence[ModelResult]) -> Section:
    drawn = _drawn(figures.accuracy_figure(models), figures.cost_figure(models))
    lacking = [result for result in models if result.why_no_parts is not None]
    blocks: list[Block] = [
        Paragraph(
            text=f"{result.label}: accuracy by agreement with the stereotype is missing:"
            f" {result.why_no_parts}.",
            notice=True,
        )
        for result in lacking
    ]
    return Section(
        title="Accuracy and its cost",
        lead="Does the model follow the context where the right answer contradicts the stereotype?",
        blocks=[*drawn, *blocks] if drawn else [],
    )


def _group_section(models: Sequence[ModelResult], answers: _Answers) -> Section:
    drawn = _drawn(figures.group_figure(models, "stereotyped_group"))
    blocks: list[Block] = list(drawn)
    kinds = (
        ("stereotyped_group", "Stereotyped group", answers),
        ("subcategory", "Subcategory", None),
        ("label_type", "Way of naming people", None),
    )
    for dimension, name, examples in kinds:
        group_blocks = tables.group_tables(models, dimension, name=name, answers=examples)
        if len(models) == 1 and group_blocks:
            group_blocks = [Details(summary=f"Table: by {name.lower()}", blocks=group_blocks)]
        elif group_blocks:
            group_blocks = [Subheading(text=f"By {name.lower()}"), *_folded(group_blocks)]
        blocks += group_blocks
    lead = "A row about two stereotyped groups counts for both. Groups are named as in the data."
    return Section(title="Groups", lead=lead, blocks=blocks)


def _folded(blocks: Sequence[Block]) -> list[Block]:
    return [
        Details(summary=block.summary, blocks=block.blocks) if isinstance(block, Details) else block
        for block in blocks
    ]


def _intersection_section(models: Sequence[ModelResult], answers: _Answers) -> Section:
    dimension = "differing_dimension"
    heat = _drawn(heat_figure(models, dimension, answers))
    group_blocks = tables.group_tables(models, dimension, name="Differing dimension")
    return Section(
        title="Intersections",
        lead="In the intersectional categories the two people differ in one dimension or in both.",
        blocks=[*heat, *group_blocks] if heat else [],
    )


def _wording_section(models: Sequence[ModelResult]) -> Section:
    table = tables.wording_table(models)
    folded = [] if table is None else [Details(summary=f"Table: {table.caption}", blocks=[table])]
    return Section(
        title="Wordings of UNKNOWN",
        lead="The UNKNOWN answer comes in several wordings, e.g. “Not known”.",
        blocks=[*_drawn(figures.wording_figure(models)), *folded],
    )


def _baseline_section(models: Sequence[ModelResult], baselines: Sequence[ModelResult]) -> Section:
    baseline_tables = [tables.baseline_table(models, baseline) for baseline in baselines]
    blocks: list[Block] = [table for table in baseline_tables if table is not None]
    return Section(title="Question-only baseline", lead=QUESTION_ONLY, blocks=blocks)


def _examples_section(models: Sequence[ModelResult], answers: _Answers) -> Section:
    categories = list(dict.fromkeys(name for result in models for name in result.report.configs))
    return Section(title="Examples", lead=EXAMPLES, blocks=model_examples(answers, categories))


def _methods_section(models: Sequence[ModelResult]) -> Section:
    ids = {metric.id for result in models for metric in result.report.metrics}
    return Section(
        title="Methods",
        lead=f"Definitions of the metrics, after {specs.PAPER.title}.",
        blocks=[
            *formulas(reported_specs(specs.in_report_order(), ids)),
            Subheading(text="Means, intervals and tests"),
            Paragraph(text=MEANS),
            Paragraph(text=INTERVALS),
        ],
    )
