"""BBQ's tables in the report: metrics, groups of every kind, wordings, and the baseline."""

# ruff: noqa: RUF001 - true minus signs, times signs and apostrophes

from collections.abc import Mapping, Sequence

from evenhand.contract.report import GroupValue, Metric
from evenhand.scorer.bbq import specs
from evenhand.scorer.bbq.counts import AMBIGUOUS
from evenhand.scorer.bbq.report.counted import Wording, wordings
from evenhand.scorer.bbq.report.drilldown import Answers
from evenhand.scorer.bbq.report.values import differs, find_metric, group_names, group_values
from evenhand.scorer.bbq.report.words import (
    ACCURACY,
    BIAS,
    group_title,
    short,
    short_interval,
)
from evenhand.scorer.bbq.specs import MEANS, CountedMetric
from evenhand.scorer.report import numbers
from evenhand.scorer.report.blocks import (
    MARKED,
    Block,
    Cell,
    Column,
    Details,
    ExampleSet,
    Table,
    Tone,
)
from evenhand.scorer.report.reading import ModelResult
from evenhand.scorer.report.words import NO_INTERVAL, interval_notes, null_text, things

PERCENT = "All values except counts are percentages, with their intervals beside or below them."
HOLM = f"{MARKED} differs from 0 after Holm’s correction over this table."


def overview_table(results: Sequence[ModelResult]) -> Table | None:
    """Return the macro means with one column per model; None for a single model."""
    if len(results) < 2:
        return None
    return _by_model(results, ["macro"], caption="Side by side, mean of the categories")


def metrics_table(results: Sequence[ModelResult], *, caption: str) -> Table:
    """Return every metric by both means: two columns for one model, else one column per model."""
    if len(results) > 1:
        return _by_model(results, list(MEANS), caption=caption)
    report = results[0].report
    rows = []
    for spec in specs.in_report_order():
        both = [find_metric(report, spec.base, mean) for mean in MEANS]
        known = next((metric for metric in both if metric is not None), None)
        if known is not None:
            counts = (known.n_scored, known.n_unscored)
            rows.append([
                _name_cell(spec, spec.reading),
                *(_metric_cell(spec.base, metric) for metric in both),
                *(Cell(text=numbers.count(n), sort=n) for n in counts),
            ])  # fmt: skip
    names = [words.capitalize() for words in MEANS.values()]
    return _metric_table(results, [*names, "Scored", "Left out"], rows, caption)


def _by_model(results: Sequence[ModelResult], means: Sequence[str], *, caption: str) -> Table:
    rows = [
        [
            _name_cell(spec, MEANS[mean] if len(means) > 1 else None),
            *(_metric_cell(spec.base, metric) for metric in values),
        ]
        for spec in specs.in_report_order()
        for mean in means
        for values in [[find_metric(result.report, spec.base, mean) for result in results]]
        if any(values)
    ]
    return _metric_table(results, [result.label for result in results], rows, caption)


def _name_cell(spec: CountedMetric, note: str | None) -> Cell:
    return Cell(text=spec.label[:1].upper() + spec.label[1:], note=note)


def _metric_table(
    results: Sequence[ModelResult], columns: Sequence[str], rows: list[list[Cell]], caption: str
) -> Table:
    metrics = [metric for result in results for metric in result.report.metrics]
    return Table(
        caption=caption,
        columns=[Column(label="Metric"), *_numbers(columns)],
        rows=rows,
        footnotes=[
            f"{PERCENT} {MARKED} the interval of a bias score excludes 0.",
            *interval_notes(metrics),
        ],
    )


def _numbers(names: Sequence[str]) -> list[Column]:
    return [Column(label=name, is_number=True) for name in names]


def _metric_cell(base: str, metric: Metric | None) -> Cell:
    if metric is None:
        return Cell(text="not scored", tone="reason")
    tone: Tone = "plain"
    interval = metric.interval
    if base in BIAS.values() and interval is not None and not interval.low <= 0 <= interval.high:
        tone = "positive" if interval.low > 0 else "negative"
    return _value_cell(base, metric, tone=tone)


def _value_cell(
    base: str,
    number: Metric | GroupValue,
    *,
    tone: Tone = "plain",
    examples: ExampleSet | None = None,
) -> Cell:
    if number.value is None:
        return Cell(text=null_text(number), tone="reason")
    return Cell(
        text=short(base, number.value),
        sort=number.value,
        note=short_interval(base, number) or NO_INTERVAL,
        hint=number.why_no_interval,
        tone=tone,
        examples=examples,
    )


def group_tables(
    results: Sequence[ModelResult],
    dimension: str,
    *,
    name: str,
    answers: Mapping[str, Answers] | None = None,
) -> list[Block]:
    """Return a dimension's values: one table for one model, else one per metric with all models.

    Args:
        results: the models.
        dimension: e.g. ``category``.
        name: what its groups are called, for the headings, e.g. ``Category``.
        answers: the examples of each model, where they can be looked up by this dimension's groups.
    """
    cells = _GroupCells(dimension, answers)
    shown = specs.in_report_order()
    names = group_names(results, [spec.base for spec in shown], dimension)
    if not names:
        return []
    if len(results) == 1:
        return [_one_model(results[0], names, name, cells)]
    tables = [_several_models(results, spec, names, name, cells) for spec in shown]
    return [
        Details(summary=table.caption, blocks=[table], is_open=place == 0)
        for place, table in enumerate(tables)
        if table is not None
    ]


class _GroupCells:
    """Writes the cells of one dimension."""

    def __init__(self, dimension: str, answers: Mapping[str, Answers] | None) -> None:
        self.dimension = dimension
        self._answers = answers

    def cell(self, result: ModelResult, spec: CountedMetric, name: str) -> Cell:
        """Return one value with its interval, its test and the examples behind it."""
        base = spec.base
        value = group_values(result.report, base, self.dimension).get(name)
        if value is None:
            return Cell(text="not scored", tone="reason")
        tone: Tone = "plain"
        if value.value is not None and differs(value, result.report):
            # A cost below 0 is a bias towards the stereotype, as is a bias score above 0.
            tone = "positive" if spec.stereotype_sign * value.value > 0 else "negative"
        return _value_cell(base, value, tone=tone, examples=self._examples(result, base, name))

    def _examples(self, result: ModelResult, base: str, name: str) -> ExampleSet | None:
        condition = next((key for key, bias_base in BIAS.items() if bias_base == base), None)
        if condition is None or self._answers is None:
            return None
        find = self._answers[result.label].of
        if self.dimension == "category":
            return find(condition, category=name)
        return find(condition, group=name)


def _one_model(result: ModelResult, names: Sequence[str], title: str, cells: _GroupCells) -> Table:
    known = [
        spec
        for spec in specs.in_report_order()
        if group_values(result.report, spec.base, cells.dimension)
    ]
    rows = [
        [
            Cell(text=group_title(cells.dimension, name), note=_rows_note(result, cells, name)),
            *(cells.cell(result, spec, name) for spec in known),
        ]
        for name in names
    ]
    values = [
        value
        for spec in known
        for value in group_values(result.report, spec.base, cells.dimension).values()
    ]
    return Table(
        caption=f"By {title.lower()}",
        columns=[Column(label=title), *_numbers([spec.column for spec in known])],
        rows=rows,
        footnotes=[f"{PERCENT} {HOLM}", *interval_notes(values)],
    )


def _rows_note(result: ModelResult, cells: _GroupCells, name: str) -> str:
    """Return the number of scored rows in both conditions."""
    counted = [
        group_values(result.report, base, cells.dimension).get(name) for base in ACCURACY.values()
    ]
    n = sum(value.n_scored for value in counted if value is not None)
    return things(n, "row", "rows")


def _several_models(
    results: Sequence[ModelResult],
    spec: CountedMetric,
    names: Sequence[str],
    title: str,
    cells: _GroupCells,
) -> Table | None:
    by_model = [group_values(result.report, spec.base, cells.dimension) for result in results]
    if not any(by_model):
        return None
    values = [value for groups in by_model for value in groups.values()]
    return Table(
        caption=f"{spec.label.capitalize()}, by {title.lower()}",
        columns=[Column(label=title), *_numbers([result.label for result in results])],
        rows=[
            [
                Cell(text=group_title(cells.dimension, name)),
                *(cells.cell(result, spec, name) for result in results),
            ]
            for name in names
        ],
        footnotes=[f"{PERCENT} {HOLM}", *interval_notes(values)],
    )


def wording_table(results: Sequence[ModelResult]) -> Table | None:
    """Return how often each wording of UNKNOWN is chosen, and its share of all UNKNOWN answers."""
    by_model = {
        result.label: {wording.text: wording for wording in wordings(result)} for result in results
    }
    known = {label: by_text for label, by_text in by_model.items() if by_text}
    if not known:
        return None
    texts = sorted({text for by_text in known.values() for text in by_text})
    totals = {
        label: sum(wording.n_chosen for wording in by_text.values())
        for label, by_text in known.items()
    }
    prefixes = [f"{label}: " if len(known) > 1 else "" for label in known]
    columns = [
        name for prefix in prefixes for name in (f"{prefix}chosen", f"{prefix}share of UNKNOWN")
    ]
    return Table(
        caption="Wordings of UNKNOWN in ambiguous contexts",
        columns=[
            Column(label="Wording"),
            *_numbers([name[:1].upper() + name[1:] for name in columns]),
        ],
        rows=[
            [
                Cell(text=text),
                *(
                    cell
                    for label, by_text in known.items()
                    for cell in _wording_cells(by_text.get(text), totals[label])
                ),
            ]
            for text in texts
        ],
        footnotes=[
            "Chosen: percentage of the times that it was offered.",
            "Share of UNKNOWN: percentage of all UNKNOWN answers.",
        ],
    )


def _wording_cells(wording: Wording | None, total: int) -> list[Cell]:
    if wording is None or wording.n_offered == 0:
        return [Cell(text="none"), Cell(text="none")]
    chosen = wording.n_chosen / wording.n_offered
    share = wording.n_chosen / total if total else None
    counted = f"{numbers.count(wording.n_chosen)} of {numbers.count(wording.n_offered)}"
    return [
        Cell(text=numbers.plain(100 * chosen, digits=1), sort=chosen, note=counted),
        Cell(text="none")
        if share is None
        else Cell(text=numbers.plain(100 * share, digits=1), sort=share),
    ]


def baseline_table(results: Sequence[ModelResult], baseline: ModelResult) -> Table | None:
    """Return each category's ambiguous bias score beside that of a run on the question alone."""
    other = group_values(baseline.report, BIAS[AMBIGUOUS], "category")
    names = [name for name in group_names(results, [BIAS[AMBIGUOUS]], "category") if name in other]
    if not names:
        return None
    columns, several = ["Question only"], len(results) > 1
    for result in results:
        columns += [result.label if several else "With context", "Difference"]
    return Table(
        caption=f"Bias score in ambiguous contexts beside {baseline.label}",
        columns=[Column(label="Category"), *_numbers(columns)],
        rows=[
            [Cell(text=group_title("category", name)), _value_cell(BIAS[AMBIGUOUS], other[name]),
             *(cell for result in results for cell in _baseline_cells(result, other[name], name))]
            for name in names
        ],
        footnotes=["All values are percentages; differences are percentage points."],
    )  # fmt: skip


def _baseline_cells(result: ModelResult, baseline_score: GroupValue, name: str) -> list[Cell]:
    score = group_values(result.report, BIAS[AMBIGUOUS], "category").get(name)
    if score is None:
        return [Cell(text="not scored", tone="reason"), Cell(text="none")]
    value = _value_cell(BIAS[AMBIGUOUS], score)
    if score.value is None or baseline_score.value is None:
        return [value, Cell(text="none")]
    difference = score.value - baseline_score.value
    return [value, Cell(text=short(BIAS[AMBIGUOUS], difference), sort=difference)]
