"""What every reader of another tool's file hands on: answers in that file's own words.

A reader knows no dataset. The benchmark tells from what the file keeps which question a row
answers, and which of its options was meant.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from evenhand.scorer.faults import Fault
from evenhand.scorer.readers.prompts import lettered_options

FAILED = "failed request"
"""The run has no output for the row: an error, an expired or a cancelled request."""
FILTERED = "withheld output"
"""The service gave no text on purpose: a refusal that it marks itself, a content filter."""


class ForeignAnswer(msgspec.Struct, kw_only=True, gc=False):
    """One answer; of the fields that tell its question a file keeps only some."""

    place: str
    """Where it stands, for a person: ``line 4``, ``sample Age_00061``."""
    id: str | None = None
    """An id as the file has it, e.g. a ``custom_id``."""
    category: str | None = None
    example_id: int | None = None
    context: str | None = None
    question: str | None = None
    prompt: str | None = None
    """Text in which context and question stand somewhere."""
    options: tuple[str, ...] | None = None
    """The texts behind the letters or scores, in the order in which the model saw them."""
    answer: str | None = None
    """What the model wrote."""
    letter: str | None = None
    """The letter that the tool itself read from it, of :attr:`options`."""
    scores: tuple[float, ...] | None = None
    """One number an option; the largest wins."""
    label: int | None = None
    """The number of an answer, in the dataset's own order."""
    why: str | None = None
    """Why there is no answer; then there is no other."""


@dataclass(slots=True)
class ForeignFile:
    """One file of another tool as read."""

    rows: list[ForeignAnswer]
    model: str | None = None
    """The model as the file states it."""
    notes: list[str] = field(default_factory=list)
    """What a person has to know about how the file was read."""
    faults: list[Fault] = field(default_factory=list)


def add_prompts(file: ForeignFile, prompts: Mapping[str, str]) -> None:
    """Add to the answers of a file what was asked, where a file of requests says so.

    Args:
        file: rows without a prompt, told by the id that the request had.
        prompts: id -> prompt.
    """
    for row in file.rows:
        prompt = prompts.get(row.id or "")
        if prompt is not None:
            row.prompt, row.options = prompt, lettered_options(prompt)
