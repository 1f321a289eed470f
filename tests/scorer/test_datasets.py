"""Opening a dataset folder: its content digest to the byte, and what is refused."""

import hashlib
import struct
from pathlib import Path

import polars as pl
import pytest

from evenhand.contract import DataRefused
from evenhand.contract.files import canonical_json
from evenhand.scorer import datasets
from evenhand.scorer.datasets import content_digest, open_dataset

TABLE = pl.DataFrame(
    {
        "text": ["a", None, "é", ""],
        "number": [1, -2, None, 4],
        "share": [0.5, None, -1.0, 2.0],
        "flag": [True, None, False, True],
    }
)


def digest_by_the_definition() -> str:
    """Compute the digest of TABLE row by row, as the contract words it."""
    columns = []
    for name, lengths, values in (
        ("text", [1, -1, 2, 0], b"a" + "é".encode()),
        ("number", [1, 1, 0, 1], struct.pack("<4q", 1, -2, 0, 4)),
        ("share", [1, 0, 1, 1], struct.pack("<4d", 0.5, 0, -1, 2)),
        ("flag", [1, 0, 1, 1], struct.pack("<4q", 1, 0, 0, 1)),
    ):
        of_lengths = hashlib.sha256(struct.pack("<4q", *lengths)).hexdigest()
        columns.append([name, of_lengths, hashlib.sha256(values).hexdigest()])
    return hashlib.sha256(canonical_json({"rows": 4, "columns": columns})).hexdigest()


@pytest.mark.parametrize("rows_at_once", [1, 3, 100])
@pytest.mark.parametrize("n_files", [1, 2])
def test_content_digest_is_the_contracts(tmp_path, monkeypatch, rows_at_once, n_files) -> None:
    """Nulls, text, numbers and truth values; chunks and files change nothing."""
    monkeypatch.setattr(datasets, "_ROWS_AT_ONCE", rows_at_once)
    paths = [tmp_path / f"{i}.parquet" for i in range(n_files)]
    step = len(TABLE) // n_files
    for i, path in enumerate(paths):
        TABLE.slice(i * step, step).write_parquet(path)

    assert content_digest(paths) == digest_by_the_definition()


def test_dictionary_encoded_text_has_the_digest_of_text(tmp_path: Path) -> None:
    """How Parquet stores a column does not matter."""
    TABLE.write_parquet(tmp_path / "a.parquet")
    coded = TABLE.with_columns(pl.col("text").cast(pl.Categorical))
    coded.write_parquet(tmp_path / "b.parquet", compression="uncompressed", row_group_size=1)

    assert content_digest([tmp_path / "a.parquet"]) == content_digest([tmp_path / "b.parquet"])


def test_changed_rows_are_refused(write_dataset, toy_items) -> None:
    """A row that was edited shows in the content digest, whatever the manifest's files say."""
    folder = write_dataset({"toy": toy_items()})
    path = next(folder.glob("toy/*.parquet"))
    rows = pl.read_parquet(path)
    rows.with_columns(x1=pl.lit("other")).write_parquet(path)

    with pytest.raises(DataRefused, match="the manifest says"):
        open_dataset(str(folder)).load("toy", {"id": pl.String})


def test_a_missing_or_damaged_file_is_refused(write_dataset, toy_items) -> None:
    """The sentence names the command that says which file is damaged."""
    folder = write_dataset({"toy": toy_items()})
    path = next(folder.glob("toy/*.parquet"))
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(DataRefused, match="evenhand verify"):
        open_dataset(str(folder)).load("toy", {"id": pl.String})
    with pytest.raises(DataRefused, match="evenhand verify"):
        open_dataset(str(folder)).read("toy", ["id"])
    path.unlink()

    with pytest.raises(DataRefused, match="is missing"):
        open_dataset(str(folder)).read("toy", ["id"])


def test_a_dataset_of_the_hub_must_have_been_pulled(tmp_path, monkeypatch) -> None:
    """No name is looked up in the network: the sentence names the command that does."""
    monkeypatch.chdir(tmp_path)

    with pytest.raises(DataRefused, match=r"evenhand pull org/name@v1\.0\.0"):
        open_dataset("org/name@v1.0.0")


def test_a_pulled_dataset_is_opened_by_its_name(
    tmp_path, monkeypatch, write_dataset, toy_items
) -> None:
    """org/name@tag lies in the pull folder."""
    write_dataset({"toy": toy_items()}, name="datasets_out/org/name/v1.0.0")
    monkeypatch.chdir(tmp_path)

    assert open_dataset("org/name@v1.0.0").manifest.stem == "unqover"


def test_a_dataset_of_another_benchmark_is_refused(write_dataset, toy_items) -> None:
    """This version scores what it carries, and says so."""
    folder = write_dataset({"toy": toy_items()})
    manifest = folder / "evenhand.json"
    manifest.write_text(manifest.read_text().replace('"stem": "unqover"', '"stem": "other"'))

    with pytest.raises(DataRefused, match="is a dataset of other"):
        open_dataset(str(folder))
