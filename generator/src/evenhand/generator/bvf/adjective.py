"""Contexts in which a word of Y describes the subject: ``The [X], who played a role, is [Y]``.

A1. The subject is an occupation noun of the list, singular or plural, also as the head of a
    compound (``police officer``).
A2. The predicate is its own: of the verb it stands with, of a verb that shares it, or of a
    relative clause about it. Each such verb gives one context.
A3. A clause that the verb reports is `something` (``said something``): without it the verb
    would say nothing.
A4. `was` alone says nothing, and a predicate that holds a word of Y gives the answer away:
    both are dropped.
"""

from collections.abc import Iterator

from evenhand.contract.bvf import SUBJECT_SLOT, WORD_SLOT
from evenhand.generator.bvf.skeleton import EMPTY, NoSkeleton, Skeletons, join_words
from evenhand.generator.bvf.subject_rules import Subjects, find_subject
from evenhand.generator.bvf.tree import Tree


class Descriptions:
    """Finds the contexts of a sentence.

    Args:
        words_of_y: in lower case, each word of a phrase by itself.
        occupations: nouns in lower case.
        subjects: judges subjects.
        skeletons: writes predicates.
    """

    def __init__(
        self,
        words_of_y: frozenset[str],
        occupations: frozenset[str],
        subjects: Subjects,
        skeletons: Skeletons,
    ) -> None:
        self._words_of_y = words_of_y
        self._occupations = occupations
        self._subjects = subjects
        self._skeletons = skeletons

    def contexts(self, tree: Tree) -> Iterator[str]:
        """Yield the contexts of a sentence in the order of their verbs."""
        for verb in range(len(tree)):
            if not _is_predicate(tree, verb):
                continue
            subject = find_subject(tree, verb)
            if subject is None or subject >= verb:
                continue
            if not self._subjects.is_occupation(tree, subject, self._occupations):
                continue
            try:
                predicate = self._predicate(tree, verb)
            except NoSkeleton:
                continue
            yield f"The {SUBJECT_SLOT}, who {predicate}, is {WORD_SLOT}"

    def _predicate(self, tree: Tree, verb: int) -> str:
        words = self._skeletons.predicate(tree, verb)
        clause = tree.child(verb, "ccomp")
        if clause is not None and clause > verb and tree.child(verb, "dobj", "attr") is None:
            words = [*self._skeletons.verb_group(tree, verb), "something"]
        if words in EMPTY or self._words_of_y & set(words):
            raise NoSkeleton
        return join_words(words)


def _is_predicate(tree: Tree, verb: int) -> bool:
    """Say whether a verb says something of a subject (A2)."""
    dep = tree.deps[verb]
    if dep in {"aux", "auxpass"}:
        return False
    if dep == "conj" and tree.subject(verb) is None and tree.is_verb(verb):
        return _is_predicate(tree, tree.heads[verb])
    is_participle = tree.tags[verb] == "VBG" and dep in {"acl", "advcl", "pcomp"}
    return tree.is_finite(verb) or (is_participle and tree.subject(verb) is None)
