"""Running text of an article in wikitext: markup, tables, templates and references taken away.

Each step walks the text once, so that its time grows with the text alone. mwparserfromhell was
tried in its place: it is some forty times slower, takes the square of the length for references
that are not closed (40 s for 100 KB), and keeps references, captions, categories and tables, which
are no running text.
"""

import html
import re

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_DROPPED_TAGS = "ref|table|gallery|math|timeline|syntaxhighlight|source|code|pre|score|imagemap"
_DROPPED = re.compile(rf"<(/?)({_DROPPED_TAGS})\b[^<>]{{0,2000}}>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,500}>")
_OPENING_OR_CLOSING = re.compile(r"\{\{|\}\}|\{\||\|\}(?!\})")
_LINK = re.compile(r"\[\[|\]\]")
_OUTER_LINK = re.compile(r"\[(?:https?:)?//[^\s\]]+\s*([^\]\n]*)\]")
_BOLD = re.compile(r"'{2,5}")
_LINE_OF_MARKUP = re.compile(r"^(?:=+.*?=+[ \t]*|[*#:;]+.*|-{4,}.*|__[A-Z]+__)$", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n[ \t\n]*\n")
_FILES = ("file:", "image:", "category:", "datei:", "bild:", "kategorie:")


def plain_text(wikitext: str) -> str:
    """Return the paragraphs of an article.

    >>> plain_text("'''Ada''' was a [[poet|writer]].{{cite|x}} == Life == ")
    'Ada was a writer. == Life =='
    """
    text = _without_nested(_without_tagged(_COMMENT.sub("", wikitext)))
    text = _links_as_text(_TAG.sub("", text))
    text = _OUTER_LINK.sub(r"\1", text)
    text = _LINE_OF_MARKUP.sub("\n", _BOLD.sub("", text))
    text = html.unescape(text).replace("\u00a0", " ")
    return _BLANK_LINES.sub("\n\n", text).strip()


def _without_tagged(text: str) -> str:
    """Take away references and other elements that hold no running text."""
    kept, start, opened = [], 0, ""
    for match in _DROPPED.finditer(text):
        closes, tag = bool(match[1]), match[2].lower()
        if not opened:
            kept.append(text[start : match.start()])
            start = match.end()
            is_empty = match.group().endswith("/>")
            opened = "" if closes or is_empty else tag
        elif closes and tag == opened:
            start, opened = match.end(), ""
    # An element that is never closed loses its tag alone.
    kept.append(text[start:])
    return "".join(kept)


def _without_nested(text: str) -> str:
    """Take away templates ``{{ }}`` and tables ``{| |}``, also inside each other."""
    kept, depth, start = [], 0, 0
    for match in _OPENING_OR_CLOSING.finditer(text):
        if match.group()[0] == "{":
            if depth == 0:
                kept.append(text[start : match.start()])
            depth += 1
        else:
            if depth == 0:
                kept.append(text[start : match.start()])
            depth = max(0, depth - 1)
            start = match.end()
    if depth == 0:
        kept.append(text[start:])
    return "".join(kept)


def _links_as_text(text: str) -> str:
    """Put the words of a link in its place; pictures and categories go with their captions."""
    open_links: list[list[str]] = [[]]
    start = 0
    for match in _LINK.finditer(text):
        open_links[-1].append(text[start : match.start()])
        start = match.end()
        if match.group() == "[[":
            open_links.append([])
        elif len(open_links) > 1:
            inner = "".join(open_links.pop())
            open_links[-1].append(_link_text(inner))
    open_links[-1].append(text[start:])
    return "".join("".join(parts) for parts in open_links)


def _link_text(inner: str) -> str:
    if inner.lstrip(" :").lower().startswith(_FILES):
        return ""
    return inner.rpartition("|")[2]
