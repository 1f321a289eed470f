"""BBQ's tables in the report: metrics, groups of every kind, wordings, and the baseline."""

# ruff: noqa: RUF001 - true minus signs, times signs and apostrophes

from collections.abc import Mapping, Sequence

from evenhand.contract.report import GroupValue, Metric
from evenhand.scorer.bbq.report.counted import Wording, wordings
from evenhand.scorer.bbq.report.drilldown import Answers
from evenhand.scorer.bbq.report.values import differs, group_names, groups_of, metric_of
from evenhand.scorer.bbq.report.words import (
    ACCURACY,
    ALIGNED,
    AMBIGUOUS,
    BIAS,
    COST,
    DISAMBIGUATED,
    MEANS,
    METRICS,
    group_title,
    metric_words,
    short,
    short_interval,
)
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

_SHOWN = (*BIAS.values(), *ACCURACY.values(), COST, ALIGNED)
"""The order in which metrics are told: bias first."""

_COLUMNS = {
    BIAS[AMBIGUOUS]: "Bias, ambiguous",
    BIAS[DISAMBIGUATED]: "Bias, disamb.",
    ACCURACY[AMBIGUOUS]: "Accuracy, ambiguous",
    ACCURACY[DISAMBIGUATED]: "Accuracy, disamb.",
    COST: "Cost",
    ALIGNED: "Errors aligned",
}
PERCENT = "All values but counts are percent; beside or below them stand their intervals."
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
    for base in METRICS:
        both = [metric_of(report, base, mean) for mean in MEANS]
        known = next((own for own in both if own is not None), None)
        if known is not None:
            counts = (known.n_scored, known.n_unscored)
            rows.append([
                _name_cell(base, metric_words(base).reading),
                *(_metric_cell(base, own) for own in both),
                *(Cell(text=numbers.count(n), sort=n) for n in counts),
            ])  # fmt: skip
    names = [words.capitalize() for words in MEANS.values()]
    return _metric_table(results, [*names, "Scored", "Left out"], rows, caption)


def _by_model(results: Sequence[ModelResult], means: Sequence[str], *, caption: str) -> Table:
    rows = [
        [
            _name_cell(base, MEANS[mean] if len(means) > 1 else None),
            *(_metric_cell(base, own) for own in found),
        ]
        for base in METRICS
        for mean in means
        for found in [[metric_of(own.report, base, mean) for own in results]]
        if any(found)
    ]
    return _metric_table(results, [own.label for own in results], rows, caption)


def _name_cell(base: str, note: str | None) -> Cell:
    name = metric_words(base).name
    return Cell(text=name[:1].upper() + name[1:], note=note)


def _metric_table(
    results: Sequence[ModelResult], columns: Sequence[str], rows: list[list[Cell]], caption: str
) -> Table:
    values = [own for result in results for own in result.report.metrics]
    return Table(
        caption=caption,
        columns=[Column(label="Metric"), *_numbers(columns)],
        rows=rows,
        footnotes=[
            f"{PERCENT} {MARKED} the interval of a bias score leaves out 0.",
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
    names = group_names(results, _SHOWN, dimension)
    if not names:
        return []
    if len(results) == 1:
        return [_one_model(results[0], names, name, cells)]
    tables = [(base, _several_models(results, base, names, name, cells)) for base in _SHOWN]
    return [
        Details(summary=table.caption, blocks=[table], is_open=base == _SHOWN[0])
        for base, table in tables
        if table is not None
    ]


class _GroupCells:
    """Writes the cells of one dimension."""

    def __init__(self, dimension: str, answers: Mapping[str, Answers] | None) -> None:
        self.dimension = dimension
        self._answers = answers

    def cell(self, result: ModelResult, base: str, name: str) -> Cell:
        """Return one value with its interval, its test and the examples behind it."""
        own = groups_of(result.report, base, self.dimension).get(name)
        if own is None:
            return Cell(text="not scored", tone="reason")
        tone: Tone = "plain"
        if own.value is not None and differs(own, result.report):
            # A cost below 0 leans to the stereotype, as a bias score above 0 does.
            leans_to = own.value > 0 if base != COST else own.value < 0
            tone = "positive" if leans_to else "negative"
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
    known = [base for base in _SHOWN if groups_of(result.report, base, cells.dimension)]
    rows = [
        [
            Cell(text=group_title(cells.dimension, name), note=_rows_note(result, cells, name)),
            *(cells.cell(result, base, name) for base in known),
        ]
        for name in names
    ]
    values = [own for base in known
              for own in groups_of(result.report, base, cells.dimension).values()]  # fmt: skip
    return Table(
        caption=f"By {title.lower()}",
        columns=[Column(label=title), *_numbers([_COLUMNS[base] for base in known])],
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
    results: Sequence[ModelResult], base: str, names: Sequence[str], title: str, cells: _GroupCells
) -> Table | None:
    found = [groups_of(own.report, base, cells.dimension) for own in results]
    if not any(found):
        return None
    values = [own for groups in found for own in groups.values()]
    return Table(
        caption=f"{metric_words(base).name.capitalize()}, by {title.lower()}",
        columns=[Column(label=title), *_numbers([own.label for own in results])],
        rows=[
            [
                Cell(text=group_title(cells.dimension, name)),
                *(cells.cell(own, base, name) for own in results),
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
