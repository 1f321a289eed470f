"""Rows -> columns: ids, targets, groups of four, samples and statistics."""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from evenhand.contract.bbq import ITEM_COLUMNS, QUESTIONS_PER_GROUP
from evenhand.contract.errors import DataRefused
from evenhand.contract.files import canonical_json
from evenhand.generator.bbq.rows import Row
from evenhand.generator.bbq.targets import Targets, find_targets
from evenhand.generator.build import ConfigRows

Indices = npt.NDArray[np.int64]

_WORD = re.compile(r"\w+(?:['-]\w+)*")
_DISTINCT = ("id", "context")
"""Texts that hardly repeat; the others are stored by dictionary."""


@dataclass(frozen=True, kw_only=True)
class Items:
    """The rows of one category with what was found out about them."""

    category: str
    rows: list[Row]
    ids: list[str]
    targets: Targets
    groups: list[list[int]]
    """Places of the rows of each group of four that is complete."""
    n_incomplete: int
    """Groups of four of which a part is missing."""

    def why_no_target(self) -> dict[str, int]:
        """Return reason -> rows without a target."""
        return dict(Counter(why for why in self.targets.why_no_target if why))


def build_items(category: str, rows: list[Row]) -> Items:
    """Find targets and groups of four; ``rows`` are in the order of their ids."""
    groups, n_incomplete = _groups_of_four(rows)
    return Items(
        category=category,
        rows=rows,
        ids=[f"{category}-{row.example_id:05d}" for row in rows],
        targets=find_targets(category, rows),
        groups=groups,
        n_incomplete=n_incomplete,
    )


def _groups_of_four(rows: list[Row]) -> tuple[list[list[int]], int]:
    """Return the complete groups, and how many groups are not.

    The release numbers its rows so that a group has the ids 4k to 4k+3.
    """
    by_number: dict[int, list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        by_number[row.example_id // QUESTIONS_PER_GROUP].append(place)
    complete = [places for places in by_number.values() if _is_complete(rows, places)]
    return complete, len(by_number) - len(complete)


def _is_complete(rows: list[Row], places: list[int]) -> bool:
    kinds = {(rows[place].question_polarity, rows[place].context_condition) for place in places}
    questions = {rows[place].question_index for place in places}
    return len(kinds) == len(places) == QUESTIONS_PER_GROUP and len(questions) == 1


def config_rows(items: Items, *, limit: int | None, seed: int) -> ConfigRows:
    """Return all rows, or a sample of complete groups of four spread over the questions.

    Raises:
        DataRefused: a sample is asked for and no group is complete.
    """
    if limit is not None and not items.groups:
        raise DataRefused(
            f"{items.category} has no complete group of four to draw --limit from; leave it out."
        )
    if limit is None:
        places = list(range(len(items.rows)))
        n_examples, n_incomplete = len(items.groups), items.n_incomplete
    else:
        chosen = _spread(items, limit, seed)
        places = sorted(place for group in chosen for place in items.groups[group])
        n_examples, n_incomplete = len(chosen), 0
    table = _table(items, places)
    return ConfigRows(
        name=items.category,
        n_rows=len(places),
        n_examples=n_examples,
        batches=lambda: iter([table]),
        statistics=_statistics(items, places, n_examples, n_incomplete),
    )


def _spread(items: Items, n: int, seed: int) -> Indices:
    """Draw groups so that each question, in a shuffled order, comes once before any comes twice."""
    rng = np.random.default_rng(seed)
    questions = [items.rows[places[0]].question_index for places in items.groups]
    order = rng.permutation(len(questions))
    turn_of = {name: turn for turn, name in enumerate(rng.permutation(sorted(set(questions))))}
    drawn: Counter[str] = Counter()
    keys = []
    for group in order:
        question = questions[group]
        keys.append((drawn[question], turn_of[question], int(group)))
        drawn[question] += 1
    return np.array([group for _, _, group in sorted(keys)[:n]], dtype=np.int64)


def _table(items: Items, places: list[int]) -> pa.Table:
    """Return the rows at some places as a table of the contract's columns."""
    rows = [items.rows[place] for place in places]
    targets = items.targets
    computed: dict[str, list[Any]] = {
        "id": [items.ids[place] for place in places],
        "target": [targets.target[place] for place in places],
        "why_no_target": [targets.why_no_target[place] for place in places],
        "label_type": [targets.label_type[place] for place in places],
        **{f"ans{i}": [row.answers[i] for row in rows] for i in range(3)},
    }
    columns = {
        name: computed.get(name) or [getattr(row, name) for row in rows] for name in ITEM_COLUMNS
    }
    return pa.table({name: _column(name, values) for name, values in columns.items()})


_INTEGERS = ("example_id", "label", "unknown", "target")
_LISTS = ("answer_text", "answer_group", "stereotyped_groups")


def _column(name: str, values: list[Any]) -> pa.Array:
    if name in _INTEGERS:
        return pa.array(values, pa.int64())
    if name in _LISTS:
        return pa.array(values, pa.list_(pa.string()))
    texts = pa.array(values, pa.string())
    return texts if name in _DISTINCT else texts.dictionary_encode()


def _statistics(
    items: Items, places: list[int], n_examples: int, n_incomplete: int
) -> dict[str, Any]:
    """Count what the rows of a config are made of.

    Returns:
        Counts of rows, complete and incomplete groups of four, questions (``templates``), groups
        of persons (by answer), rows without target (by reason), rows by condition, polarity, kind
        of label and subcategory, wordings of UNKNOWN, and the vocabulary as UnQover counts it.
    """
    rows = [items.rows[place] for place in places]
    why = [items.targets.why_no_target[place] for place in places]
    persons = [row.answer_group[i] for row in rows for i in range(3) if i != row.unknown]
    words = sorted({word for text in _texts(rows) for word in _WORD.findall(text.lower())})
    return {
        "rows": len(rows),
        "examples": n_examples,
        "incomplete_examples": n_incomplete,
        "templates": len({row.question_index for row in rows}),
        "groups": {"total": len(set(persons)), "answers_by_group": _tally(persons)},
        "without_target": {
            "total": sum(reason is not None for reason in why),
            "by_reason": _tally(reason for reason in why if reason),
        },
        "conditions": _tally(row.context_condition for row in rows),
        "polarities": _tally(row.question_polarity for row in rows),
        "label_types": _tally(items.targets.label_type[place] for place in places),
        "subcategories": _tally(row.subcategory for row in rows),
        "unknown_wordings": _tally(row.answers[row.unknown] for row in rows),
        "vocabulary": {
            "words": len(words),
            "sha256": hashlib.sha256(canonical_json(words)).hexdigest(),
        },
    }


def _texts(rows: list[Row]) -> set[str]:
    return {text for row in rows for text in (row.context, row.question, *row.answers)}


def _tally(values: Iterable[str]) -> dict[str, int]:
    return dict(Counter(value or "none" for value in values))
