"""Tables of facts put together: each has its own columns, ours goes by its name."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from evenhand.contract import DataRefused
from evenhand.contract.files import sha256_of_file
from evenhand.scorer.bvf import score
from evenhand.scorer.bvf.facts import OURS, read_facts, tables_digest

Make = Callable[..., Any]


def write_table(path: Path, *lines: str) -> Path:
    """Write a table."""
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_tables_are_joined_by_subject(tmp_path: Path) -> None:
    """Subjects of all tables are kept; missing facts are null; comments are skipped."""
    pay = write_table(tmp_path / "pay.csv", "subject,income", "a,10", "b,20")
    words = write_table(
        tmp_path / "words.tsv",
        "# of a corpus, with a comma",
        "subject\tword_frequency",
        "b\t7",
        "c\t",
    )

    found = read_facts([pay, words])

    assert found.select("subject", "income", "word_frequency", "employment").rows() == [
        ("a", 10.0, None, None),
        ("b", 20.0, 7.0, None),
        ("c", None, None, None),
    ]


def test_frequencies_are_added_to_the_table_that_comes_with_evenhand(tmp_path: Path) -> None:
    """`occupations` names it; its columns stay what they are."""
    words = write_table(tmp_path / "words.tsv", "subject\tword_frequency", "nurse\t7", "king\t3")

    found, ours = read_facts([OURS, words]), read_facts(None)

    assert found.head(120).drop("word_frequency").equals(ours.drop("word_frequency"))
    assert found.drop_nulls("word_frequency").select("subject", "word_frequency").rows() == [
        ("nurse", 7.0),
        ("king", 3.0),
    ]


def test_a_column_of_two_tables_is_refused(tmp_path: Path) -> None:
    """Nobody could tell which of them counts; an empty column is none."""
    one = write_table(tmp_path / "one.csv", "subject,income,employment", "a,10,")
    two = write_table(tmp_path / "two.csv", "subject,income,employment", "b,10,5")
    with pytest.raises(DataRefused, match=r"two\.csv: .*--facts .*income"):
        read_facts([one, two])
    two.write_text("subject,income,employment\na,,5\n", encoding="utf-8")

    assert read_facts([one, two]).select("income", "employment").rows() == [(10.0, 5.0)]


def test_a_regression_names_the_tables_it_was_made_of(
    bvf_items: Make, predicted: Make, topics_of_size: Make, tmp_path: Path
) -> None:
    """Signatures of regressions carry the tables' digests; those of other metrics do not."""
    words = write_table(tmp_path / "w.tsv", "subject\tword_frequency", "baker\t1", "nurse\t10",
                    "pilot\t100")  # fmt: skip
    items = bvf_items((0.5, 0.5), ("baker", "nurse", "pilot"))
    p = np.array([[0.6, 0.6], [0.7, 0.7], [0.8, 0.8]])
    rows = predicted(items, np.stack([p, 1 - p], axis=-1))

    report = score(items, rows, topics=topics_of_size(), facts=[words], resamples=50)
    found = {own.id: own for own in report.metrics}
    fit = found["bvf.regression.log_word_frequency"]

    assert fit.value == pytest.approx(0.2 / np.log(10))
    assert f"|facts:{sha256_of_file(words)[:12]}|" in fit.signature
    assert "facts:" not in found["bvf.R"].signature
    assert (tables_digest(None), tables_digest([OURS])) == (None, None)
    assert tables_digest([OURS, words]) == f"occupations+{sha256_of_file(words)[:12]}"
    assert [name for name in found if "regression" in name] == ["bvf.regression.log_word_frequency"]


def test_a_table_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """The second of two is named as well."""
    one = write_table(tmp_path / "one.csv", "subject,income", "a,10")

    with pytest.raises(DataRefused, match=r"--facts .*two\.csv .*No such file"):
        read_facts([one, tmp_path / "two.csv"])
    assert isinstance(read_facts(one), pl.DataFrame)
