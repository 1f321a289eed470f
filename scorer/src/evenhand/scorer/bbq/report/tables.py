"""BBQ's tables in the report: metrics, groups of every kind, wordings, and the baseline."""

# ruff: noqa: RUF001 - true minus signs, times signs and apostrophes

from collections.abc import Mapping, Sequence

from evenhand.contract.report import GroupValue, Metric
from evenhand.scorer.bbq import specs
from evenhand.scorer.bbq.counts import AMBIGUOUS
from evenhand.scorer.bbq.report.counted import Wording, wordings
from evenhand.scorer.bbq.report.drilldown import Answers
from evenhand.scorer.bbq.report.values import differs, group_names, groups_of, metric_of
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

PERCENT = "All values except counts are percentages, with their intervals beside or below."
HOLM = f"{MARKED} differs from 0 after Holm’s correction over this table."


def overview_table(results: Sequence[ModelResult]) -> Table | None:
    """Return the first numbers, one column a model; None for a single model."""
    if len(results) < 2:
        return None
    return _by_model(results, ["macro"], caption="Side by side, mean of the categories")


def metrics_table(results: Sequence[ModelResult], *, caption: str) -> Table:
    """Return every metric by both means: side by side for one model, else one column a model."""
    if len(results) > 1:
        return _by_model(results, list(MEANS), caption=caption)
    report = results[0].report
    rows = []
    for spec in specs.in_report_order():
        both = [metric_of(report, spec.base, mean) for mean in MEANS]
        known = next((own for own in both if own is not None), None)
        if known is not None:
            counts = (known.n_scored, known.n_unscored)
            rows.append([
                _name_cell(spec, spec.reading),
                *(_metric_cell(spec.base, own) for own in both),
                *(Cell(text=numbers.count(n), sort=n) for n in counts),
            ])  # fmt: skip
    names = [words.capitalize() for words in MEANS.values()]
    return _metric_table(results, [*names, "Scored", "Left out"], rows, caption)


def _by_model(results: Sequence[ModelResult], means: Sequence[str], *, caption: str) -> Table:
    rows = [
        [
            _name_cell(spec, MEANS[mean] if len(means) > 1 else None),
            *(_metric_cell(spec.base, own) for own in found),
        ]
        for spec in specs.in_report_order()
        for mean in means
        for found in [[metric_of(own.report, spec.base, mean) for own in results]]
        if any(found)
    ]
    return _metric_table(results, [own.label for own in results], rows, caption)


def _name_cell(spec: CountedMetric, note: str | None) -> Cell:
    return Cell(text=spec.label[:1].upper() + spec.label[1:], note=note)


def _metric_table(
    results: Sequence[ModelResult], columns: Sequence[str], rows: list[list[Cell]], caption: str
) -> Table:
    values = [own for result in results for own in result.report.metrics]
    return Table(
        caption=caption,
        columns=[Column(label="Metric"), *_numbers(columns)],
        rows=rows,
        footnotes=[
            f"{PERCENT} {MARKED} the interval of a bias score excludes 0.",
            *interval_notes(values),
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
    base: str, own: Metric | GroupValue, *, tone: Tone = "plain", examples: ExampleSet | None = None
) -> Cell:
    if own.value is None:
        return Cell(text=null_text(own), tone="reason")
    return Cell(
        text=short(base, own.value),
        sort=own.value,
        note=short_interval(base, own) or NO_INTERVAL,
        hint=own.why_no_interval,
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
    """Return a dimension's values: one table for one model, else one a metric with its models.

    Args:
        results: the models.
        dimension: e.g. ``category``.
        name: what its groups are called, for the headings, e.g. ``Category``.
        answers: the examples of each model, where they can be found by this dimension's groups.
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
        own = groups_of(result.report, base, self.dimension).get(name)
        if own is None:
            return Cell(text="not scored", tone="reason")
        tone: Tone = "plain"
        if own.value is not None and differs(own, result.report):
            # A cost below 0 leans to the stereotype, as a bias score above 0 does.
            tone = "positive" if spec.stereotype_sign * own.value > 0 else "negative"
        return _value_cell(base, own, tone=tone, examples=self._examples(result, base, name))

    def _examples(self, result: ModelResult, base: str, name: str) -> ExampleSet | None:
        condition = next((key for key, own in BIAS.items() if own == base), None)
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
        if groups_of(result.report, spec.base, cells.dimension)
    ]
    rows = [
        [
            Cell(text=group_title(cells.dimension, name), note=_rows_note(result, cells, name)),
            *(cells.cell(result, spec, name) for spec in known),
        ]
        for name in names
    ]
    values = [
        own
        for spec in known
        for own in groups_of(result.report, spec.base, cells.dimension).values()
    ]
    return Table(
        caption=f"By {title.lower()}",
        columns=[Column(label=title), *_numbers([spec.column for spec in known])],
        rows=rows,
        footnotes=[f"{PERCENT} {HOLM}", *interval_notes(values)],
    )


def _rows_note(result: ModelResult, cells: _GroupCells, name: str) -> str:
    """Count the scored rows of both conditions."""
    counted = [
        groups_of(result.report, base, cells.dimension).get(name) for base in ACCURACY.values()
    ]
    n = sum(own.n_scored for own in counted if own is not None)
    return things(n, "row", "rows")


def _several_models(
    results: Sequence[ModelResult],
    spec: CountedMetric,
    names: Sequence[str],
    title: str,
    cells: _GroupCells,
) -> Table | None:
    found = [groups_of(own.report, spec.base, cells.dimension) for own in results]
    if not any(found):
        return None
    values = [own for groups in found for own in groups.values()]
    return Table(
        caption=f"{spec.label.capitalize()}, by {title.lower()}",
        columns=[Column(label=title), *_numbers([own.label for own in results])],
        rows=[
            [
                Cell(text=group_title(cells.dimension, name)),
                *(cells.cell(own, spec, name) for own in results),
            ]
            for name in names
        ],
        footnotes=[f"{PERCENT} {HOLM}", *interval_notes(values)],
    )


def wording_table(results: Sequence[ModelResult]) -> Table | None:
    """Return how often each wording of UNKNOWN is chosen, and its share of all such answers."""
    found = {own.label: {one.text: one for one in wordings(own)} for own in results}
    known = {label: own for label, own in found.items() if own}
    if not known:
        return None
    names = sorted({name for own in known.values() for name in own})
    totals = {label: sum(one.n_chosen for one in own.values()) for label, own in known.items()}
    prefixes = [f"{label}: " if len(known) > 1 else "" for label in known]
    columns = [name for own in prefixes for name in (f"{own}chosen", f"{own}share of UNKNOWN")]
    return Table(
        caption="Wordings of UNKNOWN in ambiguous contexts",
        columns=[
            Column(label="Wording"),
            *_numbers([own[:1].upper() + own[1:] for own in columns]),
        ],
        rows=[
            [
                Cell(text=name),
                *(
                    cell
                    for label, own in known.items()
                    for cell in _wording_cells(own.get(name), totals[label])
                ),
            ]
            for name in names
        ],
        footnotes=["Percent: of the times it was offered, and of all UNKNOWN answers given."],
    )


def _wording_cells(own: Wording | None, total: int) -> list[Cell]:
    if own is None or own.n_offered == 0:
        return [Cell(text="none"), Cell(text="none")]
    chosen, share = own.n_chosen / own.n_offered, own.n_chosen / total if total else None
    counted = f"{numbers.count(own.n_chosen)} of {numbers.count(own.n_offered)}"
    return [
        Cell(text=numbers.plain(100 * chosen, digits=1), sort=chosen, note=counted),
        Cell(text="none")
        if share is None
        else Cell(text=numbers.plain(100 * share, digits=1), sort=share),
    ]


def baseline_table(results: Sequence[ModelResult], baseline: ModelResult) -> Table | None:
    """Return each category's ambiguous bias score beside that of a run on the question alone."""
    other = groups_of(baseline.report, BIAS[AMBIGUOUS], "category")
    names = [name for name in group_names(results, [BIAS[AMBIGUOUS]], "category") if name in other]
    if not names:
        return None
    columns, several = ["Question only"], len(results) > 1
    for own in results:
        columns += [own.label if several else "With context", "Difference"]
    return Table(
        caption=f"Bias score in ambiguous contexts beside {baseline.label}",
        columns=[Column(label="Category"), *_numbers(columns)],
        rows=[
            [Cell(text=group_title("category", name)), _value_cell(BIAS[AMBIGUOUS], other[name]),
             *(cell for own in results for cell in _baseline_cells(own, other[name], name))]
            for name in names
        ],
        footnotes=["All values are percent."],
    )  # fmt: skip


def _baseline_cells(result: ModelResult, other: GroupValue, name: str) -> list[Cell]:
    own = groups_of(result.report, BIAS[AMBIGUOUS], "category").get(name)
    if own is None:
        return [Cell(text="not scored", tone="reason"), Cell(text="none")]
    value = _value_cell(BIAS[AMBIGUOUS], own)
    if own.value is None or other.value is None:
        return [value, Cell(text="none")]
    difference = own.value - other.value
    return [value, Cell(text=short(BIAS[AMBIGUOUS], difference), sort=difference)]
