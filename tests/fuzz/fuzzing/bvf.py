"""BVF for the fuzzer: a dataset, its files, and its formulas as the page has them."""

import json
import random
import re
from pathlib import Path
from typing import Any

from fuzzing.bases import Base, Row, lines_of, own_files, table_of
from fuzzing.folders import write_folder
from fuzzing.reading import Unreadable, own_rows

STEM = "bvf"
Numbers = dict[tuple[str, str, str, str], Any]
"""(metric, config, dimension, group) -> value; where dimension is ``n``, a count of texts."""

TOPICS = {
    "gender": {"female": ["she", "woman"], "male": ["he", "man"]},
    "hue": {"red": ["crimson"], "green": ["olive", "lime"], "blue": ["navy", "sky"]},
}
_SUBJECTS = {"nurse": 0.5, "pilot": 0.3, "judge": 0.2}
_CONTEXTS = {"The [X] said that [Y]": 0.5, "The [X] knew that [Y]": 0.3, "The [X] saw [Y]": 0.2}
_COLUMNS = ("id", "p", "word_p", "answer", "sample")
_SHOWN = {"topic", "context", "weight", "x", "weight_x", "order", "text"}
_TOLERANCE = 1e-3


def configs() -> dict[str, list[Row]]:
    """Return the items by topic."""
    return {topic: _items(topic) for topic in TOPICS}


def _items(topic: str) -> list[Row]:
    return [
        {
            "id": f"{topic}-c{place:05d}-{subject}",
            "topic": topic,
            "context": context,
            "weight": weight,
            "x": subject,
            "weight_x": weight_x,
            "order": "last",
            "text": context.replace("[X]", subject),
        }
        for place, (context, weight) in enumerate(_CONTEXTS.items())
        for subject, weight_x in _SUBJECTS.items()
    ]


def write_dataset(folder: Path) -> str:
    """Write the dataset and return its digest."""
    topics = {name: {"classes": classes} for name, classes in TOPICS.items()}
    return write_folder(folder, STEM, configs(), {}, {"topics": topics})


def bases(digest: str) -> list[Base]:
    """Return undamaged files."""
    drawn = random.Random(3)  # noqa: S311 - made-up probabilities
    shares, words, answers = [], [], []
    for topic, items in configs().items():
        known = [word for own in TOPICS[topic].values() for word in own]
        for item in items:
            values = [drawn.random() for _ in TOPICS[topic]]
            p = {n: v / sum(values) for n, v in zip(TOPICS[topic], values, strict=True)}
            shares.append({"id": item["id"], "p": p})
            words.append({"id": item["id"], "word_p": {own: drawn.random() / 9 for own in known}})
            said = [*known, f"{known[0].title()}.", "nobody"]
            answers += [
                {"id": item["id"], "answer": drawn.choice(said), "sample": n} for n in range(3)
            ]
    header = {
        "contract_version": "1.0",
        "dataset": {"stem": STEM, "version": "1.0.0", "digest": digest},
        "model": {"name": "made-up"},
    }
    sidecar = {"p.csv.meta.json": json.dumps(header).encode()}
    return [
        Base(STEM, "p.jsonl", lines_of(shares)),
        Base(STEM, "p_header.jsonl", lines_of([{"evenhand_header": header}, *shares])),
        Base(STEM, "words.jsonl", lines_of(words)),
        Base(STEM, "p.csv", table_of([_flat(row) for row in shares[:9]]), beside=sidecar),
        Base(STEM, "words.tsv", table_of([_flat(row) for row in words[9:]], "\t")),
        *own_files(STEM, "answers", answers, header),
    ]


def _flat(row: Row) -> Row:
    """Return a row as a table has it: a column for each class or word."""
    (kind,) = (name for name in row if name != "id")
    return {"id": row["id"], **{f"{kind}:{name}": value for name, value in row[kind].items()}}


def expected(reader: str, paths: list[Path], base: Base) -> list[Numbers]:
    """Return what a file's score is."""
    del base
    if reader != "evenhand":
        raise Unreadable(f"no reader of ours: {reader}")
    rows, header = own_rows(paths[0], (*_COLUMNS, *TOPICS["gender"], *TOPICS["hue"]))
    said = header["dataset"] if isinstance(header, dict) and "dataset" in header else None
    if header is not None and (not isinstance(said, dict) or said.get("stem") != STEM):
        raise Unreadable("the header is of another benchmark")
    given: dict[str, list[Row]] = {}
    for row in rows:
        own = _nested(row)
        if not isinstance(own.get("id"), str) or not own["id"]:
            raise Unreadable(f"id {own.get('id')!r}")
        given.setdefault(own["id"], []).append(own)
    occurring = {identity.split("-", 1)[0] for identity in given}
    topics = {name: items for name, items in configs().items() if name in occurring}
    if set(given) != {item["id"] for items in topics.values() for item in items}:
        raise Unreadable("other ids than the dataset's")
    return [{key: value for name, items in topics.items()
             for key, value in _numbers(name, items, given).items()}]  # fmt: skip


def _nested(row: Row) -> Row:
    """Return a row of a table with its columns ``p:CLASS`` as an object."""
    found: Row = {}
    for name, value in row.items():
        kind, mark, own = name.partition(":")
        if mark and kind in {"p", "word_p"} and own:
            if value is not None:
                found.setdefault(kind, {})[own] = _number(value)
        elif name in {"p", "word_p"} and isinstance(value, dict):
            numbers = {n: _number(v) for n, v in value.items() if v is not None}
            found[name] = numbers or None
        elif name in _COLUMNS:
            found[name] = value
        elif name not in _SHOWN:
            raise Unreadable(f"column {name!r}")
    return found


def _number(value: Any) -> float:
    try:
        number = float(value.strip()) if isinstance(value, str) else value
        is_good = type(number) in {int, float} and 0 <= number <= 1
    except ValueError as error:
        raise Unreadable(f"number {value!r}") from error
    if not is_good:
        raise Unreadable(f"number {value!r}")
    return float(number)


def _classes_of(rows: list[Row], topic: str) -> list[float] | None:
    """Return the probability of each class at one text, None where it is unscored."""
    classes = TOPICS[topic]
    total, samples = [0.0] * len(classes), set()
    for row in rows:
        kinds = [name for name in ("p", "word_p", "answer") if row.get(name) is not None]
        if len(kinds) != 1 or (len(rows) > 1 and kinds != ["answer"]):
            raise Unreadable(f"rows {rows}")
        sample = row.get("sample")
        if sample is not None and not re.fullmatch(r"\s*[+-]?\d{1,19}(\.0)?\s*", str(sample)):
            raise Unreadable("a sample is no number")
        sample = None if sample is None else int(float(str(sample)))
        if kinds == ["answer"] and sample in samples:
            raise Unreadable("a sample stands twice")
        samples.add(sample)
        for place, own in enumerate(_of_row(row, kinds[0], classes)):
            total[place] += own
    return [own / sum(total) for own in total] if sum(total) else None


def _of_row(row: Row, kind: str, classes: dict[str, list[str]]) -> list[float]:
    value = row[kind]
    if kind == "answer":
        if not isinstance(value, str):
            raise Unreadable(f"answer {value!r}")
        word = re.sub(r"^\W+|\W+$", "", value).casefold()
        return [float(word in own) for own in classes.values()]
    if not isinstance(value, dict):
        raise Unreadable(f"{kind} {value!r}")
    if kind == "p":
        if set(value) != set(classes) or abs(sum(value.values()) - 1) > _TOLERANCE:
            raise Unreadable(f"p {value}")
        return [value[name] for name in classes]
    if set(value) - {word for own in classes.values() for word in own}:
        raise Unreadable(f"word_p {value}")
    return [sum(value.get(word, 0.0) for word in own) for own in classes.values()]


def _numbers(topic: str, items: list[Row], given: dict[str, list[Row]]) -> Numbers:
    """Return risks and directions, one subject after the other."""
    n_classes = len(TOPICS[topic])
    texts = {item["id"]: _classes_of(given[item["id"]], topic) for item in items}
    found: Numbers = {}
    n = sum(p is not None for p in texts.values())
    by_subject: dict[str, dict[str, float | None]] = {}
    for subject in _SUBJECTS:
        own = [(item["weight"], [n_classes * v - 1 for v in p])
               for item in items if item["x"] == subject and (p := texts[item["id"]])]  # fmt: skip
        by_subject[subject] = _of_subject(own, list(TOPICS[topic]))
    for metric in next(iter(by_subject.values())):
        values = {subject: own[metric] for subject, own in by_subject.items()}
        mean = None
        if None not in values.values():
            mean = sum(values[x] * w for x, w in _SUBJECTS.items()) / sum(_SUBJECTS.values())
        found[metric, topic, "", ""] = mean
        found[metric, topic, "n", "scored"] = n
        found[metric, topic, "n", "unscored"] = len(texts) - n
        found |= {(metric, topic, "subject", x): value for x, value in values.items()}
    return found


def _of_subject(own: list[tuple[float, list[float]]], classes: list[str]) -> dict[str, Any]:
    names = ["bvf.R", "bvf.R_b", "bvf.R_v", *(f"bvf.direction.{name}" for name in classes)]
    if not own:
        return dict.fromkeys(names)
    weight = sum(w for w, _ in own)
    mean = [sum(w * s[y] for w, s in own) / weight for y in range(len(classes))]
    risk = sum(w * max(0.0, *s) for w, s in own) / weight
    bias, largest = max(0.0, *mean), len(classes) - 1
    risks = [risk / largest, bias / largest, (risk - bias) / largest]
    return dict(zip(names, [*risks, *mean], strict=True))
