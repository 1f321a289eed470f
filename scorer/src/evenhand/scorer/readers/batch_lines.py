"""What batch outputs of all services share: messages in parts, and one answer per request."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from evenhand.contract import DataRefused, WrongUse
from evenhand.scorer.faults import FaultList
from evenhand.scorer.readers.foreign import FAILED, FILTERED, ForeignAnswer, ForeignFile

_WITHHELD = {"content_filter", "refusal"}


class Reply(NamedTuple):
    """One answer to a request."""

    text: str
    reason: str | None
    """Why the text ends, in the service's words."""


def take_reply(
    row: ForeignAnswer, replies: Sequence[Reply], choice: str | None, *, several: str
) -> None:
    """Take the one reply to a request, or the chosen one of several.

    Args:
        row: gets the answer, or the reason why there is none.
        replies: those to its request.
        choice: the number of the one that counts, from 0.
        several: the refusal for several replies of which none is chosen.
    """
    if choice is None and len(replies) > 1:
        raise WrongUse(several)
    place = int(choice or 0)
    if place >= len(replies):
        row.why = FAILED
        return
    text, reason = replies[place]
    if reason in _WITHHELD and not text.strip():
        row.why = FILTERED
    else:
        row.answer = text


def finish_file(path: Path, file: ForeignFile, faults: FaultList, shape: str) -> ForeignFile:
    """Return a file with its faults.

    Raises:
        DataRefused: it holds no answer and no fault.
    """
    file.faults = faults.to_list()
    if not file.rows and not file.faults:
        raise DataRefused(f"{path} holds no lines of a batch. {shape}")
    return file


def joined_text(content: Any, kind: str) -> str:
    """Return the texts of a message's parts, without thinking and tool calls."""
    return content if isinstance(content, str) else "".join(_parts(content, kind))


def _parts(content: Any, kind: str) -> Iterator[str]:
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and part.get("type") == kind:
            text = part.get("text")
            if isinstance(text, str):
                yield text


def text_or_none(value: Any) -> str | None:
    """Return a value where it is a text."""
    return value if isinstance(value, str) else None
