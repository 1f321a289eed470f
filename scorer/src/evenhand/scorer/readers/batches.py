"""Batch outputs of OpenAI's and Anthropic's shapes, and the requests that say what was asked.

A line of an output keeps of its request the ``custom_id`` alone: which question that is stands in
the id, or in the request file, which is given beside the output. Shapes: the two services'
references; vLLM's ``run_batch`` and Groq write OpenAI's.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evenhand.contract import DataRefused, WrongUse
from evenhand.scorer.faults import FaultList
from evenhand.scorer.readers.foreign import FAILED, FILTERED, ForeignAnswer, ForeignFile
from evenhand.scorer.readers.json_text import objects_of_lines
from evenhand.scorer.readers.prompts import lettered_options

OPENAI, ANTHROPIC = "openai-batch", "anthropic-batch"

_OK = 200
_WITHHELD = {"content_filter", "refusal"}
_OPENAI_SHAPE = "A line of a batch output has custom_id, response and error."
_ANTHROPIC_SHAPE = "A line of a batch's results has custom_id and result with its type."


def read_openai(path: Path, chosen: str | None = None) -> ForeignFile:
    """Read a batch output, or the error file of one.

    Args:
        path: JSON lines.
        chosen: the number of the choice that counts, from 0; needed where a request asked for
            several.

    Raises:
        DataRefused: no such lines.
        WrongUse: several choices and none is chosen, or no number.
    """
    if chosen is not None and not (chosen.isascii() and chosen.isdigit()):
        raise WrongUse(f"--reader {OPENAI}:{chosen}: give the number of a choice, from 0.")
    found, faults = ForeignFile([]), FaultList()
    for number, line in objects_of_lines(path, faults):
        identity, body = line.get("custom_id"), _openai_body(line)
        if not isinstance(identity, str) or "response" not in line:
            faults.add("lines that are no batch output", _OPENAI_SHAPE, f"line {number}")
            continue
        row = ForeignAnswer(place=f"line {number} ({identity})", id=identity)
        if body is None:
            row.why = FAILED
        else:
            _take(row, _openai_texts(body), path, chosen)
            found.model = found.model or _text(body.get("model"))
        found.rows.append(row)
    return _finished(path, found, faults, _OPENAI_SHAPE)


def read_anthropic(path: Path, chosen: str | None = None) -> ForeignFile:
    """Read a message batch's results.

    Raises:
        DataRefused: no such lines.
        WrongUse: something is chosen; a result has one answer.
    """
    if chosen is not None:
        raise WrongUse(f"--reader {ANTHROPIC} takes no `:{chosen}`: a result has one answer.")
    found, faults = ForeignFile([]), FaultList()
    for number, line in objects_of_lines(path, faults):
        identity, result = line.get("custom_id"), line.get("result")
        if not isinstance(identity, str) or not isinstance(result, dict) or "type" not in result:
            faults.add("lines that are no batch results", _ANTHROPIC_SHAPE, f"line {number}")
            continue
        row = ForeignAnswer(place=f"line {number} ({identity})", id=identity)
        message = result.get("message")
        if result["type"] != "succeeded" or not isinstance(message, dict):
            row.why = FAILED
        else:
            text = _joined(message.get("content"), "text")
            _take(row, [(text, _text(message.get("stop_reason")))], path, None)
            found.model = found.model or _text(message.get("model"))
        found.rows.append(row)
    return _finished(path, found, faults, _ANTHROPIC_SHAPE)


def read_requests(path: Path) -> dict[str, str]:
    """Read a request file: ``custom_id`` -> the last message of the user.

    Raises:
        DataRefused: a line is no request, or an id stands twice.
    """
    faults, prompts = FaultList(), dict[str, str]()
    for number, line in objects_of_lines(path, faults):
        identity, body = line.get("custom_id"), line.get("body", line.get("params"))
        prompt = _asked(body) if isinstance(body, dict) else None
        if not isinstance(identity, str) or prompt is None:
            raise DataRefused(f"{path}, line {number} is no request: it lacks custom_id or a text.")
        if identity in prompts:
            raise DataRefused(f"{path}, line {number}: the custom_id {identity!r} stands twice.")
        prompts[identity] = prompt
    if listed := faults.listed():
        raise DataRefused(f"{path}: {listed[0].sentence()}")
    return prompts


def with_requests(file: ForeignFile, prompts: dict[str, str]) -> None:
    """Add to each answer what was asked, and the options behind its letters."""
    for row in file.rows:
        prompt = prompts.get(row.id or "")
        if prompt is not None:
            row.prompt, row.options = prompt, lettered_options(prompt)


def _finished(path: Path, found: ForeignFile, faults: FaultList, shape: str) -> ForeignFile:
    found.faults = faults.listed()
    if not found.rows and not found.faults:
        raise DataRefused(f"{path} holds no lines of a batch. {shape}")
    return found


def _take(
    row: ForeignAnswer, texts: list[tuple[str, str | None]], path: Path, chosen: str | None
) -> None:
    """Take the one text of a row, or the chosen one of several."""
    if chosen is None and len(texts) > 1:
        raise WrongUse(
            f"{path}, {row.place} holds {len(texts)} choices; say which counts, e.g."
            f" `--reader {OPENAI}:0`."
        )
    place = int(chosen or 0)
    if place >= len(texts):
        row.why = FAILED
        return
    text, reason = texts[place]
    if reason in _WITHHELD and not text.strip():
        row.why = FILTERED
    else:
        row.answer = text


def _openai_body(line: dict[str, Any]) -> dict[str, Any] | None:
    """Return what the endpoint answered, None where the request failed."""
    response = line.get("response")
    if line.get("error") is not None or not isinstance(response, dict):
        return None
    if "choices" in response or "output" in response:  # older vLLM: the answer itself
        return response
    body = response.get("body")
    is_good = response.get("status_code") == _OK and isinstance(body, dict)
    return body if is_good else None


def _openai_texts(body: dict[str, Any]) -> list[tuple[str, str | None]]:
    """Return text and reason of its end for each choice of any of the three endpoints."""
    if isinstance(body.get("output"), list):  # /v1/responses
        parts = [part for part in body["output"] if isinstance(part, dict)]
        texts = [_joined(part.get("content"), "output_text") for part in parts]
        refused = any(_is_refusal(part.get("content")) for part in parts)
        return [("".join(texts), "refusal" if refused else None)]
    found = []
    for choice in body.get("choices") or ():
        if not isinstance(choice, dict):
            continue
        message = choice.get("message")
        own = message if isinstance(message, dict) else {}
        content = own.get("content", choice.get("text"))
        text = content if isinstance(content, str) else _joined(content, "text")
        reason = "refusal" if own.get("refusal") else _text(choice.get("finish_reason"))
        found.append((text, reason))
    return found


def _is_refusal(content: Any) -> bool:
    parts = content if isinstance(content, list) else ()
    return any(isinstance(part, dict) and part.get("type") == "refusal" for part in parts)


def _joined(content: Any, kind: str) -> str:
    """Return the texts of a message's parts; thinking and tool calls are no answer."""
    if isinstance(content, str):
        return content
    return "".join(_parts(content, kind))


def _parts(content: Any, kind: str) -> Iterator[str]:
    for part in content if isinstance(content, list) else ():
        if (
            isinstance(part, dict)
            and part.get("type") == kind
            and isinstance(part.get("text"), str)
        ):
            yield part["text"]


def _asked(body: dict[str, Any]) -> str | None:
    """Return the last text of the user in a request of any endpoint."""
    given = body.get("messages", body.get("input", body.get("prompt")))
    if isinstance(given, str):
        return given
    own = [one for one in given or () if isinstance(one, dict) and one.get("role") == "user"]
    if not own:
        return None
    content = own[-1].get("content")
    return (
        content
        if isinstance(content, str)
        else _joined(content, "text") or _joined(content, "input_text")
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
