"""The texts behind BVF's numbers: those with the strongest stereotypes, by subject and context.

An example is a JSON object of the examples file. Missing fields are left out, so that a file from
another version still shows what it has.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from evenhand.scorer.bvf.report.values import TopicResult
from evenhand.scorer.bvf.report.words import topic_words
from evenhand.scorer.report import numbers
from evenhand.scorer.report.blocks import (
    Block,
    Cell,
    Column,
    Details,
    Example,
    ExampleSet,
    Paragraph,
    Table,
)
from evenhand.scorer.report.shelf import Shelf

_Row = Mapping[str, Any]


class Texts:
    """The texts of one model on one topic that the examples file holds."""

    def __init__(self, result: TopicResult, shelf: Shelf) -> None:
        self.why_none = result.run.why_no_examples
        self.shelf = shelf
        self._title = topic_words(result.config).title
        self._rows = [
            (shelf.put(place, _example(row)), row)
            for place, row in enumerate(result.run.examples)
            if row.get("config") == result.config and _text(row.get("text"))
        ]
        if self.why_none is None and not self._rows:
            self.why_none = "the file holds no text of this topic"

    def example_set(self, *, subject: str | None = None) -> ExampleSet | None:
        """Return the texts behind a number, the strongest first, or None where there are none.

        Args:
            subject: the subject; None for all.
        """
        ranked = [
            (-(_number(row.get("risk")) or 0.0), place)
            for place, row in self._rows
            if subject is None or row.get("subject") == subject
        ]
        name = subject or "strongest stereotypes"
        return self.shelf.example_set(
            f"{self._title}, {name}", [place for _, place in sorted(ranked)]
        )


def text_blocks(topics: Sequence[tuple[TopicResult, Texts]]) -> list[Block]:
    """Return the texts by model and topic, folded, or why there are none."""
    labels = list(dict.fromkeys(result.label for result, _ in topics))
    if len(labels) == 1:
        return [block for _, texts in topics for block in _topic_blocks(texts)]
    return [
        Details(
            summary=label,
            blocks=[block for result, texts in topics if result.label == label
                    for block in _topic_blocks(texts)],
            is_major=True,
            is_open=place == 0,
        )
        for place, label in enumerate(labels)
    ]  # fmt: skip


def _topic_blocks(texts: Texts) -> list[Block]:
    if texts.why_none is not None:
        return [Paragraph(text=f"No examples: {texts.why_none}.", notice=True)]
    examples = texts.example_set()
    return [] if examples is None else [examples]


def _example(row: _Row) -> Example:
    words = [_text(row.get("id")), _text(row.get("subject"))]
    lines = [("Text", _text(row.get("text"))), ("Context", _context(row))]
    risk = _number(row.get("risk"))
    lines += [] if risk is None else [("Risk", numbers.plain(risk))]
    return Example(
        title=" · ".join(word for word in words if word),
        lines=[(name, text) for name, text in lines if text],
        scores=_scores(row.get("p")),
    )


def _context(row: _Row) -> str:
    text, weight = _text(row.get("context")), _number(row.get("weight"))
    return text if not text or weight is None else f"{text} (weight {numbers.plain(weight)})"


def _scores(p: object) -> Table | None:
    """Return the probability of each class."""
    if not isinstance(p, dict):
        return None
    probabilities = {str(name): _number(value) for name, value in p.items()}
    return Table(
        caption="",
        columns=[Column(label="Class"), Column(label="Probability", is_number=True)],
        rows=[
            [Cell(text=name), Cell(text=numbers.plain(value), sort=value)]
            for name, value in probabilities.items()
            if value is not None
        ],
    )


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
