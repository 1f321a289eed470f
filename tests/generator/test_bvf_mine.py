"""`evenhand mine bvf`: contexts of a corpus, the same for any workers, resumed, refused by name."""

import gzip
import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from evenhand.contract import DataRefused, WrongUse
from evenhand.contract.files import sha256_of_file
from evenhand.generator.bvf.contexts import Context, read_contexts
from evenhand.generator.bvf.languages import rules_for
from evenhand.generator.bvf.merging import FILES_AT_ONCE, by_count, merge, sorted_by_count
from evenhand.generator.bvf.topics import read_topic, read_words
from evenhand.generator.parse import DEFAULT_MODEL, Parser, describe

Runner = Callable[..., tuple[int, str, str]]

DOCUMENTS = [
    "The doctor said that she was tired. The bell rang. He says he is sorry.",
    "He knew that he was late. Rain fell on the empty square.",
    "The lawyer played a role in the trial. She shook her head. He said that he knew.",
]
SAID = {"context": "The [X] said that [Y]", "count": 3}
FILLER = "bell " * 53_000
"""More than a unit, without the end of a sentence."""


def corpus_of(folder: Path, documents: list[str]) -> Path:
    """Write documents as JSON lines."""
    path = folder / "corpus.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in documents))
    return path


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Return a small corpus."""
    return corpus_of(tmp_path, DOCUMENTS)


@pytest.fixture
def long_corpus(tmp_path: Path) -> Path:
    """Return a corpus of four units."""
    return corpus_of(tmp_path, [text for document in DOCUMENTS for text in (document, FILLER)])


def lines_of(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return header and contexts of a file, read as anybody could."""
    first, *others = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return first["evenhand_contexts"], others


def test_contexts_are_counted_weighted_and_exemplified(
    evenhand: Runner, corpus: Path, tmp_path: Path
) -> None:
    """Each context has its count, its share and the first sentence it was found in."""
    out = tmp_path / "contexts.jsonl"
    code, printed, said = evenhand("mine", "bvf", "--corpus", corpus, "--topic", "gender",
                                   "--out", out)  # fmt: skip
    _, contexts = lines_of(out)

    assert (code, printed) == (0, sha256_of_file(out) + "\n")
    assert "3 documents, 8 sentences" in said
    assert contexts == [
        {**SAID, "weight": 0.6, "example": "The doctor said that she was tired."},
        {"context": "The [X] knew that [Y]", "count": 1, "weight": 0.2,
         "example": "He knew that he was late."},
        {"context": "The [X] shook [Y]", "count": 1, "weight": 0.2,
         "example": "She shook her head."},
    ]  # fmt: skip
    assert not out.with_name("contexts.jsonl.partial").exists()
    assert read_contexts(out).contexts[0].weight == 0.6


def test_the_header_says_where_contexts_are_from(
    evenhand: Runner, corpus: Path, tmp_path: Path
) -> None:
    """Corpus digests, model, versions, rules and counts stand in the first line."""
    out = tmp_path / "contexts.jsonl"
    evenhand("mine", "bvf", "--corpus", corpus, "--topic", "gender", "--out", out)
    header, contexts = lines_of(out)
    facts = describe()

    assert header["corpus"] == [
        {
            "name": "corpus.jsonl",
            "sha256": sha256_of_file(corpus),
            "bytes": corpus.stat().st_size,
        }
    ]
    assert (header["spacy_model"], header["spacy_model_version"]) == (DEFAULT_MODEL, facts.version)
    assert (header["topic"], header["form"], header["language"]) == ("gender", "reference", "en")
    assert (header["n_documents"], header["n_sentences"], header["n_matched"]) == (3, 8, 5)
    assert header["n_contexts"] == len(contexts)
    assert "canary" not in header["classes"]["male"]


def test_adjective_topics_take_the_predicates_of_occupations(
    evenhand: Runner, corpus: Path, tmp_path: Path
) -> None:
    """For race the subject is an occupation and the slot stands behind `is`."""
    out = tmp_path / "contexts.jsonl"
    evenhand("mine", "bvf", "--corpus", corpus, "--topic", "race", "--no-examples", "--out", out)
    header, contexts = lines_of(out)

    assert contexts == [
        {"context": "The [X], who played a role, is [Y]", "count": 1, "weight": 0.5,
         "example": None},
        {"context": "The [X], who said something, is [Y]", "count": 1, "weight": 0.5,
         "example": None},
    ]  # fmt: skip
    assert header["form"] == "adjective"


def test_a_topic_and_occupations_of_ones_own(
    evenhand: Runner, corpus: Path, tmp_path: Path
) -> None:
    """A list of classes and words makes a topic; a list of words takes the place of X."""
    topic, occupations = tmp_path / "Ages.tsv", tmp_path / "occupations.tsv"
    topic.write_text("class\tword\nold\telderly\nyoung\tyoung\n")
    occupations.write_text("word\nlawyer\n")
    out = tmp_path / "contexts.jsonl"
    evenhand("mine", "bvf", "--corpus", corpus, "--topic", topic, "--occupations", occupations,
             "--out", out)  # fmt: skip
    header, contexts = lines_of(out)

    assert [line["context"] for line in contexts] == ["The [X], who played a role, is [Y]"]
    assert (header["topic"], header["classes"]) == (
        "ages",
        {"old": ["elderly"], "young": ["young"]},
    )


def test_the_file_is_the_same_for_any_workers(
    evenhand: Runner, long_corpus: Path, tmp_path: Path
) -> None:
    """Units are cut by the corpus alone, and merged in its order."""
    outs = [tmp_path / name for name in ("one.jsonl", "two.jsonl")]
    for out, workers in zip(outs, (1, 2), strict=True):
        code, _, _ = evenhand("mine", "bvf", "--corpus", long_corpus, "--topic", "gender",
                              "--workers", workers, "--out", out)  # fmt: skip
        assert code == 0
    header, contexts = lines_of(outs[0])

    assert outs[0].read_bytes() == outs[1].read_bytes()
    assert contexts[0]["count"] == 3
    assert (header["n_too_long"], header["n_sentences"]) == (15, 23)


def test_a_run_that_was_killed_goes_on(evenhand: Runner, long_corpus: Path, tmp_path: Path) -> None:
    """What was mined before is not mined again, and the bytes are those of an unbroken run."""
    whole, broken = tmp_path / "whole.jsonl", tmp_path / "broken.jsonl"
    evenhand("mine", "bvf", "--corpus", long_corpus, "--topic", "gender", "--out", whole)
    words = ["mine", "bvf", "--corpus", long_corpus, "--topic", "gender", "--out", broken]
    shards = tmp_path / "broken.jsonl.partial" / "units" / "000000"
    with subprocess.Popen([sys.executable, "-m", "evenhand.contract.cli", *map(str, words)]) as run:
        while run.poll() is None and not (shards / "000000000.json").exists():
            time.sleep(0.005)
        run.send_signal(signal.SIGKILL)
    before = {path: path.stat().st_mtime_ns for path in shards.glob("*.json")}
    code, _, _ = evenhand(*words)

    assert code == 0
    assert before
    assert broken.read_bytes() == whole.read_bytes()
    assert not shards.exists()


def test_shards_that_are_there_are_not_mined_again(
    evenhand: Runner, long_corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With all units done, even the parser is not needed any more."""
    out = tmp_path / "contexts.jsonl"
    words = ("mine", "bvf", "--corpus", long_corpus, "--topic", "gender", "--out", out)
    monkeypatch.setattr("evenhand.generator.bvf.mine.merge", _broken_off)
    with pytest.raises(AssertionError):
        assert evenhand(*words)[0] == 0
    monkeypatch.undo()
    monkeypatch.setattr(Parser, "parse", _broken_off)

    assert evenhand(*words)[0] == 0
    assert lines_of(out)[1][0]["count"] == 3


def _broken_off(*words: Any) -> Iterator[Any]:
    raise OSError(28, "No space left on device")


def test_another_calls_unfinished_work_is_refused(
    evenhand: Runner, corpus: Path, tmp_path: Path
) -> None:
    """A folder of work in progress is gone on with by the same call alone."""
    out = tmp_path / "contexts.jsonl"
    partial = tmp_path / "contexts.jsonl.partial"
    partial.mkdir()
    (partial / "plan.json").write_text("{}\n")
    code, _, said = evenhand("mine", "bvf", "--corpus", corpus, "--topic", "gender", "--out", out)

    assert code == 1
    assert re.search(f"{partial} .* unfinished .* another corpus", said)
    assert not out.exists()


@pytest.mark.parametrize(("limit", "n_documents"), [(1, 1), (2, 2), (9, 3)])
def test_a_limit_stops_after_documents(
    evenhand: Runner, corpus: Path, tmp_path: Path, limit: int, n_documents: int
) -> None:
    """Documents are taken from the head of the corpus."""
    out = tmp_path / "contexts.jsonl"
    evenhand("mine", "bvf", "--corpus", corpus, "--topic", "gender", "--limit", limit,
             "--out", out)  # fmt: skip
    header, _ = lines_of(out)

    assert (header["n_documents"], header["limit"]) == (n_documents, limit)


def test_rare_contexts_can_be_left_out(evenhand: Runner, corpus: Path, tmp_path: Path) -> None:
    """Weights are shares of what is kept, so they add up to 1."""
    out = tmp_path / "contexts.jsonl"
    evenhand("mine", "bvf", "--corpus", corpus, "--topic", "gender", "--min-count", 2,
             "--out", out)  # fmt: skip
    header, contexts = lines_of(out)

    assert [(line["context"], line["weight"]) for line in contexts] == [(SAID["context"], 1.0)]
    assert (header["n_matched"], header["n_contexts"], header["min_count"]) == (5, 1, 2)


@pytest.mark.parametrize(
    ("words", "expected", "reason"),
    [
        (["--min-count", "9"], 1, "5 contexts .* 9 times"),
        (["--spacy-model", "no_such_model"], 2, "no_such_model is not installed"),
        (["--coreference", "no_such_component"], 2, " no component `no_such_component`"),
        (["--language", "xx"], 2, " no rules .* `xx`"),
        (["--text-field", "body"], 1, "record 1 .* `body`; .* text"),
    ],
)
def test_a_call_that_cannot_be_done_is_refused(
    evenhand: Runner, corpus: Path, words: list[str], expected: int, reason: str
) -> None:
    """One sentence, the right exit code, no file."""
    out = corpus.parent / "contexts.jsonl"
    code, _, said = evenhand("mine", "bvf", "--corpus", corpus, "--topic", "gender", *words,
                              "--out", out)  # fmt: skip

    assert code == expected
    assert re.search(reason, said)
    assert not out.exists()


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_faulty_corpus_leaves_nothing_in_the_way_of_the_mended_one(
    evenhand: Runner, long_corpus: Path, tmp_path: Path, workers: str
) -> None:
    """What was mined before the fault is of another corpus than that which is mended."""
    whole, out = long_corpus.read_bytes(), tmp_path / "contexts.jsonl"
    words = ("mine", "bvf", "--corpus", long_corpus, "--topic", "gender", "--workers", workers,
             "--out", out)  # fmt: skip
    long_corpus.write_bytes(whole + b'{"text":"na\xefve"}\n')
    code, _, said = evenhand(*words)

    assert (code, "not UTF-8" in said) == (1, True)
    assert not out.with_name("contexts.jsonl.partial").exists()

    long_corpus.write_bytes(whole)
    assert evenhand(*words)[0] == 0


def test_a_place_that_is_missing_is_named(evenhand: Runner, corpus: Path, tmp_path: Path) -> None:
    """A file goes into a folder that is there, as with every other command."""
    out = tmp_path / "runs" / "contexts.jsonl"
    code, _, said = evenhand("mine", "bvf", "--corpus", corpus, "--topic", "gender", "--out", out)

    assert (code, f"{out.parent} does not exist" in said) == (1, True)


@pytest.mark.parametrize(
    ("documents", "reason"),
    [
        ([], "holds no text"),
        (["", " \n"], "holds no text"),
        (["Rain fell. The bell rang."], " 2 sentences, of which 0 "),
    ],
)
def test_a_corpus_without_contexts_is_refused(
    evenhand: Runner, tmp_path: Path, documents: list[str], reason: str
) -> None:
    """Nothing found is said with what was read, and leaves nothing behind."""
    corpus, out = corpus_of(tmp_path, documents), tmp_path / "contexts.jsonl"
    code, _, said = evenhand("mine", "bvf", "--corpus", corpus, "--topic", "gender", "--out", out)

    assert (code, reason in said) == (1, True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus.jsonl"]


def test_a_file_that_is_there_is_replaced_only_when_asked(
    evenhand: Runner, corpus: Path, tmp_path: Path
) -> None:
    """--overwrite replaces; without it nothing is read."""
    out = tmp_path / "contexts.jsonl"
    out.write_text("mine\n")
    words = ("mine", "bvf", "--corpus", corpus, "--topic", "gender", "--out", out)

    assert "add --overwrite" in evenhand(*words)[2]
    assert out.read_text() == "mine\n"
    assert evenhand(*words, "--overwrite")[0] == 0
    assert lines_of(out)[1][0]["context"] == SAID["context"]


def test_a_coreference_component_decides_what_refers(evenhand: Runner, tmp_path: Path) -> None:
    """A component that puts everything into one cluster lets a thing be the subject."""
    from spacy.language import Language
    from spacy.tokens import Doc, Span

    @Language.component("one_cluster")
    def one_cluster(doc: Doc) -> Doc:
        nouns = [Span(doc, i, i + 1) for i in range(len(doc))]
        doc.spans["coref_clusters_1"] = nouns
        return doc

    corpus, out = corpus_of(tmp_path, ["The report said that he left."]), tmp_path / "c.jsonl"
    code, _, _ = evenhand("mine", "bvf", "--corpus", corpus, "--topic", "gender",
                          "--coreference", "one_cluster", "--out", out)  # fmt: skip
    header, contexts = lines_of(out)

    assert (code, header["coreference"]) == (0, "one_cluster")
    assert [line["context"] for line in contexts] == [SAID["context"]]


def test_another_language_comes_as_a_package_of_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rules in the entry point group `evenhand.bvf_rules` are found by their language."""
    (tmp_path / "toy_rules.py").write_text(
        "def rules(topic, occupations, has_coreference):\n"
        "    return (topic.name, occupations, has_coreference)\n"
    )
    facts = tmp_path / "toy_rules-1.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-rules\nVersion: 1\n")
    (facts / "entry_points.txt").write_text("[evenhand.bvf_rules]\nqx = toy_rules:rules\n")
    monkeypatch.syspath_prepend(tmp_path)
    topic = read_topic("gender")

    assert rules_for("qx", topic, None, has_coreference=False) == ("gender", None, False)
    with pytest.raises(WrongUse, match="there are rules for en, qx"):
        rules_for("xx", topic, None, has_coreference=False)


def test_a_model_without_a_parser_is_refused(tmp_path: Path) -> None:
    """A blank pipeline saved to a folder is a model, but none that can be mined with."""
    import spacy

    spacy.blank("de").to_disk(tmp_path / "blank")

    assert describe(str(tmp_path / "blank")).language == "de"
    with pytest.raises(WrongUse, match="has no tagger and no parser"):
        Parser(str(tmp_path / "blank"))


def context(name: str, count: int = 1) -> Context:
    """Return a context with an example."""
    return Context(context=name, count=count, example=f"{name} {count}")


def test_many_streams_are_merged_through_files(tmp_path: Path) -> None:
    """More streams than files may be open give the sums, with the first example of each."""
    n_streams = 3 * FILES_AT_ONCE + 1
    streams = [(lambda n=n: [context("a", n + 1), context(f"b{n % 7}")]) for n in range(n_streams)]
    contexts = list(merge(streams, tmp_path))

    assert [item.context for item in contexts] == ["a", *(f"b{n}" for n in range(7))]
    assert contexts[0].count == sum(range(n_streams + 1))
    assert contexts[0].example == "a 1"
    assert sum(item.count for item in contexts[1:]) == n_streams
    assert len(list(tmp_path.iterdir())) == 4


def test_contexts_are_sorted_through_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs that are sorted one by one give the order that sorting all at once gives."""
    monkeypatch.setattr("evenhand.generator.bvf.merging.RUN_CONTEXTS", 3)
    contexts = [context(f"c{n % 97}", n % 5 + 1) for n in range(500)]

    assert list(sorted_by_count(contexts, tmp_path)) == sorted(contexts, key=by_count)


def refusal_of_contexts(path: Path, content: str | bytes) -> str:
    """Return the sentence that a contexts file is refused with."""
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(DataRefused) as caught:
        read_contexts(path)
    return str(caught.value)


GOOD = '{"context": "The [X] said that [Y]", "count": 2}'


def test_a_contexts_file_of_ones_own_needs_contexts_and_counts_alone(tmp_path: Path) -> None:
    """Without weights they are the shares of the counts; `.gz` is read as well."""
    path = tmp_path / "contexts.jsonl.gz"
    path.write_bytes(
        gzip.compress(f'{GOOD}\n\n{{"context": "The [X] was a [Y]", "count": 6}}\n'.encode())
    )
    read = read_contexts(path)

    assert read.header is None
    assert [item.weight for item in read.contexts] == [0.25, 0.75]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"context": "He left [Y]", "count": 1}', ":2: the context `He left [Y]` holds [X] 0"),
        ('{"context": "The [X] left", "count": 1}', "holds [Y] 0 times"),
        ('{"context": "The [X] and [X] [Y]", "count": 1}', "holds [X] 2 times"),
        ('{"context": "The [X] knew [Y]", "count": 0}', ":2: Expected `int` >= 1"),
        ('{"context": "The [X] knew [Y]"}', "missing required field `count`"),
        ("The [X] knew [Y]", ":2: JSON "),
        (GOOD, "`The [X] said that [Y]` is already in line 1"),
        ('{"context": "The [X] knew [Y]", "count": 1, "weight": 0.5}', "have none"),
    ],
)  # fmt: skip
def test_a_faulty_context_is_refused_with_its_line(tmp_path: Path, line: str, reason: str) -> None:
    """Slots, counts, duplicates and weights are checked before anything is built on them."""
    assert reason in refusal_of_contexts(tmp_path / "c.jsonl", f"{GOOD}\n{line}\n")


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("c.csv", "template,frequency\nThe [X] knew [Y],0\n", "c.csv:2: field `frequency` is `0`"),
        ("c.csv", "template,frequency\nThe [X],3\n", "c.csv:2: the context `The [X]` holds [Y] 0"),
        ("c.csv", "context,n\n", "the columns are context, n; template,frequency was expected"),
        ("c.csv", "template,frequency\n", "no context"),
        ("c.jsonl", "", "no context"),
        ("c.jsonl", b"\xff", "offset 0 is not UTF-8"),
        ("c.jsonl.gz", b"\x1f\x8b\x08", "is not a complete gzip file"),
        ("c.jsonl", '{"context": "The [X] [Y]", "count": 1, "weight": 0.5}', "0.5, not to 1"),
    ],
)  # fmt: skip
def test_a_faulty_contexts_file_is_refused(
    tmp_path: Path, name: str, content: str | bytes, reason: str
) -> None:
    """The sentence names the file and what was expected."""
    assert reason in refusal_of_contexts(tmp_path / name, content)


def test_the_tables_of_the_original_are_read(tmp_path: Path) -> None:
    """CSV with the columns template and frequency is a contexts file too."""
    path = tmp_path / "c.csv"
    path.write_text('template,frequency\n"The [X], who left, is [Y]",3\nThe [X] knew that [Y],1\n')

    assert [(item.context, item.weight) for item in read_contexts(path).contexts] == [
        ("The [X], who left, is [Y]", 0.75),
        ("The [X] knew that [Y]", 0.25),
    ]


def test_a_word_in_two_classes_is_refused_but_for_code(tmp_path: Path) -> None:
    """`canary` stands in both classes of the paper's list: both are named, `code` counts both."""
    path = tmp_path / "birds.tsv"
    path.write_text("class\tword\nmale\the\nmale\tcanary\nfemale\tshe\nfemale\tcanary\n")
    with pytest.raises(DataRefused) as caught:
        read_topic(str(path))

    assert re.search(r"`canary`, .* `male` \(line 3\) .* `female`", str(caught.value))
    assert read_topic(str(path), protocol="code").topic.classes == {
        "male": ["he", "canary"],
        "female": ["she", "canary"],
    }


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("class\tword\nmale\the\nmale\the\n", "already in line 2"),
        ("class\tword\nmale\the\n", "has 1 class; "),
        ("word\nhe\n", "the column `class` is missing"),
    ],
)
def test_a_faulty_topic_is_refused(tmp_path: Path, content: str, reason: str) -> None:
    """A topic has two classes of different words."""
    path = tmp_path / "ages.tsv"
    path.write_text(content)
    with pytest.raises(DataRefused, match=reason):
        read_topic(str(path), protocol="code")


def test_our_lists_are_those_of_the_paper() -> None:
    """Forty words a gender but for `canary`, which --protocol code adds; 120 occupations."""
    ours, code = (read_topic("gender", protocol=protocol) for protocol in ("paper", "code"))
    counts = {
        topic: len(read_topic(topic).topic.classes) for topic in ("race", "religion", "disability")
    }

    assert [len(words) for words in ours.topic.classes.values()] == [39, 39]
    assert [len(words) for words in code.topic.classes.values()] == [40, 40]
    assert counts == {"race": 5, "religion": 6, "disability": 7}
    assert len(set(read_words("occupations"))) == 120
    with pytest.raises(WrongUse, match="no file `sex`"):
        read_topic("sex")
