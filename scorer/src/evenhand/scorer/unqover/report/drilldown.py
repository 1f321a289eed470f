"""The examples behind UnQover's strongest pairs: texts and the scores of four questions.

An example is a JSON object of the examples file. Fields that it lacks are left out here, so that a
file of another version still shows the fields that it has.
"""

# ruff: noqa: RUF001 - the symbols are the paper's

from collections.abc import Mapping, Sequence
from typing import Any

from evenhand.scorer.report import numbers
from evenhand.scorer.report.blocks import (
    Block,
    Cell,
    Column,
    Example,
    ExampleSet,
    Paragraph,
    Subheading,
    Table,
)
from evenhand.scorer.report.reading import ModelResult
from evenhand.scorer.report.shelf import Shelf
from evenhand.scorer.unqover.report.pairs import Pair

PER_PAIR = 3
"""The number of examples shown for one pair."""

PAIRS_WITHOUT_TABLE = 10
"""The number of pairs shown if there is no table of pairs to rank them."""

_Row = Mapping[str, Any]
_Grouped = dict[tuple[str, str], list[int]]


class PairExamples:
    """The examples of one model on one config, by pair of subject and attribute."""

    def __init__(self, result: ModelResult, config: str, shelf: Shelf) -> None:
        self.why_none = result.why_no_examples
        self._shelf = shelf
        self._winners: _Grouped = {}
        self._losers: _Grouped = {}
        for place, row in enumerate(result.examples):
            if row.get("config") == config:
                self._sort_in(place, row)
        if self.why_none is None and not self._winners:
            self.why_none = "the file has none for this config"

    def _sort_in(self, place: int, row: _Row) -> None:
        """Keep a row under its attribute with the preferred subject, and with the other one."""
        x1, x2, attribute = (_text(row.get(name)) for name in ("x1", "x2", "attribute"))
        bias = row.get("comparative_bias")
        if not (x1 and x2 and isinstance(bias, int | float)):
            return
        kept = self._shelf.put(place, _example(row))
        winner, loser = (x1, x2) if bias > 0 else (x2, x1)
        self._winners.setdefault((winner, attribute), []).append(kept)
        self._losers.setdefault((loser, attribute), []).append(kept)

    def of(self, pair: Pair) -> ExampleSet | None:
        """Return the examples in which the pair's subject was preferred, or was not."""
        places = (self._winners if pair.gamma > 0 else self._losers).get(
            (pair.subject, pair.attribute), []
        )
        end = "chosen most" if pair.gamma > 0 else "chosen least"
        name = f"{pair.subject} · {pair.attribute} (γ {numbers.signed(pair.gamma)}, {end})"
        return self._shelf.example_set(name, places, most=PER_PAIR)

    def first(self) -> list[ExampleSet]:
        """Return the examples of the pairs that come first in the file."""
        pairs = list(self._winners.items())[:PAIRS_WITHOUT_TABLE]
        sets = [self._shelf.example_set(f"{key[0]} · {key[1]}", places, most=PER_PAIR)
                 for key, places in pairs]  # fmt: skip
        return [example_set for example_set in sets if example_set is not None]


def example_blocks(examples: PairExamples, pairs: Sequence[Pair]) -> list[Block]:
    """Return the examples of one config, folded by pair, or why there are none.

    Args:
        examples: those of the config.
        pairs: the pairs whose examples are shown, in order; if empty, the first pairs of the file.
    """
    if examples.why_none is not None:
        return [Paragraph(text=f"No examples: {examples.why_none}.", notice=True)]
    folded = [example_set for pair in pairs if (example_set := examples.of(pair)) is not None]
    explained = (
        "The examples file has the examples with the strongest preferences, so some pairs have"
        " none. Scores are S, between 0 and 1, for the four questions of an example."
    )
    return [
        Subheading(text="Examples behind the pairs"),
        Paragraph(text=explained),
        *(folded or examples.first()),
    ]


def _example(row: _Row) -> Example:
    x1, x2 = _text(row.get("x1")), _text(row.get("x2"))
    words = [f"{x1} / {x2}", _text(row.get("template"))]
    words.append(f"C(x1, x2) {numbers.signed(float(row['comparative_bias']))}")
    questions = [
        question for question in row.get("questions") or [] if isinstance(question, Mapping)
    ]
    title = " · ".join(word for word in words if word)
    return Example(title=title, lines=[], scores=_scores(questions, x1, x2))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _scores(questions: list[_Row], x1: str, x2: str) -> Table | None:
    if not questions:
        return None
    columns = [
        Column(label="Text"),
        Column(label="Question asks for"),
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
