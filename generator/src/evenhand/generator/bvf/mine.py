"""Contexts mined from a corpus: read, cut into units, parsed in processes, merged, written.

What each unit gave is a file in ``OUT.partial``; a run that was interrupted resumes where
it stopped, and the finished file has the same bytes.
"""

import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from evenhand.contract.bvf import TOPICS
from evenhand.contract.errors import DataRefused, WrongUse
from evenhand.contract.files import (
    atomic_path,
    canonical_json,
    sha256_of_file,
    write_atomically,
)
from evenhand.generator import __version__
from evenhand.generator.benchmark import MineSettings
from evenhand.generator.bvf.contexts import (
    FORMAT,
    Context,
    CorpusFile,
    MiningHeader,
    header_line,
)
from evenhand.generator.bvf.frequencies import write_frequencies
from evenhand.generator.bvf.languages import rules_for
from evenhand.generator.bvf.merging import merge, read_spilled, sorted_by_count, spill
from evenhand.generator.bvf.options import MineOptions
from evenhand.generator.bvf.topics import NamedTopic, read_topic, read_words
from evenhand.generator.bvf.units import UNIT_CHARACTERS, Unit, UnitYield, units
from evenhand.generator.bvf.workers import Shards, Tools
from evenhand.generator.corpora.files import CorpusSource, corpus_sources
from evenhand.generator.corpora.readers import TEXT_FIELD
from evenhand.generator.folders import content_digest
from evenhand.generator.parse import BATCH_SENTENCES, describe
from evenhand.generator.places import check_output_file
from evenhand.generator.progress import Reporter


@dataclass(frozen=True, kw_only=True)
class MiningTask:
    """What is mined, and how."""

    corpus: list[Path]
    topic: NamedTopic
    out: Path
    workers: int = 1
    limit: int | None = None
    """Documents."""
    text_field: str = TEXT_FIELD
    options: MineOptions = field(default_factory=MineOptions)

    def counted_words(self, language: str) -> tuple[str, ...]:
        """Return the subjects whose occurrences are counted: none unless it is asked for.

        Raises:
            WrongUse: nobody says which words of another language they are.
        """
        options = self.options
        if options.frequencies is None:
            return ()
        if options.occupations is not None:
            return tuple(dict.fromkeys(read_words(options.occupations)))
        if options.rules is not None:
            return tuple(dict.fromkeys(read_words(options.rules / "occupations.tsv")))
        if language != "en":
            raise WrongUse(
                "--frequencies counts the words of a list; name it with --occupations FILE."
            )
        return tuple(read_words("occupations"))


def mine(settings: MineSettings, reporter: Reporter) -> str:
    """Mine a corpus, write the contexts file, and say what was written.

    Raises:
        DataRefused: the corpus or a list is faulty, nothing was found, a file is in the way, or
            another call's work lies beside ``out``.
        WrongUse: no topic is named, spaCy, the model or the component is missing, or there are no
            rules for the language.
    """
    options = MineOptions(**settings.options)
    if options.topic is None:
        raise WrongUse(
            f"Say what is mined for with --topic: {', '.join(TOPICS)}, or a file with the columns"
            " class and word."
        )
    if options.frequencies is not None:
        check_output_file(options.frequencies, "--frequencies", overwrite=settings.overwrite)
    task = MiningTask(
        corpus=settings.corpus,
        topic=read_topic(options.topic, protocol=options.protocol, form=options.form),
        out=settings.out,
        workers=settings.workers,
        limit=settings.limit,
        text_field=settings.text_field,
        options=options,
    )
    header = mine_contexts(task, reporter)
    return (
        f"{_plural(header.n_documents, 'document')}, {_plural(header.n_sentences, 'sentence')},"
        f" {header.n_parsed:,} of them parsed: {_plural(header.n_matched, 'context')},"
        f" {header.n_contexts:,} different ones written to {settings.out}."
    )


def _plural(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def mine_contexts(task: MiningTask, reporter: Reporter) -> MiningHeader:
    """Mine a corpus and write the contexts file.

    Returns:
        What the file's first line says.

    Raises:
        DataRefused: the corpus or a list is faulty, nothing was found, or another call's work
            lies beside ``out``.
        WrongUse: spaCy, the model or the component is missing, or there are no rules for the
            language.
    """
    sources = corpus_sources(task.corpus)
    header = _header(task, sources)
    tools = Tools(
        topic=task.topic,
        occupations=task.options.occupations,
        model=task.options.spacy_model,
        language=header.language,
        coreference=task.options.coreference,
        rules=task.options.rules,
        counted_words=task.counted_words(header.language),
    )
    partial = task.out.with_name(f"{task.out.name}.partial")
    _open_partial(partial, header, tools.counted_words)
    shards = Shards(partial / "units", tools, task.workers, reporter)
    refusals: list[DataRefused] = []
    corpus_units = units(sources, text_field=task.text_field, limit=task.limit)
    occurrences = Counter[str]()
    try:
        yields = shards.mine(_noting(corpus_units, refusals))
        header = _with_counts(header, _counting(yields, occurrences))
    except DataRefused:
        if refusals:
            # The corpus has to be mended first, and what was mined is of the one before.
            shutil.rmtree(partial)
        raise
    header = _write(task, header, shards, partial)
    if task.options.frequencies is not None:
        n_words = occurrences.pop(_ALL_WORDS)
        write_frequencies(
            task.options.frequencies, tools.counted_words, occurrences, n_words, header
        )
    shutil.rmtree(partial)
    return header


def _noting(corpus_units: Iterable[Unit], refusals: list[DataRefused]) -> Iterator[Unit]:
    """Pass units on and note where the corpus itself is refused."""
    try:
        yield from corpus_units
    except DataRefused as error:
        refusals.append(error)
        raise


_ALL_WORDS = ""
"""Under this the words of the whole corpus are counted, which is no word itself."""


def _counting(yields: Iterable[UnitYield], occurrences: Counter[str]) -> Iterator[UnitYield]:
    """Pass on what units gave and add up the occurrences of subjects."""
    for unit in yields:
        occurrences.update(unit.subjects)
        occurrences[_ALL_WORDS] += unit.n_words
        yield unit


def _header(task: MiningTask, sources: list[CorpusSource]) -> MiningHeader:
    """Return all that the first line says before anything is mined."""
    options = task.options
    facts = describe(options.spacy_model)
    language = options.language or facts.language
    rules = rules_for(
        language,
        task.topic,
        options.occupations,
        has_coreference=options.coreference is not None,
        folder=options.rules,
    )
    return MiningHeader(
        format=FORMAT,
        topic=task.topic.name,
        form=task.topic.form,
        classes=task.topic.topic.classes,
        protocol=options.protocol,
        corpus=[
            CorpusFile(
                name=source.name,
                sha256=sha256_of_file(source.path),
                bytes=source.path.stat().st_size,
            )
            for source in sources
        ],
        text_field=task.text_field,
        limit=task.limit,
        min_count=options.min_count,
        language=language,
        spacy_model=facts.model,
        spacy_model_version=facts.version,
        spacy_version=facts.spacy_version,
        coreference=options.coreference,
        rules_version=rules.version,
        lists_sha256=content_digest(rules.lists),
        generator_version=__version__,
        **dict.fromkeys(("n_documents", "n_sentences", "n_too_long", "n_parsed"), 0),
        **dict.fromkeys(("n_matched", "n_contexts"), 0),
    )


def _open_partial(partial: Path, header: MiningHeader, counted_words: tuple[str, ...]) -> None:
    """Make the folder of work in progress, or go on with that of the same call.

    Raises:
        DataRefused: the folder holds the work of another call, or there is no place for it.
    """
    if not partial.parent.is_dir():
        raise DataRefused(f"The folder {partial.parent} does not exist; make it first.")
    # How often a context must be found decides at the end, so it may differ.
    plan = canonical_json(
        {
            "header": msgspec.structs.replace(header, min_count=1),
            "unit_characters": UNIT_CHARACTERS,
            "batch_sentences": BATCH_SENTENCES,
            "counted": counted_words,
        }
    )
    path = partial / "plan.json"
    if not partial.exists():
        partial.mkdir()
        write_atomically(path, plan)
    elif not path.is_file() or path.read_bytes() != plan:
        raise DataRefused(
            f"{partial} holds the unfinished work of a call with another corpus, topic, model or"
            " option; remove it, or choose another --out."
        )


def _with_counts(header: MiningHeader, yields: Iterable[UnitYield]) -> MiningHeader:
    """Add up what was read."""
    totals = dict.fromkeys(("n_documents", "n_sentences", "n_too_long", "n_parsed"), 0)
    n_matched = 0
    for unit in yields:
        for name in totals:
            totals[name] += getattr(unit, name)
        n_matched += sum(context.count for context in unit.contexts)
    return msgspec.structs.replace(header, **totals, n_matched=n_matched)


def _write(task: MiningTask, header: MiningHeader, shards: Shards, partial: Path) -> MiningHeader:
    """Merge the units and write the file."""
    if header.n_sentences == 0:
        raise _nothing(partial, "The corpus holds no text; name other files with --corpus.")
    kept = partial / "kept.jsonl"
    total = 0

    def frequent() -> Iterator[Context]:
        nonlocal total
        for context in merge(shards.streams(), partial):
            if context.count >= task.options.min_count:
                total += context.count
                yield context

    n_contexts = spill(frequent(), kept)
    if n_contexts == 0:
        raise _nothing(partial, _why_none(header))
    header = msgspec.structs.replace(header, n_contexts=n_contexts)
    encoder = msgspec.json.Encoder()
    with atomic_path(task.out) as temporary, temporary.open("wb") as stream:
        stream.write(header_line(header))
        for context in sorted_by_count(read_spilled(kept), partial):
            line = msgspec.structs.replace(
                context,
                weight=context.count / total,
                example=None if task.options.no_examples else context.example,
            )
            stream.write(encoder.encode(line) + b"\n")
    return header


def _nothing(partial: Path, sentence: str) -> DataRefused:
    """Return the refusal of a corpus that gives nothing; there is nothing to go on with either."""
    shutil.rmtree(partial)
    return DataRefused(sentence)


def _why_none(header: MiningHeader) -> str:
    if header.n_matched:
        return (
            f"{header.n_matched:,} contexts were found, none of them {header.min_count:,} times;"
            " lower --min-count."
        )
    return (
        f"No context was found in {header.n_sentences:,} sentences, of which"
        f" {header.n_parsed:,} hold the words it takes; mine a larger corpus, or one of the"
        f" language `{header.language}`."
    )
