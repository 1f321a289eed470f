"""A tagger and a parser for the few German sentences of the tests, by rule and without a model.

Tags are those of STTS and dependencies those of TIGER, which spaCy's German models have.
"""

from spacy.language import Language
from spacy.tokens import Doc, Token

_TAGS = {
    "ART": {"der", "die", "das", "den"},
    "PPER": {"er", "sie", "es"},
    "KOUS": {"dass"},
    "PTKNEG": {"nicht"},
    "VVFIN": {"sagt", "sagte", "glaubte", "wusste", "meinte", "regnete"}
    | {"sei", "komme", "kam", "habe", "bleibe", "lüge"},
    "$,": {","},
    "$.": {".", ":", "»", "«"},
}
_TAG_OF = {word: tag for tag, words in _TAGS.items() for word in words}


@Language.component("german_by_hand_tagger")
def tag(doc: Doc) -> Doc:
    """Tag words of the list by the list, others with a capital as nouns, the rest as adverbs."""
    for token in doc:
        is_noun = token.text[0].isupper() and token.text != "Heute"
        token.tag_ = _TAG_OF.get(token.text.lower(), "NN" if is_noun else "ADV")
    return doc


@Language.component("german_by_hand_parser")
def parse(doc: Doc) -> Doc:
    """Make the first clause the main one, and each other one with a verb an object of its verb."""
    clauses = _clauses(doc)
    root = _verb(clauses[0]) or doc[0]
    for clause in clauses:
        verb = _verb(clause)
        head = verb or root
        if verb is not None:
            _attach(verb, root, "ROOT" if verb == root else "oc")
        _attach_words(clause, head, root)
    return doc


def _clauses(doc: Doc) -> list[list[Token]]:
    """Cut a sentence at its commas; a comma belongs to the clause that it begins."""
    clauses: list[list[Token]] = [[]]
    for token in doc:
        if token.tag_ == "$,":
            clauses.append([])
        clauses[-1].append(token)
    return clauses


def _verb(clause: list[Token]) -> Token | None:
    return next((token for token in clause if token.tag_ == "VVFIN"), None)


def _attach_words(clause: list[Token], head: Token, root: Token) -> None:
    """Attach all but the verb: the first noun or pronoun is the subject."""
    has_subject = False
    for token in clause:
        if token == head:
            continue
        if token.tag_ in {"NN", "PPER"} and not has_subject:
            has_subject = True
            _attach(token, head, "sb")
        elif token.tag_ == "ART":
            _attach(token, token.nbor(), "nk")
        elif token.tag_ in {"$,", "$."}:
            _attach(token, root, "punct")
        else:
            _attach(token, head, {"KOUS": "cp", "PTKNEG": "ng", "NN": "oa"}.get(token.tag_, "mo"))


def _attach(token: Token, head: Token, dep: str) -> None:
    token.head, token.dep_ = head, dep
