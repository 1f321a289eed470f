"""`mine bvf --frequencies`: how often subjects stand in the corpus, as a table of facts."""

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from evenhand.contract.files import sha256_of_file
from evenhand.generator.bvf.frequencies import Occurrences

Runner = Callable[..., tuple[int, str, str]]

DOCUMENTS = [
    "The nurse said that she was tired. NURSE! The nurses left; a nurse's bell rang.",
    "bell " * 53_000,
    "The chief cook knew that he was late. A cook-book, a Chief\nCook, chief engineers.",
]
OCCUPATIONS = "word\tkey\nnurse\tn\nchief cook\tc\ncook\tk\npilot\tp\nself-made man\ts\n"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Three documents that make two units."""
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in DOCUMENTS))
    (tmp_path / "occupations.tsv").write_text(OCCUPATIONS)
    return path


def mining(corpus: Path, table: Path, *more: object) -> tuple[object, ...]:
    """Return the words of the command."""
    return ("mine", "bvf", "--corpus", corpus, "--topic", "gender", "--occupations",
            corpus.parent / "occupations.tsv", "--out", table.with_suffix(".jsonl"),
            "--frequencies", table, *more)  # fmt: skip


def failing(*words: object) -> None:
    """Stand in for what a full disk does."""
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize(
    ("word", "text", "n_occurrences"),
    [
        ("nurse", "Nurse, NURSE nurse", 3),
        ("nurse", "nurses nursery 'nurse' nurse's", 2),
        ("chief cook", "Chief  cook. chief\ncook, chief cooks, chief-cook", 3),
        ("self-made man", "A self-made man", 1),
        ("ärztin", "ÄRZTIN Ärztinnen", 1),
        ("pilot", "", 0),
    ],
)
def test_a_word_counts_by_itself_and_in_the_form_of_the_list(
    word: str, text: str, n_occurrences: int
) -> None:
    """Upper and lower case are the same; plurals and parts of words do not count."""
    assert Occurrences([word]).count([text])[1] == ({word: n_occurrences} if n_occurrences else {})


def test_the_table_holds_counts_and_names_the_corpus(
    evenhand: Runner, corpus: Path, tmp_path: Path
) -> None:
    """In the order of the list; what does not occur is empty, for 0 has no logarithm."""
    table = tmp_path / "frequencies.tsv"
    code, _, said = evenhand(*mining(corpus, table))
    lines = table.read_text(encoding="utf-8").splitlines()

    assert code == 0, said
    assert re.fullmatch("# .*: 53032, .* 3 documents", lines[1])
    assert lines[2].endswith(f": corpus.jsonl (sha256 {sha256_of_file(corpus)})")
    assert lines[3:] == [
        "subject\tword_frequency",
        "nurse\t3",
        "chief cook\t2",
        "cook\t3",
        "pilot\t",
        "self-made man\t",
    ]


def test_counting_changes_no_context_and_processes_no_count(
    evenhand: Runner, corpus: Path, tmp_path: Path
) -> None:
    """Two processes give the bytes of one, and contexts are those of a call that counts nothing."""
    one, two, plain = (tmp_path / name for name in ("one.tsv", "two.tsv", "plain.jsonl"))
    assert evenhand(*mining(corpus, one))[0] == 0
    assert evenhand(*mining(corpus, two, "--workers", 2))[0] == 0
    assert evenhand("mine", "bvf", "--corpus", corpus, "--topic", "gender", "--occupations",
                    tmp_path / "occupations.tsv", "--out", plain)[0] == 0  # fmt: skip

    assert one.read_bytes() == two.read_bytes()
    assert one.with_suffix(".jsonl").read_bytes() == plain.read_bytes()


def test_units_that_were_mined_before_keep_their_counts(
    evenhand: Runner, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that broke off after its units goes on to the same table."""
    whole, broken = tmp_path / "whole.csv", tmp_path / "broken.csv"
    assert evenhand(*mining(corpus, whole))[0] == 0

    with monkeypatch.context() as patch:
        patch.setattr("evenhand.generator.bvf.mine.merge", failing)
        with pytest.raises(AssertionError):
            assert evenhand(*mining(corpus, broken))[0] == 0
    monkeypatch.setattr(Occurrences, "count", failing)

    assert evenhand(*mining(corpus, broken))[0] == 0
    assert broken.read_bytes() == whole.read_bytes()
    rows = [line for line in whole.read_text().splitlines() if not line.startswith("#")]
    assert list(csv.DictReader(rows))[1] == {"subject": "chief cook", "word_frequency": "2"}


def test_work_that_counted_nothing_is_not_gone_on_with(
    evenhand: Runner, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Units that lack the counts cannot be finished by a call that wants them."""
    table = tmp_path / "frequencies.tsv"
    words = mining(corpus, table)
    with monkeypatch.context() as patch:
        patch.setattr("evenhand.generator.bvf.mine.merge", failing)
        with pytest.raises(AssertionError):
            assert evenhand(*words[:-2])[0] == 0

    assert re.search(r"frequencies\.jsonl\.partial .* unfinished", evenhand(*words)[2])
    assert not table.exists()


def test_a_table_that_is_there_is_not_replaced(
    evenhand: Runner, corpus: Path, tmp_path: Path
) -> None:
    """Nothing is mined before it is asked for."""
    table = tmp_path / "frequencies.tsv"
    table.write_text("mine\n")
    code, _, said = evenhand(*mining(corpus, table))

    assert (code, table.read_text()) == (1, "mine\n")
    assert re.search("frequencies.tsv exists; .*--overwrite .*--frequencies", said)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [("nowhere/table.tsv", "nowhere does not exist; make it"), ("here", "here is a folder; give")],
)
def test_a_table_that_cannot_be_written_is_refused_before_anything_is_mined(
    evenhand: Runner, corpus: Path, tmp_path: Path, name: str, sentence: str
) -> None:
    """No contexts file and no work in progress is left behind."""
    (tmp_path / "here").mkdir()
    out = tmp_path / "contexts.jsonl"

    code, _, said = evenhand(
        *("mine", "bvf", "--corpus", corpus, "--topic", "gender", "--out", out),
        *("--frequencies", tmp_path / name, "--overwrite"),
    )

    assert (code, sentence in said) == (1, True)
    assert not list(tmp_path.glob("contexts.jsonl*"))
