"""English verbs put into the past: irregular ones by a table of facts, regular ones by spelling.

The rules of spelling: ``-d`` after e; ``-ied`` for a consonant and y; ``-ked`` after c; the last
consonant is doubled after a single stressed vowel (stopped, admitted); American ``-eled`` where the
vowel is not stressed (traveled). A gerund or a present in -s already shows how its verb is spelled.
"""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from evenhand.generator.lists import read_list

_TABLE = Path(__file__).parent / "templates" / "irregular_verbs.tsv"

FORMS_OF_BE = frozenset(
    {"am", "'m", "is", "'s", "are", "'re", "was", "were", "be", "been", "being"}
)

MODALS = {
    "can": "could",
    "ca": "could",
    "will": "would",
    "wo": "would",
    "'ll": "would",
    "'d": "would",
    "may": "might",
    "shall": "should",
    "sha": "should",
    "must": "had to",
    "could": "could",
    "would": "would",
    "might": "might",
    "should": "should",
    "ought": "ought",
}
"""Modal verb, as the tokenizer cuts it -> its form in the past."""

_CUT = {"gon": "going", "wan": "want", "'ve": "have"}
"""What the tokenizer cuts off, where it is a main verb -> the word."""

_DYING = {"dying": "died", "tying": "tied", "vying": "vied", "lying": "lay"}

# Verbs of several syllables that double their last consonant because the last one is stressed, or
# because a word of one syllable is their end.
_STRESSED_AT_THE_END = frozenset(
    {
        *("abet", "abhor", "acquit", "admit", "allot", "annul", "befit", "commit", "compel"),
        *("concur", "confer", "control", "debug", "defer", "deter", "dispel", "eavesdrop"),
        *("embed", "emit", "enrol", "entrap", "equip", "excel", "expel", "format", "fulfil"),
        *("handicap", "incur", "infer", "instil", "kidnap", "occur", "omit", "outwit"),
        *("overlap", "patrol", "permit", "prefer", "program", "propel", "rebel", "rebut"),
        *("recap", "recur", "refer", "regret", "remit", "repel", "submit", "transfer"),
        *("transmit", "unplug", "unwrap", "unzip", "zigzag"),
    }
)
# Verbs that British spelling doubles and American spelling does not.
_UNSTRESSED_L = (
    "cancel|channel|counsel|dial|duel|equal|fuel|funnel|label|level|marvel|model|panel|pedal|quarrel"
    "|rival|shovel|signal|snivel|spiral|swivel|total|travel|tunnel|unravel"
)
_BRITISH = re.compile(rf"({_UNSTRESSED_L})led")
_SHORT = re.compile(r"[^aeiou]*(?:qu)?[aeiou][^aeiouwxy]")
_CONSONANT_Y = re.compile(r".*[^aeiou]y")


class _Irregular(NamedTuple):
    """The table by what a form is looked up with."""

    pasts: frozenset[str]
    by_base: dict[str, str]
    by_participle: dict[str, str]
    by_gerund: dict[str, str]
    by_present: dict[str, str]


def simple_past(word: str, tag: str) -> str:
    """Return the simple past of a verb form for one subject.

    Args:
        word: the form as it stands in the text.
        tag: its Penn Treebank tag (VB, VBP, VBZ, VBD, VBN, VBG).

    >>> [simple_past(*pair) for pair in [("sings", "VBZ"), ("trying", "VBG"), ("stop", "VBP")]]
    ['sang', 'tried', 'stopped']
    """
    form = _CUT.get(word.lower(), word.lower())
    if form in FORMS_OF_BE:
        return "was"
    past = _irregular_past(form, tag)
    return past if past is not None else _american(_regular(form, tag))


def participle(word: str) -> str:
    """Return a past participle as it is written in America.

    >>> participle("Cancelled")
    'canceled'
    """
    return _american(word.lower())


def _irregular_past(form: str, tag: str) -> str | None:
    table = _irregular()
    if tag == "VBD":
        return form if form in table.pasts else table.by_participle.get(form)
    looked_up = {
        "VBN": table.by_participle,
        "VBG": table.by_gerund,
        "VBZ": table.by_present,
    }.get(tag, table.by_base)
    base = looked_up.get(form)
    # A tagger takes `said` for a participle, and the other way round.
    return form if base is None and form in table.pasts else base


def _regular(form: str, tag: str) -> str:
    if tag in {"VBD", "VBN"}:
        return form
    if tag == "VBG" and form.endswith("ing"):
        return _with_ed(form[:-3], is_doubled=True)
    if tag == "VBZ" and form.endswith("ies"):
        return form[:-2] + "ed"
    if tag == "VBZ" and form.endswith("es"):
        return form[:-1] + "d"
    return _with_ed(form.removesuffix("s") if tag == "VBZ" else form)


def _with_ed(base: str, *, is_doubled: bool = False) -> str:
    """Add the ending; ``is_doubled``: the base is what stands before -ing."""
    if base.endswith("e"):
        return base + "d"
    if _CONSONANT_Y.fullmatch(base):
        return base[:-1] + "ied"
    if is_doubled:
        return base + "ed"
    if base.endswith("c"):
        return base + "ked"
    if _SHORT.fullmatch(base) or base in _STRESSED_AT_THE_END:
        return base + base[-1] + "ed"
    return base + "ed"


def _american(form: str) -> str:
    match = _BRITISH.fullmatch(form)
    return f"{match[1]}ed" if match else form


@cache
def _irregular() -> _Irregular:
    rows = [
        entry.values
        for entry in read_list(_TABLE, required=("base", "past", "participle", "source"))
    ]
    by_base = {row["base"]: row["past"] for row in rows}
    return _Irregular(
        pasts=frozenset(by_base.values()),
        by_base=by_base,
        by_participle={row["participle"]: row["past"] for row in rows} | _OTHER_PARTICIPLES,
        by_gerund=_DYING | {_gerund(base): past for base, past in by_base.items()},
        by_present={_present(base): past for base, past in by_base.items()},
    )


_OTHER_PARTICIPLES = {"got": "got", "hid": "hid", "shown": "showed", "proven": "proved"}


def _gerund(base: str) -> str:
    """Return base + -ing with the spelling of the table's verbs."""
    if base == "lie":
        return "lying"
    if base.endswith("ee") or base == "be":
        return base + "ing"
    if base.endswith("e"):
        return base[:-1] + "ing"
    is_short = re.search(r"(?:^|[^aeiou]|qu)[aeiou][^aeiouwxy]$", base) is not None
    return base + base[-1] + "ing" if is_short else base + "ing"


def _present(base: str) -> str:
    """Return the present of the third person."""
    special = {"be": "is", "have": "has", "do": "does", "go": "goes", "undergo": "undergoes"}
    if base in special:
        return special[base]
    if base.endswith(("s", "sh", "ch", "x", "z", "do")):
        return base + "es"
    return base[:-1] + "ies" if _CONSONANT_Y.fullmatch(base) else base + "s"
