"""Counts of a config for ``statistics.json``."""

import hashlib
import re
from collections import Counter
from typing import Any

import numpy as np

from evenhand.contract.files import canonical_json
from evenhand.contract.unqover import QUESTIONS_PER_EXAMPLE
from evenhand.generator.unqover.grid import Grid, Indices

_WORD = re.compile(r"\w+(?:['-]\w+)*")


def grid_statistics(grid: Grid, examples: Indices) -> dict[str, Any]:
    """Count what the examples of a config are made of.

    Returns:
        Counts of rows, examples, templates, subjects (by group) and attributes (by kind and
        category), and the vocabulary: the number of distinct lower-case words of all texts, and
        the sha256 of the canonical JSON of their sorted list.
    """
    block, pair, local = grid.locate(examples)
    used_subjects = np.unique(grid.pairs[np.unique(pair)])
    attributes = _used_attributes(grid, block, local)
    words = _vocabulary(grid, block, pair, local)
    return {
        "rows": len(examples) * QUESTIONS_PER_EXAMPLE,
        "examples": len(examples),
        "templates": len(np.unique(block)),
        "pairs": len(np.unique(pair)),
        "subjects": {
            "total": len(used_subjects),
            "by_group": _tally(grid.subjects[i].group for i in used_subjects),
        },
        "attributes": {
            "total": len(attributes),
            "by_kind": _tally(grid.attributes[i].kind for i in attributes),
            "by_category": _tally(grid.attributes[i].category for i in attributes),
        },
        "vocabulary": {
            "words": len(words),
            "sha256": hashlib.sha256(canonical_json(words)).hexdigest(),
        },
    }


def _tally(values: Any) -> dict[str, int]:
    return dict(Counter(value or "none" for value in values))


def _used_attributes(grid: Grid, block: Indices, local: Indices) -> list[int]:
    used = {
        grid.blocks[b].attributes[a]
        for b, a in np.unique(np.stack([block, local], axis=1), axis=0).tolist()
    }
    return sorted(used)


def _vocabulary(grid: Grid, block: Indices, pair: Indices, local: Indices) -> list[str]:
    words: set[str] = set()
    for index, one in enumerate(grid.blocks):
        here = block == index
        for p in np.unique(pair[here]).tolist():
            words.update(_WORD.findall(one.contexts[2 * p].lower()))
            words.update(_WORD.findall(one.contexts[2 * p + 1].lower()))
        for a in np.unique(local[here]).tolist():
            words.update(_WORD.findall(one.questions[2 * a].lower()))
            words.update(_WORD.findall(one.questions[2 * a + 1].lower()))
    return sorted(words)
