"""The digest of a list column: the same on both sides, and as the contract words it."""

import hashlib
import json
import struct
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.contract.files import canonical_json
from evenhand.generator.digest import column_bytes, files_digest
from evenhand.scorer.datasets import content_digest

LISTS = st.lists(st.none() | st.lists(st.none() | st.text(max_size=4), max_size=3), max_size=6)


def by_the_definition(values: list[list[str | None] | None]) -> tuple[bytes, bytes]:
    """Return lengths and values of a list column from the words of the definition alone."""
    texts = [
        None if v is None else json.dumps(v, ensure_ascii=False, separators=(",", ":"))
        for v in values
    ]
    lengths = [-1 if text is None else len(text.encode()) for text in texts]
    return struct.pack(f"<{len(lengths)}q", *lengths), "".join(t or "" for t in texts).encode()


@settings(deadline=None)  # the first call loads parts of pyarrow
@given(LISTS)
def test_a_list_is_fed_as_its_compact_json(values) -> None:
    """Nulls, empty lists, quotation marks and letters of any script."""
    lengths, content = column_bytes(pa.array(values, pa.list_(pa.string())))

    assert (bytes(lengths), bytes(content)) == by_the_definition(values)


@pytest.mark.parametrize("kind", [pa.list_(pa.string()), pa.large_list(pa.string())])
def test_generator_and_scorer_give_one_digest(tmp_path: Path, kind: pa.DataType) -> None:
    """The manifest's digest is found again by the other side, and by hand."""
    values = [["a", 'é"\n'], [], None, [None, "b"], ["b"]]
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"names": pa.array(values, kind)}), path)

    lengths, content = by_the_definition(values)
    column = ["names", hashlib.sha256(lengths).hexdigest(), hashlib.sha256(content).hexdigest()]
    expected = hashlib.sha256(canonical_json({"rows": 5, "columns": [column]})).hexdigest()
    assert files_digest([str(path)], ["names"]).hexdigest() == expected
    assert content_digest([path]) == expected
