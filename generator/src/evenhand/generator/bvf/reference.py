"""Contexts in which a word of Y refers to the subject: ``The [X] said that [Y]``. Rules:

R1. Complement clause: the pronoun is the subject of a clause that belongs to the predicate, or
    the possessor of that subject (``said his leg hurt``). `that` is put in where it is
    missing; `if`, `whether` and question words stay.
R2. Clause of another kind: joined with `and`, `but`, `or`, `so`, or led in by `because`,
    `when`, `before` ...; without such a word, or with `than`, the context is dropped.
R3. Relative clause of an object: ``took the card that [Y]``.
R4. Possessive inside the predicate: ``looked at [Y]``.
R5. Reflexive pronoun: ``hurt [Y]``.
R6. Predicate noun, and noun behind `as`: ``was a [Y]``, ``worked as a [Y]``.
R7. Apposition or adjective of the subject: the predicate stands behind the word, so the
    context is ``The [X], who left, is a [Y]``.
R8. The word stands behind the verb, in a clause in the order of a statement, and no quotation
    mark, colon, semicolon or dash lies between verb and word: speech has its own speaker.
R9. The nearest verb with a subject above the word is the one that counts, and a verb gives one
    context, that of its first word.
"""

from collections.abc import Iterator

from evenhand.contract.bvf import SUBJECT_SLOT, WORD_SLOT
from evenhand.generator.bvf.past_tense import simple_past
from evenhand.generator.bvf.skeleton import EMPTY, NoSkeleton, Skeletons, counted_noun, join_words
from evenhand.generator.bvf.subject_rules import Subjects, find_subject
from evenhand.generator.bvf.tree import NAME_TAGS, QUOTES, SUBJECTS, Tree

SUBJECT_PRONOUNS = frozenset({"he", "she", "they"})
POSSESSIVES = frozenset({"his", "her", "their"})
REFLEXIVES = frozenset({"himself", "herself", "themselves", "themself"})
PRONOUNS = SUBJECT_PRONOUNS | POSSESSIVES | REFLEXIVES
UNREAD = frozenset({"him", "hers", "them", "theirs"})
"""Pronouns that by no rule refer to the subject of their clause."""

_BREAKS = QUOTES | {":", ";", "--", "-", "–", "—"}  # noqa: RUF001 - dashes of running text
_CLAUSES = frozenset({"ccomp", "advcl", "conj", "relcl", "acl", "pcomp"})
_NOUNS = frozenset({"dobj", "attr", "pobj", "oprd", "dative"})
_BEFORE_SMALL_CLAUSES = frozenset(
    {
        *("had", "got", "made", "let", "saw", "watched", "heard", "felt", "wanted", "kept", "left"),
        *("found", "helped", "needed", "liked", "put", "called", "considered"),
    }
)
_PARTS = frozenset({"xcomp", "acomp", "attr", "oprd", "amod"})
"""Where a verb's form is part of another verb's predicate."""
_LINKING_PASTS = frozenset({"was", "became", "remained", "stayed"})


class References:
    """Finds the contexts of a sentence.

    Args:
        class_by_word: word of Y, in lower case -> class.
        subjects: judges subjects.
        skeletons: writes predicates.
    """

    def __init__(
        self, class_by_word: dict[str, str], subjects: Subjects, skeletons: Skeletons
    ) -> None:
        self._class_of = class_by_word
        self._subjects = subjects
        self._skeletons = skeletons

    def contexts(self, tree: Tree) -> Iterator[str]:
        """Yield the contexts of a sentence in the order of their verbs."""
        by_verb: dict[int, tuple[int, str]] = {}
        for word in range(len(tree)):
            if tree.words[word] not in self._class_of:
                continue
            try:
                match = self._context(tree, word)
            except NoSkeleton:
                continue
            if match is not None:
                verb, rank, context = match
                if verb not in by_verb or rank < by_verb[verb][0]:
                    by_verb[verb] = (rank, context)
        for verb in sorted(by_verb):
            yield by_verb[verb][1]

    def _context(self, tree: Tree, word: int) -> tuple[int, int, str] | None:
        """Return the verb of a word of Y, the rank of what it gives (R9), and the context."""
        if tree.words[word] not in PRONOUNS and tree.deps[word] in {"amod", "appos", "compound"}:
            return self._described(tree, word)
        start = _start(tree, word)
        match = None if start is None else _climb(tree, start)
        if start is None or match is None:
            return None
        verb, path = match
        if not verb < word or _is_broken(tree, verb, word):
            return None
        subject = find_subject(tree, verb)
        if subject is None or subject >= verb:
            return None
        if not self._subjects.may_mean(tree, subject, word, verb):
            return None
        words = self._skeletons.verb_group(tree, verb) + self._way(tree, verb, path, word)
        _check_predicate_noun(tree, word, words)
        rank = int(tree.deps[path[-1]] != "ccomp" or not _is_clause_of(tree, path[-1], word))
        return verb, rank, f"The {SUBJECT_SLOT} {join_words(words)} {WORD_SLOT}"

    def _described(self, tree: Tree, word: int) -> tuple[int, int, str] | None:
        """Return the same for a word that describes the subject (R7)."""
        subject = tree.heads[word]
        verb = tree.heads[subject]
        if tree.deps[subject] not in SUBJECTS or not subject < verb or not word < verb:
            return None
        if not tree.is_verb(verb) or not self._subjects.may_mean(tree, subject, word, verb):
            return None
        article = {"compound": ["a"], "amod": []}.get(tree.deps[word])
        if article is None:
            article = self._skeletons.determiner(tree, word)
            if article not in (["a"], ["an"], ["the"]):
                return None
        predicate = join_words(self._skeletons.predicate(tree, verb))
        ending = " ".join(["is", *article, WORD_SLOT])
        return verb, 1, f"The {SUBJECT_SLOT}, who {predicate}, {ending}"

    def _way(self, tree: Tree, head: int, path: list[int], word: int) -> list[str]:
        """Return the words from a verb or noun down to the word of Y."""
        node, *rest = path
        dep = tree.deps[node]
        if not rest and dep in _CLAUSES and _is_clause_of(tree, node, word):
            return self._to_clause(tree, head, node, word)
        before = self._objects_before(tree, head, node)
        if not rest:
            return [*before, *self._last(tree, node, word)]
        if dep == "ccomp" and len(rest) == 1 and tree.deps[rest[0]] in SUBJECTS:
            return before
        if dep in _NOUNS and len(rest) > 1 and rest[1] == counted_noun(tree, node):
            # What is counted stands for the noun of quantity.
            return [*before, *self._way(tree, rest[0], rest[1:], word)]
        return [*before, *self._on_the_way(tree, node), *self._way(tree, node, rest, word)]

    def _last(self, tree: Tree, node: int, word: int) -> list[str]:
        """Return what stands for the noun that holds the word: nothing, or its determiner."""
        if tree.deps[node] not in _NOUNS:
            raise NoSkeleton
        is_read = node == word and tree.words[word] not in REFLEXIVES
        return self._skeletons.determiner(tree, node) if is_read else []

    def _on_the_way(self, tree: Tree, node: int) -> list[str]:
        """Return the words of a token between verb and word."""
        dep = tree.deps[node]
        if dep in {"prep", "agent"} or (dep == "dative" and tree.tags[node] in {"IN", "TO"}):
            return [tree.words[node]]
        if dep == "xcomp":
            return self._skeletons.infinitive(tree, node)
        if dep == "acomp" or (dep == "oprd" and tree.tags[node].startswith("JJ")):
            return self._skeletons.plain_adjective(tree, node)
        if dep not in _NOUNS or tree.tags[node] in {"CD", *NAME_TAGS}:
            raise NoSkeleton
        return self._skeletons.phrase(tree, node)

    def _objects_before(self, tree: Tree, head: int, node: int) -> list[str]:
        """Return the objects that stand between a verb and what comes next."""
        objects = [
            i
            for i in tree.children(head, "dobj", "dative", "acomp", "oprd", "attr")
            if head < i < node
        ]
        return [word for i in objects for word in self._skeletons.phrase(tree, i)]

    def _to_clause(self, tree: Tree, head: int, clause: int, word: int) -> list[str]:
        """Return what leads to a clause whose subject is the word: objects and connector."""
        dep = tree.deps[clause]
        if dep in {"conj", "advcl"}:
            stop = min(i for i in tree.subtree(clause) if i > head)
            before = self._skeletons.complements(tree, head, stop)
        else:
            before = self._objects_before(tree, head, clause)
        if not before and tree.is_verb(head) and self._skeletons.verb_group(tree, head) in EMPTY:
            raise NoSkeleton
        return [*before, *_connector(tree, head, clause, word)]


def _start(tree: Tree, word: int) -> int | None:
    """Return the token from which the way up to the verb begins, if a rule knows the word."""
    head, dep, text = tree.heads[word], tree.deps[word], tree.words[word]
    if text in SUBJECT_PRONOUNS:
        return head if dep in SUBJECTS and tree.is_verb(head) and word < head else None
    if text in POSSESSIVES and dep == "poss":
        clause = tree.heads[head]
        is_subject = tree.deps[head] in SUBJECTS and head < clause and tree.is_verb(clause)
        return clause if is_subject and not _is_small(tree, clause) else head
    if text in REFLEXIVES:
        return word if dep in _NOUNS else None
    if text in PRONOUNS or text in UNREAD or tree.tags[word] not in {"NN", "NNP"}:
        return None
    is_role = dep == "pobj" and tree.words[head] == "as"
    return word if dep == "attr" or is_role else None


def _climb(tree: Tree, start: int) -> tuple[int, list[int]] | None:
    """Return the nearest verb above that has a subject, and the way down from it (R9)."""
    path = [start]
    for head in tree.ancestors(start):
        is_part = tree.deps[head] in _PARTS and tree.subject(head) is None
        is_small = path[0] == tree.subject(head) and _is_small(tree, head)
        if tree.is_verb(head) and not is_part and not is_small:
            return head, path
        path.insert(0, head)
    return None


def _is_small(tree: Tree, clause: int) -> bool:
    """Say whether a clause has no tense and completes a verb of perception or cause (R4)."""
    verb = tree.heads[clause]
    return (
        tree.deps[clause] == "ccomp"
        and not tree.is_finite(clause)
        and simple_past(tree.words[verb], tree.tags[verb]) in _BEFORE_SMALL_CLAUSES
    )


def _is_broken(tree: Tree, verb: int, word: int) -> bool:
    """Say whether a mark between verb and word keeps them apart (R8)."""
    return any(tree.texts[i] in _BREAKS for i in range(verb + 1, word))


def _is_clause_of(tree: Tree, clause: int, word: int) -> bool:
    """Say whether the word, or what it possesses, is the subject of a clause."""
    subject = tree.subject(clause)
    return subject is not None and (subject == word or tree.heads[word] == subject)


def _check_predicate_noun(tree: Tree, word: int, words: list[str]) -> None:
    """Refuse a predicate noun of a verb that does not say what somebody is."""
    if tree.deps[word] == "attr" and not _LINKING_PASTS & set(words):
        raise NoSkeleton


def _connector(tree: Tree, head: int, clause: int, word: int) -> list[str]:
    """Return the words that lead into a clause (R1, R2, R3)."""
    if any(i < word for i in tree.children(clause, "aux", "auxpass")):
        raise NoSkeleton
    dep = tree.deps[clause]
    if dep == "conj":
        joined = [i for i in tree.children(head, "cc") if head < i < word]
        if not joined:
            raise NoSkeleton
        return [tree.words[joined[-1]]]
    leading = [i for i in tree.children(clause) if i < word and _leads(tree, i)]
    if any(tree.words[i] == "than" for i in leading):
        # What is compared is among the adverbs, which go.
        raise NoSkeleton
    if dep == "relcl":
        return _relative(tree, clause, leading)
    if leading or dep == "pcomp":
        return [tree.words[i] for i in leading]
    if dep in {"ccomp", "acl"}:
        return ["that"]
    raise NoSkeleton


def _leads(tree: Tree, i: int) -> bool:
    return tree.deps[i] == "mark" or tree.tags[i] in {"WRB", "WP", "WDT"}


def _relative(tree: Tree, clause: int, leading: list[int]) -> list[str]:
    """Return `that` for a relative pronoun or none; `during which`, `where`, `when` stay."""
    for preposition in tree.children(clause, "prep"):
        pronoun = tree.child(preposition, "pobj", "pcomp")
        if pronoun is not None and tree.tags[pronoun] in {"WDT", "WP"} and pronoun < clause:
            return [tree.words[preposition], tree.words[pronoun]]
    adverbs = [tree.words[i] for i in leading if tree.tags[i] == "WRB"]
    return adverbs[:1] or ["that"]
