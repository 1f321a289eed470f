"""The obvious reading of other tools' files: by row the question and what the answer may mean."""

import io
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from fuzzing.answers import Said, of_scores, of_text, plain
from fuzzing.bases import Row
from fuzzing.reading import (
    Undecided,
    Unreadable,
    bytes_of,
    json_lines,
    json_of,
    kind_of,
    parquet_rows,
    table_rows,
    text_of,
    wild_text,
)

Choices = list[tuple[str, frozenset[int | None]]]

_NOBODY = frozenset({None})
_ANYBODY = frozenset({None, 0, 1, 2})
_LETTERS = "ABC"


def _of_said(rows: Iterable[Said], items: list[Row]) -> Choices:
    found = []
    for said in rows:
        try:
            item = _item(said, items)
        except Unreadable:
            if _says_nothing(said):  # such a row of a table is left out, and that is said
                continue
            raise
        found.append((item["id"], _choice(said, item)))
    return found


def _says_nothing(said: Said) -> bool:
    given = (said.letter, said.scores, said.label)
    return said.text == "" and not said.is_failed and all(value is None for value in given)


def _item(said: Said, items: list[Row]) -> Row:
    """Return the question of a row: by its key where it has one, and with its own words."""
    by_id = {item["id"]: item for item in items}
    name = said.id
    # A truth value is no number, though Python counts with it: the words alone tell such a row.
    if said.key is not None and said.key[0] and type(said.key[1]) is int:
        name = f"{said.key[0]}-{said.key[1]:05d}"
    item = by_id.get(name) if isinstance(name, str) else None
    if item is None:
        own = [item for item in items if _has_words(said, item)]
        longest = max((len(item["context"]) for item in own), default=0)
        own = [item for item in own if len(item["context"]) == longest]
        if len(own) != 1 or not (said.context or said.prompt):
            if isinstance(name, str) and re.search(r"\d", name):
                raise Undecided
            raise Unreadable(f"no question of {said}"[:200])
        return own[0]
    if not _has_words(said, item):
        raise Unreadable(f"{name} has other words")
    return item


def _has_words(said: Said, item: Row) -> bool:
    if not all(isinstance(own, str | None) for own in (said.context, said.question, said.prompt)):
        raise Undecided
    if said.context is not None and " ".join(said.context.split()) != item["context"]:
        return False
    if said.question is not None and " ".join(said.question.split()) != item["question"]:
        return False
    prompt = " ".join(said.prompt.split()) if said.prompt is not None else ""
    return said.prompt is None or (item["context"] in prompt and item["question"] in prompt)


def _choice(said: Said, item: Row) -> frozenset[int | None]:
    answers = [item[f"ans{n}"] for n in range(3)]
    if said.is_failed:
        return _NOBODY
    if said.label is not None:
        return frozenset({said.label})
    known = [plain(answer) for answer in answers]
    options = answers if said.options is None else said.options
    if not all(isinstance(own, str) for own in options) or len(options) != len(known):
        raise Undecided
    if sorted(map(plain, options)) != sorted(known):
        raise Undecided
    places = [known.index(plain(own)) for own in options]
    if said.scores is not None:
        own = of_scores(said.scores)
    else:
        own = of_text(said.text or "", list(options), places.index(item["unknown"]))
    letter = said.letter.strip().upper() if isinstance(said.letter, str) else ""
    if letter and letter in _LETTERS and own != _ANYBODY:
        raise Undecided
    return frozenset(None if place is None else places[place] for place in own)


def _of_lm_eval(paths: list[Path], items: list[Row]) -> Choices:
    text = text_of(paths[0])
    rows = json_of(text) if text.lstrip().startswith("[") else json_lines(paths[0])
    if len({str(row.get("filter") or "none") for row in rows}) != 1:
        raise Unreadable("several filters")
    return _of_said(map(_said_of_sample, rows), items)


def _said_of_sample(row: Row) -> Said:
    try:
        doc, answers = row["doc"], row["filtered_resps"]
        given = row["arguments"]
        own = list(given.values()) if isinstance(given, dict) else given
        own = [list(one.values()) if isinstance(one, dict) else one for one in own]
        number = doc.get("example_id")
        is_digits = isinstance(number, str) and number.isascii() and number.isdigit()
        number = int(number) if is_digits else number
        same = {"key": (doc.get("category"), number), "context": doc.get("context"),
                "question": doc.get("question")}  # fmt: skip
        if not answers:
            return Said(**same, is_failed=True)
        if isinstance(answers[0], str) and len(answers) == 1:
            return Said(**same, options=_lettered(own[0][0]), text=answers[0])
        scores = [_number(one[0]) for one in answers]
        return Said(**same, options=[one[1] for one in own], scores=scores)
    except (KeyError, TypeError, IndexError, AttributeError) as error:
        raise Undecided from error


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise Undecided
    try:
        return float(value)
    except ValueError as error:
        raise Unreadable(f"number {value!r}") from error


def _lettered(prompt: Any) -> list[str] | None:
    lines = re.findall(r"^([ABC])\. (.*)$", prompt, re.MULTILINE) if isinstance(prompt, str) else []
    return [text for _, text in lines] if [mark for mark, _ in lines] == list(_LETTERS) else None


def _of_helm(paths: list[Path], items: list[Row]) -> Choices:
    rows = []
    for state in _json_file(paths[0])["request_states"]:
        try:
            instance, result = state["instance"], state.get("result")
            if instance.get("perturbation") is not None:
                continue
            context, mark, question = instance["input"]["text"].rpartition("\nQuestion: ")
            words = {"context": context, "question": question} if mark else {
                "prompt": instance["input"]["text"]}  # fmt: skip
            options = [own["output"]["text"] for own in instance["references"]]
            if mapping := state.get("output_mapping"):
                options = [mapping[letter] for letter in sorted(mapping)]
            if result is None or not result["success"] or not result.get("completions"):
                rows.append(Said(**words, is_failed=True))
            else:
                rows.append(Said(**words, options=options, text=result["completions"][0]["text"]))
        except (KeyError, TypeError, AttributeError) as error:
            raise Undecided from error
    return _of_said(rows, items)


def _json_file(path: Path) -> Any:
    return json_of(text_of(path))


def _of_inspect(paths: list[Path], items: list[Row]) -> Choices:
    content = bytes_of(paths[0])
    samples = _members(content) if content.startswith(b"PK") else _json_file(paths[0])["samples"]
    rows = []
    for sample in samples:
        try:
            meta, text = sample.get("metadata", {}), sample["input"]
            context, mark, question = text.removeprefix("Context: ").partition("\n\nQuestion: ")
            words = {"context": context, "question": question} if mark else {"prompt": text}
            number = meta.get("source_id", meta.get("example_id"))
            same = {**words, "key": (meta.get("category"), number),
                    "id": str(sample["id"]).replace("_", "-")}  # fmt: skip
            choices = sample["output"].get("choices") if "output" in sample else None
            if sample.get("error") is not None or not choices:
                rows.append(Said(**same, is_failed=True))
                continue
            said = next((own.get("answer") for own in (sample.get("scores") or {}).values()), None)
            rows.append(Said(**same, options=sample.get("choices"), letter=said,
                             text=choices[0]["message"]["content"]))  # fmt: skip
        except (KeyError, TypeError, AttributeError) as error:
            raise Undecided from error
    return _of_said(rows, items)


def _members(content: bytes) -> list[Any]:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = [
                n for n in archive.namelist() if n.startswith("samples/") and n.endswith(".json")
            ]
            if len(set(names)) != len(names):
                raise Unreadable("a member stands twice")
            return [json_of(archive.read(name).decode()) for name in names]
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError) as error:
        raise Unreadable(f"archive: {error}") from error


def _of_lighteval(paths: list[Path], items: list[Row]) -> Choices:
    rows = []
    for row in parquet_rows(paths[0]):
        try:
            doc, response = row["doc"], row["model_response"]
            own = doc.get("specific") or {}
            same = {"key": (own.get("category"), own.get("example_id")), "prompt": doc["query"],
                    "options": doc["choices"]}  # fmt: skip
            if not response["text"] and len(response["logprobs"]) == len(doc["choices"]):
                rows.append(Said(**same, scores=response["logprobs"]))
            else:
                rows.append(Said(**same, text=response["text"][0]))
        except (KeyError, TypeError, IndexError) as error:
            raise Undecided from error
    return _of_said(rows, items)


def _of_openai(paths: list[Path], items: list[Row]) -> Choices:
    prompts = {}
    for path in paths[1:]:
        for row in json_lines(path):
            prompts[row["custom_id"]] = row["body"]["messages"][-1]["content"]
    rows = []
    for row in json_lines(paths[0]):
        try:
            prompt, response = prompts.get(row["custom_id"]), row["response"]
            same = {"id": row["custom_id"], "prompt": prompt, "options": _lettered(prompt)}
            if response is None or row.get("error") is not None or response["status_code"] != 200:
                rows.append(Said(**same, is_failed=True))
            else:
                message = response["body"]["choices"][0]["message"]
                rows.append(Said(**same, text=message["content"]))
        except (KeyError, TypeError, IndexError) as error:
            raise Undecided from error
    return _of_said(rows, items)


def _of_anthropic(paths: list[Path], items: list[Row]) -> Choices:
    rows = []
    for row in json_lines(paths[0]):
        try:
            result = row["result"]
            if result["type"] != "succeeded":
                rows.append(Said(id=row["custom_id"], is_failed=True))
                continue
            parts = result["message"]["content"]
            text = "".join(part["text"] for part in parts if part["type"] == "text")
            rows.append(Said(id=row["custom_id"], text=text))
        except (KeyError, TypeError) as error:
            raise Undecided from error
    return _of_said(rows, items)


def _of_unifiedqa(paths: list[Path], items: list[Row]) -> Choices:
    found, by_id = [], {item["id"]: item for item in items}
    for row in json_lines(paths[0]):
        item = by_id.get(f"{row.get('category')}-{row.get('example_id'):05d}")
        text = row.get("unifiedqa-t5-11b_pred_race")
        if item is None or not isinstance(text, str):
            raise Unreadable("row")
        own = [plain(row[f"ans{n}"]) for n in range(3)]
        places = frozenset({own.index(plain(text))}) if plain(text) in own else _ANYBODY
        found.append((item["id"], _NOBODY if text == "no idea at all" else places))
    return found


_WHAT = {"category": "category", "exampleid": "number", "context": "context", "id": "id",
         "question": "question", "label": "label", "scores": "scores"}  # fmt: skip


def _of_table(paths: list[Path], items: list[Row]) -> Choices:
    """Read columns by names without case and marks; the last one that is left is the answer."""
    path, rows = paths[0], []
    if kind_of(path) == ".parquet":
        table = parquet_rows(path)
    elif kind_of(path) in {".jsonl", ".ndjson"}:
        table = json_lines(path)
    else:
        text = wild_text(path)
        marks = [mark for mark in ",;\t|" if mark in text.split("\n", 1)[0]]
        if len(marks) != 1:
            raise Undecided
        table = table_rows(text, marks[0])
    table = [{name: own for name, own in row.items() if name.strip()} for row in table]
    others = Counter(name for row in table for name in row if _what(name) == "text")
    answers = max(others, key=others.__getitem__, default=None)
    for row in table:
        own: dict[str, Any] = {}
        for name, value in row.items():
            what = _what(name)
            if what == "text" and name != answers:
                continue
            if what in own:
                raise Undecided
            own[what] = value
        if len({"label", "scores", "text"} & set(own)) > 1:
            raise Undecided
        rows.append(_said_of_cells(own))
    is_text = all(said.label is None and said.scores is None for said in rows)
    if is_text and all(re.fullmatch(r"\s*-?\d*\s*", said.text or "") for said in rows):
        raise Undecided
    return _of_said(rows, items)


def _what(name: str) -> str:
    return _WHAT.get(re.sub(r"[\W_]", "", name).casefold(), "text")


def _said_of_cells(own: dict[str, Any]) -> Said:
    number = own.get("number")
    if isinstance(number, str):
        match = re.fullmatch(r"\s*0*(\d{1,7})(?:\.0+)?\s*", number)
        if match is None:
            raise Unreadable(f"number {number!r}")
        number = int(match[1])
    texts = {name: own.get(name) for name in ("context", "question")}
    text = own.get("text") or ""
    if not all(isinstance(value, str | None) for value in (*texts.values(), text)):
        raise Undecided
    category = own.get("category")
    scores, label = own.get("scores"), own.get("label")
    if isinstance(scores, str):
        scores = json_of(scores)
    if label is not None:
        match = re.fullmatch(r"\s*([012])(?:\.0+)?\s*", str(label))
        if match is None or isinstance(label, bool):
            raise Undecided
        label = int(match[1])
    key = (category.strip() if isinstance(category, str) else category, number)
    return Said(key=key, id=own.get("id"), text=text, scores=scores, label=label, **texts)


READINGS: dict[str, Callable[[list[Path], list[Row]], Choices]] = {
    "lm-eval": _of_lm_eval,
    "helm": _of_helm,
    "inspect": _of_inspect,
    "lighteval": _of_lighteval,
    "openai-batch": _of_openai,
    "anthropic-batch": _of_anthropic,
    "unifiedqa": _of_unifiedqa,
    "table": _of_table,
}
