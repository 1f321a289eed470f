"""inspect_ai: a log as ``.eval`` (a zip archive) or as JSON, and the samples in it.

A sample is (id, epoch). Its letters stand for its ``choices``, which may be shuffled; the value
"C" of a score means correct and is no letter. Shapes: logs of 0.3.120 and 0.3.285.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from evenhand.contract import DataRefused, WrongUse
from evenhand.scorer.faults import excerpt
from evenhand.scorer.readers.archive import Archive
from evenhand.scorer.readers.foreign import FAILED, ForeignAnswer, ForeignFile
from evenhand.scorer.readers.json_text import NOT_JSON, decode_whole
from evenhand.scorer.readers.prompts import letter_place
from evenhand.scorer.readers.reader import ANSWERS, Form, Mark, Reader

NAME = "inspect"
_ZIP_MAGIC = b"PK\x03\x04"

_LOG = "log of inspect_ai"
_ATTACHMENT = "attachment://"
_DONE = "success"
_CONTEXT, _QUESTION = "Context: ", "\n\nQuestion: "


class _Message(msgspec.Struct, gc=False):
    content: str | list[Any] = ""
    role: str = ""


class _Choice(msgspec.Struct, gc=False):
    message: _Message


class _Output(msgspec.Struct, gc=False):
    choices: list[_Choice] = []


class _Sample(msgspec.Struct, gc=False):
    id: int | str
    epoch: int
    input: str | list[_Message] = ""
    choices: list[str] | None = None
    output: _Output = msgspec.field(default_factory=_Output)
    scores: dict[str, Any] | None = None
    metadata: dict[str, Any] = {}
    error: Any = None
    attachments: dict[str, str] = {}


class _Data(msgspec.Struct):
    samples: int | None = None


class _Eval(msgspec.Struct):
    task: str = ""
    model: str | None = None
    dataset: _Data = msgspec.field(default_factory=_Data)


class _Error(msgspec.Struct):
    message: str = ""


class _Header(msgspec.Struct):
    status: str
    eval: _Eval
    error: _Error | None = None


class _Log(_Header):
    samples: list[_Sample] | None = None


_decode_sample = msgspec.json.Decoder(_Sample, strict=False).decode


def read(path: Path, chosen: str | None = None) -> ForeignFile:
    """Read the answers of one run.

    Args:
        path: the log, ``.eval`` or JSON.
        chosen: the number of the epoch that counts; needed where the log has several.

    Raises:
        DataRefused: no log, one without samples, or one of a run that did not succeed.
        WrongUse: the log has several epochs and none is chosen, or lacks the chosen one.
    """
    with path.open("rb") if path.is_file() else _nothing(path) as stream:
        is_archive = stream.read(4) == _ZIP_MAGIC
    header, samples = _read_archive(path) if is_archive else _read_json(path)
    if not samples:
        raise DataRefused(f"{path} holds no samples; log them (`--log-samples`) or give that log.")
    epoch_samples = _select_epoch(path, samples, chosen)
    log = ForeignFile([_answer(sample) for sample in epoch_samples], header.eval.model)
    if all(sample.choices is None for sample in epoch_samples):
        log.notes.append(
            f"{path.name}: a log of the task {header.eval.task}, whose samples have no choices."
        )
    return log


def _nothing(path: Path) -> Any:
    raise DataRefused(f"{path} does not exist, or is a folder; give the log itself.")


def _read_archive(path: Path) -> tuple[_Header, list[_Sample]]:
    archive = Archive(path)
    names = archive.names()
    if "header.json" not in names:
        if any(name.startswith("_journal/") for name in names):
            raise DataRefused(
                f"{path} is the log of a run that was stopped early: it has no"
                " header.json; run it again, e.g. `inspect eval-retry`."
            )
        raise DataRefused(f"{path} is no {_LOG}: it has no header.json.")
    ((_, content),) = archive.members(["header.json"])
    header = _checked(
        path, _decode(path, "header.json", content, msgspec.json.Decoder(_Header).decode)
    )
    members = [name for name in names if name.startswith("samples/") and name.endswith(".json")]
    archive.refuse_twice(members)
    return header, [_decode(path, *member, _decode_sample) for member in archive.members(members)]


def _decode(path: Path, name: str, content: bytes, decode: Any) -> Any:
    try:
        return decode(content)
    except NOT_JSON as error:
        quoted = excerpt(repr(name))
        raise DataRefused(f"{path}, member {quoted} is no part of a {_LOG}: {error}.") from error


def _read_json(path: Path) -> tuple[_Header, list[_Sample]]:
    log = decode_whole(path, _Log, what=_LOG)
    return _checked(path, log), log.samples or []


def _checked(path: Path, header: _Header) -> _Header:
    """Refuse a run that did not finish, with the reason that the log gives."""
    if header.status != _DONE:
        reason = " ".join(header.error.message.split()) if header.error else "no reason is given"
        raise DataRefused(
            f"{path} is the log of a run with the status {header.status!r}, which lacks samples"
            f" ({reason}); run it again, e.g. `inspect eval-retry`."
        )
    return header


def _select_epoch(path: Path, samples: list[_Sample], chosen: str | None) -> list[_Sample]:
    counts = Counter(str(sample.epoch) for sample in samples)
    if chosen is not None and chosen not in counts:
        raise WrongUse(f"{path} has no epoch {chosen}; it has {', '.join(counts)}.")
    if chosen is None and len(counts) > 1:
        said = ", ".join(f"{name} ({n:,} samples)" for name, n in sorted(counts.items()))
        raise WrongUse(
            f"{path} holds an answer for each epoch: {said}; choose one, e.g."
            f" `--reader {NAME}:{min(counts)}`."
        )
    epoch = chosen or next(iter(counts))
    return [sample for sample in samples if str(sample.epoch) == epoch]


def _answer(sample: _Sample) -> ForeignAnswer:
    answer = _identify(sample)
    if sample.error is not None or not sample.output.choices:
        answer.why = FAILED
        return answer
    answer.answer = _text(sample.output.choices[0].message.content, sample.attachments)
    answer.letter = _letter(sample)
    return answer


def _identify(sample: _Sample) -> ForeignAnswer:
    number = sample.metadata.get("source_id", sample.metadata.get("example_id"))
    category = sample.metadata.get("category")
    text = _asked(sample)
    context, mark, question = text.removeprefix(_CONTEXT).partition(_QUESTION)
    is_labelled = bool(mark) and text.startswith(_CONTEXT)
    apart = sample.metadata.get("context")
    if not is_labelled and isinstance(apart, str) and apart not in text:
        # A template of the run joined the two; the input is the question alone.
        context, question, is_labelled = apart, text, True
    is_key = isinstance(category, str) and isinstance(number, int) and not isinstance(number, bool)
    return ForeignAnswer(
        place=f"sample {sample.id}",
        id=sample.id if isinstance(sample.id, str) else None,
        category=category if is_key else None,
        example_id=number if is_key else None,
        context=context if is_labelled else None,
        question=question if is_labelled else None,
        prompt=None if is_labelled else text,
        options=tuple(sample.choices) if sample.choices else None,
    )


def _asked(sample: _Sample) -> str:
    """Return the input, or the last message of the user where it is a conversation."""
    if isinstance(sample.input, str):
        return _resolve(sample.input, sample.attachments)
    messages = [message for message in sample.input if message.role == "user"]
    return _text(messages[-1].content, sample.attachments) if messages else ""


def _text(content: str | list[Any], attachments: dict[str, str]) -> str:
    """Return the text of a message, without reasoning and tool calls."""
    if isinstance(content, str):
        return _resolve(content, attachments)
    return "\n".join(_resolve(text, attachments) for text in _texts(content))


def _texts(content: list[Any]) -> Iterator[str]:
    for part in content:
        if isinstance(part, dict) and part.get("type") == "text":
            yield str(part.get("text") or "")


def _resolve(text: str, attachments: dict[str, str]) -> str:
    """Replace a reference to a long text, which a log may hold, by the text."""
    if text.startswith(_ATTACHMENT):
        return attachments.get(text.removeprefix(_ATTACHMENT), text)
    return text


def _letter(sample: _Sample) -> str | None:
    """Return the letter that the scorers read, where they agree on one of the choices."""
    letters = set()
    for score in (sample.scores or {}).values():
        said = score.get("answer") if isinstance(score, dict) else None
        if (
            isinstance(said, str)
            and letter_place(said.strip(), len(sample.choices or ())) is not None
        ):
            letters.add(said.strip().upper())
    return letters.pop() if len(letters) == 1 else None


_LOG_ARCHIVE = "a zip archive with a log of inspect_ai"

READER = Reader(
    name=NAME,
    help="inspect_ai: a log, .eval or JSON",
    choice="[:EPOCH]",
    choice_help="the number of the epoch",
    yields=ANSWERS,
    read=read,
    marks=(
        Mark(why="an object with status and eval", names=frozenset({"status", "eval"})),
        Mark(why=_LOG_ARCHIVE, forms=(Form.ZIP,), names=frozenset({"header.json"})),
        Mark(why=_LOG_ARCHIVE, forms=(Form.ZIP,), pattern="_journal/"),
    ),
)
