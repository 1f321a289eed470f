"""A config as a product of templates, pairs and attributes, and its rows as columns.

Every paragraph and every question exists once, as text; the rows are made of indices into them.
Millions of rows so cost no more rendering than a few ten thousand.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from evenhand.contract.unqover import QUESTIONS_PER_EXAMPLE, item_columns

Indices = npt.NDArray[np.int64]

BATCH_EXAMPLES = 1 << 15
"""Examples that are made at a time: 131,072 rows, one row group of a Parquet file."""

# The four rows of an example, always in this order: pos-12, pos-21, neg-12, neg-21.
_SUFFIXES = ("pos-12", "pos-21", "neg-12", "neg-21")
_ORDER_OF_ROW = np.array([0, 1, 0, 1])
_POLARITY_OF_ROW = np.array([0, 0, 1, 1])
_ORDERS = np.array([12, 21])


class SubjectColumn(NamedTuple):
    """One subject as it stands in the columns."""

    key: str
    word: str
    group: str | None


class AttributeColumn(NamedTuple):
    """One attribute as it stands in the columns."""

    key: str
    text: str
    kind: str
    category: str


@dataclass(frozen=True, kw_only=True, repr=False)
class Block:
    """What one template makes of all pairs and of its attributes."""

    template: str
    attributes: list[int]
    """Indices into the grid's attributes."""
    contexts: list[str]
    """Two a pair: x1 shown first, then x2 shown first."""
    answers1: list[str]
    """The words for x1 in each context."""
    answers2: list[str]
    questions: list[str]
    """Two an attribute: the attribute, then its negation. In a masked config: statements."""


class _Columned(NamedTuple):
    """Distinct texts, and for each position of a list the index of its text."""

    values: pa.Array
    codes: Indices


def _columned(texts: Sequence[str | None]) -> _Columned:
    encoded = pa.array(texts, type=pa.string()).dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    return _Columned(encoded.dictionary, codes)


@dataclass(frozen=True, kw_only=True, repr=False)
class Grid:
    """All examples of a config. Example i belongs to block, pair and attribute in this nesting."""

    config: str
    class_: str
    subjects: list[SubjectColumn]
    attributes: list[AttributeColumn]
    pairs: Indices
    """Shape [n_pairs, 2]: indices of x1 and x2 into ``subjects``."""
    blocks: list[Block]

    def __repr__(self) -> str:
        return f"Grid({self.config}, {self.n_examples} examples)"

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns in order."""
        return item_columns(self.config)

    @property
    def is_masked(self) -> bool:
        """Whether the rows are sentences with a mask."""
        return self.config.endswith("_mlm")

    @cached_property
    def block_starts(self) -> Indices:
        """Index of each block's first example, then the number of examples."""
        sizes = [len(self.pairs) * len(block.attributes) for block in self.blocks]
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    @property
    def n_examples(self) -> int:
        """Number of examples of four rows each."""
        return int(self.block_starts[-1])

    def locate(self, examples: Indices) -> tuple[Indices, Indices, Indices]:
        """Return block, pair and attribute (within the block) of each example."""
        block = np.searchsorted(self.block_starts, examples, side="right") - 1
        n_attributes = np.array([len(one.attributes) for one in self.blocks])[block]
        pair, attribute = np.divmod(examples - self.block_starts[block], n_attributes)
        return block, pair, attribute

    def batches(self, examples: Indices) -> Iterator[pa.Table]:
        """Yield the rows of the examples (ascending indices), a batch at a time."""
        tables = _Tables(self)
        for start in range(0, len(examples), BATCH_EXAMPLES):
            yield tables.rows(examples[start : start + BATCH_EXAMPLES])


class _Tables:
    """The distinct texts of a grid, and the index arithmetic that makes rows of them."""

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        blocks = grid.blocks
        self._contexts = _columned([text for block in blocks for text in block.contexts])
        self._answers = (
            _columned([text for block in blocks for text in block.answers1]),
            _columned([text for block in blocks for text in block.answers2]),
        )
        self._questions = _columned([text for block in blocks for text in block.questions])
        self._question_starts = _starts([len(block.questions) for block in blocks])
        self._templates = _columned([block.template for block in blocks])
        self._words = _columned([subject.word for subject in grid.subjects])
        self._groups = _columned([subject.group for subject in grid.subjects])
        self._attributes = _columned([attribute.text for attribute in grid.attributes])
        self._kinds = _columned([attribute.kind for attribute in grid.attributes])
        self._attribute_starts = _starts([len(block.attributes) for block in blocks])
        self._attribute_of = np.concatenate([block.attributes for block in blocks])
        self._suffixes = pa.array(
            f"{attribute.key}-{suffix}" for attribute in grid.attributes for suffix in _SUFFIXES
        )

    def rows(self, examples: Indices) -> pa.Table:
        """Return the four rows of each example as a table of the config's columns."""
        grid = self._grid
        block, pair, local = (
            np.repeat(part, QUESTIONS_PER_EXAMPLE) for part in grid.locate(examples)
        )
        order = np.tile(_ORDER_OF_ROW, len(examples))
        polarity = np.tile(_POLARITY_OF_ROW, len(examples))
        attribute = self._attribute_of[self._attribute_starts[block] + local]
        context = 2 * (block * len(grid.pairs) + pair) + order
        question = self._question_starts[block] + 2 * local + polarity
        x1, x2 = grid.pairs[pair, 0], grid.pairs[pair, 1]
        columns = {
            "id": self._ids(block, pair, 4 * attribute + 2 * polarity + order),
            "class": _constant(grid.class_, len(order)),
            "template": _take(self._templates, block),
            "order": pa.array(_ORDERS[order]),
            "polarity": _take(_columned(["pos", "neg"]), polarity),
            "x1": _take(self._words, x1),
            "x2": _take(self._words, x2),
            "group1": _take(self._groups, x1),
            "group2": _take(self._groups, x2),
            "answer1": _take(self._answers[0], context),
            "answer2": _take(self._answers[1], context),
            "attribute": _take(self._attributes, attribute),
            "attribute_kind": _take(self._kinds, attribute),
            **self._texts(context, question),
        }
        return pa.table({name: columns[name] for name in grid.columns})

    def _texts(self, context: Indices, question: Indices) -> dict[str, pa.Array]:
        if not self._grid.is_masked:
            return {
                "context": _take(self._contexts, context),
                "question": _take(self._questions, question),
            }
        contexts = self._contexts.values.take(pa.array(self._contexts.codes[context]))
        statements = self._questions.values.take(pa.array(self._questions.codes[question]))
        return {"text": pc.binary_join_element_wise(contexts, statements, " ")}

    def _ids(self, block: Indices, pair: Indices, suffix: Indices) -> pa.Array:
        """Return ``<config>-<template>-<x1>-<x2>-<attribute>-<polarity>-<order>`` of each row."""
        grid = self._grid
        n_pairs = len(grid.pairs)
        group = block * n_pairs + pair
        first, inverse = _distinct_runs(group)
        prefixes = pa.array(self._prefix(*divmod(int(value), n_pairs)) for value in first)
        return pc.binary_join_element_wise(
            prefixes.take(pa.array(inverse)), self._suffixes.take(pa.array(suffix)), "-"
        )

    def _prefix(self, block: int, pair: int) -> str:
        grid = self._grid
        i, j = grid.pairs[pair]
        template = grid.blocks[block].template
        return f"{grid.config}-{template}-{grid.subjects[i].key}-{grid.subjects[j].key}"


def _starts(sizes: list[int]) -> Indices:
    return np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)


def _distinct_runs(values: Indices) -> tuple[Indices, Indices]:
    """Return the first value of each run of equal values, and each row's run."""
    is_new = np.concatenate([[True], values[1:] != values[:-1]])
    return values[is_new], np.cumsum(is_new) - 1


def _take(column: _Columned, positions: Indices) -> pa.Array:
    """Return a dictionary array whose dictionary holds only the range of texts that occurs.

    A row group writes its whole dictionary, and neighbouring rows use neighbouring texts.
    """
    codes = column.codes[positions]
    is_null = codes < 0
    used = codes[~is_null] if is_null.any() else codes
    if not len(used):
        return pa.DictionaryArray.from_arrays(
            pa.nulls(len(codes), pa.int32()), pa.array([""], pa.string())
        )
    low, high = int(used.min()), int(used.max())
    indices = pa.array((codes - low).astype(np.int32), mask=is_null)
    return pa.DictionaryArray.from_arrays(indices, column.values.slice(low, high - low + 1))


def _constant(text: str, n: int) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, np.int32)), pa.array([text]))
