"""Corpora: every format gives its documents in order, and a faulty file is refused by name."""

import bz2
import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from evenhand.contract import DataRefused
from evenhand.generator.corpora.files import corpus_sources
from evenhand.generator.corpora.readers import BLOCK_CHARACTERS, blocks
from evenhand.generator.corpora.sentences import split_blocks, split_sentences
from evenhand.generator.corpora.wikitext import plain_text

TEXTS = ["The ferry was late.\n\nNobody minded.", "Grüße aus Köln.", ""]
PAGE = """\
  <page>
    <title>{title}</title>
    <ns>{ns}</ns>
    <id>7</id>{redirect}
    <revision>
      <id>70</id>
      <contributor><username>gardener</username><id>3</id></contributor>
      <model>wikitext</model>
      <format>text/x-wiki</format>
      <text bytes="90" xml:space="preserve">{text}</text>
    </revision>
  </page>
"""
DUMP = """\
<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">
  <siteinfo><sitename>Allotments</sitename><dbname>allotments</dbname></siteinfo>
{pages}</mediawiki>
"""


def read(*paths: Path, text_field: str = "text") -> list[str]:
    """Return the documents of a corpus, parts put together."""
    documents: list[str] = []
    for source in corpus_sources(list(paths)):
        for block in blocks(source, text_field):
            if block.begins_document:
                documents.append("")
            documents[-1] += block.text
    return documents


def refusal(*paths: Path, text_field: str = "text") -> str:
    """Return the sentence that a corpus is refused with."""
    with pytest.raises(DataRefused) as caught:
        read(*paths, text_field=text_field)
    return str(caught.value)


def json_lines(texts: list[str]) -> bytes:
    """Return documents as JSON lines."""
    return "".join(json.dumps({"text": text, "n": 1}) + "\n" for text in texts).encode()


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("a.jsonl", bytes),
        ("a.ndjson", bytes),
        ("a.jsonl.gz", gzip.compress),
        ("a.jsonl.bz2", bz2.compress),
        ("a.jsonl.zst", zstandard.compress),
    ],
)
def test_json_lines_are_read_packed_or_not(
    tmp_path: Path, name: str, pack: Callable[[bytes], bytes]
) -> None:
    """One document a line, whatever the file is packed with; an empty one counts."""
    path = tmp_path / name
    path.write_bytes(pack(json_lines(TEXTS)))

    assert read(path) == TEXTS


def test_a_file_of_several_zstd_frames_is_read_to_its_end(tmp_path: Path) -> None:
    """Files put together by `cat` are one stream."""
    path = tmp_path / "a.txt.zst"
    path.write_bytes(zstandard.compress(b"One. ") + zstandard.compress(b"Two."))

    assert read(path) == ["One. Two."]


@pytest.mark.parametrize("content", [json.dumps(TEXTS), json_lines(TEXTS).decode()])
def test_json_is_an_array_or_lines_under_the_wrong_ending(tmp_path: Path, content: str) -> None:
    """The original's conversation files are arrays of texts; many `.json` files are lines."""
    path = tmp_path / "a.json"
    path.write_text(content, encoding="utf-8")

    assert read(path) == TEXTS


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", json_lines(TEXTS).decode()),
        ("a.json", json_lines(TEXTS).decode()),
        ("a.json", json.dumps(TEXTS)),
    ],
)
def test_a_byte_order_mark_is_no_part_of_the_first_record(
    tmp_path: Path, name: str, content: str
) -> None:
    """Some editors put one at the head of what they save as UTF-8."""
    path = tmp_path / name
    path.write_text("\ufeff" + content, encoding="utf-8")

    assert read(path) == TEXTS


def test_a_text_file_is_one_document_in_parts(tmp_path: Path) -> None:
    """A long text arrives in parts that are cut between sentences and add up to the text."""
    text = "The bell rang twice. She counted the steps again.\n" * 5000
    path = tmp_path / "a.txt"
    path.write_text("\ufeff" + text, encoding="utf-8")
    parts = [block.text for block in blocks(corpus_sources([path])[0])]

    assert "".join(parts) == text
    assert len(parts) > 3
    assert max(map(len, parts)) <= BLOCK_CHARACTERS
    assert {part.rstrip()[-1] for part in parts} == {"."}


def test_a_character_that_lies_over_two_chunks_is_whole(tmp_path: Path) -> None:
    """Chunks of bytes are cut between characters."""
    text = "ä" * ((1 << 20) + 7)
    path = tmp_path / "a.txt"
    path.write_text("x" + text, encoding="utf-8")

    assert read(path) == ["x" + text]


def test_parquet_is_read_by_column(tmp_path: Path) -> None:
    """The text column is found by its name; null is an empty document."""
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"body": [*TEXTS, None], "n": [1, 2, 3, 4]}), path)

    assert read(path, text_field="body") == [*TEXTS, ""]
    assert re.fullmatch(f"{path} .* `text`; .* body, n\\. --text-field .*", refusal(path))


def test_a_dataset_on_disk_is_read_with_its_splits(tmp_path: Path) -> None:
    """What `save_to_disk` wrote is read shard by shard, without the library that wrote it."""
    import datasets

    splits = datasets.DatasetDict(
        {
            "train": datasets.Dataset.from_dict({"text": TEXTS[:2]}),
            "test": datasets.Dataset.from_dict({"text": TEXTS[2:]}),
        }
    )
    splits.save_to_disk(tmp_path / "saved", num_shards={"train": 2, "test": 1})
    names = [source.name for source in corpus_sources([tmp_path / "saved"])]

    assert read(tmp_path / "saved") == TEXTS
    assert names[0] == "saved/train/data-00000-of-00002.arrow"


def test_a_dataset_with_an_index_over_its_rows_is_refused(tmp_path: Path) -> None:
    """Shuffled rows lie in another order in the shards, so they are not read in silence."""
    import datasets

    datasets.Dataset.from_dict({"text": TEXTS}).shuffle(seed=1).save_to_disk(tmp_path / "saved")
    state = json.loads((tmp_path / "saved" / "state.json").read_text())
    if not state.get("_indices_data_files"):
        state["_indices_data_files"] = [{"filename": "indices.arrow"}]
        (tmp_path / "saved" / "state.json").write_text(json.dumps(state))

    assert "flatten_indices()" in refusal(tmp_path / "saved")


def test_a_folder_is_read_in_the_order_of_names(tmp_path: Path) -> None:
    """Files of other kinds in a folder are passed over."""
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "2.txt").write_text("Two.")
    (tmp_path / "a.txt").write_text("One.")
    (tmp_path / "notes.pdf").write_bytes(b"%PDF")
    (tmp_path / ".hidden.txt").write_text("No.")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "description.txt").write_text("No.")

    assert read(tmp_path) == ["One.", "Two."]


def page(text: str, *, title: str = "Onion", ns: int = 0, redirect: str = "") -> str:
    """Return a page of a dump."""
    return PAGE.format(title=title, ns=ns, redirect=redirect, text=text)


def test_a_mediawiki_dump_gives_its_articles(tmp_path: Path) -> None:
    """Talk pages and redirects are left out, and markup is taken away."""
    article = """\
{{Infobox plant|name={{lang|en|Onion}}}}
'''Onions''' are grown by [[gardener|gardeners]].&lt;ref name="a"&gt;{{cite}}&lt;/ref&gt; \
She said&amp;nbsp;so.
[[File:Onion.jpg|thumb|An [[onion]] bed]]
== History ==
* A list entry.
{| class="x"
| cell
|}
The [https://example.org growers] met &lt;!-- when? --&gt;yearly."""
    pages = [
        page(article),
        page("He talks.", title="Talk:Onion", ns=1),
        page("#REDIRECT [[Onion]]", redirect='<redirect title="Onion" />'),
        page("Leeks are tall."),
    ]
    path = tmp_path / "enwiki-20260101-pages-articles1.xml-p1p41242.bz2"
    path.write_bytes(bz2.compress(DUMP.format(pages="".join(pages)).encode()))

    onion, leek = read(path)

    assert [line for line in onion.split("\n") if line.strip()] == [
        "Onions are grown by gardeners. She said so.",
        "The growers met yearly.",
    ]
    assert leek == "Leeks are tall."


BOMB = """\
<?xml version="1.0"?>
<!DOCTYPE mediawiki [<!ENTITY a "onion"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
<mediawiki><page><ns>0</ns><revision><text>&b;</text></revision></page></mediawiki>
"""


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (BOMB, "declares a document type"),
        (DUMP.format(pages=page("Leeks."))[:-40], "not well-formed XML"),
        ("<html><p>Leeks</p></html>", "its first element is <html>, <mediawiki> was expected"),
        ("<mediawiki>" * 40, "nested too deeply"),
    ],
)
def test_a_faulty_dump_is_refused(tmp_path: Path, content: str, reason: str) -> None:
    """Entities are never expanded, and a truncated dump is not taken for a short one."""
    path = tmp_path / "dump.xml"
    path.write_text(content)

    assert reason in refusal(path)
    assert str(path) in refusal(path)


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        ("a<ref>b</ref>c<ref name=d/>e", "ace"),
        ("a<ref>open", "aopen"),
        ("{{a|{{b}}}}c}}d", "cd"),
        ("[[a|b [[c]] d]] [[Category:E]]", "b c d"),
        ("''a'' '''b''' &amp; c", "a b & c"),
        ("{{open [[link", ""),
    ],
)
def test_wikitext_becomes_running_text(wikitext: str, text: str) -> None:
    """Nested, unclosed and unopened markup all have one answer."""
    assert plain_text(wikitext) == text


def test_the_byte_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    """The offset is that of the file, or of its decompressed content."""
    plain, lines, packed = tmp_path / "a.txt", tmp_path / "b.jsonl", tmp_path / "c.txt.gz"
    plain.write_bytes(b"good \xff bad")
    lines.write_bytes(b'{"text": "a"}\n{"text": "\xe9"}\n')
    packed.write_bytes(gzip.compress(b"x" * (1 << 20) + b"\xc3"))

    assert re.match(f"{plain}: .* offset 5 is not UTF-8", refusal(plain))
    assert re.match(f"{lines}: .* offset 24 is not UTF-8", refusal(lines))
    assert re.match(f"{packed}: .* offset 1,048,576 of the decompressed", refusal(packed))


@pytest.mark.parametrize(
    ("name", "pack", "cut"),
    [
        ("a.txt.zst", zstandard.compress, -6),
        ("a.txt.gz", gzip.compress, -12),
        ("a.txt.bz2", bz2.compress, -12),
    ],
)
def test_a_packed_file_that_is_not_whole_is_refused(
    tmp_path: Path, name: str, pack: Callable[[bytes], bytes], cut: int
) -> None:
    """A broken frame is a fault and not the end of the corpus; so is one with a wrong byte."""
    content = pack(bytes(range(32, 127)) * 3000)
    short, wrong = tmp_path / name, tmp_path / f"w{name}"
    short.write_bytes(content[:cut])
    wrong.write_bytes(b"\x00\x01\x02\x03" + content[4:])

    assert f"{short} is damaged" in refusal(short)
    assert f"{wrong} is damaged" in refusal(wrong)


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.jsonl", '{"text": "a"}\n{"text": ', "line 2 is not JSON"),
        ("a.jsonl", '{"title": "a"}\n', r"record 1 .* `text`; .* title"),
        ("a.jsonl", '{"text": 3}\n', "the field `text` holds no text but int"),
        ("a.jsonl", "3\n", "record 1 is neither "),
        ("a.json", '["a", 3]', "record 2 is neither "),
        ("a.json", '["a"', "the array is not JSON"),
        ("a.parquet", "PAR1", "is not a complete Parquet file"),
        ("a.doc", "a", r"ending .* \.jsonl"),
    ],
)
def test_a_faulty_file_is_refused_with_its_place(
    tmp_path: Path, name: str, content: str, reason: str
) -> None:
    """The sentence names the file, the record and what was expected."""
    path = tmp_path / name
    path.write_text(content)

    assert re.search(reason, refusal(path))
    assert refusal(path).startswith(str(path))


def test_paths_that_give_nothing_are_refused(tmp_path: Path) -> None:
    """A missing path, a folder without readable files, a file given twice."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "a.txt").write_text("One.")

    assert re.search("none.txt .* exist", refusal(tmp_path / "none.txt"))
    assert "empty holds no file" in refusal(tmp_path / "empty")
    assert "a.txt is given twice" in refusal(tmp_path / "a.txt", tmp_path)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("He left. She stayed.", ["He left.", "She stayed."]),
        ("Dr. Lee met J. Fox at 3 p.m. on Monday.", ["Dr. Lee met J. Fox at 3 p.m. on Monday."]),
        ("It was I. He agreed.", ["It was I.", "He agreed."]),
        ('"Go!" he said. "Now."', ['"Go!" he said.', "Now."]),
        ('"Yes." "No." "Perhaps', ["Yes.", "No.", "Perhaps"]),
        ("# Chapter 1\n\nHe woke\nlate.\n- a bean", ["Chapter 1", "He woke late.", "a bean"]),
        ("He _ran_... Then **fell**!", ["He ran...", "Then fell!"]),
        ("Was it over? (It was.)", ["Was it over?", "(It was.)"]),
        (" \n\n ", []),
    ],
)
def test_sentences_end_where_the_rules_say(text: str, sentences: list[str]) -> None:
    """Stops, abbreviations, quotes, lines of subtitles, paragraphs and markup."""
    assert list(split_sentences(text)) == sentences


@given(st.text(alphabet="ab .!?\n\"'AB", max_size=400), st.integers(1, 60))
def test_blocks_add_up_to_the_text(text: str, size: int) -> None:
    """However a text is cut, nothing is lost and no part is too long."""
    parts = list(split_blocks(text, size))

    assert "".join(parts) == text
    assert all(0 < len(part) <= size for part in parts)
