"""One row of the release or of a mirror, checked and in one shape.

The official lines nest ``answer_info`` and ``additional_metadata``. Mirrors flatten them
(``answer_info.ans0``, ``ans0_text`` and ``ans0_info``, ``subcategory``), write lists as text, or
labels as text.
"""

import ast
import json
from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from evenhand.contract.errors import DataRefused

ANSWERS = ("ans0", "ans1", "ans2")
UNKNOWN = "unknown"

UNKNOWN_WORDINGS = frozenset(
    (
        *("Cannot answer", "Can't answer", "Cannot be determined", "Can't be determined"),
        *("Not answerable", "Not enough info", "Not enough information", "Not known"),
        *("Undetermined", "Unknown"),
    )
)
"""Source: the ten wordings of the released files."""

_METADATA = ("subcategory", "stereotyped_groups", "version", "source")
_PLAIN = (
    *("example_id", "question_index", "question_polarity", "context_condition", "category"),
    *("context", "question", *ANSWERS),
)
_LABELS = ("label", "answer_label")
"""The second name is that of a mirror."""

OFFICIAL_FIELDS = (*_PLAIN, "answer_info", "additional_metadata", "label")

_VALUES = {"question_polarity": ("neg", "nonneg"), "context_condition": ("ambig", "disambig")}

Triple = tuple[str, str, str]


class Row(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One question with its three answers; ``unknown`` is found from the other fields."""

    category: str
    example_id: int
    question_index: str
    question_polarity: Literal["neg", "nonneg"]
    context_condition: Literal["ambig", "disambig"]
    context: str
    question: str
    answers: Triple
    answer_text: Triple
    answer_group: Triple
    label: int
    unknown: int
    subcategory: str
    stereotyped_groups: tuple[str, ...]
    version: str
    source: str


class _Faulty(Exception):
    """What is wrong with a row, without its place."""


def read_row(raw: Any, place: str, *, category: str | None) -> Row:
    """Check one record.

    Args:
        raw: the record as JSON or Parquet holds it.
        place: file and line, for errors.
        category: what the file's name says, for mirrors whose rows do not say it.

    Raises:
        DataRefused: a field is missing or not what it must be; the sentence names it.
    """
    if not isinstance(raw, dict):
        raise DataRefused(f"{place}: is not an object; a row of BBQ has named fields.")
    try:
        fields = _flat(raw, category)
        _check(fields)
        return msgspec.convert(fields, Row)
    except msgspec.ValidationError as error:
        what, _, where = str(error).partition(" - at `$.")
        name = where.rstrip("`")
        raise DataRefused(f"{place}: field `{name}`: {what[:1].lower()}{what[1:]}.") from error
    except _Faulty as error:
        raise DataRefused(f"{place}: {error}.") from error


def fields_left_out(raw: dict[str, Any]) -> Iterator[str]:
    """Yield the names of a record's fields that are no part of BBQ's rows."""
    known = {*OFFICIAL_FIELDS, *_LABELS, *_METADATA, "answer_text", "answer_group"}
    for name in raw:
        is_part = name.startswith(("answer_info", "additional_metadata"))
        is_answer = name.startswith(ANSWERS) and name.endswith(("_text", "_info"))
        if name not in known and not is_part and not is_answer:
            yield name


def _flat(raw: dict[str, Any], category: str | None) -> dict[str, Any]:
    """Return the fields of a :class:`Row`, not yet checked."""
    if raw.get("category") is None and category is not None:
        raw = {**raw, "category": category}
    _refuse_missing(raw)
    plain = {name: raw[name] for name in _PLAIN}
    answers = tuple(plain.pop(name) for name in ANSWERS)
    metadata = _object(raw, "additional_metadata")
    texts, groups = _answer_info(raw)
    values = {name: _metadata(raw, metadata, name) for name in _METADATA}
    if isinstance(plain["question_index"], int):
        plain["question_index"] = str(plain["question_index"])
    return {
        **plain,
        **{name: "" if values[name] is None else values[name] for name in _METADATA},
        "stereotyped_groups": tuple(_read_list(values["stereotyped_groups"], "stereotyped_groups")),
        "example_id": _integer(plain["example_id"], "example_id"),
        "answers": answers,
        "answer_text": texts,
        "answer_group": groups,
        "label": _integer(_label(raw), "label"),
        "unknown": _unknown(texts, groups, answers),
    }


def _refuse_missing(raw: dict[str, Any]) -> None:
    """Name all that a row lacks at once: some mirrors hold a question and its options alone."""
    missing = [name for name in _PLAIN if raw.get(name) is None]
    if len(missing) == 1:
        raise _Faulty(
            f"field `{missing[0]}` is missing; a row has {', '.join(OFFICIAL_FIELDS)}, or the two"
            " nested ones as columns of their own"
        )
    if missing:
        raise _Faulty(
            f"fields {', '.join(f'`{name}`' for name in missing)} are missing; the row has"
            f" {', '.join(map(str, raw)) or 'none'}; take the release, or a mirror with all of its"
            " fields"
        )


def _label(raw: dict[str, Any]) -> Any:
    """Return the label, a number or the name of the answer's field (`ans1`)."""
    value = next((raw[name] for name in _LABELS if raw.get(name) is not None), None)
    return ANSWERS.index(value) if value in ANSWERS else value


def _integer(value: Any, name: str) -> int:
    if isinstance(value, str) and value.strip().isdecimal():
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if value is None:
        raise _Faulty(f"field `{name}` is missing")
    raise _Faulty(f"field `{name}` is {value!r}; a whole number was expected")


def _object(raw: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a nested field as an object; mirrors may hold it as text, or not at all."""
    value = raw.get(name)
    if value is None:
        return {}
    if isinstance(value, str):
        value = _literal(value, name)
    if not isinstance(value, dict):
        raise _Faulty(f"field `{name}` is not an object; it holds {_NESTED[name]}")
    return value


_NESTED = {
    "answer_info": "ans0, ans1 and ans2, each with a text and a group",
    "additional_metadata": ", ".join(_METADATA),
}


def _metadata(raw: dict[str, Any], metadata: dict[str, Any], name: str) -> Any:
    if name in metadata:
        return metadata[name]
    spellings = (*_joined("additional_metadata", name), name)
    spelling = next((spelling for spelling in spellings if spelling in raw), None)
    if spelling is None and name == "stereotyped_groups":
        raise _Faulty(
            "field `additional_metadata` (or `stereotyped_groups`) is missing; without it no"
            " answer can be told to agree with a stereotype"
        )
    return None if spelling is None else raw[spelling]


def _joined(outer: str, inner: str) -> tuple[str, ...]:
    """Return how tools name a nested field that became a column."""
    return tuple(f"{outer}{mark}{inner}" for mark in (".", "_", "__", "/"))


def _answer_info(raw: dict[str, Any]) -> tuple[Triple, Triple]:
    """Return the texts and the groups of the three answers."""
    if "answer_text" in raw and "answer_group" in raw:
        return _triple(raw["answer_text"], "answer_text"), _triple(
            raw["answer_group"], "answer_group"
        )
    nested = _object(raw, "answer_info")
    pairs = [_pair(raw, nested, name) for name in ANSWERS]
    return (
        (pairs[0][0], pairs[1][0], pairs[2][0]),
        (pairs[0][1], pairs[1][1], pairs[2][1]),
    )


def _triple(value: Any, name: str) -> Triple:
    texts = _read_list(value, name)
    if len(texts) != len(ANSWERS):
        raise _Faulty(f"field `{name}` has {len(texts)} members; one for each answer was expected")
    return texts[0], texts[1], texts[2]


def _pair(raw: dict[str, Any], nested: dict[str, Any], name: str) -> tuple[str, str]:
    held = [raw[spelling] for spelling in _joined("answer_info", name) if spelling in raw]
    value = nested.get(name, held[0] if held else None)
    if value is None and f"{name}_info" in raw:
        value = [raw.get(f"{name}_text") or "", raw[f"{name}_info"] or ""]
    if value is None:
        raise _Faulty(f"field `answer_info` has no `{name}`; it holds {_NESTED['answer_info']}")
    pair = _read_list(value, f"answer_info.{name}")
    if len(pair) != 2:
        raise _Faulty(
            f"field `answer_info.{name}` has {len(pair)} members; a text and a group were expected"
        )
    return pair[0], pair[1]


def _read_list(value: Any, name: str) -> list[str]:
    """Return a list of texts, which mirrors may hold as the text of a list."""
    if value is None:
        return []
    if isinstance(value, str):
        value = _literal(value, name)
    if not isinstance(value, list | tuple):
        raise _Faulty(f"field `{name}` is {value!r}; a list of texts was expected")
    for member in value:
        if member is not None and not isinstance(member, str):
            raise _Faulty(f"field `{name}` holds {member!r}; texts were expected")
    return [member or "" for member in value]


_MAX_LITERAL = 10_000
"""Characters; a list of groups is far shorter, and the parser's depth is bounded by this."""


def _literal(text: str, name: str) -> Any:
    """Read a list or an object that was written as text, in JSON or as Python prints it."""
    for read in (json.loads, ast.literal_eval):
        try:
            return read(text[:_MAX_LITERAL])
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
    raise _Faulty(f"field `{name}` is the text {text[:60]!r}; a list or an object was expected")


def _unknown(texts: Triple, groups: Triple, answers: tuple[Any, ...]) -> int:
    """Return which answer says that it cannot be known."""
    candidates = [i for i, group in enumerate(groups) if group.strip().casefold() == UNKNOWN]
    if not candidates:
        # Where the group is empty the wording tells.
        wordings = zip(groups, texts, answers, strict=True)
        candidates = [
            i
            for i, (group, text, answer) in enumerate(wordings)
            if not group.strip() and {text, answer} & UNKNOWN_WORDINGS
        ]
    if len(candidates) != 1:
        which = f" ({', '.join(ANSWERS[i] for i in candidates)})" if candidates else ""
        raise _Faulty(
            f"field `answer_info`: {len(candidates) or 'no'} answers are `{UNKNOWN}`{which};"
            " exactly one was expected"
        )
    return candidates[0]


def _check(fields: dict[str, Any]) -> None:
    """Check what the types do not, and say of the two with fixed values what they are."""
    for name, known in _VALUES.items():
        if fields[name] not in known:
            expected = " or ".join(known)
            raise _Faulty(f"field `{name}` is {fields[name]!r}; {expected} was expected")
    if not 0 <= fields["label"] < len(ANSWERS):
        raise _Faulty(f"field `label` is {fields['label']}; 0, 1 or 2 was expected")
    if fields["example_id"] < 0:
        raise _Faulty(f"field `example_id` is {fields['example_id']}; 0 or more was expected")
    for name, answer in zip(ANSWERS, fields["answers"], strict=True):
        if isinstance(answer, str) and not answer.strip():
            raise _Faulty(f"field `{name}` is empty; the answer's text was expected")
