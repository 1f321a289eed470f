"""Batch outputs of OpenAI's shape, which vLLM's ``run_batch`` and Groq write too.

The ``custom_id`` of a line says which question it answers, or the request file does that is given
with the output. Shape: the service's reference.
"""

from pathlib import Path
from typing import Any

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

NAME = "openai-batch"

_OK = 200
_SHAPE = "A line of a batch output has custom_id, response and error."


def read(path: Path, choice: str | None = None) -> ForeignFile:
    """Read a batch output, or the error file of one.

    Args:
        path: JSON lines.
        choice: the number of the choice that counts, from 0; needed where a request asked for
            several.

    Raises:
        DataRefused: the file has no such lines.
        WrongUse: there are several choices and none is chosen, or the choice is no number.
    """
    if choice is not None and not (choice.isascii() and choice.isdigit()):
        raise WrongUse(f"--reader {NAME}:{choice}: give the number of a choice, from 0.")
    file, faults = ForeignFile([]), FaultList()
    for number, line in objects_of_lines(path, faults):
        identity, body = line.get("custom_id"), _body(line)
        if not isinstance(identity, str) or "response" not in line:
            faults.add("lines that are no batch output", _SHAPE, f"line {number}")
            continue
        row = ForeignAnswer(place=f"line {number} ({identity})", id=identity)
        if body is None:
            row.why = FAILED
        else:
            replies = _replies(body)
            several = (
                f"{path}, {row.place} holds {len(replies)} choices; say which counts, e.g."
                f" `--reader {NAME}:0`."
            )
            take_reply(row, replies, choice, several=several)
            file.model = file.model or text_or_none(body.get("model"))
        file.rows.append(row)
    return finish_file(path, file, faults, _SHAPE)


def _body(line: dict[str, Any]) -> dict[str, Any] | None:
    """Return the body of the response, None where the request failed."""
    response = line.get("response")
    if line.get("error") is not None or not isinstance(response, dict):
        return None
    if "choices" in response or "output" in response:  # older vLLM: the answer itself
        return response
    body = response.get("body")
    is_good = response.get("status_code") == _OK and isinstance(body, dict)
    return body if is_good else None


def _replies(body: dict[str, Any]) -> list[Reply]:
    """Return the reply in each choice of any of the three endpoints."""
    if isinstance(body.get("output"), list):  # /v1/responses
        parts = [part for part in body["output"] if isinstance(part, dict)]
        texts = [joined_text(part.get("content"), "output_text") for part in parts]
        is_refused = any(_is_refusal(part.get("content")) for part in parts)
        return [Reply("".join(texts), "refusal" if is_refused else None)]
    return [_reply(choice) for choice in body.get("choices") or () if isinstance(choice, dict)]


def _reply(choice: dict[str, Any]) -> Reply:
    given = choice.get("message")
    message: dict[str, Any] = given if isinstance(given, dict) else {}
    content = message.get("content", choice.get("text"))
    reason = "refusal" if message.get("refusal") else text_or_none(choice.get("finish_reason"))
    return Reply(joined_text(content, "text"), reason)


def _is_refusal(content: Any) -> bool:
    parts = content if isinstance(content, list) else ()
    return any(isinstance(part, dict) and part.get("type") == "refusal" for part in parts)


READER = Reader(
    name=NAME,
    help="output of a batch in OpenAI's shape (also of vLLM and Groq), its requests beside it",
    choice="[:N]",
    choice_help="the number of the choice that counts, from 0",
    yields=ANSWERS,
    read=read,
    takes_prompts=True,
    marks=(
        Mark(why="lines with custom_id and response", names=frozenset({"custom_id", "response"})),
    ),
)
