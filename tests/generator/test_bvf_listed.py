"""Rules of a language as lists (L1 to L6), and datasets whose texts are not English."""

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from evenhand.contract import DataRefused, WrongUse
from evenhand.generator.benchmark import Settings
from evenhand.generator.bvf import generate
from evenhand.generator.bvf.languages import rules_for
from evenhand.generator.bvf.listed import ListedRules
from evenhand.generator.bvf.subjects import read_subjects
from evenhand.generator.bvf.topics import read_topic
from evenhand.generator.corpora.sentences import split_sentences
from evenhand.generator.parse import Parse, Parser

Write = Callable[..., Path]

LISTS = {
    "language.tsv": "key\tvalue\nlanguage\tqx\nversion\t3\nsubject\tsb\nclause\toc\nnegation\tnon\n"
    "abbreviations\td. dr. usw.\n",
    "reference.tsv": "verb\tcontext\ndit\t[X] dit ke [Y]\nsavoit\t[X] savoit ke [Y]\n",
    "adjective.tsv": "verb\tcontext\ndort\t[X], ki dormoit, est [Y]\n",
    "people.tsv": "word\tclass\nLun\tm\nGens\t\nAmi\tother\n",
    "occupations.tsv": "word\ttext\nBaker\tder Baker\nNurse\tder Nurse\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Write:
    """Return a function that writes the folder of lists, some replaced (None: not there)."""

    def write(**replaced: str | None) -> Path:
        rules_folder = tmp_path / "qx"
        rules_folder.mkdir()
        for name, text in {
            **LISTS,
            **{f"{key}.tsv": text for key, text in replaced.items()},
        }.items():
            if text is not None:
                (rules_folder / name).write_text(text, encoding="utf-8")
        return rules_folder

    return write


@pytest.fixture
def topic(tmp_path: Path) -> Path:
    """A list of two classes."""
    path = tmp_path / "sexe.tsv"
    path.write_text("class\tword\nm\tlui\nm\tLord\nf\telle\n", encoding="utf-8")
    return path


def parse_of(text: str, *, clusters: tuple[frozenset[int], ...] | None = None) -> Parse:
    """Return a parse from `word/dep/head` parts."""
    parts = [part.split("/") for part in text.split()]
    return Parse(
        tuple(word for word, _, _ in parts),
        ("T",) * len(parts),
        tuple(dep for _, dep, _ in parts),
        tuple(int(head) for _, _, head in parts),
        clusters,
    )


@pytest.mark.parametrize(
    ("sentence", "is_match"),
    [
        # subject: an occupation, a person of no class or of the word's class, a word of Y
        ("Baker/sb/1 dit/ROOT/1 ke/cp/4 elle/sb/4 dort/oc/1", True),
        ("Gens/sb/1 dit/ROOT/1 ke/cp/4 elle/sb/4 dort/oc/1", True),
        ("Ami/sb/1 dit/ROOT/1 ke/cp/4 elle/sb/4 dort/oc/1", True),
        ("Lun/sb/1 dit/ROOT/1 ke/cp/4 lui/sb/4 dort/oc/1", True),
        ("Elle/sb/1 dit/ROOT/1 elle/sb/3 dort/oc/1", True),
        ("Hier/mo/1 dit/ROOT/1 Baker/sb/1 ke/cp/5 elle/sb/5 dort/oc/1", True),
        # another class; a thing; a negation; another dependency; no word of Y; the word before
        ("Lun/sb/1 dit/ROOT/1 ke/cp/4 elle/sb/4 dort/oc/1", False),
        ("Lord/sb/1 dit/ROOT/1 ke/cp/4 elle/sb/4 dort/oc/1", False),
        ("Bus/sb/1 dit/ROOT/1 ke/cp/4 elle/sb/4 dort/oc/1", False),
        ("Baker/sb/1 dit/ROOT/1 non/ng/1 ke/cp/5 elle/sb/5 dort/oc/1", False),
        ("Baker/sb/1 dit/ROOT/1 car/cp/4 elle/sb/4 dort/mo/1", False),
        ("Baker/sb/1 dit/ROOT/1 ke/cp/4 Baker/sb/4 dort/oc/1", False),
        ("ke/cp/2 elle/sb/2 dort/oc/4 Baker/sb/4 dit/ROOT/4", False),
        # a mark in between; no subject; a verb of no list
        ("Baker/sb/1 dit/ROOT/1 :/p/1 elle/sb/4 dort/oc/1", False),
        ("dit/ROOT/0 ke/cp/3 elle/sb/3 dort/oc/0", False),
        ("Baker/sb/1 crut/ROOT/1 ke/cp/4 elle/sb/4 dort/oc/1", False),
    ],
)
def test_reported_clauses_whose_subject_may_mean_the_speaker(
    folder: Write, topic: Path, sentence: str, is_match: bool
) -> None:
    """L1 to L5, one sentence each."""
    rules = ListedRules(folder(), read_topic(str(topic), form="reference"))

    assert list(rules.contexts(parse_of(sentence))) == ["[X] dit ke [Y]"] * is_match


@pytest.mark.parametrize(("cluster", "is_match"), [({0, 3}, True), ({0, 4}, False)])
def test_a_component_decides_what_refers(
    folder: Write, topic: Path, cluster: set[int], is_match: bool
) -> None:
    """With clusters even a thing may be the subject, and nothing outside of one."""
    rules = ListedRules(folder(), read_topic(str(topic), form="reference"))
    sentence = "Bus/sb/1 dit/ROOT/1 ke/cp/4 elle/sb/4 dort/oc/1"
    parse = parse_of(sentence, clusters=(frozenset(cluster),))

    assert list(rules.contexts(parse)) == ["[X] dit ke [Y]"] * is_match


def test_predicates_of_occupations(folder: Write, topic: Path) -> None:
    """L6: in the adjective form the subject is an occupation, and no other person."""
    rules = ListedRules(folder(), read_topic(str(topic)))

    contexts = [list(rules.contexts(parse_of(f"{word}/sb/1 dort/ROOT/1"))) for word in
             ("Nurse", "Gens")]  # fmt: skip

    assert contexts == [["[X], ki dormoit, est [Y]"], []]
    assert rules.is_candidate("Le nurse dort.")
    assert not rules.is_candidate("Lun dort.")


def test_sentences_are_chosen_by_their_words(folder: Write, topic: Path) -> None:
    """A sentence needs a listed verb and a word of Y before it is worth parsing."""
    rules = ListedRules(folder(), read_topic(str(topic), form="reference"))

    assert [rules.is_candidate(text) for text in
            ("Baker DIT ke elle dort.", "Baker dit ke Nurse dort.", "Elle dort.")] == [
        True, False, False]  # fmt: skip


def test_abbreviations_of_the_language_end_no_sentence(folder: Write, topic: Path) -> None:
    """Those of the list count, single letters too, and the English ones do not."""
    rules = ListedRules(folder(), read_topic(str(topic), form="reference"))

    assert list(split_sentences("Usw. Lun et d. Baker. Mr. Fox dit.", rules.abbreviations)) == [
        "Usw. Lun et d. Baker.",
        "Mr.",
        "Fox dit.",
    ]


def test_version_and_lists_are_those_of_the_folder(folder: Write, topic: Path) -> None:
    """What was read stands in the version and in the digest's files, the topic's list included."""
    rules_folder = folder(people=None)
    rules = rules_for("qx", read_topic(str(topic), form="reference"), None, has_coreference=False,
                      folder=rules_folder)  # fmt: skip

    assert rules.version == "qx-3+listed-1"
    assert {path.name for path in rules.lists} == {
        "language.tsv",
        "reference.tsv",
        "occupations.tsv",
        "sexe.tsv",
    }


@pytest.mark.parametrize(
    ("replaced", "reason"),
    [
        ({"language": None}, "language.tsv does not exist"),
        ({"language": "key\tvalue\nlanguage\tqx\n"}, "language.tsv .* `version`"),
        ({"language": LISTS["language.tsv"] + "tense\tpast\n"}, ":8: .*`key` is `tense`; "),
        ({"language": LISTS["language.tsv"].replace("qx", "Q")}, "`Q.*; a code like de"),
        ({"reference": None}, "reference.tsv does not exist"),
        ({"reference": "verb\tcontext\ndit\tdit [Y]\n"}, "reference.tsv:2: field `context`"),
        ({"reference": LISTS["reference.tsv"] + "Dit\t[X] [Y]\n"}, "field `verb` is `dit`"),
        ({"occupations": None}, "occupations.tsv does not exist"),
    ],
)  # fmt: skip
def test_faulty_lists_are_refused(
    folder: Write, topic: Path, replaced: dict[str, str | None], reason: str
) -> None:
    """The sentence names file, line and field."""
    with pytest.raises(DataRefused, match=reason):
        ListedRules(folder(**replaced), read_topic(str(topic), form="reference"))


def test_rules_of_one_language_and_words_of_another_are_refused(folder: Write, topic: Path) -> None:
    """The model's language must be that of the lists, and our English words are not for them."""
    rules_folder = folder()
    with pytest.raises(WrongUse, match=r"`qx`, .* spaCy model .*`de`"):
        rules_for("de", read_topic(str(topic)), None, has_coreference=False, folder=rules_folder)
    with pytest.raises(WrongUse, match="topic gender are English"):
        ListedRules(rules_folder, read_topic("gender"))


def test_a_model_without_fine_grained_tags_gives_universal_ones(tmp_path: Path) -> None:
    """A morphologizer stands in for a tagger; untrained, it knows the one tag it was shown."""
    import spacy
    from spacy.training import Example

    nlp = spacy.blank("es")
    for name in ("morphologizer", "parser"):
        nlp.add_pipe(name)
    facts = {"pos": ["NOUN", "NOUN"], "morphs": ["", ""], "heads": [1, 1], "deps": ["x", "ROOT"]}
    example = Example.from_dict(nlp.make_doc("hola mundo"), facts)
    nlp.initialize(lambda: [example])
    nlp.to_disk(tmp_path / "es")

    (parses,) = Parser(str(tmp_path / "es")).parse(["hola mundo"])

    assert {tag for parse in parses for tag in parse.tags} == {"NOUN"}


@pytest.fixture
def contexts(tmp_path: Path) -> Path:
    """Two contexts, one with a word that is an article in English alone."""
    path = tmp_path / "contexts.jsonl"
    lines = (
        {"context": "[X] dit ke [Y]", "count": 3},
        {"context": "Lun dit a [X] ke [Y]", "count": 1},
    )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_subjects_stand_with_their_own_words(contexts: Path, topic: Path, tmp_path: Path) -> None:
    """`text` takes the subject's place, with a capital where a text begins; `a` stays as it is."""
    subjects = tmp_path / "subjects.tsv"
    subjects.write_text("word\ttext\nArtista\tla artista\nJuez\tel juez\n", encoding="utf-8")
    options = Settings(
        options={"contexts": contexts, "topic": str(topic), "subjects": subjects, "language": "es"}
    )
    prepared = generate.prepare(options)
    (config,) = prepared.configs()
    rows = pl.concat([pl.DataFrame(pl.from_arrow(table)) for table in config.batches()])

    assert rows.select("id", "x", "text").rows() == [
        ("sexe-c00000-artista", "Artista", "La artista dit ke [Y]"),
        ("sexe-c00001-artista", "Artista", "Lun dit a la artista ke [Y]"),
        ("sexe-c00000-juez", "Juez", "El juez dit ke [Y]"),
        ("sexe-c00001-juez", "Juez", "Lun dit a el juez ke [Y]"),
    ]
    assert prepared.card.languages == ("es",)
    assert prepared.provenance["languages"] == {"sexe": "es"}


def test_articles_are_english_in_english_alone(contexts: Path, topic: Path, tmp_path: Path) -> None:
    """Read as English `a` agrees with the subject; a word without `text` gets no capital."""
    subjects = tmp_path / "subjects.txt"
    subjects.write_text("artista\n", encoding="utf-8")
    texts = []
    for language in ("es", None):
        options = Settings(
            options={
                "contexts": contexts,
                "topic": str(topic),
                "subjects": subjects,
                "language": language,
            }
        )
        (config,) = generate.prepare(options).configs()
        texts.append(next(config.batches())["text"].to_pylist())

    assert texts == [
        ["artista dit ke [Y]", "Lun dit a artista ke [Y]"],
        ["artista dit ke [Y]", "Lun dit an artista ke [Y]"],
    ]


@pytest.mark.parametrize("option", ["--topic", "--contexts", "--subjects"])
def test_our_english_words_are_refused_in_another_language(
    contexts: Path, topic: Path, tmp_path: Path, option: str
) -> None:
    """Each of the three lists must be the user's own."""
    subjects = tmp_path / "subjects.txt"
    subjects.write_text("artista\n", encoding="utf-8")
    given = {"topic": str(topic), "contexts": contexts, "subjects": subjects}
    given[option.removeprefix("--")] = "gender" if option == "--topic" else None

    with pytest.raises(WrongUse, match=f"English; .* {option} FILE"):
        generate.prepare(Settings(options={"language": "es", **given}))


def test_a_text_is_given_for_all_subjects_or_for_none(tmp_path: Path) -> None:
    """An empty cell among others is a forgotten one."""
    path = tmp_path / "subjects.tsv"
    path.write_text("word\ttext\na\tder a\nb\t\n", encoding="utf-8")

    with pytest.raises(DataRefused, match=r"subjects\.tsv:3: field `text` is empty"):
        read_subjects(path)
