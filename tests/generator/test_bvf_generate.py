"""BVF's datasets: contexts filled with subjects, in both orders, from ours, mined or imported."""

import json
import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest

from evenhand.contract import DataRefused, WrongUse
from evenhand.contract.bvf import ITEM_COLUMNS, TOPICS, Item, topics_of
from evenhand.contract.dataset import read_manifest, verify
from evenhand.generator.benchmark import ImportSettings, Settings
from evenhand.generator.bvf import generate, official
from evenhand.generator.bvf.grid import in_order
from evenhand.generator.bvf.subjects import read_subjects

Runner = Callable[..., tuple[int, str, str]]
ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def rows_of(settings: Settings, topic: str = "gender") -> pl.DataFrame:
    """Return the rows of a topic."""
    prepared = generate.prepare(settings)
    config = next(config for config in prepared.configs() if config.name == topic)
    tables = [pl.DataFrame(pl.from_arrow(table)) for table in config.batches()]
    return pl.concat(tables)


def write_contexts(path: Path, *contexts: tuple[str, int]) -> Path:
    """Write contexts with their counts as JSON lines."""
    lines = [json.dumps({"context": text, "count": count}) for text, count in contexts]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def subjects(tmp_path: Path) -> Path:
    """A list of three subjects, one of which weighs twice as much."""
    path = tmp_path / "subjects.tsv"
    path.write_text("word\tweight\nnurse\t1\nengineer\t2\nchief cook\t1\n", encoding="utf-8")
    return path


@pytest.fixture
def contexts(tmp_path: Path) -> Path:
    """Three contexts, one with an article that has to agree."""
    return write_contexts(
        tmp_path / "contexts.jsonl",
        ("The [X] said that [Y]", 6),
        ("A [X] wrote that [Y]", 3),
        ("Once the [X] was late, [Y]", 1),
    )


def test_every_row_is_an_item_of_the_contract() -> None:
    """All columns, valid ids of at most 64 characters that begin with the topic, no id twice."""
    for topic in TOPICS:
        rows = rows_of(Settings(configs=(topic,)), topic)

        assert tuple(rows.columns) == ITEM_COLUMNS
        assert rows["id"].is_unique().all()
        for row in rows.iter_rows(named=True):
            item = msgspec.convert(row, Item)
            assert ID.fullmatch(item.id)
            assert item.id.startswith(f"{topic}-c")
            assert item.text.count("[Y]") == 1
            assert "[X]" not in item.text
            assert item.x in item.text


def test_contexts_are_filled_as_worked_by_hand(contexts: Path, subjects: Path) -> None:
    """Three contexts times three subjects: ids, texts with a or an, shares of counts."""
    rows = rows_of(
        Settings(options={"contexts": contexts, "topic": "gender", "subjects": subjects})
    )

    assert rows["id"].to_list()[:4] == [
        "gender-c00000-nurse",
        "gender-c00001-nurse",
        "gender-c00002-nurse",
        "gender-c00000-engineer",
    ]
    assert rows["text"].to_list() == [
        "The nurse said that [Y]",
        "A nurse wrote that [Y]",
        "Once the nurse was late, [Y]",
        "The engineer said that [Y]",
        "An engineer wrote that [Y]",
        "Once the engineer was late, [Y]",
        "The chief cook said that [Y]",
        "A chief cook wrote that [Y]",
        "Once the chief cook was late, [Y]",
    ]
    assert rows["weight"].to_list() == pytest.approx([0.6, 0.3, 0.1] * 3)
    assert rows["weight_x"].to_list()[::3] == [0.25, 0.5, 0.25]


@pytest.mark.parametrize("topic", ["race", "disability"])
def test_adjectives_stand_last_or_before_the_subject(topic: str) -> None:
    """Both orders of every context, each with weights that add up to 1 for a subject."""
    rows = rows_of(Settings(configs=(topic,)), topic)

    first, second = rows.filter(pl.col("x") == "nurse").head(2).iter_rows(named=True)
    assert re.fullmatch(r"The nurse, who .+, is \[Y\]", first["text"])
    assert re.fullmatch(r"The \[Y\] nurse .+\.", second["text"])
    assert second["id"] == f"{first['id']}-in"
    assert first["context"] == second["context"]
    sums = rows.group_by("x", "order").agg(pl.col("weight").sum())
    assert sums["weight"].to_list() == pytest.approx([1.0] * len(sums))


def test_an_order_that_a_context_does_not_have_is_left_out(tmp_path: Path, subjects: Path) -> None:
    """Weights of the order that is left are shared by the contexts that have it."""
    path = write_contexts(
        tmp_path / "c.jsonl", ("The [X], who slept, is [Y]", 1), ("The [X] looked [Y]", 3)
    )
    options = Settings(options={"contexts": path, "topic": "race", "subjects": subjects})

    rows = rows_of(options, "race")

    inside = rows.filter(pl.col("order") == "inside")
    assert inside["text"].to_list()[0] == "The [Y] nurse slept."
    assert inside["weight"].to_list() == [1.0] * 3
    assert rows.filter(pl.col("order") == "last")["weight"].to_list() == [0.25, 0.75] * 3
    assert in_order("The [X] said that [Y]", "inside") is None


def test_one_order_alone() -> None:
    """--order last leaves out the other; --order inside where no context has it is refused."""
    rows = rows_of(Settings(configs=("race",), options={"order": ("last",)}), "race")

    assert set(rows["order"]) == {"last"}
    with pytest.raises(DataRefused, match="leave out --order inside"):
        rows_of(Settings(configs=("gender",), options={"order": ("inside",)}))


def test_the_words_stand_in_the_manifest_and_the_scorer_reads_them(
    evenhand: Runner, tmp_path: Path
) -> None:
    """A generated folder verifies, and provenance.topics holds classes and words of each topic."""
    out = tmp_path / "bvf"

    code, printed, _ = evenhand("generate", "bvf", "--config", "gender", "--out", out)

    manifest, faults = verify(out)
    assert (code, faults) == (0, [])
    assert printed == f"manifest_digest {manifest.manifest_digest}\n"
    topics = topics_of(manifest.provenance, "x")
    assert set(topics["gender"].classes) == {"male", "female"}
    assert "canary" not in topics["gender"].classes["male"]
    card = (out / "README.md").read_text(encoding="utf-8")
    assert "**Content warning.**" in card
    assert "canary" in card


def test_the_protocol_of_the_code_counts_one_word_twice() -> None:
    """`canary` stands in both classes of the paper's list."""
    topics = generate.prepare(
        Settings(configs=("gender",), options={"protocol": "code"})
    ).provenance["topics"]

    assert all("canary" in words for words in topics["gender"]["classes"].values())


def test_the_same_options_give_the_same_bytes(evenhand: Runner, tmp_path: Path) -> None:
    """Two runs agree in the manifest's digest."""
    digests = [
        evenhand("generate", "bvf", "--limit", "5", "--seed", "3", "--out", tmp_path / name)[1]
        for name in "ab"
    ]

    assert digests[0] == digests[1]


def test_a_sample_is_of_whole_contexts_whose_weights_add_up_to_one() -> None:
    """--limit draws contexts by seed, each with all subjects and orders."""
    one, other = (
        rows_of(Settings(configs=("race",), limit=7, seed=seed), "race") for seed in (0, 1)
    )

    assert len(one) == 7 * 2 * 120
    assert one.group_by("x", "order").agg(pl.col("weight").sum())["weight"].to_list() == (
        pytest.approx([1.0] * 240)
    )
    assert set(one["context"]) != set(other["context"])


def test_mined_contexts_say_their_topic(contexts: Path, subjects: Path, tmp_path: Path) -> None:
    """Without a header --topic is needed; a table of the original is read like one."""
    with pytest.raises(WrongUse, match=f"{contexts.name} .* topic; .* --topic"):
        generate.prepare(Settings(options={"contexts": contexts, "subjects": subjects}))

    table = tmp_path / "book_TemplateForGender.csv"
    table.write_text("template,frequency\nThe [X] said that [Y],9\n", encoding="utf-8")
    rows = rows_of(Settings(configs=("gender",), options={"contexts": table, "subjects": subjects}))
    assert rows["text"].to_list()[0] == "The nurse said that [Y]"


def test_a_topic_of_ones_own(contexts: Path, subjects: Path, tmp_path: Path) -> None:
    """Intersectional classes from a file: its name is the config, its words are read."""
    topic = tmp_path / "both.tsv"
    lines = ["black_woman\tblack woman", "white_woman\twhite woman", "black_man\tblack man"]
    topic.write_text("class\tword\n" + "\n".join(lines) + "\n", encoding="utf-8")
    options = Settings(options={"contexts": contexts, "topic": str(topic), "subjects": subjects})

    rows = rows_of(options, "both")

    assert rows["id"].to_list()[0] == "both-c00000-nurse"
    assert len(generate.prepare(options).provenance["topics"]["both"]["classes"]) == 3


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"configs": ("gendr",)}, " gendr. Did you mean gender?"),
        ({"options": {"topic": "nowhere.tsv"}}, "no file `nowhere.tsv`"),
        (
            {"options": {"topic": "race"}, "configs": ("gender",)},
            "--topic race and --config gender",
        ),
    ],
)
def test_wrong_use_is_one_sentence(settings: dict[str, Any], sentence: str) -> None:
    """What does not exist is named with what does."""
    with pytest.raises(WrongUse) as refused:
        generate.prepare(Settings(**settings))

    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("word\nnurse\nnurse\n", "the word `nurse` stands twice"),
        ("word\tweight\nnurse\t-1\n", "field `weight` is `-1`, not a number"),
        ("word\tweight\nnurse\tx\n", "field `weight` is `x`, not a number"),
        ("word\n[X]\n", "subjects.tsv: the word '[X]'"),
        ("title\nnurse\n", "the column `word` is missing"),
    ],
)
def test_faulty_lists_of_subjects_are_refused(tmp_path: Path, text: str, sentence: str) -> None:
    """The sentence names file, line and field."""
    path = tmp_path / "subjects.tsv"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(DataRefused) as refused:
        read_subjects(path)

    assert sentence in str(refused.value)
    assert "subjects.tsv" in str(refused.value)


def test_a_plain_list_of_words(tmp_path: Path) -> None:
    """One word a line, as the original's list of occupations is written."""
    path = tmp_path / "occ.txt"
    path.write_text("nurse\nvice president\n", encoding="utf-8")

    subject_list = read_subjects(path)

    assert subject_list.keys == ["nurse", "vice_president"]
    assert subject_list.weights == [0.5, 0.5]


def test_the_occupations_are_the_papers() -> None:
    """120, of the same weight."""
    subject_list = read_subjects()

    assert len(subject_list.words) == 120
    assert subject_list.words[0] == "accountant"
    assert set(subject_list.weights) == {1 / 120}


def test_options_of_bvf_are_refused_elsewhere(evenhand: Runner, tmp_path: Path) -> None:
    """Nothing is passed over in silence."""
    code, _, error = evenhand("generate", "bbq", "--topic", "race", "--out", tmp_path / "x")

    assert code == 2
    assert re.search("--topic .* bvf.* bbq", error)


def test_show_prints_texts(evenhand: Runner) -> None:
    """A table of order, context and text."""
    code, out, _ = evenhand("show", "bvf", "--config", "race", "--rows", "3")

    assert code == 0
    assert out.splitlines()[0].split() == ["order", "context", "text"]


def test_the_originals_tables_are_imported(evenhand: Runner, tmp_path: Path) -> None:
    """Contexts stay in their order, frequencies become shares, the licence is not ours."""
    source = tmp_path / "mined"
    source.mkdir()
    lines = ["template,frequency", "The [X] said that [Y],3", "The [X] came to us that [Y],1"]
    (source / "book_TemplateForGender.csv").write_text("\n".join(lines), encoding="utf-8")
    (source / "readme.txt").write_text("x", encoding="utf-8")
    out = tmp_path / "out"

    code, _, _ = evenhand("import", "bvf", "--from", source, "--out", out)

    rows = pl.read_parquet(out / "gender" / "*.parquet")
    manifest = read_manifest(out)
    assert code == 0
    assert len(rows) == 240
    assert rows["weight"].to_list()[:2] == [0.75, 0.25]
    assert manifest.licence.id == "unknown"
    assert manifest.provenance["contexts"] == "original"


def test_several_corpora_are_not_mixed(tmp_path: Path) -> None:
    """Tables of two corpora for one topic: the sentence says how to choose."""
    for name in ("book", "web"):
        path = tmp_path / f"{name}_TemplateForGender.csv"
        path.write_text("template,frequency\nThe [X] said that [Y],3\n", encoding="utf-8")

    with pytest.raises(WrongUse, match=r"book_.*, web_.*--slots NAME"):
        official.prepare_import(ImportSettings(source=tmp_path))
    options = {"slots": "web_TemplateForGender.csv"}
    prepared = official.prepare_import(ImportSettings(source=tmp_path, options=options))
    assert prepared.n_rows == 120


@pytest.mark.conformance
def test_the_published_contexts_are_imported_quickly(evenhand: Runner, tmp_path: Path) -> None:
    """342 contexts of the book corpus times 120 occupations in less than ten seconds."""
    root = os.environ.get("EVENHAND_CONFORMANCE")
    if root is None:
        pytest.skip("EVENHAND_CONFORMANCE is not set: no tables of the original")
    started = time.monotonic()

    code, _, _ = evenhand(
        "import", "bvf", "--from", Path(root) / "bvf" / "mined", "--config", "gender",
        "--slots", "book_TemplateForGender.csv", "--out", tmp_path / "book",
    )  # fmt: skip

    assert code == 0
    assert time.monotonic() - started < 10
    rows = pl.read_parquet(tmp_path / "book" / "gender" / "*.parquet")
    assert len(rows) == 342 * 120
    assert rows["text"][0] == "The accountant said that [Y]"


@pytest.mark.conformance
def test_our_occupations_are_those_of_the_release() -> None:
    """The list is a fact of the paper's appendix D.1."""
    root = os.environ.get("EVENHAND_CONFORMANCE")
    if root is None:
        pytest.skip("EVENHAND_CONFORMANCE is not set: no list of the original")

    released = read_subjects(Path(root) / "bvf" / "occ.txt")

    assert released.words == read_subjects().words


@pytest.mark.parametrize("option", ["--subjects", "--contexts"])
def test_a_folder_is_no_file_that_does_not_exist(
    evenhand: Runner, tmp_path: Path, option: str
) -> None:
    """It is called a folder, and nothing is made."""
    code, _, said = evenhand("generate", "bvf", "--out", tmp_path / "out", option, tmp_path)

    assert code == 1
    assert re.fullmatch(f"evenhand: {tmp_path} is a folder; .*\\.\n", said)
    assert not (tmp_path / "out").exists()
