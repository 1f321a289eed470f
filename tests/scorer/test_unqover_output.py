"""The reader of the original's output.json: its traps and what it refuses."""

import gzip
import json
import re
from pathlib import Path

import numpy as np
import pytest
import zstandard

from evenhand.contract import DataRefused
from evenhand.scorer.unqover import output_json, published_entries
from evenhand.scorer.unqover.examples import Examples, group_examples


def examples_in(path: Path) -> Examples:
    """Read a file and group it into examples."""
    return group_examples(*published_entries.entry_questions(output_json.read(path), path))


@pytest.mark.parametrize("style", [{}, {"indent": 1}, {"indent": 4}, {"separators": (",", ":")}])
def test_compact_and_indented_files_read_the_same(original_entries, write_json, style) -> None:
    """White space between the parts of the file changes nothing."""
    plain = output_json.read(write_json(original_entries(), "plain.json"))
    styled = output_json.read(write_json(original_entries(), "styled.json", **style))

    assert styled.keys.equals(plain.keys)
    assert (styled.scores == plain.scores).all()


@pytest.mark.parametrize("block", [700, 1000, 4096])
@pytest.mark.parametrize("indent", [None, 1])
def test_pieces_of_any_size_read_the_same(
    original_entries, write_json, monkeypatch, block, indent
) -> None:
    """Where the file is cut changes nothing, and the texts are found again."""
    entries = original_entries(templates=4)
    path = write_json(entries, indent=indent)
    whole = output_json.read(path)
    monkeypatch.setattr(output_json, "_BLOCK_BYTES", block)

    cut = output_json.read(path)

    assert len(cut.pieces) > 1
    assert cut.keys.equals(whole.keys)
    assert (cut.scores == whole.scores).all()
    texts = output_json.texts(path, cut, range(len(entries)))
    assert [texts[row].context for row in range(len(entries))] == [
        entry["context"] for entry in entries.values()
    ]


def test_a_text_that_looks_like_the_end_of_an_entry_is_no_end(
    original_entries, write_json, monkeypatch
) -> None:
    """A context that ends in three braces and a comma does not cut its entry in two."""
    entries = original_entries(templates=4)
    for entry in entries.values():
        entry["context"] = 'Braces: }}},"x}}},'
    path = write_json(entries)
    monkeypatch.setattr(output_json, "_BLOCK_BYTES", 300)

    assert len(output_json.read(path).keys) == len(entries)


def test_words_of_the_format_in_a_text_are_only_words(original_entries, write_json) -> None:
    """A text that is "start" or "q0" is no second field."""
    entries = original_entries()
    for entry in entries.values():
        entry["q0"]["ans0"]["text"], entry["q1"]["pred"] = "start", "q0"

    assert len(output_json.read(write_json(entries)).keys) == len(entries)


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_compressed_files_read_the_same(original_entries, tmp_path, write_json, suffix) -> None:
    """Gzip and Zstandard are read as they are, texts too."""
    content = json.dumps(original_entries()).encode()
    packed = gzip.compress(content) if suffix == ".gz" else zstandard.compress(content)
    path = tmp_path / f"output.json{suffix}"
    path.write_bytes(packed)

    entries = output_json.read(path)

    assert (entries.scores == output_json.read(write_json(original_entries())).scores).all()
    assert output_json.texts(path, entries, [0])[0].context == "Arab met Jewish."


def test_scores_belong_to_subjects_by_position_in_the_key(original_entries, write_json) -> None:
    """The answer's text may be a demonym, or anything else: it is never read (trap of country)."""
    named, renamed = original_entries(), original_entries()
    for entry in renamed.values():
        for question in (entry["q0"], entry["q1"]):
            question["ans0"]["text"], question["ans1"]["text"] = "Jewish", "Arabian"

    ours = examples_in(write_json(named, "named.json"))

    theirs = examples_in(write_json(renamed, "renamed.json"))
    assert (ours.scores_x1 == theirs.scores_x1).all()


def test_two_entries_and_four_questions_make_one_example(original_entries, write_json) -> None:
    """3 subjects, 2 templates, 1 attribute: 3 * 2 = 6 examples in 12 entries."""
    entries = original_entries()
    examples = examples_in(write_json(entries))

    assert len(entries) == 12
    assert (len(examples.x1), examples.n_unscored) == (6, 0)


def test_a_missing_twin_is_left_out_and_counted(original_entries, write_json) -> None:
    """An example of which one order is missing crashes the original; here it is named."""
    entries = original_entries()
    del entries["None|None|Jewish|Arab|1|None|lied|lied"]

    examples = examples_in(write_json(entries))

    assert (len(examples.x1), examples.n_unscored) == (5, 1)
    assert examples.incomplete == ["t01 / arab / jewish / lied"]


def test_a_masked_lm_file_is_told_by_its_context(original_entries, write_json) -> None:
    """Context "NA" and start = end = p: S is p, and the config says so.

    No file of the original's masked LM is at hand; this one has the documented shape.
    """
    entries = output_json.read(write_json(original_entries(masked=True)))

    assert published_entries.config_name(entries) == "unqover_original_mlm"
    first = next(iter(original_entries(masked=True).values()))
    assert entries.scores[0, 0] == pytest.approx(first["q0"]["ans0"]["start"], abs=1e-15)


def test_attributes_that_share_templates_are_one_kind(original_entries, write_json) -> None:
    """Templates with other attributes form their own stratum, found from the keys."""
    entries = original_entries(templates=1)
    other = original_entries(templates=3, attribute="is poor")
    entries |= {key: entry for key, entry in other.items() if "|0|" not in key}

    examples = examples_in(write_json(entries))

    assert examples.templates == ["t00", "t01", "t02"]
    assert examples.strata.tolist() in ([0, 1, 1], [1, 0, 0])


def refusal(path: Path) -> str:
    """Return the sentence with which a file is refused."""
    with pytest.raises(DataRefused) as refused:
        examples_in(path)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_a_subject_without_group_beside_others_is_refused_by_name(
    original_entries, write_json
) -> None:
    """An unknown name passes silently as male in the original; here it is named (trap 8)."""
    entries = original_entries({"Anne": "female", "Bob": "male", "Zork": "None"})

    assert "'zork' has no group" in refusal(write_json(entries))


def test_a_subject_that_changes_its_group_is_refused_by_name(original_entries, write_json) -> None:
    """One name is female here and male there."""
    entries = original_entries({"Anne": "female", "Bob": "male"})
    entries = {
        key.replace("male|female|Bob|Anne|1", "male|male|Bob|Anne|1"): value
        for key, value in entries.items()
    }

    assert "'anne' is female in one entry and male in another" in refusal(write_json(entries))


def test_a_key_that_occurs_twice_is_refused(original_entries, write_json) -> None:
    """JSON readers take the last of two equal keys in silence; this one does not."""
    text = json.dumps(original_entries())
    first_entry = text[1 : text.index("}}},") + 3]
    path = write_json({})
    path.write_text(f"{{{first_entry}, {text[1:]}")

    assert re.search(r"'None\|None\|Arab\|Jewish\|0\|None\|lied\|lied' .*\btwice\b", refusal(path))


@pytest.mark.parametrize("kept", ["{", "one entry and its comma"])
def test_a_file_that_ends_where_an_entry_may_begin_is_refused(
    original_entries, write_json, kept
) -> None:
    """What is cut off behind a brace or a comma is not waited for."""
    text = json.dumps(original_entries())
    path = write_json({})
    path.write_text(kept if kept == "{" else text[: text.index("}}},") + 4] + "\n")

    assert re.search(r"JSON.* 0 entries", refusal(path))


def test_a_key_that_occurs_twice_far_apart_is_refused(
    original_entries, write_json, monkeypatch
) -> None:
    """Two equal keys in different pieces of the file are found as well."""
    text = json.dumps(original_entries(templates=6))
    path = write_json({})
    first_entry = text[1 : text.index("}}},") + 3]
    path.write_text(f"{text[:-1]}, {first_entry}}}")
    monkeypatch.setattr(output_json, "_BLOCK_BYTES", 1000)

    assert re.search("t00 / arab / jewish / lied / 12 .*twice", refusal(path))


def test_names_that_differ_in_case_alone_are_one(original_entries, write_json) -> None:
    """The original compares in lower case, so ARAB and Arab are the same entry twice."""
    entries = original_entries()
    entries |= {key.replace("Arab|Jewish", "ARAB|Jewish"): value for key, value in entries.items()}

    assert "arab / jewish" in refusal(write_json(entries))


@pytest.mark.parametrize(
    ("value", "facts"),
    [
        ("", r"q1\.ans1\.end .*empty"),
        ("0.5", r"q1\.ans1\.end is '0\.5';.*\b0 to 1\b"),
        (True, r"q1\.ans1\.end is True;.*\b0 to 1\b"),
        (None, r"q1\.ans1\.end is None;.*\b0 to 1\b"),
        (1.5, r"q1\.ans1\.end is 1\.5;.*\b0 to 1\b"),
        (-0.1, r"q1\.ans1\.end is -0\.1;.*\b0 to 1\b"),
        (float("nan"), r"q1\.ans1\.end is nan;.*\b0 to 1\b"),
        (float("inf"), r"q1\.ans1\.end is inf;.*\b0 to 1\b"),
    ],
)
def test_a_score_that_is_none_is_refused_with_entry_and_field(
    original_entries, write_json, value, facts
) -> None:
    """The sentence names the entry, its key and the field."""
    entries = original_entries()
    entries["None|None|Sikh|Arab|0|None|lied|lied"]["q1"]["ans1"]["end"] = value

    sentence = refusal(write_json(entries))

    assert re.search(facts, sentence)
    assert "entry 4 ('None|None|Sikh|Arab|0|None|lied|lied')" in sentence


def test_a_field_that_is_missing_is_refused_by_name(original_entries, write_json) -> None:
    """An entry without its negated question lacks q1."""
    entries = original_entries()
    del entries["None|None|Sikh|Arab|0|None|lied|lied"]["q1"]

    assert "lacks q1.ans0.start" in refusal(write_json(entries))


@pytest.mark.parametrize(
    ("content", "facts"),
    [
        (b"", "is empty"),
        (b"[1, 2]", "begin with an object"),
        (b"{}", "no entries"),
        (b'{"a": {"q0": ', "JSON.* 0 entries"),
        (b'{"a|b": 1}', r"lacks q0\.ans0\.start"),
        (b'{"\xff": 1}', "UTF-8"),
    ],
)
def test_what_is_no_file_of_the_original_is_refused(tmp_path: Path, content, facts) -> None:
    """Empty, another shape, cut off, not UTF-8: one sentence each."""
    path = tmp_path / "output.json"
    path.write_bytes(content)

    assert re.search(facts, refusal(path))


def test_a_file_that_is_cut_off_is_refused(original_entries, write_json, monkeypatch) -> None:
    """A copy that broke off says after how many entries."""
    path = write_json(original_entries(templates=6))
    content = path.read_bytes()
    path.write_bytes(content[: len(content) - 300])
    monkeypatch.setattr(output_json, "_BLOCK_BYTES", 2000)

    assert re.search(r"cut off.* 35 entries", refusal(path))


def test_a_gzip_file_that_is_cut_off_is_refused(original_entries, tmp_path: Path) -> None:
    """The end of the compressed stream is missing."""
    path = tmp_path / "output.json.gz"
    path.write_bytes(gzip.compress(json.dumps(original_entries()).encode())[:-20])

    assert "is cut off" in refusal(path)


def test_rubbish_in_the_middle_stops_at_once(original_entries, write_json, monkeypatch) -> None:
    """A damaged entry does not make the reader swallow the rest of the file."""
    entries = original_entries(templates=6)
    text = json.dumps(entries).replace('"start"', '"start', 1)
    path = write_json({})
    path.write_text(text)
    monkeypatch.setattr(output_json, "_BLOCK_BYTES", 2000)
    monkeypatch.setattr(output_json, "_LARGEST_PIECE_BYTES", 3000)

    assert re.search(r"JSON.* 0 entries", refusal(path))


@pytest.mark.parametrize(
    ("key", "facts"),
    [
        ("a|b|c", r"'a\|b\|c' .*\bkey\b"),
        ("None|None|Arab|Sikh|x|None|lied|lied", r"template .*\|x\|.*\bnumber\b"),
        ("None|None|Arab|arab|0|None|lied|lied", "'arab' .*with itself"),
    ],
)
def test_a_key_of_another_shape_is_refused(original_entries, write_json, key, facts) -> None:
    """A key has eight parts, its template is a number, and its subjects are two."""
    entries = original_entries()
    entries[key] = next(iter(entries.values()))

    assert re.search(facts, refusal(write_json(entries)))


def test_a_byte_order_mark_is_passed_over(original_entries, write_json) -> None:
    """A file saved by a text editor reads as any other, texts too."""
    path = write_json(original_entries())
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes() + b"\r\n")
    entries = output_json.read(path)

    assert output_json.texts(path, entries, [11])[11].context == "Sikh met Jewish."
    assert np.isfinite(entries.scores).all()


def test_json_that_never_ends_an_entry_is_refused(tmp_path: Path, monkeypatch) -> None:
    """A huge object of another shape is not read into memory to the end."""
    path = tmp_path / "output.json"
    path.write_text(json.dumps({"rows": list(range(3000))}))
    monkeypatch.setattr(output_json, "_BLOCK_BYTES", 1000)
    monkeypatch.setattr(output_json, "_LARGEST_PIECE_BYTES", 2000)

    assert re.search(r"JSON.* 0 entries", refusal(path))


def test_half_a_character_in_a_key_is_refused(original_entries, write_json) -> None:
    """A lone surrogate is no text."""
    entries = {key.replace("Arab", "\ud800"): v for key, v in original_entries().items()}

    assert re.search(r"JSON.* 0 entries", refusal(write_json(entries)))
