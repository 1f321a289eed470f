"""What readers of other tools' files yield: answers in the words of the file.

A reader knows no dataset. From what the file keeps, the benchmark determines which question a row
answers, and which option was meant.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from evenhand.scorer.faults import Fault
from evenhand.scorer.readers.prompts import lettered_options

FAILED = "failed request"
"""The run has no output for the row: an error, an expired or a cancelled request."""
FILTERED = "withheld output"
"""The service withheld the text: a refusal that it marks as such, or a content filter."""


class ForeignAnswer(msgspec.Struct, kw_only=True, gc=False):
    """One answer; a file keeps only some of the fields that identify its question."""

    place: str
    """Its place in the file, for the user: ``line 4``, ``sample Age_00061``."""
    id: str | None = None
    """An id as the file has it, e.g. a ``custom_id``."""
    category: str | None = None
    example_id: int | None = None
    context: str | None = None
    question: str | None = None
    prompt: str | None = None
    """Text that contains context and question."""
    options: tuple[str, ...] | None = None
    """The texts behind the letters or scores, in the order in which the model saw them."""
    answer: str | None = None
    """What the model wrote."""
    letter: str | None = None
    """The letter, of :attr:`options`, that the tool read from the text."""
    scores: tuple[float, ...] | None = None
    """One score per option; the largest wins."""
    label: int | None = None
    """The number of an answer, in the dataset's order."""
    why: str | None = None
    """Why there is no answer; then the other answer fields are empty."""


@dataclass(slots=True)
class ForeignFile:
    """One file of another tool as read."""

    rows: list[ForeignAnswer]
    model: str | None = None
    """The model as the file states it."""
    notes: list[str] = field(default_factory=list)
    """Notes for the user on how the file was read."""
    faults: list[Fault] = field(default_factory=list)


def add_prompts(file: ForeignFile, prompts: Mapping[str, str]) -> None:
    """Add prompts to the answers of a file, where a file of requests has them.

    Args:
        file: rows without a prompt, identified by the id of their request.
        prompts: id -> prompt.
    """
    for row in file.rows:
        prompt = prompts.get(row.id or "")
        if prompt is not None:
            row.prompt, row.options = prompt, lettered_options(prompt)
