"""Request files of OpenAI's and Anthropic's batches, which say what each output line answers.

An output line keeps only the ``custom_id`` of its request; where the id does not identify the
question, the request file is given with the output. Shapes: the two services' references.
"""

from pathlib import Path
from typing import Any

from evenhand.contract import DataRefused
from evenhand.scorer.faults import FaultList
from evenhand.scorer.readers.batch_lines import joined_text
from evenhand.scorer.readers.json_text import objects_of_lines
from evenhand.scorer.readers.reader import PROMPTS, Mark, Reader


def read(path: Path, _choice: str | None = None) -> dict[str, str]:
    """Read a request file: ``custom_id`` -> the last message of the user.

    Raises:
        DataRefused: a line is no request, or an id occurs twice.
    """
    faults, prompts = FaultList(), dict[str, str]()
    for number, line in objects_of_lines(path, faults):
        identity, body = line.get("custom_id"), line.get("body", line.get("params"))
        prompt = _prompt(body) if isinstance(body, dict) else None
        if not isinstance(identity, str) or prompt is None:
            raise DataRefused(f"{path}, line {number} is no request: it lacks custom_id or a text.")
        if identity in prompts:
            raise DataRefused(f"{path}, line {number}: the custom_id {identity!r} occurs twice.")
        prompts[identity] = prompt
    if listed := faults.to_list():
        raise DataRefused(f"{path}: {listed[0].sentence()}")
    return prompts


def _prompt(body: dict[str, Any]) -> str | None:
    """Return the user's last message in a request to any endpoint."""
    messages = body.get("messages", body.get("input", body.get("prompt")))
    if isinstance(messages, str):
        return messages
    contents = [
        message.get("content")
        for message in messages or ()
        if isinstance(message, dict) and message.get("role") == "user"
    ]
    if not contents:
        return None
    return joined_text(contents[-1], "text") or joined_text(contents[-1], "input_text")


READER = Reader(
    name="requests",
    help="requests of a batch, given beside its output",
    yields=PROMPTS,
    read=read,
    marks=(
        Mark(why="requests with custom_id and body", names=frozenset({"custom_id", "body"})),
        Mark(why="requests with custom_id and params", names=frozenset({"custom_id", "params"})),
    ),
)
