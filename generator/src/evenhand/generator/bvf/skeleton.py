"""Predicates reduced to skeletons in the past tense, by numbered rules.

Verbs
    P1. The verb stands in the simple past: perfect, progressive and present become it (``has
        said``, ``is saying``, ``says`` -> ``said``).
    P2. The copula is `was`, for every subject and tense.
    P3. A passive keeps its auxiliary: ``was told``, ``got fired``; a participle with `'s` and an
        object is no passive (``'s lost his son`` -> ``lost``).
    P4. Modal verbs stay, in the past: can -> could, will -> would, may -> might, shall -> should,
        must -> had to; what follows them stays as it is (``could have known``).
    P5. Negation stays: ``did not know``, ``was not sure``, ``could not say``, ``had not said``,
        ``never said``.
    P6. Particles follow their verb: ``found out``, ``picked up the gun``; behind a pronoun they
        stay there: ``wrote it up``.
    P7. `going to` stays (``was going to tell``), `got to` becomes ``had to``.
    P8. Adverbs go, but for `so` and `too` before an adjective and `enough` behind it; so does what
        stands before the verb.

What belongs to the verb
    P9. Objects, predicate nouns and predicate adjectives stay, with an article or another
        determiner and without adjectives, numbers and relative clauses: ``told a story``.
        Possessives become `the`; a number before a noun goes (``sold tickets``).
    P10. A phrase with a preposition stays only where it directly follows a verb that has no object
        (``walked to the door``) and holds no name or number, or where the read word is inside it.
        Nothing of a direct speech behind the verb stays.
    P11. Infinitives and gerunds stay: ``wanted to tell``, ``kept telling``.
    P12. Persons among the objects become `someone`: personal names, words of Y, nouns that tell a
        gender, `him` and `her`; `himself` becomes `themselves`. No name, and no second word about
        Y, is left in a context.
    P13. A proper name that is no person's place (``visited Paris``), a number as a noun (``turned
        40``), an address or anything else but letters, hyphens and apostrophes in the skeleton: the
        context is dropped.
"""

import re
from collections.abc import Sequence

from evenhand.generator.bvf.past_tense import FORMS_OF_BE, MODALS, participle, simple_past
from evenhand.generator.bvf.tree import NAME_TAGS, QUOTES, VERB_TAGS, Tree
from evenhand.generator.english import article

_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")

_DETERMINERS = frozenset(
    {
        "the",
        "this",
        "that",
        "these",
        "those",
        "no",
        "any",
        "some",
        "every",
        "each",
        "all",
        "another",
    }
)
_KEPT_PRONOUNS = frozenset(
    {
        *("me", "you", "us", "it", "them", "myself", "yourself", "everything", "nothing"),
        *("anything", "something", "everyone", "someone", "anyone", "everybody", "somebody"),
        *("anybody", "nobody", "what", "this", "that", "these", "those", "one", "other", "others"),
    }
)
_PERSON_PRONOUNS = frozenset({"him", "her", "he", "she", "who", "whom"})
_REFLEXIVES = frozenset({"himself", "herself", "themselves", "themself"})
_QUANTITIES = frozenset(
    {"lot", "lots", "kind", "sort", "number", "couple", "bit", "piece", "pair", "group", "part"}
)
"""Nouns before `of` that say how much of the noun behind it."""

# Verbs whose object, where it is a name, is a person.
_DONE_TO_PEOPLE = frozenset(
    {
        *("told", "asked", "promised", "reminded", "warned", "informed", "assured", "convinced"),
        *("persuaded", "taught", "showed", "married", "met", "loved", "hated", "called", "kissed"),
        *("hugged", "thanked", "helped", "killed", "shot", "hit", "saw", "heard", "followed"),
        *("wrote", "texted", "phoned", "advised", "notified", "begged", "ordered", "invited"),
        *("gave", "sent", "offered", "liked", "missed", "believed", "trusted", "watched", "knew"),
        *("arrested", "divorced", "dated", "hired", "fired", "cautioned"),
    }
)

OBJECTS = ("dobj", "dative", "attr", "acomp", "oprd")
_BEFORE_A_CLAUSE = ("dobj", "dative", "acomp", "oprd", "attr")


EMPTY = (["was"], ["was", "not"])
"""Predicates that say nothing: the copula without what it joins."""


class NoSkeleton(Exception):
    """A predicate that the rules leave out."""


class Skeletons:
    """Builds skeletons; knows which nouns speak of Y.

    Args:
        people: words, in lower case, that name a person and tell a class of Y (P12).
    """

    def __init__(self, people: frozenset[str]) -> None:
        self._people = people

    def predicate(self, tree: Tree, verb: int) -> list[str]:
        """Return the words of a whole predicate, e.g. ``["played", "a", "role"]``.

        Raises:
            NoSkeleton: a rule leaves it out.
        """
        return self.verb_group(tree, verb) + self.complements(tree, verb, len(tree))

    def complements(self, tree: Tree, head: int, stop: int) -> list[str]:
        """Return what stays of all that belongs to a verb before the position ``stop``."""
        stop = min(stop, _speech_after(tree, head))
        right = [i for i in tree.children(head) if head < i < stop]
        objects = [i for i in right if tree.deps[i] in OBJECTS]
        words = [word for i in objects for word in self.phrase(tree, i)]
        for i in right:
            if tree.deps[i] == "xcomp":
                return words + self.infinitive(tree, i) + self.complements(tree, i, stop)
        return words or self._first_preposition(tree, right, stop)

    def _first_preposition(self, tree: Tree, right: Sequence[int], stop: int) -> list[str]:
        """Return the phrase with a preposition that follows a verb directly (P10)."""
        following = [i for i in right if tree.deps[i] != "prt"]
        if not following or tree.deps[following[0]] != "prep":
            return []
        try:
            return self.preposition(tree, following[0], stop)
        except NoSkeleton:
            return []

    def preposition(self, tree: Tree, i: int, stop: int) -> list[str]:
        """Return a preposition with its noun or gerund."""
        if (noun := tree.child(i, "pobj")) is not None:
            return [tree.words[i], *self.phrase(tree, noun)]
        if (inner := tree.child(i, "prep")) is not None:
            return [tree.words[i], *self.preposition(tree, inner, stop)]
        gerund = tree.child(i, "pcomp")
        if gerund is None or tree.tags[gerund] != "VBG":
            return []
        rest = self.complements(tree, gerund, stop)
        return [tree.words[i], *self.infinitive(tree, gerund), *rest]

    def infinitive(self, tree: Tree, i: int) -> list[str]:
        """Return an infinitive with its `to`, or a gerund (P11); the first words of a clause."""
        words = ["to" if tree.words[c] == "na" else tree.words[c] for c in tree.children(i, "aux")]
        negation = [_negation(tree, c) for c in tree.children(i, "neg") if c < i]
        passive = [tree.words[c] for c in tree.children(i, "auxpass")]
        return [*negation, *words, *passive, tree.words[i], *_particles(tree, i)]

    def verb_group(self, tree: Tree, verb: int) -> list[str]:
        """Return the verb in the past with its auxiliaries, negation and particles (P1 to P7)."""
        return [*_finite(tree, verb), *_particles(tree, verb)]

    def phrase(self, tree: Tree, i: int) -> list[str]:
        """Return an object, a predicate noun or a predicate adjective (P9, P12)."""
        tag = tree.tags[i]
        if tree.deps[i] in {"acomp", "oprd"} and tag not in {"NN", "NNS", *NAME_TAGS}:
            return self.adjective(tree, i)
        if (pronoun := self._pronoun(tree.words[i])) is not None:
            of = tree.child(i, "prep") if pronoun == "one" else None
            if of is not None:
                return ["one", *self.preposition(tree, of, len(tree))]
            return [pronoun, *_particles_behind(tree, i)]
        if tag in NAME_TAGS:
            return self._name(tree, i)
        if tag in {"CD", "WP"} or tag.startswith("PRP"):
            raise NoSkeleton
        if (noun := counted_noun(tree, i)) is not None:
            return self.phrase(tree, noun)
        return [*self.determiner(tree, i), tree.words[i]]

    def _pronoun(self, word: str) -> str | None:
        """Return what stands for a pronoun or a person (P12)."""
        if word in _REFLEXIVES:
            return "themselves"
        if word in _PERSON_PRONOUNS or word in self._people:
            return "someone"
        return word if word in _KEPT_PRONOUNS else None

    def adjective(self, tree: Tree, i: int) -> list[str]:
        """Return a predicate adjective with the infinitive or preposition that belongs to it."""
        words = self.plain_adjective(tree, i)
        inner = tree.child(i, "xcomp")
        if inner is not None and inner > i:
            return [*words, *self.infinitive(tree, inner)]
        preposition = tree.child(i, "prep")
        if preposition is not None and preposition == i + 1:
            return [*words, *self.preposition(tree, preposition, len(tree))]
        return words

    def plain_adjective(self, tree: Tree, i: int) -> list[str]:
        """Return an adjective with `so` or `too` before it, `enough` behind it (P8)."""
        adverbs = tree.children(i, "advmod")
        before = [tree.words[a] for a in adverbs if a < i and tree.words[a] in {"so", "too"}]
        behind = [tree.words[a] for a in adverbs if a > i and tree.words[a] == "enough"]
        return [*before, tree.words[i], *behind]

    def determiner(self, tree: Tree, i: int) -> list[str]:
        """Return the article or determiner of a noun; a possessive is `the`."""
        for child in tree.children(i, "det", "poss", "predet"):
            word = tree.words[child]
            if tree.deps[child] == "poss":
                return ["the"]
            if word in {"a", "an"}:
                return [article(tree.words[i])]
            if word in _DETERMINERS:
                return [word]
        return []

    def _name(self, tree: Tree, i: int) -> list[str]:
        """Return `someone` for a name where a person is meant, else leave the context out."""
        verb = tree.heads[i]
        is_person = tree.deps[i] == "dative" or (
            tree.deps[i] == "dobj"
            and tree.is_verb(verb)
            and simple_past(tree.words[verb], tree.tags[verb]) in _DONE_TO_PEOPLE
        )
        if not is_person or tree.child(i, "det") is not None:
            raise NoSkeleton
        return ["someone"]


def join_words(words: Sequence[str]) -> str:
    """Join the words of a skeleton.

    Raises:
        NoSkeleton: one of them is no plain word (P13), or there is none.
    """
    if not words or not all(_WORD.fullmatch(word) for word in words):
        raise NoSkeleton
    return " ".join(words)


def _finite(tree: Tree, verb: int) -> list[str]:
    auxiliaries = [i for i in tree.children(verb, "aux", "auxpass") if i < verb]
    negations = [_negation(tree, i) for i in tree.children(verb, "neg") if i < verb]
    modal = next(
        (i for i in auxiliaries if tree.tags[i] == "MD" and not _is_had(tree, verb, i)), None
    )
    if modal is not None:
        return _with_modal(tree, verb, modal, negations)
    if "not" in negations or (negations and tree.child(verb, "auxpass") is not None):
        return _negated(tree, verb, auxiliaries, negations)
    if _is_passive(tree, verb):
        return [_passive_auxiliary(tree, verb), participle(tree.words[verb])]
    if negated_after := [_negation(tree, i) for i in tree.children(verb, "neg") if i > verb]:
        return [_past(tree, verb), *negated_after]
    if tree.words[verb] in {"gon", "going"} and tree.child(verb, "xcomp") is not None:
        return ["was", "going"]
    return [*negations, *_past(tree, verb).split()]


def _is_had(tree: Tree, verb: int, i: int) -> bool:
    """Say whether 'd is `had`: directly of a participle, whatever the tagger says of it (P1)."""
    others = [other for other in tree.children(verb, "aux", "auxpass") if other != i]
    return tree.words[i] == "'d" and tree.tags[verb] in {"VBN", "VBD"} and not others


def _with_modal(tree: Tree, verb: int, modal: int, negations: list[str]) -> list[str]:
    """Return a modal in the past and what follows it as it is (P4)."""
    later = [i for i in tree.children(verb, "aux", "auxpass") if modal < i < verb]
    past = MODALS.get(tree.words[modal])
    if past is None or (past == "had to" and (negations or later)):
        past = tree.words[modal] if past is None else "must"
    return [*past.split(), *negations, *(tree.words[i] for i in later), tree.words[verb]]


def _negated(tree: Tree, verb: int, auxiliaries: list[int], negations: list[str]) -> list[str]:
    """Return a negated verb with its auxiliaries, the first of them in the past (P5)."""
    if not auxiliaries:
        # `not` before a verb without auxiliary: a form of old, or a slip of the parser.
        return [_past(tree, verb), *negations] if tree.words[verb] in FORMS_OF_BE else _refuse()
    first, *others = auxiliaries
    form = _auxiliary_past(tree, first)
    return [form, *negations, *(tree.words[i] for i in others), participle(tree.words[verb])]


def _refuse() -> list[str]:
    raise NoSkeleton


def _auxiliary_past(tree: Tree, i: int) -> str:
    word = tree.words[i]
    if word in {"do", "does", "did"}:
        return "did"
    if word in {"have", "has", "had", "'ve", "'d"}:
        return "had"
    # 's is `has` before a participle that is not passive.
    is_has = word == "'s" and tree.tags[tree.heads[i]] == "VBN" and tree.deps[i] == "aux"
    return "had" if is_has else "was"


def _is_passive(tree: Tree, verb: int) -> bool:
    """Say whether a verb is in the passive; `'s lost his son` is `has lost` (P3)."""
    auxiliary = tree.child(verb, "auxpass")
    if auxiliary is None:
        return False
    return tree.words[auxiliary] != "'s" or tree.child(verb, "dobj") is None


def _passive_auxiliary(tree: Tree, verb: int) -> str:
    auxiliary = tree.child(verb, "auxpass")
    is_get = auxiliary is not None and tree.words[auxiliary] in {"get", "gets", "got", "getting"}
    return "got" if is_get else "was"


def _past(tree: Tree, verb: int) -> str:
    """Return the simple past of a verb; `got to` is ``had`` (P7)."""
    word, tag = tree.words[verb], tree.tags[verb]
    if tag not in VERB_TAGS:
        return MODALS.get(word, word)
    if word == "got" and any(tree.words[i] in {"to", "ta"} for i in _infinitive_marks(tree, verb)):
        return "had"
    return simple_past(word, tag)


def _infinitive_marks(tree: Tree, verb: int) -> list[int]:
    inner = tree.child(verb, "xcomp")
    return [] if inner is None else tree.children(inner, "aux")


def _negation(tree: Tree, i: int) -> str:
    """Return `not` for n't and the like; `never` stays."""
    return "not" if tree.words[i] in {"n't", "not", "nt", "n"} else tree.words[i]


def _particles(tree: Tree, verb: int) -> list[str]:
    """Return the particles of a verb but for those that its pronoun takes along (P6)."""
    pronoun = next((i for i in tree.children(verb, "dobj") if _is_light(tree, i)), len(tree))
    return [tree.words[i] for i in tree.children(verb, "prt") if i < pronoun]


def _particles_behind(tree: Tree, pronoun: int) -> list[str]:
    """Return the particles of a verb that stand behind its object."""
    if tree.deps[pronoun] != "dobj" or not _is_light(tree, pronoun):
        return []
    return [tree.words[i] for i in tree.children(tree.heads[pronoun], "prt") if i > pronoun]


def _is_light(tree: Tree, i: int) -> bool:
    """Say whether an object is a pronoun behind which no particle can move; one read may."""
    return tree.tags[i] == "PRP" and tree.words[i] not in _REFLEXIVES


def _speech_after(tree: Tree, verb: int) -> int:
    """Return where a direct speech begins behind a verb; the end of the sentence if nowhere."""
    for i in range(verb + 2, len(tree)):
        if tree.texts[i] in QUOTES and tree.texts[i - 1] in {",", ":"}:
            return i
    return len(tree)


def counted_noun(tree: Tree, noun: int) -> int | None:
    """Return the noun that a noun of quantity counts, as in ``a lot of money``."""
    if tree.words[noun] not in _QUANTITIES:
        return None
    of = tree.child(noun, "prep")
    return None if of is None or tree.words[of] != "of" else tree.child(of, "pobj")
