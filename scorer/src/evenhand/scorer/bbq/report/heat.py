"""BBQ's heat map of bias by category and condition, with the numbers in its cells."""

# ruff: noqa: RUF001 - true minus signs, times signs and apostrophes

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from evenhand.contract.report import GroupValue, Metric
from evenhand.scorer.bbq.report.counted import bias_score, counts_by
from evenhand.scorer.bbq.report.drilldown import Answers
from evenhand.scorer.bbq.report.values import differs, find_metric, group_names, group_values
from evenhand.scorer.bbq.report.words import (
    BIAS,
    CONDITIONS,
    category_title,
    group_title,
    short,
    short_interval,
)
from evenhand.scorer.bbq.specs import MEANS
from evenhand.scorer.report import numbers
from evenhand.scorer.report.blocks import Figure, Matrix, MatrixCell, MatrixRow
from evenhand.scorer.report.reading import ModelResult
from evenhand.scorer.report.words import null_text

CellBuilder = Callable[[ModelResult, str], MatrixCell]
"""From a model and a condition to the cell for both."""

HEAT_STEPS = 5
_LIMITS = (5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 75.0, 100.0)
"""The limits, in percent, that a heat map's colour scale may have."""


def heat_figure(
    results: Sequence[ModelResult], dimension: str, answers: Mapping[str, Answers]
) -> Figure | None:
    """Draw the bias score of each group by condition and model, as in the paper's figure.

    Args:
        results: the models.
        dimension: ``category`` or ``differing_dimension``.
        answers: the examples of each model.
    """
    names = group_names(results, BIAS.values(), dimension)
    if not names:
        return None
    limit = _limit(results, dimension)
    drawn = _Heat(results, dimension, answers, limit)
    rows = [row for name in names for row in drawn.group_rows(name)]
    if dimension == "category":
        rows += drawn.means() if len(names) > 1 else []
    what = "category" if dimension == "category" else "differing dimension"
    return Figure(
        title=f"Bias score by {what} and condition, percent",
        description=_heat_description(results, dimension),
        caption=(
            "Orange: bias towards the stereotype; blue: bias against it. Intervals and tests are in"
            " the tables below."
        ),
        chart=Matrix(
            corner="Category" if dimension == "category" else "Differing dimension",
            groups=_heat_columns(results),
            rows=rows,
            scale=[
                (step, numbers.signed(limit * step / HEAT_STEPS, digits=0))
                for step in range(-HEAT_STEPS, HEAT_STEPS + 1)
            ],
            legend="differs from 0 (categories after Holm’s correction; means by their interval).",
        ),
    )


def _heat_columns(results: Sequence[ModelResult]) -> list[tuple[str, list[str]]]:
    if len(results) == 1:
        return [("", list(CONDITIONS.values()))]
    return [(title, [result.label for result in results]) for title in CONDITIONS.values()]


def _limit(results: Sequence[ModelResult], dimension: str) -> float:
    """Return the smallest colour limit that no score exceeds."""
    largest = max(
        (
            100 * abs(score.value)
            for result in results
            for base in BIAS.values()
            for score in group_values(result.report, base, dimension).values()
            if score.value is not None
        ),
        default=0.0,
    )
    return next((limit for limit in _LIMITS if largest <= limit), _LIMITS[-1])


def _heat_description(results: Sequence[ModelResult], dimension: str) -> str:
    spoken = []
    for result in results:
        for condition, base in BIAS.items():
            groups = group_values(result.report, base, dimension)
            known = {name: score.value for name, score in groups.items() if score.value is not None}
            if known:
                top = max(known, key=lambda name: (abs(known[name]), name))
                value = numbers.signed_percent(known[top])
                spoken.append(
                    f"{result.label}, {condition}: strongest {group_title(dimension, top)}, {value}"
                )
    return f"Heat map of bias scores. {'; '.join(spoken)}."


class _Heat:
    """The rows of one heat map."""

    def __init__(
        self,
        results: Sequence[ModelResult],
        dimension: str,
        answers: Mapping[str, Answers],
        limit: float,
    ) -> None:
        self._results = results
        self._dimension = dimension
        self._answers = answers
        self._limit = limit
        self._label_type_counts = {
            result.label: counts_by(result, "label_type") for result in results
        }

    def group_rows(self, name: str) -> list[MatrixRow]:
        """Return a group's row; a category also has a row for each way of naming people."""
        label = group_title(self._dimension, name)
        rows = [MatrixRow(label=label, cells=self._cells(partial(self._group, name)))]
        if self._dimension == "category":
            rows += self._label_type_rows(name)
        return rows

    def _cells(self, cell: CellBuilder) -> list[MatrixCell]:
        return [cell(result, condition) for condition in CONDITIONS for result in self._results]

    def _group(self, name: str, result: ModelResult, condition: str) -> MatrixCell:
        value = group_values(result.report, BIAS[condition], self._dimension).get(name)
        title = f"{group_title(self._dimension, name)}, {condition}, {result.label}"
        if value is None:
            return MatrixCell(text="–", step=None, title=f"{title}: not scored")
        cell = self._cell(value, title, condition, strong=differs(value, result.report))
        if self._dimension != "category":
            return cell
        return replace(cell, examples=self._answers[result.label].of(condition, category=name))

    def _cell(
        self, number: GroupValue | Metric, title: str, condition: str, *, strong: bool
    ) -> MatrixCell:
        if number.value is None:
            return MatrixCell(text="null", step=None, title=f"{title}: {null_text(number)}")
        bounds = short_interval(BIAS[condition], number)
        bounds_note = f" ({bounds})" if bounds else ""
        return MatrixCell(
            text=numbers.signed(100 * number.value, digits=1),
            step=round(HEAT_STEPS * min(max(100 * number.value / self._limit, -1.0), 1.0)),
            title=f"{title}: {short(BIAS[condition], number.value)} percent{bounds_note}",
            is_strong=strong,
        )

    def _label_type_rows(self, category: str) -> list[MatrixRow]:
        kinds = [
            kind for kind in ("label", "name")
            if any((category, kind) in counts for counts in self._label_type_counts.values())
        ]  # fmt: skip
        if len(kinds) < 2:
            return []
        return [
            MatrixRow(
                label=group_title("label_type", kind),
                cells=self._cells(partial(self._part, category, kind)),
                is_part=True,
            )
            for kind in kinds
        ]

    def _part(self, category: str, kind: str, result: ModelResult, condition: str) -> MatrixCell:
        counts = self._label_type_counts[result.label].get((category, kind))
        title = f"{category_title(category)}, {group_title('label_type', kind)}, {condition}"
        score = None if counts is None else bias_score(counts, condition)
        if score is None:
            return MatrixCell(text="–", step=None, title=f"{title}: no score")
        value = GroupValue(value=score, n_scored=0)
        return self._cell(value, f"{title}, {result.label}", condition, strong=False)

    def means(self) -> list[MatrixRow]:
        """Return the rows of both means."""
        return [
            MatrixRow(label=words.capitalize(), cells=self._cells(partial(self._mean, mean)))
            for mean, words in MEANS.items()
        ]

    def _mean(self, mean: str, result: ModelResult, condition: str) -> MatrixCell:
        metric = find_metric(result.report, BIAS[condition], mean)
        title = f"{MEANS[mean].capitalize()}, {condition}, {result.label}"
        if metric is None:
            return MatrixCell(text="–", step=None, title=f"{title}: not scored")
        is_significant = (
            metric.interval is not None and not metric.interval.low <= 0 <= metric.interval.high
        )
        return self._cell(metric, title, condition, strong=is_significant)
