"""Several runs side by side: by the size of the model, by its tuning, by the corpus."""

# ruff: noqa: RUF001 - true minus signs and apostrophes

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from evenhand.scorer.bvf.report.figures import part_figure, spread_figure
from evenhand.scorer.bvf.report.tables import number_columns, value_cell
from evenhand.scorer.bvf.report.values import TopicResult
from evenhand.scorer.bvf.report.words import R_B, R_V, RISKS, R, metric_words
from evenhand.scorer.report import numbers
from evenhand.scorer.report.blocks import Block, Cell, Column, Paragraph, Table
from evenhand.scorer.report.reading import model_name
from evenhand.scorer.report.words import things

_SIZE = re.compile(r"(?<![A-Za-z0-9.])(\d+(?:\.\d+)?)\s?([MB])(?![A-Za-z0-9])", re.IGNORECASE)
_UNITS = {"M": 1e6, "B": 1e9}
_TUNED = frozenset({"chat", "instruct", "it", "rlhf", "sft", "dpo", "tuned", "aligned"})
"""Words in a model's name that mark it as tuned after pretraining."""

BY_CORPUS = "By corpus: each model on contexts of several datasets"
LEAD = (
    "Sizes and tuning are taken from the models’ names. Use “evenhand compare” to test whether a"
    " difference is significant; it pairs the contexts."
)


def parse_size(name: str) -> float | None:
    """Return the number of parameters in a model's name, None where there is none or several.

    >>> parse_size("lab/tiny-1.5B-chat"), parse_size("lab/tiny")
    (1500000000.0, None)
    """
    sizes = {float(n) * _UNITS[unit.upper()] for n, unit in _SIZE.findall(name)}
    return sizes.pop() if len(sizes) == 1 else None


def split_words(name: str) -> tuple[str, ...]:
    """Return the words of a model's name in lower case.

    >>> split_words("lab/Tiny_7b-chat")
    ('lab/tiny', '7b', 'chat')
    """
    return tuple(re.split(r"[-_. ]", name.lower()))


def strip_tuning(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of a name without those that mark it as tuned.

    >>> strip_tuning(("lab/tiny", "7b", "chat"))
    ('lab/tiny', '7b')
    """
    return tuple(word for word in words if word not in _TUNED)


def comparison_blocks(results: Sequence[TopicResult]) -> list[Block]:
    """Return figures of all runs on a topic, and tables by size, tuning and corpus."""
    if len(results) < 2:
        return []
    figures = [part_figure(results), spread_figure(results)]
    blocks: list[Block] = [figure for figure in figures if figure is not None]
    return [*blocks, *_size_blocks(results), *_tuning_blocks(results), *_corpus_blocks(results)]


def _dataset(result: TopicResult) -> str:
    """Return a dataset's version and digest, which distinguish it from others."""
    record = result.report.dataset
    digest = record.digest[:12] if record.digest else "digest unknown"
    return f"{record.version or 'no version'}, {digest}"


def _name(result: TopicResult) -> str:
    return model_name(result.report)


def _group(
    results: Iterable[TopicResult], key: Callable[[TopicResult], str]
) -> dict[str, list[TopicResult]]:
    groups: dict[str, list[TopicResult]] = {}
    for result in results:
        groups.setdefault(key(result), []).append(result)
    return groups


def _risk_cells(result: TopicResult) -> Iterator[Cell]:
    for metric_id in RISKS.values():
        yield value_cell(metric_id, result.metric(metric_id))


def _risk_columns() -> list[Column]:
    return number_columns(metric_words(metric_id).symbol for metric_id in RISKS.values())


def _size_blocks(results: Sequence[TopicResult]) -> list[Block]:
    """Return tables and trends by size, for each dataset, with tuned models apart."""
    blocks: list[Block] = []
    for group in _group(results, lambda result: f"{_dataset(result)}{_is_tuned(result)}").values():
        by_size = [
            (size, run) for run in group for size in [parse_size(_name(run))] if size is not None
        ]
        if len({size for size, _ in by_size}) > 1:
            by_size.sort(key=lambda pair: (pair[0], pair[1].label))
            blocks += [_size_table(by_size), Paragraph(text=_size_words(by_size))]
    return blocks


def _is_tuned(result: TopicResult) -> bool:
    words = split_words(_name(result))
    return strip_tuning(words) != words


def _size_table(by_size: Sequence[tuple[float, TopicResult]]) -> Table:
    return Table(
        caption=f"By size, on dataset {_dataset(by_size[0][1])}",
        columns=[Column(label="Model"), *number_columns(["Parameters"]), *_risk_columns()],
        rows=[
            [
                Cell(text=result.label),
                Cell(text=_size_text(size), sort=size),
                *_risk_cells(result),
            ]
            for size, result in by_size
        ],
    )


def _size_text(size: float) -> str:
    return f"{size / 1e9:g} B" if size >= 1e9 else f"{size / 1e6:g} M"


def _size_words(by_size: Sequence[tuple[float, TopicResult]]) -> str:
    """Say at how many steps in size bias and volatility increase."""
    trends = []
    for metric_id in (R_B, R_V):
        steps = [
            (low.metric(metric_id), high.metric(metric_id))
            for (small, low), (large, high) in pairwise(by_size)
            if large > small
        ]
        changes = [
            (low.value, high.value)
            for low, high in steps
            if low is not None and high is not None
            and low.value is not None and high.value is not None
        ]  # fmt: skip
        words, n = metric_words(metric_id), things(len(changes), "step", "steps")
        trends.append(
            f"{words.label} {words.symbol} increases in {sum(b > a for a, b in changes)} of {n}"
        )
    return f"From one size to the next, {' and '.join(trends)}."


class Tuned(NamedTuple):
    """A model before and after tuning, on the same dataset."""

    base: TopicResult
    tuned: TopicResult


def tuned_pairs(results: Sequence[TopicResult]) -> list[Tuned]:
    """Return the pairs whose names differ only in words of tuning."""
    words_and_results = [(split_words(_name(result)), result) for result in results]
    return [
        Tuned(base, tuned)
        for after, tuned in words_and_results
        for before, base in words_and_results
        if before != after and before == strip_tuning(after) and _dataset(base) == _dataset(tuned)
    ]


def _tuning_blocks(results: Sequence[TopicResult]) -> list[Block]:
    pairs = tuned_pairs(results)
    if not pairs:
        return []
    symbols = [metric_words(metric_id).symbol for metric_id in RISKS.values()]
    return [
        Table(
            caption="Before and after tuning",
            columns=[
                Column(label="Before"),
                Column(label="After"),
                *number_columns(f"Change of {symbol}" for symbol in symbols),
            ],
            rows=[
                [
                    Cell(text=pair.base.label),
                    Cell(text=pair.tuned.label),
                    *(_change_cell(pair, metric_id) for metric_id in RISKS.values()),
                ]
                for pair in pairs
            ],
        )
    ]


def _change_cell(pair: Tuned, metric_id: str) -> Cell:
    before, after = pair.base.metric(metric_id), pair.tuned.metric(metric_id)
    if before is None or after is None or before.value is None or after.value is None:
        return Cell(text="none")
    change = after.value - before.value
    note = f"{numbers.plain(before.value)} to {numbers.plain(after.value)}"
    return Cell(text=numbers.signed(change), sort=change, note=note)


def _corpus_blocks(results: Sequence[TopicResult]) -> list[Block]:
    """Return a table of the runs by dataset if a model was scored on two or more."""
    by_model = _group(results, _name)
    if not any(len({_dataset(result) for result in runs}) > 1 for runs in by_model.values()):
        return []
    rows = [
        [Cell(text=name), Cell(text=_dataset(result), note=result.label), _n_contexts(result),
         *_risk_cells(result)]
        for name, runs in by_model.items()
        for result in runs
    ]  # fmt: skip
    columns = [Column(label="Model"), Column(label="Dataset"), *number_columns(["Contexts"])]
    table = Table(
        caption=BY_CORPUS,
        columns=[*columns, *_risk_columns()],
        rows=rows,
    )
    sentence = _order_words(results)
    return [table, *([Paragraph(text=sentence)] if sentence else [])]


def _n_contexts(result: TopicResult) -> Cell:
    metric = result.metric(R)
    interval = None if metric is None else metric.interval
    if interval is None:
        return Cell(text="none")
    return Cell(text=numbers.count(interval.n_clusters), sort=interval.n_clusters)


def _order_words(results: Sequence[TopicResult]) -> str:
    """Say whether models rank the same by R on all datasets on which all were scored."""
    by_dataset = _group(results, _dataset)
    names = {_name(group) for group in results}
    orders = []
    for group in by_dataset.values():
        values = {
            _name(result): metric.value
            for result in group
            for metric in [result.metric(R)]
            if metric
        }
        if set(values) == names and None not in values.values():
            orders.append(sorted(names, key=lambda name: (-(values[name] or 0.0), name)))
    if len(names) < 2 or len(orders) < 2:
        return ""
    n = things(len(orders), "dataset", "datasets")
    if all(order == orders[0] for order in orders):
        return (
            f"On all {n} the models rank the same by R, from high to low: {', '.join(orders[0])}."
        )
    return f"The models do not rank the same by R on all {n}."
