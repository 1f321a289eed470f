"""Puts BBQ's findings, figures, tables, examples and methods in order."""

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
from evenhand.scorer.specs import reported

STEM = "bbq"

_Answers = Mapping[str, Answers]


def story(results: Sequence[ModelResult]) -> Story:
    """Tell all that the metric files say about BBQ.

    Runs on the question alone are what the others are compared with; without any other run they
    are told like one.
    """
    models = [own for own in results if not is_question_only(own)] or list(results)
    baselines = [own for own in results if own not in models]
    shelves = [Shelf(f"{STEM}-{place}") for place in range(len(models))]
    answers = {own.label: Answers(own, shelf) for own, shelf in zip(models, shelves, strict=True)}
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
        findings=[finding(own, baselines, axis) for own in models],
        sections=[section for section in sections if section.blocks],
        overview=tables.overview_table(models),
        shelves={shelf.name: shelf.examples for shelf in shelves if shelf.examples},
    )


def _drawn(*found: Figure | None) -> list[Block]:
    return [figure for figure in found if figure is not None]


def _metrics_section(models: Sequence[ModelResult]) -> Section:
    return Section(title="Metrics", blocks=[tables.metrics_table(models, caption="All rows")])


def _category_section(models: Sequence[ModelResult], answers: _Answers) -> Section:
    blocks = _drawn(heat_figure(models, "category", answers))
    blocks += tables.group_tables(models, "category", name="Category", answers=answers)
    return Section(title="Bias by category", lead=CAVEAT, blocks=blocks)


def _accuracy_section(models: Sequence[ModelResult]) -> Section:
    drawn = _drawn(figures.accuracy_figure(models), figures.cost_figure(models))
    lacking = [own for own in models if own.why_no_parts is not None]
    blocks: list[Block] = [
        Paragraph(
            text=f"{own.label}: no accuracy by agreement with the stereotype: {own.why_no_parts}.",
            notice=True,
        )
        for own in lacking
    ]
    return Section(
        title="Accuracy and its cost",
        lead="Does the model follow evidence for an answer that contradicts the stereotype?",
        blocks=[*drawn, *blocks] if drawn else [],
    )


def _group_section(models: Sequence[ModelResult], answers: _Answers) -> Section:
    drawn = _drawn(figures.group_figure(models, "stereotyped_group"))
    blocks: list[Block] = list(drawn)
    kinds = (
        ("stereotyped_group", "Stereotyped group", answers),
        ("subcategory", "Subcategory", None),
        ("label_type", "How people are named", None),
    )
    for dimension, name, found in kinds:
        own = tables.group_tables(models, dimension, name=name, answers=found)
        if len(models) == 1 and own:
            own = [Details(summary=f"Table: by {name.lower()}", blocks=own)]
        elif own:
            own = [Subheading(text=f"By {name.lower()}"), *_folded(own)]
        blocks += own
    lead = "A row about two stereotyped groups counts for each. Groups are named as in the data."
    return Section(title="Groups", lead=lead, blocks=blocks)


def _folded(blocks: Sequence[Block]) -> list[Block]:
    return [
        Details(summary=own.summary, blocks=own.blocks) if isinstance(own, Details) else own
        for own in blocks
    ]


def _intersection_section(models: Sequence[ModelResult], answers: _Answers) -> Section:
    dimension = "differing_dimension"
    heat = _drawn(heat_figure(models, dimension, answers))
    found = tables.group_tables(models, dimension, name="What they differ in")
    return Section(
        title="Intersections",
        lead="In the intersectional categories the two people differ in one dimension, or in both.",
        blocks=[*heat, *found] if heat else [],
    )


def _wording_section(models: Sequence[ModelResult]) -> Section:
    table = tables.wording_table(models)
    folded = [] if table is None else [Details(summary=f"Table: {table.caption}", blocks=[table])]
    return Section(
        title="Wordings of UNKNOWN",
        lead="The answer that it cannot be known comes in several wordings.",
        blocks=[*_drawn(figures.wording_figure(models)), *folded],
    )


def _baseline_section(models: Sequence[ModelResult], baselines: Sequence[ModelResult]) -> Section:
    found = [tables.baseline_table(models, own) for own in baselines]
    blocks: list[Block] = [table for table in found if table is not None]
    return Section(title="Question-only baseline", lead=QUESTION_ONLY, blocks=blocks)


def _examples_section(models: Sequence[ModelResult], answers: _Answers) -> Section:
    categories = list(dict.fromkeys(name for own in models for name in own.report.configs))
    return Section(title="Examples", lead=EXAMPLES, blocks=model_examples(answers, categories))


def _methods_section(models: Sequence[ModelResult]) -> Section:
    ids = {metric.id for own in models for metric in own.report.metrics}
    return Section(
        title="Methods",
        lead=f"What each number means, after {specs.PAPER.title}.",
        blocks=[
            *formulas(reported(specs.in_report_order(), ids)),
            Subheading(text="Means, intervals and tests"),
            Paragraph(text=MEANS),
            Paragraph(text=INTERVALS),
        ],
    )
