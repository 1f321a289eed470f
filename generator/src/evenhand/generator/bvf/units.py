"""A corpus cut into units of work, and what one unit gives.

What a unit holds depends on the corpus alone, so contexts do not depend on how many processes mine
or on where a run was broken off.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from evenhand.generator.bvf.contexts import Context
from evenhand.generator.bvf.frequencies import Occurrences
from evenhand.generator.bvf.languages import MiningRules
from evenhand.generator.corpora.files import CorpusSource
from evenhand.generator.corpora.readers import Block, blocks
from evenhand.generator.corpora.sentences import MAX_SENTENCE_CHARACTERS, split_sentences
from evenhand.generator.parse import Parser

UNIT_CHARACTERS = 1 << 18
"""A unit is full at about a quarter of a million characters: a few seconds of parsing."""


class Unit(NamedTuple):
    """A stretch of a corpus."""

    number: int
    texts: list[str]
    n_documents: int
    """Documents that begin in it."""


class UnitYield(msgspec.Struct, frozen=True, kw_only=True):
    """What mining a unit gave; the contexts in alphabetical order."""

    n_documents: int
    n_sentences: int
    n_too_long: int
    n_parsed: int
    contexts: list[Context]
    n_words: int = 0
    """Counted, as the next, where it is asked how often subjects stand in the corpus."""
    subjects: dict[str, int] = msgspec.field(default_factory=dict)
    """Subject -> how often it stands in the unit."""


def units(sources: list[CorpusSource], *, text_field: str, limit: int | None) -> Iterator[Unit]:
    """Yield the units of a corpus in order.

    Args:
        sources: the files.
        text_field: of records and tables.
        limit: the number of documents to stop after; null for all.

    Raises:
        DataRefused: a file cannot be read.
    """
    number, texts, n_characters, n_documents = 0, list[str](), 0, 0
    for block in _up_to(limit, (b for source in sources for b in blocks(source, text_field))):
        texts.append(block.text)
        n_characters += len(block.text)
        n_documents += block.begins_document
        if n_characters >= UNIT_CHARACTERS:
            yield Unit(number, texts, n_documents)
            number, texts, n_characters, n_documents = number + 1, [], 0, 0
    if texts:
        yield Unit(number, texts, n_documents)


def _up_to(limit: int | None, all_blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield the blocks of the first documents."""
    n_documents = 0
    for block in all_blocks:
        n_documents += block.begins_document
        if limit is not None and n_documents > limit:
            return
        yield block


def mine_unit(
    unit: Unit, rules: MiningRules, parser: Parser, occurrences: Occurrences | None = None
) -> UnitYield:
    """Split, filter, parse and count one unit."""
    n_sentences = n_too_long = 0
    candidates = []
    for text in unit.texts:
        for sentence in split_sentences(text, rules.abbreviations):
            n_sentences += 1
            if len(sentence) > MAX_SENTENCE_CHARACTERS:
                n_too_long += 1
            elif rules.is_candidate(sentence):
                candidates.append(sentence)
    counts: Counter[str] = Counter()
    examples: dict[str, str] = {}
    for sentence, parses in zip(candidates, parser.parse(candidates), strict=True):
        for parse in parses:
            for context in rules.contexts(parse):
                counts[context] += 1
                examples.setdefault(context, sentence)
    n_words, subjects = occurrences.count(unit.texts) if occurrences else (0, {})
    return UnitYield(
        n_words=n_words,
        subjects=subjects,
        n_documents=unit.n_documents,
        n_sentences=n_sentences,
        n_too_long=n_too_long,
        n_parsed=len(candidates),
        contexts=[
            Context(context=context, count=counts[context], example=examples[context])
            for context in sorted(counts)
        ],
    )
