"""One parsed sentence as a tree: who depends on whom, and what kind of word each is."""

from collections.abc import Iterator
from functools import cached_property

from evenhand.generator.parse import Parse

SUBJECTS = ("nsubj", "nsubjpass")
VERB_TAGS = frozenset({"VB", "VBD", "VBG", "VBN", "VBP", "VBZ"})
_FINITE_TAGS = frozenset({"VBD", "VBP", "VBZ", "MD"})
NAME_TAGS = frozenset({"NNP", "NNPS"})
QUOTES = frozenset('"“”«»') | {"``", "''"}


class Tree:
    """A parse with its lookups. Tokens are positions from 0 on; words are in lower case.

    Args:
        parse: one sentence.
    """

    def __init__(self, parse: Parse) -> None:
        self.texts = parse.words
        self.words = [word.lower().replace("’", "'") for word in parse.words]  # noqa: RUF001 - typographic apostrophe
        self.tags, self.deps, self.heads = parse.tags, parse.deps, parse.heads
        self.clusters = parse.clusters

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def _children(self) -> list[list[int]]:
        children: list[list[int]] = [[] for _ in self.heads]
        for i, head in enumerate(self.heads):
            if head != i:
                children[head].append(i)
        return children

    def children(self, i: int, *deps: str) -> list[int]:
        """Return the tokens that depend on a token, in order; all, or those of some kinds."""
        children = self._children[i]
        return [child for child in children if self.deps[child] in deps] if deps else children

    def child(self, i: int, *deps: str) -> int | None:
        """Return the first token that depends on a token in one of these ways."""
        return next(iter(self.children(i, *deps)), None)

    def is_verb(self, i: int) -> bool:
        """Say whether a token is a verb, a form of `be` and other auxiliaries included."""
        return self.tags[i] in VERB_TAGS or self.tags[i] == "MD"

    def is_finite(self, i: int) -> bool:
        """Say whether a token is a verb that stands in a tense, by itself or by an auxiliary."""
        tags = {self.tags[i], *(self.tags[child] for child in self.children(i, "aux", "auxpass"))}
        return self.is_verb(i) and not tags.isdisjoint(_FINITE_TAGS)

    def subject(self, verb: int) -> int | None:
        """Return the subject that stands with a verb itself."""
        return self.child(verb, *SUBJECTS)

    def ancestors(self, i: int) -> Iterator[int]:
        """Yield the heads of a token from the nearest to the root."""
        while self.heads[i] != i:
            i = self.heads[i]
            yield i

    def subtree(self, i: int) -> Iterator[int]:
        """Yield a token and all that depends on it, in no order that matters."""
        waiting = [i]
        while waiting:
            token = waiting.pop()
            yield token
            waiting += self._children[token]
