"""Results of Anthropic's message batches.

The ``custom_id`` of a line says which question it answers, or the request file does that is given
with the results. Shape: the service's reference.
"""

from pathlib import Path

from evenhand.contract import WrongUse
from evenhand.scorer.faults import FaultList
from evenhand.scorer.readers.batch_lines import (
    Reply,
    finish_file,
    joined_text,
    take_reply,
    text_or_none,
)
from evenhand.scorer.readers.foreign import FAILED, ForeignAnswer, ForeignFile
from evenhand.scorer.readers.json_text import objects_of_lines
from evenhand.scorer.readers.reader import ANSWERS, Mark, Reader

NAME = "anthropic-batch"

_SHAPE = "A line of a batch's results has custom_id and result with its type."


def read(path: Path, choice: str | None = None) -> ForeignFile:
    """Read a message batch's results.

    Raises:
        DataRefused: the file has no such lines.
        WrongUse: a choice is given; a result has one answer.
    """
    if choice is not None:
        raise WrongUse(f"--reader {NAME} takes no `:{choice}`: a result has one answer.")
    file, faults = ForeignFile([]), FaultList()
    for number, line in objects_of_lines(path, faults):
        identity, result = line.get("custom_id"), line.get("result")
        if not isinstance(identity, str) or not isinstance(result, dict) or "type" not in result:
            faults.add("lines that are no batch results", _SHAPE, f"line {number}")
            continue
        row = ForeignAnswer(place=f"line {number} ({identity})", id=identity)
        message = result.get("message")
        if result["type"] != "succeeded" or not isinstance(message, dict):
            row.why = FAILED
        else:
            text = joined_text(message.get("content"), "text")
            reply = Reply(text, text_or_none(message.get("stop_reason")))
            take_reply(row, [reply], None, several="")
            file.model = file.model or text_or_none(message.get("model"))
        file.rows.append(row)
    return finish_file(path, file, faults, _SHAPE)


READER = Reader(
    name=NAME,
    help="results of a message batch of Anthropic's, its requests beside them",
    yields=ANSWERS,
    read=read,
    takes_prompts=True,
    marks=(Mark(why="lines with custom_id and result", names=frozenset({"custom_id", "result"})),),
)
