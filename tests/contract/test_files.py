"""Outputs are written whole or not at all."""

import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.contract.errors import DataRefused
from evenhand.contract.files import (
    atomic_folder,
    atomic_path,
    canonical_json,
    sha256_of_file,
    write_atomically,
)

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(JSON_VALUES)
def test_canonical_json_is_what_the_standard_library_writes(value) -> None:
    """Anybody can make the canonical bytes with json.dumps and a newline."""
    expected = json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False) + "\n"

    assert canonical_json(value).decode() == expected


def test_canonical_json_has_no_place_for_nan() -> None:
    """NaN is no JSON, so it is refused."""
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_json({"value": float("nan")})


def test_a_file_longer_than_a_chunk_is_hashed_whole(tmp_path: Path) -> None:
    """Chunked hashing gives the sha256 of all bytes."""
    content = bytes(range(256)) * 8192
    path = tmp_path / "long"
    path.write_bytes(content)

    assert sha256_of_file(path) == hashlib.sha256(content).hexdigest()


def test_a_failing_writer_leaves_the_old_file_and_no_litter(tmp_path: Path) -> None:
    """When the block raises, the old content stands and the temporary file is gone."""
    path = tmp_path / "metrics.json"
    path.write_text("old")

    with pytest.raises(ZeroDivisionError), atomic_path(path) as temporary:
        temporary.write_text(f"half of {1 / len([])}")

    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["metrics.json"]


def test_a_written_file_has_ordinary_permissions(tmp_path: Path) -> None:
    """An output is readable like any new file, not for the owner alone."""
    plain = tmp_path / "plain"
    plain.touch()
    write_atomically(tmp_path / "out", b"x")

    assert (tmp_path / "out").stat().st_mode == plain.stat().st_mode


@pytest.mark.parametrize(
    ("name", "expected"), [("", "is a folder"), ("no/where.json", "does not exist")]
)
def test_an_impossible_output_is_refused_with_a_sentence(
    tmp_path: Path, name: str, expected: str
) -> None:
    """A folder in place of a file, or a missing parent, is said before any work."""
    with pytest.raises(DataRefused, match=expected):
        write_atomically(tmp_path / name, b"x")


def test_an_existing_folder_is_refused_without_overwrite(tmp_path: Path) -> None:
    """Nothing is replaced unless it was asked for."""
    target = tmp_path / "1.0.0"
    target.mkdir()
    (target / "kept").touch()

    with (
        pytest.raises(DataRefused, match="--overwrite"),
        atomic_folder(target, overwrite=False) as new,
    ):
        (new / "made").touch()

    assert [p.name for p in target.iterdir()] == ["kept"]


def test_overwriting_replaces_the_whole_folder(tmp_path: Path) -> None:
    """With overwrite, the new folder stands alone: no old file is left in it."""
    target = tmp_path / "1.0.0"
    target.mkdir()
    (target / "old").touch()

    with atomic_folder(target, overwrite=True) as new:
        (new / "made").touch()

    assert [p.name for p in target.iterdir()] == ["made"]
    assert [p.name for p in tmp_path.iterdir()] == ["1.0.0"]


def test_a_failing_overwrite_keeps_the_old_folder(tmp_path: Path) -> None:
    """A failure half-way leaves the old version untouched."""
    target = tmp_path / "1.0.0"
    target.mkdir()
    (target / "old").touch()

    with pytest.raises(FileNotFoundError), atomic_folder(target, overwrite=True) as new:
        (new / "missing" / "made").touch()

    assert [p.name for p in target.iterdir()] == ["old"]
    assert [p.name for p in tmp_path.iterdir()] == ["1.0.0"]


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    """Even --overwrite does not turn a file into a folder."""
    target = tmp_path / "1.0.0"
    target.touch()

    with pytest.raises(DataRefused, match="not a folder"), atomic_folder(target, overwrite=True):
        pass
