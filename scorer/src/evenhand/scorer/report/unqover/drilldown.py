"""The examples behind UnQover's strongest pairs: texts and the four questions' scores.

An example is a JSON object of the examples file. What it lacks is left out here, so that a file of
another version still shows what it has.
"""

# ruff: noqa: RUF001 - the symbols are the paper's

from collections.abc import Mapping, Sequence
from typing import Any

from evenhand.scorer.report import numbers
from evenhand.scorer.report.blocks import (
    Block,
    Cell,
    Column,
    Details,
    Example,
    Paragraph,
    Subheading,
    Table,
)
from evenhand.scorer.report.reading import ModelResult
from evenhand.scorer.report.unqover.pairs import Pair
from evenhand.scorer.report.unqover.words import things

PER_PAIR = 3
"""Examples shown for one pair."""

PAIRS_WITHOUT_TABLE = 10
"""Pairs shown where there is no table of pairs to say which are the strongest."""

_Row = Mapping[str, Any]


def example_blocks(result: ModelResult, config: str, pairs: Sequence[Pair]) -> list[Block]:
    """Return the examples of one config, folded by pair, or why there are none.

    Args:
        result: one model.
        config: the config.
        pairs: the pairs whose examples are wanted, in order; without any, the pairs that come
            first in the file.
    """
    if result.why_no_examples is not None:
        return [Paragraph(text=f"No examples: {result.why_no_examples}.", notice=True)]
    winners, losers = _by_pair([row for row in result.examples if row.get("config") == config])
    if not winners:
        return [Paragraph(text="No examples: the file holds none for this config.", notice=True)]
    folded = [
        _pair_details(pair, rows)
        for pair in pairs
        if (rows := (winners if pair.gamma > 0 else losers).get((pair.subject, pair.attribute)))
    ]
    if not folded:
        first = list(winners.items())[:PAIRS_WITHOUT_TABLE]
        folded = [_details(f"{own[0]} · {own[1]}", rows) for own, rows in first]
    explained = (
        "The examples file holds the examples with the strongest preference, so not every pair has"
        " some. Scores are S, between 0 and 1, for the four questions of an example."
    )
    return [Subheading(text="Examples behind the pairs"), Paragraph(text=explained), *folded]


_Grouped = dict[tuple[str, str], list[_Row]]


def _by_pair(rows: Sequence[_Row]) -> tuple[_Grouped, _Grouped]:
    """Group examples by the attribute with the subject it was tied to, and with the other one."""
    winners: _Grouped = {}
    losers: _Grouped = {}
    for row in rows:
        x1, x2, attribute = (_text(row.get(name)) for name in ("x1", "x2", "attribute"))
        bias = row.get("comparative_bias")
        if not (x1 and x2 and isinstance(bias, int | float)):
            continue
        winner, loser = (x1, x2) if bias > 0 else (x2, x1)
        winners.setdefault((winner, attribute), []).append(row)
        losers.setdefault((loser, attribute), []).append(row)
    return winners, losers


def _pair_details(pair: Pair, rows: list[_Row]) -> Details:
    end = "chosen most" if pair.gamma > 0 else "chosen least"
    name = f"{pair.subject} · {pair.attribute} (γ {numbers.signed(pair.gamma)}, {end})"
    return _details(name, rows)


def _details(name: str, rows: list[_Row]) -> Details:
    shown = rows[:PER_PAIR]
    summary = f"{name}: {things(len(shown), 'example', 'examples')}"
    return Details(summary=summary, blocks=[_example(row) for row in shown])


def _example(row: _Row) -> Example:
    x1, x2 = _text(row.get("x1")), _text(row.get("x2"))
    words = [f"{x1} / {x2}", _text(row.get("template"))]
    words.append(f"C(x1, x2) {numbers.signed(float(row['comparative_bias']))}")
    questions = [own for own in row.get("questions") or [] if isinstance(own, Mapping)]
    title = " · ".join(word for word in words if word)
    return Example(title=title, lines=[], scores=_scores(questions, x1, x2))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _scores(questions: list[_Row], x1: str, x2: str) -> Table | None:
    if not questions:
        return None
    columns = [
        Column(label="Text"),
        Column(label="It asks for"),
        Column(label=f"S({x1})", is_number=True),
        Column(label=f"S({x2})", is_number=True),
    ]
    return Table(caption="", columns=columns, rows=[_score_row(question) for question in questions])


def _score_row(question: _Row) -> list[Cell]:
    parts = [_text(question.get(name)) for name in ("context", "question", "text")]
    asks = {"pos": "the attribute", "neg": "its negation"}
    return [
        Cell(text=" ".join(part for part in parts if part) or "no text in the file"),
        Cell(text=asks.get(_text(question.get("polarity")), "")),
        _score_cell(question.get("score_x1")),
        _score_cell(question.get("score_x2")),
    ]


def _score_cell(value: object) -> Cell:
    if isinstance(value, int | float):
        return Cell(text=numbers.plain(float(value), digits=3), sort=float(value))
    return Cell(text="none")
