"""The examples behind BBQ's numbers: wrong answers that agree with the stereotype.

An example is a JSON object of the examples file. Fields that it lacks are left out here, so that a
file of another version still shows the fields that it has.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from evenhand.scorer.bbq.groups import canonical
from evenhand.scorer.bbq.report.words import CONDITIONS, category_title
from evenhand.scorer.report.blocks import (
    Block,
    Choice,
    Details,
    Example,
    ExampleSet,
    Paragraph,
)
from evenhand.scorer.report.reading import ModelResult
from evenhand.scorer.report.shelf import Shelf

_Row = Mapping[str, Any]
TAGS = {"label": "right answer", "target": "agrees with the stereotype"}
"""Field that holds an option's place -> what the option is tagged with."""
RAW_ANSWER = "The model wrote"
"""Heading of what a model wrote, where it is not the text of an option."""
_ASKS = {"neg": "negative question", "nonneg": "non-negative question"}


class Answers:
    """One model's answers in the examples file, by the number that they are behind."""

    def __init__(self, result: ModelResult, shelf: Shelf) -> None:
        self.why_none = result.why_no_examples
        self.shelf = shelf
        self._rows: list[tuple[int, _Row]] = []
        for place, row in enumerate(result.examples):
            if _condition(row) and _text(row.get("question")):
                self._rows.append((shelf.put(place, _example(row)), row))
        if self.why_none is None and not self._rows:
            self.why_none = "the file holds no wrong answer that agrees with the stereotype"

    def of(
        self, condition: str, *, category: str | None = None, group: str | None = None
    ) -> ExampleSet | None:
        """Return the answers behind a number, or None where the file holds none.

        Args:
            condition: ``ambiguous`` or ``disambiguated``.
            category: the category; None for all.
            group: the stereotyped group in its canonical spelling; None for all.
        """
        places = [
            place
            for place, row in self._rows
            if _condition(row) == condition
            and category in {None, row.get("config")}
            and (group is None or group in _groups(row))
        ]
        words = [
            category_title(category) if category else None,
            group,
            CONDITIONS[condition].lower(),
        ]
        return self.shelf.example_set(", ".join(word for word in words if word), places)


def example_blocks(answers: Answers, categories: Sequence[str]) -> list[Block]:
    """Return the examples by category and condition, folded, or why there are none."""
    if answers.why_none is not None:
        return [Paragraph(text=f"No examples: {answers.why_none}.", notice=True)]
    sets = [
        answers.of(condition, category=category)
        for category in categories
        for condition in CONDITIONS
    ]
    return [examples for examples in sets if examples is not None]


def model_examples(answers: Mapping[str, Answers], categories: Sequence[str]) -> list[Block]:
    """Return the examples of every model, folded by model where there are several."""
    if len(answers) == 1:
        return [
            block
            for model_answers in answers.values()
            for block in example_blocks(model_answers, categories)
        ]
    return [
        Details(
            summary=label,
            blocks=example_blocks(model_answers, categories),
            is_major=True,
            is_open=i == 0,
        )
        for i, (label, model_answers) in enumerate(answers.items())
    ]


def _condition(row: _Row) -> str:
    name = _text(row.get("metric")).rpartition(".")[2]
    return name if name in CONDITIONS else ""


def _groups(row: _Row) -> set[str]:
    names = row.get("stereotyped_groups")
    return (
        {canonical(name) for name in names if isinstance(name, str)}
        if isinstance(names, list)
        else set()
    )


def _example(row: _Row) -> Example:
    condition = CONDITIONS[_condition(row)].removesuffix("s").lower()
    words = [_text(row.get("id")), condition, _ASKS.get(_text(row.get("question_polarity")), "")]
    lines = [("Context", _text(row.get("context"))), ("Question", _text(row.get("question")))]
    written = _text(row.get("answer"))
    choices = _choices(row)
    is_option = any(
        choice.is_chosen and _plain(choice.text) == _plain(written) for choice in choices
    )
    if written and not is_option:
        lines.append((RAW_ANSWER, written))
    return Example(
        title=" · ".join(word for word in words if word),
        lines=[(name, text) for name, text in lines if text],
        choices=choices,
    )


def _plain(text: str) -> str:
    return text.strip(" .").casefold()


def _choices(row: _Row) -> list[Choice]:
    answers = row.get("answers")
    if not isinstance(answers, list):
        return []
    return [
        Choice(
            text=_text(answer),
            tags=[tag for field, tag in TAGS.items() if row.get(field) == place],
            is_chosen=row.get("choice") == place,
        )
        for place, answer in enumerate(answers)
    ]


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
