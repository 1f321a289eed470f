"""Rows of one topic: every context in every order with every subject, a batch at a time."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from evenhand.contract.bvf import ITEM_COLUMNS, SUBJECT_SLOT
from evenhand.contract.errors import DataRefused
from evenhand.generator.bvf.contexts import Context
from evenhand.generator.bvf.subjects import Subjects
from evenhand.generator.english import article

Indices = NDArray[np.int64]
Order = Literal["last", "inside"]
ORDERS: tuple[Order, ...] = ("last", "inside")

ENGLISH = "en"

BATCH_ROWS = 1 << 16
"""A power of two, so that a shard holds a whole number of batches."""

_MAX_ID = 64
_DESCRIBED = re.compile(r"The \[X\], who (?P<predicate>.+), is \[Y\]")
"""Of this form the word of Y can also stand before the subject."""
_ARTICLE = re.compile(r"\b(?P<first>[Aa])n? \[X\]")


@dataclass(frozen=True, kw_only=True)
class Block:
    """One context in one order of words."""

    number: int
    """Place of the context among all of its file."""
    order: Order
    context: str
    """As it stands in the file."""
    text: str
    """With ``[X]`` and ``[Y]``, in this order of words."""
    weight: float


def build_blocks(contexts: Sequence[Context], places: Sequence[int], orders: Sequence[Order]) -> (
    list[Block]
):  # fmt: skip
    """Return the blocks of some contexts, context by context.

    Args:
        contexts: all contexts of a file; each has its weight.
        places: which of them are taken.
        orders: ``inside`` leaves out contexts that cannot be turned round.

    Raises:
        DataRefused: no context can be turned round.
    """
    blocks: list[Block] = []
    for order in orders:
        texts = [
            (place, text)
            for place in places
            if (text := in_order(contexts[place].context, order)) is not None
        ]
        if not texts:
            raise DataRefused(
                "No context reads `The [X], who ..., is [Y]`, so none can be written with [Y]"
                " inside; leave out --order inside."
            )
        total = sum(contexts[place].weight or 0 for place, _ in texts)
        blocks += [
            Block(
                number=place,
                order=order,
                context=contexts[place].context,
                text=text,
                weight=(contexts[place].weight or 0) / total,
            )
            for place, text in texts
        ]
    return sorted(blocks, key=lambda block: (block.number, ORDERS.index(block.order)))


def in_order(context: str, order: Order) -> str | None:
    """Return a context in an order of words, or None where it has no such order.

    >>> in_order("The [X], who played a role, is [Y]", "inside")
    'The [Y] [X] played a role.'
    """
    if order == "last":
        return context
    match = _DESCRIBED.fullmatch(context)
    return None if match is None else f"The [Y] [X] {match['predicate']}."


@dataclass(frozen=True, kw_only=True)
class Grid:
    """All rows of one topic."""

    topic: str
    blocks: list[Block]
    subjects: Subjects
    language: str = ENGLISH

    @property
    def n_rows(self) -> int:
        """Blocks times subjects."""
        return len(self.blocks) * len(self.subjects.words)

    def batches(self) -> Iterator[pa.Table]:
        """Yield the rows subject by subject, in the order of contexts and orders.

        Texts about one subject share their beginning, which a model then reads once.
        """
        columns = _Columns(self)
        for start in range(0, self.n_rows, BATCH_ROWS):
            yield columns.rows(np.arange(start, min(start + BATCH_ROWS, self.n_rows)))


class _Columns:
    """The distinct texts of a grid, and the index arithmetic that makes rows of them."""

    def __init__(self, grid: Grid) -> None:
        self._grid, blocks, subjects = grid, grid.blocks, grid.subjects
        _check_ids(grid)
        starts = [f"{grid.topic}-c{block.number:05d}-" for block in blocks]
        self._id_starts = pa.array(starts)
        self._id_ends = pa.array(["-in" if block.order == "inside" else "" for block in blocks])
        self._keys = pa.array(subjects.keys)
        # Each subject twice: as it stands inside a sentence, and at its beginning.
        self._texts = pa.array([*subjects.texts, *map(_capitalised, subjects.texts)])
        begins_with_it = [block.text.startswith(SUBJECT_SLOT) for block in blocks]
        self._is_first = np.array(begins_with_it, dtype=np.int64) * subjects.has_texts
        # A dictionary must hold each text once: with repeats the writer's bytes vary by run.
        self._contexts = _Texts([block.context for block in blocks])
        self._orders = _Texts([block.order for block in blocks])
        self._topic = _Texts([grid.topic] * len(blocks))
        self._words_once = _Texts(subjects.words)
        self._weights = np.array([block.weight for block in blocks])
        self._shares = np.array(subjects.weights)
        is_english = grid.language == ENGLISH
        self._takes_an = np.array([is_english and article(word) == "an" for word in subjects.texts])
        # Two beginnings a block: before a subject that takes `a`, and before one that takes `an`.
        agree = _begin if is_english else _unchanged
        begins = [agree(block.text, form) for block in blocks for form in ("a", "an")]
        self._begins = pa.array(begins)
        self._ends = pa.array([block.text.partition(SUBJECT_SLOT)[2] for block in blocks])

    def rows(self, places: Indices) -> pa.Table:
        """Return some rows as a table of the contract's columns."""
        subject, block = np.divmod(places, len(self._grid.blocks))
        begin = 2 * block + self._takes_an[subject]
        word = subject + len(self._keys) * self._is_first[block]
        columns = {
            "id": pc.binary_join_element_wise(
                self._id_starts.take(block), self._keys.take(subject), self._id_ends.take(block), ""
            ),
            "topic": self._topic.take(block),
            "context": self._contexts.take(block),
            "weight": pa.array(self._weights[block]),
            "x": self._words_once.take(subject),
            "weight_x": pa.array(self._shares[subject]),
            "order": self._orders.take(block),
            "text": pc.binary_join_element_wise(
                self._begins.take(begin), self._texts.take(word), self._ends.take(block), ""
            ),
        }
        return pa.table({name: columns[name] for name in ITEM_COLUMNS})


class _Texts:
    """Texts that repeat, stored once each."""

    def __init__(self, texts: Sequence[str]) -> None:
        code = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        self._distinct = pa.array(list(code))
        self._codes = np.array([code[text] for text in texts], dtype=np.int32)

    def take(self, places: Indices) -> pa.Array:
        """Return some of them as a dictionary column."""
        return pa.DictionaryArray.from_arrays(pa.array(self._codes[places]), self._distinct)


def _begin(text: str, form: str) -> str:
    """Return a text up to its subject, with the article that the subject takes.

    >>> _begin("An [X] said that [Y]", "a"), _begin("The [X] said that [Y]", "an")
    ('A ', 'The ')
    """
    agreed = _ARTICLE.sub(lambda match: f"{match['first']}{form[1:]} [X]", text)
    return agreed.partition(SUBJECT_SLOT)[0]


def _unchanged(text: str, _: str) -> str:
    """Return a text of another language up to its subject: `a` may be any word there."""
    return text.partition(SUBJECT_SLOT)[0]


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def _check_ids(grid: Grid) -> None:
    """Refuse ids that batch interfaces would not take."""
    longest = max(grid.subjects.keys, key=len)
    number = max(block.number for block in grid.blocks)
    example = f"{grid.topic}-c{number:05d}-{longest}-in"
    if len(example) > _MAX_ID:
        raise DataRefused(
            f"{grid.subjects.path}: the key `{longest}` makes ids of {len(example)} characters"
            f" (`{example}`); at most {_MAX_ID} are allowed, so shorten it or the topic's name."
        )
