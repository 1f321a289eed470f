"""The labels of mined contexts: what docs/benchmarks/bvf-labels.md says of them can be counted."""

import csv
import re
from collections import Counter
from pathlib import Path

LABELS = Path(__file__).with_name("bvf_context_labels.tsv")
GUIDE = Path(__file__).parents[2] / "docs/benchmarks/bvf-labels.md"


def read_labels() -> list[dict[str, str]]:
    """Return the rows of the table."""
    lines = LABELS.read_text(encoding="utf-8").splitlines()
    return list(
        csv.DictReader((line for line in lines if line[:1] != "#"), delimiter="\t", quotechar=None,
                       quoting=csv.QUOTE_NONE)
    )  # fmt: skip


def test_the_guide_counts_what_the_labels_say() -> None:
    """300 pairs, and by topic as many right ones as the page states."""
    labels, page = read_labels(), GUIDE.read_text(encoding="utf-8")
    right = Counter(row["topic"] for row in labels if row["label"] == "yes")
    every = Counter(row["topic"] for row in labels)

    assert len({(row["topic"], row["context"], row["digest"]) for row in labels}) == 300
    assert f"{right.total()} are right" in page
    for topic, n in every.items():
        assert re.search(rf"{topic}\s+{right[topic]}\s+of\s+{n}\b", page)


def test_labels_hold_digests_in_place_of_sentences() -> None:
    """A sentence is named by its sha256, a fault by its kind, and half B keeps its kinds."""
    labels = read_labels()

    assert all(re.fullmatch("[0-9a-f]{64}", row["digest"]) for row in labels)
    assert {row["label"] for row in labels} == {"yes", "no"}
    assert {row["half"] for row in labels} == {"A", "B"}
    assert all(bool(row["kind"]) == (row["label"] == "no") for row in labels if row["half"] == "A")
    assert all(not row["kind"] for row in labels if row["half"] == "B")
