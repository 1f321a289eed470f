"""The content digest is the one docs/contract.md defines, whatever the chunks."""

import hashlib
import json
import struct

from hypothesis import given
from hypothesis import strategies as st

from evenhand.contract.dataset import ContentDigest, SplitEntry, combined_content_digest


def digest_by_the_definition(name: str, values: list[str | None]) -> str:
    """Compute a one-column digest from the words of the definition alone."""
    lengths = b"".join(struct.pack("<q", -1 if v is None else len(v.encode())) for v in values)
    content = b"".join(b"" if v is None else v.encode() for v in values)
    column = [name, hashlib.sha256(lengths).hexdigest(), hashlib.sha256(content).hexdigest()]
    plain = {"rows": len(values), "columns": [column]}
    text = json.dumps(plain, sort_keys=True, indent=2, ensure_ascii=False) + "\n"
    return hashlib.sha256(text.encode()).hexdigest()


@given(st.lists(st.none() | st.text(max_size=4), max_size=6), st.integers(0, 6))
def test_the_digest_follows_from_its_definition_for_any_chunks(values, cut: int) -> None:
    """Rows fed in two chunks give the digest of the definition."""
    digest = ContentDigest(["id"])
    for chunk in (values[:cut], values[cut:]):
        digest.update(
            "id",
            lengths=b"".join(
                struct.pack("<q", -1 if v is None else len(v.encode())) for v in chunk
            ),
            values=b"".join(b"" if v is None else v.encode() for v in chunk),
        )

    assert digest.hexdigest(rows=len(values)) == digest_by_the_definition("id", values)


def test_moving_a_letter_between_rows_changes_the_digest() -> None:
    """The lengths tell ["ab", "c"] from ["a", "bc"]."""
    assert digest_by_the_definition("id", ["ab", "c"]) != digest_by_the_definition(
        "id", ["a", "bc"]
    )


def test_the_combined_digest_names_every_config_and_split() -> None:
    """Renaming a config changes the combined digest."""
    entry = {"test": SplitEntry(rows=1, examples=1, content_digest="00" * 32)}

    assert combined_content_digest({"a": entry}) != combined_content_digest({"b": entry})
