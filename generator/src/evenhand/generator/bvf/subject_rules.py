"""Whose predicate it is, and whether a word of Y may refer to it: rules, no model.

S1. The subject stands with the verb itself, or is shared: by a verb joined with `and`, by a
    participle (``left, saying that``), by a gerund behind a preposition. The subject `who` or
    `that` of a relative clause is the noun before it; so is that of ``a man wearing his hat``.
S2. The subject is one person: a word of Y, a noun of the lists of occupations and people, a
    personal name, `someone` and the like. Plural and joined subjects are not, nor are `I`,
    `you`, `it`, `they`.
S3. What tells the subject's class (a word of Y, a title, a given name of the lists, a female
    doctor) must agree with the word that is read.
S4. A noun or a name that tells no class agrees with either, but not if its possessor is a word
    of Y (``his doctor``), nor if an object of the verb tells the read word's class
    (``Kendra told her brother that he``): then that may be meant.
S5. A name begins with a capital, has no `the` before it and is no acronym, day, month or
    organisation.
"""

import re
from collections.abc import Iterator

from evenhand.generator.bvf.tree import Tree

_RELATIVES = frozenset({"who", "that"})
NO_NAMES = frozenset(
    {
        *("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
        *("january", "february", "march", "april", "june", "july", "august", "september"),
        *("october", "november", "december", "christmas", "easter", "god", "heaven", "hell"),
        *("university", "college", "company", "corporation", "corp", "inc", "ltd", "bank", "court"),
        *("congress", "senate", "parliament", "committee", "commission", "department", "council"),
        *("association", "institute", "agency", "office", "museum", "church", "party", "union"),
        *("times", "post", "journal", "reuters", "street", "house", "city", "county", "america"),
        *("europe", "england", "britain", "france", "germany", "china", "russia", "india", "japan"),
        *("chapter", "figure", "table", "section", "part", "english", "french", "german"),
        *("american", "british", "chinese", "russian", "yes", "no", "oh", "hey", "ok", "okay"),
        *("i", "you", "we", "they", "it", "he", "she", "the", "a", "an", "this", "that", "these"),
        *("those", "there", "here", "my", "your", "our", "their", "its", "his", "her", "what"),
        *("who", "when", "where", "why", "how", "which", "if", "as", "because", "while", "since"),
        *("although", "though", "before", "after", "until", "but", "and", "or", "so", "then"),
        *("not", "now", "well", "in", "on", "at", "for", "from", "with", "by", "to", "of", "all"),
        *("some", "every", "each", "no", "do", "does", "did", "is", "are", "was", "were", "have"),
        *("has", "had", "can", "could", "will", "would", "should", "let", "maybe", "perhaps"),
        *("internet", "facebook", "google", "twitter", "apple", "microsoft", "wikipedia"),
    }
)
"""Words that name no person even where they begin with a capital, as at the head of a sentence."""


def find_subject(tree: Tree, verb: int) -> int | None:
    """Return the subject of a verb, its own or a shared one (S1)."""
    subject = tree.subject(verb)
    if subject is None:
        return _shared_subject(tree, verb)
    is_relative = tree.deps[verb] == "relcl" and tree.words[subject] in _RELATIVES
    return tree.heads[verb] if is_relative else subject


def _shared_subject(tree: Tree, verb: int) -> int | None:
    if tree.child(verb, "csubj", "csubjpass", "expl") is not None:
        return None
    head, dep = tree.heads[verb], tree.deps[verb]
    is_participle = tree.tags[verb] == "VBG"
    if is_participle and dep == "acl":
        return head
    if is_participle and dep == "pcomp":
        head = tree.heads[head]
    shares = dep == "conj" or (is_participle and dep in {"advcl", "pcomp"})
    return find_subject(tree, head) if shares and tree.is_verb(head) else None


class Subjects:
    """Judges subjects (S2 to S5).

    Args:
        class_by_word: word of Y, in lower case -> class.
        cues: other words that tell a class -> class.
        people: nouns, in lower case, for one person.
    """

    def __init__(
        self, class_by_word: dict[str, str], cues: dict[str, str], people: frozenset[str]
    ) -> None:
        self._class_of = class_by_word
        self._evidence = {**cues, **class_by_word}
        self._people = people

    def may_mean(self, tree: Tree, subject: int, word: int, verb: int) -> bool:
        """Say whether a word of Y may refer to a subject."""
        if tree.clusters is not None:
            return any(subject in cluster and word in cluster for cluster in tree.clusters)
        if not self._is_one_person(tree, subject):
            return False
        class_ = self._class_of[tree.words[word]]
        told = set(self._class_evidence(tree, subject))
        if told:
            return told == {class_}
        return not self._is_possessed(tree, subject) and not any(
            self._evidence.get(tree.words[i]) == class_ for i in _objects(tree, verb, word)
        )

    def is_occupation(self, tree: Tree, subject: int, occupations: frozenset[str]) -> bool:
        """Say whether a subject is an occupation, in the singular or the plural."""
        word = tree.words[subject]
        if tree.tags[subject] not in {"NN", "NNS", "NNP"}:
            return False
        return word in occupations or (
            tree.tags[subject] == "NNS" and _singular(word) in occupations
        )

    def _is_one_person(self, tree: Tree, subject: int) -> bool:
        word, tag = tree.words[subject], tree.tags[subject]
        if tree.child(subject, "conj") is not None:
            return False
        if tag == "PRP":
            return word in self._class_of
        if tag in {"NN", "NNP"} and (word in self._evidence or word in self._people):
            return True
        return tag == "NNP" and _is_name(tree, subject)

    def _class_evidence(self, tree: Tree, subject: int) -> Iterator[str]:
        """Yield the classes that the subject and what describes it tell (S3)."""
        described = tree.children(subject, "amod", "compound", "appos", "nmod", "flat")
        for i in (subject, *described):
            class_ = self._evidence.get(tree.words[i].rstrip("."))
            if class_ is not None:
                yield class_

    def _is_possessed(self, tree: Tree, subject: int) -> bool:
        return any(tree.words[i] in self._class_of for i in tree.children(subject, "poss"))


def _objects(tree: Tree, verb: int, word: int) -> Iterator[int]:
    """Yield the objects of a verb, and what describes them, before the word that is read."""
    for i in tree.children(verb, "dobj", "dative"):
        if i < word:
            yield i
            yield from (child for child in tree.children(i, "compound", "amod") if child < word)


def _is_name(tree: Tree, i: int) -> bool:
    """Say whether a proper noun may name a person (S5)."""
    text = tree.texts[i]
    is_written_so = text[:1].isupper() and not (text.isupper() and len(text) > 1) and text.isalpha()
    parts = (i, *tree.children(i, "compound"))
    return (
        is_written_so
        and not any(tree.words[part].rstrip(".") in NO_NAMES for part in parts)
        and tree.child(i, "det", "poss") is None
    )


def plural(word: str) -> str:
    """Return the regular plural of a noun.

    >>> [plural(word) for word in ["nurse", "coach", "secretary"]]
    ['nurses', 'coaches', 'secretaries']
    """
    if re.search(r"[^aeiou]y$", word):
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("ch", "sh", "s", "x")) else "s")


def _singular(word: str) -> str:
    """Return the singular of a regular plural.

    >>> [_singular(word) for word in ["nurses", "coaches", "secretaries"]]
    ['nurse', 'coach', 'secretary']
    """
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    return word.removesuffix("s")
