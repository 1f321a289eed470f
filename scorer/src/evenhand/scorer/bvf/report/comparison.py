"""Several runs beside each other: by the size of the model, by its tuning, by the corpus."""

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
"""Words in a model's name that say that it was tuned after it was trained on text."""

LEAD = (
    "Sizes and tuning are read off the models’ names. Whether a difference is more than chance is"
    " for “evenhand compare” to say, which pairs the contexts."
)


def parse_size(name: str) -> float | None:
    """Return how many parameters a model's name states, None where it states none or several.

    >>> parse_size("lab/tiny-1.5B-chat"), parse_size("lab/tiny")
    (1500000000.0, None)
    """
    sizes = {float(n) * _UNITS[unit.upper()] for n, unit in _SIZE.findall(name)}
    return sizes.pop() if len(sizes) == 1 else None


def split_words(name: str) -> tuple[str, ...]:
    """Return the words of a model's name in small letters.

    >>> split_words("lab/Tiny_7b-chat")
    ('lab/tiny', '7b', 'chat')
    """
    return tuple(re.split(r"[-_. ]", name.lower()))


def strip_tuning(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return a name's words without those that say that it was tuned.

    >>> strip_tuning(("lab/tiny", "7b", "chat"))
    ('lab/tiny', '7b')
    """
    return tuple(word for word in words if word not in _TUNED)


def comparison_blocks(results: Sequence[TopicResult]) -> list[Block]:
    """Return figures of all runs of a topic, and tables by size, tuning and corpus."""
    if len(results) < 2:
        return []
    drawn = [part_figure(results), spread_figure(results)]
    blocks: list[Block] = [figure for figure in drawn if figure is not None]
    return [*blocks, *_size_blocks(results), *_tuning_blocks(results), *_corpus_blocks(results)]


def _dataset(result: TopicResult) -> str:
    """Name a dataset so that two can be told apart."""
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
    """Return the runs by size, tuned and strip_tuning apart, of each dataset with two sizes."""
    blocks: list[Block] = []
    for group in _group(results, lambda result: f"{_dataset(result)}{_is_tuned(result)}").values():
        sized = [
            (size, one) for one in group for size in [parse_size(_name(one))] if size is not None
        ]
        if len({size for size, _ in sized}) > 1:
            sized.sort(key=lambda pair: (pair[0], pair[1].label))
            blocks += [_size_table(sized), Paragraph(text=_size_words(sized))]
    return blocks


def _is_tuned(result: TopicResult) -> bool:
    words = split_words(_name(result))
    return strip_tuning(words) != words


def _size_table(sized: Sequence[tuple[float, TopicResult]]) -> Table:
    return Table(
        caption=f"By size, on dataset {_dataset(sized[0][1])}",
        columns=[Column(label="Model"), *number_columns(["Parameters"]), *_risk_columns()],
        rows=[
            [
                Cell(text=result.label),
                Cell(text=_size_text(size), sort=size),
                *_risk_cells(result),
            ]
            for size, result in sized
        ],
    )


def _size_text(size: float) -> str:
    return f"{size / 1e9:g} B" if size >= 1e9 else f"{size / 1e6:g} M"


def _size_words(sized: Sequence[tuple[float, TopicResult]]) -> str:
    """Say how often a larger model has the larger bias, and the larger volatility."""
    told = []
    for metric_id in (R_B, R_V):
        steps = [
            (low.metric(metric_id), high.metric(metric_id))
            for (small, low), (large, high) in pairwise(sized)
            if large > small
        ]
        known = [
            (low.value, high.value)
            for low, high in steps
            if low is not None and high is not None
            and low.value is not None and high.value is not None
        ]  # fmt: skip
        words, n = metric_words(metric_id), things(len(known), "step", "steps")
        told.append(f"{words.label} {words.symbol} grows in {sum(b > a for a, b in known)} of {n}")
    return f"From one size to the next, {' and '.join(told)}."


class Tuned(NamedTuple):
    """A model before and after tuning, on the same dataset."""

    base: TopicResult
    tuned: TopicResult


def tuned_pairs(results: Sequence[TopicResult]) -> list[Tuned]:
    """Return the pairs of which one name is the other with words of tuning."""
    named = [(split_words(_name(result)), result) for result in results]
    return [
        Tuned(base, tuned)
        for after, tuned in named
        for before, base in named
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
    """Return the runs by dataset, where a model was scored on two and more."""
    by_model = _group(results, _name)
    if not any(len({_dataset(one) for one in runs}) > 1 for runs in by_model.values()):
        return []
    rows = [
        [Cell(text=name), Cell(text=_dataset(one), note=one.label), _n_contexts(one),
         *_risk_cells(one)]
        for name, runs in by_model.items()
        for one in runs
    ]  # fmt: skip
    columns = [Column(label="Model"), Column(label="Dataset"), *number_columns(["Contexts"])]
    table = Table(
        caption="By corpus: the same model on contexts of several datasets",
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
    """Say whether the models come in the same order of R on every dataset that has them all."""
    by_dataset = _group(results, _dataset)
    names = {_name(group) for group in results}
    orders = []
    for group in by_dataset.values():
        values = {_name(one): metric.value for one in group for metric in [one.metric(R)] if metric}
        if set(values) == names and None not in values.values():
            orders.append(sorted(names, key=lambda name: (-(values[name] or 0.0), name)))
    if len(names) < 2 or len(orders) < 2:
        return ""
    n = things(len(orders), "dataset", "datasets")
    if all(order == orders[0] for order in orders):
        return f"On all {n} the models come in the same order of R: {', '.join(orders[0])}."
    return f"The models do not come in the same order of R on all {n}."
