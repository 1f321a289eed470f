"""Mining on the original's corpus samples: labelled sentences, and its published tables."""

import csv
import hashlib
import os
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from evenhand.generator.bvf.contexts import read_contexts
from evenhand.generator.bvf.rules import Rules
from evenhand.generator.bvf.topics import read_topic
from evenhand.generator.bvf.units import mine_unit, units
from evenhand.generator.corpora.files import corpus_sources
from evenhand.generator.corpora.readers import blocks
from evenhand.generator.corpora.sentences import split_sentences
from evenhand.generator.parse import load_parser

REFERENCE = os.environ.get("EVENHAND_CONFORMANCE")
LABELS = Path(__file__).parent / "bvf_corpus_labels.tsv"
# Measured .96 and .86, less a margin for other versions of the parser.
PRECISION_FLOOR, RECALL_FLOOR = 0.92, 0.82

pytestmark = [
    pytest.mark.conformance,
    pytest.mark.skipif(REFERENCE is None, reason="EVENHAND_CONFORMANCE names no reference data"),
]


def folder(name: str) -> Path:
    """Return a folder of BVF's reference data."""
    return Path(REFERENCE or "") / "bvf" / name


@cache
def sentences_of(name: str) -> list[str]:
    """Return the sentences of a corpus file in order."""
    (source,) = corpus_sources([folder("corpus") / name])
    return [text for block in blocks(source) for text in split_sentences(block.text)]


def labels() -> Iterator[dict[str, str]]:
    """Yield the labelled sentences, which are known by their digests."""
    lines = [line for line in LABELS.read_text().split("\n") if line and line[0] != "#"]
    yield from csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)


def test_labelled_sentences_of_the_corpora_are_read_well() -> None:
    """Eighty sentences of books and subtitles give the contexts that were written down for them."""
    right = n_mined = expected = 0
    for label in labels():
        sentence = sentences_of(label["file"])[int(label["sentence"]) - 1]
        assert hashlib.sha256(sentence.encode()).hexdigest() == label["sha256"]
        rules = Rules(read_topic(label["topic"]))
        (parses,) = load_parser().parse([sentence])
        ours = Counter(context for parse in parses for context in rules.contexts(parse))
        theirs = Counter(filter(None, label["contexts"].split(" | ")))
        right += (ours & theirs).total()
        n_mined += ours.total()
        expected += theirs.total()
    precision, recall = right / n_mined, right / expected
    print(f"corpora: precision {precision:.3f}, recall {recall:.3f} of {expected} contexts")

    assert (precision >= PRECISION_FLOOR, recall >= RECALL_FLOOR) == (True, True)


def test_the_most_frequent_contexts_of_the_books_are_those_of_the_paper() -> None:
    """In one book, `said that` leads, as in Table 8; `thought that` and `knew that` follow."""
    sources = corpus_sources([folder("corpus") / "book0000.jsonl.zst"])
    rules, parser = Rules(read_topic("gender")), load_parser()
    counts: Counter[str] = Counter()
    for unit in units(sources, text_field="text", limit=2):
        counts.update(
            {item.context: item.count for item in mine_unit(unit, rules, parser).contexts}
        )
    clauses = [context for context, _ in counts.most_common() if context.endswith("that [Y]")]

    assert clauses[0] == "The [X] said that [Y]"
    assert {"The [X] thought that [Y]", "The [X] knew that [Y]"} <= set(clauses[:4])


@pytest.mark.parametrize(
    ("name", "n_contexts", "first"),
    [
        ("book_TemplateForGender", 342, "The [X] said that [Y]"),
        ("conversation_TemplateForGender", 14, "The [X] used the card that [Y]"),
        ("book_TemplateForGeneric", 10_739, "The [X], who maintained a standard, is [Y]"),
        ("conversation_TemplateForGeneric", 4_664, "The [X], who speeded The Track, is [Y]"),
    ],
)
def test_the_published_tables_are_read(name: str, n_contexts: int, first: str) -> None:
    """The original's tables of mined contexts are contexts files; weights are normalised."""
    contexts = read_contexts(folder("mined") / f"{name}.csv").contexts

    assert (len(contexts), contexts[0].context) == (n_contexts, first)
    assert abs(sum(context.weight or 0 for context in contexts) - 1) < 1e-9
