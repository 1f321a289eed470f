"""From options to topics: which contexts, which subjects, in which order of words."""

import dataclasses
import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from evenhand.contract import WrongUse
from evenhand.contract.bvf import TOPICS
from evenhand.contract.errors import DataRefused
from evenhand.contract.files import sha256_of_file
from evenhand.generator.build import ConfigRows
from evenhand.generator.bvf.asked import Subjects, read_subjects
from evenhand.generator.bvf.card import CARD, UNSTATED
from evenhand.generator.bvf.contexts import Context, MiningHeader, read_contexts
from evenhand.generator.bvf.grid import ENGLISH, ORDERS, Grid, Order, blocks_of
from evenhand.generator.bvf.topics import OUR_FOLDER, NamedTopic, Protocol, read_topic
from evenhand.generator.lists import read_list, sources_of
from evenhand.generator.stems import Options, Prepared

INSIDE_TOPICS = frozenset({"race", "disability"})
"""Topics of ours whose words are all adjectives, so that they can stand before the subject."""


@dataclass(frozen=True, kw_only=True)
class Filled:
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

    def grid(self) -> Grid:
        """Return the rows, those of a sample of contexts where one is asked for."""
        places = list(range(len(self.contexts)))
        if self.limit is not None and self.limit < len(places):
            drawn = np.random.default_rng(self.seed).permutation(len(places))[: self.limit]
            places = sorted(drawn.tolist())
        blocks = blocks_of(self.contexts, places, self.orders)
        return Grid(
            topic=self.topic.name, blocks=blocks, subjects=self.subjects, language=self.language
        )


def prepare(options: Options) -> Prepared:
    """Read and check what a version is made of; rendering begins when its configs are taken.

    Raises:
        WrongUse: a topic is unknown, or options do not go together.
        DataRefused: a list or the contexts file is faulty; the sentence names file and line.
    """
    if options.templates or options.tokenizer or options.header:
        raise WrongUse("--templates, --tokenizer and --header are not for bvf; see --contexts.")
    topics = [_filled(options, name) for name in _chosen(options)]
    whose = "evenhand" if options.contexts is None else "user"
    return prepared(topics, made_by="generate", contexts_of=whose, made=_made(topics, options))


def prepared(topics: list[Filled], *, made_by: str, contexts_of: str, made: list[str]) -> Prepared:
    """Return what a version of some topics is made of.

    Args:
        topics: in the order in which they are written.
        made_by: ``generate`` or ``import``.
        contexts_of: ``evenhand``, ``user`` or ``original``.
        made: sentences for the card.
    """
    grids = {own.topic.name: own.grid() for own in topics}
    languages = {own.topic.name: own.language for own in topics}
    card = dataclasses.replace(CARD, languages=tuple(sorted(set(languages.values()))))
    if contexts_of != "evenhand":
        card = dataclasses.replace(card, licence=UNSTATED)
    return Prepared(
        card=card,
        n_rows=sum(grid.n_rows for grid in grids.values()),
        provenance={
            "made_by": made_by,
            "contexts": contexts_of,
            "topics": {own.topic.name: msgspec.to_builtins(own.topic.topic) for own in topics},
            "content": _digests(topics),
            "mining": {own.topic.name: _mined(own) for own in topics if own.header},
            "orders": {own.topic.name: list(own.orders) for own in topics},
            # A version that does not say its languages is in English.
            **({} if card.languages == (ENGLISH,) else {"languages": languages}),
            "limit": topics[0].limit,
        },
        made=made,
        notes=_notes(topics, grids),
        configs=lambda: (_rows(own, grids[own.topic.name]) for own in topics),
    )


def catalogue() -> Iterator[dict[str, Any]]:
    """Yield one row a topic of ours: its counts, without rendering anything."""
    options = Options()
    for name in TOPICS:
        own = _filled(options, name)
        grid = own.grid()
        yield {
            "benchmark": "bvf",
            "config": name,
            "rows": grid.n_rows,
            "examples": len(own.contexts),
            "templates": len(own.contexts),
            "subjects": len(own.subjects.words),
            "attributes": sum(map(len, own.topic.topic.classes.values())),
        }


def filled(
    topic: NamedTopic,
    path: Path,
    subjects: Subjects,
    *,
    orders: tuple[str, ...] = (),
    language: str | None = None,
    limit: int | None = None,
    seed: int = 0,
) -> Filled:
    """Read the contexts of a topic from a file.

    Args:
        topic: what is read.
        path: of the contexts: JSONL, the original's CSV, or a list of ours.
        subjects: what contexts are filled with.
        orders: empty for ``last``, and ``inside`` where all words of a topic of ours allow it.
        language: of the texts; None for what the file says, else English.
        limit: contexts that are drawn.
        seed: of the draw.

    Raises:
        DataRefused: the file is faulty, or was mined for another topic.
        WrongUse: the file is of another language, or words of ours stand beside another language.
    """
    header = None
    if path.suffix == ".tsv":
        contexts = _listed(path)
    else:
        mined = read_contexts(path)
        contexts, header = mined.contexts, mined.header
    if header is not None and header.topic != topic.name:
        raise DataRefused(
            f"{path} was mined for the topic {header.topic}, not for {topic.name}; say --topic"
            f" {header.topic}, or mine again."
        )
    language = _language(path, header, language)
    _check_language(language, topic, path, subjects)
    known = {name: order for order in ORDERS for name in [order]}
    both = topic.name in INSIDE_TOPICS and language == ENGLISH
    default = ORDERS if both else ORDERS[:1]
    chosen = tuple(known[name] for name in ORDERS if name in orders) or default
    return Filled(
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


def _language(path: Path, header: MiningHeader | None, asked: str | None) -> str:
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
    for option, own in given.items():
        if OUR_FOLDER in own.parents:
            raise WrongUse(
                f"The texts are to be in the language {language}, and Evenhand's own words are"
                f" English; name yours with {option} FILE."
            )


def _chosen(options: Options) -> list[str]:
    """Return names or files of the topics."""
    if options.topic is not None and set(options.configs) - {options.topic}:
        raise WrongUse(
            f"--topic {options.topic} and --config {', '.join(options.configs)} name different"
            " topics; leave one of them out."
        )
    if options.contexts is None:
        if options.topic is None:
            _check_known(options.configs)
            return list(dict.fromkeys(options.configs)) or list(TOPICS)
        return [options.topic]
    if options.topic is not None:
        return [options.topic]
    if len(options.configs) == 1:
        return list(options.configs)
    header = read_contexts(options.contexts).header if options.contexts.suffix != ".tsv" else None
    if header is None:
        raise WrongUse(
            f"{options.contexts} does not say its topic; name it with --topic"
            f" {'|'.join(TOPICS)} or a file."
        )
    return [header.topic]


def _check_known(names: tuple[str, ...]) -> None:
    for name in names:
        if name not in TOPICS:
            near = difflib.get_close_matches(name, TOPICS, n=1, cutoff=0.5)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise WrongUse(
                f"There is no config {name}.{hint} The configs are {', '.join(TOPICS)}; a topic of"
                " your own is a file: --topic FILE."
            )


def _filled(options: Options, name: str) -> Filled:
    protocol: Protocol = "code" if options.protocol == "code" else "paper"
    topic = read_topic(name, protocol=protocol)
    path = options.contexts or OUR_FOLDER / "contexts" / f"{topic.form}.tsv"
    return filled(
        topic,
        path,
        read_subjects(options.subjects),
        orders=options.orders,
        language=options.language,
        limit=options.limit,
        seed=options.seed,
    )


def _listed(path: Path) -> list[Context]:
    """Read contexts of ours, which all weigh the same."""
    entries = read_list(path, required=("context",), optional=("source",))
    weight = 1 / len(entries)
    return [Context(context=entry.values["context"], count=1, weight=weight) for entry in entries]


def _rows(own: Filled, grid: Grid) -> ConfigRows:
    return ConfigRows(
        name=own.topic.name,
        n_rows=grid.n_rows,
        n_examples=len({block.number for block in grid.blocks}),
        batches=grid.batches,
        statistics=_statistics(own, grid),
    )


def _statistics(own: Filled, grid: Grid) -> dict[str, Any]:
    numbers = {block.number for block in grid.blocks}
    classes = own.topic.topic.classes
    return {
        "rows": grid.n_rows,
        "examples": len(numbers),
        "templates": len(numbers),
        "subjects": {"total": len(own.subjects.words)},
        "classes": {"total": len(classes)},
        "words": {
            "total": sum(map(len, classes.values())),
            "by_class": {name: len(words) for name, words in classes.items()},
        },
        "orders": {
            order: sum(block.order == order for block in grid.blocks) for order in own.orders
        },
        "counts": sum(own.contexts[number].count for number in numbers),
    }


def _digests(topics: list[Filled]) -> dict[str, str]:
    """Return the sha256 of every file, ours by their path below the templates."""
    root = OUR_FOLDER.parent
    files = {path for own in topics for path in (own.topic.path, own.path, own.subjects.path)}
    return {
        (path.relative_to(root).as_posix() if root in path.parents else path.name): (
            sha256_of_file(path)
        )
        for path in sorted(files)
    }


def _mined(own: Filled) -> dict[str, Any]:
    """Return how contexts were mined, without what the topic says already."""
    found: dict[str, Any] = msgspec.to_builtins(own.header)
    return {name: value for name, value in found.items() if name not in {"classes", "topic"}}


def _made(topics: list[Filled], options: Options) -> list[str]:
    subjects = topics[0].subjects
    n = f"{len(subjects.words):,}"
    is_ours = options.subjects is None
    whose = f"the {n} occupations of the paper" if is_ours else f"{n} subjects of a user's"
    lines = [f"Contexts filled with {whose} by `evenhand generate bvf`."]
    sources = sources_of(own.topic.path for own in topics)
    if sources:
        lines.append(f"Sources of the words of Y: {sources}.")
    if options.contexts is None:
        lines.append("The contexts were written for Evenhand and all weigh the same.")
    for own in topics:
        if own.header is not None:
            lines.append(
                f"The contexts of `{own.topic.name}` were mined from"
                f" {own.header.n_sentences:,} sentences ({len(own.header.corpus):,} files) with"
                f" {own.header.spacy_model} {own.header.spacy_model_version}; how, and from which"
                " files, stands in `evenhand.json`. Weights are shares of counts."
            )
        elif options.contexts is not None:
            lines.append("The contexts are a user's; weights are as given or shares of counts.")
    return lines


def _notes(topics: list[Filled], grids: dict[str, Grid]) -> list[str]:
    lines = []
    for own in topics:
        n = len({block.number for block in grids[own.topic.name].blocks})
        left = len(own.contexts) - n
        drawn = f" ({left:,} not drawn)" if own.limit is not None and left else ""
        lines.append(
            f"{own.topic.name}: {n:,} contexts{drawn} x {len(own.subjects.words):,} subjects,"
            f" [Y] {' and '.join(own.orders)}"
        )
    return lines
