"""From options to topics: which contexts, which subjects, in which order of words."""

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from evenhand.contract import WrongUse
from evenhand.contract.bvf import TOPICS
from evenhand.contract.errors import DataRefused
from evenhand.contract.files import sha256_of_file
from evenhand.generator.benchmark import Prepared, Settings
from evenhand.generator.build import ConfigRows
from evenhand.generator.bvf.card import CARD, UNSTATED
from evenhand.generator.bvf.contexts import Context, MiningHeader, read_contexts
from evenhand.generator.bvf.grid import ENGLISH, ORDERS, Grid, Order, build_blocks
from evenhand.generator.bvf.options import GenerateOptions
from evenhand.generator.bvf.subjects import Subjects, read_subjects
from evenhand.generator.bvf.topics import OUR_FOLDER, NamedTopic, read_topic
from evenhand.generator.lists import describe_sources, read_list
from evenhand.generator.spelling import check_configs

INSIDE_TOPICS = frozenset({"race", "disability"})
"""Topics of ours whose words are all adjectives, so that they can stand before the subject."""


@dataclass(frozen=True, kw_only=True)
class FilledTopic:
    """One topic with its contexts and subjects, read and checked."""

    topic: NamedTopic
    contexts: list[Context]
    path: Path
    header: MiningHeader | None
    subjects: Subjects
    orders: tuple[Order, ...]
    language: str
    limit: int | None
    seed: int

    @property
    def name(self) -> str:
        """The topic's name, which is that of the config."""
        return self.topic.name

    def grid(self) -> Grid:
        """Return the rows, those of a sample of contexts where one is asked for."""
        places = list(range(len(self.contexts)))
        if self.limit is not None and self.limit < len(places):
            sample = np.random.default_rng(self.seed).permutation(len(places))[: self.limit]
            places = sorted(sample.tolist())
        blocks = build_blocks(self.contexts, places, self.orders)
        return Grid(topic=self.name, blocks=blocks, subjects=self.subjects, language=self.language)


def prepare(settings: Settings) -> Prepared:
    """Read and check what a version is made of; rendering begins when its configs are taken.

    Raises:
        WrongUse: a topic is unknown, or options do not go together.
        DataRefused: a list or the contexts file is faulty; the sentence names file and line.
    """
    options = GenerateOptions(**settings.options)
    topics = [
        _fill_topic(name, settings, options) for name in _topic_names(settings.configs, options)
    ]
    whose = "evenhand" if options.contexts is None else "user"
    return prepare_topics(
        topics, made_by="generate", whose=whose, construction=_construction_lines(topics, options)
    )


def prepare_topics(
    topics: list[FilledTopic], *, made_by: str, whose: str, construction: list[str]
) -> Prepared:
    """Return what a version of some topics is made of.

    Args:
        topics: in the order in which they are written.
        made_by: ``generate`` or ``import``.
        whose: contexts they are: ``evenhand``, ``user`` or ``original``.
        construction: sentences for the card.
    """
    grids = {filled.name: filled.grid() for filled in topics}
    languages = {filled.name: filled.language for filled in topics}
    card = dataclasses.replace(CARD, languages=tuple(sorted(set(languages.values()))))
    if whose != "evenhand":
        card = dataclasses.replace(card, licence=UNSTATED)
    return Prepared(
        card=card,
        n_rows=sum(grid.n_rows for grid in grids.values()),
        provenance={
            "made_by": made_by,
            "contexts": whose,
            "topics": {filled.name: msgspec.to_builtins(filled.topic.topic) for filled in topics},
            "content": _digests(topics),
            "mining": {filled.name: _mining_facts(filled) for filled in topics if filled.header},
            "orders": {filled.name: list(filled.orders) for filled in topics},
            # A version that does not say its languages is in English.
            **({} if card.languages == (ENGLISH,) else {"languages": languages}),
            "limit": topics[0].limit,
        },
        construction=construction,
        notes=_notes(topics, grids),
        configs=lambda: (_config_rows(filled, grids[filled.name]) for filled in topics),
    )


def catalogue() -> Iterator[dict[str, Any]]:
    """Yield one row a topic of ours: its counts, without rendering anything."""
    for name in TOPICS:
        filled = _fill_topic(name, Settings(), GenerateOptions())
        grid = filled.grid()
        yield {
            "config": name,
            "rows": grid.n_rows,
            "examples": len(filled.contexts),
            "templates": len(filled.contexts),
            "subjects": len(filled.subjects.words),
            "attributes": sum(map(len, filled.topic.topic.classes.values())),
        }


def fill_topic(
    topic: NamedTopic,
    path: Path,
    subjects: Subjects,
    *,
    orders: Sequence[str] = (),
    language: str | None = None,
    limit: int | None = None,
    seed: int = 0,
) -> FilledTopic:
    """Read the contexts of a topic from a file.

    Args:
        topic: what is read.
        path: of the contexts: JSONL, the original's CSV, or a list of ours.
        subjects: what contexts are filled with.
        orders: empty for ``last``, and ``inside`` where all words of a topic of ours allow it.
        language: of the texts; None for what the file says, else English.
        limit: number of contexts to sample.
        seed: of the draw.

    Raises:
        DataRefused: the file is faulty, or was mined for another topic.
        WrongUse: the file is of another language, or words of ours stand beside another language.
    """
    header = None
    if path.suffix == ".tsv":
        contexts = _read_list_of_ours(path)
    else:
        mined = read_contexts(path)
        contexts, header = mined.contexts, mined.header
    if header is not None and header.topic != topic.name:
        raise DataRefused(
            f"{path} was mined for the topic {header.topic}, not for {topic.name}; use --topic"
            f" {header.topic}, or mine again."
        )
    language = _stated_language(path, header, language)
    _check_language(language, topic, path, subjects)
    known = {name: order for order in ORDERS for name in [order]}
    both = topic.name in INSIDE_TOPICS and language == ENGLISH
    default = ORDERS if both else ORDERS[:1]
    chosen = tuple(known[name] for name in ORDERS if name in orders) or default
    return FilledTopic(
        topic=topic,
        contexts=contexts,
        path=path,
        header=header,
        subjects=subjects,
        orders=chosen,
        language=language,
        limit=limit,
        seed=seed,
    )


def _stated_language(path: Path, header: MiningHeader | None, asked: str | None) -> str:
    if header is None:
        return asked or ENGLISH
    if asked not in {None, header.language}:
        raise WrongUse(
            f"{path} was mined in the language {header.language}, not in {asked}; leave out"
            " --language."
        )
    return header.language


def _check_language(language: str, topic: NamedTopic, path: Path, subjects: Subjects) -> None:
    """Refuse English words of ours among those of another language."""
    if language == ENGLISH:
        return
    given = {"--topic": topic.path, "--contexts": path, "--subjects": subjects.path}
    for option, file in given.items():
        if OUR_FOLDER in file.parents:
            raise WrongUse(
                f"The texts are to be in the language {language}, and Evenhand's own words are"
                f" English; name yours with {option} FILE."
            )


def _topic_names(configs: tuple[str, ...], options: GenerateOptions) -> list[str]:
    """Return names or files of the topics."""
    if options.topic is not None:
        if set(configs) - {options.topic}:
            raise WrongUse(
                f"--topic {options.topic} and --config {', '.join(configs)} name different topics;"
                " leave one of them out."
            )
        return [options.topic]
    if options.contexts is None:
        check_configs(configs, TOPICS, hint="a topic of your own is a file: --topic FILE")
        return list(dict.fromkeys(configs)) or list(TOPICS)
    if len(configs) == 1:
        return list(configs)
    header = read_contexts(options.contexts).header if options.contexts.suffix != ".tsv" else None
    if header is None:
        raise WrongUse(
            f"{options.contexts} does not say its topic; name it with --topic"
            f" {'|'.join(TOPICS)} or a file."
        )
    return [header.topic]


def _fill_topic(name: str, settings: Settings, options: GenerateOptions) -> FilledTopic:
    topic = read_topic(name, protocol=options.protocol)
    path = options.contexts or OUR_FOLDER / "contexts" / f"{topic.form}.tsv"
    return fill_topic(
        topic,
        path,
        read_subjects(options.subjects),
        orders=options.order,
        language=options.language,
        limit=settings.limit,
        seed=settings.seed,
    )


def _read_list_of_ours(path: Path) -> list[Context]:
    """Read contexts of ours, which all weigh the same."""
    entries = read_list(path, required=("context",), optional=("source",))
    weight = 1 / len(entries)
    return [Context(context=entry.values["context"], count=1, weight=weight) for entry in entries]


def _config_rows(filled: FilledTopic, grid: Grid) -> ConfigRows:
    return ConfigRows(
        name=filled.name,
        n_rows=grid.n_rows,
        n_examples=len({block.number for block in grid.blocks}),
        batches=grid.batches,
        statistics=_statistics(filled, grid),
    )


def _statistics(filled: FilledTopic, grid: Grid) -> dict[str, Any]:
    numbers = {block.number for block in grid.blocks}
    classes = filled.topic.topic.classes
    return {
        "rows": grid.n_rows,
        "examples": len(numbers),
        "templates": len(numbers),
        "subjects": {"total": len(filled.subjects.words)},
        "classes": {"total": len(classes)},
        "words": {
            "total": sum(map(len, classes.values())),
            "by_class": {name: len(words) for name, words in classes.items()},
        },
        "orders": {
            order: sum(block.order == order for block in grid.blocks) for order in filled.orders
        },
        "counts": sum(filled.contexts[number].count for number in numbers),
    }


def _digests(topics: list[FilledTopic]) -> dict[str, str]:
    """Return the sha256 of every file, ours by their path below the templates."""
    files = {
        path for filled in topics for path in (filled.topic.path, filled.path, filled.subjects.path)
    }
    return {
        (
            f"{CARD.stem}/{path.relative_to(OUR_FOLDER).as_posix()}"
            if OUR_FOLDER in path.parents
            else path.name
        ): sha256_of_file(path)
        for path in sorted(files)
    }


def _mining_facts(filled: FilledTopic) -> dict[str, Any]:
    """Return how contexts were mined, without what the topic says already."""
    facts: dict[str, Any] = msgspec.to_builtins(filled.header)
    return {name: value for name, value in facts.items() if name not in {"classes", "topic"}}


def _construction_lines(topics: list[FilledTopic], options: GenerateOptions) -> list[str]:
    subjects = topics[0].subjects
    n = f"{len(subjects.words):,}"
    is_ours = options.subjects is None
    whose = f"the {n} occupations of the paper" if is_ours else f"{n} subjects from a user's list"
    lines = [f"Contexts filled with {whose} by `evenhand generate bvf`."]
    sources = describe_sources(filled.topic.path for filled in topics)
    if sources:
        lines.append(f"Sources of the words of Y: {sources}.")
    if options.contexts is None:
        lines.append("The contexts were written for Evenhand and have equal weights.")
    for filled in topics:
        header = filled.header
        if header is not None:
            lines.append(
                f"The contexts of `{filled.name}` were mined from {header.n_sentences:,} sentences"
                f" ({len(header.corpus):,} files) with {header.spacy_model}"
                f" {header.spacy_model_version}; the rules and files are in"
                " `evenhand.json`. Weights are shares of counts."
            )
        elif options.contexts is not None:
            lines.append(
                "The contexts are a user's; weights are as given, or shares of the counts."
            )
    return lines


def _notes(topics: list[FilledTopic], grids: dict[str, Grid]) -> list[str]:
    lines = []
    for filled in topics:
        n = len({block.number for block in grids[filled.name].blocks})
        left = len(filled.contexts) - n
        omitted = f" ({left:,} not sampled)" if filled.limit is not None and left else ""
        lines.append(
            f"{filled.name}: {n:,} contexts{omitted} x {len(filled.subjects.words):,} subjects,"
            f" [Y] {' and '.join(filled.orders)}"
        )
    return lines
