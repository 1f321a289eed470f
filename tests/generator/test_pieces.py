"""Masked configs keep the subjects that are a single token at the mask for the tokenizer."""

import json
import re
import sys
from pathlib import Path

import pytest
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from evenhand.contract import DataRefused, WrongUse
from evenhand.generator.benchmark import Settings
from evenhand.generator.pieces import PieceCounter
from evenhand.generator.unqover.generate import plan, prepare


@pytest.fixture
def word_piece(tmp_path: Path) -> Path:
    """Return a lower-casing WordPiece: `tabloid` is one piece, `evening` two, `left` unknown."""
    names = ["[UNK]", "[MASK]", "saw", "there", "tabloid", "even", "##ing", "mary", "bob", "the"]
    unknown = names[0]
    vocabulary = {name: i for i, name in enumerate(names)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token=unknown))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    path = tmp_path / "wordpiece.json"
    tokenizer.save(str(path))
    return path


@pytest.fixture
def byte_level(tmp_path: Path) -> Path:
    """Return a byte-level BPE that has ` Bob` with its space and `Mary` without."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = [("B", "o"), ("Ġ", "Bo"), ("ĠBo", "b"), ("M", "a"), ("r", "y"), ("Ma", "ry")]
    names = [*letters, *("".join(pair) for pair in merges)]
    tokenizer = Tokenizer(models.BPE({name: i for i, name in enumerate(names)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    path = tmp_path / "bytelevel.json"
    tokenizer.save(str(path))
    return path


@pytest.fixture
def unigram(tmp_path: Path) -> Path:
    """Return a Unigram model, whose unknown piece has an id and no name."""
    vocabulary = [("<unk>", 0.0), ("▁saw", -1.0), ("▁there", -1.0), ("▁Mary", -1.0), ("▁", -2.0)]
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=0))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    path = tmp_path / "unigram.json"
    tokenizer.save(str(path))
    return path


@pytest.mark.parametrize(("word", "n"), [("Tabloid", 1), ("Evening", 2), ("Left", 0), ("Mary", 1)])
def test_word_pieces_are_counted(word_piece: Path, word: str, n: int) -> None:
    """Case is the tokenizer's affair; an unknown word has no pieces."""
    assert PieceCounter(word_piece).n_pieces(word) == n


@pytest.mark.parametrize(("word", "n"), [("Bob", 1), ("Mary", 2)])
def test_byte_level_pieces_are_counted_with_their_space(
    byte_level: Path, word: str, n: int
) -> None:
    """At the mask a word follows a space: ` Bob` is one piece, ` Mary` is a space and `Mary`."""
    assert PieceCounter(byte_level).n_pieces(word) == n


@pytest.mark.parametrize(("word", "n"), [("Mary", 1), ("Zoe", 0)])
def test_unigram_pieces_are_counted(unigram: Path, word: str, n: int) -> None:
    """The unknown piece is found by its id."""
    assert PieceCounter(unigram).n_pieces(word) == n


def test_subjects_of_several_pieces_are_left_out_and_named(content, word_piece: Path) -> None:
    """They are listed for the user, in the manifest's provenance and on the card."""
    subjects = "key\tword\tsource\na\tTabloid\tours\nb\tEvening\tours\nc\tMary\tours\n"
    folder = content(subjects_readers=subjects)

    prepared = prepare(
        Settings(
            configs=("readers", "readers_mlm"),
            options={"templates": folder, "tokenizer": word_piece},
        )
    )

    assert prepared.provenance["subjects_left_out"] == {"readers_mlm": ["Evening"]}
    assert prepared.provenance["tokenizer"]["sha256"]
    (note,) = prepared.notes
    assert re.fullmatch("readers_mlm: .* single token: Evening", note)
    assert any(line.endswith("`readers_mlm`: Evening.") for line in prepared.construction)
    configs = list(prepared.configs())
    assert [config.statistics["subjects"]["total"] for config in configs] == [3, 2]


def test_without_a_tokenizer_subjects_of_one_word_are_used(content) -> None:
    """A space or a hyphen makes several words; the user is told the rule."""
    prepared = prepare(Settings(configs=("readers_mlm",), options={"templates": content()}))

    assert prepared.provenance["subjects_left_out"] == {"readers_mlm": ["Left-Wing"]}
    assert re.match("no --tokenizer: .* one word", prepared.notes[0])


def test_too_few_subjects_are_refused(content, word_piece: Path) -> None:
    """One subject makes no pair."""
    with pytest.raises(DataRefused, match=r"readers only 1 .* single token"):
        plan(
            Settings(
                configs=("readers_mlm",), options={"templates": content(), "tokenizer": word_piece}
            )
        )


def test_a_file_that_is_no_tokenizer_is_refused(tmp_path: Path) -> None:
    """The sentence names the file."""
    path = tmp_path / "tokenizer.json"
    with pytest.raises(DataRefused, match=r"tokenizer\.json does not exist; --tokenizer "):
        PieceCounter(path)
    path.write_text(json.dumps({"model": {}}))
    with pytest.raises(DataRefused, match=r"not a tokenizer\.json"):
        PieceCounter(path)


def test_a_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything but --tokenizer works without `tokenizers`."""
    monkeypatch.setitem(sys.modules, "tokenizers", None)

    with pytest.raises(WrongUse, match=r"evenhand-generator\[mlm\]"):
        PieceCounter(tmp_path / "tokenizer.json")
