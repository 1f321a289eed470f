"""Text cut into blocks and sentences by written rules, without a model.

A sentence ends

- S1. at an empty line, and before a line that begins like a heading, a list entry or a quotation;
- S2. after ``.``, ``!``, ``?`` or an ellipsis, with the quotes and brackets that close behind it,
  when white space and a capital, a digit, an opening quote or bracket follow; not after an
  abbreviation (``Mr.``, ``e.g.``) or a single capital (``J.``);
- S3. at a quotation mark that is followed by white space and another one, as between the lines of
  subtitles.

White space within a sentence becomes one space; marks of emphasis (``_``, ``*``) and the quotation
marks around a whole sentence are taken away.
"""

import re
from collections.abc import Iterator

MAX_SENTENCE_CHARACTERS = 1000
"""What is longer is a table, a list or text without stops, and no sentence."""

ABBREVIATIONS = frozenset(
    {
        *("mr", "mrs", "ms", "dr", "prof", "rev", "hon", "st", "jr", "sr", "gen", "col", "capt"),
        *("lt", "sgt", "cpl", "maj", "adm", "gov", "sen", "rep", "pres", "supt", "insp", "messrs"),
        *("mme", "mlle", "vs", "etc", "e.g", "i.e", "cf", "viz", "al", "ca", "approx"),
        *("ed", "eds", "trans", "inc", "ltd", "co"),
        *("corp", "dept", "univ", "assn", "bros", "jan", "feb", "mar", "apr", "jun", "jul", "aug"),
        *("sep", "sept", "oct", "nov", "dec", "mt", "ft", "ave", "blvd", "rd"),
    }
)
_BEFORE_NUMBERS = frozenset({"no", "nos", "vol", "vols", "p", "pp", "fig", "figs", "ch", "art"})
"""Abbreviations only where a number follows: ``No. 5``, but not ``"No." He left.``"""

_BOUNDARY = re.compile(
    r"""(?P<blank>\n[ \t\r]*\n\s*)                                    # S1
      | (?P<line>\n)(?=[ \t]*(?:[#>*•|-]\s|\d+[.)]\s))               # S1
      | (?P<stop>[.!?…]+)["”\u2019')\]*_]*(?=\s+["“\u2018'(\[*_]*[A-Z0-9À-Þ♪])  # S2
      | ["”](?=\s+["“])                                              # S3
    """,
    re.VERBOSE,
)
_SPACE = re.compile(r"\s+")
_LAST_WORD = re.compile(r"[\w.]*$")
_MARKUP = str.maketrans(dict.fromkeys("_*"))
_OPENING = "#>•|- \t\r\n"


def split_sentences(text: str, abbreviations: frozenset[str] = ABBREVIATIONS) -> Iterator[str]:
    """Yield the sentences of a text in order.

    Args:
        text: of any length.
        abbreviations: in lower case; those of English unless others are given.

    >>> list(split_sentences('Mr. Fox left. "Is he back?" she asked. He was.'))
    ['Mr. Fox left.', '"Is he back?" she asked.', 'He was.']
    """
    start = 0
    for match in _BOUNDARY.finditer(text):
        if match["stop"] == "." and _is_abbreviation(text, match.start(), abbreviations):
            continue
        yield from _cleaned(text[start : match.end()])
        start = match.end()
    yield from _cleaned(text[start:])


def split_blocks(text: str, size: int) -> Iterator[str]:
    """Cut a long text into parts of at most ``size`` characters, between sentences.

    A part that has no end of a sentence is cut at white space, else at ``size``. The parts put
    together are the text.
    """
    start = 0
    while len(text) - start > size:
        end = _last_boundary(text, start, start + size)
        yield text[start:end]
        start = end
    if start < len(text):
        yield text[start:]


def _last_boundary(text: str, start: int, end: int) -> int:
    """Return where the last sentence of a stretch ends."""
    # The tail is enough: it is far longer than a sentence may be.
    for begin in (max(start, end - 4 * MAX_SENTENCE_CHARACTERS), start):
        last = None
        for match in _BOUNDARY.finditer(text, begin, end):
            if match["stop"] != "." or not _is_abbreviation(text, match.start()):
                last = match.end()
        if last is not None and last > start:
            return last
    space = max(text.rfind(" ", start, end), text.rfind("\n", start, end))
    return space + 1 if space > start else end


def _is_abbreviation(text: str, stop: int, abbreviations: frozenset[str] = ABBREVIATIONS) -> bool:
    """Say whether the full stop at ``stop`` ends an abbreviation or an initial."""
    match = _LAST_WORD.search(text, max(0, stop - 12), stop)
    word = match.group() if match else ""
    if len(word) == 1:
        return (word.isupper() and word != "I") or word in abbreviations
    abbreviated = word.lower().strip(".")
    if abbreviated in _BEFORE_NUMBERS:
        return text[stop + 1 : stop + 4].lstrip()[:1].isdigit()
    return abbreviated in abbreviations


def _cleaned(text: str) -> Iterator[str]:
    """Yield the sentence without white space and markup at its ends, unless nothing is left."""
    sentence = _SPACE.sub(" ", text.translate(_MARKUP)).strip().lstrip(_OPENING)
    if len(sentence) > 1 and sentence[0] in '"“' and sentence[-1] in '"”':
        inner = sentence[1:-1]
        if '"' not in inner and "“" not in inner:
            sentence = inner
    elif sentence.count('"') == 1:
        # Half of a pair: the other half stands in another sentence.
        sentence = sentence.strip('"')
    sentence = sentence.strip()
    if sentence:
        yield sentence
