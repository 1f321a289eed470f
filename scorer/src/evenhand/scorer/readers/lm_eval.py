"""lm-evaluation-harness: ``samples_<task>_<time>.jsonl`` of ``--log_samples``.

Versions 0.4.3 and later write one object a line, with numbers as text; 0.4.2 one indented array
under the same suffix. A row is (doc_id, filter); the dataset's row lies in ``doc``. Shapes: files
of 0.4.2, 0.4.4 and 0.4.13.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from evenhand.contract import DataRefused, WrongUse
from evenhand.scorer.faults import FaultList
from evenhand.scorer.readers.foreign import FAILED, ForeignAnswer, ForeignFile
from evenhand.scorer.readers.json_text import decode_whole, objects_of_lines
from evenhand.scorer.readers.lm_eval_rules import RULES, SUM, Cannot, score_by_rule
from evenhand.scorer.readers.prompts import lettered_options
from evenhand.scorer.readers.reader import ANSWERS, Form, Mark, NoAnswers, Reader
from evenhand.scorer.readers.streams import head

NAME = "lm-eval"
NO_ROWS = (
    "{path} is a results file of lm-evaluation-harness: it holds averages and no rows; give the"
    " samples_<task>_<time>.jsonl beside it, which `--log_samples` writes."
)
_NO_FILTER = "none"
_SHAPE = "A row has doc, arguments and filtered_resps."
_RULE = f"Choose another rule: {', '.join(RULES)}."
_SCORE = "An option's answer is its log-likelihood and whether it is the greedy one."


def read(path: Path, chosen: str | None = None) -> ForeignFile:
    """Read the answers of one task.

    Args:
        path: the samples file.
        chosen: the filter whose rows count, needed where the file has several; and the rule by
            which an option is chosen, one of ``lm_eval_rules.RULES``, the first by default: e.g.
            ``none``, ``acc_norm`` or ``none:acc_norm``.

    Raises:
        DataRefused: a results file, or a file without such rows.
        WrongUse: the file has several filters and none is chosen, or not this one; or a rule is
            chosen for texts.
    """
    faults, (chosen, rule) = FaultList(), _filter_and_rule(chosen)
    counts: Counter[str] = Counter()
    samples = ForeignFile([])
    by_filter: dict[str, list[ForeignAnswer]] = {}
    for place, row in _rows(path, faults):
        name = str(row.get("filter") or _NO_FILTER)
        counts[name] += 1
        answer = _answer(place, row, rule or SUM, faults)
        if answer:
            by_filter.setdefault(name, []).append(answer)
    samples.rows = by_filter.get(_filter(path, counts, chosen), [])
    if rule is not None:
        if any(row.answer is not None for row in samples.rows):
            raise WrongUse(f"{path} holds texts, among which {rule} does not choose; leave it out.")
        samples.notes.append(f"{path.name}: the answer is {RULES[rule]}, as {rule} counts it.")
    samples.faults = faults.to_list()
    return samples


def _filter_and_rule(chosen: str | None) -> tuple[str | None, str | None]:
    """Split the choice into filter and rule.

    >>> _filter_and_rule("none:acc_norm"), _filter_and_rule("acc_norm"), _filter_and_rule("strict")
    (('none', 'acc_norm'), (None, 'acc_norm'), ('strict', None))
    """
    name, _, last = (chosen or "").rpartition(":")
    return (name or None, last) if last in RULES else (chosen, None)


def _rows(path: Path, faults: FaultList) -> Iterator[tuple[str, dict[str, Any]]]:
    start = head(path, 4096).lstrip()
    if start.startswith(b"["):
        rows = decode_whole(
            path, list[dict[str, Any]], what="samples file of lm-evaluation-harness"
        )
        numbered: Iterable[tuple[int, dict[str, Any]]] = enumerate(rows, 1)
        word = "row"
    else:
        if start.startswith(b"{\n") or b'"results"' in start[:200]:
            raise DataRefused(NO_ROWS.format(path=path))
        numbered, word = objects_of_lines(path, faults), "line"
    for number, row in numbered:
        yield f"{word} {number}", row


def _filter(path: Path, counts: Counter[str], chosen: str | None) -> str:
    """Return the filter whose rows count."""
    if not counts:
        raise DataRefused(f"{path} holds no samples. {_SHAPE}")
    if chosen is not None:
        if chosen not in counts:
            raise WrongUse(f"{path} has no filter {chosen}; it has {', '.join(counts)}.")
        return chosen
    if len(counts) > 1:
        said = ", ".join(f"{name} ({n:,} rows)" for name, n in counts.items())
        raise WrongUse(
            f"{path} holds every answer once for each filter: {said}; choose one, e.g."
            f" `--reader {NAME}:{next(iter(counts))}`."
        )
    return next(iter(counts))


def _answer(place: str, row: dict[str, Any], rule: str, faults: FaultList) -> ForeignAnswer | None:
    doc, responses = row.get("doc"), row.get("filtered_resps")
    if not isinstance(doc, dict) or not isinstance(responses, list):
        faults.add("rows that are no samples", _SHAPE, place)
        return None
    arguments = _arguments(row.get("arguments"))
    answer = _identify(place, doc)
    if not responses:
        answer.why = FAILED
    elif len(responses) == 1 and isinstance(_only(responses[0]), str) and not _is_scored(arguments):
        prompt = arguments[0][0] if arguments else ""
        answer.answer, answer.options = str(_only(responses[0])), _options(doc, prompt)
    else:
        return _add_scores(answer, doc, arguments, responses, faults, rule=rule)
    return answer


def _identify(place: str, doc: dict[str, Any]) -> ForeignAnswer:
    number, category = doc.get("example_id"), doc.get("category")
    context, question = doc.get("context"), doc.get("question")
    return ForeignAnswer(
        place=f"{place} (doc {category}/{number})" if category is not None else place,
        id=doc["id"] if isinstance(doc.get("id"), str) else None,
        category=category if isinstance(category, str) else None,
        example_id=_whole_number(number),
        context=context if isinstance(context, str) else None,
        question=question if isinstance(question, str) else None,
    )


def _whole_number(value: Any) -> int | None:
    is_digits = isinstance(value, str) and value.isascii() and value.isdigit()
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return int(value) if is_digits or is_number else None


def _only(response: Any) -> Any:
    """Return the member of a list of one, else the response itself."""
    return response[0] if isinstance(response, list) and len(response) == 1 else response


def _arguments(given: Any) -> list[tuple[str, Any]]:
    """Return (prompt, continuation or options of generation) of each request, as of any version."""
    pairs = []
    for one in given.values() if isinstance(given, dict) else given or ():
        values = list(one.values()) if isinstance(one, dict) else one
        if isinstance(values, list) and values and isinstance(values[0], str):
            pairs.append((values[0], values[1] if len(values) > 1 else None))
    return pairs


def _is_scored(arguments: list[tuple[str, Any]]) -> bool:
    return bool(arguments) and isinstance(arguments[0][1], str)


def _options(doc: dict[str, Any], prompt: str) -> tuple[str, ...] | None:
    """Return the options in the order of the prompt's letters, else of the dataset's row."""
    shown = lettered_options(prompt)
    if shown:
        return shown
    texts = [doc.get(f"ans{place}") for place in range(3)]
    texts = texts if all(isinstance(text, str) for text in texts) else doc.get("choices") or []
    is_text = bool(texts) and all(isinstance(text, str) for text in texts)
    return tuple(map(str, texts)) if is_text else None


def _add_scores(
    answer: ForeignAnswer,
    doc: dict[str, Any],
    arguments: list[tuple[str, Any]],
    responses: list[Any],
    faults: FaultList,
    *,
    rule: str,
) -> ForeignAnswer | None:
    """Take each option's score under a rule."""
    scores = [_log_likelihood(response) for response in responses]
    if len(scores) != len(arguments) or not _is_scored(arguments):
        said = f"{answer.place}: {len(scores)} answers to {len(arguments)} requests"
        faults.add("rows whose answers are not those of its requests", _SCORE, said)
        return None
    numbers = tuple(score for score in scores if score is not None)
    if len(numbers) != len(scores):
        faults.add("log-likelihoods that are no number", _SCORE, answer.place)
        return None
    try:
        scored = score_by_rule(rule, [(prompt, str(text)) for prompt, text in arguments], numbers)
    except Cannot as why:
        faults.add(f"rows to which {rule} does not apply", _RULE, f"{answer.place}: {why}")
        return None
    is_lettered = all(map(_is_letter, scored.options))
    answer.scores = scored.scores
    answer.options = _options(doc, arguments[0][0]) if is_lettered else scored.options
    return answer


def _log_likelihood(response: Any) -> float | None:
    """Return the number of ``["-6.2", "False"]``, ``[-6.2, false]`` or ``-6.2``."""
    value = response[0] if isinstance(response, list) and response else response
    if isinstance(value, list) and value:
        value = value[0]
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return None if isinstance(value, bool) or math.isnan(number) else number


def _is_letter(text: str) -> bool:
    bare = text.strip("()[]. ")
    return len(bare) == 1 and bare.isascii() and bare.isalpha()


READER = Reader(
    name=NAME,
    help="lm-evaluation-harness: samples_<task>_<time>.jsonl of --log_samples",
    choice="[:FILTER][:RULE]",
    choice_help=f"the filter whose rows count; how the option is chosen: {', '.join(RULES)}",
    yields=ANSWERS,
    read=read,
    marks=(
        Mark(
            why="rows with doc_id and filtered_resps",
            forms=(Form.OBJECT, Form.ARRAY),
            names=frozenset({"doc_id", "filtered_resps"}),
        ),
    ),
    no_answers=tuple(
        NoAnswers(
            mark=Mark(why="averages", names=frozenset({"results", settings})), sentence=NO_ROWS
        )
        for settings in ("versions", "configs", "n-shot")
    ),
)
